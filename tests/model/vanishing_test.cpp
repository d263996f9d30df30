// What is zero whatever its symbols, and what only looks so.
#include <dalembert/model/vanishing.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace dalembert::model::vanishing_test {
namespace {

const Expr x = expr::coordinate("x"), y = expr::coordinate("y"), L = expr::parameter("L"),
           t = expr::time();

Vanishing how(const Expr& e, const std::vector<Expr>& parts = {}) {
  return vanishing(e, parts).how;
}

TEST(Vanishing, IdentitiesAreProven) {
  EXPECT_EQ(how(pow(sin(x), 2) + pow(cos(x), 2) - 1), Vanishing::always);
  EXPECT_EQ(how(sin(x + y) - sin(x) * cos(y) - cos(x) * sin(y)), Vanishing::always);
  EXPECT_EQ(how(pow(L * sin(x), 2) + pow(L * cos(x), 2) - L * L), Vanishing::always);
  EXPECT_EQ(how(Expr(0)), Vanishing::always);
  EXPECT_EQ(how(x), Vanishing::no);
  EXPECT_EQ(how(L * L - 4), Vanishing::no);
}

// All of these vanish wherever symbols are between 1/4 and 5/4.
TEST(Vanishing, ZeroInMostPlacesIsNotZero) {
  EXPECT_EQ(how(L * L - pow(min(L, Expr(2)), 2)), Vanishing::no);
  EXPECT_EQ(how(max(Expr(0), t - 2)), Vanishing::no);
  EXPECT_EQ(how(max(Expr(0), t - 2000)), Vanishing::no);
  EXPECT_EQ(how(min(x, Expr(1'000'000)) - x), Vanishing::no);
  EXPECT_EQ(how(abs(t - 100) + t - 100), Vanishing::one_sided);
  EXPECT_EQ(how(1 + sign(t - 100)), Vanishing::no);
  EXPECT_EQ(how(exp(-1000 * pow(t - 50, 2))), Vanishing::no);
}

TEST(Vanishing, RoundingOfDecimalsIsNoDifference) {
  const Expr c = 0.7071067811865476, s = 0.7071067811865475;
  const std::vector<Expr> one = {Expr(1)};
  EXPECT_EQ(how(c * sin(x) - s * sin(x), {c * sin(x), s * sin(x)}), Vanishing::always);
  EXPECT_EQ(how((c - s) * (1 - cos(x)), one), Vanishing::always);
  EXPECT_EQ(how(c - s, one), Vanishing::always);
  const Expr few = 0.7071;
  EXPECT_EQ(how((few - s) * (1 - cos(x)), one), Vanishing::no);
  const Expr more = 0.7071068;
  EXPECT_EQ(how((more - s) * (1 - cos(x)), one), Vanishing::almost);
  // A small length is small beside others only.
  EXPECT_EQ(how((c - s) * (1 - cos(x))), Vanishing::no);
}

TEST(Vanishing, RootsAndAbsoluteValuesVanishOnOneSide) {
  const auto disk = vanishing(L * sqrt(pow(sin(x), 2)) - L * sin(x));
  ASSERT_EQ(disk.how, Vanishing::one_sided);
  // -a b = L^2 sin(x)
  EXPECT_TRUE(is_identically_zero(disk.side - L * L * sin(x)));
  EXPECT_EQ(how(abs(cos(x)) + cos(x)), Vanishing::one_sided);
  EXPECT_EQ(how(abs(cos(x)) - 2 * cos(x)), Vanishing::no);
  EXPECT_EQ(how(sqrt(pow(x, 2) + pow(y, 2)) - x), Vanishing::no);
}

}  // namespace
}  // namespace dalembert::model::vanishing_test
