// The loop around the stepper: samples, bookkeeping, drift, events, and ways to fail.
#include "dalembert/motion/simulate.hpp"
#include "dalembert/flow/projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "allocation_counter.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/system.hpp"

namespace dalembert::motion::simulate_test {
namespace {

using expr::dot;
using expr::Expr;
using expr::pow;
using model::System;

/// A pendulum of unit mass and length in Cartesian coordinates, held out horizontally.
System pendulum() {
  System s("pendulum");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2).potential(10 * y);
  s.constrain("rod", pow(x, 2) + pow(y, 2) == Expr(1));
  s.initial(x, 1);
  return s;
}

struct Row {
  double t;
  std::vector<double> q, v;
  double kinetic, potential, work_applied;
};

struct Recorded {
  Summary summary;
  std::vector<Row> rows;
};

Recorded record(const Motion& motion, const SimulationOptions& options) {
  Recorded result;
  result.summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
        result.rows.push_back({s.t,
                               {s.q.begin(), s.q.end()},
                               {s.v.begin(), s.v.end()},
                               s.kinetic,
                               s.potential,
                               s.work_applied});
        return true;
      });
  return result;
}

TEST(Simulate, SamplesStandExactlyWhereAsked) {
  const Motion motion = compile(pendulum().model()).value();
  SimulationOptions options;
  options.duration = 3;
  options.samples = 7;
  const auto [summary, rows] = record(motion, options);
  ASSERT_EQ(rows.size(), 7u);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i].t, 3.0 * static_cast<double>(i) / 6);
  EXPECT_EQ(rows.back().t, 3.0);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.samples, 7);
}

TEST(Simulate, DenseSamplesAgreeWithStepsThatEndThere) {
  const Motion motion = compile(pendulum().model()).value();
  SimulationOptions dense;
  dense.duration = 5;
  dense.times = {0.1, 0.77, 1.3, 2.9, 4.4, 5};
  dense.rtol = 1e-12;
  dense.atol = 1e-13;
  const auto rows = record(motion, dense).rows;
  for (const Row& row : rows) {
    SimulationOptions direct = dense;
    direct.duration = row.t;
    direct.times = {row.t};
    const auto end = record(motion, direct).rows.back();
    // Both are within the tolerance times the growth of errors over five seconds.
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(row.q[i], end.q[i], 1e-10) << row.t;
  }
}

// The motion is prescribed, so its steps need not see the force; its work must. W = sin(80)/40.
TEST(Simulate, WorkOfAForceThatTheMotionDoesNotFeel) {
  for (const bool on_velocities : {false, true}) {
    System s("driven");
    auto [x, y] = s.coordinates("x", "y");
    s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
    s.force(x, cos(40 * expr::time()));
    if (on_velocities) {
      s.constrain("motor", dot(x) == Expr(1));
    } else {
      s.constrain("motor", x == expr::time());
    }
    s.initial(dot(x), 1).initial(dot(y), 1);
    SimulationOptions options;
    options.duration = 2;
    const auto [summary, rows] = record(compile(s.model()).value(), options);
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_NEAR(summary.work_applied, std::sin(80.0) / 40, 1e-9);
    EXPECT_NEAR(summary.work_ideal, -std::sin(80.0) / 40, 1e-9);
    for (const auto& row : rows)
      EXPECT_NEAR(row.work_applied, std::sin(40 * row.t) / 40, 1e-9) << row.t;
  }
}

// Velocities that the constraints prescribe altogether leave no quasi-velocity to integrate.
TEST(Simulate, ConstraintsThatLeaveNoFreedom) {
  System s("prescribed");
  const Expr x = s.coordinate("x");
  s.kinetic(pow(dot(x), 2) / 2);
  s.constrain("motor", dot(x) == sin(expr::time()) + 1);
  s.initial(dot(x), 1);
  SimulationOptions options;
  const auto [summary, rows] = record(compile(s.model()).value(), options);
  ASSERT_TRUE(summary.complete) << summary.reason;
  for (const auto& row : rows) EXPECT_NEAR(row.q[0], row.t + 1 - std::cos(row.t), 1e-8) << row.t;
}

TEST(Simulate, ProjectionKeepsPositionAndVelocityConstraintsToRoundOff) {
  const Motion motion = compile(pendulum().model()).value();
  SimulationOptions options;
  options.duration = 50;
  options.rtol = 1e-6;
  const Summary with = record(motion, options).summary;
  EXPECT_LE(with.largest_residual, 1e-14);
  EXPECT_GT(with.largest_drift, 1e-12);  // there was something to remove at this tolerance
  options.project = model::Project::none;
  const Summary without = record(motion, options).summary;
  EXPECT_GT(without.largest_residual, 1e-9);
  options.project = model::Project::velocity;
  const auto velocity_only = record(motion, options);
  EXPECT_TRUE(velocity_only.summary.complete);
  for (const Row& row : velocity_only.rows) {
    EXPECT_LE(std::abs(row.q[0] * row.v[0] + row.q[1] * row.v[1]),
              1e-13 * (1 + std::hypot(row.v[0], row.v[1])));
  }
}

