#include "dalembert/expr/algebra_display.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "dalembert/expr/algebra_factors.hpp"
#include "dalembert/expr/algebra_fourier.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"

namespace dalembert::expr::algebra {

namespace {

constexpr std::size_t expanded_terms = 64;  // of a denominator
constexpr std::size_t grouped_terms = 24;   // of a sum of products of symbols

/// Which of the generators stand with the functions when a coefficient is collected by functions.
enum class Collecting { functions, functions_and_positions };

class Display {
 public:
  Display(const Ring& ring, const Style& style) : ring_(ring), style_(style) {
    for (const Generator& g : ring.generators()) shown_.push_back(g.shown);
    for (std::size_t i = 0; i < ring.angles().size(); ++i) {
      const BaseAngles::Base& base = ring.angles()[i];
      const Expr angle = style.argument(Expr(base.unit) * base.atom);
      const auto [s, c] = ring.angle_variables(i);
      shown_[s] = sin(angle);
      shown_[c] = cos(angle);
      arguments_.push_back(angle);
      angle_order_.push_back(i);
      texts_.push_back(to_text(ring.angles()[i].atom, compared_text));
    }
    std::sort(angle_order_.begin(), angle_order_.end(), [this](std::size_t a, std::size_t b) {
      if (texts_[a] != texts_[b]) return natural_before(texts_[a], texts_[b]);
      return ring_.angles()[a].unit < ring_.angles()[b].unit;
    });
  }

  Expr write(const Value& v) {
    std::map<std::vector<unsigned long>, std::vector<Term>> parts;
    for (Term& t : v.numerator.terms()) {
      std::vector<unsigned long> powers(t.exponents.size(), 0);
      for (std::size_t i = 0; i < ring_.generators().size(); ++i) {
        if (t.exponents[i] == 0 || !collected(i)) continue;
        std::swap(powers[i], t.exponents[i]);
      }
      parts[powers].push_back(std::move(t));
    }
    // Denominators by what is written below the line, each with its terms.
    std::map<Expr, std::vector<Expr>, FixedOrder> lines;
    for (const auto& [powers, terms] : parts) {
      Value part{Poly::from_terms(ring_.context(), terms), v.denominator};
      ring_.cancel(part);
      for (const Fraction& f : fractions(part)) {
        lines[f.below].push_back(product({f.coefficient, monomial(powers)}));
      }
    }
    std::vector<Expr> result;
    for (const auto& [below, terms] : lines) {
      if (below.is_one()) {
        result.insert(result.end(), terms.begin(), terms.end());
      } else {
        std::vector<Expr> factors = with_common_factors(terms);
        factors.push_back(pow(below, Expr(-1)));
        result.push_back(signed_product(factors));
      }
    }
    return sum(result);
  }

 private:
  using TrigPowers = std::map<std::size_t, std::pair<long, long>>;  ///< of sin, cos by angle

  bool collected(std::size_t variable) const {
    const Generator& g = ring_.generator(variable);
    return g.kind == Generator::Kind::plain && g.shown.is(Op::symbol) && style_.collects(g.shown);
  }

  bool trigonometric(std::size_t variable) const {
    const Generator::Kind kind = ring_.generator(variable).kind;
    return kind == Generator::Kind::sine || kind == Generator::Kind::cosine;
  }

  Expr monomial(const std::vector<unsigned long>& powers) const {
    std::vector<Expr> factors;
    for (std::size_t i = 0; i < ring_.generators().size(); ++i) {
      if (powers[i] == 0) continue;
      factors.push_back(pow(shown_[i], Expr(static_cast<long>(powers[i]))));
    }
    return product(factors);
  }

  struct Fraction {
    Expr coefficient;
    Expr below;
  };

  static double cost(const std::vector<Fraction>& list) {
    double total = 0;
    for (const Fraction& f : list) total += reading_cost(f.coefficient * pow(f.below, Expr(-1)));
    return total;
  }

