#include "dalembert/codegen/elimination.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

#include "dalembert/codegen/kernel.hpp"

namespace dalembert::codegen::elimination_test {
namespace {

/// A random sparse symmetric matrix made positive definite by its diagonal, and a right side.
struct Problem {
  std::size_t n;
  std::vector<double> S, x;
};

Problem random_problem() {
  Problem p;
  p.n = *rc::gen::inRange<std::size_t>(1, 9);
  p.S.assign(p.n * p.n, 0.0);
  for (std::size_t i = 0; i < p.n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int entry = *rc::gen::inRange(-6, 6);
      p.S[i * p.n + j] = p.S[j * p.n + i] = std::abs(entry) < 3 ? 0.0 : entry / 4.0;
    }
    p.x.push_back(*rc::gen::inRange(-8, 8) / 4.0);
  }
  for (std::size_t i = 0; i < p.n; ++i) {
    double sum = 1;
    for (std::size_t j = 0; j < p.n; ++j) sum += std::abs(p.S[i * p.n + j]);
    p.S[i * p.n + i] = sum;
  }
  return p;
}

/// The tape of S^-1 x with the entries that are not zero as inputs, S first.
struct Written {
  std::vector<double> inputs;
  Tape tape;
};

Written written(const Problem& p, double limit) {
  std::vector<Expr> symbols;
  Written w;
  const auto input = [&](double value) {
    symbols.push_back(expr::coordinate("e" + std::to_string(symbols.size())));
    w.inputs.push_back(value);
    return symbols.back();
  };
  std::vector<std::pair<std::size_t, Expr>> entries;
  for (std::size_t i = 0; i < p.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (p.S[i * p.n + j] != 0) entries.emplace_back(i * p.n + j, input(p.S[i * p.n + j]));
    }
  }
  std::vector<Expr> right;
  for (const double x : p.x) right.push_back(input(x));
  TapeBuilder tape(symbols, {});
  ValueMatrix S(p.n, p.n, tape.constant(0));
  for (const auto& [place, symbol] : entries) S(place / p.n, place % p.n) = tape.lower(symbol);
  std::vector<Value> x;
  for (const Expr& e : right) x.push_back(tape.lower(e));
  Margin margin(tape);
  const WrittenLdl factor(tape, S, limit, margin);
  std::vector<Value> outputs = factor.solve(x);
  outputs.push_back(factor.dot(factor.forward(x), factor.forward(x)));
  outputs.push_back(margin.doubt());
  w.tape = tape.finish(outputs);
  return w;
}

std::vector<double> run(const Written& w) {
  const Kernel kernel = interpreted(w.tape);
  Workspace workspace = kernel.workspace({});
  std::vector<double> outputs(kernel.outputs());
  kernel.evaluate(workspace, w.inputs, outputs);
  return outputs;
}

// S is diagonally dominant: the residual of a stable elimination is a few roundings of |S| |x|.
TEST(Elimination, SolvesSparseSystems) {
  EXPECT_TRUE(rc::check([] {
    const Problem p = random_problem();
    const std::vector<double> out = run(written(p, 1e-10));
    double energy = 0;
    for (std::size_t i = 0; i < p.n; ++i) {
      double sum = 0, scale = 1;
      for (std::size_t j = 0; j < p.n; ++j) {
        sum += p.S[i * p.n + j] * out[j];
        scale += std::abs(p.S[i * p.n + j] * out[j]);
      }
      RC_ASSERT(std::abs(sum - p.x[i]) <= 1e-14 * scale);
      energy += p.x[i] * out[i];
    }
    RC_ASSERT(std::abs(out[p.n] - energy) <= 1e-13 * (1 + std::abs(energy)));
    RC_ASSERT(out[p.n + 1] <= 1);
  }));
}

TEST(Elimination, SkipsZerosKnownBeforehand) {
  // A chain: with the ends first there is no fill, and the work grows as the length.
  const auto operations = [](std::size_t n) {
    Problem p{n, std::vector<double>(n * n, 0.0), std::vector<double>(n, 1.0)};
    for (std::size_t i = 0; i < n; ++i) {
      p.S[i * n + i] = 3;
      if (i > 0) p.S[i * n + i - 1] = p.S[(i - 1) * n + i] = -1;
    }
    return written(p, 1e-10).tape.code.size();
  };
  const std::size_t at_10 = operations(10), at_20 = operations(20), at_40 = operations(40);
  EXPECT_EQ(at_20 - at_10, (at_40 - at_20) / 2);
}

TEST(Elimination, DoubtsSmallNegativeAndUndefinedPivots) {
  const auto doubt = [](double a, double b, double c, double limit) {
    return run(written({2, {a, b, b, c}, {1, 1}}, limit)).back();
  };
  EXPECT_LE(doubt(2, 1, 2, 1e-10), 1);
  EXPECT_GT(doubt(1, 1, 1 + 1e-12, 1e-10), 1);  // pivot 1e-12 of 1
  EXPECT_LE(doubt(1, 1, 1 + 1e-12, 1e-14), 1);
  EXPECT_GT(doubt(1, 2, 1, 1e-10), 1);   // indefinite
  EXPECT_GT(doubt(-1, 0, 1, 1e-10), 1);  // negative
  EXPECT_FALSE(doubt(std::nan(""), 1, 2, 1e-10) <= 1);
  EXPECT_GT(doubt(1e-200, 1e-200, 1e-200, 1e-10), 1);  // of any scale
  EXPECT_LE(doubt(2e-200, 1e-200, 2e-200, 1e-10), 1);
}

TEST(TapeBuilder, ZerosAndOnesCostNothing) {
  const Expr x = expr::coordinate("x");
  TapeBuilder tape(std::span(&x, 1), {});
  const Value a = tape.lower(x);
  const Value zero = tape.constant(0), one = tape.constant(1);
  EXPECT_EQ(tape.add(a, zero), a);
  EXPECT_EQ(tape.subtract(a, zero), a);
  EXPECT_EQ(tape.multiply(one, a), a);
  EXPECT_EQ(tape.divide(a, one), a);
  EXPECT_TRUE(tape.is_zero(tape.multiply(a, zero)));
  EXPECT_TRUE(tape.is_zero(tape.divide(zero, a)));
  EXPECT_EQ(tape.add(a, one), tape.add(one, a));
  EXPECT_FALSE(tape.of_parameters(a));
  EXPECT_TRUE(tape.of_parameters(one));
}

TEST(TapeBuilder, DefinedSymbolsStandForWhatTheTapeComputes) {
  const Expr x = expr::coordinate("x"), y = expr::coordinate("y");
  TapeBuilder tape(std::span(&x, 1), {});
  tape.define(y, tape.multiply(tape.lower(x), tape.lower(x)));
  const Value output = tape.lower(y + Expr(1));
  const Kernel kernel = interpreted(tape.finish(std::span(&output, 1)));
  Workspace workspace = kernel.workspace({});
  const double input = 3;
  double result = 0;
  kernel.evaluate(workspace, std::span(&input, 1), std::span(&result, 1));
  EXPECT_EQ(result, 10);
}

}  // namespace
}  // namespace dalembert::codegen::elimination_test
