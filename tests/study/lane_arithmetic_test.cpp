// The steps of lanes against those of one run, and each instruction set against the others.
#include "dalembert/motion/steps/lane_arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/motion/steps/lane_arithmetic_sets.hpp"
#include "dalembert/motion/steps/rk8.hpp"
#include "dalembert/motion/steps/whole_step.hpp"

namespace dalembert::motion::lane_arithmetic_test {
namespace {

using expr::Expr;

/// Kepler's problem and an oscillator driven in time beside it: six entries, t and a parameter in
/// use. Doubt is that parameter.
codegen::Tape kepler() {
  const Expr t = expr::time();
  std::vector<Expr> inputs{t};
  for (const char* name : {"x", "y", "u", "v", "z", "w"}) inputs.push_back(expr::coordinate(name));
  const Expr &x = inputs[1], &y = inputs[2], &z = inputs[5];
  const Expr r3 = expr::pow(expr::sqrt(x * x + y * y), 3);
  const Expr p = expr::parameter("p");
  const std::vector<Expr> outputs{inputs[3], inputs[4],        -x / r3, -y / r3,
                                  inputs[6], expr::sin(t) - z, p,       p};
  const std::vector<Expr> parameters{p};
  return codegen::make_tape(outputs, inputs, parameters);
}

constexpr std::size_t size = 6;

/// The start of lane l, and its step.
std::vector<double> start_of(int l) {
  return {1, 0.1 * l, -0.05 * l, 0.9 + 0.02 * l, 0.3 - 0.1 * l, 1e-3 * l};
}
double time_of(int l) {
  return 0.7 * l;
}
double length_of(int l) {
  return 0.05 + 0.03 * l;
}

struct Fixture {
  explicit Fixture(int lanes)
      : W(lanes),
        f(codegen::interpreted(kepler(), lanes), std::vector<double>{0.5}),
        step(W, size) {
    step.rtol = 1e-8;
    std::fill(step.atol.begin(), step.atol.end(), 1e-10);
    for (int l = 0; l < W; ++l) {
      const auto y = start_of(l);
      for (std::size_t i = 0; i < size; ++i) step.y[i * static_cast<std::size_t>(W) + l] = y[i];
      step.t[l] = time_of(l);
      step.h[l] = length_of(l);
    }
  }
  std::vector<double> lane(const codegen::AlignedVector& x, int l) const {
    std::vector<double> result(size);
    for (std::size_t i = 0; i < size; ++i) result[i] = x[i * static_cast<std::size_t>(W) + l];
    return result;
  }
  int W;
  LaneKernel f;
  LaneStep step;
};

TEST(LaneArithmetic, StepsAreThoseOfOneRun) {
  const codegen::Kernel kernel = codegen::interpreted(kepler());
  codegen::Workspace workspace = kernel.workspace(std::vector<double>{0.5});
  const auto f = [&](double t, std::span<const double> y, std::span<double> dydt) {
    std::vector<double> in{t}, out(size + 1);
    in.insert(in.end(), y.begin(), y.end());
    kernel.evaluate(workspace, in, out);
    std::copy_n(out.begin(), size, dydt.begin());
    return true;
  };
  const std::vector<double> absolute(size, 1e-10);
  for (const int W : {1, 4, 8}) {
    const LaneArithmetic& arithmetic = lane_arithmetic(W);
    Fixture lanes(W);
    arithmetic.attempt(lanes.f, lanes.step);
    arithmetic.prepare_dense(lanes.f, lanes.step);
    codegen::AlignedVector theta(static_cast<std::size_t>(W)), middle(lanes.step.y.size());
    for (int l = 0; l < W; ++l) theta[l] = 0.1 + 0.1 * l;
    arithmetic.interpolate(lanes.step, theta.data(), middle.data());
    for (int l = 0; l < W; ++l) {
      SCOPED_TRACE(testing::Message() << "lane " << l << " of " << W);
      Rk8 one(size);
      ASSERT_TRUE(one.start(time_of(l), start_of(l), f));
      const double error = one.attempt(f, length_of(l), {1e-8, absolute, {}});
      // The estimates are differences: their rounding is that of the stages, in units of atol.
      EXPECT_NEAR(lanes.step.error[l], error, 1e-5 * error);
      EXPECT_GT(error, 0);
      ASSERT_TRUE(one.prepare_dense(f));
      std::vector<double> expected(size);
      one.interpolate(0.1 + 0.1 * l, expected);
      // Rk8 rounds products by themselves, twelve in a sum of numbers below 2.
      constexpr double rounding = 24 * std::numeric_limits<double>::epsilon();
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(lanes.lane(middle, l)[i], expected[i], rounding);
        EXPECT_NEAR(lanes.lane(lanes.step.y_new, l)[i], one.y_new()[i], rounding);
      }
      EXPECT_EQ(lanes.step.started[l], -1);
      EXPECT_EQ(lanes.step.dense_valued[l], -1);
    }
  }
}

// The tape of a whole step, interpreted and in machine code, against stages one by one.
TEST(LaneArithmetic, AWholeStepHasTheBitsOfItsStages) {
  const codegen::Tape tape = make_step_tape(kepler());
  EXPECT_EQ(tape.inputs, 2 + size);
  EXPECT_EQ(tape.outputs.size(), 15 * size + 12);
  for (const codegen::Engine engine : {codegen::Engine::interpreter, codegen::Engine::machine}) {
    for (const int W : {1, 4, 8}) {
      SCOPED_TRACE(testing::Message() << W << " lanes, engine " << static_cast<int>(engine));
      const LaneArithmetic& arithmetic = lane_arithmetic(W);
      Fixture one_by_one(W), at_once(W);
      StepKernel whole(codegen::make_kernel(tape, {W, engine}), std::vector<double>{0.5});
      if (W == 8) {
        for (LaneKernel* kernel : {&one_by_one.f, static_cast<LaneKernel*>(&whole)})
          kernel->bind(2, std::vector<double>{1.5});  // doubt
        for (Fixture* lanes : {&one_by_one, &at_once}) {
          lanes->step.y[0 * 8 + 6] = lanes->step.y[1 * 8 + 6] = 0;  // no value
          lanes->step.h[3] = 1e200;                                 // none in a stage
        }
      }
      arithmetic.attempt(one_by_one.f, one_by_one.step);
      arithmetic.attempt_whole(whole, at_once.step);
      arithmetic.fetch_stages(whole, at_once.step);
      EXPECT_EQ(at_once.step.started, one_by_one.step.started);
      EXPECT_EQ(at_once.step.error, one_by_one.step.error);
      for (int l = 0; l < W; ++l) {
        if (!std::isfinite(one_by_one.step.error[l])) continue;
        EXPECT_EQ(at_once.lane(at_once.step.y_new, l), one_by_one.lane(one_by_one.step.y_new, l));
      }
      arithmetic.prepare_dense(one_by_one.f, one_by_one.step);
      arithmetic.prepare_dense(at_once.f, at_once.step);
      const codegen::AlignedVector theta(static_cast<std::size_t>(W), 0.3);
      codegen::AlignedVector expected(at_once.step.y.size()), y(expected);
      arithmetic.interpolate(one_by_one.step, theta.data(), expected.data());
      arithmetic.interpolate(at_once.step, theta.data(), y.data());
      for (int l = 0; l < W; ++l) {
        if (std::isfinite(one_by_one.step.error[l])) {
          EXPECT_EQ(at_once.lane(y, l), one_by_one.lane(expected, l));
        }
      }
    }
  }
}

/// Every number that the loops of a set make, in one row.
std::vector<double> all_numbers(const LaneArithmetic& arithmetic, int W) {
  Fixture lanes(W);
  arithmetic.attempt(lanes.f, lanes.step);
  arithmetic.prepare_dense(lanes.f, lanes.step);
  codegen::AlignedVector theta(static_cast<std::size_t>(W), 0.3), y(lanes.step.y.size());
  arithmetic.interpolate(lanes.step, theta.data(), y.data());
  codegen::AlignedVector change(static_cast<std::size_t>(W)), root(change);
  arithmetic.correction(lanes.step, 2, y.data(), change.data());
  arithmetic.eighth_root(lanes.step.error.data(), root.data());
  std::vector<double> numbers;
  for (const auto* part :
       {&lanes.step.y_new, &lanes.step.k, &lanes.step.dense, &lanes.step.error, &y, &change, &root})
    numbers.insert(numbers.end(), part->begin(), part->end());
  return numbers;
}

#if defined(__x86_64__)
TEST(LaneArithmetic, InstructionSetsGiveTheSameBits) {
  const auto same = [](const LaneArithmetic& set, int W) {
    const auto numbers = all_numbers(set, W);
    const auto expected = all_numbers(plain_lanes(W), W);
    ASSERT_EQ(numbers.size(), expected.size());
    EXPECT_EQ(std::memcmp(numbers.data(), expected.data(), numbers.size() * sizeof(double)), 0);
  };
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    same(lanes_1_avx2(), 1);
    same(lanes_4_avx2(), 4);
    same(lanes_8_avx2(), 8);
  }
  if (__builtin_cpu_supports("avx512f") != 0) {
    same(lanes_1_avx512(), 1);
    same(lanes_8_avx512(), 8);
  }
}
#endif

