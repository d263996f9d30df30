#pragma once
/// What the program itself makes of a motion, to be packed beside the code: whoever runs the code
/// can compare.

#include <string>

#include "dalembert/packing/system.hpp"

namespace dalembert::packing {

inline constexpr long reference_rows = 51;

/// `time` and the coordinates, velocities, accelerations, forces, energies and outputs of the
/// system as CSV, `reference_rows` of them evenly spaced, by the integrator and the tolerances of
/// the model; up to where the motion ends.
std::string reference_results(const motion::Motion& motion, const PackedSystem& system);

}  // namespace dalembert::packing
