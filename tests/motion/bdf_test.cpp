// The integrator for stiff systems: the same motions as rk8, at the price that stiffness allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "allocation_counter.hpp"
#include "bundled.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/system.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion::bdf_test {
namespace {

using expr::dot;
using expr::Expr;
using expr::pow;
using model::System;

struct Row {
  double t;
  std::vector<double> q, v;
};

struct Recorded {
  Summary summary;
  std::vector<Row> rows;
};

Recorded record(const Motion& motion, SimulationOptions options, Integrator integrator) {
  options.integrator = integrator;
  Recorded result;
  result.summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
        result.rows.push_back({s.t, {s.q.begin(), s.q.end()}, {s.v.begin(), s.v.end()}});
        return true;
      });
  return result;
}

Recorded record(const Motion& motion, const SimulationOptions& options) {
  return record(motion, options, Integrator::bdf);
}

/// A pendulum of unit mass and length in Cartesian coordinates, held out horizontally.
Motion pendulum() {
  System s("pendulum");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2).potential(10 * y);
  s.constrain("rod", pow(x, 2) + pow(y, 2) == Expr(1));
  s.initial(x, 1);
  return compile(s.model()).value();
}

/// Largest difference of positions and velocities, of the largest seen in each component plus 1.
double difference(const std::vector<Row>& a, const std::vector<Row>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.front().q.size(); ++i) {
    double q_size = 1, v_size = 1, dq = 0, dv = 0;
    for (std::size_t r = 0; r < std::min(a.size(), b.size()); ++r) {
      EXPECT_EQ(a[r].t, b[r].t);
      q_size = std::max(q_size, std::abs(b[r].q[i]));
      v_size = std::max(v_size, std::abs(b[r].v[i]));
      dq = std::max(dq, std::abs(a[r].q[i] - b[r].q[i]));
      dv = std::max(dv, std::abs(a[r].v[i] - b[r].v[i]));
    }
    worst = std::max({worst, dq / q_size, dv / v_size});
  }
  return worst;
}

// Each step adds an error of at most the tolerance in the root mean square over the components,
// that is a few times rtol in one of them; if the motion neither damps nor amplifies errors their
// sum is below 10 steps rtol. (Measured on pendulum, rolling disk, slider-crank and
// double pendulum over 10 s, rtol from 1e-5 to 1e-11: 0.03 to 1.4 steps rtol.)
void expect_agreement(const Motion& motion, double duration, double rtol) {
  SimulationOptions options;
  options.duration = duration;
  options.samples = 11;
  options.rtol = rtol;
  options.atol = 1e-2 * rtol;
  const Recorded bdf = record(motion, options, Integrator::bdf);
  options.rtol = 1e-11;
  options.atol = 1e-13;
  const Recorded rk8 = record(motion, options, Integrator::rk8);
  ASSERT_TRUE(bdf.summary.complete) << bdf.summary.reason;
  ASSERT_TRUE(rk8.summary.complete) << rk8.summary.reason;
  EXPECT_LE(difference(bdf.rows, rk8.rows), 10 * static_cast<double>(bdf.summary.steps) * rtol);
  EXPECT_LE(bdf.summary.largest_residual, 1e-12);
  EXPECT_LE(bdf.summary.relative_balance_error(),
            10 * static_cast<double>(bdf.summary.steps) * rtol);
  EXPECT_EQ(bdf.summary.rank, rk8.summary.rank);
  EXPECT_GT(bdf.summary.jacobians, 0);
}

TEST(Bdf, AgreesWithRk8OnEveryBundledModel) {
  for (const std::string& name : bundled_names()) {
    SCOPED_TRACE(name);
    const Motion motion = compile_bundled(name);
    if (motion.instants() != nullptr) continue;  // which go by rk8 alone
    expect_agreement(motion, 1.5, 1e-9);
  }
}