  /// The value as one fraction, or as several where symbols below the line cancel in some terms and
  /// that is shorter: g - F/m.
  std::vector<Fraction> fractions(const Value& part) {
    std::vector<Fraction> whole{fraction(part)};
    if (part.numerator.length() < 2) return whole;
    std::map<std::map<std::size_t, long>, std::vector<Term>> groups;
    for (Term& t : part.numerator.terms()) {
      std::map<std::size_t, long> below;
      for (const auto& [number, exponent] : part.denominator) {
        const auto index = ring_.factor(number).as_variable();
        long left = exponent;
        if (index && !trigonometric(*index)) {
          left = std::max(0L, exponent - static_cast<long>(t.exponents[*index]));
          t.exponents[*index] -= static_cast<unsigned long>(exponent - left);
        }
        if (left > 0) below.emplace(number, left);
      }
      groups[below].push_back(std::move(t));
    }
    if (groups.size() < 2) return whole;
    std::vector<Fraction> split;
    for (const auto& [below, terms] : groups) {
      split.push_back(fraction({Poly::from_terms(ring_.context(), terms), below}));
    }
    return cost(split) < cost(whole) ? split : whole;
  }

  struct Part {
    Poly numerator;
    std::vector<std::pair<Poly, long>> denominator;
  };

  /// r/w is written as 1/r^(k-1) for a root r^k = w.
  Part with_roots_below(const Value& v) const {
    Part result{v.numerator, {}};
    for (const auto& [number, exponent] : v.denominator) {
      result.denominator.emplace_back(ring_.factor(number), exponent);
    }
    for (std::size_t i = 0; i < ring_.generators().size(); ++i) {
      const Generator& g = ring_.generator(i);
      if (g.kind != Generator::Kind::root) continue;
      const Poly r = Poly::variable(ring_.context(), i);
      for (std::size_t k = 0; k < result.denominator.size(); ++k) {
        if (!result.denominator[k].first.equals(*g.value)) continue;
        auto quotient = exact_quotient(result.numerator, r);
        if (!quotient) continue;
        result.numerator = std::move(*quotient);
        if (--result.denominator[k].second == 0) {
          result.denominator.erase(result.denominator.begin() + static_cast<long>(k));
        }
        result.denominator.emplace_back(r, static_cast<long>(g.order) - 1);
        break;
      }
    }
    return result;
  }

  Expr expression(const Poly& p) const {
    Effort::spend(static_cast<double>(p.length()));
    std::vector<Expr> terms;
    for (const Term& t : p.terms()) {
      terms.push_back(Expr(t.coefficient) * monomial(t.exponents));
    }
    return sum(terms);
  }

  /// The value as coefficient/below, where sines and cosines that stand alone below the line have
  /// become cosecants and secants of the coefficient.
  Fraction fraction(const Value& reduced_part) {
    const Part part = with_roots_below(reduced_part);
    TrigPowers powers;
    std::vector<Expr> below;
    std::vector<Poly> simple;
    int sign = 1;
    for (const auto& [f, exponent] : part.denominator) {
      if (const auto index = f.as_variable(); index && trigonometric(*index)) {
        multiply(powers, *index, -exponent);
        continue;
      }
      if (exponent == 1 && f.length() > 1) {
        simple.push_back(f);
        continue;
      }
      const auto [written, factor_sign] = written_factor(f);
      if (exponent % 2 != 0) sign *= factor_sign;
      below.push_back(pow(written, Expr(exponent)));
    }
    const auto [written, factor_sign] = written_factors(simple);
    below.push_back(written);
    sign *= factor_sign;
    const Expr coefficient = written_coefficient(Rational(sign) * part.numerator, powers);
    return {coefficient, product(below)};
  }

  void multiply(TrigPowers& powers, std::size_t variable, long exponent) const {
    const Generator& g = ring_.generator(variable);
    auto& [s, c] = powers[g.angle];
    (g.kind == Generator::Kind::sine ? s : c) += exponent;
  }

  /// The shortest of: a monomial times a sum, a product of irreducible factors, a sum.
  Expr written_coefficient(const Poly& p, const TrigPowers& powers) {
    const Poly shortest = ring_.shortest(p);
    Expr best = as_product(factor(shortest, Factoring::monomials), powers);
    if (p.length() == 1) return best;
    std::vector<Expr> factors{as_sum(p)};
    write_powers(powers, used_angles(p), factors);
    for (const Expr& other : {as_product(factor(shortest), powers), signed_product(factors)}) {
      if (reading_cost(other) < reading_cost(best)) best = other;
    }
    return best;
  }

