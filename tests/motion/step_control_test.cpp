// The length of the next step, of the first one, and of one that is too short.
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

namespace dalembert::motion::step_control_test {
namespace {

using namespace rk8_problems;

TEST(StepController, FollowsTheErrorByItsEighthRoot) {
  StepController controller;
  const auto accepted = controller.decide(0.5, std::pow(0.5, 8));
  EXPECT_TRUE(accepted.accepted);
  EXPECT_DOUBLE_EQ(accepted.h_next, 0.5 * StepControlOptions{}.safety * 2.0);
  const auto rejected = controller.decide(-0.5, std::pow(2.0, 8));
  EXPECT_FALSE(rejected.accepted);
  EXPECT_DOUBLE_EQ(rejected.h_next, -0.5 * StepControlOptions{}.safety / 2.0);
  EXPECT_EQ(controller.accepted(), 1);
  EXPECT_EQ(controller.rejected(), 1);
}

TEST(StepController, AcceptsUpToTheToleranceAndNoFurther) {
  StepController controller;
  EXPECT_TRUE(controller.decide(1.0, 1.0).accepted);
  EXPECT_FALSE(controller.decide(1.0, 1.0 + eps).accepted);
}

TEST(StepController, KeepsChangesWithinItsFactors) {
  StepControlOptions options;
  options.min_factor = 0.25;
  options.max_factor = 3.0;
  StepController controller(options);
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 0.0).h_next, 3.0);
  EXPECT_DOUBLE_EQ(controller.decide(-1.0, 1e-300).h_next, -3.0);
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 1e300).h_next, 0.25);
}

TEST(StepController, DoesNotGrowRightAfterARejection) {
  StepController controller;
  EXPECT_FALSE(controller.decide(1.0, 10.0).accepted);
  EXPECT_DOUBLE_EQ(controller.decide(0.5, 1e-12).h_next, 0.5);
  EXPECT_DOUBLE_EQ(controller.decide(0.5, 1e-12).h_next, 3.0) << "growth resumes";
}

TEST(StepController, ShortensStronglyWhereTheErrorIsNotFinite) {
  for (const double error : {nan, infinity}) {
    StepController controller;
    const auto decision = controller.decide(-2.0, error);
    EXPECT_FALSE(decision.accepted);
    EXPECT_DOUBLE_EQ(decision.h_next, -0.2);
    EXPECT_DOUBLE_EQ(controller.decide(-0.2, 1e-12).h_next, -0.2) << "as after any rejection";
  }
}

TEST(StepController, ProportionalIntegralRuleUsesTheErrorBefore) {
  StepControlOptions options;
  options.beta = 0.04;
  StepController controller(options);
  const double exponent = 1.0 / 8.0 - 0.2 * options.beta;
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 0.5).h_next,
                   options.safety * std::pow(0.5, -exponent) * std::pow(1e-4, options.beta));
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 0.2).h_next,
                   options.safety * std::pow(0.2, -exponent) * std::pow(0.5, options.beta));
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 5.0).h_next, options.safety * std::pow(5.0, -exponent));
}

TEST(StepController, RespectsTheLongestStepBothWays) {
  StepControlOptions options;
  options.max_step = 0.75;
  StepController controller(options);
  EXPECT_DOUBLE_EQ(controller.decide(0.5, 1e-12).h_next, 0.75);
  EXPECT_DOUBLE_EQ(controller.decide(-0.5, 1e-12).h_next, -0.75);
}

TEST(StepUnderflow, IsRelativeToTheTime) {
  EXPECT_FALSE(step_underflow(0.0, 1e-300));
  EXPECT_TRUE(step_underflow(0.0, 0.0));
  EXPECT_TRUE(step_underflow(0.0, std::numeric_limits<double>::denorm_min()));
  for (const double t : {1.0, -1.0, 1e6}) {
    EXPECT_DOUBLE_EQ(smallest_step(t), 10 * eps * std::abs(t));
    EXPECT_NE(t + smallest_step(t), t);
    EXPECT_TRUE(step_underflow(t, 9 * eps * std::abs(t)));
    EXPECT_TRUE(step_underflow(t, -9 * eps * std::abs(t)));
    EXPECT_FALSE(step_underflow(t, -11 * eps * std::abs(t)));
  }
  EXPECT_TRUE(step_underflow(1.0, nan));
}

