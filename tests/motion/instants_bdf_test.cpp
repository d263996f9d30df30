// Motions with instants by backward differentiation formulas, against closed forms and rk8.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "instants_support.hpp"

namespace dalembert::motion::instants_bdf_test {
namespace {

using instants_support::compiled;
using instants_support::Ran;
using instants_support::run;
using std::numbers::pi;

Ran by(const std::string& text, Integrator integrator, double rtol) {
  const Motion motion = compiled(text);
  SimulationOptions options = simulation_options(motion);
  options.integrator = integrator;
  options.rtol = rtol;
  return run(motion, options, initial_state(motion).value().state);
}

const std::string ball = R"toml(
coordinates = ["z"]
[energy]
kinetic = "z'^2"
potential = "2*9.81*z"
[[contact]]
name = "floor"
gap = "z"
restitution = 0.7
[initial]
z = 1
[simulation]
duration = 4
samples = 41
)toml";

TEST(InstantsBdf, ABallComesToRest) {
  for (const double rtol : {1e-6, 1e-8}) {
    const Ran ran = by(ball, Integrator::bdf, rtol);
    ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
    const double fall = std::sqrt(2 / 9.81);
    const auto bounces = ran.times("floor", "impact");
    ASSERT_GT(bounces.size(), 10u);
    EXPECT_NEAR(bounces[0], fall, 10 * rtol);
    EXPECT_NEAR(bounces[5], fall * (1 + 2 * 0.7 * (1 - std::pow(0.7, 5)) / 0.3), 100 * rtol);
    const auto rest = ran.times("floor", "close");
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_NEAR(rest[0], fall * 1.7 / 0.3, 1000 * rtol);
    EXPECT_EQ(ran.rows.back().v[0], 0);
    for (const auto& row : ran.rows) EXPECT_GE(row.q[0], -1e-14);
    EXPECT_LT(ran.summary.balance_error, 1000 * rtol);
  }
}

const std::string belt = R"toml(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[[friction]]
name = "dry"
slip = "x' - 0.2"
limit = 0.5
static_limit = 1
[initial]
"x'" = 0.2
[simulation]
duration = 30
samples = 31
)toml";

TEST(InstantsBdf, ABlockOnABeltSticksAndSlips) {
  const Ran ran = by(belt, Integrator::bdf, 1e-9);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const auto slips = ran.times("dry", "slip");
  ASSERT_GE(slips.size(), 2u);
  EXPECT_NEAR(slips[0], 5, 1e-9);
  const double period = 2 * 0.5 / 0.2 + 2 * (pi - std::atan(0.5 / 0.2));
  for (std::size_t k = 1; k < slips.size(); ++k) EXPECT_NEAR(slips[k] - slips[k - 1], period, 1e-6);
}

TEST(InstantsBdf, ABrickThatSticksDoesNotCreep) {
  const Ran ran = by(R"toml(
coordinates = ["x", "y"]
[parameters]
alpha = "20*pi/180"
[energy]
kinetic = "x'^2 + y'^2"
potential = "2*9.81*y"
[[contact]]
name = "incline"
gap = "x*sin(alpha) + y*cos(alpha)"
friction = 0.5
slip = "x'*cos(alpha) - y'*sin(alpha)"
[initial]
"x'" = "cos(alpha)"
"y'" = "-sin(alpha)"
[simulation]
duration = 1e6
samples = 11
)toml",
                     Integrator::bdf, 1e-8);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const auto stops = ran.times("incline", "stick");
  const double a = 20 * pi / 180;
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_NEAR(stops[0], 1 / (9.81 * (0.5 * std::cos(a) - std::sin(a))), 1e-6);
  for (std::size_t i = 2; i < ran.rows.size(); ++i) EXPECT_EQ(ran.rows[i].q, ran.rows[1].q);
}

/// A ball that carries a stiff damped spring, rate 1e5 a second, bounces.
const std::string stiff = R"toml(
coordinates = ["z", "u"]
[energy]
kinetic = "z'^2/2 + 0.05*(z' + u')^2"
potential = "9.81*(1.1*z + 0.1*u) + 1e3*u^2/2"
dissipation = "1e4*u'^2/2"
[[contact]]
name = "floor"
gap = "z"
restitution = 0.5
[initial]
z = 1
[simulation]
duration = 1.5
samples = 16
max_steps = 10000000
)toml";

TEST(InstantsBdf, AStiffModelWithAContactTakesFewSteps) {
  const Ran bdf = by(stiff, Integrator::bdf, 1e-7);
  const Ran rk8 = by(stiff, Integrator::rk8, 1e-9);
  ASSERT_TRUE(bdf.summary.complete) << bdf.summary.reason;
  ASSERT_TRUE(rk8.summary.complete) << rk8.summary.reason;
  const auto b = bdf.times("floor", "impact"), r = rk8.times("floor", "impact");
  ASSERT_GE(b.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(b[k], r[k], 1e-4);
  EXPECT_NEAR(bdf.rows.back().q[0], rk8.rows.back().q[0], 1e-4);
  EXPECT_LT(10 * bdf.summary.evaluations, rk8.summary.evaluations);
}

TEST(InstantsBdf, EventsThatJumpAreFoundOnce) {
  const Ran ran = by(R"toml(
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "y"
[[constraint]]
equation = "x^2 + y^2 = 1"
[[event]]
name = "it"
when = "sign(x - 0.1)"
[initial]
x = 1
y = 0
[simulation]
duration = 10
samples = 3
)toml",
                     Integrator::bdf, 1e-8);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  EXPECT_EQ(ran.times("it", "event").size(), 3u);
}

}  // namespace
}  // namespace dalembert::motion::instants_bdf_test
