// Friction of joints that sticks, against closed forms, against [[friction]] with the reaction of
// the joint, and what must hold of any mechanism.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "instants_support.hpp"

namespace dalembert::motion::joint_sticking_test {
namespace {

using namespace instants_support;

constexpr double g = 9.81;

double output(const Motion& motion, const Row& row, const std::string& name) {
  for (std::size_t i = 0; i < motion.outputs().size(); ++i) {
    if (motion.outputs()[i].name == name) return row.outputs[i];
  }
  throw std::runtime_error("no output " + name);
}

/// A flywheel about a horizontal axis through its centre: whatever it does, the bearing carries its
/// weight. `coordinates` keep the pin, or leave it to constraints.
std::string flywheel(bool kept, const std::string& more) {
  return fmt::format(R"toml(
coordinates = [{}"phi"]
gravity = [0, -9.81, 0]
[parameters]
m = 3
I = 0.06
mu = 0.2
mu_s = 0.3
r = 0.05
c = 0
w = 0
[[body]]
name = "wheel"
mass = "m"
inertia = [1, 1, "I"]
position = {}
orientation = {{ axis = [0, 0, 1], angle = "phi" }}
[[joint]]
name = "pin"
type = "hinge"
body = "wheel"
axis = [0, 0, 1]
friction = {{ mu = "mu", static = "mu_s", radius = "r" }}
[[force]]
body = "wheel"
torque = [0, 0, "c*t"]
[initial]
"phi'" = "w"
[simulation]
duration = 10
samples = 11
rtol = 1e-12
{})toml",
                     kept ? "" : "\"x\", \"y\", ", kept ? "[0, 0, 0]" : "[\"x\", \"y\", 0]", more);
}

// Constant torque mu m g r: at rest at w I/(mu m g r), for ever.
TEST(JointSticking, AFlywheelStopsWhenItMust) {
  for (const bool kept : {true, false}) {
    const Ran ran = run(flywheel(kept, ""), {{"w", "2"}});
    ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
    const auto sticks = ran.times("pin.friction", "stick");
    ASSERT_EQ(sticks.size(), 1U);
    const double stop = 2 * 0.06 / (0.2 * 3 * g * 0.05);
    EXPECT_NEAR(sticks[0], stop, 1e-14);
    const std::size_t phi = kept ? 0 : 2;
    for (const Row& row : ran.rows) {
      if (row.t > stop) {
        EXPECT_NEAR(row.q[phi], stop, 1e-14);  // w stop/2
        EXPECT_EQ(row.v[phi], 0);
      }
    }
    EXPECT_NEAR(ran.summary.energy_lost, 0.06 * 4 / 2, 1e-14);
    EXPECT_LT(ran.summary.balance_error, 1e-14);
  }
}

// A torque c t is held up to mu_s m g r, to the instant; then I phi'' = c t - mu m g r.
TEST(JointSticking, ATorqueThatGrowsBreaksItAwayAtTheStaticLimit) {
  for (const bool kept : {true, false}) {
    const Motion motion = compiled(flywheel(kept, ""), {{"c", "0.1"}});
    const Ran ran = run(motion, simulation_options(motion), initial_state(motion).value().state);
    ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
    const double limit = 0.2 * 3 * g * 0.05, away = 1.5 * limit / 0.1;
    const auto slips = ran.times("pin.friction", "slip");
    ASSERT_EQ(slips.size(), 1U);
    EXPECT_NEAR(slips[0], away, 1e-12);
    const std::size_t phi = kept ? 0 : 2;
    for (const Row& row : ran.rows) {
      const double t = row.t;
      const double speed =
          t < away ? 0 : (0.05 * (t * t - away * away) - limit * (t - away)) / 0.06;
      EXPECT_NEAR(row.v[phi], speed, 1e-11 * (1 + speed));
      const double force = t < away ? 0.1 * t : limit;
      EXPECT_NEAR(output(motion, row, "reaction.pin.friction"), force, 1e-12);
      EXPECT_NEAR(output(motion, row, "pin.mz"), -force, 1e-12) << "the friction is in the moment";
      EXPECT_NEAR(output(motion, row, "pin.fy"), 3 * g, 1e-11);
    }
  }
}

TEST(JointSticking, BelowTheLimitItHoldsForEver) {
  const Ran long_run = [] {
    std::string text = flywheel(true, "");
    text.replace(text.find("duration = 10"), 13, "duration = 1e6");
    return run(text, {{"w", "2"}, {"c", "2e-7"}});
  }();
  ASSERT_TRUE(long_run.summary.complete) << long_run.summary.reason;
  EXPECT_EQ(long_run.rows.back().q[0], long_run.rows[1].q[0]) << "1e5 s and 1e6 s";
  EXPECT_EQ(long_run.rows.back().v[0], 0);
}

/// A block on a guide that slopes by 0.4, in a slider or on a line, held by a spring.
std::string guide(const std::string& type, const std::string& more) {
  return fmt::format(R"toml(
coordinates = ["s"]
gravity = ["9.81*sin(al)", 0, "-9.81*cos(al)"]
[parameters]
al = 0.4
mu = 0.6
v = 0
k = 0
[[body]]
name = "block"
mass = 2
inertia = [1, 1, 1]
position = ["s", 0, 0]
[[joint]]
name = "rail"
type = "{}"
bodies = ["ground", "block"]
axis = [1, 0, 0]
friction = {{ mu = "mu" }}
[energy]
potential = "k*s^2/2"
[initial]
"s'" = "v"
[simulation]
duration = 4
samples = 401
rtol = 1e-12
{})toml",
                     type, more);
}

