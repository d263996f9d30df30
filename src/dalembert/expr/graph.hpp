#pragma once
/// Walks over the shared graph of expressions. Nothing here recurses, so depth is limited by memory
/// only, and every node is visited once, so cost is that of the graph and never that of the tree it
/// would print as.

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

/// Every node under the roots once, operands before what uses them. O(nodes + edges).
std::vector<Expr> postorder(std::span<const Expr> roots);
std::vector<Expr> postorder(const Expr& root);

/// Number of nodes under the roots, shared ones counted once.
std::size_t node_count(std::span<const Expr> roots);

/// The symbols under the roots, in the order of a postorder walk.
std::vector<Expr> symbols(std::span<const Expr> roots);

/// The first symbol under e that fits, if any.
std::optional<Expr> find_symbol(const Expr& e, const std::function<bool(const Symbol&)>& fits);

using ExprMap = std::unordered_map<Expr, Expr, ExprHash, ExprSame>;

/// e with every occurrence of a key of `replacements` (usually symbols) replaced, rebuilt by the
/// local rules.
Expr substitute(const Expr& e, const ExprMap& replacements);
std::vector<Expr> substitute(std::span<const Expr> roots, const ExprMap& replacements);

/// The node with the same operation on other operands, by the local rules.
Expr rebuild(const Expr& e, const std::vector<Expr>& args);

}  // namespace dalembert::expr
