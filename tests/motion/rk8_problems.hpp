#pragma once
/// Motions with known solutions, and drivers for the stepper, shared by the tests of rk8.

#include <dalembert/motion/steps/rk8.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dalembert::motion::rk8_problems {

inline constexpr double eps = std::numeric_limits<double>::epsilon();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using In = std::span<const double>;
using Out = std::span<double>;

using State = std::array<double, 4>;

/// Kepler's problem with unit mass parameter and unit semi-major axis, hence of period 2π.
inline bool kepler(double, In y, Out dydt) {
  const double r2 = y[0] * y[0] + y[1] * y[1];
  const double r3 = r2 * std::sqrt(r2);
  dydt[0] = y[2];
  dydt[1] = y[3];
  dydt[2] = -y[0] / r3;
  dydt[3] = -y[1] / r3;
  return true;
}
inline const auto kepler_derivative = [](double t, In y, Out dydt) { return kepler(t, y, dydt); };

/// Its solution of eccentricity e that passes the perihelion (1 − e, 0) at t = 0, by Newton's
/// method on Kepler's equation E − e sin E = t, which converges from E = t for the e and t used
/// here.
inline State kepler_solution(double e, double t) {
  double E = t;
  for (int i = 0; i < 30; ++i) E -= (E - e * std::sin(E) - t) / (1.0 - e * std::cos(E));
  const double s = std::sqrt(1.0 - e * e);
  const double w = 1.0 - e * std::cos(E);
  return {std::cos(E) - e, s * std::sin(E), -std::sin(E) / w, s * std::cos(E) / w};
}

inline double distance(In x, In y) {
  double most = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

inline Tolerance relative_tolerance(double relative) {
  return {.relative = relative, .absolute = {}, .reference = {}};
}

/// Steps of one length, whatever the error; the state at the end.
inline std::vector<double> fixed_steps(Derivative f, In y0, double t0, double t_end, int steps) {
  Rk8 stepper(y0.size());
  EXPECT_TRUE(stepper.start(t0, y0, f));
  const double h = (t_end - t0) / steps;
  for (int i = 0; i < steps; ++i) {
    EXPECT_LT(stepper.attempt(f, h, Tolerance{}), infinity);
    EXPECT_TRUE(stepper.advance(f));
  }
  return {stepper.y().begin(), stepper.y().end()};
}

/// What an adaptive integration did. It ends at t_end, or where the step becomes too short.
struct Outcome {
  bool arrived;
  double t;
  std::int64_t accepted;
  std::int64_t rejected;
};

inline Outcome integrate(Rk8& stepper, Derivative f, double t_end, const Tolerance& tolerance,
                         const StepControlOptions& options = {}) {
  StepController controller(options);
  double h = stepper.initial_step(f, tolerance, t_end - stepper.t());
  bool arrived = false;
  while (!arrived && !step_underflow(stepper.t(), h)) {
    const double remaining = t_end - stepper.t();
    const bool last = std::abs(h) >= std::abs(remaining);
    if (last) h = remaining;
    const auto [accepted, h_next] = controller.decide(h, stepper.attempt(f, h, tolerance));
    if (accepted && !stepper.advance(f)) break;
    arrived = accepted && last;
    h = h_next;
  }
  return {arrived, stepper.t(), controller.accepted(), controller.rejected()};
}

}  // namespace dalembert::motion::rk8_problems
