#pragma once
/// Fields of comma-separated files (RFC 4180).

#include <string>
#include <string_view>

namespace dalembert::report {

/// The text, quoted where it must be.
std::string csv_field(std::string_view text);

}  // namespace dalembert::report
