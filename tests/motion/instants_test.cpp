// Motions with events, contacts and friction that sticks against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "instants_support.hpp"

namespace dalembert::motion::instants_test {
namespace {

using instants_support::compiled;
using instants_support::Ran;
using instants_support::run;
using std::numbers::pi;

const std::string ball = R"toml(
coordinates = ["z"]
[parameters]
m = 2
g = 9.81
e = 0.7
r = 0
[energy]
kinetic = "m*z'^2/2"
potential = "m*g*z"
[[contact]]
name = "floor"
gap = "z - r"
restitution = "e"
[initial]
z = "1 + r"
[simulation]
duration = 10
samples = 101
rtol = 1e-12
)toml";

TEST(Instants, ABallComesToRestByInfinitelyManyBounces) {
  for (const double e : {0.3, 0.7, 0.9}) {
    for (const std::string r : {"0", "0.1"}) {
      const Ran ran = run(ball, {{"e", std::to_string(e)}, {"r", r}});
      ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
      const double fall = std::sqrt(2 / 9.81);
      const auto bounces = ran.times("floor", "impact");
      for (std::size_t k = 0; k < std::min<std::size_t>(bounces.size(), 40); ++k) {
        double expected = fall;
        for (std::size_t i = 1; i <= k; ++i) expected += 2 * fall * std::pow(e, i);
        ASSERT_NEAR(bounces[k], expected, 1e-11);
      }
      const auto rest = ran.times("floor", "close");
      ASSERT_EQ(rest.size(), 1u);
      EXPECT_NEAR(rest[0], fall * (1 + e) / (1 - e), 1e-10);
      // Then it lies there, the floor carries it, and all its energy is gone.
      const double radius = std::stod(r);
      EXPECT_NEAR(ran.rows.back().q[0], radius, 1e-16);
      EXPECT_EQ(ran.rows.back().v[0], 0);
      EXPECT_NEAR(ran.rows.back().outputs[0], 2 * 9.81, 1e-13);
      EXPECT_NEAR(ran.summary.energy_lost, 2 * 9.81, 1e-9);
      for (const auto& row : ran.rows) EXPECT_GE(row.q[0] - radius, -1e-14);
      EXPECT_LT(ran.summary.balance_error, 1e-10);
    }
  }
}

TEST(Instants, AnElasticBallReturnsToItsHeight) {
  const Ran ran = run(ball, {{"e", "1"}});
  const double fall = std::sqrt(2 / 9.81);
  const auto bounces = ran.times("floor", "impact");
  ASSERT_EQ(bounces.size(), 11u);
  for (std::size_t k = 0; k < bounces.size(); ++k)
    EXPECT_NEAR(bounces[k], fall * (1 + 2.0 * static_cast<double>(k)), 1e-11);
  EXPECT_NEAR(ran.summary.energy_lost, 0, 1e-12);
}

const std::string oscillator = R"toml(
coordinates = ["x"]
[parameters]
belt = 0
static = 1
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[[friction]]
name = "dry"
slip = "x' - belt"
limit = 1
static_limit = "static"
[initial]
x = 12
"x'" = 6
[simulation]
duration = 30
samples = 31
rtol = 1e-12
)toml";

TEST(Instants, ACoulombOscillatorComesToRest) {
  const Ran ran = run(oscillator);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  EXPECT_EQ(ran.times("dry", "slip").size(), 7u);
  const auto rest = ran.times("dry", "stick");
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_NEAR(rest[0], std::atan(6.0 / 13) + 7 * pi, 1e-10);
  EXPECT_NEAR(ran.rows.back().q[0], 15 - std::sqrt(205), 1e-10);
  EXPECT_EQ(ran.rows.back().q[0], ran.rows[25].q[0]);
  EXPECT_EQ(ran.rows.back().v[0], 0);
  // At rest friction balances the spring.
  EXPECT_NEAR(ran.rows.back().outputs[0], 15 - std::sqrt(205), 1e-10);
  EXPECT_NEAR(ran.summary.energy_lost, (144 + 36 - std::pow(15 - std::sqrt(205), 2)) / 2, 1e-9);
}

TEST(Instants, ABlockOnABeltSticksAndSlips) {
  std::string text = oscillator;
  text.replace(text.find("limit = 1"), 9, "limit = 0.5");
  text.replace(text.find("x = 12"), 6, "x = 0");
  text.replace(text.find("\"x'\" = 6"), 8, "\"x'\" = 0.2");
  const Ran ran = run(text, {{"belt", "0.2"}});
  const auto slips = ran.times("dry", "slip"), sticks = ran.times("dry", "stick");
  ASSERT_GE(slips.size(), 3u);
  EXPECT_NEAR(slips[0], 5, 1e-10);
  const double period = 2 * 0.5 / 0.2 + 2 * (pi - std::atan(0.5 / 0.2));
  for (std::size_t k = 1; k < slips.size(); ++k)
    EXPECT_NEAR(slips[k] - slips[k - 1], period, 1e-10);
  for (std::size_t k = 1; k < sticks.size(); ++k)
    EXPECT_NEAR(sticks[k] - sticks[k - 1], period, 1e-10);
}

