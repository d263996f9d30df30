// A bound on the algebra of a scope.
#include "dalembert/expr/effort.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "dalembert/expr/algebra.hpp"

namespace dalembert::expr {
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

}  // namespace
}  // namespace dalembert::expr