TEST(Simulate, EnergyWorkBalanceClosesWithFrictionDriveAndExplicitTime) {
  // A damped bead on a wire whose height is driven, in a potential that depends on time: every term
  // of (T.4) acts.
  System s("driven bead");
  auto [x, y] = s.coordinates("x", "y");
  const Expr t = expr::time();
  s.kinetic((1 + expr::sin(t) / 4) * (pow(dot(x), 2) + pow(dot(y), 2)) / 2 + dot(x) * expr::cos(t));
  s.potential(pow(x, 2) * (2 + expr::sin(2 * t)));
  s.dissipation(pow(dot(x), 2) / 10);
  s.force(x, expr::cos(3 * t));
  s.constrain("wire", y == expr::sin(x) + t / 5);
  s.virtual_work(x, -dot(x) / 20).virtual_work(y, -dot(y) / 30);
  s.initial(x, 0.3).initial(dot(x), 0.5).adjust(model::Adjust::nearest);
  const Motion motion = compile(s.model()).value();
  SimulationOptions options;
  options.rtol = 1e-11;
  const Summary summary = record(motion, options).summary;
  EXPECT_TRUE(summary.complete);
  EXPECT_LE(summary.relative_balance_error(), 1e-9);
  // A term left out would be seen: each of them did work.
  for (const double work :
       {summary.work_applied, summary.work_ideal, summary.work_nonideal, summary.work_other}) {
    EXPECT_GT(std::abs(work), 1e-3 * summary.energy_scale);
  }
}

TEST(Simulate, MassMatrixModelBalancesItsOwnEnergy) {
  System s("varying mass");
  auto [x] = s.coordinates("x");
  s.mass_matrix({{2 + expr::sin(x) + expr::time() / 10}});
  s.force(x, -3 * x);
  s.initial(x, 1);
  SimulationOptions options;
  options.rtol = 1e-11;
  const Summary summary = record(compile(s.model()).value(), options).summary;
  EXPECT_TRUE(summary.complete);
  EXPECT_LE(summary.relative_balance_error(), 1e-9);
}

// Once, when that has become worth while, the written-out solution is made; before and after, no
// step allocates. Machine code, which is made by another thread when it likes, is left out.
TEST(Simulate, StepsDoNotAllocate) {
  ::setenv("DALEMBERT_ENGINE", "interpreter", 1);
  const Motion motion = compile(pendulum().model()).value();
  ::unsetenv("DALEMBERT_ENGINE");
  SimulationOptions options;
  options.samples = 4000;
  options.duration = 200;
  const State start = initial_state(motion).value().state;
  std::vector<long> counts;
  counts.reserve(4000);
  const Summary summary = simulate(motion, start, options, [&](const Sample&) {
    counts.push_back(allocations_so_far());
    return true;
  });
  ASSERT_EQ(counts.size(), 4000u);
  ASSERT_GT(summary.evaluations, 40000);
  // The first samples may fall before the first step; from the tenth on all is in place.
  EXPECT_EQ(counts[400] - counts[10], 0);
  EXPECT_EQ(counts[3999] - counts[3000], 0);
}

TEST(Simulate, StoppedByTheObserverIsNotComplete) {
  const Motion motion = compile(pendulum().model()).value();
  long rows = 0;
  const Summary summary = simulate(motion, initial_state(motion).value().state, {},
                                   [&](const Sample&) { return ++rows < 5; });
  EXPECT_FALSE(summary.complete);
  EXPECT_EQ(rows, 5);
}

TEST(Simulate, InterruptedFromOutsideSaysWhere) {
  const Motion motion = compile(pendulum().model()).value();
  std::atomic<bool> stop = true;
  SimulationOptions options;
  options.stop = &stop;
  const Summary summary = record(motion, options).summary;
  EXPECT_FALSE(summary.complete);
  EXPECT_EQ(summary.reason, "interrupted at t = 0");
}

TEST(Simulate, SingularityIsReportedWhereItIs) {
  // x'' = 1/(1 - t): the force has no value at t = 1 and beyond.
  System s("blow-up");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2).force(x, expr::sqrt(1 - expr::time()));
  const auto [summary, rows] = record(compile(s.model()).value(), {});
  EXPECT_FALSE(summary.complete);
  EXPECT_NEAR(summary.t, 1, 1e-6);
  EXPECT_NE(summary.reason.find("the motion cannot be continued beyond t = "), std::string::npos)
      << summary.reason;
  EXPECT_NE(summary.reason.find("sqrt(1 - t)"), std::string::npos) << summary.reason;
  EXPECT_GT(rows.size(), 40u);
}