const std::string brick = R"toml(
coordinates = ["x", "y"]
[parameters]
m = 2
g = 9.81
mu = 0.5
alpha = "20*pi/180"
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[[contact]]
name = "incline"
gap = "x*sin(alpha) + y*cos(alpha)"
friction = "mu"
slip = "x'*cos(alpha) - y'*sin(alpha)"
[initial]
"x'" = "cos(alpha)"
"y'" = "-sin(alpha)"
[simulation]
duration = 1e6
samples = 11
rtol = 1e-12
)toml";

TEST(Instants, ABrickThatSticksDoesNotCreep) {
  const Ran ran = run(brick);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const double a = 20 * pi / 180;
  const auto stops = ran.times("incline", "stick");
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_NEAR(stops[0], 1 / (9.81 * (0.5 * std::cos(a) - std::sin(a))), 1e-10);
  for (std::size_t i = 1; i < ran.rows.size(); ++i) {
    EXPECT_EQ(ran.rows[i].q, ran.rows[1].q);
    EXPECT_NEAR(std::hypot(ran.rows[i].v[0], ran.rows[i].v[1]), 0, 1e-30);
    EXPECT_NEAR(ran.rows[i].outputs[0], 2 * 9.81 * std::cos(a), 1e-12);
  }
}

TEST(Instants, ABrickBeginsToSlideWhereItsFrictionIsTooSmall) {
  const Ran sticks = run(brick, {{"mu", "0.363971"}}), slides = run(brick, {{"mu", "0.363970"}});
  EXPECT_EQ(sticks.times("incline", "stick").size(), 1u);  // tan 20 deg = 0.3639702
  EXPECT_EQ(slides.times("incline", "stick").size(), 0u);
}

TEST(Instants, ASmoothEventIsLocatedToRounding) {
  const Ran ran = run(R"toml(
coordinates = ["th"]
[energy]
kinetic = "th'^2/2"
potential = "-9.8*cos(th)"
[[event]]
name = "top"
when = "th' = 0"
direction = "falling"
[[event]]
name = "bottom"
when = "th"
[initial]
th = 0.05
[simulation]
duration = 100
rtol = 1e-12
)toml");
  const auto tops = ran.times("top", "event");
  ASSERT_EQ(tops.size(), 49u);
  for (std::size_t k = 0; k < tops.size(); ++k)
    EXPECT_NEAR(tops[k], 2.0074035758801299 * static_cast<double>(k + 1), 1e-10);
  EXPECT_EQ(ran.times("bottom", "event").size(), 100u);
  EXPECT_EQ(ran.summary.event_counts.at("bottom").at("event"), 100);
}

TEST(Instants, EventsSetVelocitiesAndDiscreteValuesAndStop) {
  const Ran ran = run(R"toml(
coordinates = ["z"]
[discrete]
count = 0
[energy]
kinetic = "z'^2/2"
potential = "9.81*z"
[[event]]
name = "floor"
when = "z = 0"
direction = "falling"
set = { "z'" = "-0.7*z'", count = "count + 1" }
[[event]]
name = "enough"
when = "count = 9.5"
stop = true
[initial]
z = 1
[simulation]
duration = 10
rtol = 1e-12
[outputs]
n = "count"
)toml",
                      {}, true);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const auto floors = ran.times("floor", "event");
  ASSERT_EQ(floors.size(), 10u);
  const double fall = std::sqrt(2 / 9.81);
  double expected = fall;
  for (std::size_t k = 0; k < floors.size(); ++k) {
    EXPECT_NEAR(floors[k], expected, 1e-10);
    expected += 2 * fall * std::pow(0.7, static_cast<double>(k + 1));
  }
  // The tenth sets the value that ends the motion, at the same instant.
  EXPECT_EQ(ran.times("enough", "stop"), std::vector<double>{floors.back()});
  EXPECT_EQ(ran.summary.t, floors.back());
  EXPECT_EQ(ran.rows.back().t, floors.back());
  EXPECT_EQ(ran.rows.back().outputs[0], 10);
  // Rows on both sides of every instant.
  for (std::size_t k = 0; k + 1 < floors.size(); ++k) {
    std::vector<double> rates;
    for (const auto& row : ran.rows) {
      if (row.t == floors[k]) rates.push_back(row.v[0]);
    }
    ASSERT_EQ(rates.size(), 2u);
    EXPECT_NEAR(rates[1], -0.7 * rates[0], 1e-14);
  }
}

