// The local rules by which expressions are built, one by one, and the laws that follow from them.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "support.hpp"

namespace dalembert::expr::build_test {
namespace {

const Expr x = coordinate("x");
const Expr y = coordinate("y");
const Expr z = coordinate("z");
const Expr a = parameter("a");
const Expr b = parameter("b");

std::vector<Expr> parameters(std::string_view prefix, int count) {
  std::vector<Expr> result;
  for (int i = 0; i < count; ++i)
    result.push_back(parameter(std::string(prefix) + std::to_string(i)));
  return result;
}

#define EXPECT_SAME(one, other) EXPECT_TRUE(same(one, other)) << #one << " is not " << #other
#define EXPECT_DIFFERENT(one, other) EXPECT_FALSE(same(one, other)) << #one << " is " << #other

TEST(Build, EqualExpressionsAreOneNode) {
  EXPECT_SAME(coordinate("x"), x);
  EXPECT_SAME(sin(x) * y + a, sin(coordinate("x")) * coordinate("y") + parameter("a"));
  EXPECT_DIFFERENT(coordinate("a"), parameter("a"));
  EXPECT_DIFFERENT(coordinate("x"), coordinate("x", 1));
  EXPECT_DIFFERENT(ideal_force("x"), nonideal_force("x"));
  EXPECT_DIFFERENT(time(), parameter("t"));
  EXPECT_SAME(Expr(0.5), Expr(Rational(1, 2)));
}

TEST(Build, ConstantsAreInLowestTerms) {
  EXPECT_SAME(Expr(Rational(2, 4)), Expr(Rational(1, 2)));
  EXPECT_SAME(Expr(Rational(6, 3)), Expr(2));
}

TEST(Build, ConstantsFold) {
  EXPECT_SAME(Expr(1) / 3 + Rational(1, 6), Expr(Rational(1, 2)));
  EXPECT_SAME(Expr(0.1) + 0.2, Expr(0.3));
  EXPECT_SAME(pow(Expr(2), 10), Expr(1024));
  EXPECT_SAME(pow(Expr(Rational(2, 3)), -2), Expr(Rational(9, 4)));
  EXPECT_SAME(pow(Expr(-1), 1000001), Expr(-1));
  EXPECT_SAME(2 * x * 3, 6 * x);
  EXPECT_SAME(x + 1 + y + 2, x + y + 3);
  const Expr long_number = Rational(std::string(3000, '7'));
  EXPECT_SAME(1 / long_number * long_number, Expr(1));
}

TEST(Build, HugePowersAreKeptAsPowers) {
  const Expr huge = pow(Expr(2), 100000);
  EXPECT_TRUE(huge.is(Op::power));
  EXPECT_SAME(huge / huge, Expr(1));
  EXPECT_SAME(huge * pow(Expr(2), -99999), Expr(2));
  EXPECT_SAME(pow(2 * x, 100000) * pow(2 * x, -99998), 4 * pow(x, 2));
  const auto p = parameters("p", 20);
  const Expr twenty = product({p.begin(), p.end()});
  EXPECT_SAME(product({twenty, pow(2 * x, 100000), pow(2 * x, -99998)}), 4 * (pow(x, 2) * twenty));
}

// Apart, neither factor would be a double.
TEST(Build, PowersOfScaledSymbolsKeepTheirScale) {
  const Expr power = pow(x / 1000, 120);
  EXPECT_TRUE(power.is(Op::power));
  EXPECT_SAME(power * pow(x / 1000, -118), pow(x, 2) / 1000000);
  EXPECT_SAME(pow(x / 1000, 3), pow(x, 3) / 1000000000);
}

TEST(Build, NeutralElementsDisappear) {
  EXPECT_SAME(x + 0, x);
  EXPECT_SAME(0 * x, Expr(0));
  EXPECT_SAME(1 * x, x);
  EXPECT_SAME(pow(x, 0), Expr(1));
  EXPECT_SAME(pow(x, 1), x);
  EXPECT_SAME(pow(Expr(1), x), Expr(1));
  EXPECT_SAME(sum({}), Expr(0));
  EXPECT_SAME(product({}), Expr(1));
  EXPECT_SAME(-(-x), x);
}

TEST(Build, EqualTermsAreCollected) {
  EXPECT_SAME(x + x, 2 * x);
  EXPECT_SAME(3 * x * y - x * y, 2 * x * y);
  EXPECT_SAME(x - x, Expr(0));
  EXPECT_SAME(x * y + a - x * y, a);
  EXPECT_SAME(2 * (x + y) - (x + y), x + y);
  EXPECT_SAME((x + y) - (x + y), Expr(0));
}

TEST(Build, CoefficientsOfAnySizeAreExact) {
  // Small ones are machine words: here they grow past those and come back.
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::int32_t, std::int32_t>>& drawn) {
    Rational total = 0, scale = 1;
    std::vector<Expr> terms, factors{x};
    for (const auto& [numerator, denominator] : drawn) {
      Rational c(numerator, 1 + std::abs(std::int64_t{denominator}));
      c.canonicalize();
      total += c;
      terms.push_back(Expr(c) * x);
      if (sgn(c) == 0) continue;
      scale *= c;
      factors.emplace_back(c);
    }
    RC_ASSERT(same(sum(terms), Expr(total) * x));
    RC_ASSERT(same(product(factors), Expr(scale) * x));
    terms.push_back(Expr(Rational(-total)) * x);
    RC_ASSERT(sum(terms).is_zero());
    factors.emplace_back(Rational(1 / scale));
    RC_ASSERT(same(product(factors), x));
  }));
  constexpr long most = 2147483647;
  EXPECT_SAME(most * x + x, Expr(Rational("2147483648")) * x);
  EXPECT_SAME(pow(pow(x, most), most), pow(x, Expr(Rational("4611686014132420609"))));
}

