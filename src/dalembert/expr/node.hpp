#pragma once
/// The node behind an Expr, and the pool that keeps each node unique. Internal to the room.

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

struct Node {
  mutable std::atomic<std::uint32_t> references{1};
  Op op = Op::constant;
  std::uint64_t hash = 0;
  std::vector<Expr> args;
  std::unique_ptr<const Rational> value;  ///< of a constant
  std::unique_ptr<const Symbol> symbol;   ///< of a symbol
  std::shared_ptr<const Table> table;     ///< of a table's value
};

/// All nodes alive, found by content. A node's count goes from one to zero only under the lock, so
/// a lookup never hands out a node that is being destroyed.
struct Pool {
  static Pool& instance();

  Expr intern(Op op, std::vector<Expr> args);
  Expr intern(const Rational& value);
  Expr intern(const Symbol& symbol);
  Expr intern(std::shared_ptr<const Table> table, const Expr& s);

  void release(const Node* node) noexcept;
  std::size_t size();

 private:
  struct ContentHash {
    std::size_t operator()(const Node* node) const { return static_cast<std::size_t>(node->hash); }
  };
  struct ContentEqual {
    bool operator()(const Node* a, const Node* b) const;
  };

  Expr find_or_insert(std::unique_ptr<Node> candidate);
  bool drop_reference(const Node* node) noexcept;

  std::mutex mutex_;
  std::unordered_set<const Node*, ContentHash, ContentEqual> nodes_;
};

/// A fixed total order of expressions, the same in every run: constants first, then by structural
/// hash.
bool ordered_before(const Expr& a, const Expr& b);

}  // namespace dalembert::expr
