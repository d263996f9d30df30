// M, Q, A, b from a model, against formulas worked out by hand and against each other.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/mechanics/equations.hpp"
#include "dalembert/model/system.hpp"

namespace dalembert::mechanics::lagrange_test {
namespace {

using expr::cos;
using expr::dot;
using expr::pow;
using expr::sin;
using model::System;

/// Positions, velocities and parameters by name ("x", "x'", "m"), time as "t".
using Values = std::map<std::string, double>;

double value(const Expr& e, const Values& values) {
  return expr::evaluate(e, [&](const expr::Symbol& s) {
    return values.at(s.name + (s.kind == expr::SymbolKind::coordinate
                                   ? std::string(static_cast<std::size_t>(s.order), '\'')
                                   : std::string()));
  });
}

double entry(const std::vector<Entry>& matrix, std::uint32_t row, std::uint32_t column,
             const Values& values) {
  for (const Entry& e : matrix) {
    if (e.row == row && e.column == column) return value(e.value, values);
  }
  return 0;
}

constexpr double eps = 1e-14;  // a handful of operations on numbers of order one

TEST(Lagrange, DoublePendulumMatchesTheTextbook) {
  System s("double pendulum");
  auto [a, b] = s.coordinates("a", "b");
  const auto g = s.parameter("g", 9.81);
  const Expr x1 = sin(a), y1 = -cos(a), x2 = x1 + sin(b), y2 = y1 - cos(b);
  s.kinetic((pow(dot(x1), 2) + pow(dot(y1), 2) + pow(dot(x2), 2) + pow(dot(y2), 2)) / 2);
  s.potential(g * (y1 + y2));
  const Equations eq = lagrange(s.model());
  const Values at{{"a", 0.4}, {"b", -0.9}, {"a'", 1.3}, {"b'", -0.7}, {"g", 9.81}, {"t", 0}};
  const double c = std::cos(0.4 + 0.9), sn = std::sin(0.4 + 0.9);
  EXPECT_NEAR(entry(eq.M, 0, 0, at), 2, eps);
  EXPECT_NEAR(entry(eq.M, 1, 0, at), c, eps);
  EXPECT_NEAR(entry(eq.M, 1, 1, at), 1, eps);
  // 2 a'' + b'' cos(a-b) = -b'^2 sin(a-b) - 2 g sin a ;  a'' cos(a-b) + b'' = a'^2 sin(a-b) - g sin
  // b
  EXPECT_NEAR(value(eq.Q[0], at), -0.49 * sn - 2 * 9.81 * std::sin(0.4), 10 * eps);
  EXPECT_NEAR(value(eq.Q[1], at), 1.69 * sn - 9.81 * std::sin(-0.9), 10 * eps);
}

TEST(Lagrange, ExplicitTimeInTheKineticEnergyEntersQ) {
  // A bead at distance r on a rod turning as w(t) = t^2/2, so its angular velocity is t: T = (r'^2
  // + r^2 t^2)/2 plus a gyroscopic term r' r t that moves momentum: p = r' + r t, dp/dt without r''
  // = r' t + r.
  System s("rod");
  auto [r] = s.coordinates("r");
  const Expr t = expr::time();
  s.kinetic(pow(dot(r), 2) / 2 + pow(r * t, 2) / 2 + dot(r) * r * t);
  const Equations eq = lagrange(s.model());
  const Values at{{"r", 1.5}, {"r'", -0.25}, {"t", 2}};
  // Q = dT/dr - (dp/dt without r'') = r t^2 + r' t - (r' t + r)
  EXPECT_NEAR(value(eq.Q[0], at), 1.5 * 4 - 1.5, eps);
  // h = r'^2/2 - r^2 t^2/2 and dh/dt = -dL/dt
  EXPECT_NEAR(value(eq.h, at), 0.03125 - 1.5 * 1.5 * 4 / 2, eps);
  EXPECT_NEAR(value(eq.other_power, at), -(1.5 * 1.5 * 2 + -0.25 * 1.5), eps);
}

TEST(Lagrange, DissipationAndForcesEnterQAndTheAppliedPower) {
  System s("damped");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2)
      .dissipation(pow(dot(x), 2) / 4)
      .force(x, 3 * expr::time())
      .potential(2 * pow(x, 2));
  const Equations eq = lagrange(s.model());
  const Values at{{"x", 0.5}, {"x'", 2}, {"t", 1}};
  EXPECT_NEAR(value(eq.Q[0], at), 3 - 1 - 2, eps);
  EXPECT_NEAR(value(eq.applied_power, at), (3 - 1) * 2, eps);
}

TEST(Constraints, PositionIsDifferentiatedTwice) {
  System s("driven");
  auto [x, y] = s.coordinates("x", "y");
  const Expr t = expr::time();
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  s.constrain("wire", x * y == pow(t, 3));
  const Equations eq = lagrange(s.model());
  ASSERT_EQ(eq.constraints[0].level, Level::position);
  const Values at{{"x", 2}, {"y", 3}, {"x'", 5}, {"y'", 7}, {"t", 1.5}};
  EXPECT_DOUBLE_EQ(entry(eq.A, 0, 0, at), 3);
  EXPECT_DOUBLE_EQ(entry(eq.A, 0, 1, at), 2);
  EXPECT_DOUBLE_EQ(value(eq.b[0], at), -(2 * 5 * 7 - 6 * 1.5));
  EXPECT_DOUBLE_EQ(value(eq.constraints[0].rate, at), 3 * 5 + 2 * 7 - 3 * 1.5 * 1.5);
  EXPECT_DOUBLE_EQ(value(eq.constraints[0].scale, at), 6 + 1.5 * 1.5 * 1.5);
}

TEST(Constraints, NonlinearVelocityIsDifferentiatedOnce) {
  System s("appell");
  auto [x, z] = s.coordinates("x", "z");
  s.kinetic((pow(dot(x), 2) + pow(dot(z), 2)) / 2);
  s.constrain("cone", pow(dot(x), 2) == z * pow(dot(z), 2));
  const Equations eq = lagrange(s.model());
  ASSERT_EQ(eq.constraints[0].level, Level::velocity);
  const Values at{{"x", 0}, {"z", 4}, {"x'", 6}, {"z'", 3}, {"t", 0}};
  EXPECT_DOUBLE_EQ(entry(eq.A, 0, 0, at), 12);
  EXPECT_DOUBLE_EQ(entry(eq.A, 0, 1, at), -24);
  EXPECT_DOUBLE_EQ(value(eq.b[0], at), 27);
}

TEST(Constraints, AccelerationIsTakenAsItIs) {
  System s("servo");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  s.constrain("servo", y * dot(dot(x)) + 2 * dot(dot(y)) + dot(x) == expr::time());
  const Equations eq = lagrange(s.model());
  ASSERT_EQ(eq.constraints[0].level, Level::acceleration);
  const Values at{{"x", 0}, {"y", 4}, {"x'", 6}, {"y'", 3}, {"x''", 1}, {"y''", 1}, {"t", 10}};
  EXPECT_DOUBLE_EQ(entry(eq.A, 0, 0, at), 4);
  EXPECT_DOUBLE_EQ(entry(eq.A, 0, 1, at), 2);
  EXPECT_DOUBLE_EQ(value(eq.b[0], at), 4);
}

TEST(Lagrange, MassMatrixGivesQAsWrittenAndItsOwnEnergyAudit) {
  System s("varying");
  auto [x, y] = s.coordinates("x", "y");
  s.mass_matrix({{2 + pow(y, 2), x}, {x, Expr(3)}}).force(x, -x).force(y, dot(x));
  const Equations eq = lagrange(s.model());
  const Values at{{"x", 0.5}, {"y", 2}, {"x'", 3}, {"y'", 5}, {"t", 0}};
  EXPECT_DOUBLE_EQ(entry(eq.M, 1, 0, at), 0.5);
  EXPECT_DOUBLE_EQ(value(eq.Q[1], at), 3);
  EXPECT_DOUBLE_EQ(value(eq.kinetic, at), (6 * 9 + 2 * 0.5 * 15 + 3 * 25) / 2.0);
  // M' = [[2 y y', x'], [x', 0]]
  EXPECT_DOUBLE_EQ(value(eq.other_power, at), (20 * 9 + 2 * 3 * 15) / 2.0);
}

TEST(Lagrange, ChainOfBodiesStaysSparse) {
  constexpr std::size_t n = 400;
  System s("chain");
  std::vector<Expr> q;
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < n; ++i) {
    q.push_back(s.coordinate("q" + std::to_string(i)));
    terms.push_back(pow(dot(q[i]), 2) / 2);
    if (i > 0) s.constrain("link" + std::to_string(i), pow(q[i] - q[i - 1], 2) == Expr(1));
  }
  s.kinetic(expr::sum(terms));
  const Equations eq = lagrange(s.model());
  EXPECT_EQ(eq.M.size(), n);
  EXPECT_EQ(eq.A.size(), 2 * (n - 1));
}

}  // namespace
}  // namespace dalembert::mechanics::lagrange_test