  Expr as_product(const Factored& parts, TrigPowers powers) {
    std::vector<Expr> factors{Expr(parts.content)};
    std::vector<bool> used(ring_.angles().size(), false);
    for (const auto& [f, exponent] : parts.factors) {
      if (const auto index = f.as_variable()) {
        if (trigonometric(*index)) {
          multiply(powers, *index, exponent);
        } else {
          factors.push_back(pow(shown_[*index], Expr(exponent)));
        }
        continue;
      }
      const auto [written, sign] = written_factor(f);
      if (sign < 0 && exponent % 2 != 0) factors.emplace_back(-1);
      factors.push_back(pow(written, Expr(exponent)));
      const std::vector<bool> inside = used_angles(f);
      for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || inside[i];
    }
    write_powers(powers, used, factors);
    return signed_product(factors);
  }

  std::vector<bool> used_angles(const Poly& p) const {
    std::vector<bool> used(ring_.angles().size(), false);
    const std::vector<long> degrees = p.degrees();
    for (std::size_t i = 0; i < used.size(); ++i) {
      const auto [s, c] = ring_.angle_variables(i);
      used[i] = degrees[s] > 0 || degrees[c] > 0;
    }
    return used;
  }

  /// sin^a cos^b with positive and negative exponents, by the usual names of the quotients; plainly
  /// below the line where the angle is also used by another factor.
  void write_powers(const TrigPowers& powers, const std::vector<bool>& used,
                    std::vector<Expr>& factors) const {
    for (const auto& [angle, exponents] : powers) {
      const auto [s, c] = exponents;
      const auto [sine_variable, cosine_variable] = ring_.angle_variables(angle);
      const Expr sine = shown_[sine_variable];
      const Expr cosine = shown_[cosine_variable];
      const Expr& x = arguments_[angle];
      const auto put = [&factors](const Expr& base, long exponent) {
        if (exponent != 0) factors.push_back(pow(base, Expr(exponent)));
      };
      if (used[angle]) {
        put(sine, s);
        put(cosine, c);
      } else if (c < 0 && s > 0) {
        const long both = std::min(s, -c);
        put(tan(x), both);
        put(sine, s - both);
        put(sec(x), -c - both);
      } else if (s < 0 && c > 0) {
        const long both = std::min(c, -s);
        put(cot(x), both);
        put(cosine, c - both);
        put(csc(x), -s - both);
      } else {
        put(s < 0 ? csc(x) : sine, std::abs(s));
        put(c < 0 ? sec(x) : cosine, std::abs(c));
      }
    }
  }

  /// The sign of the constant, or else of the term that comes first in the order of names.
  int leading_sign(const Poly& p) const {
    int sign = 1;
    std::string first;
    bool found = false;
    for (const Term& t : p.terms()) {
      const Expr m = monomial(t.exponents);
      const std::string text = m.is_one() ? std::string() : to_text(m, compared_text);
      if (found && !natural_before(text, first)) continue;
      found = true;
      first = text;
      sign = sgn(t.coefficient);
    }
    return sign;
  }

  /// A factor as a sum that leads with a positive term, and the sign that was taken out.
  std::pair<Expr, int> written_factor(const Poly& f) {
    if (const auto index = f.as_variable()) return {shown_[*index], 1};
    const int sign = leading_sign(ring_.shortest(f));
    return {as_sum(Rational(sign) * f), sign};
  }

  /// The product of some factors, multiplied out where that is shorter: 1 - x^2.
  std::pair<Expr, int> written_factors(const std::vector<Poly>& list) {
    std::vector<Expr> factors;
    int sign = 1;
    bool small = true;
    Poly expanded(ring_.context(), 1);
    for (const Poly& f : list) {
      const auto [written, factor_sign] = written_factor(f);
      factors.push_back(written);
      sign *= factor_sign;
      small = small && expanded.length() * f.length() <= expanded_terms;
      if (small) expanded = expanded * f;
    }
    const Expr apart = product(factors);
    if (list.size() < 2 || !small) return {apart, sign};
    const auto together = written_factor(ring_.reduced(expanded));
    return reading_cost(together.first) < reading_cost(apart) ? together : std::pair(apart, sign);
  }

