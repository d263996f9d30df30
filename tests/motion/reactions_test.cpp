// Multipliers while C acts, and reactions made of them: by every route the same, and against
// closed forms.

#include "dalembert/motion/reactions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allocation_counter.hpp"
#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/tapes/flow.hpp"
#include "dalembert/model/system.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion::reactions_test {
namespace {

using expr::Expr;
using expr::multiplier;
using model::Model;
using model::System;

constexpr double mass = 2, length = 1.5, g = 9.81, pull = 0.75, drag = 0.3;

/// A particle on a rod, with a C that has a part along the rod (pull times the position), which the
/// rod takes up, and a part across it.
Model pendulum() {
  System s("pendulum");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic(mass * (pow(dot(x), 2) + pow(dot(y), 2)) / 2).potential(mass * g * y);
  s.constrain("rod", pow(x, 2) + pow(y, 2) == length * length);
  s.virtual_work(x, pull * x - drag * dot(x)).virtual_work(y, pull * y - drag * dot(y));
  s.initial(x, length * 0.6).initial(y, -length * 0.8);
  s.initial(dot(x), 0.8).initial(dot(y), 0.6);
  s.simulation().duration = {Expr(2)};
  s.simulation().samples = 41;
  Model m = s.model();
  m.reactions.push_back({"rod.fx", 2 * x * multiplier("rod")});
  m.reactions.push_back({"rod.fy", 2 * y * multiplier("rod")});
  return m;
}

/// m v^2 / l + m g cos - pull l is what the rod pulls with towards the support.
void expect_tension(const Sample& sample, double tolerance, const std::string& what) {
  const double x = sample.q[0], y = sample.q[1];
  const double v2 = sample.v[0] * sample.v[0] + sample.v[1] * sample.v[1];
  const double tension = mass * v2 / length - mass * g * y / length + pull * length;
  ASSERT_EQ(sample.outputs.size(), 2u);
  EXPECT_NEAR(sample.outputs[0], -tension * x / length, tolerance) << what;
  EXPECT_NEAR(sample.outputs[1], -tension * y / length, tolerance) << what;
}

TEST(Reactions, AreThoseWhileCActsByEveryMethod) {
  for (const std::string_view name : model::known_methods()) {
    if (name == "vakonomic") continue;
    CompileOptions options;
    options.method = std::string(name);
    const auto motion = compile(pendulum(), options).value();
    const State start = initial_state(motion)->state;
    const Summary summary =
        simulate(motion, start, simulation_options(motion), [&](const Sample& sample) {
          // Forces of 40 N; the state is on the rod to 1e-13, and b is known as well.
          expect_tension(sample, 1e-10, std::string(name));
          return true;
        });
    EXPECT_TRUE(summary.complete) << name << ": " << summary.reason;
  }
}

TEST(Reactions, AreTheSameByTheWrittenOutSolution) {
  const auto motion = compile(pendulum()).value();
  const State s = initial_state(motion)->state;
  Evaluator plain(motion), hasty(motion);
  hasty.prefer_tape();
  for (Evaluator* e : {&plain, &hasty}) {
    ASSERT_EQ(e->decide(s.t, s.q, s.v), Status::ok);
    ASSERT_EQ(e->evaluate(s.t, s.q, s.v), Status::ok);
    e->observe();
  }
  ASSERT_TRUE(hasty.solved_by_tape());
  ASSERT_FALSE(plain.solved_by_tape());
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(plain.outputs()[i], hasty.outputs()[i], 1e-11);
  EXPECT_TRUE(hasty.solved_by_tape());
}

TEST(Reactions, AreTheSameInLanes) {
  const auto motion = compile(pendulum()).value();
  const State s = initial_state(motion)->state;
  const auto flow = make_flow(motion, s);
  ASSERT_TRUE(flow);
  const codegen::Kernel kernel = codegen::interpreted(flow->sample);
  codegen::Workspace workspace = kernel.workspace(motion.parameters());
  std::vector<double> inputs{0, s.q[0], s.q[1], s.v[0], s.v[1]}, out(kernel.outputs());
  kernel.evaluate(workspace, inputs, out);
  ASSERT_LE(out.back(), 1);
  Evaluator evaluator(motion);
  ASSERT_EQ(evaluator.decide(s.t, s.q, s.v), Status::ok);
  evaluator.observe();
  // v q'' ideal nonideal, three energies, two outputs, the diagonal of M, doubt
  ASSERT_EQ(out.size(), 4u * 2 + 3 + 2 + 2 + 1);
  EXPECT_NEAR(out[11], evaluator.outputs()[0], 1e-11);
  EXPECT_NEAR(out[12], evaluator.outputs()[1], 1e-11);
}

/// lambda (1, 2) / 5 is the smallest pair with lambda_1 + 2 lambda_2 = lambda.
TEST(Reactions, OfRedundantRowsHaveMinimumNormDenseAndSparse) {
  Model twice = pendulum();
  twice.constraints.push_back({"rod again", 2 * twice.constraints[0].residual});
  twice.reactions.push_back({"again", multiplier("rod again")});
  twice.reactions.push_back({"once", multiplier("rod")});
  const auto single = compile(pendulum()).value();
  const State s = initial_state(single)->state;
  const double lambda = single.acceleration(0, s.q, s.v).reactions[0];
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    CompileOptions options;
    options.storage = storage;
    const auto motion = compile(twice, options).value();
    Evaluator evaluator(motion);
    ASSERT_EQ(evaluator.decide(0, s.q, s.v), Status::ok);
    ASSERT_EQ(evaluator.evaluate(0, s.q, s.v), Status::ok);
    evaluator.observe();
    EXPECT_NEAR(evaluator.outputs()[2], 2 * lambda / 5, 1e-11);
    EXPECT_NEAR(evaluator.outputs()[3], lambda / 5, 1e-11);
    EXPECT_FALSE(make_flow(motion, s));
  }
}

