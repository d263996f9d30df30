// Many states at once against Motion::acceleration, one by one; lanes, threads and neighbours must
// not matter.
#include "dalembert/study/states/accelerations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "../motion/allocation_counter.hpp"
#include "dalembert/study/states/lane_rows.hpp"
#include "ensemble_runs.hpp"

namespace dalembert::study::accelerations_test {
namespace {

/// States beside a motion's initial one, and room for what is solved of them.
struct Many {
  Many(const motion::Motion& motion, std::size_t states, double spread)
      : count(states), n(motion.coordinates()), m(motion.constraints()) {
    const motion::State start = motion::initial_state(motion).value().state;
    std::mt19937_64 generator(7);
    std::uniform_real_distribution<double> shift(-spread, spread);
    for (std::size_t s = 0; s < count; ++s) {
      t.push_back(shift(generator));
      for (std::size_t i = 0; i < n; ++i) q.push_back(start.q[i] + shift(generator));
      for (std::size_t i = 0; i < n; ++i) v.push_back(start.v[i] + shift(generator));
    }
    for (auto* x : {&acceleration, &applied, &ideal, &nonideal}) x->assign(count * n, 42.0);
    for (auto* x : {&multipliers, &reactions}) x->assign(count * m, 42.0);
    unique.assign(count * m, 7);
  }

  StateRows states() const { return {count, {t.data(), 1}, {q.data(), n}, {v.data(), n}}; }
  StateRows state(std::size_t s) const {
    return {1, {t.data() + s, 1}, {q.data() + s * n, n}, {v.data() + s * n, n}};
  }
  SolvedRows everything() {
    return {acceleration.data(), applied.data(),   ideal.data(), nonideal.data(),
            multipliers.data(),  reactions.data(), unique.data()};
  }