TEST(Build, EqualFactorsAreCollected) {
  EXPECT_SAME(x * x, pow(x, 2));
  EXPECT_SAME(pow(x, 3) / x, pow(x, 2));
  EXPECT_SAME(x / x, Expr(1));
  EXPECT_SAME(x * y / (x * 1), y);
  EXPECT_SAME(pow(pow(x, 2), 3), pow(x, 6));
  EXPECT_SAME(pow(x * y, 2) / (x * y), x * y);
  EXPECT_SAME((x * y) / (x * y), Expr(1));
  EXPECT_SAME(3 * x * y * z / (x * y * z), Expr(3));
  EXPECT_SAME(pow(2 * x, 3), 8 * pow(x, 3));
  EXPECT_SAME(1 / (2 * x), x / (2 * pow(x, 2)));
  EXPECT_SAME(pow(-x, 2), pow(x, 2));
}

TEST(Build, PowersOfHalvesAreRoots) {
  EXPECT_SAME(pow(x, Rational(1, 2)), sqrt(x));
  EXPECT_SAME(pow(x, Rational(-3, 2)), pow(sqrt(x), -3));
  EXPECT_SAME(pow(Expr(4), Rational(3, 2)), Expr(8));
}

TEST(Build, RealPowersAreNotMixed) {
  // (x²)^(1/2) is |x|, and (x^(1/2))² is undefined for x < 0: neither is x.
  EXPECT_DIFFERENT(sqrt(pow(x, 2)), x);
  EXPECT_DIFFERENT(pow(sqrt(x), 2), x);
  EXPECT_DIFFERENT(pow(pow(x, Rational(1, 3)), 3), x);
}

TEST(Build, NothingIsExpanded) {
  const Expr s = x + y;
  EXPECT_TRUE((2 * s).is(Op::product));
  EXPECT_TRUE((a * s).is(Op::product));
  EXPECT_TRUE(pow(s, 2).is(Op::power));
  EXPECT_TRUE(pow(x * y, 2).is(Op::power));
  EXPECT_DIFFERENT(s * s, pow(x, 2) + 2 * x * y + pow(y, 2));
  EXPECT_DIFFERENT(pow(sin(x), 2) + pow(cos(x), 2), Expr(1));
}

TEST(Build, OddFunctionsHandOnASign) {
  for (const Op op : {Op::sin, Op::tan, Op::csc, Op::cot, Op::asin, Op::atan, Op::sinh, Op::tanh,
                      Op::sign, Op::asinh, Op::atanh, Op::erf}) {
    const Expr plus = 3 * x;
    const Expr minus = -plus;
    EXPECT_SAME(apply_function(op, {&minus, 1}), -apply_function(op, {&plus, 1}))
        << function_name(op);
  }
}

TEST(Build, EvenFunctionsDropASign) {
  for (const Op op : {Op::cos, Op::sec, Op::cosh, Op::abs}) {
    const Expr plus = x * y;
    const Expr minus = -plus;
    EXPECT_SAME(apply_function(op, {&minus, 1}), apply_function(op, {&plus, 1}))
        << function_name(op);
  }
}

TEST(Build, OtherFunctionsKeepASign) {
  for (const Op op :
       {Op::acos, Op::exp, Op::log, Op::sqrt, Op::floor, Op::step, Op::acosh, Op::log10}) {
    const Expr minus = -x;
    EXPECT_SAME(apply_function(op, {&minus, 1}).args()[0], minus) << function_name(op);
  }
}

