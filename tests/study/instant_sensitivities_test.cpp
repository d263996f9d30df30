// Sensitivities through events, impacts, sticking and jumps: closed forms, and Richardson's
// extrapolation of motions.
#include "dalembert/study/linear/instant_sensitivities.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dalembert/flow/state/initial_state.hpp"

namespace dalembert::study::instant_sensitivities_test {
namespace {

flow::Motion compiled(const std::string& text) {
  return flow::compile(model::read_model_text(text, "model.toml").value()).value();
}

motion::SimulationOptions precise(double duration, long samples) {
  motion::SimulationOptions options;
  options.duration = duration;
  options.samples = samples;
  options.rtol = 1e-12;
  options.atol = 1e-13;
  return options;
}

double entry(const Sensitivities& found, std::size_t sample, const std::string& quantity,
             const std::string& name) {
  const auto row = std::ranges::find(found.quantities, quantity) - found.quantities.begin();
  const auto column = std::ranges::find(found.names, name) - found.names.begin();
  return found.row(sample)[static_cast<std::size_t>(row) * found.names.size() +
                           static_cast<std::size_t>(column)];
}

/// Positions and velocities at the end with a parameter changed.
std::vector<double> end_of(const flow::Motion& motion, const std::string& name, double value,
                           double duration) {
  const auto parameters =
      model::parameter_values(motion.model(), {{name, fmt::format("{:.17g}", value)}}).value();
  const flow::Motion changed = motion.with_parameters(parameters);
  const auto start = flow::initial_state(changed).value();
  std::vector<double> end;
  motion::simulate(changed, start.state, precise(duration, 2), [&](const motion::Sample& sample) {
    end.assign(sample.q.begin(), sample.q.end());
    end.insert(end.end(), sample.v.begin(), sample.v.end());
    return true;
  });
  return end;
}

/// All parameters of a model at its end, to 1e-8: instants are located to rounding, and the motion
/// between them to rtol = 1e-12, of which differences over 1e-3 leave some 1e-9.
void expect_differences(const std::string& text, const std::vector<std::string>& names,
                        double duration) {
  const flow::Motion motion = compiled(text);
  const Sensitivities found = sensitivities(motion, precise(duration, 2), {names}).value();
  ASSERT_TRUE(found.complete) << found.reason << '\n' << text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = std::ranges::find(motion.model().parameters, names[i], &model::Named::name);
    const double value =
        motion.parameters()[static_cast<std::size_t>(at - motion.model().parameters.begin())];
    std::vector<std::vector<double>> table;
    for (double h = 1e-3; table.size() < 4; h /= 2) {
      const auto above = end_of(motion, names[i], value + h, duration),
                 below = end_of(motion, names[i], value - h, duration);
      std::vector<double> row(above.size());
      for (std::size_t k = 0; k < row.size(); ++k)
        row[k] = (above[k] - below[k]) / ((value + h) - (value - h));
      double power = 1;
      for (auto& before : table) {
        power *= 4;
        std::vector<double> next = row;
        for (std::size_t k = 0; k < row.size(); ++k) next[k] += (row[k] - before[k]) / (power - 1);
        before = row;
        row = next;
      }
      table.push_back(row);
    }
    double size = 1;
    for (const double x : table.back()) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < table.back().size(); ++k)
      EXPECT_NEAR(found.row(1)[k * names.size() + i], table.back()[k], 1e-8 * size)
          << found.quantities[k] << " by " << names[i] << '\n'
          << text;
  }
}

