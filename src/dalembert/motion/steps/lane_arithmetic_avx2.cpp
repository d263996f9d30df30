#if defined(__x86_64__)

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "dalembert/motion/steps/lane_arithmetic_sets.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

namespace dalembert::motion {

namespace avx2 {
namespace {

constexpr int root_width = 4;

void take_roots(double* x) {
  _mm256_store_pd(x, _mm256_sqrt_pd(_mm256_load_pd(x)));
}

#include "dalembert/motion/steps/lane_arithmetic_body.hpp"

}  // namespace
}  // namespace avx2

const LaneArithmetic& lanes_1_avx2() {
  return avx2::loops<1>;
}

const LaneArithmetic& lanes_4_avx2() {
  return avx2::loops<4>;
}

const LaneArithmetic& lanes_8_avx2() {
  return avx2::loops<8>;
}

}  // namespace dalembert::motion

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