/// A coordinate without mass that follows x changes nothing, and the row that ties it bears
/// nothing.
TEST(Reactions, AreTheSameWhereTheMassMatrixIsSingular) {
  const auto regular = compile(pendulum()).value();
  const State s = initial_state(regular)->state;
  const double lambda = regular.acceleration(0, s.q, s.v).reactions[0];
  Model m = pendulum();
  m.coordinates.emplace_back("z");
  m.forces.push_back({Expr(0)});
  m.virtual_work.push_back({Expr(0)});
  m.initial.q.push_back({m.initial.q[0].expr});
  m.initial.v.push_back({m.initial.v[0].expr});
  m.constraints.push_back({"copy", expr::coordinate("z") - expr::coordinate("x")});
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    CompileOptions options;
    options.storage = storage;
    const auto motion = compile(m, options).value();
    const State state = initial_state(motion)->state;
    const Acceleration solved = motion.acceleration(0, state.q, state.v);
    ASSERT_TRUE(solved.mass_singular);
    EXPECT_NEAR(solved.reactions[0], lambda, 1e-11);
    EXPECT_NEAR(solved.reactions[1], 0, 1e-11);
  }
}

TEST(Reactions, TakeNoMemoryAtSamples) {
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    CompileOptions options;
    options.storage = storage;
    const auto motion = compile(pendulum(), options).value();
    const State s = initial_state(motion)->state;
    Evaluator evaluator(motion);
    ASSERT_EQ(evaluator.decide(0, s.q, s.v), Status::ok);
    evaluator.observe();
    const long before = allocations_so_far();
    for (int i = 0; i < 10; ++i) {
      if (evaluator.evaluate(0, s.q, s.v) == Status::ok) evaluator.observe();
    }
    EXPECT_EQ(allocations_so_far(), before);
  }
}

/// A particle held twice along x, by 'a' and by 'b', and once along y.
Model held_twice() {
  System s("held");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2).force(x, Expr(3)).force(y, Expr(-1));
  s.constrain("a", x == 0).constrain("b", x == 0).constrain("c", y == 0);
  Model m = s.model();
  const auto joint = [&](const char* name, const Expr& fx, const Expr& fy) {
    model::Joint j;
    j.name = name;
    j.bodies = {"ground", "particle"};
    j.force = {fx, fy, 0};
    j.body_force = j.force;
    m.joints.push_back(j);
  };
  joint("a", multiplier("a"), 0);
  joint("b", multiplier("b"), 0);
  joint("c", 0, multiplier("c"));
  joint("both", multiplier("a") + multiplier("b"), multiplier("c"));
  return m;
}

TEST(Reactions, AreUniqueWhereTheNullSpaceDoesNotReachThem) {
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    CompileOptions options;
    options.storage = storage;
    const auto motion = compile(held_twice(), options).value();
    const State s = initial_state(motion)->state;
    EXPECT_EQ(calc_unique_reactions(motion, s), (std::vector<bool>{false, false, true, true}));
    const auto solved = motion.acceleration(0, s.q, s.v);
    const auto reactions = calc_reactions(motion, s, solved);
    ASSERT_EQ(reactions.size(), 4u);
    EXPECT_NEAR(reactions[0].force[0], -1.5, 1e-14);
    EXPECT_NEAR(reactions[1].force[0], -1.5, 1e-14);
    EXPECT_NEAR(reactions[2].force[1], 1, 1e-14);
    EXPECT_NEAR(reactions[3].force[0], -3, 1e-14);
    EXPECT_FALSE(reactions[0].unique);
    EXPECT_TRUE(reactions[3].unique);
    EXPECT_FALSE(reactions[3].friction);
  }
}

TEST(Reactions, ThereAreNoneByTheMultiplierRule) {
  Model m = pendulum();
  for (model::Located& C : m.virtual_work) C.expr = 0;  // which that method does not know
  m.initial.mu.push_back({"rod", Expr(0)});
  CompileOptions options;
  options.method = "vakonomic";
  const auto motion = compile(m, options).value();
  EXPECT_TRUE(motion.outputs().empty());
  m.outputs.push_back({"tension", multiplier("rod")});
  const auto refused = compile(m, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().diagnostics.front().message,
            "output 'tension' needs the multiplier of a constraint while forces act, and by the "
            "method vakonomic there is none");
}

TEST(Reactions, NameConstraintsThatExist) {
  Model m = pendulum();
  m.reactions.push_back({"pin.fx", multiplier("pin")});
  const auto refused = compile(m);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().diagnostics.front().message,
            "reaction 'pin.fx': unknown constraint 'pin' in an output");
}

}  // namespace
}  // namespace dalembert::motion::reactions_test