TEST(LaneArithmetic, TroubleStaysInItsLane) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Fixture good(8), bad(8);
  bad.f.bind(2, std::vector<double>{1.5});                                       // doubt
  bad.f.bind(5, std::vector<double>{std::numeric_limits<double>::quiet_NaN()});  // no number
  bad.step.y[0 * 8 + 6] = bad.step.y[1 * 8 + 6] = 0;                             // the centre
  const LaneArithmetic& arithmetic = lane_arithmetic(8);
  arithmetic.attempt(good.f, good.step);
  arithmetic.attempt(bad.f, bad.step);
  for (int l = 0; l < 8; ++l) {
    const bool trouble = l == 2 || l == 5 || l == 6;
    EXPECT_EQ(bad.step.started[l], trouble ? 0 : -1);
    EXPECT_EQ(bad.step.error[l], trouble ? infinity : good.step.error[l]);
    if (!trouble) {
      EXPECT_EQ(bad.lane(bad.step.y_new, l), good.lane(good.step.y_new, l));
    }
  }
}

// The start is well, but a stage after it is not: the step is to be rejected, not the run.
TEST(LaneArithmetic, AStageWithoutValueRejectsTheStep) {
  for (const int W : {1, 8}) {
    Fixture lanes(W);
    lanes.step.h[0] = 1e200;
    lane_arithmetic(W).attempt(lanes.f, lanes.step);
    EXPECT_EQ(lanes.step.started[0], -1);
    EXPECT_EQ(lanes.step.error[0], std::numeric_limits<double>::infinity());
  }
}

