#pragma once
/// What the harnesses of this folder share. A harness states laws about any bytes whatever;
/// libFuzzer thinks of the bytes, and keeps those for which a law does not hold or a sanitizer
/// complains.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace dalembert::fuzz {

/// Ends the program unless the law holds. `detail` helps who reads the report.
inline void require(bool holds, std::string_view law, const std::string& detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "\nBROKEN: %.*s\n%s\n", static_cast<int>(law.size()), law.data(),
               detail.c_str());
  std::abort();
}

/// What a harness answers: whether the bytes are worth being kept in the corpus.
inline constexpr int kept = 0, rejected = -1;

/// Choices made by bytes, one after the other; where they end all that follow are 0, so that fewer
/// bytes make a simpler case.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  bool any_left() const { return !bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  /// From 0 to n - 1, n at most 256.
  std::size_t below(std::size_t n) { return byte() % n; }
  bool coin() { return below(2) == 1; }
  /// Between -2 and 2 in steps of 1/64: exact in doubles and as a decimal.
  double number() { return static_cast<double>(static_cast<std::int8_t>(byte())) / 64; }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace dalembert::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