TEST(Build, JumpsChoicesAndLogarithmsFoldExactly) {
  EXPECT_SAME(floor(Expr(Rational(-7, 2))), Expr(-4));
  EXPECT_SAME(floor(Expr(Rational(7, 2))), Expr(3));
  EXPECT_SAME(floor(Expr(-3)), Expr(-3));
  EXPECT_SAME(step(Expr(0)), Expr(1));
  EXPECT_SAME(step(Expr(Rational(-1, 1000))), Expr(0));
  EXPECT_SAME(choose(Expr(0), x, y), x);
  EXPECT_SAME(choose(Expr(-1), x, y), y);
  EXPECT_SAME(choose(a, x, x), x);
  EXPECT_SAME(log10(Expr(1000)), Expr(3));
  EXPECT_SAME(log10(Expr(Rational(1, 100))), Expr(-2));
  EXPECT_SAME(log10(Expr(1)), Expr(0));
  EXPECT_TRUE(log10(Expr(20)).is(Op::log10));
  EXPECT_TRUE(log10(Expr(Rational(10, 3))).is(Op::log10));
  EXPECT_TRUE(log10(Expr(-10)).is(Op::log10));
  EXPECT_TRUE(log10(Expr(0)).is(Op::log10));
  EXPECT_SAME(hypot(Expr(3), Expr(-4)), Expr(5));
  EXPECT_SAME(hypot(x, y), hypot(y, x));
  EXPECT_SAME(asinh(Expr(0)), Expr(0));
  EXPECT_SAME(atanh(Expr(0)), Expr(0));
  EXPECT_SAME(acosh(Expr(1)), Expr(0));
}

TEST(Build, FunctionsFoldWhereTheResultIsRational) {
  EXPECT_SAME(sin(Expr(0)), Expr(0));
  EXPECT_SAME(cos(pi()), Expr(-1));
  EXPECT_SAME(sin(3 * pi() / 2), Expr(-1));
  EXPECT_SAME(sin(-pi() / 2), Expr(-1));
  EXPECT_SAME(cos(1000001 * pi()), Expr(-1));
  EXPECT_SAME(tan(pi()), Expr(0));
  EXPECT_SAME(sec(2 * pi()), Expr(1));
  EXPECT_SAME(csc(pi() / 2), Expr(1));
  EXPECT_SAME(cot(pi() / 2), Expr(0));
  EXPECT_SAME(asin(Expr(0)), Expr(0));
  EXPECT_SAME(acos(Expr(1)), Expr(0));
  EXPECT_SAME(atan2(Expr(0), Expr(2)), Expr(0));
  EXPECT_SAME(exp(Expr(0)), Expr(1));
  EXPECT_SAME(log(Expr(1)), Expr(0));
  EXPECT_SAME(cosh(Expr(0)), Expr(1));
  EXPECT_SAME(sqrt(Expr(Rational(9, 4))), Expr(Rational(3, 2)));
  EXPECT_SAME(abs(Expr(-2)), Expr(2));
  EXPECT_SAME(sign(Expr(-2)), Expr(-1));
  EXPECT_SAME(sign(Expr(0)), Expr(0));
  EXPECT_SAME(min(Expr(2), Expr(Rational(1, 2))), Expr(Rational(1, 2)));
  EXPECT_SAME(max(Expr(2), Expr(Rational(1, 2))), Expr(2));
}

TEST(Build, FunctionsStayWhereTheResultIsNotRational) {
  EXPECT_TRUE(sqrt(Expr(2)).is(Op::sqrt));
  EXPECT_TRUE(sqrt(Expr(-4)).is(Op::sqrt));
  EXPECT_TRUE(sin(Expr(1)).is(Op::sin));
  EXPECT_TRUE(tan(pi() / 2).is(Op::tan));
  EXPECT_TRUE(sin(pi() / 3).is(Op::sin));
  EXPECT_TRUE(log(Expr(0)).is(Op::log));
  EXPECT_TRUE(atan2(Expr(0), Expr(-1)).is(Op::atan2));
}

TEST(Build, SymmetricFunctionsIgnoreTheOrderOfArguments) {
  EXPECT_SAME(min(x, y), min(y, x));
  EXPECT_SAME(max(x, y), max(y, x));
  EXPECT_SAME(max(x, x), x);
  EXPECT_DIFFERENT(atan2(x, y), atan2(y, x));
}

