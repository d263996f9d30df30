#pragma once
/// Definitions in the order in which they need each other, without recursion, and the circles among
/// them.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace dalembert::model {

class DepthFirst {
 public:
  using Needs = std::function<std::vector<std::size_t>(std::size_t node)>;
  /// Called once for each node, after all that it needs. False: it turned out to be broken.
  using Finish = std::function<bool(std::size_t node)>;

  DepthFirst(std::size_t nodes, Needs needs, Finish finish);

  /// Finishes a node and all that it needs. Nodes that need a broken one are broken and are not
  /// finished. Returns the circle that stands in the way, if a new one is found: each of its nodes
  /// needs the next, the last one the first, which is the smallest.
  std::vector<std::size_t> visit(std::size_t node);

  void mark_broken(std::size_t node) { state_[node] = State::broken; }
  bool is_broken(std::size_t node) const { return state_[node] == State::broken; }

 private:
  enum class State : unsigned char { fresh, active, done, broken };
  struct Frame {
    std::size_t node;
    std::vector<std::size_t> needs;
    std::size_t next;
  };

  void push(std::size_t node);
  void break_stack();
  std::vector<std::size_t> circle_from(std::size_t node) const;

  Needs needs_;
  Finish finish_;
  std::vector<State> state_;
  std::vector<Frame> stack_;
};

/// "a -> b -> a" for the names along a circle; the middle of a long one is left out.
std::string circle_text(const std::vector<std::string>& names);

}  // namespace dalembert::model
