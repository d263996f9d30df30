// The step as an object: what it keeps, evaluates and allocates, its error, and points where f has
// no value.
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

#include "allocation_counter.hpp"
#include "rk8_problems.hpp"

namespace dalembert::motion::rk8_step_test {
namespace {

using namespace rk8_problems;

TEST(Rk8, NothingPassesToTheNextStepWhenTheStateIsReplaced) {
  const State second = kepler_solution(0.4, 2.0);
  Rk8 used(4), fresh(4);
  ASSERT_TRUE(used.start(0.5, kepler_solution(0.2, 0.5), kepler_derivative));
  ASSERT_LT(used.attempt(kepler_derivative, 0.2, Tolerance{}), infinity);
  ASSERT_TRUE(used.prepare_dense(kepler_derivative));
  State slope;
  ASSERT_TRUE(kepler(2.0, second, slope));
  used.start(2.0, second, slope);
  ASSERT_TRUE(fresh.start(2.0, second, kepler_derivative));
  EXPECT_EQ(used.attempt(kepler_derivative, -0.1, Tolerance{}),
            fresh.attempt(kepler_derivative, -0.1, Tolerance{}));
  EXPECT_EQ(distance(used.y_new(), fresh.y_new()), 0.0);
  ASSERT_TRUE(used.prepare_dense(kepler_derivative));
  ASSERT_TRUE(fresh.prepare_dense(kepler_derivative));
  State x, y;
  used.interpolate(0.4, x);
  fresh.interpolate(0.4, y);
  EXPECT_EQ(distance(x, y), 0.0);
}

TEST(Rk8, ARejectedAttemptLeavesNoTrace) {
  Rk8 hesitant(4), direct(4);
  for (Rk8* stepper : {&hesitant, &direct}) {
    ASSERT_TRUE(stepper->start(0.0, kepler_solution(0.6, 0.0), kepler_derivative));
  }
  EXPECT_GT(hesitant.attempt(kepler_derivative, 2.0, Tolerance{}), 1.0);
  EXPECT_EQ(hesitant.attempt(kepler_derivative, 0.01, Tolerance{}),
            direct.attempt(kepler_derivative, 0.01, Tolerance{}));
  EXPECT_EQ(distance(hesitant.y_new(), direct.y_new()), 0.0);
}

TEST(Rk8, EvaluatesOnlyWhatIsAskedFor) {
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(0.0, kepler_solution(0.1, 0.0), kepler_derivative));
  EXPECT_EQ(stepper.evaluations(), 1);
  ASSERT_LT(stepper.attempt(kepler_derivative, 0.1, Tolerance{}), infinity);
  EXPECT_EQ(stepper.evaluations(), 12);
  ASSERT_TRUE(stepper.prepare_dense(kepler_derivative));
  ASSERT_TRUE(stepper.prepare_dense(kepler_derivative));
  EXPECT_EQ(stepper.evaluations(), 16);
  ASSERT_TRUE(stepper.advance(kepler_derivative));
  EXPECT_EQ(stepper.evaluations(), 16) << "f at the end was known";
  EXPECT_EQ(stepper.t(), 0.1);
  ASSERT_LT(stepper.attempt(kepler_derivative, 0.1, Tolerance{}), infinity);
  ASSERT_TRUE(stepper.advance(kepler_derivative));
  EXPECT_EQ(stepper.evaluations(), 16 + 12);
}

TEST(Rk8, AdvanceIsTheSameAsStartingFromTheEnd) {
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(0.0, kepler_solution(0.1, 0.0), kepler_derivative));
  ASSERT_LT(stepper.attempt(kepler_derivative, 0.1, Tolerance{}), infinity);
  Rk8 other = stepper;
  ASSERT_TRUE(stepper.advance(kepler_derivative));
  ASSERT_TRUE(other.start(other.t_new(), other.y_new(), kepler_derivative));
  EXPECT_EQ(stepper.t(), other.t());
  EXPECT_EQ(distance(stepper.y(), other.y()), 0.0);
  EXPECT_EQ(distance(stepper.dydt(), other.dydt()), 0.0);
}

TEST(Rk8, MakesNoAllocationAfterConstruction) {
  Rk8 stepper(4);
  const State y0 = kepler_solution(0.6, 0.0);
  State absolute, sample;
  absolute.fill(1e-9);
  const Tolerance tolerance{.relative = 1e-9, .absolute = absolute, .reference = absolute};
  StepController controller;

  const long before = allocations_so_far();
  bool good = stepper.start(0.0, y0, kepler_derivative);
  double h = stepper.initial_step(kepler_derivative, tolerance, 10.0);
  while (good && stepper.t() < 10.0) {
    const auto decision = controller.decide(h, stepper.attempt(kepler_derivative, h, tolerance));
    if (decision.accepted) {
      good = stepper.prepare_dense(kepler_derivative);
      stepper.interpolate(0.5, sample);
      good = good && stepper.advance(kepler_derivative);
    }
    h = decision.h_next;
  }
  const long after = allocations_so_far();

  EXPECT_TRUE(good);
  EXPECT_GT(controller.accepted(), 10);
  EXPECT_EQ(after, before);
  const Rk8 another(4);
  EXPECT_GT(allocations_so_far(), after) << "construction allocates, and is counted";
}

