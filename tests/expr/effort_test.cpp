// A bound on the algebra of a scope.
#include "dalembert/expr/effort.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "dalembert/expr/algebra.hpp"

namespace dalembert::expr::effort_test {
namespace {

Expr large() {
  Expr e = 0;
  for (const char* name : {"a", "b", "c", "d", "e"}) e += parameter(name);
  return pow(e, 4) / (parameter("a") - parameter("b"));
}

double cost() {
  const Effort effort(1e9);
  (void)simplify(large());
  return 1e9 - effort.left();
}

TEST(Effort, IsTheSameEveryTime) {
  EXPECT_GT(cost(), 100);
  EXPECT_EQ(cost(), cost());
}

TEST(Effort, EndsWithWhatIsAllowed) {
  const double needed = cost();
  {
    const Effort enough(needed);
    EXPECT_NO_THROW((void)simplify(large()));
  }
  {
    const Effort little(needed / 2);
    EXPECT_THROW((void)simplify(large()), Effort::Spent);
  }
  EXPECT_NO_THROW((void)simplify(large()));
}

TEST(Effort, CountsInAllScopesAround) {
  const double needed = cost();
  const Effort outer(1.5 * needed);
  {
    const Effort inner(1e9);
    EXPECT_NO_THROW((void)simplify(large()));
    EXPECT_THROW((void)simplify(large()), Effort::Spent);
  }
}

TEST(Effort, IsSpentWhenSomeoneSaysStop) {
  std::atomic<bool> stop = false;
  {
    const Effort until_stopped(stop);
    EXPECT_NO_THROW((void)simplify(large()));
    stop = true;
    const Effort inner(1e9);
    EXPECT_THROW((void)simplify(large()), Effort::Spent);
  }
  EXPECT_NO_THROW((void)simplify(large()));
}

TEST(Effort, IsAskedForByExpressionsToo) {
  // No polynomial in sight: only parts of expressions that are built.
  const auto build = [] {
    Expr e = parameter("a");
    for (int i = 0; i < 10000; ++i) e = sin(e + parameter("b"));
    return e;
  };
  EXPECT_NO_THROW((void)build());
  const Effort little(1000);
  EXPECT_THROW((void)build(), Effort::Spent);
}

TEST(Effort, IsAskedForBeforeADivisionIsDone) {
  // The remainder is (b + c + d + e)^300, of 4.6 million terms: done first and charged afterwards
  // it takes minutes and gigabytes.
  const Expr x = parameter("x");
  AlgebraOptions options;
  options.modulo = {x - parameter("b") - parameter("c") - parameter("d") - parameter("e")};
  const Effort little(1e5);
  EXPECT_THROW((void)proven_zero(pow(x, 300) - 1, options), Effort::Spent);
}

TEST(Effort, WithinABoundThereIsAnAnswerOrNone) {
  EXPECT_TRUE(within(1e9, [] { return simplify(large()); }));
  EXPECT_FALSE(within(10, [] { return simplify(large()); }));
  // What is spent around it is not its own affair.
  const Effort outer(10);
  EXPECT_THROW((void)within(1e9, [] { return simplify(large()); }), Effort::Spent);
}

}  // namespace
}  // namespace dalembert::expr::effort_test