TEST(Simulate, FiniteEscapeShrinksTheStepToZero) {
  // x'' = 2 x^3 has x = 1/(1 - t).
  System s("escape");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2).force(x, 2 * pow(x, 3)).initial(x, 1).initial(dot(x), 1);
  const Summary summary = record(compile(s.model()).value(), {}).summary;
  EXPECT_FALSE(summary.complete);
  EXPECT_NEAR(summary.t, 1, 1e-3);
  EXPECT_FALSE(summary.reason.empty());
}

TEST(Simulate, StepLimitIsSaid) {
  const Motion motion = compile(pendulum().model()).value();
  SimulationOptions options;
  options.max_steps = 7;
  const Summary summary = record(motion, options).summary;
  EXPECT_FALSE(summary.complete);
  EXPECT_NE(summary.reason.find("the limit of 7 steps was reached"), std::string::npos);
}

TEST(Simulate, RankChangeAlongTheWayIsAnEvent) {
  // The second constraint's row, max(t - 1, 0) (x' - y'), is zero until t = 1.
  System s("latch");
  auto [x, y, z] = s.coordinates("x", "y", "z");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2) + pow(dot(z), 2)) / 2);
  s.constrain("always", dot(z) == Expr(0));
  s.constrain("late", expr::max(expr::time() - 1, 0) * (dot(x) - dot(y)) == Expr(0));
  s.initial(dot(x), 1).initial(dot(y), 1);
  SimulationOptions options;
  options.duration = 2;
  const Summary summary = record(compile(s.model()).value(), options).summary;
  ASSERT_GE(summary.rank_change_count, 1) << summary.reason;
  EXPECT_EQ(summary.rank_changes[0].from, 1);
  EXPECT_EQ(summary.rank_changes[0].to, 2);
  EXPECT_GE(summary.rank_changes[0].t, 1);
}

TEST(Simulate, RoundOffInARedundantConstraintIsNoContradiction) {
  // A force-free particle along y = x/3: all accelerations are zero, and the second way to say the
  // line makes a b of pure round-off.
  System s("line");
  auto [x, y] = s.coordinates("x", "y");
  const Expr a = s.parameter("a", expr::atan(Expr(1) / 3));
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  s.constrain("slope", dot(x) / 3 == dot(y));
  s.constrain("angle",
              (dot(x) * expr::sin(a) - dot(y) * expr::cos(a)) * (2 + expr::sin(x)) == Expr(0));
  s.initial(dot(x), 3).initial(dot(y), 1).adjust(model::Adjust::nearest);
  const Summary summary = record(compile(s.model()).value(), {}).summary;
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_EQ(summary.rank, 1);
}

TEST(Simulate, DryFrictionAtRestIsSaidAndNotChewedOnForever) {
  System s("block");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2).force(x, -expr::sign(dot(x))).initial(dot(x), 1);
  const auto [summary, rows] = record(compile(s.model()).value(), {});
  ASSERT_FALSE(summary.complete);
  EXPECT_NEAR(summary.t, 1, 1e-3);
  EXPECT_NE(summary.reason.find("dry friction"), std::string::npos) << summary.reason;
}

TEST(Simulate, AnglesAfterMillionsOfTurnsStillProject) {
  // A bead driven around a circle of radius 1 by an angle near 1e8: cos and sin carry an error of
  // 1e-8, which no projection can remove.
  System s("many turns");
  auto [x, y, a] = s.coordinates("x", "y", "a");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2) + pow(dot(a), 2)) / 2);
  s.constrain("x", x == expr::cos(a)).constrain("y", y == expr::sin(a));
  s.initial(a, 1e8)
      .initial(dot(a), 3)
      .initial(x, expr::cos(Expr(1e8)))
      .initial(y, expr::sin(Expr(1e8)));
  s.initial(dot(x), -3 * expr::sin(Expr(1e8))).initial(dot(y), 3 * expr::cos(Expr(1e8)));
  const Summary summary = record(compile(s.model()).value(), {}).summary;
  EXPECT_TRUE(summary.complete) << summary.reason;
}

TEST(Simulate, PendulumPeriodIsThatOfTheEllipticIntegral) {
  // Released from horizontal: modulus sin(45 deg), T = 4 K(sin 45°) sqrt(l/g), K by the
  // arithmetic-geometric mean.
  const Motion motion = compile(pendulum().model()).value();
  double a = 1, b = std::cos(std::numbers::pi / 4);
  for (int i = 0; i < 8; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  const double period = 4 * (std::numbers::pi / (2 * a)) / std::sqrt(10.0);
  SimulationOptions options;
  options.duration = 10 * period;
  options.times = {10 * period};
  options.rtol = 1e-12;
  options.atol = 1e-13;
  const Row end = record(motion, options).rows.back();
  EXPECT_NEAR(end.q[0], 1, 1e-9);
  EXPECT_NEAR(end.q[1], 0, 1e-9);
}

}  // namespace
}  // namespace dalembert::motion::simulate_test
