#pragma once
/// Bytes in base64 (RFC 4648), as pages carry them.

#include <string>
#include <string_view>

namespace dalembert::report {

void append_base64(std::string& text, std::string_view bytes);

/// By what a Content-Security-Policy allows this script, and no other, to stand in a page:
/// 'sha256-...', in quotes.
std::string script_source(std::string_view script);

}  // namespace dalembert::report
