// Impacts: their laws, several at once, with friction; and where there is no answer or several.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "instants_support.hpp"

namespace dalembert::motion::instants_impacts_test {
namespace {

using instants_support::compiled;
using instants_support::Ran;
using instants_support::run;
using instants_support::Settings;
using std::numbers::pi;

/// Balls of radius 1/2 in a row.
std::string row_of_balls(const std::string& contact, double gap, double mass = 1) {
  return R"toml(coordinates = ["a", "b", "c"]
[energy]
kinetic = "(a'^2 + )toml" +
         std::to_string(mass) + R"toml(*b'^2 + c'^2)/2"
[[contact]]
name = "ab"
gap = "b - a - 1"
restitution = 1
)toml" + contact +
         R"toml(
[[contact]]
name = "bc"
gap = "c - b - 1"
restitution = 1
)toml" + contact +
         "\n[initial]\na = -1\nb = 1\nc = " + std::to_string(2 + gap) +
         "\n\"a'\" = 1\n[simulation]\nduration = 3\nsamples = 2\nrtol = 1e-12\n";
}

TEST(Impacts, OneAfterTheOtherPassTheirVelocityOn) {
  const Ran ran = run(row_of_balls("", 0.01));
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  EXPECT_NEAR(ran.times("ab", "impact").at(0), 1, 1e-14);
  EXPECT_NEAR(ran.times("bc", "impact").at(0), 1.01, 1e-14);
  EXPECT_NEAR(ran.rows.back().v[0], 0, 1e-14);
  EXPECT_NEAR(ran.rows.back().v[1], 0, 1e-14);
  EXPECT_NEAR(ran.rows.back().v[2], 1, 1e-14);
  EXPECT_EQ(ran.summary.energy_lost, 0);
}

TEST(Impacts, AtOnceTheOrderMattersAndTheModelMustChoose) {
  const Ran ran = run(row_of_balls("", 0));
  EXPECT_FALSE(ran.summary.complete);
  EXPECT_EQ(ran.summary.reason,
            "at t = 1 contacts 'ab', 'bc' are struck at once, and the velocities after the impact "
            "depend on which is struck first: write impact = \"newton\" in each of them to have "
            "all struck together");
  const Ran stated = run(row_of_balls("impact = \"newton\"", 0));
  ASSERT_TRUE(stated.summary.complete);
  ASSERT_EQ(stated.summary.doubts.size(), 1u);
  EXPECT_NE(stated.summary.doubts[0].find("they were struck together, by the newton law"),
            std::string::npos);
  // b and c as one body of mass 2 for Newton's law: a(t) -> -1/3, b and c part with 2/3.
  EXPECT_NEAR(stated.rows.back().v[0], -1.0 / 3, 1e-14);
  EXPECT_NEAR(stated.rows.back().v[1], 2.0 / 3, 1e-14);
  EXPECT_NEAR(stated.rows.back().v[2], 2.0 / 3, 1e-14);
  EXPECT_NEAR(stated.summary.energy_lost, 0, 1e-15);
}

/// What the corner of a box is to an impact: its three velocities, coupled by the box.
const std::string corner = R"toml(
coordinates = ["x", "y", "z"]
[parameters]
mu = 0.4
e = 0.3
[let]
px = "0.4172*x' + -0.2194*y' + -0.2797*z'"
py = "-0.2194*x' + 0.379*y' + 0.2494*z'"
pz = "-0.2797*x' + 0.2494*y' + 0.6321*z'"
[energy]
kinetic = "(px*x' + py*y' + pz*z')/2"
potential = "0"
[[contact]]
name = "floor"
gap = "z"
restitution = "e"
friction = "mu"
slip = ["x'", "y'"]
[initial]
z = 1
"x'" = 1
"y'" = 0.3
"z'" = -4.42
[outputs]
px = "px"
py = "py"
pz = "pz"
[simulation]
duration = 1
samples = 2
rtol = 1e-12
)toml";

