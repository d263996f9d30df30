// What the entries of functions say about themselves agrees with their values.
#include "dalembert/expr/functions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "support.hpp"

namespace dalembert::expr::functions_test {
namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution(low, high)(random);
}

/// Arguments that move evenly while s goes from 0 to 1.
struct Path {
  std::array<double, 3> from, by;

  double value(const FunctionInfo& f, double s) const {
    std::array<double, 3> x;
    for (std::size_t i = 0; i < 3; ++i) x[i] = from[i] + s * by[i];
    return f.value(x.data());
  }
  Moving moving(const FunctionInfo& f) const {
    std::array<Moving, 3> x;
    for (std::size_t i = 0; i < 3; ++i) x[i] = {hull(from[i], from[i] + by[i]), {by[i], by[i]}};
    return f.moving(x.data());
  }
};

Path random_path(Random& random) {
  Path path{};
  const double step = std::exp2(uniform(random, -12, 2));
  for (std::size_t i = 0; i < 3; ++i) {
    path.from[i] = uniform(random, -3, 3);
    path.by[i] = uniform(random, -step, step);
  }
  return path;
}

/// Rounding of values of this size, some tens of operations.
double margin(double size) {
  return 64 * std::numeric_limits<double>::epsilon() * (1 + std::abs(size));
}

TEST(Functions, RangesHoldAllValuesAndSlopes) {
  constexpr int instants = 16;
  Random random(2026);
  for (const FunctionInfo& f : functions()) {
    SCOPED_TRACE(f.name);
    int bounded = 0;
    for (int repeat = 0; repeat < 4000; ++repeat) {
      const Path path = random_path(random);
      const Moving moving = path.moving(f);
      ASSERT_LE(moving.value.low, moving.value.high);
      ASSERT_LE(moving.rate.low, moving.rate.high);
      if (std::isfinite(moving.rate.width())) ++bounded;
      for (int k = 0; k < instants; ++k) {
        const double s = static_cast<double>(k) / instants;
        const double here = path.value(f, s), next = path.value(f, s + 1.0 / instants);
        // Beside a pole rounding of the argument counts for more than that of the value.
        if (!(std::abs(here) < 16 && std::abs(next) < 16)) continue;
        ASSERT_GE(here, moving.value.low - margin(here));
        ASSERT_LE(here, moving.value.high + margin(here));
        if (!std::isfinite(moving.value.width())) continue;  // there may be a pole between them
        // The mean slope between two instants is taken on somewhere, where nothing jumps.
        const double slope = (next - here) * instants;
        const double error = instants * margin(here);
        ASSERT_GE(slope, moving.rate.low - error);
        ASSERT_LE(slope, moving.rate.high + error);
      }
    }
    EXPECT_GT(bounded, 500);  // or the ranges say nothing
  }
}

TEST(Functions, SymmetriesAndSignsAreThoseOfTheValues) {
  Random random(7);
  for (const FunctionInfo& f : functions()) {
    SCOPED_TRACE(f.name);
    for (int repeat = 0; repeat < 1000; ++repeat) {
      std::array<double, 3> x{uniform(random, -3, 3), uniform(random, -3, 3), 0};
      const double value = f.value(x.data());
      if (f.is_never_negative && !std::isnan(value)) {
        ASSERT_GE(value, 0);
      }
      if (f.is_symmetric) {
        ASSERT_EQ(value, f.value(std::array{x[1], x[0]}.data()));
      }
      if (f.parity == Parity::none || std::isnan(value)) continue;
      x[0] = -x[0];
      ASSERT_EQ(f.value(x.data()), f.parity == Parity::odd ? -value : value);
    }
  }
}

TEST(Functions, ExactValuesAreTheValues) {
  for (const FunctionInfo& f : functions()) {
    for (const Rational& a : {Rational(-9, 4), Rational(-1), Rational(0), Rational(1, 100),
                              Rational(1), Rational(9, 4), Rational(10), Rational(16)}) {
      const std::array<Expr, 3> all{Expr(a), Expr(Rational(12)), Expr(Rational(3))};
      const auto args = std::span(all).first(static_cast<std::size_t>(f.arity));
      const Expr e = apply_function(f.op, args);
      if (!e.is(Op::constant)) continue;
      const std::array<double, 3> x{to_double(a), 12, 3};
      EXPECT_NEAR(to_double(e.value()), f.value(x.data()), 1e-15) << f.name << " of " << a;
    }
  }
}

TEST(Functions, IntegralsHaveTheirFunctionForDerivative) {
  const Expr u = coordinate("u");
  int integrals = 0;
  for (const FunctionInfo& f : functions()) {
    if (f.integral == nullptr) continue;
    ++integrals;
    EXPECT_TRUE(same(differentiate(f.integral(u), u), apply_function(f.op, {&u, 1}))) << f.name;
  }
  EXPECT_GE(integrals, 5);
}

}  // namespace
}  // namespace dalembert::expr::functions_test
