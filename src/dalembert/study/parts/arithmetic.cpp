#include "dalembert/study/parts/arithmetic.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <bit>
#include <cmath>

#include "dalembert/codegen/elementary.hpp"

namespace dalembert::study {

namespace {

/// FNV-1a of the bits of doubles; one that is not a number counts as such, whatever its payload.
class Bits {
 public:
  void add(double x) {
    const std::uint64_t word = std::isnan(x) ? 0 : std::bit_cast<std::uint64_t>(x);
    for (int byte = 0; byte < 8; ++byte)
      hash_ = (hash_ ^ (word >> (8 * byte) & 0xffU)) * 0x100000001b3U;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

std::uint64_t probe_of_this_machine() {
  using codegen::Operation;
  constexpr int values = 1000;
  Bits bits;
  double x = -7.0;
  for (int i = 0; i < values; ++i) {
    x += 0.0142371;
    for (auto f = static_cast<std::size_t>(Operation::sin);
         f < static_cast<std::size_t>(Operation::abs); ++f) {
      bits.add(codegen::elementary(static_cast<Operation>(f), x, 0.37 * x + 0.1));
    }
    // What states and parameters are computed with outside of tapes.
    for (const double value :
         {std::sin(x), std::cos(x), std::tan(x), std::atan(x), std::atan2(x, 0.3), std::exp(x),
          std::log(std::abs(x)), std::pow(std::abs(x), 0.125), std::hypot(x, 1.3), std::sinh(x),
          std::cosh(x), std::tanh(x), std::asinh(x), std::asin(x / 8), std::acos(x / 8),
          std::cbrt(x), std::log1p(std::abs(x)), std::expm1(x)}) {
      bits.add(value);
    }
  }
  return bits.value();
}

std::string name_of_this_machine() {
  utsname system{};
  const char* architecture = ::uname(&system) == 0 ? system.machine : "unknown";
#if defined(__x86_64__)
  const char* fused = __builtin_cpu_supports("fma") ? "with fma" : "without fma";
#else
  const char* fused = "with fma";
#endif
  return fmt::format("{} {}, glibc {}", architecture, fused, gnu_get_libc_version());
}

}  // namespace

const Arithmetic& arithmetic() {
  static const Arithmetic found{name_of_this_machine(), probe_of_this_machine()};
  return found;
}

}  // namespace dalembert::study