TEST(Impacts, ARoughCornerSlidesBehindTheImpactAgainstItsFriction) {
  for (const std::string mu : {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6"}) {
    const Ran ran = run(corner, {{"mu", mu}});
    ASSERT_TRUE(ran.summary.complete) << mu << ": " << ran.summary.reason;
    const auto& from = ran.rows.front();
    const auto& to = ran.rows.back();
    EXPECT_NEAR(to.v[2], 0.3 * 4.42, 1e-12) << mu;
    const double x = to.outputs[0] - from.outputs[0], y = to.outputs[1] - from.outputs[1],
                 z = to.outputs[2] - from.outputs[2];
    const double speed = std::hypot(to.v[0], to.v[1]);
    ASSERT_GT(z, 0) << mu;
    EXPECT_LT(ran.summary.events.at(0).energy, 0) << mu;
    if (speed < 1e-9) {
      EXPECT_LE(std::hypot(x, y), std::stod(mu) * z * (1 + 1e-12)) << mu;
      continue;
    }
    EXPECT_NEAR(x, -std::stod(mu) * z * to.v[0] / speed, 1e-9 * z) << mu;
    EXPECT_NEAR(y, -std::stod(mu) * z * to.v[1] / speed, 1e-9 * z) << mu;
  }
}

/// A ball that falls with spin or speed along the floor.
const std::string spinning = R"toml(
coordinates = ["x", "z", "w"]
[parameters]
e = 0.6
mu = 0.2
vx = 1
[energy]
kinetic = "(x'^2 + z'^2 + 0.4*w'^2)/2"
potential = "0"
[[contact]]
name = "floor"
gap = "z - 1"
restitution = "e"
friction = "mu"
slip = "x' - w'"
impact = "LAW"
[initial]
z = 2
"x'" = "vx"
"z'" = -1
[simulation]
duration = 2
samples = 2
rtol = 1e-12
)toml";

std::string with_law(std::string text, const std::string& law) {
  for (std::size_t at; (at = text.find("LAW")) != std::string::npos;) text.replace(at, 3, law);
  return text;
}

TEST(Impacts, FrictionSlidesThroughTheImpactOrStops) {
  for (const std::string law : {"newton", "poisson", "energetic"}) {
    // Normal impulse 1.6; it slides throughout if the slip, 3.5 mu P of it taken, is not used up.
    const Ran slides = run(with_law(spinning, law), {{"vx", "3"}});
    ASSERT_TRUE(slides.summary.complete) << slides.summary.reason;
    EXPECT_NEAR(slides.times("floor", "impact").at(0), 1, 1e-13);
    EXPECT_NEAR(slides.rows.back().v[1], 0.6, 1e-13) << law;
    EXPECT_NEAR(slides.rows.back().v[0], 3 - 0.2 * 1.6, 1e-13) << law;
    EXPECT_NEAR(slides.rows.back().v[2], 0.2 * 1.6 / 0.4, 1e-13) << law;
    // Else it rolls behind it.
    const Ran rolls = run(with_law(spinning, law), {{"vx", "0.5"}});
    EXPECT_NEAR(rolls.rows.back().v[0], 0.5 / 1.4, 1e-13) << law;
    EXPECT_NEAR(rolls.rows.back().v[0], rolls.rows.back().v[2], 1e-13) << law;
    const auto& r = rolls.rows.back();
    const double lost = (0.25 + 1 - r.v[0] * r.v[0] - 0.36 - 0.4 * r.v[2] * r.v[2]) / 2;
    EXPECT_NEAR(rolls.summary.energy_lost, lost, 1e-13) << law;
  }
}

