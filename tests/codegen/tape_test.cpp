// The tape computes what the expression says, once, in as few operations as the mathematics needs.
#include "dalembert/codegen/tape.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/functions.hpp"

namespace dalembert::codegen::tape_test {
namespace {

using expr::Expr;

const Expr x = expr::coordinate("x");
const Expr y = expr::coordinate("y");
const Expr z = expr::coordinate("z");
const Expr m = expr::parameter("m");
const Expr k = expr::parameter("k");

const std::vector<Expr> inputs{x, y, z};
const std::vector<Expr> parameters{m, k};
constexpr double parameter_values[] = {1.75, -0.625};

double run(const Expr& e, double a, double b, double c) {
  const Kernel kernel = interpreted(make_tape(std::vector{e}, inputs, parameters));
  Workspace workspace = kernel.workspace(parameter_values);
  double result = 0;
  kernel.evaluate(workspace, std::vector{a, b, c}, {&result, 1});
  return result;
}

double direct(const Expr& e, double a, double b, double c) {
  return expr::evaluate(e, [=](const expr::Symbol& s) {
    if (s.name == "x") return a;
    if (s.name == "y") return b;
    if (s.name == "z") return c;
    return s.name == "m" ? parameter_values[0] : parameter_values[1];
  });
}

std::size_t operations(const std::vector<Expr>& outputs) {
  const Tape tape = make_tape(outputs, inputs, parameters);
  return tape.code.size();
}

TEST(Tape, EveryFunctionIsComputedAsEvaluateDoes) {
  for (const expr::FunctionInfo& f : expr::functions()) {
    const std::vector<Expr> args = {x, y, z};
    const Expr e =
        expr::apply_function(f.op, std::span(args).first(static_cast<std::size_t>(f.arity)));
    for (const double at : {0.375, -0.625, 2.75}) {
      const double tape = run(e, at, 0.8125, 7);
      const double reference = direct(e, at, 0.8125, 7);
      ASSERT_EQ(std::isfinite(tape), std::isfinite(reference)) << f.name << " of " << at;
      if (!std::isfinite(reference)) continue;
      EXPECT_NEAR(tape, reference, 4 * std::numeric_limits<double>::epsilon() * std::abs(reference))
          << f.name << " of " << at;
    }
  }
}

TEST(Tape, SumOfTermsNeedsOneOperationLess) {
  EXPECT_EQ(operations({x + y + z}), 2u);
  EXPECT_EQ(operations({x - y - z}), 2u);
}

TEST(Tape, QuotientNeedsOneDivision) {
  const Tape tape = make_tape(std::vector{x / (y * z)}, inputs, parameters);
  EXPECT_EQ(tape.code.size(), 2u);
  EXPECT_EQ(std::count_if(tape.code.begin(), tape.code.end(),
                          [](const Instruction& i) { return i.operation == Operation::divide; }),
            1);
}

TEST(Tape, PowersAreMultipliedUpBySquaring) {
  EXPECT_EQ(operations({expr::pow(x, 8)}), 3u);
  EXPECT_EQ(operations({expr::pow(x, 16) * y}), 5u);
  EXPECT_DOUBLE_EQ(run(expr::pow(x, -3), 2, 0, 0), 0.125);
  EXPECT_DOUBLE_EQ(run(expr::pow(x, Expr(expr::Rational(1, 3))), 8, 0, 0), 2);
}

TEST(Tape, CommonSubexpressionsAreComputedOnce) {
  const Expr shared = expr::sin(x * y);
  EXPECT_EQ(operations({shared + z, shared * z, expr::pow(shared, 2)}), operations({shared}) + 3);
}

TEST(Tape, WhatDependsOnParametersAloneIsRunOnceForThem) {
  const Expr e = expr::sqrt(m * m + expr::abs(k)) * x;
  const Tape tape = make_tape(std::vector{e}, inputs, parameters);
  EXPECT_EQ(tape.code.size() - tape.prologue, 1u);
  EXPECT_DOUBLE_EQ(run(e, 2, 0, 0), direct(e, 2, 0, 0));
}

TEST(Tape, OutputsMayBeInputsParametersConstantsAndRepeat) {
  const std::vector<Expr> outputs{x, m, Expr(3), x};
  const Kernel kernel = interpreted(make_tape(outputs, inputs, parameters));
  Workspace workspace = kernel.workspace(parameter_values);
  std::vector<double> result(4);
  kernel.evaluate(workspace, std::vector{7.0, 0.0, 0.0}, result);
  EXPECT_EQ(result, (std::vector{7.0, 1.75, 3.0, 7.0}));
  EXPECT_EQ(kernel.operations(), 0u);
}

TEST(Tape, UnknownSymbolIsRefusedByName) {
  try {
    make_tape(std::vector{expr::coordinate("w") + x}, inputs, parameters);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "the symbol 'w' is not an input of the tape");
  }
}

TEST(Tape, LengthGrowsAsTheGraphAndNotAsTheTree) {
  Expr e = x;
  for (int i = 0; i < 200; ++i) e = expr::sin(e) * (e + y);
  EXPECT_LE(operations({e}), 3u * 200u);
}

TEST(Tape, DerivativeOfALongProductIsNotQuadratic) {
  std::vector<Expr> factors;
  for (int i = 1; i <= 64; ++i) factors.push_back(expr::sin(x * i) + y);
  const Expr product = expr::product(factors);
  const std::size_t value = operations({product});
  EXPECT_LE(operations({product, expr::differentiate(product, x)}), 10 * value);
}

Expr random_expression(int depth) {
  static const std::vector<Expr> leaves{x,         y, z, m, k, Expr(2), Expr(expr::Rational(-3, 7)),
                                        expr::pi()};
  if (depth == 0) return *rc::gen::elementOf(leaves);
  const auto sub = [depth] { return random_expression(depth - 1); };
  switch (*rc::gen::inRange(0, 10)) {
    case 0:
      return sub() + sub();
    case 1:
      return sub() - sub() - sub();
    case 2:
      return sub() * sub() * sub();
    case 3:
      return sub() / (2 + expr::pow(sub(), 2));
    case 4:
      return expr::sin(sub());
    case 5:
      return expr::cos(sub()) * expr::sec(sub() / 9);
    case 6:
      return expr::pow(sub(), *rc::gen::inRange(2, 5));
    case 7:
      return expr::sqrt(1 + expr::pow(sub(), 2));
    case 8:
      return expr::max(sub(), -sub());
    default:
      return expr::atan2(sub(), 1 + expr::abs(sub()));
  }
}

TEST(Tape, RandomExpressionsAndTheirDerivativesAgreeWithDirectEvaluation) {
  EXPECT_TRUE(rc::check([] {
    const Expr e = random_expression(4);
    const double a = *rc::gen::inRange(-100, 100) / 64.0;
    const double b = *rc::gen::inRange(-100, 100) / 64.0;
    for (const Expr& f : {e, expr::differentiate(e, x)}) {
      const double tape = run(f, a, b, 0.5);
      const double reference = direct(f, a, b, 0.5);
      if (!std::isfinite(reference)) continue;
      // Both sum the same terms in other orders; cancellation between them is bounded by the terms'
      // size, which the depth of these expressions keeps below 1e12.
      RC_ASSERT(std::abs(tape - reference) <= 1e-9 * (1 + std::abs(reference)) ||
                std::abs(reference) > 1e12);
    }
  }));
}

}  // namespace
}  // namespace dalembert::codegen::tape_test
