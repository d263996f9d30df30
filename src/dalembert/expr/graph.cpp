#include "dalembert/expr/graph.hpp"

#include <algorithm>
#include <unordered_set>

#include "dalembert/expr/effort.hpp"

namespace dalembert::expr {

namespace {

constexpr double cost_of_visit = 0.0625;  // in terms

}  // namespace

std::vector<Expr> postorder(std::span<const Expr> roots) {
  struct Frame {
    const Expr* e;
    std::size_t next;
  };
  std::vector<Expr> order;
  std::unordered_set<const Node*> seen;
  std::vector<Frame> stack;
  for (const Expr& root : roots) {
    if (!seen.insert(root.node()).second) continue;
    stack.push_back({&root, 0});
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::span<const Expr> args = top.e->args();
      if (top.next == args.size()) {
        order.push_back(*top.e);
        stack.pop_back();
        Effort::spend(cost_of_visit);
        continue;
      }
      const Expr& arg = args[top.next++];
      if (seen.insert(arg.node()).second) stack.push_back({&arg, 0});
    }
  }
  return order;
}

std::vector<Expr> postorder(const Expr& root) {
  return postorder(std::span(&root, 1));
}

std::size_t node_count(std::span<const Expr> roots) {
  return postorder(roots).size();
}

std::vector<Expr> symbols(std::span<const Expr> roots) {
  std::vector<Expr> found = postorder(roots);
  std::erase_if(found, [](const Expr& e) { return !e.is(Op::symbol); });
  return found;
}

std::optional<Expr> find_symbol(const Expr& e, const std::function<bool(const Symbol&)>& fits) {
  for (const Expr& s : symbols(std::span(&e, 1))) {
    if (fits(s.symbol())) return s;
  }
  return std::nullopt;
}

Expr rebuild(const Expr& e, const std::vector<Expr>& args) {
  switch (e.kind()) {
    case NodeKind::constant:
    case NodeKind::pi:
    case NodeKind::symbol:
      break;
    case NodeKind::sum:
      return sum(args);
    case NodeKind::product:
      return product(args);
    case NodeKind::power:
      return pow(args[0], args[1]);
    case NodeKind::table:
      return apply_table(e.table(), args[0]);
    case NodeKind::function:
      return apply_function(e.op(), args);
  }
  return e;
}

std::vector<Expr> substitute(std::span<const Expr> roots, const ExprMap& replacements) {
  std::unordered_map<const Node*, Expr> image;
  for (const Expr& e : postorder(roots)) {
    if (const auto found = replacements.find(e); found != replacements.end()) {
      image.emplace(e.node(), found->second);
      continue;
    }
    std::vector<Expr> args;
    args.reserve(e.args().size());
    bool changed = false;
    for (const Expr& arg : e.args()) {
      args.push_back(image.at(arg.node()));
      changed = changed || !same(args.back(), arg);
    }
    image.emplace(e.node(), changed ? rebuild(e, args) : e);
  }
  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr& root : roots) result.push_back(image.at(root.node()));
  return result;
}

Expr substitute(const Expr& e, const ExprMap& replacements) {
  return substitute(std::span(&e, 1), replacements).front();
}

}  // namespace dalembert::expr
