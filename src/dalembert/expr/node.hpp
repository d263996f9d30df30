#pragma once
/// The nodes behind expressions, and the pool that keeps each of them unique. Internal to the room.

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

/// numerator / denominator in lowest terms, for numbers that a machine word holds with room to
/// multiply two of them; denominator 0 stands for any other.
struct SmallRatio {
  static constexpr std::int64_t most = 0x7fffffff;

  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  bool is_known() const { return denominator != 0; }
  bool operator==(const SmallRatio&) const = default;
};
SmallRatio small_ratio(const Rational& value);

struct ConstantNode : Node {
  Rational value;
  SmallRatio small;
};

struct SymbolNode : Node {
  Symbol symbol;
};

struct TableNode : Node {
  Expr arg;
  std::shared_ptr<const Table> table;
};

// Of any other node the operands stand behind it, in the same piece of memory.

/// The small form of a constant.
inline const SmallRatio& small_value(const Expr& constant) {
  return static_cast<const ConstantNode*>(constant.node())->small;
}

/// The hash of a node with these operands.
std::uint64_t hash_of(Op op, std::span<const Expr> args);

/// All nodes alive, found by content. A node's count goes from one to zero only under the lock, so
/// a lookup never hands out a node that is being destroyed.
struct Pool {
  static Pool& instance();

  /// Takes the operands out of `args` where the node is new. Counts as effort, the second does not.
  Expr intern(Op op, std::span<Expr> args);
  Expr intern_uncounted(Op op, std::span<Expr> args);
  Expr intern(const Rational& value);
  Expr intern(const SmallRatio& value);  ///< known
  Expr integer(long value);
  Expr intern(const Symbol& symbol);
  Expr intern(std::shared_ptr<const Table> table, const Expr& s);

  void release(const Node* node) noexcept;
  std::size_t size();

 private:
  Pool();

  /// What `is_it` recognises among the nodes of a hash, else what `make` makes.
  template <class IsIt, class Make>
  Expr find_or_insert(std::uint64_t hash, IsIt is_it, Make make);
  const Node*& bucket(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  void grow();
  bool drop_reference(const Node* node) noexcept;

  std::mutex mutex_;
  std::vector<const Node*> buckets_;  ///< a power of two of lists
  std::size_t size_ = 0;
  std::vector<Expr> integers_;  ///< those that occur all the time stay alive
};

/// What counts for a node that is made.
void spend_for_node();

/// A fixed total order of expressions, the same in every run: constants first, then by structural
/// hash.
bool ordered_before(const Expr& a, const Expr& b);

}  // namespace dalembert::expr
