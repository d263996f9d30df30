// Friction of joints against equations solved by hand, closed forms and a motion integrated by the
// test itself.

#include "dalembert/flow/friction.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <random>

#include "allocation_counter.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/system.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/motion/simulate.hpp"
#include "rough_joints.hpp"

namespace dalembert::motion::friction_test {
namespace {

using expr::Expr;
using expr::multiplier;
using model::Model;
using model::System;
using std::numbers::pi;

Expr direction_of(const Expr& v) {
  return v / sqrt(pow(v, 2));
}

Summary run(const Motion& motion, const Observer& observer) {
  return simulate(motion, initial_state(motion)->state, simulation_options(motion), observer);
}

Summary run_to_end(const Motion& motion, std::vector<double>& q, std::vector<double>& v) {
  return run(motion, [&](const Sample& sample) {
    q.assign(sample.q.begin(), sample.q.end());
    v.assign(sample.v.begin(), sample.v.end());
    return true;
  });
}

// ---- a block on an incline ----

TEST(Friction, BlockOnAnInclineSlidesAsInTheBook) {
  const double alpha = 0.5, mu = 0.3, g = 9.81, lift = 4;
  System s("block");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic(3 * (pow(dot(x), 2) + pow(dot(y), 2)) / 2).potential(3 * g * y);
  const Expr c = cos(Expr(alpha)), d = sin(Expr(alpha));
  s.constrain("plane", x * d + y * c == 0);
  // A C that takes part of the weight off the plane, and with it friction.
  s.virtual_work(x, lift * d).virtual_work(y, lift * c);
  s.initial(dot(x), 2 * std::cos(alpha)).initial(dot(y), -2 * std::sin(alpha));
  s.simulation().duration = {Expr(1.5)};
  s.adjust(model::Adjust::nearest);
  Model m = s.model();
  const Expr e = direction_of(dot(x) * c - dot(y) * d);
  m.frictions.push_back({"plane", {multiplier("plane")}, {-mu * e * c, mu * e * d}});
  m.reactions.push_back({"N", multiplier("plane")});
  const auto motion = compile(m).value();
  const double N = 3 * g * std::cos(alpha) - lift;
  const double a = g * std::sin(alpha) - mu * N / 3;
  const Summary summary = run(motion, [&](const Sample& sample) {
    const double path = 2 * sample.t + a * sample.t * sample.t / 2;
    // A polynomial of degree two, which rk8 follows to rounding.
    EXPECT_NEAR(sample.q[0], path * std::cos(alpha), 1e-12);
    EXPECT_NEAR(sample.outputs[0], N, 1e-12);
    EXPECT_NEAR(sample.work_nonideal, -mu * N * path, 1e-11);
    return true;
  });
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_LT(summary.relative_balance_error(), 1e-12);
}

// ---- a ladder against a wall: friction at both ends, in which the reactions occur implicitly ----

constexpr double half = 1.2, ladder_mass = 5, ladder_inertia = ladder_mass * half * half / 3;

/// Floor: the end at (x + l cos, y - l sin); wall: the end at (x - l cos, y + l sin).
Model ladder(double mu, double theta, double rate) {
  System s("ladder");
  auto [x, y, th] = s.coordinates("x", "y", "th");
  s.kinetic((ladder_mass * (pow(dot(x), 2) + pow(dot(y), 2)) + ladder_inertia * pow(dot(th), 2)) /
            2)
      .potential(ladder_mass * Expr(9.81) * y);
  s.constrain("floor", y - half * sin(th) == 0);
  s.constrain("wall", x - half * cos(th) == 0);
  s.initial(th, theta).initial(dot(th), rate);
  s.initial(x, half * std::cos(theta)).initial(y, half * std::sin(theta));
  s.initial(dot(x), -half * std::sin(theta) * rate).initial(dot(y), half * std::cos(theta) * rate);
  s.simulation().duration = {Expr(0.4)};
  s.adjust(model::Adjust::nearest);
  Model m = s.model();
  const Expr at_floor = direction_of(dot(x) - half * sin(th) * dot(th));
  const Expr at_wall = direction_of(dot(y) + half * cos(th) * dot(th));
  m.frictions.push_back(
      {"floor", {multiplier("floor")}, {-mu * at_floor, 0, mu * at_floor * half * sin(th)}});
  m.frictions.push_back(
      {"wall", {multiplier("wall")}, {0, -mu * at_wall, -mu * at_wall * half * cos(th)}});
  m.reactions.push_back({"floor.fy", multiplier("floor")});
  m.reactions.push_back({"wall.fx", multiplier("wall")});
  return m;
}

/// Newton's equations of the sliding ladder (foot outwards, top down) in theta'', N_floor, N_wall,
/// both pushing.
Eigen::Vector3d ladder_by_hand(double mu, double theta, double rate) {
  const double c = std::cos(theta), s = std::sin(theta), l = half, m = ladder_mass;
  Eigen::Matrix3d K;
  Eigen::Vector3d f;
  // m x'' = N_wall - mu N_floor, x = l cos
  K.row(0) << -m * l * s, mu, -1;
  f(0) = m * l * c * rate * rate;
  // m y'' = N_floor + mu N_wall - m g, y = l sin
  K.row(1) << m * l * c, -1, -mu;
  f(1) = m * l * s * rate * rate - m * 9.81;
  // moments about the centre, counterclockwise, theta being clockwise:
  // foot at (l c, -l s), force (-mu N_floor, N_floor); top at (-l c, l s), force (N_wall, mu
  // N_wall)
  K.row(2) << -ladder_inertia, -(l * c - l * s * mu), -(-l * c * mu - l * s);
  f(2) = 0;
  return K.fullPivLu().solve(f);
}

TEST(Friction, LadderAgreesWithNewtonsEquationsByEveryMethod) {
  for (const double mu : {0.0, 0.1, 0.35}) {
    for (const double theta : {0.5, 0.9, 1.3}) {
      const double rate = -0.7;
      const Eigen::Vector3d expected = ladder_by_hand(mu, theta, rate);
      ASSERT_GT(expected(1), 0);
      ASSERT_GT(expected(2), 0);
      for (const std::string_view name : model::known_methods()) {
        if (name == "vakonomic") continue;
        CompileOptions options;
        options.method = std::string(name);
        const auto motion = compile(ladder(mu, theta, rate), options).value();
        const State state = initial_state(motion)->state;
        Evaluator evaluator(motion);
        ASSERT_EQ(evaluator.decide(0, state.q, state.v), Status::ok) << name;
        for (int pass = 0; pass < 2; ++pass) {
          evaluator.observe();
          // Accelerations of 10, forces of 50: a few hundred roundings.
          EXPECT_NEAR(evaluator.acceleration()(2), expected(0), 1e-11) << name;
          EXPECT_NEAR(evaluator.outputs()[0], expected(1), 1e-11) << name;
          EXPECT_NEAR(evaluator.outputs()[1], expected(2), 1e-11) << name;
          ASSERT_EQ(evaluator.evaluate(0, state.q, state.v), Status::ok) << name;
        }
        EXPECT_LE(evaluator.disagreement(), 1e-9) << name;
      }
    }
  }
}

TEST(Friction, WorkBalancesAndBothIntegratorsAgree) {
  std::vector<double> q[2], v[2];
  for (const Integrator integrator : {Integrator::rk8, Integrator::bdf}) {
    Model m = ladder(0.2, 1.2, -0.5);
    m.simulation.integrator = to_string(integrator);
    m.simulation.rtol = 1e-9;
    const auto motion = compile(m).value();
    const bool implicit = integrator == Integrator::bdf;
    const Summary summary = run_to_end(motion, q[implicit], v[implicit]);
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_LT(summary.work_nonideal, -0.5);
    // bdf at order 5 loses two digits more over its steps.
    EXPECT_LT(summary.relative_balance_error(), implicit ? 1e-6 : 1e-8);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(q[0][i], q[1][i], 1e-6);
    EXPECT_NEAR(v[0][i], v[1][i], 1e-6);
  }
}

TEST(Friction, TakesNoMemoryInALoopAndIsTheSameSparse) {
  Eigen::VectorXd seen[2];
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    CompileOptions options;
    options.storage = storage;
    const auto motion = compile(ladder(0.3, 1.0, -0.5), options).value();
    const State s = initial_state(motion)->state;
    Evaluator evaluator(motion);
    ASSERT_EQ(evaluator.decide(0, s.q, s.v), Status::ok);
    const long before = allocations_so_far();
    for (int i = 0; i < 10; ++i) {
      if (evaluator.evaluate(0, s.q, s.v) == Status::ok) evaluator.observe();
    }
    EXPECT_EQ(allocations_so_far(), before);
    seen[storage == Storage::sparse] = evaluator.acceleration();
  }
  EXPECT_LT((seen[0] - seen[1]).norm(), 1e-11);
}

// ---- Painlevé's rod: one end slides on a rough plane ----

Model painleve_rod(double mu, double theta, double speed, double rate) {
  System s("rod");
  auto [x, y, th] = s.coordinates("x", "y", "th");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2) + pow(dot(th), 2) / 3) / 2).potential(9.81 * y);
  s.constrain("plane", y - sin(th) == 0);
  s.initial(th, theta).initial(dot(th), rate).initial(y, std::sin(theta));
  s.initial(dot(y), std::cos(theta) * rate).initial(dot(x), speed - std::sin(theta) * rate);
  s.simulation().duration = {Expr(1)};
  s.adjust(model::Adjust::nearest);
  Model m = s.model();
  const Expr e = direction_of(dot(x) + sin(th) * dot(th));
  model::Friction friction{"contact", {multiplier("plane")}, {-mu * e, 0, -mu * e * sin(th)}};
  friction.where.line = 7;
  m.frictions.push_back(friction);
  return m;
}

