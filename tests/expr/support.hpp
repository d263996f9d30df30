#pragma once
/// Random expressions, and values with a bound on their rounding error, for the tests of this
/// folder.

#include <dalembert/expr/differentiate.hpp>
#include <dalembert/expr/evaluate.hpp>
#include <dalembert/expr/expr.hpp>
#include <dalembert/expr/functions.hpp>
#include <dalembert/expr/graph.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

namespace dalembert::expr {

/// Lets failing assertions name their expression.
inline std::ostream& operator<<(std::ostream& out, const Expr& e) {
  return out << "expression of " << node_count(std::span(&e, 1)) << " nodes, hash " << e.hash();
}

namespace testing {

inline const std::vector<std::string> coordinate_names = {"x", "y", "phi", "θ", "x10", "x2"};

inline std::vector<Expr> leaves() {
  std::vector<Expr> result = {Expr(1),
                              Expr(2),
                              Expr(-3),
                              Expr(Rational(1, 2)),
                              Expr(Rational(-2, 3)),
                              Expr(9.81),
                              Expr(6.674e-11),
                              pi(),
                              time(),
                              parameter("m"),
                              parameter("g"),
                              parameter("l"),
                              parameter("k_1"),
                              parameter("mu"),
                              ideal_force("x"),
                              nonideal_force("phi")};
  for (const std::string& name : coordinate_names) {
    for (int order = 0; order < 3; ++order) result.push_back(coordinate(name, order));
  }
  return result;
}

/// An expression from arbitrary numbers, read as the program of a stack machine: any numbers give
/// one, and fewer or smaller numbers a simpler one. No constant is divided by zero.
inline Expr expression_from(const std::vector<unsigned>& program) {
  static const std::vector<Expr> leaf = leaves();
  static const Expr exponents[] = {2, 3, -1, -2, Rational(1, 2), Rational(-3, 2), Rational(1, 3),
                                   5, -7};
  std::vector<Expr> stack{leaf[0]};
  const auto pop = [&stack] {
    Expr top = stack.back();
    if (stack.size() > 1) stack.pop_back();
    return top;
  };
  for (const unsigned code : program) {
    const unsigned choice = code / 16;
    switch (code % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        stack.push_back(leaf[choice % leaf.size()]);
        break;
      case 5:
      case 6: {
        const Expr b = pop();
        stack.push_back(pop() + b);
        break;
      }
      case 7: {
        const Expr b = pop();
        stack.push_back(pop() - b);
        break;
      }
      case 8:
      case 9: {
        const Expr b = pop();
        stack.push_back(pop() * b);
        break;
      }
      case 10: {
        const Expr b = pop();
        if (!b.is_zero()) stack.push_back(pop() / b);
        break;
      }
      case 11: {
        const Expr base = pop();
        if (!base.is_zero()) stack.push_back(pow(base, exponents[choice % std::size(exponents)]));
        break;
      }
      case 12: {
        const Expr exponent = pop();
        const Expr base = pop();
        if (!base.is_zero()) stack.push_back(pow(base, exponent));
        break;
      }
      case 13: {  // a long sum or product, beyond what is merged
        std::vector<Expr> operands(
            stack.end() - static_cast<long>(std::min<std::size_t>(stack.size(), 5)), stack.end());
        for (unsigned i = 0; i < 3 + choice % 20; ++i)
          operands.push_back(leaf[(choice + 7 * i) % leaf.size()]);
        stack.push_back(choice % 2 == 0 ? sum(operands) : product(operands));
        break;
      }
      default: {
        const FunctionInfo& f = functions()[choice % functions().size()];
        std::vector<Expr> args{pop()};
        while (args.size() < static_cast<std::size_t>(f.arity)) args.push_back(pop());
        stack.push_back(apply_function(f.op, args));
      }
    }
  }
  Expr result = stack.back();
  for (std::size_t i = 1; i + 1 < stack.size(); ++i)
    result = i % 2 == 1 ? result + stack[i] : result * stack[i];
  return result;
}

/// A value for every symbol, between 0.3 and 2 and different for each.
inline double generic_value(const Symbol& s) {
  const auto h = symbol(s).hash() >> 11;
  return 0.3 + 1.7 * static_cast<double>(h) / static_cast<double>(std::uint64_t{1} << 53);
}

/// What any sensible order of evaluation in doubles gives is value ± error.
struct Bounded {
  double value = 0;
  double error = 0;
};

/// Running error analysis (Higham, Accuracy and Stability of Numerical Algorithms, section 3.3),
/// first order in the unit roundoff u: sums and products by their rules, functions by moving each
/// argument by its own error, and for each operation `slack` roundings of its own. Infinite where
/// an argument's error reaches a singularity.
inline Bounded bounded_value(const Expr& root, const Values& values, double slack = 4) {
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double first_order = 1e-4;
  std::unordered_map<const Node*, Bounded> known;
  std::vector<double> args;
  for (const Expr& e : postorder(root)) {
    args.clear();
    for (const Expr& arg : e.args()) args.push_back(known.at(arg.node()).value);
    Bounded result;
    result.value = e.is(Op::symbol) ? values(e.symbol()) : evaluate_operation(e, args);
    const auto n = static_cast<double>(args.size());
    if (e.is(Op::sum)) {
      for (const Expr& arg : e.args()) {
        const Bounded& term = known.at(arg.node());
        result.error += term.error + n * u * std::abs(term.value);
      }
    } else {
      for (std::size_t i = 0; i < args.size(); ++i) {
        const Bounded arg = known.at(e.args()[i].node());
        const bool unknown =
            std::isinf(arg.error) || (is_function(e.op()) && arg.error > first_order);
        double moved = unknown ? infinite : 0;
        for (const double sign : {-1.0, 1.0}) {
          args[i] = arg.value + sign * arg.error;
          moved = std::max(moved, std::abs(evaluate_operation(e, args) - result.value));
          if (!std::isfinite(evaluate_operation(e, args))) moved = infinite;
        }
        args[i] = arg.value;
        result.error += moved;
      }
      // x^k by k - 1 multiplications, and products in any order.
      const double roundings =
          e.is(Op::power) && std::abs(args[1]) < 64 ? slack + std::abs(args[1]) : slack + n;
      if (!e.is(Op::symbol)) result.error += roundings * u * std::abs(result.value);
    }
    if (!(result.error <= first_order * (1 + std::abs(result.value)))) result.error = infinite;
    // Gradual underflow.
    result.error += std::numeric_limits<double>::denorm_min();
    if (!std::isfinite(result.value)) result.error = infinite;
    known.emplace(e.node(), result);
  }
  return known.at(root.node());
}

/// Edges under the roots, each node's counted once.
inline std::size_t edge_count(std::span<const Expr> roots) {
  std::size_t edges = 0;
  for (const Expr& e : postorder(roots)) edges += e.args().size();
  return edges;
}

}  // namespace testing
}  // namespace dalembert::expr
