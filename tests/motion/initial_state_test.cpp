// Where a motion starts: consistent, adjusted, or refused with the nearest state and the reason.
#include "dalembert/flow/state/initial_state.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/model/system.hpp"

namespace dalembert::motion::initial_state_test {
namespace {

using expr::dot;
using expr::Expr;
using expr::pow;
using model::Adjust;
using model::System;

System pendulum() {
  System s("pendulum");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2).potential(10 * y);
  s.constrain("rod", pow(x, 2) + pow(y, 2) == Expr(1));
  return s;
}

std::string refused(const System& s) {
  const auto start = initial_state(compile(s.model()).value());
  return start ? "accepted" : to_string(start.error());
}

TEST(InitialState, BrokenConstraintIsRefusedWithTheNearestState) {
  System s = pendulum();
  s.initial(expr::coordinate("x"), 3)
      .initial(expr::coordinate("y"), -4)
      .initial(expr::coordinate("x", 1), 1);
  const std::string message = refused(s);
  EXPECT_NE(message.find("the initial state breaks constraint 'rod': residual 24"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("the nearest consistent state (in the kinetic-energy metric) is"),
            std::string::npos);
  EXPECT_NE(message.find("x = 0.6"), std::string::npos) << message;
  EXPECT_NE(message.find("y = -0.8"), std::string::npos) << message;
  EXPECT_NE(message.find("adjust = \"nearest\""), std::string::npos);
}

TEST(InitialState, NearestMovesAlongTheKineticMetric) {
  // With masses 1 and 9 the nearest point of x + y = 1 to the origin minimises x² + 9 y²: (0.9,
  // 0.1).
  System s("weighted");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + 9 * pow(dot(y), 2)) / 2);
  s.constrain("line", x + y == Expr(1));
  s.adjust(Adjust::nearest);
  const InitialState start = initial_state(compile(s.model()).value()).value();
  EXPECT_TRUE(start.adjusted);
  EXPECT_NEAR(start.state.q[0], 0.9, 1e-15);
  EXPECT_NEAR(start.state.q[1], 0.1, 1e-15);
}

TEST(InitialState, NearestPointOfACurveIsTheFootOfThePerpendicular) {
  // y = x² from (0, 1), a little aside: the nearest points satisfy 2 x² = 1, that is x = sqrt(1/2),
  // not the first point a Newton step finds.
  System s("parabola");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  s.constrain("parabola", y == pow(x, 2));
  s.initial(x, 0.5).initial(y, 1).adjust(Adjust::nearest);
  const InitialState start = initial_state(compile(s.model()).value()).value();
  const double u = start.state.q[0], w = start.state.q[1];
  EXPECT_NEAR(w, u * u, 1e-15);
  EXPECT_NEAR((u - 0.5) + 2 * u * (w - 1), 0, 1e-10);  // perpendicular to the tangent (1, 2u)
}

TEST(InitialState, VelocityAdjustmentKeepsPositions) {
  System s = pendulum();
  s.initial(expr::coordinate("x"), 1)
      .initial(expr::coordinate("x", 1), 5)
      .initial(expr::coordinate("y", 1), 2);
  s.adjust(Adjust::velocity);
  const InitialState start = initial_state(compile(s.model()).value()).value();
  EXPECT_EQ(start.state.q[0], 1);
  EXPECT_EQ(start.state.v[0], 0);
  EXPECT_EQ(start.state.v[1], 2);
}

TEST(InitialState, VelocityAdjustmentDoesNotMovePositions) {
  System s = pendulum();
  s.initial(expr::coordinate("x"), 2).adjust(Adjust::velocity);
  EXPECT_NE(refused(s).find("so that positions may be adjusted too"), std::string::npos);
}

TEST(InitialState, SmallErrorsAreAcceptedAndProjected) {
  System s = pendulum();
  s.initial(expr::coordinate("x"), 1 + 1e-9);
  const InitialState start = initial_state(compile(s.model()).value()).value();
  EXPECT_FALSE(start.adjusted);
  EXPECT_NEAR(start.state.q[0], 1, 1e-15);
}

