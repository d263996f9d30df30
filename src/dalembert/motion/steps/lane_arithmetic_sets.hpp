#pragma once
/// The loops of lane_arithmetic.hpp by instruction set. Only what a machine has may be called.

#include "dalembert/motion/steps/lane_arithmetic.hpp"

namespace dalembert::motion {

const LaneArithmetic& plain_lanes(int lanes);  ///< what every machine has
#if defined(__x86_64__)
const LaneArithmetic& lanes_1_avx2();
const LaneArithmetic& lanes_4_avx2();
const LaneArithmetic& lanes_8_avx2();
const LaneArithmetic& lanes_1_avx512();
const LaneArithmetic& lanes_8_avx512();
#endif

}  // namespace dalembert::motion
