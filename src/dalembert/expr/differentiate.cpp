#include "dalembert/expr/differentiate.hpp"

#include <stdexcept>
#include <unordered_map>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/node_index.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::expr {

namespace {

/// What is handed back to the nodes of a graph, term by term.
struct Adjoints {
  explicit Adjoints(const PostOrder& graph) : order(graph), terms(graph.nodes().size()) {}

  std::vector<Expr>& of(const Expr& e) { return terms[order.number(e)]; }

  const PostOrder& order;
  std::vector<std::vector<Expr>> terms;  ///< by the place of the node
};

/// ∂f/∂(argument k) of a power, a function or a table's value.
Expr partial(const Expr& f, std::size_t k) {
  if (f.is(Op::table)) return slope_of(f);
  if (!f.is(Op::power)) return function_info(f.op()).partial(f, k);
  const Expr& exponent = f.args()[1];
  if (k == 0) return exponent * pow(f.args()[0], exponent - 1);
  return f * log(f.args()[0]);
}

/// The rate of a product whose factors move, Σ_k rate_k Π_{j≠k} f_j. Halving keeps it at O(k log k)
/// edges where the written-out rule has k².
Expr product_rate(std::span<const Expr> factors, std::span<const Expr> rates) {
  if (factors.size() == 1) return rates[0];
  const std::size_t half = factors.size() / 2;
  const auto left = factors.first(half);
  const auto right = factors.subspan(half);
  const Expr left_rate = product_rate(left, rates.first(half));
  const Expr right_rate = product_rate(right, rates.subspan(half));
  std::vector<Expr> terms;
  if (!left_rate.is_zero()) terms.push_back(left_rate * product(right));
  if (!right_rate.is_zero()) terms.push_back(product(left) * right_rate);
  return sum(terms);
}

/// Hands the adjoint of a product on to its factors, by the same halving.
void spread_product(std::span<const Expr> factors, const Expr& adjoint, Adjoints& adjoints) {
  if (factors.size() == 1) {
    if (!factors[0].is(Op::constant)) adjoints.of(factors[0]).push_back(adjoint);
    return;
  }
  const std::size_t half = factors.size() / 2;
  const auto left = factors.first(half);
  const auto right = factors.subspan(half);
  spread_product(left, adjoint * product(right), adjoints);
  spread_product(right, adjoint * product(left), adjoints);
}

}  // namespace

std::vector<Expr> directional(std::span<const Expr> roots,
                              const std::function<Expr(const Symbol&)>& rate) {
  const PostOrder order(roots);
  std::vector<Expr> rates;
  rates.reserve(order.nodes().size());
  const auto rate_of = [&](const Expr& e) -> const Expr& { return rates[order.number(e)]; };
  for (const Expr* node : order.nodes()) {
    const Expr& e = *node;
    Expr result;
    switch (e.kind()) {
      case NodeKind::constant:
      case NodeKind::pi:
        break;
      case NodeKind::symbol:
        result = rate(e.symbol());
        break;
      case NodeKind::sum: {
        std::vector<Expr> terms;
        for (const Expr& arg : e.args()) {
          if (!rate_of(arg).is_zero()) terms.push_back(rate_of(arg));
        }
        result = sum(terms);
        break;
      }
      case NodeKind::product: {
        std::vector<Expr> arg_rates;
        bool moves = false;
        for (const Expr& arg : e.args()) {
          arg_rates.push_back(rate_of(arg));
          moves = moves || !arg_rates.back().is_zero();
        }
        if (moves) result = product_rate(e.args(), arg_rates);
        break;
      }
      case NodeKind::power:
      case NodeKind::table:
      case NodeKind::function: {
        if (e.is(Op::choose)) {  // not multiplied: what is not chosen may have no value
          result = choose(e.args()[0], rate_of(e.args()[1]), rate_of(e.args()[2]));
          break;
        }
        std::vector<Expr> terms;
        for (std::size_t k = 0; k < e.args().size(); ++k) {
          const Expr& arg_rate = rate_of(e.args()[k]);
          if (!arg_rate.is_zero()) terms.push_back(partial(e, k) * arg_rate);
        }
        result = sum(terms);
      }
    }
    rates.push_back(std::move(result));
  }
  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr& root : roots) result.push_back(rate_of(root));
  return result;
}

