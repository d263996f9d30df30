#pragma once
/// Which last bits this machine gives. Sums and products are IEEE 754's everywhere, and our own
/// elementary functions are the same for all numbers of lanes; but they differ with and without
/// fused multiply-add, and those of the C library with its version and the CPU. What was computed
/// in two arithmetics is not one study.

#include <cstdint>
#include <string>

namespace dalembert::study {

struct Arithmetic {
  std::string name;         ///< for people: "x86_64 with fma, glibc 2.36"
  std::uint64_t probe = 0;  ///< checksum of the bits of some thousand values of each function
};

/// Of this process. Cost: a millisecond, once.
const Arithmetic& arithmetic();

}  // namespace dalembert::study