TEST(Friction, PainlevesRodIsDeterminedJustBelowItsCriticalFrictionAndNotAbove) {
  EXPECT_NEAR(critical_friction(std::atan(2.0)), 4.0 / 3, 1e-15);  // the least, as in the books
  for (const double theta : {0.6, std::atan(2.0), 1.4}) {
    for (const double speed : {-1.0, 1.0}) {
      const double critical = critical_friction(theta);
      const auto below = compile(painleve_rod(critical * (1 - 1e-6), theta, speed, 0)).value();
      EXPECT_TRUE(initial_state(below));
      const auto above = compile(painleve_rod(critical * (1 + 1e-6), theta, speed, 0)).value();
      const auto refused = initial_state(above);
      ASSERT_FALSE(refused);
      const auto& d = refused.error().diagnostics.front();
      EXPECT_EQ(d.where.line, 7);
      EXPECT_EQ(d.message.rfind("at the initial state, with its friction the reaction of joint "
                                "'contact' does not exist or is not unique here: the friction "
                                "caused by a normal force of 1 changes that force by 1",
                                0),
                0u)
          << d.message;
      const State s = above.written_initial_state().value();
      const Acceleration a = above.acceleration(0, s.q, s.v);
      EXPECT_EQ(a.status, Status::friction_undetermined);
      EXPECT_EQ(a.friction, 0u);
    }
  }
}

