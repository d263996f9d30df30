#pragma once
/// The page without its data, as web/ is bundled when dalembert is built. It has the marks
/// <!--dalembert:title--> and <!--dalembert:data-->, once each.

#include <string_view>

namespace dalembert::report {

std::string_view page_template();

}  // namespace dalembert::report