/// x' = -a, y' = b until x = 0: y = b x_0/a from then on.
TEST(InstantSensitivities, OfAMotionThatAnEventStops) {
  const Sensitivities found = sensitivities(compiled(R"toml(name = "Stopped"
coordinates = ["x", "y"]
[parameters]
a = 2
b = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[event]]
name = "there"
when = "x = 0"
set = { "x'" = 0, "y'" = 0 }
[initial]
x = 1
"x'" = "-a"
"y'" = "b"
)toml"),
                                            precise(1, 2), {{"a", "b", "x"}})
                                  .value();
  ASSERT_TRUE(found.complete) << found.reason;
  EXPECT_NEAR(entry(found, 1, "y", "a"), -0.25, 1e-15);
  EXPECT_NEAR(entry(found, 1, "y", "b"), 0.5, 1e-15);
  EXPECT_NEAR(entry(found, 1, "y", "x"), 0.5, 1e-15);
  EXPECT_NEAR(entry(found, 1, "x", "a"), 0, 1e-15);
  EXPECT_EQ(entry(found, 1, "y'", "a"), 0);
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_NEAR(found.events[0].by[0], -0.25, 1e-15);
  EXPECT_NEAR(found.events[0].by[1], 0, 1e-15);
}

/// Impact k comes at T (1 + 2 e (1 - e^k)/(1 - e)), T = sqrt(2 h/g), and all of them end at
/// T (1 + e)/(1 - e).
TEST(InstantSensitivities, OfBouncesAndTheirEnd) {
  const Sensitivities found = sensitivities(compiled(R"toml(name = "Ball"
coordinates = ["z"]
[parameters]
g = 9.81
e = 0.5
h = 1
[energy]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "floor"
gap = "z"
restitution = "e"
[initial]
z = "h"
)toml"),
                                            precise(2, 3), {{"e", "h"}})
                                  .value();
  ASSERT_TRUE(found.complete) << found.reason;
  const double e = 0.5, T = std::sqrt(2 / 9.81);
  for (std::size_t k = 0; k < 6; ++k) {
    const EventSensitivity& impact = found.events[k];
    EXPECT_EQ(impact.kind, "impact");
    double sum = 1, slope = 0;  // of 1 + 2 e + 2 e^2 + ...
    for (std::size_t j = 1; j <= k; ++j) {
      sum += 2 * std::pow(e, j);
      slope += 2 * static_cast<double>(j) * std::pow(e, static_cast<double>(j) - 1);
    }
    EXPECT_NEAR(impact.t, T * sum, 1e-12);
    EXPECT_NEAR(impact.by[0], T * slope, 1e-11);
    EXPECT_NEAR(impact.by[1], T * sum / 2, 1e-11);
  }
  const EventSensitivity& closing = found.events.back();
  EXPECT_EQ(closing.kind, "close");
  EXPECT_NEAR(closing.by[0], 2 * T / ((1 - e) * (1 - e)), 1e-7);
  EXPECT_NEAR(closing.by[1], T * (1 + e) / (1 - e) / 2, 1e-7);
  EXPECT_NEAR(entry(found, 2, "z", "e"), 0, 1e-15);
  EXPECT_NEAR(entry(found, 2, "z'", "h"), 0, 1e-15);
  EXPECT_NEAR(entry(found, 2, "reaction.floor", "h"), 0, 1e-13);
}

/// A rod that strikes and slides, by each law of impact.
TEST(InstantSensitivities, OfImpactsWithFriction) {
  for (const char* law : {"newton", "poisson", "energetic"})
    expect_differences(fmt::format(R"toml(name = "Rod"
coordinates = ["x", "z", "a"]
[parameters]
m = 1.0
J = 0.1
l = 0.5
e = 0.6
mu = 0.25
[energy]
kinetic = "m*(x'^2 + z'^2)/2 + J*a'^2/2"
potential = "9.81*m*z"
[[contact]]
name = "tip"
gap = "z - l*sin(a)"
restitution = "e"
impact = "{}"
friction = "mu"
slip = "x' - l*sin(a)*a' - 0.1"
[initial]
z = 1
a = 0.7
"x'" = 0.4
"a'" = 0.3
)toml",
                                   law),
                       {"e", "mu", "J", "l"}, 0.9);
}

