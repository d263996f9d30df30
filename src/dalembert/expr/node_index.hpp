#pragma once
/// Numbers for the nodes of a graph, while something walks over it. Internal to the room.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

/// Node -> number. A few nodes take no memory from elsewhere.
class NodeIndex {
 public:
  NodeIndex() {}  // NOLINT(modernize-use-equals-default): `few_` is filled when it is needed
  NodeIndex(const NodeIndex&) = delete;
  NodeIndex& operator=(const NodeIndex&) = delete;

  /// Whether the node is new; its number is 0 then.
  bool insert(const Node* node);
  std::uint32_t& number(const Node* node);            ///< of one that is there
  const std::uint32_t* find(const Node* node) const;  ///< null where it is not there

 private:
  struct Slot {
    const Node* node;
    std::uint32_t number;
  };

  /// Where the node is, or belongs.
  static Slot& place(std::span<Slot> slots, const Node* node);
  void grow();

  std::array<Slot, 32> few_;
  std::vector<Slot> many_;
  std::span<Slot> slots_;  ///< none or a power of two, at most half of them taken
  std::size_t size_ = 0;
};

/// Every node under the roots once, operands before what uses them; the roots must outlive it.
class PostOrder {
 public:
  explicit PostOrder(std::span<const Expr> roots);

  const std::vector<const Expr*>& nodes() const& { return nodes_; }
  void nodes() && = delete;
  /// The place of a node, one of them, among `nodes`.
  std::size_t number(const Expr& e) const {
    return nodes_.size() == 1 ? 0 : *numbers_.find(e.node());
  }

 private:
  std::vector<const Expr*> nodes_;
  NodeIndex numbers_;
};

}  // namespace dalembert::expr