TEST(Instants, EventsThatNeverEndAreNamed) {
  const Ran ran = run(R"toml(
coordinates = ["z"]
[energy]
kinetic = "z'^2/2"
potential = "9.81*z"
[[event]]
name = "my floor"
when = "z = 0"
direction = "falling"
set = { "z'" = "-0.5*z'" }
[initial]
z = 1
[simulation]
duration = 10
)toml");
  EXPECT_FALSE(ran.summary.complete);
  EXPECT_NE(
      ran.summary.reason.find(
          "event 'my floor' recurs faster than time can resolve: nothing brings it to an end"),
      std::string::npos)
      << ran.summary.reason;
  EXPECT_NEAR(ran.summary.t, std::sqrt(2 / 9.81) * 3, 1e-6);
}

TEST(Instants, EventsThatSetEachOtherOffAreNamed) {
  const Ran ran = run(R"toml(
coordinates = ["x"]
[discrete]
a = -1
[energy]
kinetic = "x'^2/2"
[[event]]
name = "start"
when = "t = 1"
set = { a = "-a" }
[[event]]
name = "there and back"
when = "a"
set = { a = "-a" }
[simulation]
duration = 2
)toml");
  EXPECT_FALSE(ran.summary.complete);
  EXPECT_EQ(ran.summary.reason,
            "at t = 1 more than 100 things happen in one instant, the last of them to event 'there "
            "and back': nothing brings it to an end");
}

TEST(Instants, SteepEventsAreFoundOnce) {
  // At the number next to a root, x = 1e3 say, sin(1000 x) is 1e-10 and not 1e-16.
  for (const std::string start : {"0.0001", "10.0001", "1000.0001"}) {
    const Ran ran = run(R"toml(
coordinates = ["x", "y"]
[parameters]
x0 = 0
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "0"
[[event]]
name = "root"
when = "sin(1000*(x - y))"
[initial]
x = "x0"
y = "2*x0"
"x'" = 1
[simulation]
duration = 4
samples = 2
rtol = 1e-12
)toml",
                        {{"x0", start}});
    ASSERT_TRUE(ran.summary.complete) << start << ": " << ran.summary.reason;
    const std::vector<double> times = ran.times("root", "event");
    const double from = std::stod(start);
    // x - y = t - x0 passes multiples of pi/1000.
    const double first = std::ceil(-1000 * from / pi);
    ASSERT_EQ(times.size(),
              static_cast<std::size_t>(std::floor(1000 * (4 - from) / pi) - first + 1))
        << start;
    for (std::size_t k = 0; k < times.size(); ++k)
      ASSERT_NEAR(times[k], from + (first + static_cast<double>(k)) * pi / 1000, 1e-12 * (1 + from))
          << start;
  }
}

TEST(Instants, AClockStrikesAtMultiplesOfItsPeriod) {
  const Ran ran = run(R"toml(
coordinates = ["x"]
[discrete]
u = 1
[energy]
kinetic = "x'^2/2"
[forces]
x = "u"
[[event]]
name = "turn"
every = 0.1
set = { u = "-u" }
[simulation]
duration = 1
)toml");
  const auto times = ran.times("turn", "event");
  ASSERT_EQ(times.size(), 10u);
  for (std::size_t k = 0; k < times.size(); ++k)
    EXPECT_DOUBLE_EQ(times[k], 0.1 * static_cast<double>(k + 1));
  EXPECT_NEAR(ran.rows.back().v[0], 0, 1e-14);
  EXPECT_NEAR(ran.rows.back().q[0], 10 * 0.1 * 0.1 / 2, 1e-13);
}

TEST(Instants, ATouchIsADoubtAndNoEvent) {
  const Ran ran = run(R"toml(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[[event]]
name = "graze"
when = "x'^2"
[initial]
"x'" = 1
[simulation]
duration = 3
)toml");
  EXPECT_TRUE(ran.times("graze", "event").empty());
  ASSERT_FALSE(ran.summary.doubts.empty());
  EXPECT_NE(ran.summary.doubts[0].find("event 'graze' touches zero within"), std::string::npos);
  EXPECT_NE(ran.summary.doubts[0].find("at t = 1.5707"), std::string::npos);
}

TEST(Instants, AStartInPenetrationIsRefusedAndTheNearestStateOffered) {
  std::string text = ball;
  text.replace(text.find("z = \"1 + r\""), 11, "z = -0.25");
  const auto start = initial_state(compiled(text));
  ASSERT_FALSE(start);
  const std::string words = model::to_string(start.error());
  EXPECT_NE(words.find("the motion starts in penetration: the gap of contact 'floor' is -0.25"),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("    \"z'\" = 0\n"), std::string::npos) << words;
  text.replace(text.find("z = -0.25"), 9, "z = -0.25\nadjust = \"nearest\"");
  const auto moved = initial_state(compiled(text));
  ASSERT_TRUE(moved);
  EXPECT_TRUE(moved->adjusted);
  EXPECT_NEAR(moved->state.q[0], 0, 1e-16);
}

}  // namespace
}  // namespace dalembert::motion::instants_test