// y' = −λy from y = 1: ‖y‖ = 1/sc, ‖f‖ = λ/sc, h₀ = 1/(100 λ), ‖y''‖ = λ²/sc.
TEST(InitialStep, FollowsTheRuleForALinearEquation) {
  const double lambda = 3.0;
  const auto f = [&](double, In y, Out dydt) {
    dydt[0] = -lambda * y[0];
    return true;
  };
  const std::array y0{1.0};
  const double scale = 1e-9;
  const Tolerance tolerance = relative_tolerance(scale);
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const double expected = std::pow(0.01 * scale / (lambda * lambda), 1.0 / 8.0);
  // y'' is a difference of numbers of order one, divided by h₀ = 1/300.
  const double rounding = 300 * 10 * eps;
  EXPECT_NEAR(stepper.initial_step(f, tolerance, 10.0), expected, rounding);
  EXPECT_EQ(stepper.evaluations(), 2);
  EXPECT_NEAR(stepper.initial_step(f, tolerance, -infinity), -expected, rounding);
  EXPECT_EQ(stepper.initial_step(f, tolerance, 1e-3), 1e-3);
  EXPECT_EQ(stepper.initial_step(f, tolerance, -1e-3), -1e-3);
}

// The rule is not homogeneous in time and starts slow motions with short steps: 3e-7 of the time
// scale below, which takes 6^7 to reach a tenth. Fast ones are bounded by 100 h₀, one time scale.
TEST(InitialStep, LeadsToAGoodStepWithinTenAttemptsForFastAndSlowMotions) {
  const std::array y0{1.0, 0.5};
  const Tolerance tolerance = relative_tolerance(1e-8);
  for (const double rate : {1e-6, 1.0, 1e6}) {
    const auto f = [&](double, In y, Out dydt) {
      dydt[0] = rate * y[1];
      dydt[1] = -rate * y[0];
      return true;
    };
    Rk8 stepper(2);
    StepController controller;
    ASSERT_TRUE(stepper.start(0.0, y0, f));
    double h = stepper.initial_step(f, tolerance, infinity);
    EXPECT_LE(h * rate, 1.1) << "rate " << rate;
    double longest = 0.0;
    for (int i = 0; i < 10; ++i) {
      const auto [accepted, h_next] = controller.decide(h, stepper.attempt(f, h, tolerance));
      if (accepted) {
        longest = std::max(longest, h);
        ASSERT_TRUE(stepper.advance(f));
      }
      h = h_next;
    }
    EXPECT_GT(longest * rate, 0.1) << "rate " << rate;
  }
}

TEST(InitialStep, IsPositiveAndFiniteWhereTheDerivativeVanishes) {
  const auto f = [](double, In, Out dydt) {
    std::ranges::fill(dydt, 0.0);
    return true;
  };
  const std::array rest{0.0, 1.0};
  Rk8 stepper(2);
  ASSERT_TRUE(stepper.start(0.0, rest, f));
  EXPECT_EQ(stepper.initial_step(f, Tolerance{}, 10.0), 1e-6);
  EXPECT_EQ(stepper.initial_step(f, Tolerance{}, -1e-7), -1e-7);
  stepper.start(1e12, rest, stepper.dydt());
  EXPECT_FALSE(step_underflow(1e12, stepper.initial_step(f, Tolerance{}, 10.0)));
}

TEST(InitialStep, ShortensUntilTheDerivativeExists) {
  // h₀ = 1/100 leads out of the domain t < 1e-4.
  const auto f = [](double t, In y, Out dydt) {
    dydt[0] = t < 1e-4 ? -y[0] : nan;
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const double h = stepper.initial_step(f, Tolerance{}, 1.0);
  EXPECT_GT(h, 0.0);
  EXPECT_LE(h, 100 * 1e-4);
  // Where f exists at the start alone there is nothing better than some short step.
  const auto nowhere_else = [](double t, In y, Out dydt) {
    dydt[0] = -y[0];
    return t == 0.0;
  };
  const double last_resort = stepper.initial_step(nowhere_else, Tolerance{}, 1.0);
  EXPECT_GT(last_resort, 0.0);
  EXPECT_LE(last_resort, 1e-6);
}

TEST(InitialStep, SurvivesHugeDerivatives) {
  const auto f = [](double, In, Out dydt) {
    dydt[0] = 1e300;
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const double h = stepper.initial_step(f, Tolerance{}, 1.0);
  EXPECT_GT(h, 0.0);
  EXPECT_LE(h, 1.0);
}

TEST(Derivative, RefersToTheCallableItself) {
  struct Counter {
    int calls = 0;
    bool operator()(double, In, Out) {
      ++calls;
      return true;
    }
  };
  Counter counter;
  const Derivative f = counter;
  const Derivative copy = f;
  f(0.0, {}, {});
  copy(0.0, {}, {});
  EXPECT_EQ(counter.calls, 2);
  const auto refuses = [](double, In, Out) { return false; };
  EXPECT_FALSE(Derivative(refuses)(0.0, {}, {}));
}

}  // namespace
}  // namespace dalembert::motion::step_control_test
