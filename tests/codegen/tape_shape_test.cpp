// What a tape looks like: the same for the same mathematics, little in the loop, nothing that waits
// long for something else.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/codegen/tape_builder.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "random_tape.hpp"

namespace dalembert::codegen::tape_shape_test {
namespace {

const Expr x = expr::coordinate("x");
const Expr y = expr::coordinate("y");
const Expr z = expr::coordinate("z");
const Expr w = expr::coordinate("w");
const Expr m = expr::parameter("m");
const Expr k = expr::parameter("k");
const Expr l = expr::parameter("l");

const std::vector<Expr> inputs{x, y, z, w};
const std::vector<Expr> parameters{m, k, l};

Tape tape_of(const std::vector<Expr>& outputs) {
  return make_tape(outputs, inputs, parameters);
}

/// The same with sums of products rounded once.
Tape fused_tape(const std::vector<Expr>& outputs) {
  TapeBuilder builder(inputs, parameters);
  std::vector<TapeBuilder::Value> values;
  for (const Expr& e : outputs) values.push_back(builder.lower(e));
  return builder.finish(values);
}

std::size_t in_loop(const Tape& tape) {
  return tape.code.size() - tape.prologue;
}

std::size_t count(const Tape& tape, Operation operation) {
  return static_cast<std::size_t>(
      std::count_if(tape.code.begin() + tape.prologue, tape.code.end(),
                    [operation](const Instruction& one) { return one.operation == operation; }));
}

/// The longest chain of operations of which each waits for the one before.
std::size_t depth(const Tape& tape) {
  std::vector<std::size_t> at(tape.registers(), 0);
  for (std::size_t i = 0; i < tape.code.size(); ++i) {
    const Instruction& one = tape.code[i];
    at[tape.first_result() + i] = 1 + std::max({at[one.a], at[one.b], at[one.c]});
  }
  return *std::ranges::max_element(at);
}

double value_of(const Tape& tape, const std::vector<double>& at) {
  return performed(tape, {2, 3, 5}, at)[0];
}

bool same(const Tape& a, const Tape& b) {
  return a.constants == b.constants && a.code == b.code && a.prologue == b.prologue &&
         a.outputs == b.outputs;
}

TEST(TapeShape, CoefficientsBeyondTheRangeOfDoublesDoNotVanish) {
  const Expr tiny(expr::Rational(1) / mpz_class("1" + std::string(400, '0')));
  EXPECT_NEAR(value_of(tape_of({tiny * x * y}), {1e200, 1e100, 0, 0}) / 1e-100, 1, 1e-14);
  const Expr huge(expr::Rational(mpz_class("1" + std::string(400, '0'))));
  EXPECT_NEAR(value_of(tape_of({huge * x * y}), {1e-150, 1e-150, 0, 0}) / 1e100, 1, 1e-14);
  EXPECT_NEAR(value_of(tape_of({pow(x / 1000, 120)}), {2000, 0, 0, 0}), std::ldexp(1, 120), 1e23);
}

TEST(TapeShape, DoesNotDependOnTheOrderInWhichAnExpressionWasWritten) {
  const std::vector<Expr> terms{m * x * x, k * expr::sin(y) / l, z / m, w * k, expr::cos(x * y)};
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  const auto sum = [&] {
    Expr result = terms[order[0]];
    for (std::size_t i = 1; i < order.size(); ++i) result = result + terms[order[i]];
    return result;
  };
  const Tape expected = tape_of({sum()});
  const Tape fused = fused_tape({sum()});
  while (std::ranges::next_permutation(order).found) {
    ASSERT_TRUE(same(tape_of({sum()}), expected));
    ASSERT_TRUE(same(fused_tape({sum()}), fused));
  }
  EXPECT_TRUE(same(tape_of({x * m * k * y / l}), tape_of({k / l * (y * x) * m})));
}

TEST(TapeShape, FactorsOfParametersAloneAreMultipliedOutsideTheLoop) {
  EXPECT_EQ(in_loop(tape_of({m * x * k * l * 3})), 1u);
  EXPECT_EQ(in_loop(tape_of({m * x * k * y * l * expr::sqrt(m)})), 2u);
  EXPECT_EQ(in_loop(tape_of({-(m * x) / (k * expr::pow(l, 3))})), 1u);
  // Each term has its own factor, and both share what moves.
  EXPECT_EQ(in_loop(tape_of({m * k * x * y, k * l * x * y})), 3u);
}

TEST(TapeShape, TermsOfParametersAloneAreAddedOutsideTheLoop) {
  EXPECT_EQ(in_loop(tape_of({m + x + k - l + 7})), 1u);
  EXPECT_EQ(in_loop(tape_of({x - m - k})), 1u);
  EXPECT_EQ(value_of(tape_of({x - m - k}), {1, 0, 0, 0}), -4);
  EXPECT_EQ(in_loop(tape_of({m * k - x})), 1u);
}

TEST(TapeShape, DivisorsOfParametersAloneLeaveNoDivisionInTheLoop) {
  const Tape tape = tape_of({x / m, y / (k + l), expr::sin(z) / expr::sqrt(m * k)});
  EXPECT_EQ(count(tape, Operation::divide), 0u);
  EXPECT_EQ(in_loop(tape), 4u);
  TapeBuilder builder(inputs, parameters);
  const auto quotient = builder.divide(builder.lower(x), builder.lower(m));
  EXPECT_EQ(count(builder.finish(std::array{quotient}), Operation::divide), 0u);
}

TEST(TapeShape, WhatIsDividedByTwiceIsDividedByOnce) {
  const Tape tape = tape_of({x / (z + w), y / (z + w), 1 / (z + w)});
  EXPECT_EQ(count(tape, Operation::divide), 1u);
  EXPECT_EQ(in_loop(tape), 4u);
  EXPECT_EQ(count(tape_of({x / z}), Operation::divide), 1u);
  EXPECT_EQ(in_loop(tape_of({x / z})), 1u);
}

TEST(TapeShape, HalfPowersAreSquareRootsAndProducts) {
  for (const long n : {1L, 3L, 5L, -1L, -3L, -7L}) {
    const Expr e = expr::pow(x, Expr(expr::Rational(n, 2)));
    const Tape tape = tape_of({e});
    EXPECT_EQ(count(tape, Operation::power), 0u) << n;
    EXPECT_EQ(count(tape, Operation::sqrt), 1u) << n;
    const double expected = std::pow(2.25, static_cast<double>(n) / 2);
    EXPECT_DOUBLE_EQ(value_of(tape, {2.25, 0, 0, 0}), expected) << n;
  }
  EXPECT_EQ(count(tape_of({expr::pow(x, Expr(expr::Rational(1, 3)))}), Operation::power), 1u);
}

TEST(TapeShape, LongSumsAndProductsAreTrees) {
  std::vector<Expr> parts;
  for (int i = 1; i <= 64; ++i) parts.push_back(expr::abs(x + i));
  EXPECT_LE(depth(tape_of({expr::product(parts)})), 2u + 6u);
  // Chains of four: three operations for each power of four.
  EXPECT_LE(depth(tape_of({expr::sum(parts)})), 2u + 3u * 3u);
  EXPECT_EQ(in_loop(tape_of({expr::sum(parts)})), 2u * 64u + 63u);
}

TEST(TapeShape, SumsOfProductsAreOneOperationEach) {
  EXPECT_EQ(in_loop(fused_tape({x * y + z})), 1u);
  EXPECT_EQ(in_loop(fused_tape({x * y - z})), 1u);
  EXPECT_EQ(in_loop(fused_tape({z - x * y})), 1u);
  EXPECT_EQ(in_loop(fused_tape({m + x * y + z * w})), 2u);
  EXPECT_EQ(in_loop(fused_tape({x * y + z, x * y + w})), 2u);
  // What a tape of its own computes for matrices is rounded operation by operation.
  EXPECT_EQ(in_loop(tape_of({x * y + z})), 2u);
  const double third = 1.0 / 3;
  EXPECT_EQ(value_of(fused_tape({x * y - z}), {third, third, third * third, 0}),
            std::fma(third, third, -(third * third)));
}

TEST(TapeShape, EqualProductsCancel) {
  const Tape tape = fused_tape({x * y - z * w});
  const double third = 1.0 / 3, seventh = 1.0 / 7;
  EXPECT_EQ(value_of(tape, {third, seventh, third, seventh}), 0);
  EXPECT_EQ(value_of(tape, {third, seventh, seventh, third}), 0);
}

TEST(TapeShape, SignsAreTakenOverBySums) {
  TapeBuilder builder(inputs, parameters);
  const auto a = builder.negate(builder.lower(x));
  const auto b = builder.multiply(a, builder.lower(y));
  const auto difference = builder.add(builder.lower(z), b);
  EXPECT_EQ(in_loop(builder.finish(std::array{difference})), 1u);
  EXPECT_EQ(builder.negate(a), builder.lower(x));
}

Expr random_expression(Random& random, int levels) {
  const std::vector<Expr> leaves{x, y, z, w, m, k, l, Expr(2), Expr(expr::Rational(-3, 7))};
  if (levels == 0) return leaves[below(random, leaves.size())];
  const auto sub = [&] { return random_expression(random, levels - 1); };
  switch (below(random, 8)) {
    case 0:
    case 1:
      return sub() * sub() + sub() * sub() - sub();
    case 2:
      return sub() * sub() * sub();
    case 3:
      return sub() / (2 + expr::pow(sub(), 2));
    case 4: {
      const Expr angle = sub();
      return expr::sin(angle) * sub() - expr::cos(angle) * sub();
    }
    case 5:
      return expr::pow(1 + expr::pow(sub(), 2), Expr(expr::Rational(3, 2)));
    case 6:
      return expr::max(sub(), -sub());
    default:
      return expr::atan2(sub(), 1 + expr::abs(sub()));
  }
}

TEST(TapeShape, RandomExpressionsRoundedOnceGiveTheSameBitsInEveryEngine) {
  setenv("DALEMBERT_CACHE", "off", 1);
  Random random(41);
  std::uniform_real_distribution<double> number(-2, 2);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Expr e = random_expression(random, 4);
    const Tape tape = fused_tape({e, e * x + y});
    std::array<std::vector<double>, 8> at;
    for (auto& point : at)
      for (std::size_t i = 0; i < inputs.size(); ++i) point.push_back(number(random));
    for (const int lanes : {1, 4, 8}) {
      std::vector<Kernel> kernels{interpreted(tape, lanes)};
      const std::atomic<bool> stop = false;
      for (const Level level : {Level::quick, Level::good})
        if (auto program = machine_program(tape, lanes, level, stop))
          kernels.emplace_back(std::make_shared<const Tape>(tape), std::move(program), lanes);
      const auto W = static_cast<std::size_t>(lanes);
      for (const Kernel& kernel : kernels) {
        Workspace workspace = kernel.workspace(std::vector{2.0, 3.0, 5.0});
        std::vector<double> in(inputs.size() * W), out(2 * W);
        for (std::size_t i = 0; i < inputs.size(); ++i)
          for (std::size_t lane = 0; lane < W; ++lane) in[i * W + lane] = at[lane][i];
        kernel.evaluate(workspace, in, out);
        for (std::size_t lane = 0; lane < W; ++lane) {
          const std::vector<double> expected = performed(tape, {2, 3, 5}, at[lane]);
          for (std::size_t i = 0; i < 2; ++i)
            ASSERT_TRUE(same_bits(out[i * W + lane], expected[i])) << repeat << ", " << lanes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dalembert::codegen::tape_shape_test