// As the brick of events-and-contacts: at rest at v/(g (mu cos al - sin al)).
TEST(JointSticking, ABlockOnASlopingGuideIsTheBrick) {
  for (const std::string type : {"slider", "point-on-line"}) {
    const Ran ran = run(guide(type, ""), {{"v", "1"}});
    ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
    const auto sticks = ran.times("rail.friction", "stick");
    ASSERT_EQ(sticks.size(), 1U) << type;
    const double stop = 1 / (g * (0.6 * std::cos(0.4) - std::sin(0.4)));
    EXPECT_NEAR(sticks[0], stop, 1e-13);
    EXPECT_NEAR(ran.rows.back().q[0], stop / 2, 1e-13);
    // Too steep for the friction: it begins to slide at once.
    const Ran slides = run(guide(type, ""), {{"mu", "0.3"}});
    const double a = g * (std::sin(0.4) - 0.3 * std::cos(0.4));
    EXPECT_NEAR(slides.rows.back().q[0], a * 16 / 2, 1e-10);
  }
}

// With a spring k s, and no slope: half a swing about +-D, D = mu m g/k, takes pi/w and loses 2 D
// of amplitude; it rests where the amplitude is at most D.
TEST(JointSticking, ABlockWithASpringLosesTwiceTheReachEachSwing) {
  const double k = 50, D = 0.1 * 2 * g / k, w = std::sqrt(k / 2);
  std::string text = guide("slider", "[outputs]\npress = 'reaction.\"rail.normal\"'\n");
  text.replace(text.find("\"s'\" = \"v\""), 10, "s = 0.2");
  const Motion motion = compiled(text, {{"al", "0"}, {"mu", "0.1"}, {"k", "50"}});
  const Ran ran = run(motion, simulation_options(motion), initial_state(motion).value().state);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  double amplitude = 0.2, t = 0;
  std::vector<double> turns;
  while (amplitude > D) {
    amplitude -= 2 * D;
    t += std::acos(-1.0) / w;
    turns.push_back(t);
  }
  const auto slips = ran.times("rail.friction", "slip"),
             sticks = ran.times("rail.friction", "stick");
  ASSERT_EQ(slips.size(), turns.size() - 1);
  ASSERT_EQ(sticks.size(), 1U);
  for (std::size_t i = 0; i < slips.size(); ++i) EXPECT_NEAR(slips[i], turns[i], 1e-11);
  EXPECT_NEAR(sticks[0], turns.back(), 1e-11);
  EXPECT_NEAR(std::abs(ran.rows.back().q[0]), std::abs(amplitude), 1e-11);
  EXPECT_NEAR(output(motion, ran.rows.back(), "press"), 2 * g, 1e-12);
}

