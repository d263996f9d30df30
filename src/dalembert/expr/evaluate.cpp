#include "dalembert/expr/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/graph.hpp"

namespace dalembert::expr {

double evaluate_operation(const Expr& e, std::span<const double> args) {
  switch (e.op()) {
    case Op::constant:
      return to_double(e.value());
    case Op::pi:
      return std::numbers::pi;
    case Op::sum: {
      double total = 0;
      for (const double x : args) total += x;
      return total;
    }
    case Op::product: {
      double total = 1;
      for (const double x : args) total *= x;
      return total;
    }
    case Op::power:
      return std::pow(args[0], args[1]);
    case Op::sin:
      return std::sin(args[0]);
    case Op::cos:
      return std::cos(args[0]);
    case Op::tan:
      return std::tan(args[0]);
    case Op::sec:
      return 1 / std::cos(args[0]);
    case Op::csc:
      return 1 / std::sin(args[0]);
    case Op::cot:
      return std::cos(args[0]) / std::sin(args[0]);
    case Op::asin:
      return std::asin(args[0]);
    case Op::acos:
      return std::acos(args[0]);
    case Op::atan:
      return std::atan(args[0]);
    case Op::atan2:
      return std::atan2(args[0], args[1]);
    case Op::sinh:
      return std::sinh(args[0]);
    case Op::cosh:
      return std::cosh(args[0]);
    case Op::tanh:
      return std::tanh(args[0]);
    case Op::exp:
      return std::exp(args[0]);
    case Op::log:
      return std::log(args[0]);
    case Op::sqrt:
      return std::sqrt(args[0]);
    case Op::abs:
      return std::abs(args[0]);
    case Op::sign:
      return args[0] > 0 ? 1.0 : (args[0] < 0 ? -1.0 : args[0]);
    case Op::min:
      return args[0] < args[1] || std::isnan(args[0]) ? args[0] : args[1];
    case Op::max:
      return args[0] > args[1] || std::isnan(args[0]) ? args[0] : args[1];
    case Op::symbol:
      break;
  }
  throw std::logic_error("a symbol has no operation to evaluate");
}

namespace {

/// Evaluates in postorder; `visit(e, value, operands)` returns false to stop early.
template <class Visit>
double walk(const Expr& root, const Values& values, Visit visit) {
  std::unordered_map<const Node*, double> known;
  std::vector<double> args;
  for (const Expr& e : postorder(root)) {
    args.clear();
    for (const Expr& arg : e.args()) args.push_back(known.at(arg.node()));
    const double value = e.is(Op::symbol) ? values(e.symbol()) : evaluate_operation(e, args);
    if (!visit(e, value, args)) return value;
    known.emplace(e.node(), value);
  }
  return known.at(root.node());
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
