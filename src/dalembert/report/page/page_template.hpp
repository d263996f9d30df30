#pragma once
/// The page without its data, as web/ is bundled when dalembert is built. It has the marks
/// <!--dalembert:title--> and <!--dalembert:data-->, once each.

#include <string_view>

namespace dalembert::report {

std::string_view page_template();

/// The Content-Security-Policy that the page states in its head: its own script, by what is in it.
std::string_view page_policy();

}  // namespace dalembert::report
