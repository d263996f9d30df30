// Whether expressions are zero: identities, near misses, and input that must neither be proven nor
// break anything.
#include <dalembert/expr/algebra.hpp>
#include <dalembert/expr/evaluate.hpp>
#include <dalembert/expr/parse.hpp>

#include <gtest/gtest.h>

#include "support.hpp"

namespace dalembert::expr::algebra_decide_test {
namespace {

Expr read(const std::string& text) {
  static const Resolve names = resolve_symbols({"x", "y", "z", "phi", "theta"});
  auto result = parse(text, names);
  EXPECT_TRUE(static_cast<bool>(result)) << text;
  return result ? *result : Expr(0);
}

Verdict verdict(const std::string& text) {
  return decide_zero(read(text)).verdict;
}

class AlgebraIdentity : public ::testing::TestWithParam<const char*> {};
TEST_P(AlgebraIdentity, IsProven) {
  EXPECT_EQ(verdict(GetParam()), Verdict::proven);
}
INSTANTIATE_TEST_SUITE_P(
    All, AlgebraIdentity,
    ::testing::Values(
        "sin(x)^2 + cos(x)^2 - 1", "sin(3*x) - 3*sin(x) + 4*sin(x)^3",
        "cos(5*x) - 16*cos(x)^5 + 20*cos(x)^3 - 5*cos(x)",
        "tan(x + y) - (tan(x) + tan(y))/(1 - tan(x)*tan(y))", "sec(x)^2 - tan(x)^2 - 1",
        "csc(x)^2 - cot(x)^2 - 1", "sin(x)/(1 - cos(x)) - (1 + cos(x))/sin(x)",
        "x/(1 - cos(x)^2) - x/sin(x)^2", "cos(x + pi/2) + sin(x)", "sin(x + pi) + sin(x)",
        "sin(pi/3)^2 - 3/4", "sin(x + pi/6) - sin(x)*sqrt(3)/2 - cos(x)/2", "cos(pi/4) - sqrt(2)/2",
        "sin(pi/5) - sin(4*pi/5)", "cos(7*pi/6) + sqrt(3)/2", "sin(1)^2 + cos(1)^2 - 1",
        "sin(x/2)*cos(x/2) - sin(x)/2", "sin(2*w*x - y/3)^2 + cos(2*w*x - y/3)^2 - 1",
        "sin(2*w*x) - 2*sin(w*x)*cos(w*x)", "cos(x/h)^2 - (1 + cos(2*x/h))/2",
        "sin(9.81*x) - 2*sin(4.905*x)*cos(4.905*x)",
        "sin(x*(1 + y)) - sin(x)*cos(x*y) - cos(x)*sin(x*y)",
        "sin(x/(1 + y))^2 + cos(x/(1 + y))^2 - 1", "cosh(x)^2 - sinh(x)^2 - 1",
        "sinh(2*x) - 2*sinh(x)*cosh(x)", "tanh(x) - (exp(2*x) - 1)/(exp(2*x) + 1)",
        "exp(x + y) - exp(x)*exp(y)", "exp(x - y/3)*exp(y/3) - exp(x)", "sqrt(x)^2 - x",
        "sqrt(x^2) - abs(x)", "sqrt(8) - 2*sqrt(2)", "sqrt(6) - sqrt(2)*sqrt(3)",
        "sqrt(x/y) - sqrt(x*y)/abs(y)", "1/(sqrt(x) - 1) - (sqrt(x) + 1)/(x - 1)",
        "abs(x*y) - abs(x)*abs(y)", "abs(x)^2 - x^2", "abs(x - y) - abs(y - x)",
        "x^(1/3)*x^(2/3) - x", "x^(-1/3)*x^(4/3) - x", "log(x^2 + 2*x + 1) - log((x + 1)^2)",
        "atan(x - y) + atan(y - x)", "min(x + y, 2*(x + y)/2 + z) - min(y + x, x + z + y)",
        "sign(x)^3 - sign(x)", "step(x)^3 - step(x)",
        "if(x < y, sin(x)^2, x) - if(x - y < 0, 1 - cos(x)^2, x)", "floor(2*x - x) - floor(x)",
        "hypot(x, -y*1) - hypot(-y, x)", "asinh(x - y) + asinh(y - x)",
        "(x^2 - y^2)/(x - y) - x - y", "1/x - 1/x", "x^1000000 - x^999999*x",
        "sqrt(sin(x)^2 + cos(x)^2 + x) - sqrt(1 + x)", "log(sin(x)^2) - log(1 - cos(x)^2)",
        "1/(1 - sin(x)) + 1/(1 + sin(x)) - 2*sec(x)^2", "log(sin(2*x)) - log(2*sin(x)*cos(x))",
        "atan(cos(x - y)) - atan(cos(x)*cos(y) + sin(x)*sin(y))"));

class AlgebraDifference : public ::testing::TestWithParam<const char*> {};
TEST_P(AlgebraDifference, IsRefutedWhereTheWitnessSays) {
  const Expr e = read(GetParam());
  const Decision d = decide_zero(e);
  ASSERT_EQ(d.verdict, Verdict::refuted);
  ASSERT_TRUE(d.witness);
  const auto value = [&d](const Symbol& s) {
    for (const auto& [x, r] : d.witness->at) {
      if (x.symbol() == s) return r;
    }
    ADD_FAILURE() << "no value for " << s.name;
    return Rational(0);
  };
  const auto enclosed = evaluate_precisely(e, value);
  ASSERT_TRUE(enclosed);
  EXPECT_GT(std::abs(to_double(enclosed->middle)), enclosed->radius);
  EXPECT_NEAR(std::stod(d.witness->value) / to_double(enclosed->middle), 1, 1e-6);
}
INSTANTIATE_TEST_SUITE_P(
    All, AlgebraDifference,
    ::testing::Values("1.000000001*sin(x)^2 + cos(x)^2 - 1", "sqrt(x^2) - x", "abs(x) - x",
                      "sin(3*x) - 3*sin(x) + 4.000000001*sin(x)^3", "x - y", "sign(x) - 1",
                      "step(x) - 1", "if(x < 0, x, 0)", "floor(x) - x", "min(x, y) - x", "1e-30*x",
                      "pi - 22/7", "exp(x) - 1 - x - x^2/2", "sqrt(x*y) - sqrt(x)*sqrt(y) + 1e-12",
                      "sqrt(2) + sqrt(3) - pi - 1e-3", "acos(x) + asin(x) - pi/2 - 1e-20",
                      "atan2(y, x) - atan(y/x)"));

class AlgebraOpen : public ::testing::TestWithParam<const char*> {};
TEST_P(AlgebraOpen, IsNotProvenForAReason) {
  const Decision d = decide_zero(read(GetParam()));
  EXPECT_EQ(d.verdict, Verdict::not_proven);
  EXPECT_FALSE(d.reason.empty());
  EXPECT_FALSE(d.witness);
}
INSTANTIATE_TEST_SUITE_P(All, AlgebraOpen,
                         ::testing::Values("1/(sin(x)^2 + cos(x)^2 - 1)", "log(-x^2 - 1)",
                                           "sqrt(-1 - x^2)", "asin(x) + acos(x) - pi/2",
                                           "exp(log(x)) - x", "min(x, y) + max(x, y) - x - y"));

TEST(AlgebraDecide, HugeAndTinyValuesAreWitnesses) {
  for (const char* text : {"x^1000000 - x^999999", "(x + y)^5000", "exp(-1000*x^2)"}) {
    EXPECT_EQ(verdict(text), Verdict::refuted) << text;
  }
}

TEST(AlgebraDecide, DividingByZeroIsTheReason) {
  const Decision d = decide_zero(read("x/(sin(x)^2 + cos(x)^2 - 1)"));
  EXPECT_NE(d.reason.find("zero"), std::string::npos) << d.reason;
}

TEST(AlgebraDecide, WitnessNamesSymbolsInOrder) {
  const Decision d = decide_zero(read("z' + y + x + a + b2"));
  ASSERT_TRUE(d.witness);
  std::vector<std::string> names;
  for (const auto& [s, r] : d.witness->at) {
    names.push_back(s.symbol().name);
    EXPECT_NE(sgn(r), 0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b2", "x", "y", "z"}));
}

TEST(AlgebraDecide, ZeroAndConstants) {
  EXPECT_TRUE(proven_zero(Expr(0)));
  EXPECT_EQ(decide_zero(Expr(Rational(1, 7))).verdict, Verdict::refuted);
  EXPECT_FALSE(proven_zero(pi()));
}

TEST(AlgebraDecide, TermLimitIsRespected) {
  AlgebraOptions small;
  small.terms = 50;
  const Expr e = read("(x + y + z + phi)^20 - (x + y + z + phi)^19*(phi + z + y + x)");
  EXPECT_TRUE(proven_zero(e, small));  // the same node: nothing to multiply out
  const Expr f = read("(x + y + z + phi)^12 - (x^2 + (y + z + phi)*(2*x + y + z + phi))^6");
  EXPECT_TRUE(proven_zero(f));
  EXPECT_FALSE(proven_zero(f, small));
}

TEST(AlgebraDecide, HugePowersDoNotHang) {
  for (const char* text : {"(x + y)^100000 - (y + x + 1 - 1)^99999*x", "(x + y + z)^3000 - x",
                           "x^99999999999 - y", "sin(x)^100000 - cos(x)", "(1 + 1/x)^20000 - x",
                           "3^100000*x - y", "sin(1000000*x) - sin(x)", "(sin(x) + cos(y))^500 - 1",
                           "exp(100000*x) - exp(x)", "(x^1000000)^1000000 - y"}) {
    EXPECT_NE(decide_zero(read(text)).verdict, Verdict::proven) << text;
    EXPECT_NE(decide_zero(read(text) - read(text) * read("sin(x)^2 + cos(x)^2 + y - y")).verdict,
              Verdict::refuted)
        << text;
  }
}

TEST(AlgebraDecide, DeepNestsDoNotHang) {
  const Expr x = coordinate("x");
  std::vector<Expr> deep(6, x);
  for (int i = 0; i < 3000; ++i) {
    deep[0] = sin(deep[0]);
    deep[1] = sqrt(deep[1] + 1);
    deep[2] = abs(deep[2] - 1);
    deep[3] = 1 / (deep[3] + 1);
    deep[4] = exp(deep[4]) - 1;
    deep[5] = log(deep[5] + sin(deep[5]));
  }
  for (const Expr& e : deep) {
    EXPECT_NE(decide_zero(e - e * (pow(sin(x), 2) + pow(cos(x), 2))).verdict, Verdict::refuted);
    EXPECT_EQ(decide_zero(e - e).verdict, Verdict::proven);
  }
}

TEST(AlgebraModulo, UsesTheRelations) {
  AlgebraOptions circle;
  circle.modulo = {read("x^2 + y^2 - l^2")};
  EXPECT_TRUE(proven_zero(read("(x^2 + y^2)^2 - l^4"), circle));
  EXPECT_TRUE(proven_zero(read("x/(l^2 - y^2) - 1/x"), circle));
  EXPECT_EQ(decide_zero(read("x^2 - y^2"), circle).verdict, Verdict::not_proven);

  AlgebraOptions rolling;
  rolling.modulo = {read("x' + r*phi'*cos(theta)"), read("y' + r*phi'*sin(theta)")};
  EXPECT_TRUE(proven_zero(read("x'^2 + y'^2 - r^2*phi'^2"), rolling));
  EXPECT_TRUE(proven_zero(read("x'*sin(theta) - y'*cos(theta)"), rolling));
  EXPECT_FALSE(proven_zero(read("x'*sin(theta) + y'*cos(theta)"), rolling));

  AlgebraOptions bar;
  bar.modulo = {read("(x - z)^2 + (y - 1)^2 - 1"), read("(x - z)*(x' - z') + (y - 1)*y'")};
  EXPECT_TRUE(proven_zero(read("y'*(x - z)*(1 - y) - (1 - (y - 1)^2)*(x' - z')"), bar));
}

TEST(AlgebraModulo, GivesUpOnLargeBases) {
  AlgebraOptions hard;
  hard.terms = 500;
  for (int i = 0; i < 6; ++i) {
    Expr e = -1;
    for (int k = 0; k < 7; ++k) {
      e += pow(parameter("a" + std::to_string(k)), 2 + (i * k + i + k) % 4) *
           pow(parameter("a" + std::to_string((k + i) % 7)), 3);
    }
    hard.modulo.push_back(e);
  }
  EXPECT_EQ(decide_zero(parameter("a0") - 7, hard).verdict, Verdict::not_proven);
}

}  // namespace
}  // namespace dalembert::expr::algebra_decide_test
