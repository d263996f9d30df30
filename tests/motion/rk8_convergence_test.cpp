// Orders and errors of the method on motions with known solutions.
#include <dalembert/motion/steps/rk8.hpp>
#include <dalembert/motion/steps/rk8_coefficients.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "rk8_problems.hpp"

namespace dalembert::motion::rk8_convergence_test {
namespace {

using namespace rk8_problems;

// The error falls as h⁸ once h is small; the ranges stop where rounding would show. A quarter is
// allowed for the terms of higher order that remain in the coarser of the two steps.
constexpr double order_margin = 0.25;

TEST(Rk8, SolutionOfKeplersProblemConvergesWithOrderEight) {
  const State y0 = kepler_solution(0.1, 0.0);
  const double period = 2.0 * std::numbers::pi;
  const double coarse = distance(fixed_steps(kepler_derivative, y0, 0.0, period, 32), y0);
  const double fine = distance(fixed_steps(kepler_derivative, y0, 0.0, period, 64), y0);
  EXPECT_NEAR(std::log2(coarse / fine), 8.0, order_margin);
  EXPECT_GT(fine, 1e3 * eps) << "rounding spoils the comparison";
}

TEST(Rk8, SolutionOfTheLogisticEquationConvergesWithOrderEight) {
  const auto f = [](double, In y, Out dydt) {
    dydt[0] = y[0] * (1.0 - y[0]);
    return true;
  };
  const auto solution = [](double t) { return 1.0 / (1.0 + std::exp(-t)); };
  const std::array y0{solution(-4.0)};
  const auto error = [&](int steps) {
    return std::abs(fixed_steps(f, y0, -4.0, 4.0, steps)[0] - solution(4.0));
  };
  const double fine = error(16);
  EXPECT_NEAR(std::log2(error(8) / fine), 8.0, order_margin);
  EXPECT_GT(fine, 1e3 * eps) << "rounding spoils the comparison";
}

TEST(Rk8, TimeEntersTheStages) {
  const auto f = [](double t, In y, Out dydt) {
    dydt[0] = std::cos(t) * y[0];
    return true;
  };
  // exp(sin t) and its derivatives are of order one here, and so is the factor of h⁸.
  const int steps = 32;
  const std::array y0{1.0};
  const double h = 3.0 / steps;
  EXPECT_NEAR(fixed_steps(f, y0, 0.0, 3.0, steps)[0], std::exp(std::sin(3.0)), std::pow(h, 8));
}

TEST(Rk8, ErrorEstimateFallsAsTheEighthPower) {
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(1.0, kepler_solution(0.1, 1.0), kepler_derivative));
  const double coarse = stepper.attempt(kepler_derivative, 0.1, Tolerance{});
  const double fine = stepper.attempt(kepler_derivative, 0.05, Tolerance{});
  EXPECT_NEAR(std::log2(coarse / fine), 8.0, order_margin);
}

double interpolation_error(double t0, double h) {
  constexpr double e = 0.1;
  Rk8 stepper(4);
  EXPECT_TRUE(stepper.start(t0, kepler_solution(e, t0), kepler_derivative));
  EXPECT_LT(stepper.attempt(kepler_derivative, h, Tolerance{}), infinity);
  EXPECT_TRUE(stepper.prepare_dense(kepler_derivative));
  double most = 0.0;
  for (int i = 0; i <= 64; ++i) {
    const double theta = i / 64.0;
    State y;
    stepper.interpolate(theta, y);
    most = std::max(most, distance(y, kepler_solution(e, t0 + theta * h)));
  }
  return most;
}

// A continuous output of order 7 is off by O(h⁸) within one step.
TEST(Rk8, InterpolantConvergesWithOrderSeven) {
  for (const double direction : {1.0, -1.0}) {
    const double coarse = interpolation_error(1.0, direction * 0.2);
    const double fine = interpolation_error(1.0, direction * 0.1);
    EXPECT_GE(std::log2(coarse / fine), 8.0 - order_margin) << "direction " << direction;
    EXPECT_GT(fine, 1e2 * eps) << "rounding spoils the comparison";
  }
}

TEST(Rk8, InterpolantMeetsBothEndsWithItsDerivative) {
  const double h = 0.3;
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(1.0, kepler_solution(0.3, 1.0), kepler_derivative));
  ASSERT_LT(stepper.attempt(kepler_derivative, h, Tolerance{}), infinity);
  ASSERT_TRUE(stepper.prepare_dense(kepler_derivative));
  State at_start, at_end, end_derivative;
  stepper.interpolate(0.0, at_start);
  stepper.interpolate(1.0, at_end);
  EXPECT_EQ(distance(at_start, stepper.y()), 0.0);
  EXPECT_LE(distance(at_end, stepper.y_new()), 2 * eps);  // y + (y_new − y), numbers of order one
  ASSERT_TRUE(kepler(0.0, stepper.y_new(), end_derivative));