TEST(Bdf, AgreesWithRk8ByEveryMethod) {
  for (const char* method :
       {"scaled", "extended-dalembert", "weighted", "multipliers", "maggi", "boltzmann-hamel",
        "transpositional", "central", "suslov", "voronets", "gibbs-appell", "gauss", "vakonomic"}) {
    SCOPED_TRACE(method);
    expect_agreement(compile_bundled("skate_on_incline", {{}, method}), 1, 1e-9);
  }
}

TEST(Bdf, GainsDigitsWithTheTolerance) {
  const Motion motion = pendulum();
  SimulationOptions options;
  options.samples = 11;
  options.rtol = 1e-13;
  options.atol = 1e-14;
  const auto reference = record(motion, options, Integrator::rk8).rows;
  std::vector<double> errors;
  for (const double rtol : {1e-5, 1e-8, 1e-11}) {
    options.rtol = rtol;
    options.atol = 1e-2 * rtol;
    errors.push_back(difference(record(motion, options).rows, reference));
  }
  EXPECT_GT(errors[0], 1e-5);  // there is something to gain
  EXPECT_LT(errors[1], errors[0] / 30);
  EXPECT_LT(errors[2], errors[1] / 30);
}

/// Two masses on a line through the origin, pulled towards x = cos t by a spring and a damper: x =
/// cos t exactly, however stiff they are (after A. Prothero and A. Robinson, Math. Comp. 28, 1974).
Motion follower(double stiffness) {
  System s("follower");
  auto [x, y] = s.coordinates("x", "y");
  const Expr t = expr::time();
  const Expr k = s.parameter("k", stiffness);
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  // x'' + y'' dy/dx = F with y = 2 x: 5 x'' = F.
  s.force(x, -k * (x - expr::cos(t)) - k / 100 * (dot(x) + expr::sin(t)) - 5 * expr::cos(t));
  s.constrain("line", y == 2 * x);
  s.initial(x, 1).initial(y, 2);
  return compile(s.model()).value();
}

TEST(Bdf, FollowsTheClosedFormAtACostThatStiffnessDoesNotRaise) {
  SimulationOptions options;
  options.rtol = 1e-8;
  options.atol = 1e-10;
  std::vector<long> evaluations;
  for (const double stiffness : {1e4, 1e6, 1e8}) {
    SCOPED_TRACE(stiffness);
    const auto [summary, rows] = record(follower(stiffness), options);
    ASSERT_TRUE(summary.complete) << summary.reason;
    // The spring forgets errors: what is left is a few of the last step.
    for (const Row& row : rows) {
      EXPECT_NEAR(row.q[0], std::cos(row.t), 20 * options.rtol);
      EXPECT_NEAR(row.q[1], 2 * std::cos(row.t), 40 * options.rtol);
    }
    EXPECT_LE(summary.largest_residual, 1e-12);
    evaluations.push_back(summary.evaluations);
  }
  EXPECT_LE(evaluations[2], 2 * evaluations[0]);
}

TEST(Bdf, VanDerPolMeetsThePublishedValues) {
  // eps x'' = (1 - x^2) x' - x, eps = 1e-6, by two masses eps/2 that a constraint holds together.
  // Values at t = 2: F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, problem
  // VDPOL.
  System s("van der Pol");
  auto [x, z] = s.coordinates("x", "z");
  s.kinetic(Expr(1e-6) * (pow(dot(x), 2) + pow(dot(z), 2)) / 4);
  s.force(x, (1 - pow(x, 2)) * dot(x)).force(z, -z);
  s.constrain("bond", z == x);
  s.initial(x, 2).initial(z, 2).initial(dot(x), -0.66).initial(dot(z), -0.66);
  SimulationOptions options;
  options.duration = 2;
  options.times = {2};
  options.rtol = 1e-9;
  options.atol = 1e-9;
  const auto [summary, rows] = record(compile(s.model()).value(), options);
  ASSERT_TRUE(summary.complete) << summary.reason;
  // The jumps of this oscillator pass an error on to the time of all that follows: about a thousand
  // steps of 1e-9 each.
  EXPECT_NEAR(rows.back().q[0], 1.706167732170483, 1e-6);
  EXPECT_NEAR(rows.back().v[1], -0.8928097010247975, 1e-6);
  EXPECT_LE(summary.largest_residual, 1e-12);
}

