#if defined(__x86_64__)

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "dalembert/study/lane_arithmetic_sets.hpp"

#pragma GCC target("avx512f")

namespace dalembert::study {

namespace avx512 {
namespace {
#include "dalembert/study/lane_arithmetic_body.hpp"
}  // namespace
}  // namespace avx512

const LaneArithmetic& lanes_8_avx512() {
  return avx512::loops<8>;
}

}  // namespace dalembert::study

#endif