TEST(Rk8, SizeZeroMakesStepsWithoutError) {
  int calls = 0;
  const auto f = [&](double t, In y, Out dydt) {
    ++calls;
    return t < 1.0 && y.empty() && dydt.empty();
  };
  Rk8 stepper(0);
  ASSERT_TRUE(stepper.start(0.0, {}, f));
  const double h = stepper.initial_step(f, Tolerance{}, 1.0);
  EXPECT_GT(h, 0.0);
  EXPECT_LE(h, 1.0);
  EXPECT_EQ(stepper.attempt(f, 0.5, Tolerance{}), 0.0);
  ASSERT_TRUE(stepper.prepare_dense(f));
  stepper.interpolate(0.5, {});
  ASSERT_TRUE(stepper.advance(f));
  EXPECT_EQ(calls, 17);
  EXPECT_EQ(stepper.attempt(f, 0.5, Tolerance{}), infinity) << "f fails at t = 1";
}

// ---- Errors and tolerances ----------------------------------------------------------------------

// Where f depends on time alone the stages are its values at cᵢ h, and the estimates can be summed
// from the table.
TEST(Rk8, ErrorCombinesTheTwoEstimates) {
  const auto slope = [](double t) { return std::exp(3.0 * t); };
  const auto f = [&](double t, In, Out dydt) {
    dydt[0] = slope(t);
    dydt[1] = 0.0;
    return true;
  };
  const std::array y0{0.0, 1.0};
  const std::array absolute{0.5, 0.5};
  const double h = 0.8;
  double e5 = 0.0;
  double e3 = 0.0;
  double modulus = 0.0;
  for (std::size_t i = 0; i < dop853::step_stages; ++i) {
    const double k = slope(dop853::c[i] * h) / absolute[0];
    e5 += dop853::e5[i] * k;
    e3 += dop853::e3[i] * k;
    modulus += std::abs(dop853::e5[i] * k);
  }
  // The second component is exact: the mean square is half the square of the first.
  const double expected = h * (e5 * e5 / 2) / std::sqrt(e5 * e5 / 2 + 0.01 * e3 * e3 / 2);
  // e⁵ is small against its terms: a sum in another order may differ by 12 eps of their moduli.
  const double rounding = 2 * 12 * eps * modulus / std::abs(e5);
  Rk8 stepper(2);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  EXPECT_NEAR(stepper.attempt(f, h, {.relative = 0.0, .absolute = absolute, .reference = {}}),
              expected, rounding * expected);
  EXPECT_LT(rounding, 1e-9) << "the comparison says something";
}

TEST(Tolerance, ScaleIsAbsoluteAndRelativeOfTheLargest) {
  const std::array absolute{0.5, 0.0};
  const std::array reference{0.0, 100.0};
  const Tolerance all{.relative = 0.1, .absolute = absolute, .reference = reference};
  EXPECT_DOUBLE_EQ(all.scale(0, -3.0, 2.0), 0.5 + 0.3);
  EXPECT_DOUBLE_EQ(all.scale(0, 3.0, -20.0), 0.5 + 2.0);
  EXPECT_DOUBLE_EQ(all.scale(1, 3.0, -20.0), 10.0);
  EXPECT_DOUBLE_EQ(all.scale(1, 3.0, -2000.0), 200.0);
  EXPECT_DOUBLE_EQ(relative_tolerance(0.1).scale(1, 3.0, -20.0), 2.0);
}

TEST(Tolerance, ReferenceRelievesAComponentThatStartsAtZero) {
  const auto f = [](double t, In, Out dydt) {
    dydt[0] = 1e-3 * std::exp(t);
    return true;
  };
  const std::array zero{0.0};
  const std::array energy{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, zero, f));
  const double strict = stepper.attempt(f, 0.5, relative_tolerance(1e-9));
  const double grown = stepper.y_new()[0];
  const double relieved =
      stepper.attempt(f, 0.5, {.relative = 1e-9, .absolute = {}, .reference = energy});
  EXPECT_DOUBLE_EQ(relieved / strict, grown / energy[0]);
}

TEST(Tolerance, ZeroScaleToleratesExactComponentsOnly) {
  const auto f = [](double t, In, Out dydt) {
    dydt[0] = 0.0;
    dydt[1] = std::exp(t);
    return true;
  };
  Rk8 stepper(2);
  const std::array y0{0.0, 1.0};
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  EXPECT_LT(stepper.attempt(f, 0.1, relative_tolerance(1e-6)), 1.0);
  EXPECT_EQ(stepper.attempt(f, 0.1, relative_tolerance(0.0)), infinity);
}