  /// The shortest way found to write p as a sum.
  Expr as_sum(const Poly& p) {
    Expr best = expression(ring_.shortest(p));
    if (p.length() < 2) return best;
    double least = reading_cost(best);
    for (const Collecting what : {Collecting::functions, Collecting::functions_and_positions}) {
      const Expr candidate = by_functions(p, what);
      const double cost = reading_cost(candidate);
      if (cost >= least) continue;
      best = candidate;
      least = cost;
    }
    return best;
  }

  bool with_functions(std::size_t variable, Collecting what) const {
    const Expr& shown = shown_[variable];
    if (!shown.is(Op::symbol)) return !shown.is(Op::pi);
    const SymbolKind kind = shown.symbol().kind;
    return what == Collecting::functions_and_positions && kind != SymbolKind::parameter;
  }

  /// Σ over products of functions, each with a factored coefficient.
  Expr by_functions(const Poly& p, Collecting what) {
    Effort::spend(static_cast<double>(p.length()));
    std::map<std::vector<unsigned long>, std::vector<Term>> groups;
    for (Term& t : ring_.reduced(p).terms()) {
      std::vector<unsigned long> rest = t.exponents;
      for (std::size_t i = 0; i < ring_.generators().size(); ++i) {
        (trigonometric(i) ? rest : t.exponents)[i] = 0;
      }
      groups[rest].push_back(std::move(t));
    }
    std::map<Expr, Poly, FixedOrder> coefficients;
    for (const auto& [rest, terms] : groups) {
      std::vector<unsigned long> functions(rest.size(), 0);
      Term parameter{1, rest};
      for (std::size_t i = 0; i < ring_.generators().size(); ++i) {
        if (rest[i] > 0 && with_functions(i, what)) std::swap(functions[i], parameter.exponents[i]);
      }
      const Expr outside = monomial(functions);
      const Poly weight = Poly::from_terms(ring_.context(), {parameter});
      for (const auto& [coefficient, function] : trigonometric_sum(terms)) {
        const auto place =
            coefficients.try_emplace(product({outside, function}), Poly(ring_.context())).first;
        place->second = place->second + coefficient * weight;
      }
    }
    Rational content = 0;
    for (const auto& [function, coefficient] : coefficients) {
      content = common_divisor(content, coefficient.content());
    }
    std::vector<Expr> result;
    for (const auto& [function, coefficient] : coefficients) {
      if (coefficient.is_zero()) continue;
      result.push_back(product({plain_product(Rational(1 / content) * coefficient), function}));
    }
    return product({Expr(content), sum(result)});
  }

  /// A polynomial without sines and cosines, factored.
  Expr plain_product(const Poly& p) {
    const Factored parts = factor(p);
    std::vector<Expr> factors{Expr(parts.content)};
    for (const auto& [f, exponent] : parts.factors) {
      const int sign = leading_sign(f);
      if (sign < 0 && exponent % 2 != 0) factors.emplace_back(-1);
      factors.push_back(pow(grouped(Rational(sign) * f), Expr(exponent)));
    }
    return signed_product(factors);
  }

  /// A sum in which one power of a symbol is taken out of several terms where that is shorter:
  /// (m1 + m2) l1^2 + m2 l2^2.
  Expr grouped(const Poly& p) const {
    Expr plain = expression(p);
    if (p.length() < 3 || p.length() > grouped_terms) return plain;
    Expr best = plain;
    std::string best_text;
    const std::vector<long> degrees = p.degrees();
    for (std::size_t i = 0; i < ring_.generators().size(); ++i) {
      for (long k = 1; k <= degrees[i]; ++k) {
        const Poly inner = p.coefficient(i, static_cast<unsigned long>(k));
        if (inner.length() < 2 || inner.length() == p.length()) continue;
        const Poly symbol = Poly::variable(ring_.context(), i, static_cast<unsigned long>(k));
        const Factored parts = factor(inner);
        std::vector<Expr> factors{Expr(parts.content), expression(symbol)};
        for (const auto& [f, exponent] : parts.factors) {
          const int sign = leading_sign(f);
          if (sign < 0 && exponent % 2 != 0) factors.emplace_back(-1);
          factors.push_back(pow(expression(Rational(sign) * f), Expr(exponent)));
        }
        const Expr candidate = sum({signed_product(factors), expression(p - inner * symbol)});
        const double gain = reading_cost(best) - reading_cost(candidate);
        const std::string text = to_text(candidate, compared_text);
        if (gain < 0 || (gain == 0 && (same(best, plain) || best_text <= text))) continue;
        best = candidate;
        best_text = text;
      }
    }
    return best;
  }