  // One-sided differences of second order with the step s = δh are off by s²/3 times a third
  // derivative, below 10 on this orbit, and by rounding, 4 eps/s.
  const double delta = 1e-5;
  const double s = delta * h;
  const double bound = s * s * 10.0 / 3.0 + 4 * eps / s;
  State near, far;
  stepper.interpolate(delta, near);
  stepper.interpolate(2 * delta, far);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR((4 * near[i] - far[i] - 3 * at_start[i]) / (2 * s), stepper.dydt()[i], bound);
  }
  stepper.interpolate(1.0 - delta, near);
  stepper.interpolate(1.0 - 2 * delta, far);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR((3 * at_end[i] - 4 * near[i] + far[i]) / (2 * s), end_derivative[i], bound);
  }
}

// Ten periods of the orbit of eccentricity 0.6, which ends where it began.
struct KeplerRun {
  double error;
  std::int64_t accepted;
  std::int64_t rejected;
  std::int64_t evaluations;
};
constexpr double ten_periods = 20.0 * std::numbers::pi;

KeplerRun ten_kepler_periods(double tolerance, const StepControlOptions& options = {}) {
  const State y0 = kepler_solution(0.6, 0.0);
  State absolute;
  absolute.fill(tolerance);
  Rk8 stepper(4);
  EXPECT_TRUE(stepper.start(0.0, y0, kepler_derivative));
  const Outcome outcome =
      integrate(stepper, kepler_derivative, ten_periods,
                {.relative = tolerance, .absolute = absolute, .reference = {}}, options);
  EXPECT_TRUE(outcome.arrived);
  return {distance(stepper.y(), y0), outcome.accepted, outcome.rejected, stepper.evaluations()};
}

// Each of N steps changes the energy, and with it the mean motion, by something of the order of the
// tolerance, and so shifts the phase by as much times the time still to go. N T tolerance bounds
// the sum, up to a factor of order one, even if all these errors have one sign.
TEST(Rk8, TenKeplerPeriodsStayWithinTheDriftThatTheToleranceAllows) {
  for (const double beta : {0.0, 0.04}) {
    StepControlOptions options;
    options.beta = beta;
    const KeplerRun run = ten_kepler_periods(1e-12, options);
    EXPECT_LT(run.error, static_cast<double>(run.accepted) * ten_periods * 1e-12)
        << "beta = " << beta;
  }
}

TEST(Rk8, ErrorIsProportionalToTheTolerance) {
  const double reference = ten_kepler_periods(1e-9).error / 1e-9;
  for (const double tolerance : {1e-6, 1e-12}) {
    const double ratio = ten_kepler_periods(tolerance).error / tolerance / reference;
    EXPECT_GT(ratio, 0.25) << "tolerance " << tolerance;
    EXPECT_LT(ratio, 4.0) << "tolerance " << tolerance;
  }
}

// SciPy's DOP853 accepts 146, 305 and 669 steps for the same motion and tolerances.
TEST(Rk8, TakesAsManyStepsAsAnIndependentCode) {
  for (const auto& [tolerance, steps] : {std::pair{1e-6, 146}, {1e-9, 305}, {1e-12, 669}}) {
    const KeplerRun run = ten_kepler_periods(tolerance, {.safety = 0.9});  // as there
    EXPECT_NEAR(static_cast<double>(run.accepted), steps, 0.02 * steps);
    EXPECT_EQ(run.evaluations, 2 + 12 * run.accepted + 11 * run.rejected);
  }
}

TEST(Rk8, IntegratesBackwardInTimeAndReturns) {
  const State y0 = kepler_solution(0.6, 0.0);
  const double tolerance_value = 1e-11;
  State absolute;
  absolute.fill(tolerance_value);
  const Tolerance tolerance{.relative = tolerance_value, .absolute = absolute, .reference = {}};
  const double t_back = -0.3 * ten_periods;
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(0.0, y0, kepler_derivative));
  const Outcome there = integrate(stepper, kepler_derivative, t_back, tolerance);
  ASSERT_TRUE(there.arrived);
  const double drift = static_cast<double>(there.accepted) * std::abs(t_back) * tolerance_value;
  EXPECT_LT(distance(stepper.y(), y0), drift) << "three whole periods";
  const Outcome back = integrate(stepper, kepler_derivative, 0.0, tolerance);
  ASSERT_TRUE(back.arrived);
  EXPECT_LT(distance(stepper.y(), y0), 2 * drift);
}

}  // namespace
}  // namespace dalembert::motion::rk8_convergence_test
