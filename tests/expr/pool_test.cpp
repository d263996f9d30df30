// Life and death of nodes: sharing, memory, depth, threads.
#include <gtest/gtest.h>

#include <thread>

#include "../motion/allocation_counter.hpp"
#include "support.hpp"

namespace dalembert::expr::pool_test {
namespace {

Expr chain(const Expr& start, int depth) {
  Expr e = start;
  for (int i = 0; i < depth; ++i) e = i % 2 == 0 ? sin(e) : exp(e);
  return e;
}

TEST(Pool, NodesDieWithTheirLastHandle) {
  const std::size_t before = live_nodes();
  {
    const Expr x = coordinate("pool_x");
    const Expr y = coordinate("pool_y");
    std::vector<Expr> kept;
    for (int i = 2; i < 200; ++i) kept.push_back(sin(i * x + pow(y, i)) / (x + i));
    const auto slopes = gradient(sum(kept), std::vector<Expr>{x, y});
    EXPECT_GT(live_nodes(), before + 600);
  }
  EXPECT_EQ(live_nodes(), before);
}

TEST(Pool, CopiesAndMovesShareANode) {
  const std::size_t before = live_nodes();
  {
    Expr e = sin(coordinate("pool_x"));
    Expr copy = e;
    Expr moved = std::move(e);
    EXPECT_TRUE(same(copy, moved));
    copy = moved;
    const Expr& itself = copy;
    copy = itself;
    EXPECT_TRUE(same(copy, moved));
    e = copy;
    EXPECT_TRUE(same(e, moved));
  }
  EXPECT_EQ(live_nodes(), before);
}

TEST(Pool, AMillionLevelsAreBuiltAndDestroyedWithoutRecursion) {
  const std::size_t before = live_nodes();
  {
    const Expr deep = chain(coordinate("pool_x"), 1'000'000);
    EXPECT_EQ(node_count(std::span(&deep, 1)), 1'000'001u);
  }
  EXPECT_EQ(live_nodes(), before);
}

TEST(Pool, AddingTermByTermIsLinear) {
  const auto bytes = [](int terms) {
    const long before = allocated_bytes_so_far();
    Expr total;
    for (int i = 0; i < terms; ++i) total += parameter("pool_p" + std::to_string(i));
    EXPECT_GE(testing::edge_count(std::span(&total, 1)), static_cast<std::size_t>(terms));
    EXPECT_LE(testing::edge_count(std::span(&total, 1)), static_cast<std::size_t>(terms) * 2);
    return allocated_bytes_so_far() - before;
  };
  bytes(1000);
  // Ten times the terms would be a hundred times the memory taken if each step wrote the whole sum
  // anew: 30 parts the two laws.
  EXPECT_LT(bytes(100'000), 30 * bytes(10'000));
}

TEST(Pool, ThreadsBuildAndDropTheSameExpressions) {
  const std::size_t before = live_nodes();
  {
    const Expr expected = sin(coordinate("pool_x") + 1) * pow(coordinate("pool_y"), 2);
    std::vector<std::thread> threads;
    std::vector<int> matches(4, 0);
    for (std::size_t id = 0; id < matches.size(); ++id) {
      threads.emplace_back([&matches, &expected, id] {
        for (int i = 0; i < 2000; ++i) {
          const Expr x = coordinate("pool_x");
          const Expr y = coordinate("pool_y");
          const Expr passing =
              exp(x * (i % 7)) + cos(y + i % 5);  // born and dropped by all threads at once
          const Expr copy = passing;
          if (same(sin(x + 1) * pow(y, 2), expected) &&
              same(copy, exp(x * (i % 7)) + cos(y + i % 5))) {
            ++matches[id];
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(matches, std::vector<int>(4, 2000));
  }
  EXPECT_EQ(live_nodes(), before);
}

TEST(Pool, ThreadsDropDeepChainsTheyShare) {
  const std::size_t before = live_nodes();
  {
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id) {
      threads.emplace_back([] {
        for (int i = 0; i < 20; ++i) chain(coordinate("pool_x"), 500);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(live_nodes(), before);
}

}  // namespace
}  // namespace dalembert::expr::pool_test
