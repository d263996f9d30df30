// Roots of events that jump, pass poles, depend on time alone, or only touch.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "instants_support.hpp"

namespace dalembert::motion::instants_roots_test {
namespace {

using instants_support::Ran;
using instants_support::run;
using std::numbers::pi;

/// x = sin(t), with an event.
std::string oscillator(const std::string& event, const std::string& more = "") {
  return R"toml(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[[event]]
name = "it"
)toml" + event +
         R"toml(
[initial]
"x'" = 1
[simulation]
duration = 20
samples = 3
rtol = 1e-12
)toml" + more;
}

std::vector<double> passes(double level, bool rising, bool falling) {
  std::vector<double> times;
  const double first = std::asin(level);
  for (int k = 0; k < 4; ++k) {
    if (rising) times.push_back(first + 2 * pi * k);
    if (falling) times.push_back(pi - first + 2 * pi * k);
  }
  std::erase_if(times, [](double t) { return t >= 20 || t <= 0; });
  std::ranges::sort(times);
  return times;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], tolerance);
}

TEST(InstantRoots, AJumpIsFoundOnceInTheDirectionStated) {
  for (const std::string when :
       {"sign(x - 0.3)", "step(x - 0.3) - 0.25", "if(x < 0.3, -2, 1e-3)", "floor(x + 0.7) - 0.5",
        "if(x < 0.3, -1, 3 + x)", "sign(x - 0.3)*(2 + sin(t))"}) {
    SCOPED_TRACE(when);
    const std::string text = "when = \"" + when + "\"\n";
    expect_near(run(oscillator(text)).times("it", "event"), passes(0.3, true, true), 1e-11);
    expect_near(run(oscillator(text + "direction = \"rising\"")).times("it", "event"),
                passes(0.3, true, false), 1e-11);
    expect_near(run(oscillator(text + "direction = \"falling\"")).times("it", "event"),
                passes(0.3, false, true), 1e-11);
  }
}

TEST(InstantRoots, BehindAJumpTheStateHasTheOtherSign) {
  const Ran ran = instants_support::run(oscillator("when = \"sign(x - 0.3)\""), {}, true);
  std::vector<double> places;
  const auto times = ran.times("it", "event");
  for (const auto& row : ran.rows) {
    if (std::ranges::find(times, row.t) != times.end()) places.push_back(row.q[0]);
  }
  ASSERT_EQ(places.size(), 2 * times.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    EXPECT_NEAR(places[k], 0.3, 1e-14);
    EXPECT_EQ(places[k] > 0.3, k % 4 < 2) << k;
  }
}

TEST(InstantRoots, AJumpWithoutAChangeOfSignIsNone) {
  for (const std::string when :
       {"2 + sign(x - 0.3)", "step(x - 0.3)", "if(x < 0.3, -2, -1)", "floor(x) - 2"}) {
    SCOPED_TRACE(when);
    const Ran ran = run(oscillator("when = \"" + when + "\""));
    EXPECT_TRUE(ran.summary.complete) << ran.summary.reason;
    EXPECT_TRUE(ran.times("it", "event").empty());
  }
}

TEST(InstantRoots, ZeroIsNoSign) {
  // -1 below -0.3, 0 to 0.3, 1 beyond: falling where it leaves zero downwards.
  const std::string when = "when = \"step(x - 0.3) - step(-0.3 - x)\"\n";
  expect_near(run(oscillator(when + "direction = \"falling\"")).times("it", "event"),
              passes(-0.3, false, true), 1e-11);
  // Rising for the first time behind the first fall; at the start it is zero.
  std::vector<double> rising = passes(0.3, true, false);
  rising.erase(rising.begin());
  expect_near(run(oscillator(when + "direction = \"rising\"")).times("it", "event"), rising, 1e-11);
}

