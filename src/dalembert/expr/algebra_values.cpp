// Arithmetic in the ring: sums and products of fractions, normal forms, and what cancels.
#include <algorithm>

#include "dalembert/expr/algebra_ring.hpp"

namespace dalembert::expr::algebra {

Poly Ring::reduced(const Poly& p) const {
  if (p.is_zero()) return p;
  Poly result = p;
  std::vector<long> degrees = result.degrees();
  const auto high = [&degrees](std::size_t i, unsigned long order) {
    return static_cast<unsigned long>(degrees[i]) >= order;
  };
  // A root stands for a polynomial in what was made before it, so the last goes first.
  for (std::size_t i = generators_.size(); i-- > 0;) {
    const Generator& g = generators_[i];
    if (g.kind == Generator::Kind::sign) {
      while (high(i, g.order)) {
        result = replace_power(result, i, g.order, Poly::variable(*context_, i));
        degrees = result.degrees();
      }
    } else if (g.value && high(i, g.order)) {
      result = replace_power(result, i, g.order, *g.value);
      degrees = result.degrees();
    }
  }
  for (const auto& [s, c] : angle_variables_) {
    if (!high(s, 2)) continue;
    result = replace_power(result, s, 2, Poly(*context_, 1) - Poly::variable(*context_, c, 2));
  }
  return result;
}

Poly Ring::without_cosine_square(const Poly& p, std::size_t sine) const {
  return replace_power(p, generators_[sine].partner, 2,
                       Poly(*context_, 1) - Poly::variable(*context_, sine, 2));
}

Poly Ring::shortest(const Poly& p) const {
  // Fewer terms first, then smaller coefficients: 1 + s² rather than 2 - c².
  const auto size = [](const Poly& q) {
    Rational total = 0;
    for (const Term& t : q.terms()) total += abs(t.coefficient);
    return std::pair(q.length(), total);
  };
  Poly best = p;
  if (p.length() < 2) return best;
  for (const auto& [s, c] : angle_variables_) {
    if (best.degrees()[c] < 2) continue;
    Poly other = without_cosine_square(best, s);
    if (size(other) < size(best)) best = std::move(other);
  }
  return best;
}

std::optional<Poly> Ring::divided(const Poly& p, std::size_t number) const {
  const Poly& by = factors_[number];
  if (const auto index = by.as_variable()) {
    const Generator& g = generators_[*index];
    if (g.kind == Generator::Kind::root && g.value) {
      // p = p0 + r p1 and w = r^k: r divides p if w divides p0.
      const Poly first = p.coefficient(*index, 0);
      const Poly r = Poly::variable(*context_, *index);
      Poly rest = *exact_quotient(p - first, r);
      if (first.is_zero()) return rest;
      if (g.value->is_zero()) return std::nullopt;
      const auto quotient = exact_quotient(first, *g.value);
      if (!quotient) return std::nullopt;
      return reduced(rest + *quotient * power(r, g.order - 1));
    }
  }
  Poly dividend = p;
  bool flipped = false;
  const std::vector<long> degrees = by.degrees();
  for (const auto& [s, c] : angle_variables_) {
    if (degrees[s] == 0 || degrees[c] > 0) continue;
    dividend = without_cosine_square(dividend, s);
    flipped = true;
  }
  auto quotient = exact_quotient(dividend, by);
  if (quotient && flipped) return reduced(*quotient);
  return quotient;
}

void Ring::cancel(Value& v) const {
  if (v.numerator.is_zero()) {
    v.denominator.clear();
    return;
  }
  for (auto factor = v.denominator.begin(); factor != v.denominator.end();) {
    while (factor->second > 0) {
      auto quotient = divided(v.numerator, factor->first);
      if (!quotient) break;
      v.numerator = std::move(*quotient);
      --factor->second;
    }
    factor = factor->second == 0 ? v.denominator.erase(factor) : std::next(factor);
  }
}

Value Ring::add(const std::vector<const Value*>& terms) const {
  Value result{Poly(*context_), {}};
  for (const Value* term : terms) {
    for (const auto& [number, exponent] : term->denominator) {
      long& common = result.denominator[number];
      common = std::max(common, exponent);
    }
  }
  std::vector<Poly> numerators;
  for (const Value* term : terms) {
    Poly numerator = term->numerator;
    for (const auto& [number, exponent] : result.denominator) {
      const auto own = term->denominator.find(number);
      const long missing = exponent - (own == term->denominator.end() ? 0 : own->second);
      if (missing == 0) continue;
      numerator = reduced(numerator * power(factors_[number], static_cast<unsigned long>(missing)));
    }
    numerators.push_back(std::move(numerator));
  }
  // In pairs, so that a long sum is not copied once a term.
  while (numerators.size() > 1) {
    std::vector<Poly> half;
    for (std::size_t i = 0; i + 1 < numerators.size(); i += 2)
      half.push_back(numerators[i] + numerators[i + 1]);
    if (numerators.size() % 2 == 1) half.push_back(std::move(numerators.back()));
    numerators = std::move(half);
  }
  if (!numerators.empty()) result.numerator = std::move(numerators.front());
  cancel(result);
  return result;
}

Value Ring::multiply(const Value& a, const Value& b) {
  Value left{a.numerator, b.denominator};
  Value right{b.numerator, a.denominator};
  cancel(left);
  cancel(right);
  Value result{reduced(left.numerator * right.numerator), std::move(left.denominator)};
  for (const auto& [number, exponent] : right.denominator) {
    result.denominator[number] += exponent;
  }
  merge_complements(result);
  cancel(result);
  return result;
}

void Ring::merge_complements(Value& v) {
  if (v.denominator.size() < 2) return;
  // (1 - c)(1 + c) = s², and the same with s and c exchanged.
  for (const auto& [s, c] : angle_variables_) {
    for (const auto& [own, other] : {std::pair(s, c), std::pair(c, s)}) {
      const Poly x = Poly::variable(*context_, own);
      const Poly one(*context_, 1);
      auto below = v.denominator.end();
      auto above = v.denominator.end();
      for (auto f = v.denominator.begin(); f != v.denominator.end(); ++f) {
        if (factors_[f->first].equals((x - one).primitive())) below = f;
        if (factors_[f->first].equals((x + one).primitive())) above = f;
      }
      if (below == v.denominator.end() || above == v.denominator.end()) continue;
      const long pairs = std::min(below->second, above->second);
      below->second -= pairs;
      above->second -= pairs;
      // x - 1 = -(1 - x)
      if (pairs % 2 == 1) v.numerator = Rational(-1) * v.numerator;
      std::erase_if(v.denominator, [](const auto& f) { return f.second == 0; });
      v.denominator[intern_factor(Poly::variable(*context_, other))] += 2 * pairs;
    }
  }
}

std::size_t Ring::intern_factor(const Poly& p) {
  const auto found = std::find_if(factors_.begin(), factors_.end(),
                                  [&p](const Poly& known) { return known.equals(p); });
  if (found != factors_.end()) return static_cast<std::size_t>(found - factors_.begin());
  factors_.push_back(p);
  return factors_.size() - 1;
}

Value Ring::inverse(const Value& v) {
  if (v.numerator.is_zero()) throw Undefined("it divides by zero everywhere");
  Value result{Poly(*context_, 1), {}};
  for (const auto& [number, exponent] : v.denominator) {
    result.numerator =
        reduced(result.numerator * power(factors_[number], static_cast<unsigned long>(exponent)));
  }
  const Factored parts = algebra::factor(shortest(v.numerator));
  result.numerator = Rational(1 / parts.content) * result.numerator;
  for (const auto& [p, exponent] : parts.factors) {
    result.denominator[intern_factor(p)] += exponent;
  }
  merge_complements(result);
  cancel(result);
  return result;
}

std::vector<Poly> Ring::relations() const {
  std::vector<Poly> result;
  for (const auto& [s, c] : angle_variables_) {
    result.push_back(Poly::variable(*context_, s, 2) + Poly::variable(*context_, c, 2) -
                     Poly(*context_, 1));
  }
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    const Generator& g = generators_[i];
    if (g.kind == Generator::Kind::sign) {
      result.push_back(Poly::variable(*context_, i, g.order) - Poly::variable(*context_, i));
    } else if (g.value) {
      result.push_back(Poly::variable(*context_, i, g.order) - *g.value);
    }
  }
  return result;
}

Expr Ring::expression(const Poly& p) const {
  std::vector<Expr> terms;
  for (const Term& t : p.terms()) {
    std::vector<Expr> factors{Expr(t.coefficient)};
    for (std::size_t i = 0; i < generators_.size(); ++i) {
      if (t.exponents[i] == 0) continue;
      factors.push_back(pow(generators_[i].shown, Expr(static_cast<long>(t.exponents[i]))));
    }
    terms.push_back(product(factors));
  }
  return sum(terms);
}

Expr Ring::expression(const Value& v) const {
  std::vector<Expr> factors{expression(v.numerator)};
  for (const auto& [number, exponent] : v.denominator) {
    factors.push_back(pow(expression(factors_[number]), Expr(-exponent)));
  }
  return product(factors);
}

}  // namespace dalembert::expr::algebra