  std::size_t count, n, m;
  std::vector<double> t, q, v;
  std::vector<double> acceleration, applied, ideal, nonideal, multipliers, reactions;
  std::vector<std::uint8_t> unique;
};

motion::Motion by_suslov() {
  motion::CompileOptions options;
  options.method = "suslov";
  return motion::compile(bundled("rolling_disk").model(), options).value();
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_near(const double* found, const Eigen::VectorXd& expected, double tolerance,
                 const std::string& what) {
  double size = 1;
  for (const double x : expected) size = std::max(size, std::abs(x));
  for (Eigen::Index i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance * size) << what << " " << i;
}

class AccelerationsOf : public testing::TestWithParam<const char*> {};

TEST_P(AccelerationsOf, AreThoseOfOneStateAfterTheOther) {
  const motion::Motion motion = bundled(GetParam());
  const Accelerations accelerations(motion);
  Many many(motion, 53, 0.05);
  EXPECT_EQ(accelerations.solve(many.states(), many.everything()).count, 0U);
  for (std::size_t s = 0; s < many.count; ++s) {
    const auto r = motion.acceleration(many.t[s], std::span(many.q).subspan(s * many.n, many.n),
                                       std::span(many.v).subspan(s * many.n, many.n));
    ASSERT_EQ(r.status, motion::Status::ok);
    // Off the constraints redundant rows contradict each other, and both compromise alike.
    expect_near(&many.acceleration[s * many.n], r.qdd, 1e-10, "acceleration");
    expect_near(&many.applied[s * many.n], r.Q, 1e-12, "applied");
    expect_near(&many.ideal[s * many.n], r.ideal, 1e-9, "ideal");
    expect_near(&many.nonideal[s * many.n], r.nonideal, 1e-9, "nonideal");
    expect_near(many.multipliers.data() + s * many.m, r.multipliers, 1e-9, "multiplier");
    expect_near(many.reactions.data() + s * many.m, r.reactions, 1e-9, "reaction");
    for (std::size_t j = 0; j < many.m; ++j)
      EXPECT_EQ(many.unique[s * many.m + j] != 0, r.unique[j]) << j;
  }
}

TEST_P(AccelerationsOf, DependOnNoNeighbourAndNoThread) {
  const motion::Motion motion = bundled(GetParam());
  const Accelerations accelerations(motion);
  Many many(motion, 2 * least_shared + 5, 0.05);
  accelerations.solve(many.states(), {.acceleration = many.acceleration.data()}, {1, nullptr});
  Many shared(motion, many.count, 0.05);
  accelerations.solve(shared.states(), {.acceleration = shared.acceleration.data()}, {3, nullptr});
  EXPECT_TRUE(same_bits(many.acceleration, shared.acceleration));
  Many alone(motion, many.count, 0.05);
  for (std::size_t s = 0; s < many.count; ++s) {
    ASSERT_TRUE(accelerations.solve_one(many.t[s], &many.q[s * many.n], &many.v[s * many.n],
                                        &alone.acceleration[s * many.n]));
  }
  EXPECT_TRUE(same_bits(many.acceleration, alone.acceleration));
}

INSTANTIATE_TEST_SUITE_P(Models, AccelerationsOf,
                         testing::Values("double_pendulum",   // no constraints
                                         "pendulum",          // one of positions
                                         "rolling_disk",      // of velocities
                                         "skate_on_incline",  // beside a force
                                         "coulomb_helix",     // C of the ideal force
                                         "appell_hamel",      // not linear in velocities
                                         "parallelogram",     // redundant
                                         "slider_crank", "robot_arm"));

TEST(Accelerations, AreSolvedInLanesWhereTheyCanBe) {
  EXPECT_TRUE(Accelerations(bundled("rolling_disk")).written_out());
  EXPECT_TRUE(Accelerations(bundled("parallelogram")).written_out());
  EXPECT_FALSE(Accelerations(by_suslov()).written_out());
}

TEST(Accelerations, OfAFormulationAgree) {
  const motion::Motion motion = by_suslov();
  const Accelerations accelerations(motion);
  const motion::State start = motion::initial_state(motion).value().state;
  std::vector<double> found(motion.coordinates()), expected(motion.coordinates());
  ASSERT_TRUE(accelerations.solve_one(start.t, start.q.data(), start.v.data(), found.data()));
  ASSERT_TRUE(Accelerations(bundled("rolling_disk"))
                  .solve_one(start.t, start.q.data(), start.v.data(), expected.data()));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10);
}

TEST(Accelerations, StatesWithoutOneAreNamedAndHarmNoOther) {
  const motion::Motion motion = bundled("pendulum");
  const Accelerations accelerations(motion);
  Many clean(motion, 40, 0.1);
  accelerations.solve(clean.states(), clean.everything());
  Many many(motion, 40, 0.1);
  const double infinity = std::numeric_limits<double>::infinity();
  many.q[2 * 11] = std::numeric_limits<double>::quiet_NaN();
  many.v[2 * 23 + 1] = infinity;
  many.t[39] = -infinity;
  const Failures failures = accelerations.solve(many.states(), many.everything());
  EXPECT_EQ(failures.count, 3U);
  EXPECT_EQ(failures.first, 11U);
  EXPECT_EQ(failures.problem, "x is nan");
  for (std::size_t s = 0; s < many.count; ++s) {
    const bool bad = s == 11 || s == 23 || s == 39;
    for (std::size_t i = 0; i < 2; ++i) {
      const double x = many.acceleration[2 * s + i];
      EXPECT_TRUE(bad ? std::isnan(x) : x == clean.acceleration[2 * s + i]) << s;
    }
    EXPECT_EQ(std::isnan(many.multipliers[s]), bad) << s;
    EXPECT_EQ(many.unique[s], bad ? 0 : 1) << s;
  }
}

TEST(Accelerations, WhereRankIsLostTheDecisionIsAsked) {
  // At the origin the rod has no direction: A = 0, and no written-out pivot can be trusted.
  const motion::Motion motion = bundled("pendulum");
  const Accelerations accelerations(motion);
  const double q[] = {0, 0}, v[] = {0, 0};
  double t = 0, qdd[2], lambda = 42;
  std::uint8_t unique = 7;
  SolvedRows results{.acceleration = qdd};
  results.multipliers = &lambda;
  results.unique = &unique;
  const Failures failures = accelerations.solve({1, {&t, 0}, {q, 0}, {v, 0}}, results);
  const auto r = motion.acceleration(0, q, v);
  ASSERT_EQ(r.status, motion::Status::ok);
  EXPECT_EQ(failures.count, 0U);
  EXPECT_EQ(qdd[0], r.qdd[0]);
  EXPECT_EQ(qdd[1], r.qdd[1]);
  EXPECT_EQ(lambda, r.multipliers[0]);
  EXPECT_EQ(unique, 0);
}

TEST(Accelerations, OfOtherParametersShareWhatIsWrittenOut) {
  const motion::Motion motion = bundled("double_pendulum");
  std::vector<double> parameters = motion.parameters();
  for (double& p : parameters) p *= 1.5;
  const motion::Motion other = motion.with_parameters(parameters);
  const Accelerations accelerations(motion), rebound(accelerations, other), anew(other);
  Many a(motion, 100, 0.4), b(motion, 100, 0.4);
  rebound.solve(a.states(), a.everything());
  anew.solve(b.states(), b.everything());
  EXPECT_TRUE(same_bits(a.acceleration, b.acceleration));
  EXPECT_TRUE(same_bits(a.applied, b.applied));
}

TEST(Accelerations, TakeNoMemoryForAState) {
  const motion::Motion motion = bundled("rolling_disk");
  const Accelerations accelerations(motion);
  Many many(motion, 400, 0.05);
  accelerations.solve(many.states(), many.everything());
  const auto count = [&](std::size_t states) {
    StateRows rows = many.states();
    rows.count = states;
    const long before = allocations_so_far();
    accelerations.solve(rows, {.acceleration = many.acceleration.data()}, {1, nullptr});
    return allocations_so_far() - before;
  };
  count(400);
  EXPECT_EQ(count(400), count(8));
}

TEST(Accelerations, OneRowMayStandForAll) {
  const motion::Motion motion = bundled("rolling_disk");
  const Accelerations accelerations(motion);
  Many many(motion, 20, 0.05);
  const StateRows one_position{
      many.count, {many.t.data(), 0}, {many.q.data(), 0}, {many.v.data(), many.n}};
  accelerations.solve(one_position, {.acceleration = many.acceleration.data()});
  std::vector<double> expected(many.n);
  for (std::size_t s = 0; s < many.count; ++s) {
    accelerations.solve_one(many.t[0], many.q.data(), &many.v[s * many.n], expected.data());
    for (std::size_t i = 0; i < many.n; ++i)
      EXPECT_EQ(many.acceleration[s * many.n + i], expected[i]);
  }
}

TEST(Accelerations, ManyThreadsMayAskAtOnce) {
  const motion::Motion motion = bundled("parallelogram");
  const Accelerations accelerations(motion);
  Many many(motion, 500, 0.02);
  accelerations.solve(many.states(), {.acceleration = many.acceleration.data()}, {1, nullptr});
  std::atomic<int> different{0};
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 4; ++k) {
      threads.emplace_back([&] {
        std::vector<double> own(many.n);
        for (std::size_t s = 0; s < many.count; ++s) {
          accelerations.solve_one(many.t[s], &many.q[s * many.n], &many.v[s * many.n], own.data());
          if (std::memcmp(own.data(), &many.acceleration[s * many.n], many.n * sizeof(double)) != 0)
            ++different;
        }
      });
    }
  }
  EXPECT_EQ(different, 0);
}