Expr differentiate(const Expr& e, const Expr& x) {
  const Symbol& wanted = x.symbol();
  return directional(std::span(&e, 1),
                     [&wanted](const Symbol& s) { return Expr(s == wanted ? 1 : 0); })
      .front();
}

std::vector<Expr> gradient(const Expr& e, std::span<const Expr> wanted) {
  // Only nodes that depend on a wanted symbol take part.
  const PostOrder order(std::span(&e, 1));
  std::vector<bool> depends(order.nodes().size(), false);
  NodeIndex sought;
  for (const Expr& x : wanted) sought.insert(x.node());
  for (std::size_t i = 0; i < depends.size(); ++i) {
    const Expr& node = *order.nodes()[i];
    depends[i] = sought.find(node.node()) != nullptr;
    for (const Expr& arg : node.args()) depends[i] = depends[i] || depends[order.number(arg)];
  }
  Adjoints adjoints(order);
  adjoints.of(e).emplace_back(1);
  std::unordered_map<const Node*, std::vector<Expr>> total;
  const auto adjoint_of_symbol = [&total](const Expr& x, const Expr& adjoint) {
    if (!adjoint.is_zero()) total[x.node()].push_back(adjoint);
  };
  for (std::size_t i = depends.size(); i-- > 0;) {
    if (!depends[i] || adjoints.terms[i].empty()) continue;
    const Expr& node = *order.nodes()[i];
    const Expr adjoint = sum(adjoints.terms[i]);
    adjoints.terms[i] = {};
    switch (node.kind()) {
      case NodeKind::constant:
      case NodeKind::pi:
        break;
      case NodeKind::symbol:
        adjoint_of_symbol(node, adjoint);
        break;
      case NodeKind::sum:
        for (const Expr& arg : node.args()) {
          if (depends[order.number(arg)]) adjoints.of(arg).push_back(adjoint);
        }
        break;
      case NodeKind::product:
        spread_product(node.args(), adjoint, adjoints);
        break;
      case NodeKind::power:
      case NodeKind::table:
      case NodeKind::function:
        if (node.is(Op::choose)) {
          // An adjoint of zero would still be multiplied by slopes that have no value.
          for (const Expr& x : wanted) adjoint_of_symbol(x, adjoint * differentiate(node, x));
          break;
        }
        for (std::size_t k = 0; k < node.args().size(); ++k) {
          const Expr& arg = node.args()[k];
          if (depends[order.number(arg)]) adjoints.of(arg).push_back(adjoint * partial(node, k));
        }
    }
  }
  std::vector<Expr> result;
  result.reserve(wanted.size());
  for (const Expr& x : wanted) {
    const auto found = total.find(x.node());
    result.push_back(found == total.end() ? Expr(0) : sum(found->second));
  }
  return result;
}

Expr time_derivative(const Expr& e) {
  return directional(std::span(&e, 1),
                     [](const Symbol& s) {
                       switch (s.kind) {
                         case SymbolKind::parameter:
                           return Expr(0);
                         case SymbolKind::time:
                           return Expr(1);
                         case SymbolKind::coordinate:
                         case SymbolKind::auxiliary:
                           return symbol({s.kind, s.order + 1, s.name});
                         case SymbolKind::ideal_force:
                         case SymbolKind::nonideal_force:
                         case SymbolKind::multiplier:
                           break;
                       }
                       throw std::invalid_argument("a constraint force has no time derivative");
                     })
      .front();
}

}  // namespace dalembert::expr
