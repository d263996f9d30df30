#include "dalembert/model/vanishing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::model {

namespace {

using expr::Op;
using expr::Symbol;

constexpr double rounding = 1e-12, few_digits = 1e-6;
constexpr unsigned draws = 16, enough_draws = 4;
constexpr int largest_exponent = 8;
constexpr std::size_t most_terms = 20'000;

/// A number that no relation between symbols would know of: of either sign, its size between 1/8
/// and 8.
double arbitrary(const Symbol& symbol, unsigned draw) {
  std::uint64_t h = expr::symbol(symbol).hash() + 0x9e3779b97f4a7c15U * (draw + 1U);
  h = (h ^ (h >> 30U)) * 0xbf58476d1ce4e5b9U;
  h = (h ^ (h >> 27U)) * 0x94d049bb133111ebU;
  h ^= h >> 31U;
  const double size = std::exp2(6 * (static_cast<double>(h >> 12U) * 0x1p-52) - 3);
  return (h & 1U) != 0 ? size : -size;
}

/// The largest |e| beside the size of its parts, over arbitrary places where it is defined; not a
/// number where these are too few to tell.
double relative_size(const Expr& e, std::span<const Expr> parts) {
  double largest = 0;
  unsigned defined = 0;
  for (unsigned draw = 0; draw < draws; ++draw) {
    const auto values = [draw](const Symbol& s) { return arbitrary(s, draw); };
    const double value = std::abs(expr::evaluate(e, values));
    double scale = 0;
    for (const Expr& part : parts) scale += std::abs(expr::evaluate(part, values));
    if (!std::isfinite(value) || !std::isfinite(scale)) continue;
    ++defined;
    if (value > 0) largest = std::max(largest, value / scale);
    if (largest > few_digits) return largest;
  }
  return defined < enough_draws ? std::nan("") : largest;
}

/// Quotients of polynomials of symbols, their sines, cosines and square roots.
bool is_told_by_numbers(const Expr& e) {
  const std::vector<Expr> nodes = expr::postorder(e);
  return std::ranges::all_of(nodes, [](const Expr& node) {
    switch (node.kind()) {
      case expr::NodeKind::constant:
      case expr::NodeKind::pi:
      case expr::NodeKind::symbol:
      case expr::NodeKind::sum:
      case expr::NodeKind::product:
        return true;
      case expr::NodeKind::power: {
        const Expr& exponent = node.args()[1];
        return exponent.is(Op::constant) && abs(exponent.value()) <= largest_exponent;
      }
      case expr::NodeKind::table:
        return false;
      case expr::NodeKind::function:
        break;
    }
    return expr::is_trigonometric(node.op()) || node.is(Op::sqrt);
  });
}

bool proven(const Expr& e) {
  return expr::proven_zero(e, {.terms = most_terms, .modulo = {}});
}

/// e = a + b w with one root w = sqrt(s) or |u|, and a^2 = b^2 s: zero where -a b is not negative.
Vanished on_one_side(const Expr& e) {
  Expr root;
  std::size_t roots = 0;
  for (const Expr& node : expr::postorder(e)) {
    if (!node.is(Op::sqrt) && !node.is(Op::abs)) continue;
    root = node;
    ++roots;
  }
  if (roots != 1) return {};
  const auto with = [&](int value) { return expr::substitute(e, {{root, Expr(value)}}); };
  const Expr a = with(0), b = with(1) - a;
  const Expr& under = root.args()[0];
  const Expr square = root.is(Op::sqrt) ? under : pow(under, 2);
  const std::array<Expr, 2> sides = {a * a, b * b * square};
  if (relative_size(sides[0] - sides[1], sides) > few_digits) return {};
  if (!proven(with(2) - a - 2 * b) || !proven(sides[0] - sides[1])) return {};
  return {Vanishing::one_sided, -a * b};
}

}  // namespace

Vanished vanishing(const Expr& e, std::span<const Expr> parts) {
  if (e.is_zero()) return {Vanishing::always};
  if (e.is(Op::symbol)) return {};
  if (parts.empty()) parts = e.is(Op::sum) ? e.args() : std::span(&e, 1);
  const double size = relative_size(e, parts);
  if (size > few_digits) return on_one_side(e);
  if (proven(e)) return {Vanishing::always};
  if (!std::isnan(size) && is_told_by_numbers(e))
    return {size <= rounding ? Vanishing::always : Vanishing::almost};
  return on_one_side(e);
}

bool is_identically_zero(const Expr& e) {
  return vanishing(e).how == Vanishing::always;
}

}  // namespace dalembert::model