// ---- Points where f has no value ----------------------------------------------------------------

TEST(Rk8, StartSaysWhetherTheDerivativeExists) {
  const auto refuses = [](double, In, Out dydt) {
    dydt[0] = 0.0;
    return false;
  };
  const auto reciprocal = [](double, In y, Out dydt) {
    dydt[0] = 1.0 / y[0];
    return true;
  };
  Rk8 stepper(1);
  const std::array zero{0.0};
  const std::array one{1.0};
  const std::array unbounded{infinity};
  EXPECT_FALSE(stepper.start(0.0, one, refuses));
  EXPECT_FALSE(stepper.start(0.0, zero, reciprocal));
  EXPECT_FALSE(stepper.start(0.0, unbounded, reciprocal));
  EXPECT_TRUE(stepper.start(0.0, one, reciprocal));
}

// The first stages do not enter the solution, so that what goes wrong there could be overlooked.
TEST(Rk8, AFailureInAnyStageMakesTheErrorInfinite) {
  for (int failing = 1; failing < 12; ++failing) {
    for (const double wrong : {nan, infinity, 0.0}) {
      int call = 0;
      const auto f = [&](double, In y, Out dydt) {
        dydt[0] = call == failing ? wrong : std::tanh(y[0]);
        return call++ != failing || wrong != 0.0;
      };
      const std::array y0{1.0};
      Rk8 stepper(1);
      ASSERT_TRUE(stepper.start(0.0, y0, f));
      EXPECT_EQ(stepper.attempt(f, 0.1, Tolerance{}), infinity) << "stage " << failing;
      EXPECT_EQ(call, failing + 1) << "nothing is evaluated after the failure";
      EXPECT_LT(stepper.attempt(f, 0.1, Tolerance{}), infinity) << "a second attempt is possible";
    }
  }
}

TEST(Rk8, OverflowOfTheStateMakesTheErrorInfinite) {
  const auto f = [](double, In, Out dydt) {
    dydt[0] = 1e306;
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  EXPECT_EQ(stepper.attempt(f, 1e3, Tolerance{}), infinity);
}

TEST(Rk8, DenseOutputAndAdvanceReportAFailureAtTheEnd) {
  bool fails = false;
  const auto f = [&](double, In y, Out dydt) {
    dydt[0] = -y[0];
    return !fails;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  ASSERT_LT(stepper.attempt(f, 0.1, Tolerance{}), infinity);
  fails = true;
  EXPECT_FALSE(stepper.prepare_dense(f));
  EXPECT_FALSE(stepper.advance(f));
  EXPECT_EQ(stepper.t(), 0.0);
  EXPECT_EQ(stepper.y()[0], 1.0);
  fails = false;
  EXPECT_TRUE(stepper.prepare_dense(f));
  EXPECT_TRUE(stepper.advance(f));
  EXPECT_EQ(stepper.t(), 0.1);
}

TEST(Rk8, AFailureInTheStagesOfTheDenseOutputKeepsTheEndOfTheStep) {
  int call = 0;
  const auto f = [&](double, In y, Out dydt) {
    dydt[0] = -y[0];
    return ++call != 14;  // the first call after the one at the end
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  ASSERT_LT(stepper.attempt(f, 0.1, Tolerance{}), infinity);
  EXPECT_FALSE(stepper.prepare_dense(f));
  EXPECT_EQ(call, 14);
  ASSERT_TRUE(stepper.advance(f));
  EXPECT_EQ(call, 14) << "f at the end was known";
  EXPECT_EQ(stepper.dydt()[0], -stepper.y()[0]);
}

// y' = −1/(2y) has the solution √(1 − t), which ends at t = 1, and f has no value beyond.
TEST(Rk8, StepUnderflowsWhereTheSolutionEnds) {
  const auto f = [](double, In y, Out dydt) {
    if (y[0] <= 0.0) return false;
    dydt[0] = -0.5 / y[0];
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const Outcome outcome = integrate(stepper, f, 2.0, relative_tolerance(1e-9));
  EXPECT_FALSE(outcome.arrived);
  EXPECT_NEAR(outcome.t, 1.0, 1e-7);  // some steps, each with an error of 1e-9
  EXPECT_LT(outcome.accepted + outcome.rejected, 1000);
}

// y' = y² has the solution 1/(1 − t), which blows up at t = 1 without a failure of f.
TEST(Rk8, StepUnderflowsWhereTheSolutionBlowsUp) {
  const auto f = [](double, In y, Out dydt) {
    dydt[0] = y[0] * y[0];
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const Outcome outcome = integrate(stepper, f, 2.0, relative_tolerance(1e-9));
  EXPECT_FALSE(outcome.arrived);
  EXPECT_NEAR(outcome.t, 1.0, 1e-7);
  EXPECT_LT(outcome.accepted + outcome.rejected, 1000);
}

}  // namespace
}  // namespace dalembert::motion::rk8_step_test