/// A rod that falls on its end with friction: the laws differ.
const std::string rod = R"toml(
coordinates = ["x", "y", "th"]
[parameters]
mu = 0.5
e = 0.5
th0 = 1
vx = 0
vy = -1
[let]
xt = "x - cos(th)"
yt = "y - sin(th)"
[energy]
kinetic = "(x'^2 + y'^2 + th'^2/3)/2"
potential = "0"
[[contact]]
name = "tip"
gap = "yt"
restitution = "e"
friction = "mu"
slip = "xt'"
impact = "LAW"
[initial]
th = "th0"
y = "sin(th0)"
"x'" = "vx"
"y'" = "vy"
[simulation]
duration = 1e-3
samples = 2
rtol = 1e-12
)toml";

TEST(Impacts, TheEnergeticLawRegainsItsShareOfTheWork) {
  // Sticking from the start: all laws agree, with the inverse mass along the normal at rest.
  const double s = std::sin(1.0), c = std::cos(1.0);
  const double wn = 1 + 3 * c * c, wt = 1 + 3 * s * s, wnt = -3 * s * c;
  ASSERT_LT(std::abs(wnt / wt), 0.6);
  for (const std::string law : {"newton", "poisson", "energetic"}) {
    const Ran sticks = run(with_law(rod, law), {{"mu", "0.6"}});
    ASSERT_TRUE(sticks.summary.complete) << sticks.summary.reason;
    const EventRow& impact = sticks.summary.events.at(0);
    EXPECT_EQ(impact.kind, "impact");
    EXPECT_NEAR(impact.rate_before, -1, 1e-14);
    EXPECT_NEAR(impact.rate_after, 0.5, 1e-13) << law;
    EXPECT_NEAR(impact.impulse, 1.5 / (wn - wnt * wnt / wt), 1e-13) << law;
    EXPECT_NEAR(impact.energy, -0.75 * 0.5 / (wn - wnt * wnt / wt), 1e-13) << law;
  }
  // With reversal of slip: by the energetic law the normal work of expansion is e^2 of that of
  // compression, which are found by hand phase by phase.
  const double mu = 0.3, slip0 = 0.2;
  const Ran ran = run(with_law(rod, "energetic"), {{"mu", "0.3"}, {"vx", "0.2"}});
  // Phase 1 slides forward, until s = 0; phase 2 backward (|wnt/wt| > mu).
  ASSERT_GT(std::abs(wnt / wt), mu);
  const double p1 = slip0 / -(wnt - mu * wt);
  const double y1 = -1 + (wn - mu * wnt) * p1;
  const double slope = wn + mu * wnt;
  double pc = p1 - y1 / slope;
  const double wc = (-1 + y1) / 2 * p1 + y1 * (pc - p1) / 2;
  const double rate = std::sqrt(2 * slope * 0.25 * -wc);
  EXPECT_LT(y1, 0);
  EXPECT_NEAR(ran.summary.events.at(0).rate_after, rate, 1e-12);
  EXPECT_NEAR(ran.summary.events.at(0).impulse, pc + rate / slope, 1e-12);
}

TEST(Impacts, ALawThatWouldCreateEnergyIsRefused) {
  // Newton's law with slip that reverses, as in Kane's example.
  int refused = 0;
  for (double vx = 0; vx < 2; vx += 0.05) {
    for (const double th : {0.6, 0.8, 1.0, 1.2}) {
      const Settings settings = {
          {"mu", "0.6"}, {"e", "0.95"}, {"th0", std::to_string(th)}, {"vx", std::to_string(vx)}};
      const Ran newton = run(with_law(rod, "newton"), settings);
      const Ran energetic = run(with_law(rod, "energetic"), settings);
      EXPECT_TRUE(energetic.summary.complete) << energetic.summary.reason;
      EXPECT_GE(energetic.summary.energy_lost, 0);
      if (newton.summary.complete) {
        EXPECT_GE(newton.summary.energy_lost, -1e-15);
        continue;
      }
      ++refused;
      EXPECT_NE(newton.summary.reason.find("the newton law would create energy"), std::string::npos)
          << newton.summary.reason;
    }
  }
  EXPECT_GT(refused, 0);
}

