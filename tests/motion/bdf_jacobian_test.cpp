// The exact Jacobian of accelerations and powers against difference quotients of order 8.
#include "dalembert/flow/jacobian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "bundled.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/system.hpp"

namespace dalembert::motion::bdf_jacobian_test {
namespace {

using expr::dot;
using expr::Expr;
using expr::pow;
using model::System;

/// q'' and the four powers, with the decisions held.
Eigen::VectorXd right_side(Evaluator& evaluator, double t, const Eigen::VectorXd& x) {
  const auto n = static_cast<std::size_t>(x.size()) / 2;
  EXPECT_EQ(evaluator.evaluate(t, {x.data(), n}, {x.data() + n, n}), Status::ok);
  Eigen::VectorXd f(static_cast<Eigen::Index>(n + 4));
  f << evaluator.acceleration(), evaluator.applied_power(), evaluator.ideal_power(),
      evaluator.nonideal_power(), evaluator.other_power();
  return f;
}

/// Central differences of order 8: weights 4/5, -1/5, 4/105, -1/280.
Eigen::MatrixXd difference_quotients(Evaluator& evaluator, double t, const Eigen::VectorXd& x,
                                     double step) {
  static constexpr std::array weights = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(x.size() / 2 + 4, x.size());
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double h = step * (1 + std::abs(x[j]));
    for (int s = 1; s <= 4; ++s) {
      Eigen::VectorXd up = x, down = x;
      up[j] += s * h;
      down[j] -= s * h;
      J.col(j) += weights[static_cast<std::size_t>(s - 1)] / (up[j] - down[j]) * (2 * s) *
                  (right_side(evaluator, t, up) - right_side(evaluator, t, down));
    }
  }
  return J;
}

/// Row by row. With h = 1e-3 a function that changes over the length L is known to (h/L)^8 9!/630
/// of f/L by its quotients: to 1e-11 for L = 0.05, and the models are smoother. Rounding leaves a
/// few thousand eps of f/h, that is 1e-9 of f; where f is what is left of larger terms, the entries
/// of its row of J tell how large those were. The rattleback, an ellipsoid with a semi-axis of
/// 0.02, changes over less than that; shorter steps then do: it is enough that one of two step
/// lengths, of which the errors have nothing in common, confirms a row.
void expect_exact(const Motion& motion, double t, const Eigen::VectorXd& x) {
  const auto n = static_cast<std::size_t>(x.size()) / 2;
  Evaluator evaluator(motion);
  ASSERT_EQ(evaluator.decide(t, {x.data(), n}, {x.data() + n, n}), Status::ok);
  const Held held = evaluator.solution().held();
  Jacobian jacobian(motion);
  ASSERT_TRUE(jacobian.evaluate(t, {x.data(), n}, {x.data() + n, n}, held));
  Eigen::MatrixXd exact(x.size() / 2 + 4, x.size());
  exact << jacobian.acceleration(), jacobian.power();
  const Eigen::MatrixXd quotients = difference_quotients(evaluator, t, x, 1e-3);
  const Eigen::MatrixXd closer = difference_quotients(evaluator, t, x, 1e-4);
  const Eigen::VectorXd f = right_side(evaluator, t, x);
  for (Eigen::Index i = 0; i < exact.rows(); ++i) {
    const double scale = 1 + quotients.row(i).lpNorm<Eigen::Infinity>() + std::abs(f[i]);
    const double error = std::min((exact - quotients).row(i).lpNorm<Eigen::Infinity>(),
                                  (exact - closer).row(i).lpNorm<Eigen::Infinity>());
    EXPECT_LE(error, 1e-8 * scale)
        << "row " << i << "\nexact " << exact.row(i) << "\nquotients " << quotients.row(i);
  }
}

/// A state near the given one, on the constraints.
Eigen::VectorXd nearby(const Motion& motion, const State& start, std::mt19937& random) {
  std::uniform_real_distribution<double> change(-0.2, 0.2);
  State s = start;
  for (double& q : s.q) q += change(random);
  for (double& v : s.v) v += change(random);
  Projector projector(motion);
  EXPECT_TRUE(projector.nearest_positions(s.t, s.q, s.v).converged);
  EXPECT_TRUE(projector.nearest_velocities(s.t, s.q, s.v).converged);
  Eigen::VectorXd x(static_cast<Eigen::Index>(2 * s.q.size()));
  std::copy(s.q.begin(), s.q.end(), x.begin());
  std::copy(s.v.begin(), s.v.end(), x.begin() + static_cast<std::ptrdiff_t>(s.q.size()));
  return x;
}

TEST(Jacobian, IsExactOnEveryBundledModel) {
  std::mt19937 random(4);
  for (const std::string& name : bundled_names()) {
    SCOPED_TRACE(name);
    const Motion motion = compile_bundled(name);
    const State start = initial_state(motion).value().state;
    for (int i = 0; i < 5; ++i) expect_exact(motion, 0, nearby(motion, start, random));
  }
}

/// Every term there is: explicit time, dissipation, a force, a C that depends on the ideal force, a
/// coordinate without mass, and constraints of which one follows from the others.
System everything(bool redundant) {
  System s("everything");
  auto [x, y, z, w] = s.coordinates("x", "y", "z", "w");
  const Expr t = expr::time();
  s.kinetic((1 + expr::sin(t) / 4) * (pow(dot(x), 2) + 2 * pow(dot(y), 2)) / 2 +
            pow(dot(z), 2) * (1 + pow(x, 2)) / 2 + dot(x) * expr::cos(t));
  s.potential(pow(x, 2) * (2 + expr::sin(2 * t)) + expr::cos(z) * y);
  s.dissipation(pow(dot(x) - dot(w), 2) / 5);
  s.force(z, expr::sin(x) * dot(y) + expr::cos(3 * t));
  s.constrain("surface", y == expr::sin(x) + pow(z, 2) / 5 + t / 5);
  s.constrain("shadow", w == x * expr::cos(z));
  if (redundant) {
    // By the rates of the other two, whose weights change with the state.
    s.constrain("again",
                (dot(y) - expr::cos(x) * dot(x) - 2 * z * dot(z) / 5 - Expr(1) / 5) * expr::exp(x) +
                        3 * (dot(w) - dot(x) * expr::cos(z) + x * expr::sin(z) * dot(z)) ==
                    Expr(0));
  }
  const Expr normal = expr::sqrt(pow(expr::ideal_force("x"), 2) + pow(expr::ideal_force("y"), 2) +
                                 pow(expr::ideal_force("z"), 2) + Expr(1) / 100);
  s.virtual_work(x, -normal * dot(x) / 3).virtual_work(z, -normal * dot(z) / 4 - dot(w) / 7);
  s.initial(x, 0.3).initial(dot(x), 0.5).initial(z, 0.7).initial(dot(z), -1);
  s.adjust(model::Adjust::nearest);
  return s;
}

TEST(Jacobian, IsExactWithEveryKindOfTerm) {
  std::mt19937 random(5);
  for (const bool redundant : {false, true}) {
    SCOPED_TRACE(redundant);
    const Motion motion = compile(everything(redundant).model()).value();
    const State start = initial_state(motion).value().state;
    EXPECT_EQ(motion.acceleration(0, start.q, start.v).rank, 2);
    for (int i = 0; i < 10; ++i) expect_exact(motion, 0, nearby(motion, start, random));
  }
}

TEST(Jacobian, IsExactByEveryRouteThroughTheFundamentalEquation) {
  std::mt19937 random(6);
  for (const char* method : {"scaled", "extended-dalembert", "multipliers"}) {
    SCOPED_TRACE(method);
    const Motion motion = compile(everything(true).model(), {{}, method}).value();
    expect_exact(motion, 0, nearby(motion, initial_state(motion).value().state, random));
  }
}

TEST(Jacobian, FollowsTheParameters) {
  const Motion pendulum = compile_bundled("pendulum");
  std::vector<double> parameters = pendulum.parameters();
  for (double& p : parameters) p *= 1.5;
  const Motion other = pendulum.with_parameters(parameters);
  const State start = initial_state(other).value().state;
  std::mt19937 random(7);
  expect_exact(other, 0, nearby(other, start, random));
}

TEST(Jacobian, HasNoValueWhereTheAccelerationsHaveNone) {
  System s("root");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2).force(x, expr::sqrt(x)).initial(x, 1);
  const Motion motion = compile(s.model()).value();
  Jacobian jacobian(motion);
  Held held;
  held.decided = true;
  const double v = 0, inside = 1, outside = -1;
  EXPECT_TRUE(jacobian.evaluate(0, {&inside, 1}, {&v, 1}, held));
  EXPECT_EQ(jacobian.acceleration()(0, 0), 0.5);
  EXPECT_FALSE(jacobian.evaluate(0, {&outside, 1}, {&v, 1}, held));
}

}  // namespace
}  // namespace dalembert::motion::bdf_jacobian_test
