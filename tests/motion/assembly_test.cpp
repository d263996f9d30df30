// Mechanisms put together from rough values, with some of them held.
#include "dalembert/flow/state/assembly.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/system.hpp"

namespace dalembert::motion::assembly_test {
namespace {

using expr::dot;
using expr::Expr;
using expr::pow;
using model::Adjust;
using model::System;

// Positions of mechanisms of size one whose rows are far from dependent: a few roundings.
constexpr double rounding = 1e-13;

struct FourBar {
  double crank = 1, coupler = 2.5, rocker = 2, ground_x = 3, ground_y = 0;
};

/// Absolute angles a of the crank, b of the coupler, c of the rocker, closed by a loop.
System four_bar(const FourBar& f) {
  System s("four-bar");
  auto [a, b, c] = s.coordinates("a", "b", "c");
  s.kinetic(pow(dot(a), 2) / 4 + pow(dot(b), 2) / 2 + pow(dot(c), 2) / 3);
  s.constrain("loop x", f.crank * cos(a) + f.coupler * cos(b) == f.ground_x + f.rocker * cos(c));
  s.constrain("loop y", f.crank * sin(a) + f.coupler * sin(b) == f.ground_y + f.rocker * sin(c));
  s.adjust(Adjust::nearest);
  return s;
}

/// Where two circles meet, about the crank's pin and the rocker's foot: side 1 to the left of the
/// way from the one to the other, -1 to the right. Angles b and c.
std::array<double, 2> closed_form(const FourBar& f, double a, int side) {
  const double px = f.crank * std::cos(a), py = f.crank * std::sin(a);
  const double dx = f.ground_x - px, dy = f.ground_y - py, d = std::hypot(dx, dy);
  const double along = (d * d + f.coupler * f.coupler - f.rocker * f.rocker) / (2 * d);
  const double aside = side * std::sqrt(f.coupler * f.coupler - along * along);
  const double mx = px + (along * dx - aside * dy) / d, my = py + (along * dy + aside * dx) / d;
  return {std::atan2(my - py, mx - px), std::atan2(my - f.ground_y, mx - f.ground_x)};
}

InitialState started(const System& s) {
  return initial_state(compile(s.model()).value()).value();
}

std::string refused(const System& s) {
  const auto start = initial_state(compile(s.model()).value());
  return start ? "accepted" : to_string(start.error());
}

const Expr a = expr::coordinate("a"), b = expr::coordinate("b"), c = expr::coordinate("c");
const Expr x = expr::coordinate("x"), y = expr::coordinate("y");

TEST(Assembly, FourBarFromRoughValuesOnBothSides) {
  const FourBar f;
  for (const double crank : {0.3, 1.1, 2.0, 3.5, 5.0}) {
    for (const int side : {1, -1}) {
      const auto [coupler, rocker] = closed_form(f, crank, side);
      System s = four_bar(f);
      s.initial(a, crank).initial(b, coupler + 0.2).initial(c, rocker - 0.25).hold(a);
      const InitialState start = started(s);
      EXPECT_TRUE(start.adjusted);
      EXPECT_EQ(start.state.q[0], crank);
      EXPECT_NEAR(start.state.q[1], coupler, rounding) << crank << " " << side;
      EXPECT_NEAR(start.state.q[2], rocker, rounding) << crank << " " << side;
    }
  }
}

TEST(Assembly, WithoutHoldTheCrankMovesToo) {
  const FourBar f;
  const auto [coupler, rocker] = closed_form(f, 1.1, 1);
  System s = four_bar(f);
  s.initial(a, 1.1).initial(b, coupler + 0.2).initial(c, rocker - 0.25);
  EXPECT_GT(std::abs(started(s).state.q[0] - 1.1), 0.01);
}

TEST(Assembly, HeldVelocityDrivesTheRest) {
  const FourBar f;
  const double crank = 0.7, rate = 3;
  const auto [coupler, rocker] = closed_form(f, crank, 1);
  System s = four_bar(f);
  s.initial(a, crank).initial(b, coupler - 0.1).initial(c, rocker + 0.1);
  s.initial(dot(a), rate).initial(dot(c), -7).hold(a);
  const InitialState start = started(s);
  EXPECT_EQ(start.state.q[0], crank);
  EXPECT_EQ(start.state.v[0], rate);
  // Seen along the rocker's and the coupler's normal: the textbook ratios.
  const double turn = f.crank * rate / std::sin(rocker - coupler);
  EXPECT_NEAR(start.state.v[1], turn / f.coupler * std::sin(crank - rocker), 1e-12);
  EXPECT_NEAR(start.state.v[2], turn / f.rocker * std::sin(crank - coupler), 1e-12);
}

TEST(Assembly, VelocityAloneMayBeHeld) {
  // The crank may move, its rate may not; the rate stays though no initial rate fits the others.
  System s = four_bar({});
  s.initial(a, 1).initial(b, 1).initial(c, 2).initial(dot(a), 2).initial(dot(b), 5).hold(dot(a));
  const InitialState start = started(s);
  EXPECT_NE(start.state.q[0], 1);
  EXPECT_EQ(start.state.v[0], 2);
}

TEST(Assembly, VelocitiesAloneAreAdjustedAroundAHeldOne) {
  const FourBar f;
  const auto [coupler, rocker] = closed_form(f, 0.7, -1);
  System s = four_bar(f);
  s.initial(a, 0.7).initial(b, coupler).initial(c, rocker).initial(dot(c), 2).hold(dot(c));
  s.adjust(Adjust::velocity);
  const InitialState start = started(s);
  EXPECT_EQ(start.state.v[2], 2);
  const double turn = 2 * f.rocker / std::sin(0.7 - coupler);
  EXPECT_NEAR(start.state.v[0], turn / f.crank * std::sin(rocker - coupler), 1e-12);
  EXPECT_NEAR(start.state.q[1], coupler, 1e-15);
}

TEST(Assembly, HeldPositionLeavesAnUnwrittenVelocityFree) {
  const FourBar f;
  const auto [coupler, rocker] = closed_form(f, 0.7, 1);
  System s = four_bar(f);
  s.initial(a, 0.7).initial(b, coupler).initial(c, rocker).initial(dot(c), 1).hold(a);
  EXPECT_NE(started(s).state.v[0], 0);
  s.initial(dot(a), 0);
  const InitialState start = started(s);
  EXPECT_EQ(start.state.v[0], 0);
  EXPECT_NEAR(start.state.v[2], 0, 1e-14);
}

TEST(Assembly, NearestOnTheConstraintsThatRemain) {
  // x + y + z = 3 with x held at 0: of y + z = 3 the nearest to 0 in the metric 1, 2 is (2, 1).
  System s("plane");
  auto [p, q, r] = s.coordinates("p", "q", "r");
  s.kinetic((5 * pow(dot(p), 2) + pow(dot(q), 2) + 2 * pow(dot(r), 2)) / 2);
  s.constrain("plane", p + q + r == Expr(3)).adjust(Adjust::nearest).hold(p);
  const InitialState start = started(s);
  EXPECT_EQ(start.state.q[0], 0);
  EXPECT_NEAR(start.state.q[1], 2, 1e-14);
  EXPECT_NEAR(start.state.q[2], 1, 1e-14);
}

TEST(Assembly, HeldValuesStayToTheLastBitEvenWhereNothingIsBroken) {
  // Off by 1e-9: no need to adjust, but the start is brought to round-off; not by what is held.
  System s("circle");
  auto [p, q] = s.coordinates("p", "q");
  s.kinetic((pow(dot(p), 2) + pow(dot(q), 2)) / 2);
  s.constrain("circle", pow(p, 2) + pow(q, 2) == Expr(1)).adjust(Adjust::nearest).hold(p);
  s.initial(p, 0.6).initial(q, 0.8 + 1e-9);
  const InitialState start = started(s);
  EXPECT_FALSE(start.adjusted);
  EXPECT_EQ(start.state.q[0], 0.6);
  EXPECT_NEAR(start.state.q[1], 0.8, 1e-15);
}

TEST(Assembly, TellsWhatMovedMost) {
  System s("plane");
  auto [p, q] = s.coordinates("p", "q");
  s.kinetic((pow(dot(p), 2) + 3 * pow(dot(q), 2)) / 2);
  s.constrain("line", p + q == Expr(4)).adjust(Adjust::nearest);
  s.initial(dot(q), 4);
  const InitialState start = started(s);
  ASSERT_EQ(start.changes.size(), 2u);
  EXPECT_EQ(start.changes[0].name, "p");
  EXPECT_EQ(start.changes[0].from, 0);
  EXPECT_NEAR(start.changes[0].to, 3, 1e-14);
  EXPECT_EQ(start.changes[1].name, "p'");
  EXPECT_NEAR(start.changes[1].to, -3, 1e-14);
}

/// A platform in the plane, (x, y, phi), on legs from fixed feet to points of it; the lengths are
/// those of a pose.
struct Leg {
  double foot_x, foot_y, top_x, top_y;
};
constexpr std::array<Leg, 4> legs = {
    {{0, 0, -0.5, -0.3}, {3, 0, 0.5, -0.3}, {1.5, 3, 0, 0.6}, {-1, 2, -0.4, 0.2}}};

System platform(double px, double py, double angle) {
  System s("platform");
  auto [u, w, phi] = s.coordinates("x", "y", "phi");
  s.kinetic((pow(dot(u), 2) + pow(dot(w), 2)) + pow(dot(phi), 2) / 8);
  for (std::size_t k = 0; k < legs.size(); ++k) {
    const auto& [fx, fy, tx, ty] = legs[k];
    const double length = std::hypot(px + tx * std::cos(angle) - ty * std::sin(angle) - fx,
                                     py + tx * std::sin(angle) + ty * std::cos(angle) - fy);
    const Expr ex = u + tx * cos(phi) - ty * sin(phi) - fx;
    const Expr ey = w + tx * sin(phi) + ty * cos(phi) - fy;
    const Expr l = s.parameter("length" + std::to_string(k), length);
    s.constrain("leg " + std::to_string(k), pow(ex, 2) + pow(ey, 2) == pow(l, 2));
  }
  s.adjust(Adjust::nearest);
  return s;
}

TEST(Assembly, RedundantLegsLeadToThePose) {
  System s = platform(1.4, 1.2, 0.3);
  s.initial(x, 1.3).initial(y, 1.35).initial(expr::coordinate("phi"), 0.1);
  const InitialState start = started(s);
  EXPECT_NEAR(start.state.q[0], 1.4, 1e-12);
  EXPECT_NEAR(start.state.q[1], 1.2, 1e-12);
  EXPECT_NEAR(start.state.q[2], 0.3, 1e-12);
  // Held where it belongs it is one more redundant condition.
  s.initial(expr::coordinate("phi"), 0.3).hold(expr::coordinate("phi"));
  const InitialState held = started(s);
  EXPECT_NEAR(held.state.q[0], 1.4, 1e-12);
  EXPECT_EQ(held.state.q[2], 0.3);
}

TEST(Assembly, HeldWhereTheLegsDoNotReachIsToldByName) {
  System s = platform(1.4, 1.2, 0.3);
  s.initial(x, 1.3).initial(y, 1.35).initial(expr::coordinate("phi"), 1.0);
  s.hold(expr::coordinate("phi"));
  const std::string message = refused(s);
  EXPECT_NE(message.find("cannot be assembled"), std::string::npos) << message;
  EXPECT_NE(message.find("'hold phi'"), std::string::npos) << message;
}

TEST(Assembly, OnlyTheConstraintsInConflictAreNamed) {
  System s("pendulum and guide");
  auto [p, q, r] = s.coordinates("p", "q", "r");
  s.kinetic((pow(dot(p), 2) + pow(dot(q), 2) + pow(dot(r), 2)) / 2);
  s.constrain("guide", r == p / 7 + 1).constrain("rod", pow(p, 2) + pow(q, 2) == Expr(1));
  s.initial(p, 2).initial(q, 0.4).hold(p).adjust(Adjust::nearest);
  EXPECT_NE(refused(s).find("cannot be assembled: constraints 'rod' and 'hold p' conflict: no "
                            "positions near the initial state satisfy them all"),
            std::string::npos)
      << refused(s);
  s.initial(p, 0.8).initial(dot(p), 1).initial(dot(q), 1).hold(dot(q));
  EXPECT_NE(refused(s).find("constraints 'rod', 'hold p'' and 'hold q'' contradict each other: no "
                            "velocities satisfy them all"),
            std::string::npos)
      << refused(s);
}

/// The same four-bar by its two moving pins and the lengths of its links; and beside it a bead on a
/// wire, roughly placed, which has nothing to do with it.
System pins(double ground) {
  System s("pins");
  auto [x1, y1, x2, y2, bead] = s.coordinates("x1", "y1", "x2", "y2", "bead");
  s.kinetic((pow(dot(x1), 2) + pow(dot(y1), 2) + pow(dot(x2), 2) + pow(dot(y2), 2)) / 2 +
            pow(dot(bead), 2));
  s.constrain("crank", pow(x1, 2) + pow(y1, 2) == Expr(1));
  s.constrain("wire", pow(bead, 3) == Expr(8));
  s.constrain("coupler", pow(x2 - x1, 2) + pow(y2 - y1, 2) == Expr(4));
  s.constrain("rocker", pow(x2 - ground, 2) + pow(y2, 2) == Expr(2.25));
  s.adjust(Adjust::nearest);
  s.initial(x1, 0.5).initial(y1, 1).initial(x2, 2).initial(y2, 1.4).initial(bead, 1.5);
  return s;
}

TEST(Assembly, LinksTooShortAreNamedAndNothingElse) {
  EXPECT_EQ(refused(pins(3)), "accepted");
  EXPECT_NE(refused(pins(5)).find("constraints 'crank', 'coupler' and 'rocker' conflict: no "
                                  "positions near the initial state satisfy them all"),
            std::string::npos)
      << refused(pins(5));
}

TEST(Assembly, ParametersMoveWhatIsHeld) {
  // The library of held motions is made once; each run of a sweep brings its values.
  const FourBar f;
  System s = four_bar(f);
  const Expr start = s.parameter("start", 0.3);
  s.initial(a, start).initial(b, 1.2).initial(c, 2.0).hold(a);
  const Motion motion = compile(s.model()).value();
  for (const double value : {0.3, 0.5, 0.4}) {
    const auto found = initial_state(motion.with_parameters({value})).value().state;
    const auto [coupler, rocker] = closed_form(f, value, 1);
    EXPECT_EQ(found.q[0], value);
    EXPECT_NEAR(found.q[1], coupler, rounding);
    EXPECT_NEAR(found.q[2], rocker, rounding);
  }
}

TEST(Assembly, HoldNeedsAnAdjustedStart) {
  System s = four_bar({});
  s.hold(a).adjust(Adjust::none);
  const auto motion = compile(s.model());
  ASSERT_FALSE(motion);
  EXPECT_NE(to_string(motion.error())
                .find("hold names what stays when a start is adjusted, and this one is not"),
            std::string::npos);
}

TEST(AssemblyProperty, RandomFourBarsComeBackTogether) {
  const auto within = [](double low, double high) {
    return low + (high - low) * *rc::gen::inRange(0, 1'000'001) / 1e6;
  };
  EXPECT_TRUE(rc::check("a perturbed four-bar with its crank held", [&] {
    const double pi = std::numbers::pi;
    const double qa = within(-pi, pi), qb = within(-pi, pi);
    // Coupler and rocker far from in line, where the two assemblies meet.
    const double qc = qb + (*rc::gen::arbitrary<bool>() ? 1 : -1) * within(0.7, pi - 0.7);
    FourBar f{within(0.3, 2), within(0.5, 2), within(0.5, 2), 0, 0};
    f.ground_x = f.crank * std::cos(qa) + f.coupler * std::cos(qb) - f.rocker * std::cos(qc);
    f.ground_y = f.crank * std::sin(qa) + f.coupler * std::sin(qb) - f.rocker * std::sin(qc);
    System s = four_bar(f);
    s.initial(a, qa).initial(b, qb + within(-0.15, 0.15)).initial(c, qc + within(-0.15, 0.15));
    s.hold(a);
    const InitialState start = started(s);
    RC_ASSERT(start.state.q[0] == qa);
    // Lengths between 1/2 and 2 and an angle of at least 0.7: rounding grows by less than ten.
    RC_ASSERT(std::abs(start.state.q[1] - qb) < 1e-12);
    RC_ASSERT(std::abs(start.state.q[2] - qc) < 1e-12);
  }));
}

}  // namespace
}  // namespace dalembert::motion::assembly_test