/// The uniform rod of half length 1 that slides on its end.
const std::string painleve = R"toml(
coordinates = ["x", "y", "th"]
[parameters]
mu = 1.4
th0 = "atan(2)"
v0 = -1
w0 = 0
[let]
xt = "x - cos(th)"
yt = "y - sin(th)"
[energy]
kinetic = "(x'^2 + y'^2 + th'^2/3)/2"
potential = "9.81*y"
[[contact]]
name = "tip"
gap = "yt"
friction = "mu"
slip = "xt'"
[initial]
th = "th0"
y = "sin(th0)"
"x'" = "v0 - w0*sin(th0)"
"y'" = "w0*cos(th0)"
"th'" = "w0"
[simulation]
duration = 1e-6
samples = 2
)toml";

TEST(Impacts, PainlevesRodHasNoAnswerBeyondFourThirds) {
  const double critical = 4.0 / 3;
  const auto text = [](double mu) { return fmt::format("{:.17g}", mu); };
  EXPECT_TRUE(run(painleve, {{"mu", text(critical * (1 - 1e-7))}}).summary.complete);
  const Ran beyond = run(painleve, {{"mu", text(critical * (1 + 1e-12))}});
  EXPECT_FALSE(beyond.summary.complete);
  EXPECT_EQ(beyond.summary.reason,
            "at t = 0 contact forces that satisfy Coulomb's law do not exist for contact 'tip' "
            "(Painlevé)");
  // Sliding the other way it pulls its end out of the floor.
  EXPECT_TRUE(run(painleve, {{"mu", "2"}, {"v0", "1"}}).summary.complete);
  // With so much spin that it would leave the floor by itself there are two motions.
  const Ran several = run(painleve, {{"mu", "2"}, {"w0", "5"}});
  EXPECT_FALSE(several.summary.complete);
  EXPECT_NE(several.summary.reason.find("are several, with different accelerations"),
            std::string::npos)
      << several.summary.reason;
  EXPECT_NE(several.summary.reason.find("contact 'tip' (closed, slides, or open)"),
            std::string::npos)
      << several.summary.reason;
}

TEST(Impacts, ARockingBlockLosesItsShareAtEachImpact) {
  const Ran ran = run(R"toml(
coordinates = ["x", "y", "ph"]
[parameters]
b = 0.25
h = 1
[let]
J = "(b^2 + h^2)/3"
xl = "x - b*cos(ph) + h*sin(ph)"
yl = "y - b*sin(ph) - h*cos(ph)"
xr = "x + b*cos(ph) + h*sin(ph)"
yr = "y + b*sin(ph) - h*cos(ph)"
[energy]
kinetic = "(x'^2 + y'^2 + J*ph'^2)/2"
potential = "9.81*y"
[[contact]]
name = "left"
gap = "yl"
friction = 10
slip = "xl'"
[[contact]]
name = "right"
gap = "yr"
friction = 10
slip = "xr'"
[initial]
ph = 0.1
x = "b*cos(ph) - h*sin(ph)"
y = "b*sin(ph) + h*cos(ph)"
[simulation]
duration = 10
rtol = 1e-11
)toml",
                      {}, true);
  ASSERT_TRUE(ran.summary.complete) << ran.summary.reason;
  const double share = 1 - 1.5 * std::pow(std::sin(std::atan(0.25)), 2);
  std::size_t seen = 0;
  for (std::size_t i = 1; i < ran.rows.size() && seen < 20; ++i) {
    if (ran.rows[i].t != ran.rows[i - 1].t || ran.rows[i].v == ran.rows[i - 1].v) continue;
    EXPECT_NEAR(ran.rows[i].v[2] / ran.rows[i - 1].v[2], share, 1e-9);
    ++seen;
  }
  EXPECT_EQ(seen, 20u);
  // It comes to rest on both edges, after infinitely many impacts.
  EXPECT_NEAR(ran.rows.back().q[2], 0, 1e-12);
  EXPECT_NEAR(ran.rows.back().v[2], 0, 1e-30);
}

