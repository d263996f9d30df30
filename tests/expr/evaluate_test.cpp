#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numbers>

#include "support.hpp"

namespace dalembert::expr::evaluate_test {
namespace {

const Expr x = coordinate("x");
const Expr y = coordinate("y");

double at(const Expr& e, double x_value, double y_value = 0) {
  return evaluate(e, [=](const Symbol& s) { return s.name == "x" ? x_value : y_value; });
}

TEST(Evaluate, EveryFunctionMeansWhatItsNameSays) {
  // Within 4 ulp: the right sides may be folded by the compiler, which rounds better than the
  // library.
  EXPECT_DOUBLE_EQ(at(sin(x), 0.7), std::sin(0.7));
  EXPECT_DOUBLE_EQ(at(cos(x), 0.7), std::cos(0.7));
  EXPECT_DOUBLE_EQ(at(tan(x), 0.7), std::tan(0.7));
  EXPECT_DOUBLE_EQ(at(sec(x), 0.7), 1 / std::cos(0.7));
  EXPECT_DOUBLE_EQ(at(csc(x), 0.7), 1 / std::sin(0.7));
  EXPECT_DOUBLE_EQ(at(cot(x), 0.7), std::cos(0.7) / std::sin(0.7));
  EXPECT_DOUBLE_EQ(at(asin(x), 0.7), std::asin(0.7));
  EXPECT_DOUBLE_EQ(at(acos(x), 0.7), std::acos(0.7));
  EXPECT_DOUBLE_EQ(at(atan(x), 0.7), std::atan(0.7));
  EXPECT_DOUBLE_EQ(at(atan2(x, y), 0.7, -2), std::atan2(0.7, -2));
  EXPECT_DOUBLE_EQ(at(sinh(x), 0.7), std::sinh(0.7));
  EXPECT_DOUBLE_EQ(at(cosh(x), 0.7), std::cosh(0.7));
  EXPECT_DOUBLE_EQ(at(tanh(x), 0.7), std::tanh(0.7));
  EXPECT_DOUBLE_EQ(at(exp(x), 0.7), std::exp(0.7));
  EXPECT_DOUBLE_EQ(at(log(x), 0.7), std::log(0.7));
  EXPECT_DOUBLE_EQ(at(sqrt(x), 0.7), std::sqrt(0.7));
  EXPECT_EQ(at(abs(x), -0.7), 0.7);
  EXPECT_EQ(at(sign(x), -0.7), -1);
  EXPECT_EQ(at(sign(x), 0), 0);
  EXPECT_EQ(at(min(x, y), 2, -3), -3);
  EXPECT_EQ(at(max(x, y), 2, -3), 2);
  EXPECT_DOUBLE_EQ(at(asinh(x), 0.7), std::asinh(0.7));
  EXPECT_DOUBLE_EQ(at(acosh(x), 1.7), std::acosh(1.7));
  EXPECT_DOUBLE_EQ(at(atanh(x), 0.7), std::atanh(0.7));
  EXPECT_DOUBLE_EQ(at(log10(x), 0.7), std::log10(0.7));
  EXPECT_DOUBLE_EQ(at(erf(x), 0.7), std::erf(0.7));
  EXPECT_DOUBLE_EQ(at(hypot(x, y), 3e200, -4e200), 5e200);
  EXPECT_EQ(at(floor(x), -0.7), -1);
  EXPECT_EQ(at(floor(x), 3), 3);
  EXPECT_EQ(at(step(x), -1e-300), 0);
  EXPECT_EQ(at(step(x), 0), 1);
  EXPECT_EQ(at(step(x), -0.0), 1);
  EXPECT_EQ(at(choose(x, y, 2), 0, 7), 7);
  EXPECT_EQ(at(choose(x, y, 2), -1, 7), 2);
  EXPECT_EQ(at(clamp(x, -1, y), 5, 3), 3);
  EXPECT_EQ(at(clamp(x, -1, y), -5, 3), -1);
  EXPECT_EQ(at(clamp(x, -1, y), 0.5, 3), 0.5);
  EXPECT_EQ(at(pow(x, y), 2, -3), 0.125);
  EXPECT_EQ(at(pi(), 0), std::numbers::pi);
}

TEST(Evaluate, ConstantsAreRoundedOnce) {
  EXPECT_EQ(at(Expr(Rational(1, 3)), 0), 1.0 / 3);
  EXPECT_EQ(at(Expr(0.1) + 0.2, 0), 0.3);  // exact first, so not 0.30000000000000004
}

TEST(Evaluate, NotANumberPassesThroughArithmetic) {
  EXPECT_TRUE(std::isnan(at(sqrt(x) + 1, -1)));
  EXPECT_TRUE(std::isnan(at(sign(log(x)), -1)));
  EXPECT_TRUE(std::isnan(at(step(log(x)), -1)));
  EXPECT_TRUE(std::isnan(at(floor(log(x)), -1)));
  EXPECT_TRUE(std::isnan(at(choose(log(x), 1, 2), -1)));
  EXPECT_EQ(at(choose(x, 1, log(x)), 1), 1);
  EXPECT_EQ(at(choose(x, sqrt(x), 2), -1), 2);
  EXPECT_TRUE(std::isinf(at(1 / x, 0)));
}

TEST(Evaluate, ATreeOfTwoToTheTwoHundredLeavesCostsItsGraph) {
  Expr e = x;
  for (int i = 0; i < 200; ++i) e = sin(e) + cos(e);
  EXPECT_TRUE(std::isfinite(at(e, 0.3)));
}

TEST(FirstNotFinite, NamesTheInnermostCulprit) {
  const auto culprit = [](const Expr& e, double where) {
    return first_not_finite(e, [where](const Symbol&) { return where; });
  };
  EXPECT_FALSE(culprit(sin(x) / x, 1));
  EXPECT_TRUE(same(*culprit(3 * sin(1 / x) + 2, 0), 1 / x));
  EXPECT_TRUE(same(*culprit(exp(log(x - 1)) + x, 0.5), log(x - 1)));
  EXPECT_TRUE(same(*culprit(sqrt(x), -1), sqrt(x)));
  EXPECT_TRUE(same(*culprit(exp(x) * exp(x), 500), pow(exp(x), 2)));
}

TEST(FirstNotFinite, BlamesASymbolWithoutAFiniteValue) {
  EXPECT_TRUE(same(*first_not_finite(2 * x, [](const Symbol&) { return std::nan(""); }), x));
}

TEST(FirstNotFinite, FindsOneWheneverTheValueIsNotFinite) {
  EXPECT_TRUE(rc::check("a value that is not finite has a culprit",
                        [](const std::vector<unsigned>& program) {
                          const Expr e = testing::expression_from(program);
                          const auto found = first_not_finite(e, testing::generic_value);
                          if (!std::isfinite(evaluate(e, testing::generic_value)))
                            RC_ASSERT(found.has_value());
                          if (found)
                            RC_ASSERT(!std::isfinite(evaluate(*found, testing::generic_value)));
                        }));
}

}  // namespace
}  // namespace dalembert::expr::evaluate_test
