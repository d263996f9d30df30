#include <algorithm>
#include <cstdlib>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/classify.hpp"

namespace dalembert::mechanics {

namespace {

using expr::Op;

constexpr std::size_t most_terms = 1000;
constexpr int most_levels = 100;    // of sums in products in sums
constexpr long most_by_parts = 64;  // x^p f has p + 1 terms, and nobody reads more
constexpr long highest_power = 1L << 30;

bool contains(const Expr& e, const Expr& x) {
  return expr::find_symbol(e, [&x](const expr::Symbol& s) { return s == x.symbol(); }).has_value();
}

/// e as a sum of products without sums inside, if that is neither too long nor too deep.
std::optional<std::vector<Expr>> expanded(const Expr& e, int levels = most_levels) {
  if (levels == 0) return std::nullopt;
  if (e.is(Op::sum)) {
    std::vector<Expr> terms;
    for (const Expr& arg : e.args()) {
      const auto inner = expanded(arg, levels - 1);
      if (!inner) return std::nullopt;
      terms.insert(terms.end(), inner->begin(), inner->end());
      if (terms.size() > most_terms) return std::nullopt;
    }
    return terms;
  }
  if (e.is(Op::power) && e.args()[0].is(Op::sum) && e.args()[1].is(Op::constant) &&
      e.args()[1].value().get_den() == 1 && e.args()[1].value() > 1 && e.args()[1].value() < 8) {
    std::vector<Expr> terms{Expr(1)};
    for (long i = 0; i < e.args()[1].value().get_num().get_si(); ++i) {
      std::vector<Expr> next;
      for (const Expr& term : terms) {
        for (const Expr& arg : e.args()[0].args()) next.push_back(term * arg);
      }
      terms = std::move(next);
      if (terms.size() > most_terms) return std::nullopt;
    }
    return terms;
  }
  if (!e.is(Op::product)) return std::vector<Expr>{e};
  std::vector<Expr> terms{Expr(1)};
  for (const Expr& arg : e.args()) {
    const auto inner = expanded(arg, levels - 1);
    if (!inner || inner->size() * terms.size() > most_terms) return std::nullopt;
    std::vector<Expr> next;
    for (const Expr& term : terms) {
      for (const Expr& factor : *inner) next.push_back(term * factor);
    }
    terms = std::move(next);
  }
  return terms;
}

/// The slope of a linear argument: du/dx where it does not depend on x.
std::optional<Expr> linear_slope(const Expr& u, const Expr& x) {
  Expr slope = expr::simplify(expr::differentiate(u, x));
  if (slope.is_zero() || contains(slope, x)) return std::nullopt;
  return slope;
}

/// ∫ f^power dx of one function of a linear argument.
std::optional<Expr> integral_of_function(const Expr& f, long power, const Expr& x) {
  if (f.args().size() != 1) return std::nullopt;
  const Expr& u = f.args()[0];
  const auto slope = linear_slope(u, x);
  if (!slope) return std::nullopt;
  if (power == 1) {
    switch (f.op()) {
      case Op::sin:
        return -expr::cos(u) / *slope;
      case Op::cos:
        return expr::sin(u) / *slope;
      case Op::sinh:
        return expr::cosh(u) / *slope;
      case Op::cosh:
        return expr::sinh(u) / *slope;
      case Op::exp:
        return expr::exp(u) / *slope;
      default:
        return std::nullopt;
    }
  }
  if (power == 2) {
    switch (f.op()) {
      case Op::sin:
        return x / 2 - expr::sin(u) * expr::cos(u) / (2 * *slope);
      case Op::cos:
        return x / 2 + expr::sin(u) * expr::cos(u) / (2 * *slope);
      case Op::sec:
        return expr::tan(u) / *slope;
      case Op::csc:
        return -expr::cot(u) / *slope;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

struct Factor {
  Expr base;
  long power;
};

/// ∫ of one product, factors without x in front.
std::optional<Expr> integral_of_term(const Expr& term, const Expr& x) {
  Expr front = 1;
  long powers_of_x = 0;
  std::vector<Factor> rest;
  std::vector<Expr> factors{term};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Expr factor = factors[i];
    if (factor.is(Op::product)) {
      factors.insert(factors.end(), factor.args().begin(), factor.args().end());
    } else if (!contains(factor, x)) {
      front *= factor;
    } else {
      const bool power = factor.is(Op::power) && factor.args()[1].is(Op::constant) &&
                         factor.args()[1].value().get_den() == 1 &&
                         factor.args()[1].value().get_num().fits_slong_p();
      const Expr base = power ? factor.args()[0] : factor;
      const long exponent = power ? factor.args()[1].value().get_num().get_si() : 1;
      if (std::abs(exponent) > highest_power) return std::nullopt;
      if (same(base, x)) {
        powers_of_x += exponent;
      } else {
        rest.push_back({base, exponent});
      }
    }
  }
  if (rest.empty()) {
    if (powers_of_x == -1) return front * expr::log(expr::pow(x, 2)) / 2;
    return front * expr::pow(x, Expr(powers_of_x + 1)) / Expr(powers_of_x + 1);
  }
  if (rest.size() == 2 && powers_of_x == 0) {  // sin^a cos, cos^a sin of one argument
    for (int order = 0; order < 2; ++order) {
      const Factor& f = rest[static_cast<std::size_t>(order)];
      const Factor& g = rest[static_cast<std::size_t>(1 - order)];
      if (g.power != 1 || f.power < 1) continue;
      if (!((f.base.is(Op::sin) && g.base.is(Op::cos)) ||
            (f.base.is(Op::cos) && g.base.is(Op::sin))))
        continue;
      if (!same(f.base.args()[0], g.base.args()[0])) continue;
      const auto slope = linear_slope(f.base.args()[0], x);
      if (!slope) return std::nullopt;
      const Expr sign = f.base.is(Op::sin) ? 1 : -1;
      return front * sign * expr::pow(f.base, Expr(f.power + 1)) / (Expr(f.power + 1) * *slope);
    }
  }
  if (rest.size() != 1 || powers_of_x < 0 || powers_of_x > most_by_parts) return std::nullopt;
  const auto inner = integral_of_function(rest.front().base, rest.front().power, x);
  if (!inner) return std::nullopt;
  if (powers_of_x == 0) return front * *inner;
  // By parts: ∫ x^p f = x^p F - p ∫ x^(p-1) F.
  const auto terms = expanded(expr::pow(x, Expr(powers_of_x - 1)) * *inner);
  if (!terms) return std::nullopt;
  Expr result = expr::pow(x, Expr(powers_of_x)) * *inner;
  for (const Expr& t : *terms) {
    const auto part = integral_of_term(t, x);
    if (!part) return std::nullopt;
    result -= Expr(powers_of_x) * *part;
  }
  return front * result;
}

/// exp(e), up to a sign, with the logarithms in it undone: x^2 for log(x^2).
Expr exponential(const Expr& e) {
  Expr result = 1;
  const std::span<const Expr> terms = e.is(Op::sum) ? e.args() : std::span(&e, 1);
  for (const Expr& term : terms) {
    Expr weight = 1;
    std::optional<Expr> inside;
    const std::span<const Expr> factors = term.is(Op::product) ? term.args() : std::span(&term, 1);
    for (const Expr& factor : factors) {
      if (factor.is(Op::log) && !inside) {
        inside = factor.args()[0];
      } else {
        weight *= factor;
      }
    }
    if (!inside) {
      result *= expr::exp(term);
    } else if (inside->is(Op::power) && inside->args()[1].is(Op::constant)) {
      result *= expr::pow(inside->args()[0], inside->args()[1] * weight);
    } else {
      result *= expr::pow(*inside, weight);
    }
  }
  return result;
}

}  // namespace

std::optional<Expr> first_integral(const std::vector<Expr>& slopes, const std::vector<Expr>& x) {
  if (auto F = potential(slopes, x)) return F;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (slopes[k].is_zero()) continue;
    std::vector<Expr> form, rates;
    for (const Expr& slope : slopes) {
      form.push_back(expr::simplify(slope / slopes[k]));
      rates.push_back(expr::differentiate(form.back(), x[k]));
    }
    const auto exponent = potential(rates, x);
    if (!exponent) continue;
    const Expr factor = exponential(*exponent);
    for (Expr& slope : form) slope = expr::simplify(slope * factor);
    if (auto F = potential(form, x)) return F;
  }
  return std::nullopt;
}

std::optional<Expr> potential(const std::vector<Expr>& slopes, const std::vector<Expr>& x) {
  Expr F = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Expr left = expr::simplify(slopes[i] - expr::differentiate(F, x[i]));
    if (left.is_zero()) continue;
    const auto terms = expanded(left);
    if (!terms) return std::nullopt;
    for (const Expr& term : *terms) {
      const auto part = integral_of_term(term, x[i]);
      if (!part) return std::nullopt;
      F += *part;
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!expr::proven_zero(slopes[i] - expr::differentiate(F, x[i]))) return std::nullopt;
  }
  return expr::simplify(F);
}

}  // namespace dalembert::mechanics
