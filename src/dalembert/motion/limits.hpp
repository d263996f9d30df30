#pragma once
/// What is worked on by full matrices, and so not for systems of any size.

#include <cstddef>

namespace dalembert::motion {

/// Coordinates and constraints together, of formulations and of the integrator bdf.
inline constexpr std::size_t most_on_full_matrices = 2000;

}  // namespace dalembert::motion
