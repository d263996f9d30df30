// rk8 sees when a system is stiff, says so, and does not cry wolf.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bundled.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion::bdf_stiffness_test {
namespace {

TEST(Stiffness, EstimateIsTheEigenvalueOfALinearEquation) {
  // y' = -30 y, and a second component that is not to be looked at.
  const auto f = [](double, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = -30 * y[0];
    dydt[1] = 1000 * y[0];
    return true;
  };
  Rk8 stepper(2);
  const double y[] = {1, 0};
  for (const double h : {0.01, 0.1, 0.3}) {
    ASSERT_TRUE(stepper.start(0, y, f));
    ASSERT_TRUE(std::isfinite(stepper.attempt(f, h, {})));
    double end[2];
    f(h, stepper.y_new(), end);
    // A quotient of differences: of what cancels in them some digits are left.
    EXPECT_NEAR(stepper.stiffness(stepper.y_new(), end, 1, {}), 30 * h, 1e-6 * 30 * h);
  }
}

TEST(Stiffness, IsConfirmedFifteenTimesAndForgottenAfterSix) {
  StiffnessDetector detector;
  for (int i = 0; i < 14; ++i) EXPECT_FALSE(detector.add(6.2)) << i;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(detector.add(6.0));
  EXPECT_TRUE(detector.add(6.2));
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(detector.add(6.0));
  for (int i = 0; i < 14; ++i) EXPECT_FALSE(detector.add(100)) << i;
  EXPECT_TRUE(detector.add(100));
}

Summary run_rk8(const std::string& name, double rtol, long max_steps) {
  const Motion motion = compile_bundled(name);
  SimulationOptions options = simulation_options(motion);
  options.integrator = Integrator::rk8;
  options.samples = 2;
  options.rtol = rtol;
  options.atol = 1e-3 * rtol;
  options.max_steps = max_steps;
  return simulate(motion, initial_state(motion).value().state, options,
                  [](const Sample&) { return true; });
}

TEST(Stiffness, IsSeenInTheStiffModelAndInNoOther) {
  for (const std::string& name : bundled_names()) {
    // Its rattling is fast and at first too small to count: stiff, as long as it lasts.
    if (name == "rattleback") continue;
    for (const double rtol : {1e-3, 1e-6, 1e-9}) {
      SCOPED_TRACE(name + " " + std::to_string(rtol));
      const Summary summary = run_rk8(name, rtol, 2000);
      EXPECT_EQ(summary.stiff.has_value(), name == "stiff_shaft");
      if (!summary.stiff) continue;
      EXPECT_LT(summary.stiff->t, 0.1);
      EXPECT_GT(summary.stiff->steps, 100);
    }
  }
}

TEST(Stiffness, IsNamedWithItsRemedyWhereTheStepsRunOut) {
  const Summary summary = run_rk8("stiff_shaft", 1e-7, 500);
  EXPECT_FALSE(summary.complete);
  EXPECT_NE(summary.reason.find("the limit of 500 steps"), std::string::npos) << summary.reason;
  EXPECT_NE(summary.reason.find("integrator = \"bdf\""), std::string::npos) << summary.reason;
  const Summary calm = run_rk8("pendulum", 1e-9, 20);
  EXPECT_FALSE(calm.complete);
  EXPECT_EQ(calm.reason.find("bdf"), std::string::npos) << calm.reason;
}

}  // namespace
}  // namespace dalembert::motion::bdf_stiffness_test
