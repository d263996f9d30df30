// Motions with contacts and friction in forms that are not the simplest: bodies turned by
// quaternions, surfaces that move, friction that is all there is.

#include <gtest/gtest.h>

#include <cmath>

#include "instants_support.hpp"

namespace dalembert::motion {
namespace {

using namespace instants_support;

/// A ball thrown onto a lane with a spin askew. Its slip u = (vx - r wy, vy + r wx) keeps its
/// direction and ends at 2 |u| / (7 mu g); two sevenths of u are lost from the velocity.
TEST(InstantsForms, ABowlingBallWithAQuaternionRollsWhenItMust) {
  const Ran ran = run(R"toml(
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
gravity = [0, 0, -9.81]
[parameters]
r = 0.1
J = "2/5*7*r^2"
[[body]]
name = "ball"
mass = 7
inertia = ["J", "J", "J"]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
shape = "sphere"
radius = "r"
[[contact]]
name = "lane"
bodies = ["ball", "ground"]
normal = [0, 0, 1]
friction = 0.2
[initial]
z = "r"
e0 = 1
"x'" = 3
"y'" = 0.5
"ball.wx" = 10
"ball.wy" = -40
[simulation]
duration = 2
samples = 3
rtol = 1e-12
atol = 1e-14
)toml");
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const double ux = 3 + 4, uy = 0.5 + 1;
  const std::vector<double> rolls = ran.times("lane", "stick");
  ASSERT_EQ(rolls.size(), 1u);
  EXPECT_NEAR(rolls[0], 2 * std::hypot(ux, uy) / (7 * 0.2 * 9.81), 1e-11);
  EXPECT_NEAR(ran.rows.back().v[0], 3 - 2 * ux / 7, 1e-10);
  EXPECT_NEAR(ran.rows.back().v[1], 0.5 - 2 * uy / 7, 1e-10);
  EXPECT_LT(ran.summary.relative_balance_error(), 1e-9);
  EXPECT_LT(ran.summary.largest_drift, 1e-6)
      << "the rate of the gap is measured by the speeds in play";
  EXPECT_EQ(ran.summary.rank, 1);
}

/// A ball on a table z = A sin(w t) that never leaves it behind: A w^2 < g. The accumulation point
/// is from the same recursion in 40 digits.
TEST(InstantsForms, ATableThatMovesDoesWorkInEachImpact) {
  const Ran ran = run(R"toml(
coordinates = ["z"]
[energy]
kinetic = "3*z'^2/2"
potential = "3*9.81*z"
[[contact]]
name = "table"
gap = "z - 0.1*sin(5*t)"
restitution = 0.5
[initial]
z = 1
[simulation]
duration = 2
samples = 201
rtol = 1e-12
atol = 1e-14
)toml");
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const std::vector<double> rests = ran.times("table", "close");
  ASSERT_EQ(rests.size(), 1u);
  // Bounces are followed to some 1e6 roundings of their heights, where an instant is known to
  // 1e-11.
  EXPECT_NEAR(rests[0], 1.2569956578217028, 1e-10);
  EXPECT_LT(ran.summary.relative_balance_error(), 1e-9);
}

/// Two blocks, one on the other, without any force but friction: that between them is exactly what
/// the ground holds the lower one with.
TEST(InstantsForms, FrictionAloneIsEnoughToJudgeBy) {
  const Ran ran = run(R"toml(
coordinates = ["x1", "x2"]
[parameters]
g = 9.81
[energy]
kinetic = "3*x1'^2/2 + x2'^2/2"
potential = "0"
[[friction]]
name = "ground"
slip = "x1'"
limit = "0.1*(3 + 1)*g"
[[friction]]
name = "between"
slip = "x2' - x1'"
limit = "0.4*g"
[initial]
"x2'" = 4
[simulation]
duration = 2
samples = 3
rtol = 1e-12
)toml");
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const std::vector<double> rests = ran.times("between", "stick");
  ASSERT_EQ(rests.size(), 1u);
  EXPECT_NEAR(rests[0], 4 / (0.4 * 9.81), 1e-12);
  EXPECT_NEAR(ran.rows.back().q[0], 0, 1e-14);
}

/// A capsule between a wall and a jaw that is pressed on, in two contacts that share its weight as
/// they like: 20 N of friction against 1 N of weight (mujoco#3328 reports 1.4 to 155 um/s of
/// creep).
TEST(InstantsForms, APinchedCapsuleDoesNotCreep) {
  const Ran ran = run(R"toml(
coordinates = ["x", "z", "th", "jaw"]
[parameters]
r = 0.01
[energy]
kinetic = "0.1*(x'^2 + z'^2)/2 + 1e-5*th'^2/2 + 0.05*jaw'^2/2"
potential = "0.1*9.81*z + 20*jaw"
[[contact]]
name = "wall"
gap = "x - r"
friction = 0.5
slip = "z' - r*th'"
[[contact]]
name = "jaw"
gap = "jaw - x - r"
friction = 0.5
slip = "z' + r*th'"
[initial]
x = "r"
jaw = "2*r"
[simulation]
duration = 1e6
samples = 3
)toml");
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  EXPECT_NEAR(ran.rows.back().q[1], 0, 1e-30);
  EXPECT_NEAR(ran.rows.back().q[2], 0, 1e-30);
}

/// The friction of a hinge, by [[friction]] with the reaction of the joint, is that of the joint;
/// and then it sticks.
TEST(InstantsForms, AHingeWithDryFrictionComesToRest) {
  const std::string rod = R"toml(
coordinates = ["x", "y", "phi"]
gravity = [0, -9.81, 0]
[[body]]
name = "rod"
mass = 2
inertia = [0.1, 0.1, 0.2]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "phi" }
[[joint]]
name = "pin"
type = "hinge"
bodies = ["ground", "rod"]
points = [[0, 0, 0], [0, 0.5, 0]]
axis = [0, 0, 1]
)toml";
  const std::string start = R"toml(
[initial]
y = -0.5
"x'" = 0.5
"phi'" = 1
[simulation]
duration = DURATION
samples = 4
rtol = 1e-10
)toml";
  const auto lasting = [&](const std::string& friction, const std::string& duration) {
    std::string text = rod + friction + start;
    text.replace(text.find("DURATION"), 8, duration);
    return run(text);
  };
  const std::string rubs =
      "[[friction]]\nname = \"rub\"\nslip = \"phi'\"\nlimit = \"0.3*0.05*reaction.pin\"\n";
  const Ran joint = lasting("friction = { mu = 0.3, radius = 0.05 }\n", "3");
  const Ran element = lasting(rubs, "3");
  ASSERT_TRUE(joint.summary.complete && element.summary.complete);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(joint.rows[i].q[2], element.rows[i].q[2], 1e-8);
  const Ran rest = lasting(rubs, "20");
  ASSERT_TRUE(rest.summary.complete) << rest.summary.reason;
  const std::vector<double> sticks = rest.times("rub", "stick");
  ASSERT_EQ(sticks.size(), 1u);
  EXPECT_GT(sticks[0], 3);
  EXPECT_NEAR(rest.rows[2].q[2], rest.rows[3].q[2], 1e-15) << "13.3 s and 20 s";
}

