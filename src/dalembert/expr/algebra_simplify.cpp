// The short form of an expression: its value in the ring, written by algebra_display.hpp.
#include <algorithm>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/algebra_canonical.hpp"
#include "dalembert/expr/algebra_display.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::expr {

namespace {

// A result longer than this many times the original is of no use to a reader, unless it is short.
constexpr double longer_by = 3;
constexpr double short_cost = 200;
constexpr int passes = 8;
constexpr int highest_power = 64;  // of what is no symbol

bool is_rate_or_force(const Expr& e) {
  const Symbol& s = e.symbol();
  return s.order > 0 || s.kind == SymbolKind::ideal_force || s.kind == SymbolKind::nonideal_force ||
         s.kind == SymbolKind::multiplier;
}

/// A combined angle, by the algebra again: a t + b t as (a + b) t.
Expr written_angle(const Expr& angle, std::size_t terms) {
  const bool polynomial =
      angle.is(Op::sum) &&
      std::any_of(angle.args().begin(), angle.args().end(),
                  [](const Expr& term) { return term.is(Op::product) || term.is(Op::power); });
  if (!polynomial) return angle;
  const algebra::Style style{is_rate_or_force, [](const Expr& e) { return e; }};
  try {
    const algebra::Ring ring(std::span(&angle, 1), algebra::Mode::display, terms);
    return algebra::display(ring, ring.value(angle), style);
  } catch (const algebra::GaveUp&) {
    return angle;
  } catch (const algebra::Undefined&) {
    return angle;
  }
}

class Simplifier {
 public:
  explicit Simplifier(const SimplifyOptions& options) : terms_(options.terms) {
    style_.argument = [this](const Expr& angle) { return written_angle(angle, terms_); };
    style_.collects = is_rate_or_force;
    outer_ = style_;
    if (!options.collect.empty()) {
      outer_.collects = [&options](const Expr& e) {
        return std::any_of(options.collect.begin(), options.collect.end(),
                           [&e](const Expr& wanted) { return same(wanted, e); });
      };
    }
  }

  /// The result has other base angles than e, and may be shortened once more; so the step is
  /// repeated until nothing changes. Should it come back to where it was, the shortest is taken.
  Expr operator()(const Expr& e) const {
    std::vector<Expr> seen{e};
    for (int pass = 0; pass < passes; ++pass) {
      Expr next = once(seen.back());
      if (same(next, seen.back())) return next;
      const auto before = std::find_if(seen.begin(), seen.end(),
                                       [&next](const Expr& known) { return same(known, next); });
      if (before != seen.end()) return *std::min_element(before, seen.end(), shorter);
      seen.push_back(next);
    }
    return seen.back();
  }

 private:
  static bool shorter(const Expr& a, const Expr& b) {
    const double first = algebra::reading_cost(a);
    const double second = algebra::reading_cost(b);
    return first != second ? first < second : ordered_before(a, b);
  }

  /// (x + y)^500 or cos(x)^3000: written out it is of no use to a reader.
  static bool has_high_power(const Expr& e) {
    const std::vector<Expr> nodes = postorder(e);
    return std::any_of(nodes.begin(), nodes.end(), [](const Expr& node) {
      return node.is(Op::power) && !node.args()[0].args().empty() &&
             node.args()[1].is(Op::constant) && abs(node.args()[1].value()) > highest_power;
    });
  }

  Expr once(const Expr& e) const {
    if (e.args().empty() || has_high_power(e)) return e;
    try {
      const Expr canonical = algebra::with_canonical_arguments(
                                 std::span(&e, 1), algebra::Mode::display, terms_,
                                 [this](const algebra::Ring& ring, const algebra::Value& v) {
                                   return algebra::display(ring, v, style_);
                                 })
                                 .front();
      const algebra::Ring ring(std::span(&canonical, 1), algebra::Mode::display, terms_);
      Expr result = algebra::display(ring, ring.value(canonical), outer_);
      const bool helps = algebra::reading_cost(result) <=
                         short_cost + longer_by * algebra::reading_cost(canonical);
      return helps ? result : e;
    } catch (const algebra::GaveUp&) {
      return e;
    } catch (const algebra::Undefined&) {
      return e;
    }
  }

  std::size_t terms_;
  algebra::Style style_;  ///< of arguments
  algebra::Style outer_;
};

}  // namespace

std::vector<Expr> simplify(std::span<const Expr> list, const SimplifyOptions& options) {
  const Simplifier simplified(options);
  std::vector<Expr> result;
  result.reserve(list.size());
  for (const Expr& e : list) result.push_back(simplified(e));
  return result;
}

Expr simplify(const Expr& e, const SimplifyOptions& options) {
  return simplify(std::span(&e, 1), options).front();
}

}  // namespace dalembert::expr