TEST(Bdf, IsFarCheaperThanRk8OnTheStiffModel) {
  const Motion motion = compile_bundled("stiff_shaft");
  SimulationOptions options = simulation_options(motion);
  EXPECT_EQ(options.integrator, Integrator::bdf);
  options.duration = 2;
  const Summary bdf = record(motion, options, Integrator::bdf).summary;
  const Summary rk8 = record(motion, options, Integrator::rk8).summary;
  EXPECT_TRUE(bdf.complete) << bdf.reason;
  EXPECT_TRUE(rk8.complete) << rk8.reason;
  EXPECT_LE(30 * (bdf.evaluations - bdf.samples), rk8.evaluations - rk8.samples);
}

TEST(Bdf, EnergyWorkBalanceClosesWithFrictionDriveAndExplicitTime) {
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
  SimulationOptions options;
  options.rtol = 1e-10;
  const Summary summary = record(compile(s.model()).value(), options).summary;
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_LE(summary.relative_balance_error(),
            10 * static_cast<double>(summary.steps) * options.rtol);
  for (const double work :
       {summary.work_applied, summary.work_ideal, summary.work_nonideal, summary.work_other}) {
    EXPECT_GT(std::abs(work), 1e-3 * summary.energy_scale);
  }
}

TEST(Bdf, ProjectsAsAsked) {
  const Motion motion = pendulum();
  SimulationOptions options;
  options.duration = 20;
  options.rtol = 1e-6;
  const Summary with = record(motion, options).summary;
  EXPECT_LE(with.largest_residual, 1e-14);
  EXPECT_GT(with.largest_drift, 1e-10);  // there was something to remove at this tolerance
  options.project = model::Project::none;
  const Summary without = record(motion, options).summary;
  EXPECT_TRUE(without.complete);
  EXPECT_GT(without.largest_residual, 1e-9);
  EXPECT_EQ(without.largest_drift, 0);
  options.project = model::Project::velocity;
  const auto velocity_only = record(motion, options);
  EXPECT_TRUE(velocity_only.summary.complete);
  EXPECT_GT(velocity_only.summary.largest_residual, 1e-9);
  for (const Row& row : velocity_only.rows) {
    EXPECT_LE(std::abs(row.q[0] * row.v[0] + row.q[1] * row.v[1]),
              1e-13 * (1 + std::hypot(row.v[0], row.v[1])));
  }
}

TEST(Bdf, SamplesStandExactlyWhereAsked) {
  const Motion motion = pendulum();
  SimulationOptions options;
  options.duration = 3;
  options.times = {0, 0.1, 0.10001, 1.7, 3};
  const auto [summary, rows] = record(motion, options);
  ASSERT_EQ(rows.size(), options.times.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].t, options.times[i]);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.t, 3);
  EXPECT_EQ(summary.samples, 5);
}

TEST(Bdf, StepsDoNotAllocate) {
#ifndef DALEMBERT_COUNTS_MALLOC
  GTEST_SKIP() << "malloc cannot be counted in this build";
#endif
  const Motion motion = compile_bundled("slider_crank");
  SimulationOptions options = simulation_options(motion);
  options.integrator = Integrator::bdf;
  options.samples = 1000;
  options.duration = 3;
  const State start = initial_state(motion).value().state;
  long first = -1, last = 0, count = 0;
  const Summary summary = simulate(motion, start, options, [&](const Sample&) {
    if (++count == 10) first = allocations_so_far();
    last = allocations_so_far();
    return true;
  });
  EXPECT_EQ(last - first, 0);
  EXPECT_GT(summary.jacobians, 10);
}

