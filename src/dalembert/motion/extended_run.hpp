#pragma once
/// One motion in extended precision, a reference for the others: by Taylor series on the tapes of
/// flow/tapes/extended_flow.hpp, every number of which is a long double (64 bits on x86-64, epsilon
/// 1.1e-19).
///
/// Steps as in motion/steps/taylor.hpp: y(t + h) = y_0 + ... + y_p h^p with
///
///     |y_k|_i h^k <= sc_i / c   for k = p - 1 and p,     sc_i = atol_i + rtol |y_i|,
///     p = 4 + ln(c / rtol) / 2,     c = 16 down to rtol = 1e-16, 16 (1e-16 / rtol) beyond,
///
/// the defect h |f - y'| at the end of a step at most (p + 1) sc_i, the state projected there onto
/// the constraints, what rounding took from the sum given to the next. Works are entries of y,
/// whose sc_i is of the energy in play. All of it is interpreted, operation by operation. Limits,
/// gimbal lock and conditions of the model are watched in doubles.

#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion {

/// The smallest rtol that means anything: nine epsilon.
inline constexpr double least_extended_rtol = 1e-18;
/// What atol is where nobody chose one.
inline double extended_atol(double rtol) {
  return rtol / 1000;
}

/// p, for a tolerance.
std::uint32_t extended_order(double rtol);

/// As `simulate`. A motion that has no tapes for it is not complete, with the reason.
Summary simulate_extended(const Motion& motion, const State& start,
                          const SimulationOptions& options, const Observer& observer,
                          const Progress& progress);

}  // namespace dalembert::motion