  /// A polynomial in sines and cosines, as powers or by combined angles.
  std::vector<std::pair<Rational, Expr>> trigonometric_sum(const std::vector<Term>& terms) {
    std::vector<std::pair<Rational, Expr>> result;
    const Poly shortest = ring_.shortest(Poly::from_terms(ring_.context(), terms));
    for (const Term& t : shortest.terms()) {
      result.emplace_back(t.coefficient, monomial(t.exponents));
    }
    if (shortest.length() < 2) return result;
    std::vector<TrigonometricTerm> powers;
    for (const Term& t : terms) {
      TrigonometricTerm next{t.coefficient, {}};
      for (const std::size_t angle : angle_order_) {
        const auto [s, c] = ring_.angle_variables(angle);
        next.powers.emplace_back(t.exponents[s], t.exponents[c]);
      }
      powers.push_back(std::move(next));
    }
    const auto combined = harmonics(powers);
    if (!combined) return result;
    std::size_t count = 0;
    for (const Harmonic& h : *combined) {
      count += (sgn(h.sine) != 0 ? 1U : 0U) + (sgn(h.cosine) != 0 ? 1U : 0U);
    }
    if (count >= result.size()) return result;
    result.clear();
    for (const Harmonic& h : *combined) {
      const Expr x = combined_angle(h.multiples);
      if (sgn(h.sine) != 0) result.emplace_back(h.sine, sin(x));
      if (sgn(h.cosine) != 0) result.emplace_back(h.cosine, cos(x));
    }
    return result;
  }

  Expr combined_angle(const std::vector<long>& multiples) const {
    std::vector<Expr> terms;
    for (std::size_t i = 0; i < multiples.size(); ++i) {
      if (multiples[i] == 0) continue;
      const BaseAngles::Base& base = ring_.angles()[angle_order_[i]];
      terms.push_back(Expr(Rational(multiples[i] * base.unit)) * base.atom);
    }
    return style_.argument(sum(terms));
  }

  const Ring& ring_;
  const Style& style_;
  std::vector<Expr> shown_;      ///< of the generators
  std::vector<Expr> arguments_;  ///< of the sines, by angle
  std::vector<std::size_t> angle_order_;
  std::vector<std::string> texts_;
};

}  // namespace

double reading_cost(const Expr& root) {
  struct Size {
    double cost = 0;
    int depth = 0;  ///< of parentheses
  };
  constexpr double nested_cost = 2;
  std::unordered_map<const Node*, Size> sizes;
  for (const Expr& e : postorder(root)) {
    Size size;
    for (const Expr& arg : e.args()) {
      const Size& inner = sizes.at(arg.node());
      size.cost += inner.cost;
      int depth = inner.depth;
      if (arg.is(Op::sum) && (e.is(Op::product) || e.is(Op::power))) {
        if (depth > 0) size.cost += nested_cost;
        ++depth;
      }
      size.depth = std::max(size.depth, depth);
    }
    if (e.args().empty()) size.cost = e.is(Op::constant) && e.value() == -1 ? 0 : 1;
    if (is_function(e.op()) || e.is(Op::table)) {
      size.cost += 1;
      size.depth = 0;
    }
    sizes.emplace(e.node(), size);
  }
  return sizes.at(root.node()).cost;
}

Expr display(const Ring& ring, const Value& v, const Style& style) {
  return Display(ring, style).write(v);
}

}  // namespace dalembert::expr::algebra