TEST(Build, NestedSumsMergeUpToTheLimitOnly) {
  const auto p = parameters("p", 16);
  const Expr eight = sum({p.begin(), p.begin() + 8});
  const Expr other = sum({p.begin() + 8, p.end()});
  EXPECT_EQ((eight + other).args().size(), flatten_limit);
  EXPECT_EQ((eight + other + x).args().size(), 2u);
  const Expr eight_factors = product({p.begin(), p.begin() + 8});
  const Expr other_factors = product({p.begin() + 8, p.end()});
  EXPECT_EQ((eight_factors * other_factors).args().size(), flatten_limit);
  EXPECT_EQ((eight_factors * other_factors * x).args().size(), 2u);
}

TEST(Build, ACoefficientDoesNotChangeTheProductBehindIt) {
  for (const int n : {2, 8, 9, 15, 16, 17, 40}) {
    const auto p = parameters("p", n);
    const auto q = parameters("q", 9);
    const Expr whole = product({p.begin(), p.end()});
    const Expr nested = whole * product({q.begin(), q.end()});
    for (const Expr& e : {whole, nested}) {
      EXPECT_SAME(3 * e / 3, e) << n;
      EXPECT_SAME(2 * e - e, e) << n;
      EXPECT_SAME(-(-e), e) << n;
      EXPECT_SAME(product({Expr(2), e, x, 1 / x}), 2 * e) << n;
    }
  }
}

TEST(Build, TheOrderOfOperandsDoesNotMatter) {
  EXPECT_TRUE(rc::check(
      "permuted sums and products are the same node",
      [](std::vector<unsigned> program, unsigned turn) {
        std::vector<Expr> operands;
        for (const unsigned code : program)
          operands.push_back(testing::expression_from({code, code / 3, code / 7}));
        std::vector<Expr> turned = operands;
        if (!turned.empty())
          std::rotate(turned.begin(), turned.begin() + static_cast<long>(turn % turned.size()),
                      turned.end());
        RC_ASSERT(same(sum(operands), sum(turned)));
        RC_ASSERT(same(product(operands), product(turned)));
        std::reverse(turned.begin(), turned.end());
        RC_ASSERT(same(sum(operands), sum(turned)));
        RC_ASSERT(same(product(operands), product(turned)));
      }));
}

TEST(Build, RebuildingANodeFromItsOperandsGivesTheNode) {
  EXPECT_TRUE(rc::check("no node can be simplified further by the rules",
                        [](const std::vector<unsigned>& program) {
                          for (const Expr& e : postorder(testing::expression_from(program))) {
                            RC_ASSERT(same(rebuild(e, {e.args().begin(), e.args().end()}), e));
                          }
                        }));
}

TEST(Build, NegationIsAnInvolution) {
  EXPECT_TRUE(rc::check("-(-e) is e", [](const std::vector<unsigned>& program) {
    const Expr e = testing::expression_from(program);
    RC_ASSERT(same(-(-e), e));
    RC_ASSERT(same(e - e, Expr(0)));
  }));
}

TEST(Build, TheStructuralHashIsTheSameOnEveryMachine) {
  EXPECT_EQ((sin(x) + Rational(1, 3) * pow(y, 2)).hash(),
            (Rational(1, 3) * pow(y, 2) + sin(x)).hash());
  EXPECT_EQ(x.hash(), 4185656063662584631u);
}

TEST(Build, FunctionsAreFoundByNameAndBack) {
  for (const FunctionInfo& f : functions()) {
    EXPECT_EQ(find_function(f.name), &f);
    EXPECT_EQ(function_name(f.op), f.name);
  }
  EXPECT_EQ(find_function("sine"), nullptr);
  EXPECT_TRUE(function_name(Op::sum).empty());
}

TEST(Build, AnEquationKeepsBothSides) {
  const Equation e = x == y + a;
  EXPECT_SAME(e.lhs, x);
  EXPECT_SAME(e.rhs, y + a);
  EXPECT_FALSE(e);
  EXPECT_TRUE(x + y == y + x);
}

TEST(Build, AssignmentOperatorsAgreeWithTheirBinaryForms) {
  Expr e = x;
  e += y;
  EXPECT_SAME(e, x + y);
  e -= a;
  EXPECT_SAME(e, x + y - a);
  e *= b;
  EXPECT_SAME(e, (x + y - a) * b);
  e /= x;
  EXPECT_SAME(e, (x + y - a) * b / x);
  e += e;
  EXPECT_SAME(e, 2 * (x + y - a) * b / x);
}

}  // namespace
}  // namespace dalembert::expr::build_test