TEST(InitialState, ContradictoryPositionsAreNamed) {
  System s("contradiction");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  s.constrain("left", x == Expr(0)).constrain("up", y == Expr(0)).constrain("right", x == Expr(1));
  const std::string message = refused(s);
  EXPECT_NE(
      message.find(
          "constraints 'left' and 'right' contradict each other: no positions satisfy them all"),
      std::string::npos)
      << message;
}

TEST(InitialState, ContradictoryVelocitiesAreNamed) {
  System s("contradiction");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2);
  s.constrain("slow", dot(x) == Expr(1)).constrain("fast", dot(x) == Expr(2));
  EXPECT_NE(refused(s).find("constraints 'slow' and 'fast' contradict each other: no velocities"),
            std::string::npos)
      << refused(s);
}

TEST(InitialState, ContradictoryAccelerationsAreNamedUnlessWeighted) {
  System s("contradiction");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2);
  s.constrain("slow", dot(dot(x)) == Expr(1), 1).constrain("fast", dot(dot(x)) == Expr(2), 3);
  EXPECT_NE(refused(s).find(
                "constraint 'slow' and constraint 'fast' contradict each other: no acceleration"),
            std::string::npos)
      << refused(s);
  const Motion weighted = compile(s.model(), {{}, "weighted"}).value();
  EXPECT_TRUE(initial_state(weighted));
  EXPECT_DOUBLE_EQ(weighted.acceleration(0, std::vector{0.0}, std::vector{0.0}).qdd[0], 1.75);
}

TEST(InitialState, UnreachableConstraintSaysSo) {
  System s("imaginary circle");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  s.constrain("circle", pow(x, 2) + pow(y, 2) == Expr(-1));
  s.initial(x, 1);
  EXPECT_NE(refused(s).find("no positions near the initial state satisfy constraint 'circle'"),
            std::string::npos)
      << refused(s);
}

TEST(InitialState, IndefiniteMassIsExplained) {
  System s("indefinite");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) - pow(dot(y), 2)) / 2);
  EXPECT_NE(refused(s).find("indefinite"), std::string::npos) << refused(s);
}

TEST(InitialState, MasslessFreeCoordinateIsExplained) {
  System s("massless");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic(pow(dot(x), 2) / 2 + 0 * y);
  const std::string message = refused(s);
  EXPECT_NE(message.find("y''"), std::string::npos) << message;
}

TEST(InitialState, DivisionByZeroShowsTheCulprit) {
  System s("pole");
  auto [r] = s.coordinates("r");
  s.kinetic(pow(dot(r), 2) / 2).potential(-1 / r);
  EXPECT_NE(
      refused(s).find(
          "the potential energy is not finite at the initial state: 1/r divides by zero (r = 0)"),
      std::string::npos)
      << refused(s);
}

TEST(InitialState, InfiniteDerivativeShowsTheCulprit) {
  System s("kink");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2).potential(expr::sqrt(x));
  const std::string message = refused(s);
  EXPECT_NE(message.find("a generalized force is not finite at the initial state"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("divides by zero"), std::string::npos) << message;
}

Motion rod(const std::string& more = "") {
  auto model = model::read_model_text(
      "coordinates = [\"x\", \"y\"]\n[parameters]\nl = 1\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
      "[[constraint]]\nname = \"rod\"\nequation = \"x^2 + y^2 = l^2\"\n[initial]\nx = 0.6\n"
      "y = \"-sqrt(l^2 - x^2)\"\n\"x'\" = 0.8\n\"y'\" = \"-x*x'/y\"\n" +
          more,
      "rod.toml");
  return compile(std::move(model).value()).value();
}

