#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <dalembert/expr/parse.hpp>
#include <dalembert/expr/print.hpp>

#include "support.hpp"

namespace dalembert::expr::print_text_test {
namespace {

const Expr x = coordinate("x");
const Expr y = coordinate("y");
const Expr z = coordinate("z");

Resolve names() {
  return resolve_symbols(testing::coordinate_names);
}

/// A text that people would write this way comes back unchanged.
void expect_unchanged(std::string_view text) {
  const auto e = parse(text, resolve_symbols({"x", "y", "z", "phi", "th1", "th2"}));
  ASSERT_TRUE(e) << text << ": " << e.error().message;
  EXPECT_EQ(to_text(*e), text);
}

TEST(ToText, WritesWhatAPersonWould) {
  for (const char* text : {
           "m*l^2*phi'^2/2 - m*g*l*cos(phi)",
           "m*(x'^2 + y'^2)/2",
           "m*x'' + c*x' + k*x",
           "x/(y*z)",
           "x/y/z",
           "x/(2*y)",
           "x/(2*y*z)",
           "(x + y)/(x - z)",
           "-(x + y)/(2*(y - z))",
           "-(x + y)",
           "-x - y",
           "1 - x^2",
           "sqrt(1 - x^2)",
           "x^2 + x + 1",
           "x^2 + x*y + y^2",
           "2*pi*x",
           "1/x",
           "1/(2*x^2)",
           "sin(x)^2",
           "x^(1/3)",
           "2^(-x)",
           "(-2)^x",
           "(1/2)^x",
           "(x*y)^2",
           "(x/y)^k",
           "x^(y^z)",
           "(x^y)^z",
           "x - (y + z)",
           "9.81*m*y",
           "6.674e-11*m1*m2/x^2",
           "m1*m2*l1*l2*cos(th1 - th2)*th1'*th2'",
           "mu*abs(ideal.y)",
           "atan2(y, x)",
           "min(x, y)",
           "if(x < 0, -k*x, 0)",
           "if(x > 0, k*x, 0)",
           "if(x >= y, a, b)",
           "if(x <= 3, a, b)",
           "if(x >= 3, a, b)",
           "if(x <= 0, a, b)",
           "if(x^2 + y^2 <= 1, sqrt(1 - x^2 - y^2), 0)",
           "2*if(x + y >= z, a, b)^2 + 1",
           "if(-x - y >= 0, a, b)",
           "if(t < 5, if(t >= 1, a, b), 0)",
           "floor(x/2)*step(y - 1)",
           "acosh(y) + asinh(x) + atanh(z) + hypot(x, y) + log10(x)",
           "a2*x + a10*y",
           "t",
           "0",
           "-1/2",
       }) {
    expect_unchanged(text);
  }
}

TEST(ToText, NumbersAreDecimalsOnlyWhereShorter) {
  EXPECT_EQ(to_text(Expr(Rational(1, 2))), "1/2");
  EXPECT_EQ(to_text(Expr(Rational(3, 4))), "3/4");
  EXPECT_EQ(to_text(Expr(Rational(1, 3))), "1/3");
  EXPECT_EQ(to_text(Expr(Rational(1, 10))), "0.1");
  EXPECT_EQ(to_text(Expr(Rational(-981, 100))), "-9.81");
  EXPECT_EQ(to_text(Expr(1000000)), "1000000");
  EXPECT_EQ(to_text(Expr(6.02214076e23)), "6.02214076e23");
  EXPECT_EQ(to_text(Expr(1e-9)), "1e-9");
  EXPECT_EQ(to_text(Expr(0.30000000000000004)), "0.30000000000000004");
  EXPECT_EQ(to_text(Expr(2.5) * x), "5*x/2");
}

TEST(ToText, ParsingItGivesTheSameNode) {
  int parsed = 0;
  EXPECT_TRUE(rc::check("parse(to_text(e)) is e", [&parsed](const std::vector<unsigned>& program) {
    const Expr e = testing::expression_from(program);
    const std::string text = to_text(e);
    const auto back = parse(text, names());
    if (!back && back.error().message.starts_with("nested more than")) return;
    if (text.ends_with("...")) return;
    RC_ASSERT(static_cast<bool>(back));
    RC_ASSERT(same(*back, e));
    ++parsed;
  }));
  EXPECT_GT(parsed, 80);
}

TEST(ToText, ParsingTheTextOfADerivativeGivesTheSameNode) {
  EXPECT_TRUE(rc::check("parse(to_text(de/dx)) is de/dx", [](const std::vector<unsigned>& program) {
    const Expr e = differentiate(testing::expression_from(program), x);
    if (first_not_finite(e, testing::generic_value)) return;  // 1/0 among the constants has no text
    const std::string text = to_text(e);
    if (text.ends_with("...")) return;
    const auto back = parse(text, names());
    RC_ASSERT(back && same(*back, e));
  }));
}

TEST(ToText, ProductsAndSumsBeyondTheMergingLimitRoundTrip) {
  for (const int n : {15, 16, 17, 33, 300}) {
    std::vector<Expr> operands;
    for (int i = 0; i < n; ++i)
      operands.push_back(pow(parameter("p" + std::to_string(i)), i % 3 == 0 ? -1 : 1));
    Expr grown_sum;
    Expr grown_product = 1;
    for (const Expr& e : operands) {
      grown_sum += e;
      grown_product *= e;
    }
    const Expr all = sum(operands);
    const Expr every = product(operands);
    for (const Expr& e :
         {all, every, grown_sum, grown_product, -all, Rational(3, 7) * every, all - grown_product,
          Rational(-3, 7) * grown_product * grown_sum / every}) {
      const auto back = parse(to_text(e), names());
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_TRUE(same(*back, e)) << n << ": " << to_text(e);
    }
  }
}

TEST(ToText, TheOrderOfBuildingDoesNotShow) {
  EXPECT_EQ(to_text(z + y + x), "x + y + z");
  EXPECT_EQ(to_text(cos(x) * x * parameter("g") * parameter("m") * coordinate("x", 1) * (x + y) *
                    2 * pi()),
            "2*m*g*pi*x*(x + y)*cos(x)*x'");
}

TEST(ToText, DeepChainsNeedNoStack) {
  Expr e = x;
  for (int i = 0; i < 100'000; ++i) e = sin(e);
  const std::string text = to_text(e);
  EXPECT_EQ(text.size(), 500'001u);
  EXPECT_TRUE(text.starts_with("sin(sin("));
  EXPECT_TRUE(text.ends_with("))))"));
}

TEST(ToText, LongTextsAreCutAtTheLimit) {
  Expr e = x;
  for (int i = 0; i < 200; ++i) e = sin(e) + cos(e);
  const std::string text = to_text(e);  // the tree has 2²⁰⁰ leaves
  EXPECT_EQ(text.size(), print_limit + 3);
  EXPECT_TRUE(text.ends_with("..."));
  EXPECT_EQ(to_text(x + y + z, 5), "x + y...");
  EXPECT_EQ(to_text(x + y, 5), "x + y");
  EXPECT_EQ(to_text(coordinate("φφ"), 3), "φ...");  // characters stay whole
}

}  // namespace
}  // namespace dalembert::expr::print_text_test
