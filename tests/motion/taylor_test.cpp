// Steps by Taylor series: against rk8, against closed forms, and what the method is known for.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bundled.hpp"
#include "dalembert/codegen/fewer_products.hpp"
#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/motion/steps/taylor.hpp"

namespace dalembert::motion::taylor_test {
namespace {

Motion motion_of(const std::string& text) {
  return compile(model::read_model_text(text, "taylor.toml").value()).value();
}

struct Ending {
  Summary summary;
  std::vector<double> q, v;
};

Ending run(const Motion& motion, const State& start, SimulationOptions options) {
  Ending ending;
  ending.summary = simulate(motion, start, options, [&](const Sample& sample) {
    ending.q.assign(sample.q.begin(), sample.q.end());
    ending.v.assign(sample.v.begin(), sample.v.end());
    return true;
  });
  return ending;
}

Ending run(const Motion& motion, Integrator integrator, double rtol, double duration) {
  SimulationOptions options;
  options.integrator = integrator;
  options.rtol = rtol;
  options.atol = rtol / 1000;
  options.duration = duration;
  options.samples = 11;
  return run(motion, initial_state(motion).value().state, options);
}

constexpr const char* oscillator = R"(
coordinates = ["x"]
[parameters]
w = 3.0
[energy]
kinetic = "x'^2/2"
potential = "w^2*x^2/2"
[initial]
x = 1
"x'" = 0.5
)";

TEST(Taylor, AnOscillatorToItsClosedForm) {
  const Motion motion = motion_of(oscillator);
  for (const double rtol : {1e-6, 1e-9, 1e-12}) {
    const Ending end = run(motion, Integrator::taylor, rtol, 20);
    ASSERT_TRUE(end.summary.complete) << end.summary.reason;
    EXPECT_EQ(end.summary.taylor_steps, end.summary.steps);
    const double x = std::cos(60.0) + 0.5 / 3 * std::sin(60.0);
    // Errors of a step are some rtol / 10, and phases add up over the steps.
    EXPECT_NEAR(end.q[0], x, rtol * static_cast<double>(end.summary.steps) + 1e-13) << rtol;
  }
}

TEST(Taylor, TheErrorFollowsTheToleranceAndTheOrder) {
  const Motion motion = compile_bundled("double_pendulum");
  const Ending reference = run(motion, Integrator::taylor, 1e-15, 3);
  double last = 1;
  for (const double rtol : {1e-5, 1e-7, 1e-9, 1e-11}) {
    const Ending end = run(motion, Integrator::taylor, rtol, 3);
    double error = 0;
    for (std::size_t i = 0; i < end.q.size(); ++i)
      error = std::max(error, std::abs(end.q[i] - reference.q[i]));
    EXPECT_LT(error, 100 * rtol);
    EXPECT_LT(error, last / 5)
        << "a hundredth of the tolerance is worth a fifth of the error at least";
    last = std::max(error, 1e-13);
  }
  EXPECT_GT(taylor_order(1e-12), taylor_order(1e-6));
}

TEST(Taylor, ThereAndBack) {
  const Motion motion = compile_bundled("double_pendulum");
  const State start = initial_state(motion).value().state;
  SimulationOptions options;
  options.integrator = Integrator::taylor;
  options.rtol = 1e-13;
  options.atol = 1e-15;
  options.duration = 2;
  options.samples = 2;
  Ending there = run(motion, start, options);
  State back{0, there.q, there.v, {}};
  for (double& v : back.v) v = -v;
  const Ending again = run(motion, back, options);
  for (std::size_t i = 0; i < start.q.size(); ++i) {
    EXPECT_NEAR(again.q[i], start.q[i], 1e-10);
    EXPECT_NEAR(again.v[i], -start.v[i], 1e-10);
  }
}

/// Two integrators that share nothing but f and the projection.
TEST(Taylor, AgreesWithRk8OnConstrainedModels) {
  for (const char* name : {"rolling_disk", "pendulum", "slider_crank", "particle", "coulomb_helix",
                           "skate_on_incline", "rotating_wire", "dumbbell", "gyroscope"}) {
    const Motion motion = compile_bundled(name);
    const Ending a = run(motion, Integrator::taylor, 1e-11, 1.5);
    const Ending b = run(motion, Integrator::rk8, 1e-12, 1.5);
    ASSERT_TRUE(a.summary.complete && b.summary.complete) << name;
    EXPECT_GT(a.summary.taylor_steps, 0) << name;
    EXPECT_LT(a.summary.steps, b.summary.steps) << name;
    EXPECT_LT(a.summary.largest_residual, 1e-9) << name;
    EXPECT_LT(a.summary.balance_error, 1e-8 * (1 + a.summary.energy_scale)) << name;
    for (std::size_t i = 0; i < a.q.size(); ++i) {
      EXPECT_NEAR(a.q[i], b.q[i], 1e-8 * (1 + std::abs(b.q[i]))) << name << " q" << i;
      EXPECT_NEAR(a.v[i], b.v[i], 1e-7 * (1 + std::abs(b.v[i]))) << name << " v" << i;
    }
  }
}

/// A ball between two springs that it touches one after the other: x'' = -max(0, x - 1) k + max(0,
/// -1 - x) k. Coefficients know only the side they stand on.
TEST(Taylor, KinksInTheStateAreNotSteppedOver) {
  const Motion motion = motion_of(R"toml(
coordinates = ["x"]
[parameters]
k = 100.0
[energy]
kinetic = "x'^2/2"
[forces]
x = "k*max(0, -1 - x) - k*max(0, x - 1)"
[initial]
"x'" = 2
)toml");
  // Free flight over 1, half a period 0.1 pi in a spring, flight over 2, and so on.
  const double period = 2 * (2 / 2.0 + std::numbers::pi / 10);
  const Ending end = run(motion, Integrator::taylor, 1e-9, 5 * period);
  ASSERT_TRUE(end.summary.complete) << end.summary.reason;
  EXPECT_NEAR(end.q[0], 0, 1e-6);
  EXPECT_NEAR(end.v[0], 2, 1e-6);
}

/// By hand the disk's equations, its point of contact included, take 11 sums of products an order.
TEST(Taylor, TheDisksOwnTapeIsAsShortAsByHand) {
  const Motion motion = compile_bundled("rolling_disk");
  const codegen::Tape& f = motion.flow()->flow.derivative;
  EXPECT_GT(codegen::make_series(f).pairs.size(), 15U);
  EXPECT_LE(codegen::make_short_series(f).pairs.size(), 11U);
}

/// A spring behind x = 0, which the motion meets and leaves again within what would be one step by
/// series: thrown at it with v, it returns to x = 0 with v, after the time that a spring of
/// stiffness k takes under the pull 1.
TEST(Taylor, AKinkCrossedThereAndBackIsNotSteppedOver) {
  const Motion motion = motion_of(R"toml(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[forces]
x = "1 + 400*max(0, -x)"
[initial]
x = 1
"x'" = -1.45
)toml");
  const Ending end = run(motion, Integrator::taylor, 1e-9, 3);
  ASSERT_TRUE(end.summary.complete) << end.summary.reason;
  const double v = std::sqrt(1.45 * 1.45 - 2), w = 20;
  const double within = 2 * std::atan(w * v) / w;
  const double rest = 3 - (1.45 - v) - within;
  EXPECT_NEAR(end.q[0], v * rest + rest * rest / 2, 1e-7);
  EXPECT_NEAR(end.v[0], v + rest, 1e-7);
  EXPECT_EQ(end.summary.taylor_steps, end.summary.steps);
}

/// Ten thousand periods of 6.70 s, in 167 000 steps. Where each step's rounding is independent of
/// the others' they add up to some sqrt(167 000) times the epsilon of a part h |y'| of the state,
/// 3e-14 with h = 0.4; a hundredth of epsilon a step, always of one sign, would be 4e-13.
TEST(Taylor, EnergyDoesNotDriftOverManyPeriods) {
  const Motion motion = motion_of(R"toml(
coordinates = ["th"]
[energy]
kinetic = "th'^2/2"
potential = "-cos(th)"
[initial]
th = 1
)toml");
  SimulationOptions options;
  options.integrator = Integrator::taylor;
  options.rtol = 1e-15;
  options.atol = 1e-18;
  options.duration = 67'000;
  options.samples = 101;
  double largest = 0;
  const Summary summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& sample) {
        largest = std::max(largest, std::abs(sample.kinetic + sample.potential + std::cos(1.0)));
        return true;
      });
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_EQ(summary.rejected, 0);
  EXPECT_LT(largest, 1e-13);
}

TEST(Taylor, PulsesInTimeAreNotSteppedOver) {
  const Motion motion = motion_of(R"toml(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[forces]
x = "max(0, 1 - abs(t - 7)/0.2)"
)toml");
  const Ending end = run(motion, Integrator::taylor, 1e-9, 30);
  EXPECT_NEAR(end.v[0], 0.2, 1e-9);
}

TEST(Taylor, WithoutATapeRk8IsTakenAndSaid) {
  const Motion motion = compile_bundled("stiff_shaft");
  const Ending end = run(motion, Integrator::taylor, 1e-6, 0.01);
  EXPECT_TRUE(end.summary.complete);
  EXPECT_LE(end.summary.taylor_steps, end.summary.steps);
}

}  // namespace
}  // namespace dalembert::motion::taylor_test
