// What is said of friction that is not what it seems to be: laws in the reaction without friction,
// dry friction at rest, sliding that is nothing but rounding; and of motions that do not move.

#include "dalembert/motion/doubts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <map>
#include <stdexcept>

#include "bundled.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion::doubts_test {
namespace {

Motion motion_of(const std::string& text, const std::map<std::string, std::string>& settings = {}) {
  auto model = model::read_model_text(text, "model.toml");
  if (!model) throw std::runtime_error(model.error().diagnostics.front().message);
  CompileOptions options;
  options.settings = settings;
  return compile(*std::move(model), options).value();
}

State start_of(const Motion& motion) {
  return initial_state(motion)->state;
}

Summary run(const Motion& motion, const Observer& observer = [](const Sample&) { return true; }) {
  return simulate(motion, start_of(motion), simulation_options(motion), observer);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// ---- laws in ideal.x ----

// Slides with its foot on the floor and its top along the wall; the frictions act on both.
const std::string ladder = R"toml(
name = "ladder"
coordinates = ["x", "y", "th"]
[parameters]
m = 5
l = 1.2
mu = 0.2
rate = -0.5
[let]
foot = "x' - l*sin(th)*th'"
top = "y' + l*cos(th)*th'"
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + m*l^2/3*th'^2/2"
potential = "m*9.81*y"
[[constraint]]
name = "floor"
equation = "y = l*sin(th)"
[[constraint]]
name = "wall"
equation = "x = l*cos(th)"
[virtual_work]
x = "-mu*abs(ideal.y)*sign(foot)"
y = "-mu*abs(ideal.x)*sign(top)"
th = "mu*abs(ideal.y)*sign(foot)*l*sin(th) - mu*abs(ideal.x)*sign(top)*l*cos(th)"
[initial]
th = 0.9
x = "l*cos(th)"
y = "l*sin(th)"
"th'" = "rate"
"x'" = "-l*sin(th)*th'"
"y'" = "l*cos(th)*th'"
[simulation]
duration = 0.2
samples = 11
)toml";

/// th'', the push of the floor and that of the wall, by Newton's equations of the sliding ladder.
Eigen::Vector3d ladder_by_hand(double mu, double th, double rate) {
  const double c = std::cos(th), s = std::sin(th), l = 1.2, m = 5, J = m * l * l / 3;
  Eigen::Matrix3d K;
  Eigen::Vector3d f;
  K << -m * l * s, mu, -1, m * l * c, -1, -mu, -J, -(l * c - l * s * mu), l * c * mu + l * s;
  f << m * l * c * rate * rate, m * l * s * rate * rate - m * 9.81, 0;
  return K.fullPivLu().solve(f);
}

TEST(LawDoubt, NamesTheReactionAndTheAccelerationThatNewtonsEquationsGive) {
  const Motion motion = motion_of(ladder);
  const std::string doubt = law_doubt(motion, start_of(motion), "here");
  const Eigen::Vector3d right = ladder_by_hand(0.2, 0.9, -0.5);
  const auto r = motion.acceleration(0, start_of(motion).q, start_of(motion).v);
  EXPECT_TRUE(has(doubt, "[virtual_work] of 'x', 'y' and 'th' uses the reaction without friction"))
      << doubt;
  const double x = -1.2 * (std::sin(0.9) * right[0] + std::cos(0.9) * 0.25);  // x = l cos th
  EXPECT_TRUE(has(doubt, fmt::format("x'' is {:.4g} instead of {:.4g}", r.qdd[0], x))) << doubt;
  EXPECT_TRUE(has(doubt, fmt::format("ideal.x is {:.4g} in the law and the reaction {:.4g} while",
                                     r.ideal[0], right[2])))
      << doubt;
  EXPECT_TRUE(has(doubt, "`friction` of a joint")) << doubt;
  // The reaction while the law as written acts, A^T lambda.
  Evaluator evaluator(motion);
  ASSERT_EQ(evaluator.decide(0, start_of(motion).q, start_of(motion).v), Status::ok);
  const LawError error = *LawWatch(motion).look(evaluator);
  const Eigen::VectorXd acting = r.A.transpose() * r.reactions;
  const auto k = static_cast<Eigen::Index>(error.coordinate);
  EXPECT_NEAR(error.used, r.ideal[k], 1e-11);
  EXPECT_NEAR(error.acting, acting[k], 1e-11);
  EXPECT_GT(error.relative, 0.05);
}

TEST(LawDoubt, IsToldByARunAtItsWorst) {
  const Summary summary = run(motion_of(ladder));
  ASSERT_EQ(summary.doubts.size(), 1U);
  EXPECT_TRUE(has(summary.doubts[0], "at t = ")) << summary.doubts[0];
}

TEST(LawDoubt, SeesALawThatIsZeroAtRest) {
  const Motion motion = motion_of(ladder, {{"rate", "0"}, {"mu", "0.05"}});
  EXPECT_TRUE(has(law_doubt(motion, start_of(motion), "here"), "here, once moving,"));
}

TEST(LawDoubt, IsSilentWhereFrictionDoesNotChangeTheReaction) {
  EXPECT_EQ(law_doubt(motion_of(ladder, {{"mu", "0"}}), start_of(motion_of(ladder)), "here"), "");
  const std::string block = R"toml(
name = "block"
coordinates = ["x", "y"]
[parameters]
al = 0.4
[let]
v = "x'*cos(al) - y'*sin(al)"
N = "sqrt(ideal.x^2 + ideal.y^2)"
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
equation = "x*sin(al) + y*cos(al) = 0"
[virtual_work]
x = "-0.3*N*sign(v)*cos(al)"
y = "0.3*N*sign(v)*sin(al)"
[initial]
"x'" = "cos(al)"
"y'" = "-sin(al)"
)toml";
  EXPECT_TRUE(run(motion_of(block)).doubts.empty());
  EXPECT_TRUE(run(compile_bundled("coulomb_helix")).doubts.empty());
}

