#include "dalembert/report/page/base64.hpp"

#include <algorithm>

#include "dalembert/codegen/sha256.hpp"

namespace dalembert::report {

void append_base64(std::string& text, std::string_view bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t first = text.size();
  text.resize(first + (bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data() + first;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < count; ++k)
      group |= unsigned{static_cast<unsigned char>(bytes[i + k])} << (16 - 8 * k);
    for (std::size_t k = 0; k <= count; ++k) *out++ = digits[(group >> (18 - 6 * k)) & 63];
    out += 3 - count;
  }
}

std::string script_source(std::string_view script) {
  const codegen::Digest digest = codegen::sha256(script);
  std::string text = "'sha256-";
  append_base64(text, {reinterpret_cast<const char*>(digest.data()), digest.size()});
  return text + "'";
}

}  // namespace dalembert::report
