// Rigorous values, against constants from tables.
#include <dalembert/expr/algebra.hpp>
#include <dalembert/expr/evaluate.hpp>
#include <dalembert/expr/parse.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support.hpp"

namespace dalembert::expr::algebra_precise_test {
namespace {

Rational no_symbols(const Symbol& s) {
  ADD_FAILURE() << "asked for " << s.name;
  return 0;
}

/// A decimal of a constant: digits behind the point only.
Rational decimal(const std::string& text) {
  const auto value = rational_from_decimal(text);
  EXPECT_TRUE(value);
  return value.value_or(Rational(0));
}

void expect_digits(const Expr& e, const std::string& expected, int digits) {
  const auto found = evaluate_precisely(e, no_symbols, digits);
  ASSERT_TRUE(found);
  const Rational truth = decimal(expected);
  Rational scale = 1;
  for (int i = 0; i < digits - 2; ++i) scale *= 10;
  EXPECT_LE(Rational(abs(found->middle - truth) * scale), abs(truth)) << expected;
  EXPECT_LT(found->radius * std::pow(10.0, digits - 2), std::abs(to_double(truth)));
}

TEST(Precise, KnownConstants) {
  expect_digits(pi(), "3.14159265358979323846264338327950288419716939937510582", 50);
  expect_digits(exp(Expr(1)), "2.71828182845904523536028747135266249775724709369995957", 50);
  expect_digits(sqrt(Expr(2)), "1.41421356237309504880168872420969807856967187537694807", 50);
  expect_digits(log(Expr(2)), "0.693147180559945309417232121458176568075500134360255254", 50);
  expect_digits((1 + sqrt(Expr(5))) / 2, "1.61803398874989484820458683436563811772030917980576286",
                50);
  expect_digits(4 * atan(Expr(1)), "3.14159265358979323846264338327950288419716939937510582", 50);
  expect_digits(pow(Expr(2), Expr(Rational(1, 3))),
                "1.25992104989487316476721060727822835057025146470150798", 50);
}

TEST(Precise, CancellationIsOvercome) {
  // sin(10^-20) - 10^-20 = -10^-60/6 + 10^-100/120 - ...
  const Expr x(Rational(1, mpz_class("100000000000000000000")));
  const auto found = evaluate_precisely(sin(x) - x, no_symbols, 30);
  ASSERT_TRUE(found);
  EXPECT_NEAR(to_double(found->middle) * 6e60, -1, 1e-12);
  EXPECT_LT(found->radius * 6e60, 1e-28);
}

TEST(Precise, EveryFunctionAgreesWithDoubles) {
  const Expr x = coordinate("x");
  const Expr y = coordinate("y");
  const auto exact = [](const Symbol& s) {
    return s.name == "x" ? Rational(5, 16) : Rational(3, 4);
  };
  const auto rounded = [&exact](const Symbol& s) { return to_double(exact(s)); };
  for (const FunctionInfo& f : functions()) {
    for (const int sign : {1, -1}) {
      std::vector<Expr> args{sign * x * y};
      if (f.arity >= 2) args.push_back(sign * (x - y));
      if (f.arity == 3) args.push_back(sign * (x + y));
      const Expr e = apply_function(f.op, args);
      const double expected = evaluate(e, rounded);
      const auto found = evaluate_precisely(e, exact);
      ASSERT_EQ(found.has_value(), std::isfinite(expected)) << f.name;
      if (!found) continue;
      EXPECT_NEAR(to_double(found->middle), expected, 1e-14) << f.name;
    }
  }
  const Expr power = pow(x, y) + pow(-x, 3) + pow(x, Rational(-2, 3)) + pow(-y, -2);
  EXPECT_NEAR(to_double(evaluate_precisely(power, exact)->middle), evaluate(power, rounded), 1e-13);
}

TEST(Precise, UndefinedGivesNothing) {
  const Expr x = coordinate("x");
  const auto zero = [](const Symbol&) { return Rational(0); };
  const auto minus = [](const Symbol&) { return Rational(-2); };
  EXPECT_FALSE(evaluate_precisely(1 / x, zero));
  EXPECT_FALSE(evaluate_precisely(log(x), zero));
  EXPECT_FALSE(evaluate_precisely(cot(x), zero));
  EXPECT_FALSE(evaluate_precisely(sqrt(x), minus));
  EXPECT_FALSE(evaluate_precisely(asin(x), minus));
  EXPECT_FALSE(evaluate_precisely(pow(x, Expr(Rational(1, 3))), minus));
  EXPECT_FALSE(evaluate_precisely(0 * x + 1 / (sin(pi() * x / 2) + sin(pi())), zero));
  EXPECT_FALSE(evaluate_precisely(exp(exp(exp(exp(5 + x)))), zero));
  EXPECT_EQ(evaluate_precisely(sign(x), zero)->middle, 0);
  EXPECT_EQ(evaluate_precisely(sqrt(x), zero)->middle, 0);
  EXPECT_EQ(evaluate_precisely(pow(x, Expr(Rational(1, 3))), zero)->middle, 0);
  EXPECT_EQ(evaluate_precisely(atan2(x, x), zero)->middle, 0);
}

TEST(Precise, HiddenZeroIsEnclosed) {
  const auto found =
      evaluate_precisely(pow(sqrt(Expr(2)) + sqrt(Expr(3)), 2) - 5 - 2 * sqrt(Expr(6)), no_symbols);
  ASSERT_TRUE(found);
  EXPECT_LE(std::abs(to_double(found->middle)), found->radius);
  EXPECT_LT(found->radius, 1e-50);
}

TEST(Precise, ListsGiveWhatSinglesGive) {
  const Expr x = coordinate("x");
  const auto at = [](const Symbol&) { return Rational(1, 3); };
  const std::vector<Expr> list{sin(x), 1 / (x - x * x * 3), x, sin(x) * cos(x)};
  const auto found = evaluate_precisely(list, at, 30);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_FALSE(found[1]);
  for (const std::size_t i : {0U, 2U, 3U}) {
    const auto single = evaluate_precisely(list[i], at, 30);
    EXPECT_LE(std::abs(to_double(Rational(found[i]->middle - single->middle))),
              found[i]->radius + single->radius);
  }
}

/// The bound on the error of a double is of first order: it says nothing where some operand's is
/// infinite, even if the operation on it has a finite value (1/x^7 at infinity).
bool all_bounds_finite(const Expr& e) {
  for (const Expr& node : postorder(e)) {
    if (!std::isfinite(testing::bounded_value(node, testing::generic_value).error)) return false;
  }
  return true;
}

TEST(PreciseProperty, EnclosesWhatDoublesCompute) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned>& program) {
    const Expr e = testing::expression_from(program);
    // The very double, not the decimal it is printed as.
    const auto exact = [](const Symbol& s) { return Rational(testing::generic_value(s)); };
    if (!all_bounds_finite(e)) return;
    const testing::Bounded rounded = testing::bounded_value(e, testing::generic_value);
    const auto found = evaluate_precisely(e, exact, 20);
    if (!found) return;
    RC_CLASSIFY(e.args().size() > 0, "compared");
    RC_ASSERT(std::abs(to_double(found->middle) - rounded.value) <=
              2 * rounded.error + found->radius);
  }));
}

}  // namespace
}  // namespace dalembert::expr::algebra_precise_test