TEST(Friction, AMotionThatComesIntoPainlevesRegionIsGivenUpThere) {
  // From steep to flatter: at mu = 1.6 the region is where critical_friction(theta) < 1.6.
  const auto motion = compile(painleve_rod(1.6, 1.5, 6.0, -1.0)).value();
  double theta = 0;
  const Summary summary = run(motion, [&](const Sample& sample) {
    theta = sample.q[2];
    EXPECT_GT(critical_friction(theta), 1.6);
    return true;
  });
  EXPECT_FALSE(summary.complete);
  EXPECT_NE(summary.reason.find("reaction of joint 'contact'"), std::string::npos)
      << summary.reason;
  EXPECT_NE(summary.reason.find("Painlevé"), std::string::npos);
  EXPECT_NE(summary.reason.find("at t = "), std::string::npos);
}

TEST(Friction, AtRestWithoutSlipIsAnErrorThatNamesTheJoint) {
  const auto motion = compile(painleve_rod(0.2, 1.0, 0, 0)).value();
  const auto refused = initial_state(motion);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().diagnostics.front().message.rfind(
                "the friction of joint 'contact' is not finite at the initial state", 0),
            0u)
      << refused.error().diagnostics.front().message;
  EXPECT_EQ(refused.error().diagnostics.front().where.line, 7);
}

// ---- a pendulum in a rough bearing ----

constexpr double arm = bearing_arm, inertia = bearing_inertia;