TEST(Bdf, ProgressIsToldAtEachStep) {
  const Motion motion = pendulum();
  SimulationOptions options;
  options.integrator = Integrator::bdf;
  options.duration = 1;
  long calls = 0;
  double reached = 0;
  const Summary summary = simulate(
      motion, initial_state(motion).value().state, options, [](const Sample&) { return true; },
      [&](double t) {
        EXPECT_GT(t, reached);
        reached = t;
        ++calls;
      });
  EXPECT_EQ(calls, summary.steps);
  EXPECT_EQ(reached, 1);
}

TEST(Bdf, StoppedByTheObserverIsNotComplete) {
  const Motion motion = pendulum();
  SimulationOptions options;
  options.integrator = Integrator::bdf;
  long rows = 0;
  const Summary summary = simulate(motion, initial_state(motion).value().state, options,
                                   [&](const Sample&) { return ++rows < 5; });
  EXPECT_FALSE(summary.complete);
  EXPECT_EQ(rows, 5);
}

TEST(Bdf, InterruptedFromOutsideSaysWhere) {
  const Motion motion = pendulum();
  std::atomic<bool> stop = false;
  SimulationOptions options;
  options.integrator = Integrator::bdf;
  options.stop = &stop;
  const Summary summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
        stop = s.t > 1;
        return true;
      });
  EXPECT_FALSE(summary.complete);
  EXPECT_GE(summary.t, 1);
  EXPECT_LT(summary.t, 1.2);
  EXPECT_EQ(summary.reason.rfind("interrupted at t = 1.0", 0), 0u) << summary.reason;
}

TEST(Bdf, StepLimitIsSaid) {
  SimulationOptions options;
  options.max_steps = 7;
  const Summary summary = record(pendulum(), options).summary;
  EXPECT_FALSE(summary.complete);
  EXPECT_NE(summary.reason.find("the limit of 7 steps was reached"), std::string::npos);
}

TEST(Bdf, RankChangeAlongTheWayIsAnEvent) {
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
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_EQ(summary.rank_changes[0].from, 1);
  EXPECT_EQ(summary.rank_changes[0].to, 2);
  EXPECT_GE(summary.rank_changes[0].t, 1);
}

TEST(Bdf, SingularityIsReportedWhereItIs) {
  // The force has no value beyond t = 1.
  System s("root");
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

TEST(Bdf, FiniteEscapeShrinksTheStepToZero) {
  // x'' = 2 x^3 has x = 1/(1 - t).
  System s("escape");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2).force(x, 2 * pow(x, 3)).initial(x, 1).initial(dot(x), 1);
  const Summary summary = record(compile(s.model()).value(), {}).summary;
  EXPECT_FALSE(summary.complete);
  EXPECT_NEAR(summary.t, 1, 1e-3);
  EXPECT_FALSE(summary.reason.empty());
}

TEST(Bdf, ConstraintsThatComeApartAreNamed) {
  // The rod must be longer than the two can be apart from t = 1 on.
  System s("rod");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2);
  s.constrain("reach", expr::sin(x) == expr::time());
  s.initial(dot(x), 1);
  const Summary summary = record(compile(s.model()).value(), {}).summary;
  EXPECT_FALSE(summary.complete);
  EXPECT_NEAR(summary.t, 1, 1e-2);
  EXPECT_NE(summary.reason.find("the motion cannot be continued beyond t = "), std::string::npos)
      << summary.reason;
}

TEST(Bdf, DryFrictionAtRestIsSaidAndNotChewedOnForever) {
  System s("block");
  auto [x] = s.coordinates("x");
  s.kinetic(pow(dot(x), 2) / 2).force(x, -expr::sign(dot(x))).initial(dot(x), 1);
  const Summary summary = record(compile(s.model()).value(), {}).summary;
  ASSERT_FALSE(summary.complete);
  EXPECT_NEAR(summary.t, 1, 1e-3);
  EXPECT_FALSE(summary.reason.empty());
}

}  // namespace
}  // namespace dalembert::motion::bdf_test
