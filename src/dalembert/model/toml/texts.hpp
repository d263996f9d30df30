#pragma once
/// Expressions as the texts of a model file.
///
/// Text is a tree, and the tree of a shared graph can be exponentially larger than the graph. So
/// what is shared and large, or nested too deeply for the parser, is taken out as further lets;
/// what the author has named appears by its name. Whether a reader gets the very same expressions
/// back is found out by reading.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::model {

/// A let of the author's.
struct TextLet {
  std::string name;
  expr::Expr e;
};

struct Texts {
  std::vector<std::string> roots;
  std::vector<std::string> lets;
  /// Further lets, by name, in an order that defines before use.
  std::vector<std::pair<std::string, std::string>> parts;
};

/// The texts of expressions, with names for what is declared as a let (h) and its time derivatives
/// (h', h''). The names of further lets are not among `taken`. The component of a vector let is
/// declared as "p.x". All texts together are O(the size of the graph) long; reading them gives the
/// same expressions.
Texts texts_of(std::vector<expr::Expr> expressions, std::vector<TextLet> lets,
               std::set<std::string> taken);

}  // namespace dalembert::model