TEST(InstantRoots, APoleIsNoRootAndIsNamedOnce) {
  for (const std::string when : {"1/(x - 0.3)", "tan(pi/2*x/0.3)/(4 - x)", "1/(x - 0.3)^3"}) {
    SCOPED_TRACE(when);
    const bool has_roots = when.starts_with("tan");
    const Ran ran = run(oscillator("when = \"" + when + "\""));
    ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
    std::vector<double> expected;
    if (has_roots) {
      for (const double level : {0.0, 0.6, -0.6}) {
        for (const double t : passes(level, true, true)) expected.push_back(t);
      }
      std::ranges::sort(expected);
    }
    expect_near(ran.times("it", "event"), expected, 1e-11);
    ASSERT_EQ(ran.summary.doubts.size(), 1u);
    EXPECT_TRUE(ran.summary.doubts[0].starts_with(
        "event 'it' changes its sign through infinity at t = 0.3046926"))
        << ran.summary.doubts[0];
  }
}

TEST(InstantRoots, ARootBesideAPoleIsFound) {
  for (const double c : {1e3, 1e5, 1e7}) {
    const std::string when = "when = \"1/(x - 0.3) - " + std::to_string(c) + "\"";
    std::vector<double> expected = passes(0.3 + 1 / c, true, true);
    expect_near(run(oscillator(when)).times("it", "event"), expected, 1e-11);
  }
}

TEST(InstantRoots, APulseOfThePositionIsFound) {
  const Ran ran = run(oscillator("when = \"max(0, 1 - abs(x - 0.3)/1e-6) - 0.5\""));
  std::vector<double> expected = passes(0.3 - 0.5e-6, true, true);
  for (const double t : passes(0.3 + 0.5e-6, true, true)) expected.push_back(t);
  std::ranges::sort(expected);
  expect_near(ran.times("it", "event"), expected, 1e-11);
}

/// A body at rest, whose steps are long.
std::string at_rest(const std::string& event, const std::string& more = "") {
  return R"toml(
coordinates = ["x"]
[discrete]
later = 0
[energy]
kinetic = "x'^2/2"
[[event]]
name = "it"
)toml" + event +
         R"toml(
[initial]
x = 0
[simulation]
duration = 1000
samples = 3
)toml" + more;
}

TEST(InstantRoots, APulseInTimeIsFoundHoweverShort) {
  const std::string when = "when = \"max(0, 1 - abs(t - 7)/0.01) - 0.5\"\n";
  expect_near(run(at_rest(when)).times("it", "event"), {6.995, 7.005}, 1e-13);
  expect_near(run(at_rest(when + "direction = \"rising\"")).times("it", "event"), {6.995}, 1e-13);
  expect_near(run(at_rest(when + "direction = \"falling\"")).times("it", "event"), {7.005}, 1e-13);
  const Ran smooth = run(at_rest("when = \"exp(-((t - 7)/1e-5)^2) - 0.5\""));
  const double width = 1e-5 * std::sqrt(std::log(2));
  expect_near(smooth.times("it", "event"), {7 - width, 7 + width}, 1e-13);
  const Ran with_place = run(at_rest("when = \"x + max(0, 1 - abs(t - 7)/0.01) - 0.5\""));
  expect_near(with_place.times("it", "event"), {6.995, 7.005}, 1e-12);
}

TEST(InstantRoots, AllZerosOfAFunctionOfTimeAreFound) {
  const auto times =
      run(at_rest("when = \"sin(10*t)\"\ndirection = \"rising\"")).times("it", "event");
  ASSERT_EQ(times.size(), 1591u);
  for (std::size_t k = 0; k < times.size(); ++k)
    EXPECT_NEAR(times[k], 2 * pi / 10 * static_cast<double>(k + 1), 1e-12);
  expect_near(run(at_rest("when = \"floor(t/100) - 2.5\"")).times("it", "event"), {300}, 0);
  expect_near(run(at_rest("when = \"sign(t - 5)\"")).times("it", "event"), {5}, 0);
  // Zero is no sign: -1, 0 from 200, 1 from 300.
  expect_near(run(at_rest("when = \"floor(t/100) = 2\"")).times("it", "event"), {300}, 1e-12);
  const Ran poles = run(at_rest("when = \"tan(t/10)\"\ndirection = \"rising\""));
  ASSERT_EQ(poles.times("it", "event").size(), 31u);
  EXPECT_NEAR(poles.times("it", "event")[4], 50 * pi, 1e-11);
}

