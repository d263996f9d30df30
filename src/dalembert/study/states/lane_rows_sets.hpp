#pragma once
/// The loops of lane_rows.hpp by instruction set. Only what a machine has may be called.

#include "dalembert/study/states/lane_rows.hpp"

namespace dalembert::study {

#if defined(__x86_64__)
const LaneRows& rows_8_avx512();
#endif

}  // namespace dalembert::study
