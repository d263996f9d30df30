#include "dalembert/expr/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/node_index.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::expr {

double evaluate_operation(const Expr& e, std::span<const double> args) {
  switch (e.kind()) {
    case NodeKind::constant:
      return to_double(e.value());
    case NodeKind::pi:
      return std::numbers::pi;
    case NodeKind::sum: {
      double total = 0;
      for (const double x : args) total += x;
      return total;
    }
    case NodeKind::product: {
      double total = 1;
      for (const double x : args) total *= x;
      return total;
    }
    case NodeKind::power:
      return std::pow(args[0], args[1]);
    case NodeKind::table:
      return e.table()->value(args[0]);
    case NodeKind::function:
      return function_info(e.op()).value(args.data());
    case NodeKind::symbol:
      break;
  }
  throw std::logic_error("a symbol has no operation to evaluate");
}

namespace {

/// Evaluates in postorder; `visit(e, value, operands)` returns false to stop early.
template <class Visit>
double walk(const Expr& root, const Values& values, Visit visit) {
  const PostOrder order(std::span(&root, 1));
  std::vector<double> known;
  known.reserve(order.nodes().size());
  std::vector<double> args;
  for (const Expr* node : order.nodes()) {
    const Expr& e = *node;
    args.clear();
    for (const Expr& arg : e.args()) args.push_back(known[order.number(arg)]);
    const double value = e.is(Op::symbol) ? values(e.symbol()) : evaluate_operation(e, args);
    if (!visit(e, value, args)) return value;
    known.push_back(value);
  }
  return known.back();
}

}  // namespace

double evaluate(const Expr& e, const Values& values) {
  return walk(e, values, [](const Expr&, double, const std::vector<double>&) { return true; });
}

std::optional<Expr> first_not_finite(const Expr& e, const Values& values) {
  std::optional<Expr> culprit;
  walk(e, values, [&culprit](const Expr& node, double value, const std::vector<double>& args) {
    const bool operands_finite =
        std::all_of(args.begin(), args.end(), [](double x) { return std::isfinite(x); });
    if (!std::isfinite(value) && operands_finite) culprit = node;
    return !culprit;
  });
  return culprit;
}

}  // namespace dalembert::expr