/// Leine, Glocker and van Campen: coordinates y, phi_M, phi_S.
const std::string woodpecker = R"toml(
coordinates = ["y", "pm", "ps"]
[parameters]
mM = 0.0003
mS = 0.0045
JM = 5e-9
JS = 7e-7
c = 0.0056
r0 = 0.0025
rM = 0.0031
hM = 0.0058
lM = 0.010
lG = 0.015
hS = 0.02
lS = 0.0201
mu = 0.3
g = 9.81
[energy]
kinetic = "((mM + mS)*y'^2 + (JM + mS*lM^2)*pm'^2 + (JS + mS*lG^2)*ps'^2)/2 + mS*lM*y'*pm' + mS*lG*y'*ps' + mS*lM*lG*pm'*ps'"
potential = "c*(pm - ps)^2/2 + (mS + mM)*g*y + mS*g*(lM*pm + lG*ps)"
[[contact]]
name = "beak"
gap = "lM + lG - lS - r0 - hS*ps"
restitution = 0.5
friction = "mu"
slip = "y' + lM*pm' + (lG - lS)*ps'"
impact = "LAW"
[[contact]]
name = "low"
gap = "rM - r0 + hM*pm"
friction = "mu"
slip = "y' + rM*pm'"
impact = "LAW"
[[contact]]
name = "high"
gap = "rM - r0 - hM*pm"
friction = "mu"
slip = "y' + rM*pm'"
impact = "LAW"
[initial]
pm = -0.1036
ps = -0.2788
"y'" = -0.3411
"ps'" = -7.4583
adjust = "nearest"
[simulation]
duration = 12
samples = 2
rtol = 1e-11
)toml";

TEST(Impacts, TheWoodpeckerPecksAtItsPeriod) {
  const auto period = [](const std::string& law) {
    const Ran ran = run(with_law(woodpecker, law));
    EXPECT_TRUE(ran.summary.complete) << ran.summary.reason;
    const auto pecks = ran.times("beak", "impact");
    EXPECT_GT(pecks.size(), 60u);
    return (pecks.back() - pecks[pecks.size() - 21]) / 20;
  };
  // Slip does not reverse in any of its impacts, so that the laws agree. After 12 s the
  // motion is within 1e-10 of its cycle.
  EXPECT_NEAR(period("newton"), 0.14597606514, 2e-10);
  EXPECT_NEAR(period("poisson"), 0.14597606514, 2e-10);
  EXPECT_NEAR(period("energetic"), 0.17559869891, 2e-10);
}

TEST(Impacts, TheWoodpeckerJamsWhereFrictionHoldsIt) {
  // At rest on the lower edge: spring and weight give the friction that is needed.
  const double weight = (0.0003 + 0.0045) * 9.81, turn = 0.0045 * 9.81 * 0.015 / 0.0056;
  const double normal = (0.0056 * turn + 0.0045 * 9.81 * 0.010 - weight * 0.0031) / 0.0058;
  const double threshold = weight / normal;
  EXPECT_NEAR(threshold, 0.285, 5e-4);
  std::string text = with_law(woodpecker, "poisson");
  const std::size_t from = text.find("pm = -0.1036"), to = text.find("adjust");
  text.replace(from, to - from, "pm = \"-(rM - r0)/hM\"\nps = \"pm - mS*g*lG/c\"\n");
  text.replace(text.find("duration = 12"), 13, "duration = 0.01");
  const auto moves = [&](double mu) {
    const Ran ran = run(text, {{"mu", fmt::format("{:.17g}", mu)}});
    EXPECT_TRUE(ran.summary.complete) << ran.summary.reason;
    return std::abs(ran.rows.back().q[0]) > 1e-12;
  };
  EXPECT_FALSE(moves(threshold * (1 + 1e-6)));
  EXPECT_TRUE(moves(threshold * (1 - 1e-6)));
}

}  // namespace
}  // namespace dalembert::motion::instants_impacts_test