/// A ball about its centre in a ball joint: the torque mu m g r is against the angular velocity.
std::string ball(const std::string& more) {
  return R"toml(
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
gravity = [0, 0, -9.81]
[parameters]
mu = 0.2
c = 0
[[body]]
name = "ball"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[[joint]]
name = "socket"
type = "ball"
body = "ball"
friction = { mu = "mu", static = "1.5*mu", radius = 0.05 }
[[force]]
body = "ball"
torque = ["2*c*t", "-c*t", "2*c*t"]
[initial]
e0 = 1
)toml" + more +
         R"toml(
[simulation]
duration = 3
samples = 31
rtol = 1e-11
[outputs]
wx = "ball.wx"
wy = "ball.wy"
wz = "ball.wz"
)toml";
}

TEST(JointSticking, ABallKeepsItsAxisAndStops) {
  const Motion motion = compiled(ball("\"ball.wx\" = 2\n\"ball.wy\" = -1\n\"ball.wz\" = 2\n"));
  const Ran ran = run(motion, simulation_options(motion), initial_state(motion).value().state);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const double slowing = 0.2 * 2 * g * 0.05 / 0.1, stop = 3 / slowing;
  const auto sticks = ran.times("socket.friction", "stick");
  ASSERT_EQ(sticks.size(), 1U);
  EXPECT_NEAR(sticks[0], stop, 1e-9);
  for (const Row& row : ran.rows) {
    const double w = std::max(0.0, 3 - slowing * row.t);
    EXPECT_NEAR(output(motion, row, "wx"), 2 * w / 3, 1e-8);
    EXPECT_NEAR(output(motion, row, "wy"), -w / 3, 1e-8);
    EXPECT_NEAR(output(motion, row, "wz"), 2 * w / 3, 1e-8);
  }
}

// A torque 3 c t about (2, -1, 2)/3 turns it about that axis, from 1.5 mu m g r = 3 c t on.
TEST(JointSticking, ABallGivesWayInTheDirectionThatPresses) {
  const Motion motion = compiled(ball(""), {{"c", "0.05"}});
  const Ran ran = run(motion, simulation_options(motion), initial_state(motion).value().state);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const double limit = 0.2 * 2 * g * 0.05, away = 1.5 * limit / 0.15;
  const auto slips = ran.times("socket.friction", "slip");
  ASSERT_EQ(slips.size(), 1U);
  EXPECT_NEAR(slips[0], away, 1e-10);
  const Row& last = ran.rows.back();
  const double w = (0.075 * (9 - away * away) - limit * (3 - away)) / 0.1;
  EXPECT_NEAR(output(motion, last, "wx"), 2 * w / 3, 1e-7);
  EXPECT_NEAR(output(motion, last, "wy"), -w / 3, 1e-7);
  EXPECT_NEAR(output(motion, last, "wz"), 2 * w / 3, 1e-7);
}

// A point on a plane slides straight, -mu g against any direction; on a slope below the friction it
// stays.
TEST(JointSticking, APointOnAPlaneSlidesInTwoDirectionsAndSticks) {
  const std::string text = R"toml(
coordinates = ["x", "y", "z"]
gravity = [0, 0, -9.81]
[[particle]]
name = "puck"
mass = 2
position = ["x", "y", "z"]
[[joint]]
name = "table"
type = "point-on-plane"
body = "puck"
normal = [0, 0, 1]
friction = { mu = 0.3 }
[initial]
"x'" = 1.2
"y'" = -0.5
[simulation]
duration = 2
samples = 3
rtol = 1e-12
)toml";
  const Ran ran = run(text);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const auto sticks = ran.times("table.friction", "stick");
  ASSERT_EQ(sticks.size(), 1U);
  const double stop = 1.3 / (0.3 * g);
  EXPECT_NEAR(sticks[0], stop, 1e-12);
  EXPECT_NEAR(ran.rows.back().q[0], 1.2 * stop / 2, 1e-12);
  EXPECT_NEAR(ran.rows.back().q[1], -0.5 * stop / 2, 1e-12);
}