TEST(LaneArithmetic, AnEntryOfZeroScaleToleratesNoError) {
  for (const int W : {1, 4}) {
    // A step of no length at y = u = z = w = 0: z and w do not change and have no error; y and u
    // change, and the sum that estimates their error is rounded.
    Fixture lanes(W);
    const auto entry = [&](std::size_t i) -> double& {
      return lanes.step.y[i * static_cast<std::size_t>(W)];
    };
    std::fill(lanes.step.atol.begin(), lanes.step.atol.end(), 0.0);
    lanes.step.t[0] = lanes.step.h[0] = 0;
    entry(1) = entry(2) = entry(4) = entry(5) = 0;
    lane_arithmetic(W).attempt(lanes.f, lanes.step);
    EXPECT_EQ(lanes.step.error[0], std::numeric_limits<double>::infinity());
    entry(1) = entry(2) = 1;
    lane_arithmetic(W).attempt(lanes.f, lanes.step);
    EXPECT_EQ(lanes.step.error[0], 0);
  }
}

TEST(LaneArithmetic, EighthRootsAreThoseOfThePower) {
  for (const int W : {1, 4, 8}) {
    codegen::AlignedVector x(static_cast<std::size_t>(W)), root(x);
    for (int l = 0; l < W; ++l) x[l] = std::pow(10, -9 + 2.3 * l);
    lane_arithmetic(W).eighth_root(x.data(), root.data());
    for (int l = 0; l < W; ++l) EXPECT_NEAR(root[l] * std::pow(x[l], 0.125), 1, 1e-15);
  }
}

}  // namespace
}  // namespace dalembert::motion::lane_arithmetic_test
