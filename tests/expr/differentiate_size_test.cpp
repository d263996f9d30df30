// Sizes of derivatives: a small multiple of the graph's, never the tree's.
#include <gtest/gtest.h>

#include <random>

#include "support.hpp"

namespace dalembert::expr::differentiate_size_test {
namespace {

struct Size {
  double nodes;
  double edges;
};

Size size_of(const std::vector<Expr>& roots) {
  return {static_cast<double>(node_count(roots)), static_cast<double>(testing::edge_count(roots))};
}

void expect_multiple(const std::vector<Expr>& derivative, const Expr& e, double nodes, double edges,
                     const char* what) {
  const Size d = size_of(derivative);
  const Size g = size_of({e});
  EXPECT_LE(d.nodes, nodes * g.nodes) << what;
  EXPECT_LE(d.edges, edges * g.edges) << what;
  ::testing::Test::RecordProperty(std::string(what) + "_nodes_percent",
                                  static_cast<int>(100 * d.nodes / g.nodes));
  ::testing::Test::RecordProperty(std::string(what) + "_edges_percent",
                                  static_cast<int>(100 * d.edges / g.edges));
}

/// Each node uses the one before it and another of the fifty before: nothing of it is a tree.
Expr shared_graph(std::size_t steps, const std::vector<Expr>& leaves) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<Expr> made = leaves;
  for (std::size_t i = 0; i < steps; ++i) {
    const Expr& last = made.back();
    const Expr& other = made[made.size() - 1 - below(std::min<std::size_t>(50, made.size()))];
    const Expr& leaf = leaves[below(leaves.size())];
    switch (below(7)) {
      case 0:
        made.push_back(last * other + leaf);
        break;
      case 1:
        made.push_back(sin(last) + other);
        break;
      case 2:
        made.push_back(cos(other) * last);
        break;
      case 3:
        made.push_back(last / (2 + pow(other, 2)));
        break;
      case 4:
        made.push_back(sqrt(1 + pow(last, 2)) - leaf * other);
        break;
      case 5:
        made.push_back(atan2(last, other + 3));
        break;
      default:
        made.push_back((last - other) * leaf * cos(leaf));
    }
  }
  return made.back();
}

TEST(DerivativeSize, OfASharedGraphIsASmallMultiple) {
  std::vector<Expr> leaves;
  for (int i = 0; i < 20; ++i) leaves.push_back(coordinate("q" + std::to_string(i)));
  const Expr e = shared_graph(40'000, leaves);
  ASSERT_GE(node_count(std::span(&e, 1)), 100'000u);
  // A node of k operands gives about one new node an operand and its edges twice. Measured: 2.6
  // nodes, 2.9 edges forward; 2.7 nodes, 3.9 edges for all twenty slopes at once. The graph itself
  // is shared and counts once.
  expect_multiple({differentiate(e, leaves[0])}, e, 6, 6, "forward");
  expect_multiple(gradient(e, leaves), e, 6, 6, "reverse");
}

TEST(DerivativeSize, OfAProductOfManyFactorsIsNearlyLinear) {
  std::vector<Expr> factors;
  for (int i = 0; i < 64; ++i) factors.push_back(coordinate("q" + std::to_string(i)));
  const Expr e = product(factors);
  ASSERT_EQ(e.args().size(), 64u);
  // k log₂ k = 384 edges in each direction, where the written-out rule has 64·63 = 4032.
  const std::vector<Expr> slopes = gradient(e, factors);
  EXPECT_LE(size_of(slopes).edges, 3 * 384);
  const Expr rate = time_derivative(e);
  EXPECT_LE(size_of({rate}).edges, 3 * 384);
  const double value = evaluate(e, testing::generic_value);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    // 64 roundings on either side.
    const double expected = value / testing::generic_value(factors[i].symbol());
    EXPECT_NEAR(evaluate(slopes[i], testing::generic_value), expected,
                130 * 2.3e-16 * std::abs(expected))
        << i;
  }
}

TEST(DerivativeSize, OfATreeOfTwoToTheTwoHundredLeavesIsThatOfItsGraph) {
  const Expr x = coordinate("x");
  Expr e = x;
  for (int i = 0; i < 200; ++i) e = sin(e) + cos(e);
  expect_multiple({differentiate(e, x)}, e, 6, 6, "forward");
  expect_multiple(gradient(e, std::span(&x, 1)), e, 6, 6, "reverse");
  const double slope = evaluate(differentiate(e, x), [](const Symbol&) { return 0.4; });
  EXPECT_TRUE(std::isfinite(slope));
}

TEST(DerivativeSize, OfADeepChainNeedsNoStack) {
  const Expr x = coordinate("x");
  Expr e = x;
  for (int i = 0; i < 100'000; ++i) e = sin(e);
  expect_multiple({differentiate(e, x)}, e, 6, 6, "forward");
  expect_multiple(gradient(e, std::span(&x, 1)), e, 6, 6, "reverse");
}

TEST(DerivativeSize, ManyRootsShareTheirDerivatives) {
  const Expr x = coordinate("x");
  Expr inner = x;
  for (int i = 0; i < 1000; ++i) inner = sin(inner) + x;
  std::vector<Expr> roots;
  for (int i = 1; i <= 100; ++i) roots.push_back(inner * i + pow(inner, i + 1));
  const std::vector<Expr> rates = directional(roots, [](const Symbol&) { return Expr(1); });
  EXPECT_LE(size_of(rates).nodes, 6 * size_of(roots).nodes);
  EXPECT_EQ(rates.size(), roots.size());
}

}  // namespace
}  // namespace dalembert::expr::differentiate_size_test
