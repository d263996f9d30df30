#if defined(__x86_64__)

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "dalembert/motion/steps/lane_arithmetic_sets.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,fma")
#endif

namespace dalembert::motion {

namespace avx512 {
namespace {

constexpr int root_width = 8;

// With a mask, though of all: GCC 12 believes that the header's unmasked form reads what is not
// set.
void take_roots(double* x) {
  _mm512_store_pd(x, _mm512_maskz_sqrt_pd(0xff, _mm512_load_pd(x)));
}

inline void fuse(const __m256d& a, const __m256d& b, __m256d& sum) {
  sum = _mm256_fmadd_pd(a, b, sum);
}

inline void fuse(const __m512d& a, const __m512d& b, __m512d& sum) {
  sum = _mm512_fmadd_pd(a, b, sum);
}

#include "dalembert/motion/steps/lane_arithmetic_body.hpp"

}  // namespace
}  // namespace avx512

const LaneArithmetic& lanes_1_avx512() {
  return avx512::loops<1>;
}

const LaneArithmetic& lanes_8_avx512() {
  return avx512::loops<8>;
}

}  // namespace dalembert::motion

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
