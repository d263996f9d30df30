#pragma once
/// Initial values may use each other, in any order; here they are brought to expressions of
/// parameters alone.

#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/model/assembly/lets.hpp"

namespace dalembert::model {

/// Node 2 i is the position of coordinate i, node 2 i + 1 its velocity; the derivatives of lets
/// follow. A value that is not given is zero, and so is time.
class InitialValues {
 public:
  InitialValues(const std::vector<std::string>& coordinates, Lets& lets);

  void give(std::size_t node, Expr value) { given_[node] = std::move(value); }
  void mark_broken(std::size_t node) { walk_.mark_broken(node); }

  /// Works out a value and all that it needs. Returns the circle in the way, if a new one is found;
  /// it begins with a coordinate.
  std::vector<std::size_t> resolve(std::size_t node) { return walk_.visit(node); }

  bool is_resolved(std::size_t node) const { return values_.contains(symbol(node)); }
  /// The value in parameters; as it was given when it could not be worked out.
  const Expr& value(std::size_t node) const;

  /// "x'", say.
  std::string name(std::size_t node) const;

 private:
  bool is_let(std::size_t node) const { return node >= given_.size(); }
  std::size_t let_of(std::size_t node) const { return (node - given_.size()) / let_orders; }
  std::size_t order_of(std::size_t node) const {
    return is_let(node) ? (node - given_.size()) % let_orders : node % 2;
  }
  Expr symbol(std::size_t node) const;
  const Expr& definition(std::size_t node);
  std::vector<std::size_t> needs(std::size_t node);
  bool finish(std::size_t node);

  const std::vector<std::string>& coordinates_;
  std::unordered_map<std::string, std::size_t> index_;
  Lets& lets_;
  std::vector<Expr> given_;
  expr::ExprMap values_;
  DepthFirst walk_;
};

}  // namespace dalembert::model
