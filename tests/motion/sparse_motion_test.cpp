// Models by sparse matrices: the same as by dense ones, and what large ones must keep.

#include <dalembert/flow/evaluator.hpp>
#include <dalembert/flow/projection.hpp>
#include <dalembert/flow/state/initial_state.hpp>
#include <dalembert/motion/simulate.hpp>

#include <gtest/gtest.h>

#include <filesystem>

#include "../model_files.hpp"
#include "allocation_counter.hpp"
#include "large_models.hpp"

namespace dalembert::motion::sparse_motion_test {
namespace {

Motion compiled(const model::Model& model, Storage storage) {
  CompileOptions options;
  options.storage = storage;
  auto motion = compile(model, options);
  EXPECT_TRUE(motion) << (motion ? "" : to_string(motion.error()));
  return *std::move(motion);
}

double distance(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1e-300, b.lpNorm<Eigen::Infinity>());
}

void expect_same_acceleration(const model::Model& model, double tolerance) {
  const Motion dense = compiled(model, Storage::dense), sparse = compiled(model, Storage::sparse);
  const auto start = initial_state(dense), sparse_start = initial_state(sparse);
  ASSERT_TRUE(start);
  ASSERT_TRUE(sparse_start);
  const State& s = start->state;
  for (std::size_t i = 0; i < s.q.size(); ++i) {
    EXPECT_NEAR(sparse_start->state.q[i], s.q[i], 1e-12 * (1 + std::abs(s.q[i])));
    EXPECT_NEAR(sparse_start->state.v[i], s.v[i], 1e-12 * (1 + std::abs(s.v[i])));
  }
  const Acceleration a = dense.acceleration(s.t, s.q, s.v);
  const Acceleration b = sparse.acceleration(s.t, s.q, s.v);
  ASSERT_EQ(a.status, Status::ok);
  ASSERT_EQ(b.status, Status::ok) << b.problem;
  EXPECT_EQ(b.rank, a.rank);
  EXPECT_EQ(b.unique, a.unique);
  EXPECT_EQ(b.M, a.M);
  EXPECT_EQ(b.A, a.A);
  EXPECT_LT(distance(b.qdd, a.qdd), tolerance);
  EXPECT_LT((b.ideal - a.ideal).lpNorm<Eigen::Infinity>(),
            tolerance * (1 + a.ideal.lpNorm<Eigen::Infinity>()));
  EXPECT_LT((b.nonideal - a.nonideal).lpNorm<Eigen::Infinity>(),
            tolerance * (1 + a.nonideal.lpNorm<Eigen::Infinity>()));
  if (a.multipliers.size() > 0) {
    EXPECT_LT((b.multipliers - a.multipliers).lpNorm<Eigen::Infinity>(),
              10 * tolerance * (1 + a.multipliers.lpNorm<Eigen::Infinity>()));
  }
}

TEST(SparseMotion, EveryBundledModelIsTheSame) {
  int models = 0;
  for (const auto& file : model_files()) {
    SCOPED_TRACE(file.filename());
    const auto model = model::read_model(file.string());
    ASSERT_TRUE(model);
    expect_same_acceleration(*model, 1e-11);
    ++models;
  }
  EXPECT_GE(models, 12);
}

TEST(SparseMotion, RedundantLaddersAreTheSame) {
  for (const int loops : {1, 2, 9}) {
    SCOPED_TRACE(loops);
    expect_same_acceleration(ladder(loops, false).model(), 1e-10);
    const model::Model model = ladder(loops, true).model();
    expect_same_acceleration(model, 1e-10);
    const Motion motion = compiled(model, Storage::sparse);
    const auto start = initial_state(motion);
    ASSERT_TRUE(start);
    EXPECT_EQ(motion.acceleration(0, start->state.q, start->state.v).rank, 9 * loops + 2);
  }
}

/// Friction in a hinge that depends on the ideal constraint force, and a driven link.
TEST(SparseMotion, NonidealChainsAreTheSame) {
  Linkage linkage = chain(12, true);
  const expr::Expr a = linkage.angle(3);
  linkage.system().virtual_work(a, -pow(model::System::ideal(a), 2) / 100 - dot(a) / 5);
  linkage.system().force(linkage.angle(7), sin(expr::time()) + 2);
  expect_same_acceleration(linkage.model(), 1e-9);
}

TEST(SparseMotion, StorageFollowsSize) {
  const auto is_sparse = [](const model::Model& model) {
    const auto motion = compile(model);
    return Evaluator(*motion).solution().is_sparse();
  };
  EXPECT_FALSE(is_sparse(chain(10, false).model()));
  EXPECT_TRUE(is_sparse(chain(40, true).model()));
}

/// A start that is off the constraints is moved to the same nearest state.
TEST(SparseMotion, NearestStatesAreTheSame) {
  model::Model model = chain(15, true).model();
  for (std::size_t i = 0; i < model.initial.q.size(); ++i)
    model.initial.q[i].expr =
        model.initial.q[i].expr + 0.01 * std::sin(1.0 + 7.0 * static_cast<double>(i));
  const auto dense = initial_state(compiled(model, Storage::dense));
  const auto sparse = initial_state(compiled(model, Storage::sparse));
  ASSERT_TRUE(dense);
  ASSERT_TRUE(sparse);
  EXPECT_TRUE(sparse->adjusted);
  for (std::size_t i = 0; i < dense->state.q.size(); ++i) {
    EXPECT_NEAR(sparse->state.q[i], dense->state.q[i], 1e-8);
    EXPECT_NEAR(sparse->state.v[i], dense->state.v[i], 1e-8);
  }
}

TEST(SparseMotion, AChainKeepsItsEnergyAndItsConstraints) {
  const Motion motion = compiled(chain(200, false).model(), Storage::automatic);
  const auto start = initial_state(motion);
  ASSERT_TRUE(start);
  SimulationOptions options;
  options.duration = 0.05;
  options.samples = 3;
  const Summary summary =
      simulate(motion, start->state, options, [](const Sample&) { return true; });
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_EQ(summary.rank, 400);
  EXPECT_LT(summary.largest_residual, 1e-11);
  EXPECT_LT(summary.relative_balance_error(), 1e-8);
}

#ifdef DALEMBERT_COUNTS_MALLOC
TEST(SparseMotion, StepsTakeNoMemory) {
  const Motion motion = compiled(ladder(20, true).model(), Storage::automatic);
  const auto start = initial_state(motion);
  ASSERT_TRUE(start);
  State state = start->state;
  Evaluator evaluator(motion);
  Projector projector(motion);
  ASSERT_TRUE(evaluator.solution().is_sparse());
  ASSERT_EQ(evaluator.decide(0, state.q, state.v), Status::ok);
  ASSERT_EQ(projector.decide(0, state.q, state.v), Status::ok);
  const long before = allocations_so_far();
  const Status decided = evaluator.decide(0, state.q, state.v);
  const Status evaluated = evaluator.evaluate(0, state.q, state.v);
  evaluator.observe();
  projector.set_row_uncertainty(evaluator.row_uncertainty());
  const Status projectable = projector.decide(0, state.q, state.v);
  state.q[5] += 1e-6;
  const Projection positions = projector.positions(0, state.q, state.v);
  const Projection velocities = projector.velocities(0, state.q, state.v);
  const long after = allocations_so_far();
  EXPECT_EQ(after - before, 0);
  for (const Status status : {decided, evaluated, projectable}) EXPECT_EQ(status, Status::ok);
  EXPECT_TRUE(positions.converged);
  EXPECT_GT(positions.before, 1e-8);
  EXPECT_TRUE(velocities.converged);
}
#endif

TEST(SparseMotion, AFormulationOfALargeModelIsRefused) {
  CompileOptions options;
  options.method = "gibbs-appell";
  const auto motion = compile(chain(500, false).model(), options);
  ASSERT_FALSE(motion);
  EXPECT_NE(motion.error().diagnostics.front().message.find("full matrices"), std::string::npos);
}

}  // namespace
}  // namespace dalembert::motion::sparse_motion_test