Model bearing_pendulum(double moment_arm, double rate, double slip) {
  System s("pendulum");
  auto [x, y, th] = s.coordinates("x", "y", "th");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2) + inertia * pow(dot(th), 2)) / 2).potential(9.81 * y);
  s.constrain("pin.x", x - arm * sin(th) == 0);
  s.constrain("pin.y", y + arm * cos(th) == 0);
  s.initial(th, 0).initial(dot(th), rate).initial(y, -arm).initial(dot(x), arm * rate);
  Model m = s.model();
  const Expr e = slip > 0 ? dot(th) / sqrt(pow(dot(th), 2) + slip * slip) : direction_of(dot(th));
  m.frictions.push_back(
      {"pin", {multiplier("pin.x"), multiplier("pin.y")}, {0, 0, -moment_arm * e}});
  return m;
}

TEST(Friction, PendulumInARoughBearingMovesAsOneIntegratedByHand) {
  const double r = 0.05, rate = 3, end = 0.3;  // before it turns
  Model m = bearing_pendulum(r, rate, 0);
  m.simulation.duration = {Expr(end)};
  std::vector<double> q, v;
  ASSERT_TRUE(run_to_end(compile(m).value(), q, v).complete);
  double theta = 0, w = rate;
  const int steps = 3000;
  const double h = end / steps;
  for (int k = 0; k < steps; ++k) {  // the classical method of order 4
    const auto f = [&](double a, double b) { return bearing_acceleration(r, a, b); };
    const double k1 = f(theta, w), w2 = w + h / 2 * k1;
    const double k2 = f(theta + h / 2 * w, w2), w3 = w + h / 2 * k2;
    const double k3 = f(theta + h / 2 * w2, w3), w4 = w + h * k3;
    const double k4 = f(theta + h * w3, w4);
    theta += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  // rtol 1e-9 over some dozen steps; order 4 with h = 1e-4 is better than 1e-13.
  EXPECT_NEAR(q[2], theta, 2e-9);
  EXPECT_NEAR(v[2], w, 2e-8);
}

/// To first order in mu r the loss is mu r times the integral of N dtheta along the motion without
/// friction, N^2 = R^2 + T^2 with R = g cos + l theta'^2 and T = g sin J / (J + l^2).
TEST(Friction, EnergyLostInABearingTendsToTheIntegralOfItsNormalForce) {
  const double rate = 3, I = inertia + arm * arm;
  double error[2] = {};
  for (const int k : {0, 1}) {
    const double r = k == 0 ? 2e-3 : 1e-3;
    Model m = bearing_pendulum(r, rate, 0);
    m.simulation.duration = {Expr(0.3)};
    std::vector<double> q, v;
    const Summary summary = run_to_end(compile(m).value(), q, v);
    double integral = 0;
    const int steps = 2000;
    for (int i = 0; i < steps; ++i) {
      const double theta = q[2] * (i + 0.5) / steps;
      const double w2 = rate * rate - 2 * 9.81 * arm * (1 - std::cos(theta)) / I;
      integral +=
          std::hypot(9.81 * std::cos(theta) + arm * w2, 9.81 * std::sin(theta) * inertia / I) *
          q[2] / steps;
    }
    error[k] = std::abs(summary.work_nonideal / (-r * integral) - 1);
    EXPECT_LT(summary.relative_balance_error(), 1e-8);  // rtol 1e-9, a dozen steps
  }
  EXPECT_LT(error[0], 0.02);
  EXPECT_NEAR(error[0] / error[1], 2, 0.1);  // the neglected terms are of order r
}

TEST(Friction, WithSlipItBringsAPendulumToRestByBothIntegrators) {
  std::vector<double> q[2], v[2];
  for (const int implicit : {0, 1}) {
    Model m = bearing_pendulum(0.05, 3, 1e-2);
    m.simulation.integrator = implicit == 1 ? "bdf" : "rk8";
    m.simulation.duration = {Expr(4)};
    m.simulation.rtol = 1e-8;
    const Summary summary = run_to_end(compile(m).value(), q[implicit], v[implicit]);
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_LT(summary.relative_balance_error(), 1e-5);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(q[0][i], q[1][i], 2e-5);
    EXPECT_NEAR(v[0][i], v[1][i], 2e-4);
  }
}

// ---- a double pendulum with two rough pins ----

Model double_pendulum(double r1, double r2) {
  System s("double");
  auto [x1, y1, a, x2, y2, b] = s.coordinates("x1", "y1", "a", "x2", "y2", "b");
  s.kinetic((2 * (pow(dot(x1), 2) + pow(dot(y1), 2)) + 0.2 * pow(dot(a), 2) + pow(dot(x2), 2) +
             pow(dot(y2), 2) + 0.1 * pow(dot(b), 2)) /
            2)
      .potential(9.81 * (2 * y1 + y2));
  s.constrain("one.x", x1 - Expr(0.5) * sin(a) == 0);
  s.constrain("one.y", y1 + Expr(0.5) * cos(a) == 0);
  s.constrain("two.x", x2 - sin(a) - Expr(0.4) * sin(b) == 0);
  s.constrain("two.y", y2 + cos(a) + Expr(0.4) * cos(b) == 0);
  s.adjust(model::Adjust::nearest);
  Model m = s.model();
  const Expr e1 = direction_of(dot(a)), e2 = direction_of(dot(b) - dot(a));
  m.frictions.push_back(
      {"one", {multiplier("one.x"), multiplier("one.y")}, {0, 0, -r1 * e1, 0, 0, 0}});
  m.frictions.push_back(
      {"two", {multiplier("two.x"), multiplier("two.y")}, {0, 0, r2 * e2, 0, 0, -r2 * e2}});
  return m;
}

TEST(Friction, OfTwoPinsAgreesWithAnIterationOnTheWholeSystem) {
  EXPECT_TRUE(rc::check([] {
    const double r1 = *rc::gen::inRange(0, 20) / 100.0, r2 = *rc::gen::inRange(0, 20) / 100.0;
    const double a = *rc::gen::inRange(-30, 31) / 10.0, b = *rc::gen::inRange(-30, 31) / 10.0;
    const double va = *rc::gen::inRange(1, 30) / 10.0, vb = -*rc::gen::inRange(1, 30) / 10.0;
    const auto motion = compile(double_pendulum(r1, r2)).value();
    const std::vector<double> q{0.5 * std::sin(a),
                                -0.5 * std::cos(a),
                                a,
                                std::sin(a) + 0.4 * std::sin(b),
                                -std::cos(a) - 0.4 * std::cos(b),
                                b};
    const std::vector<double> v{0.5 * std::cos(a) * va,
                                0.5 * std::sin(a) * va,
                                va,
                                std::cos(a) * va + 0.4 * std::cos(b) * vb,
                                std::sin(a) * va + 0.4 * std::sin(b) * vb,
                                vb};
    const Acceleration solved = motion.acceleration(0, q, v);
    RC_ASSERT(solved.status == Status::ok);
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(10, 10);
    K.topLeftCorner(6, 6) = solved.M;
    K.topRightCorner(6, 4) = -solved.A.transpose();
    K.bottomLeftCorner(4, 6) = solved.A;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(K);
    double N1 = 0, N2 = 0;
    Eigen::VectorXd x(10);
    for (int k = 0; k < 500; ++k) {
      Eigen::VectorXd right(10);
      right << solved.Q, solved.b;
      right(2) += -r1 * N1 - r2 * N2;  // va > 0 and vb < va
      right(5) += r2 * N2;
      x = lu.solve(right);
      N1 = std::hypot(x(6), x(7));
      N2 = std::hypot(x(8), x(9));
    }
    const double scale = 1 + x.norm();
    RC_ASSERT((solved.qdd - x.head(6)).norm() <= 1e-10 * scale);
    RC_ASSERT((solved.reactions - x.tail(4)).norm() <= 1e-10 * scale);
    RC_ASSERT(std::abs(solved.normal_forces(0) - N1) <= 1e-10 * scale);
    RC_ASSERT(std::abs(solved.normal_forces(1) - N2) <= 1e-10 * scale);
    // Friction takes energy, never gives any.
    const Eigen::Map<const Eigen::VectorXd> velocity(v.data(), 6);
    RC_ASSERT(solved.nonideal.dot(velocity) <= 1e-12 * scale);
    RC_ASSERT(r1 + r2 == 0 || solved.nonideal.dot(velocity) < 0);
  }));
}

}  // namespace
}  // namespace dalembert::motion::friction_test