// A sled on a slope across its edge: N = m g sin al, and along the edge -mu N/m.
TEST(JointSticking, AKnifeEdgeStopsByWhatPressesAcrossIt) {
  const Ran ran = run(R"toml(
coordinates = ["x", "y", "th"]
gravity = [0, -2, -9]
[[body]]
name = "sled"
mass = 2
inertia = [1, 1, 1]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "th" }
[[joint]]
name = "edge"
type = "knife-edge"
body = "sled"
axis = [1, 0, 0]
normal = [0, 0, 1]
friction = { mu = 0.4 }
[initial]
"x'" = 1
[simulation]
duration = 3
samples = 4
rtol = 1e-12
)toml");
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const auto sticks = ran.times("edge.friction", "stick");
  ASSERT_EQ(sticks.size(), 1U);
  EXPECT_NEAR(sticks[0], 1 / 0.8, 1e-12);
  EXPECT_NEAR(ran.rows.back().q[0], 1 / 1.6, 1e-12);
}

// ---- the same as [[friction]] ----

/// A chain of rods in a plane, by hinges that rub.
struct Chain {
  int rods = 2;
  bool kept = false;
  unsigned seed = 0;

  std::string text(bool of_joints, const std::string& duration) const {
    std::mt19937 random(seed);
    const auto draw = [&](double from, double to) {
      return std::uniform_real_distribution<double>(from, to)(random);
    };
    std::string coordinates, parts, rubs, initial, x = "0", z = "0";
    double x0 = 0, z0 = 0, vx = 0, vz = 0;
    for (int i = 0; i < rods; ++i) {
      const double l = draw(0.2, 0.6), m = draw(0.5, 3), mu = draw(0.1, 0.4), r = draw(0.01, 0.05);
      const double a = draw(-1.5, 1.5), w = draw(-3, 3);
      const std::string arm_x = fmt::format("{}*sin(a{})", l, i),
                        arm_z = fmt::format("{}*cos(a{})", l, i);
      x0 += l * std::sin(a), z0 -= l * std::cos(a);
      vx += l * std::cos(a) * w, vz += l * std::sin(a) * w;
      coordinates +=
          kept ? fmt::format("\"a{}\", ", i) : fmt::format("\"x{0}\", \"z{0}\", \"a{0}\", ", i);
      parts += fmt::format(
          "[[body]]\nname = \"rod{0}\"\nmass = {1}\ninertia = [{2}, {2}, 0.001]\nposition = [{3}]\n"
          "orientation = {{ axis = [0, 1, 0], angle = \"-a{0}\" }}\n"
          "[[joint]]\nname = \"j{0}\"\ntype = \"hinge\"\nbodies = [{4}, \"rod{0}\"]\n"
          "points = [[0, 0, {5}], [0, 0, {6}]]\naxis = [0, 1, 0]\n",
          i, m, m * l * l / 3,
          kept ? fmt::format("\"{} + {}\", 0, \"{} - {}\"", x, arm_x, z, arm_z)
               : fmt::format("\"x{0}\", 0, \"z{0}\"", i),
          i == 0 ? "\"ground\"" : fmt::format("\"rod{}\"", i - 1),
          i == 0 ? "0" : fmt::format("-{}", last), l);
      if (of_joints) {
        parts +=
            fmt::format("friction = {{ mu = {}, static = {}, radius = {} }}\n", mu, 1.2 * mu, r);
      } else {
        const std::string slip = i == 0 ? "a0'" : fmt::format("a{}' - a{}'", i, i - 1);
        rubs += fmt::format(
            "[[friction]]\nname = \"rub{0}\"\nslip = \"{1}\"\nlimit = \"{2}*{3}*reaction.j{0}\"\n"
            "static_limit = \"{4}*{3}*reaction.j{0}\"\n",
            i, slip, mu, r, 1.2 * mu);
      }
      initial += fmt::format("a{0} = {1}\n\"a{0}'\" = {2}\n", i, a, w);
      if (!kept)
        initial += fmt::format("x{0} = {1}\nz{0} = {2}\n\"x{0}'\" = {3}\n\"z{0}'\" = {4}\n", i, x0,
                               z0, vx, vz);
      x += fmt::format(" + 2*{}", arm_x), z += fmt::format(" - 2*{}", arm_z);
      x0 += l * std::sin(a), z0 -= l * std::cos(a);
      vx += l * std::cos(a) * w, vz += l * std::sin(a) * w;
      last = l;
    }
    return fmt::format(
        "coordinates = [{}]\ngravity = [0, 0, -9.81]\n{}{}[initial]\n{}[simulation]\nduration = "
        "{}\n"
        "samples = 101\nrtol = 1e-11\natol = 1e-13\n",
        coordinates, parts, rubs, initial, duration);
  }