/// Thrown onto a table: bounces without end, slides in two directions to rest.
TEST(InstantSensitivities, OfSlidingInAPlane) {
  expect_differences(R"toml(name = "Puck"
coordinates = ["x", "y", "z"]
[parameters]
m = 1.0
e = 0.5
mu = 0.3
k = 1.5
[energy]
kinetic = "m*(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*m*z + k*(x^2 + 2*y^2)/2"
[[contact]]
name = "table"
gap = "z"
restitution = "e"
friction = "mu"
slip = ["x'", "y'"]
[initial]
x = 0.1
y = -0.3
z = 0.2
"x'" = 1.5
"y'" = 0.8
)toml",
                     {"m", "e", "mu", "k"}, 1.2);
}

TEST(InstantSensitivities, OfStickAndSlipOnABelt) {
  expect_differences(R"toml(name = "Belt"
coordinates = ["x"]
[parameters]
k = 4.0
mu = 2.0
r = 0.6
v = 0.5
[energy]
kinetic = "x'^2/2"
potential = "k*x^2/2"
[forces]
x = "-0.1*x'"
[[friction]]
name = "belt"
slip = "x' - v"
limit = "r*mu"
static_limit = "mu"
[initial]
x = 0.1
"x'" = "v"
)toml",
                     {"k", "mu", "r", "v"}, 6);
}

/// Discrete values that depend on the state, a clock whose period changes, positions that are set
/// and brought back onto a constraint that moves.
TEST(InstantSensitivities, OfWhatEventsSet) {
  expect_differences(R"toml(name = "Events"
coordinates = ["x", "y"]
[parameters]
k = 3.0
T = 0.35
kick = 0.6
[discrete]
stiff = 1
n = 0
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "k*stiff*x^2/2 + y^2/2"
[[constraint]]
name = "line"
equation = "x^2/4 + x + 2*y = 1 + 0.1*t"
[[event]]
name = "crossing"
when = "x = 0.2"
set = { stiff = "stiff*(1 + x'^2/4)", n = "n + 1" }
[[event]]
name = "tick"
every = "T"
set = { "x'" = "x' + kick*y*n", x = "x + 0.05*k*x'" }
[initial]
x = 1
adjust = "nearest"
hold = ["x"]
)toml",
                     {"k", "T", "kick"}, 1.5);
}

/// x'' = -sign(x) from x_0 on: t_1 = sqrt(2 x_0), then x = -t_1 (t - t_1) + (t - t_1)^2/2.
TEST(InstantSensitivities, OfEquationsThatJump) {
  for (const char* force : {"[forces]\nx = \"-sign(x)\"", "[energy]\npotential = \"abs(x)\""}) {
    const std::string text = fmt::format(
        "name = \"Sign\"\ncoordinates = [\"x\"]\n{}\n{}kinetic = \"x'^2/2\"\n[initial]\nx = 1\n",
        force, std::string_view(force).starts_with("[energy]") ? "" : "[energy]\n");
    const Sensitivities sign = sensitivities(compiled(text), precise(3, 2), {{"x"}}).value();
    ASSERT_TRUE(sign.complete) << sign.reason;
    const double t1 = std::sqrt(2.0), s = 3 - t1;
    EXPECT_NEAR(entry(sign, 1, "x", "x"), (-s + t1 - s) / t1, 1e-12);
    EXPECT_TRUE(sign.events.empty());
  }

  // One force that begins at a time, one that steps with the place: x' = 1 - c + (1 - t_1).
  const Sensitivities time = sensitivities(compiled(R"toml(name = "Steps"
coordinates = ["x"]
[parameters]
t1 = 0.4
c = 0.25
[energy]
kinetic = "x'^2/2"
[forces]
x = "step(t - t1) + 0*floor(2*x)"
[initial]
"x'" = 1
x = "c"
)toml"),
                                           precise(1, 2), {{"t1", "c"}})
                                 .value();
  ASSERT_TRUE(time.complete) << time.reason;
  EXPECT_NEAR(entry(time, 1, "x", "t1"), -0.6, 1e-13);
  EXPECT_NEAR(entry(time, 1, "x'", "t1"), -1, 1e-13);
  EXPECT_NEAR(entry(time, 1, "x", "c"), 1, 1e-13);
}

