#if defined(__x86_64__)

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>

#include "dalembert/motion/steps/lane_arithmetic_sets.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

namespace dalembert::motion {

namespace avx2 {
namespace {

constexpr int root_width = 4;

void take_roots(double* x) {
  _mm256_store_pd(x, _mm256_sqrt_pd(_mm256_load_pd(x)));
}

typedef double Eight __attribute__((vector_size(64), may_alias));

inline void fuse(const __m256d& a, const __m256d& b, __m256d& sum) {
  sum = _mm256_fmadd_pd(a, b, sum);
}

inline void fuse(const Eight& a, const Eight& b, Eight& sum) {
  const auto* as = reinterpret_cast<const __m256d*>(&a);
  const auto* bs = reinterpret_cast<const __m256d*>(&b);
  auto* sums = reinterpret_cast<__m256d*>(&sum);
  for (int half : {0, 1}) fuse(as[half], bs[half], sums[half]);
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