// ---- rest ----

std::string incline(const std::string& friction) {
  return R"toml(
name = "block on an incline"
coordinates = ["x", "y"]
gravity = [0, -9.81, 0]
[parameters]
al = 0.4
mu = 0.6
[[particle]]
name = "block"
mass = 2
position = ["x", "y", 0]
[[joint]]
name = "incline"
type = "point-on-plane"
body = "block"
normal = ["sin(al)", "cos(al)", 0]
)toml" + friction +
         "\n[simulation]\nduration = 0.1\n";
}
const std::string of_law = incline(R"toml(
[let]
v = "x'*cos(al) - y'*sin(al)"
N = "sqrt(ideal.x^2 + ideal.y^2)"
[virtual_work]
x = "-mu*N*v/max(abs(v), 1e-20)*cos(al)"
y = "mu*N*v/max(abs(v), 1e-20)*sin(al)"
)toml");
const std::string of_force = incline(R"toml(
[let]
F = "-mu*2*9.81*cos(al)*sign(x'*cos(al) - y'*sin(al))"
[forces]
x = "F*cos(al)"
y = "-F*sin(al)"
)toml");

TEST(RestDoubt, SaysThatABlockWouldStayWhereFrictionExceedsTheSlope) {
  for (const std::string& text : {of_law, of_force}) {
    const Motion motion = motion_of(text);  // tan 0.4 = 0.42
    for (const bool all : {true, false}) {
      const auto doubts = friction_doubts(motion, start_of(motion), "here", all);
      ASSERT_EQ(doubts.size(), 1U) << text;
      EXPECT_TRUE(has(doubts[0], "only joints, [[friction]] and contacts stick")) << doubts[0];
      EXPECT_TRUE(has(doubts[0], "strong enough to hold")) << doubts[0];
    }
  }
}

TEST(RestDoubt, IsSilentAboutAJointThatSticks) {
  for (const std::string mu : {"0.6", "0.2"}) {
    const Motion motion = motion_of(incline("friction = { mu = \"mu\" }"), {{"mu", mu}});
    EXPECT_TRUE(friction_doubts(motion, start_of(motion), "here", true).empty());
    const State state = start_of(motion);
    const Acceleration a = motion.acceleration(state.t, state.q, state.v);
    const double along = mu == "0.6" ? 0 : 9.81 * (std::sin(0.4) - 0.2 * std::cos(0.4));
    EXPECT_NEAR(a.qdd[0], along * std::cos(0.4), 1e-12);
  }
}

TEST(RestDoubt, SaysHowABlockWillSlideWhereFrictionIsTooWeak) {
  for (const std::string& text : {of_law, of_force}) {
    const Motion motion = motion_of(text, {{"mu", "0.2"}});
    const auto doubts = friction_doubts(motion, start_of(motion), "here", true);
    ASSERT_EQ(doubts.size(), 1U) << text;
    const double a = 9.81 * (std::sin(0.4) - 0.2 * std::cos(0.4));
    EXPECT_TRUE(has(doubts[0], fmt::format("once sliding x'' is {:.4g}", a * std::cos(0.4))))
        << doubts[0];
    // A motion that slides from its first instant on is right.
    EXPECT_TRUE(friction_doubts(motion, start_of(motion), "here", false).empty());
  }
}

TEST(RestDoubt, IsSilentWhereItSlidesAndWhereNothingDrivesIt) {
  for (const std::string& text : {of_law, of_force}) {
    const Motion motion = motion_of(text);
    State state = start_of(motion);
    state.v = {std::cos(0.4), -std::sin(0.4)};
    EXPECT_TRUE(friction_doubts(motion, state, "here", true).empty()) << text;
  }
  const Motion level = motion_of(of_force, {{"al", "0"}});
  EXPECT_TRUE(friction_doubts(level, start_of(level), "here", true).empty());
}

// ---- sliding that is nothing but rounding ----

