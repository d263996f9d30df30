#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <unordered_set>

#include "support.hpp"

namespace dalembert::expr::graph_test {
namespace {

const Expr x = coordinate("x");
const Expr y = coordinate("y");
const Expr a = parameter("a");

TEST(Postorder, VisitsEachNodeOnceAndOperandsFirst) {
  EXPECT_TRUE(
      rc::check("operands come before what uses them", [](const std::vector<unsigned>& program) {
        const Expr e = testing::expression_from(program);
        std::unordered_set<const Node*> seen;
        for (const Expr& node : postorder(e)) {
          for (const Expr& arg : node.args()) RC_ASSERT(seen.contains(arg.node()));
          RC_ASSERT(seen.insert(node.node()).second);
        }
        RC_ASSERT(same(postorder(e).back(), e));
      }));
}

TEST(Postorder, CountsSharedNodesOnce) {
  const std::vector<Expr> roots = {sin(x), sin(x) + a, x};
  EXPECT_EQ(node_count(roots), 4u);
  EXPECT_EQ(node_count(std::vector<Expr>{}), 0u);
}

TEST(Symbols, AreFoundOnceEach) {
  const std::vector<Expr> roots = {sin(x) + a * x, cos(a) + pi()};
  const std::vector<Expr> found = symbols(roots);
  EXPECT_EQ(found.size(), 2u);
  EXPECT_TRUE(
      find_symbol(roots[0], [](const Symbol& s) { return s.kind == SymbolKind::parameter; }));
  EXPECT_FALSE(find_symbol(roots[0], [](const Symbol& s) { return s.kind == SymbolKind::time; }));
}

TEST(Substitute, ReplacesEveryOccurrenceAtOnce) {
  EXPECT_TRUE(same(substitute(x + sin(x) * a, {{x, y}}), y + sin(y) * a));
  EXPECT_TRUE(same(substitute(x - y, {{x, y}, {y, x}}), y - x));  // simultaneous, so a swap
  EXPECT_TRUE(same(substitute(pow(x, 2), {{x, Expr(3)}}), Expr(9)));
  EXPECT_TRUE(same(substitute(x / y, {{a, y}}), x / y));
  EXPECT_TRUE(same(substitute(cos(x) + cos(2 * x), {{cos(x), a}}), a + cos(2 * x)));
}

TEST(Substitute, DoesNotLookInsideAReplacement) {
  EXPECT_TRUE(same(substitute(sin(x), {{x, x + 1}}), sin(x + 1)));
}

TEST(Substitute, SharesWorkBetweenRoots) {
  const std::vector<Expr> roots = {x, sin(x), sin(x) * a};
  const std::vector<Expr> images = substitute(roots, {{x, pi()}});
  EXPECT_TRUE(same(images[0], pi()));
  EXPECT_TRUE(images[1].is_zero());
  EXPECT_TRUE(images[2].is_zero());
}

TEST(Substitute, AgreesWithEvaluationByValue) {
  EXPECT_TRUE(rc::check("numbers put in for symbols", [](const std::vector<unsigned>& program) {
    const Expr e = testing::expression_from(program);
    ExprMap numbers;
    for (const Expr& s : symbols(std::span(&e, 1)))
      numbers.emplace(s, Expr(testing::generic_value(s.symbol())));
    const Values none = [](const Symbol&) { return std::nan(""); };
    Expr image = substitute(e, numbers);
    const auto before = testing::bounded_value(e, testing::generic_value);
    const auto after = testing::bounded_value(image, none);
    if (std::isfinite(before.error) && std::isfinite(after.error)) {
      RC_ASSERT(std::abs(before.value - after.value) <= before.error + after.error);
    }
  }));
}

TEST(Substitute, DeepChainsNeedNoStack) {
  Expr e = x;
  for (int i = 0; i < 100'000; ++i) e = sin(e);
  EXPECT_EQ(node_count(postorder(substitute(e, {{x, y}}))), 100'001u);
}

}  // namespace
}  // namespace dalembert::expr::graph_test