/// Two bodies on springs, a wall, friction, a floor that depends on the place, all at random.
TEST(InstantSensitivities, OfRandomSystems) {
  std::mt19937_64 random(4);
  const auto number = [&](double from, double to) {
    return from + (to - from) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  constexpr std::array laws = {"newton", "poisson"};
  for (std::size_t i = 0; i < 4; ++i)
    expect_differences(fmt::format(R"toml(name = "Random"
coordinates = ["x", "y"]
[parameters]
k = {}
c = {}
e = {}
mu = {}
wall = {}
[discrete]
kicks = 0
[energy]
kinetic = "(x'^2 + {}*y'^2 + 0.4*x'*y'*cos(y))/2"
potential = "k*x^2/2 + c*(x - y)^2/2"
[[contact]]
name = "wall"
gap = "x + 0.1*y - wall"
restitution = "e"
impact = "{}"
friction = "mu"
slip = "y' - 0.2*x'"
[[friction]]
name = "brake"
slip = "y'"
limit = "mu*(1 + x^2)"
[[event]]
name = "kick"
when = "y = 0.1"
direction = "rising"
set = {{ "y'" = "y' + e/(1 + kicks)", kicks = "kicks + k*x^2" }}
[initial]
x = {}
y = 0.05
"x'" = {}
"y'" = {}
)toml",
                                   number(2, 6), number(1, 4), number(0.3, 0.8), number(0.05, 0.3),
                                   number(-0.4, -0.2), number(0.5, 2), laws[i % 2],
                                   number(0.3, 0.6), number(-1, 0), number(0.5, 1.5)),
                       {"k", "c", "e", "mu", "wall"}, 2.5);
}

std::string reason_of(const std::string& text, double duration, const std::string& name) {
  const Sensitivities found = sensitivities(compiled(text), precise(duration, 3), {{name}}).value();
  EXPECT_FALSE(found.complete);
  return found.reason;
}

TEST(InstantSensitivities, EndWithAReasonWhereThereAreNone) {
  const std::string two = R"toml(name = "Two"
coordinates = ["x", "y"]
[parameters]
h = 1
[energy]
kinetic = "(x'^2 + y'^2 + x'*y')/2"
potential = "9.81*(x + y)"
[[contact]]
name = "left"
gap = "x"
impact = "newton"
[[contact]]
name = "right"
gap = "y"
impact = "newton"
[initial]
x = "h"
y = 1
)toml";
  EXPECT_NE(reason_of(two, 1, "h").find("happen at once, and for other values one after the other"),
            std::string::npos);
  const std::string belt = R"toml(name = "Belt"
coordinates = ["x"]
[parameters]
v = 0.5
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[[friction]]
name = "belt"
slip = "x' - v"
limit = 1
[initial]
"x'" = 0.5
)toml";
  EXPECT_EQ(reason_of(belt, 1, "v"),
            "friction 'belt' holds at the start, and does not for other values");
  const std::string grazing = R"toml(name = "Grazing"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[forces]
x = 2
[[contact]]
name = "floor"
gap = "x"
restitution = 0.5
[initial]
x = 1
"x'" = -2
)toml";
  EXPECT_NE(reason_of(grazing, 2, "x").find("contact 'floor' is"), std::string::npos);
  const std::string chattering = R"toml(name = "Chattering"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[forces]
x = "-sign(x')"
[initial]
"x'" = 1
)toml";
  EXPECT_NE(reason_of(chattering, 2, "x'"), "");
}

}  // namespace
}  // namespace dalembert::study::instant_sensitivities_test