TEST(InitialState, WhatIsWrittenInTermsOfAGivenValueFollowsIt) {
  const Motion motion = rod();
  const Start start = written_start(motion, {{{"x", 0.28}}, {}}).value();
  EXPECT_EQ(start.state.q[0], 0.28);
  EXPECT_NEAR(start.state.q[1], -0.96, 1e-15);
  EXPECT_NEAR(start.state.v[1], 0.28 * 0.8 / 0.96, 1e-15);
  const Start faster = written_start(motion, {{{"x'", 2}, {"y", 0.8}}, {}}).value();
  EXPECT_EQ(faster.state.q, (std::vector{0.6, 0.8}));
  EXPECT_NEAR(faster.state.v[1], -0.6 * 2 / 0.8, 1e-15);
  EXPECT_NEAR(initial_state(motion, start).value().state.q[1], -0.96, 1e-15);
  EXPECT_THROW(written_start(motion, {{{"z", 1}}, {}}), std::invalid_argument);
  const auto infinite = written_start(motion, {{{"x", 2}}, {}});
  ASSERT_FALSE(infinite);
  EXPECT_NE(to_string(infinite.error()).find("the initial value of y is not finite"),
            std::string::npos);
}

TEST(InitialState, GivenValuesAreRefusedOrAdjustedAsAsked) {
  const Motion motion = rod();
  Start start = written_start(motion, {{{"x", 3}, {"y", -4}, {"x'", 0}}, {}}).value();
  const auto refused = initial_state(motion, start);
  ASSERT_FALSE(refused);
  EXPECT_NE(to_string(refused.error()).find("residual 24"), std::string::npos);
  start.adjust = Adjust::nearest;
  const InitialState found = initial_state(motion, start).value();
  EXPECT_TRUE(found.adjusted);
  EXPECT_NEAR(found.state.q[0], 0.6, 1e-15);
  EXPECT_NEAR(found.state.q[1], -0.8, 1e-15);
}

TEST(InitialState, WhatIsHeldIsHeldWhereItIsGiven) {
  const Motion motion = rod("adjust = \"nearest\"\nhold = [\"x\"]\n");
  for (const double x : {0.6, 0.28, -0.96}) {
    const Start start = written_start(motion, {{{"x", x}, {"y", -0.9}}, {}}).value();
    EXPECT_EQ(start.hold, (std::vector<std::string>{"x", "x'"}));
    const InitialState found = initial_state(motion, start).value();
    EXPECT_EQ(found.state.q[0], x);
    EXPECT_NEAR(found.state.q[1], -std::sqrt(1 - x * x), 1e-14);
    EXPECT_EQ(found.state.v[0], 0.8);
  }
  Start other = written_start(motion, {{{"x", 0.7}, {"y", -0.8}}, {}}).value();
  other.hold = {"y"};
  EXPECT_EQ(initial_state(motion, other).value().state.q[1], -0.8);
}

TEST(Projection, RedundantConstraintsAreProjectedAsOne) {
  System s = pendulum();
  const Expr x = expr::coordinate("x"), y = expr::coordinate("y");
  s.constrain("again", (pow(x, 2) + pow(y, 2) - 1) * (2 + x) == Expr(0));
  s.initial(x, 0.6).initial(y, -0.8);
  const Motion motion = compile(s.model()).value();
  Projector projector(motion);
  std::vector<double> q{0.6, -0.8}, v{0.8, 0.6};
  ASSERT_EQ(projector.decide(0, q, v), Status::ok);
  q[0] += 1e-7;
  v[1] += 1e-7;
  const Projection positions = projector.positions(0, q, v);
  const Projection velocities = projector.velocities(0, q, v);
  EXPECT_TRUE(positions.converged && velocities.converged);
  EXPECT_LE(std::abs(q[0] * q[0] + q[1] * q[1] - 1), 1e-15);
  EXPECT_LE(std::abs(q[0] * v[0] + q[1] * v[1]), 1e-15);
}

}  // namespace
}  // namespace dalembert::motion::initial_state_test