const std::string puck = R"toml(
coordinates = ["x", "y", "z"]
[parameters]
angle = 0
speed = 3
aside = 0
kx = 1
ky = 0
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*z + kx*x^2/2 + ky*y^2/2"
[[contact]]
name = "floor"
gap = "z"
slip = ["x'", "y'"]
friction = 0.3
[initial]
"x'" = "speed*cos(angle)"
"y'" = "speed*sin(angle) + aside"
[simulation]
duration = 6
samples = 601
rtol = 1e-12
)toml";

// Along a line s'' = -k s - mu g, which stops where tan(w t) = k s'(0)/(mu g w), w^2 = k. Then the
// spring pulls it back, straight against where it went, until it is too weak: whatever the
// direction and the speed, no laws of friction are in conflict, and no row before rest is off.
TEST(InstantsForms, APuckTurnsBackOnItsLine) {
  constexpr double w = 4.47213595499958, limit = 0.3 * 9.81;
  for (const double speed : {0.7, 1.274, 2.0, 3.0, 3.3}) {
    for (const double angle : {0.0, 0.4, 2.5}) {
      const Ran ran = run(puck, {{"kx", "20"},
                                 {"ky", "20"},
                                 {"speed", std::to_string(speed)},
                                 {"angle", std::to_string(angle)}});
      ASSERT_TRUE(ran.summary.complete) << speed << " " << angle << ": " << ran.summary.reason;
      const double stop = std::atan(20 * speed / (limit * w)) / w;
      const double reach = speed / w * std::sin(w * stop) - limit / 20 * (1 - std::cos(w * stop));
      const bool stays = 20 * reach < limit;
      const auto first = ran.times("floor", stays ? "stick" : "slip");
      ASSERT_FALSE(first.empty());
      EXPECT_NEAR(first[0], stop, 1e-11);
      EXPECT_LE(ran.summary.balance_error, 1e-10 * speed * speed);
    }
  }
}

// A little speed across its path turns the puck only when hardly any is left: it stops a little
// later than without, by less than that speed over the friction.
TEST(InstantsForms, ALittleSpeedAsideDoesNotDelayRest) {
  const double stop = std::atan(3 / (0.3 * 9.81));
  for (const std::string aside : {"1e-12", "1e-9", "1e-8", "1e-7", "1e-5"}) {
    const Ran ran = run(puck, {{"aside", aside}});
    const auto rest = ran.times("floor", "stick");
    ASSERT_EQ(rest.size(), 1u) << aside;
    EXPECT_TRUE(ran.times("floor", "slip").empty());
    EXPECT_NEAR(rest[0], stop, std::stod(aside) / (0.3 * 9.81) + 1e-11) << aside;
    EXPECT_LE(ran.summary.balance_error, 1e-10);
  }
}

}  // namespace
}  // namespace dalembert::motion