// A shaft in a ball joint at one end and a bearing at the other, along an axis that the base turns
// away from gravity. The ball keeps it from sliding in the bearing, whose friction then has nothing
// to hold.
std::string shaft(bool quaternion) {
  return std::string(R"toml(
name = "shaft"
gravity = [0, -9.81, 0]
[parameters]
tilt = 0
[[frame]]
name = "base"
orientation = { axis = [1, 2, 0.5], angle = "tilt" }
[[joint]]
name = "ball"
type = "ball"
bodies = ["base", "shaft"]
points = [[0, 0, 0], [0, 0, -0.5]]
friction = { mu = 0.1, radius = 0.02 }
[[joint]]
name = "bearing"
type = "point-on-line"
bodies = ["base", "shaft"]
points = [[0, 0, 1], [0, 0, 0.5]]
axis = [0, 0, 1]
friction = { mu = 0.2 }
[simulation]
duration = 2
samples = 21
[[body]]
name = "shaft"
frame = "base"
mass = 2
inertia = [0.1, 0.1, 0.02]
)toml")
             .insert(0, quaternion
                            ? "coordinates = [\"x\", \"y\", \"z\", \"q0\", \"q1\", \"q2\", \"q3\"]"
                            : "coordinates = [\"x\", \"y\", \"z\", \"a\", \"b\", \"c\"]") +
         (quaternion ? R"toml(
position = ["x", "y", "z"]
orientation = { quaternion = ["q0", "q1", "q2", "q3"] }
[initial]
z = 0.5
q0 = 1
"q3'" = 5
)toml"
                     : R"toml(
position = ["x", "y", "z"]
orientation = { axes = "xyz", angles = ["a", "b", "c"] }
[initial]
z = 0.5
"c'" = 10
)toml");
}

TEST(FrictionAtRest, OfAShaftThatCannotSlideIsZero) {
  for (const bool quaternion : {false, true}) {
    for (const double tilt : {0.0, 0.7}) {
      const Motion motion = motion_of(shaft(quaternion), {{"tilt", std::to_string(tilt)}});
      // The axis z of the base against gravity: rotation about [1, 2, 0.5].
      const double length = std::sqrt(5.25), c = std::cos(tilt), s = std::sin(tilt);
      const double along = (1 - c) * 2 * 0.5 / 5.25 - s / length;
      // The weight across is shared by both ends, along the axis the ball has all of it.
      const double across = 2 * 9.81 * std::sqrt(1 - along * along);
      const double N = std::hypot(across / 2, 2 * 9.81 * along);
      const double spin = 10 - 2 * 0.1 * 0.02 * N / 0.02;
      double last = 0, thrust = 0;
      const Summary summary = run(motion, [&](const Sample& sample) {
        last = quaternion ? 2 * std::hypot(std::hypot(sample.v[3], sample.v[4]),
                                           std::hypot(sample.v[5], sample.v[6]))
                          : sample.v[5];
        for (std::size_t i = 0; i < motion.outputs().size(); ++i) {
          if (motion.outputs()[i].name == "ball.bfz") thrust = sample.outputs[i];
        }
        EXPECT_NEAR(std::abs(thrust), 2 * 9.81 * std::abs(along), 1e-9);
        return true;
      });
      ASSERT_TRUE(summary.complete) << summary.reason;
      EXPECT_LT(summary.steps, 200);
      EXPECT_NEAR(last, spin, 1e-6);  // a few dozen steps of rtol 1e-9
      EXPECT_TRUE(summary.doubts.empty()) << summary.doubts[0];
    }
  }
}

// ---- motions that do not move ----

TEST(Balance, OfATrussAtRestIsMeasuredByItsForces) {
  const std::string truss = R"toml(
name = "truss"
coordinates = ["x1", "y1", "x2", "y2"]
[energy]
kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2"
potential = "9.81*(y1 + y2)"
[[constraint]]
equation = "x1^2 + y1^2 = 2"
[[constraint]]
equation = "(x1 - 2)^2 + y1^2 = 2"
[[constraint]]
equation = "(x2 - x1)^2 + (y2 - y1)^2 = 4"
[[constraint]]
equation = "(x2 - 2)^2 + y2^2 = 2"
[initial]
adjust = "nearest"
x1 = 1
y1 = 1.01
x2 = 3
y2 = 1
)toml";
  const Summary summary = run(motion_of(truss));
  ASSERT_TRUE(summary.complete) << summary.reason;
  // Nothing moves but by rounding, 1e-12 of energies of 20.
  EXPECT_LT(summary.relative_balance_error(), 1e-6);
}

TEST(Balance, OfASmallMotionIsMeasuredByThatMotion) {
  const std::string pendulum = R"toml(
name = "pendulum"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
equation = "x^2 + y^2 = 1"
[initial]
x = "sin(0.01)"
y = "-cos(0.01)"
)toml";
  const Summary summary = run(motion_of(pendulum));
  const double energy = 9.81 * (1 - std::cos(0.01));
  EXPECT_NEAR(summary.energy_scale, energy,
              0.01 * energy);  // samples miss the lowest point by less
}

}  // namespace
}  // namespace dalembert::motion::doubts_test