TEST(StateFunction, GivesTheExpressionsAtEachState) {
  const motion::Motion motion = bundled("double_pendulum");
  const auto& eq = motion.equations();
  const StateFunction function(motion, {eq.kinetic, eq.q[1], expr::Expr(3)});
  Many many(motion, 19, 0.5);
  std::vector<double> results(3 * many.count);
  function.evaluate(many.states(), results.data());
  for (std::size_t s = 0; s < many.count; ++s) {
    const double kinetic = [&] {
      const std::span v(&many.v[2 * s], 2);
      const auto r = motion.acceleration(many.t[s], std::span(&many.q[2 * s], 2), v);
      const Eigen::Vector2d rate(v[0], v[1]);
      return rate.dot(r.M * rate) / 2;
    }();
    EXPECT_NEAR(results[3 * s], kinetic, 1e-13 * (1 + kinetic));
    EXPECT_EQ(results[3 * s + 1], many.q[2 * s + 1]);
    EXPECT_EQ(results[3 * s + 2], 3);
  }
}

class LaneRowsOf : public testing::TestWithParam<int> {};

TEST_P(LaneRowsOf, GoToLanesAndBack) {
  const auto W = static_cast<std::size_t>(GetParam());
  const LaneRows& rows = lane_rows(GetParam());
  for (std::size_t count = 0; count < 20; ++count) {
    const std::size_t stride = count + 3;
    std::vector<double> from(W * stride + 1), to(W * stride + 1, -1);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i + 1);
    codegen::AlignedVector lanes(std::max<std::size_t>(1, count) * W), taint(8, 0.0), doubt(8, 0.5);
    const std::size_t half = count / 2;  // in two parts, as good as one
    const std::array parts{RowPart{from.data() + 1, stride, half},
                           RowPart{from.data() + 1 + half, stride, count - half}};
    rows.load(parts, lanes.data(), taint.data());
    std::vector<const double*> places;
    for (std::size_t i = 0; i < count; ++i) places.push_back(lanes.data() + i * W);
    rows.store(places.data(), count, to.data() + 1, stride, taint.data());
    for (std::size_t l = 0; l < W; ++l) {
      for (std::size_t i = 0; i < stride; ++i) {
        const double expected = i < count ? from[1 + l * stride + i] : -1;
        EXPECT_EQ(to[1 + l * stride + i], expected) << count << " " << l << " " << i;
        if (i < count) {
          EXPECT_EQ(lanes[i * W + l], expected);
        }
      }
    }
    EXPECT_EQ(rows.refused(taint.data(), doubt.data()), 0U);
    if (count == 0) continue;
    from[1 + (W - 1) * stride + count - 1] = std::numeric_limits<double>::infinity();
    rows.load(parts, lanes.data(), taint.data());
    EXPECT_EQ(rows.refused(taint.data(), doubt.data()), 1U << (W - 1));
    doubt[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(rows.refused(taint.data(), doubt.data()), 1U | 1U << (W - 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, LaneRowsOf, testing::Values(1, 4, 8));

TEST(Share, EveryPartOnceAndExceptionsOut) {
  std::vector<std::atomic<int>> seen(10001);
  share(seen.size(), {4, nullptr}, 1, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin % 8, 0U);
    for (std::size_t i = begin; i < end; ++i) ++seen[i];
  });
  for (const auto& times : seen) EXPECT_EQ(times, 1);
  EXPECT_THROW(share(10000, {2, nullptr}, 1,
                     [](std::size_t, std::size_t) { throw std::runtime_error("no"); }),
               std::runtime_error);
  std::atomic<bool> stop{true};
  share(10000, {2, &stop}, 1, [](std::size_t, std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace dalembert::study::accelerations_test