  mutable double last = 0;
};

TEST(JointSticking, IsThatOfFrictionWithTheReactionOfTheJoint) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    for (const bool kept : {false, true}) {
      const Chain chain{1 + static_cast<int>(seed) % 3, kept, seed};
      const Ran joints = run(chain.text(true, "2")), elements = run(chain.text(false, "2"));
      ASSERT_TRUE(joints.summary.complete) << joints.summary.reason;
      ASSERT_TRUE(elements.summary.complete) << elements.summary.reason;
      ASSERT_EQ(joints.summary.events.size(), elements.summary.events.size());
      for (std::size_t i = 0; i < joints.summary.events.size(); ++i)
        EXPECT_NEAR(joints.summary.events[i].t, elements.summary.events[i].t, 1e-9);
      for (std::size_t s = 0; s < joints.rows.size(); ++s) {
        for (std::size_t i = 0; i < joints.rows[s].q.size(); ++i)
          EXPECT_NEAR(joints.rows[s].q[i], elements.rows[s].q[i], 1e-9) << seed << " " << kept;
      }
    }
  }
}

TEST(JointSticking, AnyChainLosesEnergyAndStops) {
  for (unsigned seed = 10; seed < 16; ++seed) {
    const Chain chain{1 + static_cast<int>(seed) % 3, seed % 2 == 0, seed};
    const Ran ran = run(chain.text(true, "200"));
    ASSERT_TRUE(ran.summary.complete) << seed << ": " << ran.summary.reason;
    EXPECT_LT(ran.summary.relative_balance_error(), 1e-8);
    double last = HUGE_VAL;
    for (const Row& row : ran.rows) {
      const double energy = row.kinetic + row.potential;
      EXPECT_LE(energy, last + 1e-9 * (1 + std::abs(energy))) << seed;
      last = energy;
    }
    EXPECT_LT(ran.rows.back().kinetic, 1e-100) << seed;
    for (std::size_t i = 0; i < ran.rows.back().q.size(); ++i)
      EXPECT_EQ(ran.rows.back().q[i], ran.rows[ran.rows.size() - 2].q[i]) << seed;
  }
}

// ---- doubts ----

// Two brakes on sliders, each limited by the other's force: l1 = a + b l2, l2 = b l1.
std::string brakes(const std::string& b) {
  return fmt::format(R"toml(
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[friction]]
name = "one"
slip = "x'"
limit = "1 + {0}*reaction.two"
[[friction]]
name = "two"
slip = "y'"
limit = "{0}*reaction.one"
[initial]
"x'" = 3
"y'" = 2
[simulation]
duration = 0.2
samples = 2
rtol = 1e-12
)toml",
                     b);
}

TEST(CoupledLimits, AreTheOnlyOnesWhereTheyContract) {
  const Ran ran = run(brakes("0.5"));
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  EXPECT_FALSE(ran.summary.friction_not_assured);
  EXPECT_NEAR(ran.rows.back().v[0], 3 - 0.2 / 0.75, 1e-12);
  EXPECT_NEAR(ran.rows.back().v[1], 2 - 0.1 / 0.75, 1e-12);
  // 1 + 1.5 l2 = l1, 1.5 l1 = l2 has negative answers only.
  const Ran none = run(brakes("1.5"));
  EXPECT_FALSE(none.summary.complete);
  EXPECT_NE(none.summary.reason.find("do not exist"), std::string::npos) << none.summary.reason;
}