TEST(InstantRoots, EventsThatCountDoNotMakeOthersSlow) {
  // Were all zeros looked for again behind each of them, it would take minutes.
  const Ran ran = run(at_rest("when = \"sin(10*t)\"\nset = { later = \"later + 1\" }"));
  EXPECT_EQ(ran.times("it", "event").size(), 3183u);
  EXPECT_LT(ran.summary.seconds, 10);
}

TEST(InstantRoots, ZerosInTimeFollowDiscreteValues) {
  const Ran ran = run(at_rest(
      "when = \"t - 10 - later\"\nset = { later = \"if(later < 300, later + 100, later)\" }"));
  expect_near(ran.times("it", "event"), {10, 110, 210, 310}, 1e-12);
}

TEST(InstantRoots, EventsThatContradictEachOtherAtOneInstantAreNamed) {
  const std::string two = R"toml(every = 2
set = { later = 3 }
[[event]]
name = "other"
every = 3
set = { later = VALUE }
)toml";
  const auto doubts = [&](const std::string& value) {
    std::string text = two;
    text.replace(text.find("VALUE"), 5, value);
    return run(at_rest(text)).summary.doubts;
  };
  ASSERT_FALSE(doubts("4").empty());
  EXPECT_EQ(
      doubts("4")[0],
      "at t = 6 events 'it' and 'other' set 'later' to different values, 3 and 4: the later one "
      "in the file counts");
  EXPECT_TRUE(doubts("3").empty());
  EXPECT_TRUE(doubts("\"later + 1\"").empty());  // one after the other
}

TEST(InstantRoots, AnEventIsNotLostWhereAForceJumps) {
  const std::string text = at_rest("when = \"(1 + x^2)*sign(t - 5)\"", R"toml(
[forces]
x = "step(t - 5)"
)toml");
  expect_near(run(text).times("it", "event"), {5}, 1e-13);
}

TEST(InstantRoots, ATouchIsReportedAndDoesNotFireAtAnyTolerance) {
  for (const char* rtol : {"1e-6", "1e-9", "1e-12"}) {
    for (const std::string when : {"x - 1", "x^2 - 1", "1 + x"}) {
      SCOPED_TRACE(when + " " + rtol);
      std::string text = oscillator("when = \"" + when + "\"");
      text.replace(text.find("1e-12"), 5, rtol);
      const Ran ran = run(text);
      ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
      EXPECT_TRUE(ran.times("it", "event").empty());
      EXPECT_EQ(ran.summary.doubts.size(), when == "x^2 - 1" ? 6u : 3u);
      for (const std::string& doubt : ran.summary.doubts)
        EXPECT_TRUE(doubt.starts_with("event 'it' touches zero within ")) << doubt;
    }
  }
  // What passes by more than the tolerances tell does fire, twice.
  EXPECT_EQ(run(oscillator("when = \"x - 0.999999999\"")).times("it", "event").size(), 6u);
}

TEST(InstantRoots, ATouchInTimeIsReported) {
  for (const std::string when : {"(t - 5)^2", "-(t - 5)^4", "abs(t - 5)"}) {
    SCOPED_TRACE(when);
    const Ran ran = run(at_rest("when = \"" + when + "\""));
    EXPECT_TRUE(ran.times("it", "event").empty());
    ASSERT_EQ(ran.summary.doubts.size(), 1u);
    EXPECT_TRUE(ran.summary.doubts[0].starts_with("event 'it' touches zero within "));
    EXPECT_NE(ran.summary.doubts[0].find("at t = 5 and turns back"), std::string::npos)
        << ran.summary.doubts[0];
  }
}

}  // namespace
}  // namespace dalembert::motion::instants_roots_test
