#pragma once
/// An attempt of a step of rk8 (motion/steps/rk8.hpp) as one tape: twelve times the tape of y' =
/// f(t, y), and the sums between. In machine code nothing passes through memory that need not, and
/// what one stage waits for overlaps with another: for short tapes twice as fast as stage by stage
/// (motion/steps/lane_arithmetic.hpp), and with the same bits.

#include <vector>

#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/motion/steps/lane_arithmetic.hpp"

namespace dalembert::motion {

/// t h y -> k_0 ... k_11, y_new, e5, e3 (size each), doubt of each stage (12; of the first that on
/// the constraints). `derivative` as in Flow. Cost: 12 times its operations and some 90 for each
/// entry of y.
codegen::Tape make_step_tape(const codegen::Tape& derivative);

/// The kernel of it, made when first asked for; null where the tape of y' is too long to gain from
/// it, or would only be interpreted.
const codegen::Kernel* step_kernel(const LaneFlow& flow);

}  // namespace dalembert::motion
