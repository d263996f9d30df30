// Values of derivatives: against differences, and forward against reverse mode.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>

#include "support.hpp"

namespace dalembert::expr::differentiate_test {
namespace {

const Expr x = coordinate("x");
const Expr y = coordinate("y");
const Expr a = parameter("a");

/// Central difference of order 8 (Fornberg 1988). With h = 2⁻⁸ its truncation error h⁸ f⁽⁹⁾/630 is
/// below 576 h⁸/r⁹ ~ 2e-14 for functions of size one whose nearest singularity is r ≥ 1/2 away;
/// rounding contributes 2.1 u/h ~ 6e-14 times max|f|, u = 2⁻⁵³. `difference_tolerance` leaves a
/// factor of ten.
constexpr double difference_tolerance = 1e-12;

template <class F>
double central_difference(F f, double at) {
  constexpr double h = 1.0 / 256;
  constexpr double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double result = 0;
  for (int i = 1; i <= 4; ++i) result += weights[i - 1] * (f(at + i * h) - f(at - i * h));
  return result / h;
}

void expect_slope(const Expr& e, double at) {
  const auto value = [](const Expr& of, double where) {
    return evaluate(of, [where](const Symbol& s) { return s.name == "x" ? where : 0.75; });
  };
  const double expected = central_difference([&](double where) { return value(e, where); }, at);
  const double found = value(differentiate(e, x), at);
  const double scale = 1 + std::abs(expected) + std::abs(value(e, at));
  EXPECT_NEAR(found, expected, difference_tolerance * scale);
  EXPECT_NEAR(value(gradient(e, std::span(&x, 1)).front(), at), found, 1e-15 * scale);
}

TEST(Differentiate, EveryFunctionAgreesWithItsDifference) {
  for (const FunctionInfo& f : functions()) {
    if (f.arity != 1) continue;
    // Every function is smooth around 0.55 at least 0.45 away from a singularity, acosh around
    // 1.55; those of all reals also elsewhere.
    SCOPED_TRACE(f.name);
    expect_slope(apply_function(f.op, {&x, 1}), f.op == Op::acosh ? 1.55 : 0.55);
    const bool everywhere = f.op == Op::sin || f.op == Op::cos || f.op == Op::atan ||
                            f.op == Op::sinh || f.op == Op::cosh || f.op == Op::tanh ||
                            f.op == Op::exp || f.op == Op::asinh || f.op == Op::floor ||
                            f.op == Op::step;
    if (everywhere) expect_slope(apply_function(f.op, {&x, 1}), -0.8);
  }
}

TEST(Differentiate, FunctionsOfTwoArgumentsAgreeWithTheirDifference) {
  for (const double at : {-1.3, 0.2, 1.6}) {
    expect_slope(atan2(x, y), at);
    expect_slope(atan2(y, x), at);
    expect_slope(min(x, y), at);
    expect_slope(max(x, y), at);
    expect_slope(hypot(x, y), at);
    expect_slope(choose(x - y, sin(x), x * y), at);
    expect_slope(clamp(x, -1, y), at);
  }
}

TEST(Differentiate, WhatIsNotChosenCountsForNothing) {
  // Left of zero the root has no value, nor has its derivative; reverse mode must not multiply it.
  const Expr e = y * choose(x, pow(x, Rational(3, 2)), log(-x)) + pow(x, 2);
  const auto at = [](const Expr& of, double where) {
    return evaluate(of, [where](const Symbol& s) { return s.name == "x" ? where : 2.0; });
  };
  const std::vector<Expr> wanted = {x, y};
  for (const Expr& slope : {differentiate(e, x), gradient(e, wanted)[0]}) {
    EXPECT_DOUBLE_EQ(at(slope, 4), 2 * 3 + 8);
    EXPECT_DOUBLE_EQ(at(slope, -4), 2 * (-1.0 / 4) - 8);
  }
  EXPECT_DOUBLE_EQ(at(gradient(e, wanted)[1], 4), 8);
  EXPECT_DOUBLE_EQ(at(gradient(e, wanted)[1], -4), std::log(4.0));
  const Expr nested = choose(x, choose(x - 1, sqrt(x - 1), 0), sqrt(-x));
  EXPECT_DOUBLE_EQ(at(gradient(nested, std::span(&x, 1))[0], 5), 0.25);
  EXPECT_DOUBLE_EQ(at(gradient(nested, std::span(&x, 1))[0], 0.5), 0);
  EXPECT_DOUBLE_EQ(at(gradient(nested, std::span(&x, 1))[0], -4), -0.25);
}

TEST(Differentiate, PowersAgreeWithTheirDifference) {
  expect_slope(pow(x, 5), -0.7);
  expect_slope(pow(x, -3), 1.7);
  expect_slope(pow(x, Rational(1, 3)), 1.2);
  expect_slope(pow(x, y), 1.3);
  expect_slope(pow(y, x), 1.3);
  expect_slope(pow(x, x), 1.3);
}

TEST(Differentiate, KinksTakeTheMeanOfBothSides) {
  const auto at_zero = [](const Expr& e) { return evaluate(e, [](const Symbol&) { return 0.0; }); };
  EXPECT_EQ(at_zero(differentiate(abs(x), x)), 0);
  EXPECT_EQ(at_zero(differentiate(sign(x), x)), 0);
  EXPECT_EQ(at_zero(differentiate(min(x, y), x)), 0.5);
  EXPECT_EQ(at_zero(differentiate(max(x, y), y)), 0.5);
}

TEST(Differentiate, SimpleDerivativesAreWrittenAsOneWould) {
  EXPECT_TRUE(same(differentiate(pow(x, 2), x), 2 * x));
  EXPECT_TRUE(same(differentiate(a * x + y, x), a));
  EXPECT_TRUE(same(differentiate(sin(x), x), cos(x)));
  EXPECT_TRUE(same(differentiate(1 / x, x), -1 / pow(x, 2)));
  EXPECT_TRUE(same(differentiate(sqrt(x), x), 1 / (2 * sqrt(x))));
  EXPECT_TRUE(same(differentiate(y, x), Expr(0)));
  EXPECT_TRUE(same(differentiate(x, x), Expr(1)));
  EXPECT_TRUE(same(differentiate(Expr(3), x), Expr(0)));
}

TEST(Differentiate, PositionVelocityAndAccelerationAreIndependent) {
  const Expr energy = pow(coordinate("x", 1), 2) * x;
  EXPECT_TRUE(same(differentiate(energy, x), pow(coordinate("x", 1), 2)));
  EXPECT_TRUE(same(differentiate(energy, coordinate("x", 1)), 2 * x * coordinate("x", 1)));
  EXPECT_TRUE(same(differentiate(energy, coordinate("x", 2)), Expr(0)));
}

TEST(TimeDerivative, RaisesTheOrderOfCoordinates) {
  EXPECT_TRUE(same(time_derivative(x), coordinate("x", 1)));
  EXPECT_TRUE(same(dot(coordinate("x", 1)), coordinate("x", 2)));
  EXPECT_TRUE(same(dot(a * x * time()), a * x + a * coordinate("x", 1) * time()));
  EXPECT_TRUE(same(dot(sin(x)), cos(x) * coordinate("x", 1)));
}

TEST(TimeDerivative, ConstraintForcesHaveNone) {
  EXPECT_THROW(time_derivative(a * ideal_force("x")), std::invalid_argument);
  EXPECT_THROW(time_derivative(nonideal_force("x")), std::invalid_argument);
}

TEST(Gradient, OfASymbolIsOne) {
  const std::vector<Expr> wanted = {x, y};
  const auto slopes = gradient(x, wanted);
  EXPECT_TRUE(slopes[0].is_one());
  EXPECT_TRUE(slopes[1].is_zero());
}

TEST(Gradient, AgreesWithForwardModeOnRandomExpressions) {
  // Two routes to the same derivative; both are exact but for rounding, which the running error
  // bounds.
  int compared = 0;
  EXPECT_TRUE(rc::check(
      "gradient, differentiate and directional agree by value",
      [&compared](const std::vector<unsigned>& program) {
        const Expr e = testing::expression_from(program);
        const std::vector<Expr> wanted = symbols(std::span(&e, 1));
        const std::vector<Expr> reverse = gradient(e, wanted);
        std::vector<Expr> weighted;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          const auto forward =
              testing::bounded_value(differentiate(e, wanted[i]), testing::generic_value);
          const auto backward = testing::bounded_value(reverse[i], testing::generic_value);
          weighted.push_back(reverse[i] * Expr(static_cast<int>(i) + 1));
          if (!std::isfinite(forward.error) || !std::isfinite(backward.error)) continue;
          RC_ASSERT(std::abs(forward.value - backward.value) <= forward.error + backward.error);
          ++compared;
        }
        const Expr along = directional(std::span(&e, 1), [&wanted](const Symbol& s) {
                             for (std::size_t i = 0; i < wanted.size(); ++i) {
                               if (wanted[i].symbol() == s) return Expr(static_cast<int>(i) + 1);
                             }
                             return Expr(0);
                           }).front();
        const auto one = testing::bounded_value(along, testing::generic_value);
        const auto other = testing::bounded_value(sum(weighted), testing::generic_value);
        if (std::isfinite(one.error) && std::isfinite(other.error)) {
          RC_ASSERT(std::abs(one.value - other.value) <= one.error + other.error);
        }
      }));
  EXPECT_GT(compared, 100);
}

TEST(Gradient, AgreesWithDifferencesOnRandomExpressions) {
  // The derivative along a direction against a difference quotient of order 4. Singularities may be
  // near, so the step is halved and only expressions whose two quotients agree are used; their
  // values' errors are divided by the step.
  int compared = 0;
  EXPECT_TRUE(rc::check(
      "forward mode against central differences",
      [&compared](const std::vector<unsigned>& program) {
        const Expr e = testing::expression_from(program);
        const auto along = [&e](double step) {
          return evaluate(e, [step](const Symbol& s) { return testing::generic_value(s) + step; });
        };
        const auto quotient = [&along](double h) {
          return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
        };
        const double coarse = quotient(1e-3);
        const double fine = quotient(5e-4);
        const double slope =
            evaluate(directional(std::span(&e, 1), [](const Symbol&) { return Expr(1); }).front(),
                     testing::generic_value);
        const double scale = 1 + std::abs(fine) + std::abs(along(0));
        if (!std::isfinite(coarse) || !std::isfinite(fine) || !std::isfinite(slope)) return;
        if (!(std::abs(coarse - fine) < 1e-8 * scale) || scale > 1e6) return;
        const double rounding = 3 * testing::bounded_value(e, testing::generic_value).error / 5e-4;
        if (!std::isfinite(rounding)) return;
        RC_ASSERT(std::abs(slope - fine) <= 1e-7 * scale + rounding);
        ++compared;
      }));
  EXPECT_GT(compared, 30);
}

}  // namespace
}  // namespace dalembert::expr::differentiate_test