// A guide y' = x'/2 carries (1 - l/2)/1.25 in y, by its row's length sqrt(1.25) of that in all.
// With c k > 1 both answers of l = c |a - k l| hold.
std::string self_locking(const std::string& law, const std::string& c) {
  return fmt::format(R"toml(
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
[forces]
y = -1
[[constraint]]
name = "guide"
equation = "y' = 0.5*x'"
[[friction]]
name = "rub"
slip = "x'"
limit = "{}"
[parameters]
c = {}
[initial]
"x'" = 3
"y'" = 1.5
[simulation]
duration = 0.2
samples = 2
)toml",
                     law, c);
}

TEST(CoupledLimits, AreCountedWhereTheyDoNot) {
  const Ran one = run(self_locking("c*reaction.guide", "1"));
  EXPECT_TRUE(one.summary.complete) << one.summary.reason;
  EXPECT_FALSE(one.summary.friction_not_assured);
  const Ran two = run(self_locking("c*reaction.guide", "4"));
  EXPECT_FALSE(two.summary.complete);
  EXPECT_NE(two.summary.reason.find("several"), std::string::npos) << two.summary.reason;
  // Of a law that is not linear nothing is known.
  const Ran doubt = run(self_locking("c*sqrt(1 + reaction.guide^2)", "0.2"));
  EXPECT_TRUE(doubt.summary.complete) << doubt.summary.reason;
  EXPECT_TRUE(doubt.summary.friction_not_assured);
}

// Negative from 0.99 to 1.01 only, within a single step of a smooth motion.
TEST(NegativeFriction, IsNoticedWhereItBegins) {
  const Ran ran = run(R"toml(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[friction]]
name = "brake"
slip = "x'"
limit = "0.1*((t - 1)^2 - 1e-4)"
[initial]
"x'" = 3
[simulation]
duration = 2
samples = 2
)toml");
  EXPECT_FALSE(ran.summary.complete);
  EXPECT_NEAR(ran.summary.t, 0.99, 1e-12);
  EXPECT_NE(ran.summary.reason.find("the limit of friction 'brake'"), std::string::npos)
      << ran.summary.reason;
  const Ran contact = run(R"toml(
coordinates = ["x", "z"]
[energy]
kinetic = "(x'^2 + z'^2)/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
slip = "x'"
friction = "0.1*((x - 1)^2 - 1e-4)"
[initial]
"x'" = 3
[simulation]
duration = 1
samples = 2
)toml");
  EXPECT_FALSE(contact.summary.complete);
  EXPECT_NE(contact.summary.reason.find("the friction of contact 'floor' becomes negative"),
            std::string::npos)
      << contact.summary.reason;
  EXPECT_NEAR(contact.summary.t, 0.33, 0.01);
}

TEST(StaticLimit, BelowTheSlidingOneStopsWhereItGetsThere) {
  const Ran ran = run(R"toml(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[friction]]
name = "brake"
slip = "x'"
limit = "0.1*t"
static_limit = "0.5 - 0.1*t + 0*x'"
[initial]
"x'" = 3
[simulation]
duration = 4
samples = 2
)toml");
  EXPECT_FALSE(ran.summary.complete);
  EXPECT_EQ(ran.summary.reason,
            "at t = 2.5 what holds friction 'brake' at rest falls below its sliding friction");
}

std::string complaint(const std::string& text) {
  try {
    compiled(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(StaticLimit, BelowTheSlidingOneIsRefusedAtItsPlace) {
  const std::string joint = complaint(
      guide("slider", "")
          .replace(guide("slider", "").find("mu = \"mu\""), 9, "mu = 0.3, static = 0.25"));
  EXPECT_NE(joint.find("error: joint 'rail': static must not be below mu"), std::string::npos)
      << joint;
  const std::string smooth = complaint(
      guide("slider", "")
          .replace(guide("slider", "").find("mu = \"mu\""), 9, "mu = 0.3, static = 0.4, slip = 1"));
  EXPECT_NE(smooth.find("friction with a slip does not stick"), std::string::npos) << smooth;
  std::string locking =
      self_locking("0.3*reaction.guide\"\nstatic_limit = \"0.2*reaction.guide", "1");
  EXPECT_NE(
      complaint(locking).find("friction 'rub': its static limit must not be below the sliding one"),
      std::string::npos)
      << complaint(locking);
}

}  // namespace
}  // namespace dalembert::motion::joint_sticking_test
