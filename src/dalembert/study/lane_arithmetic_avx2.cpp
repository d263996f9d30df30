#if defined(__x86_64__)

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "dalembert/study/lane_arithmetic_sets.hpp"

#pragma GCC target("avx2")

namespace dalembert::study {

namespace avx2 {
namespace {
#include "dalembert/study/lane_arithmetic_body.hpp"
}  // namespace
}  // namespace avx2

const LaneArithmetic& lanes_4_avx2() {
  return avx2::loops<4>;
}

const LaneArithmetic& lanes_8_avx2() {
  return avx2::loops<8>;
}

}  // namespace dalembert::study

#endif
