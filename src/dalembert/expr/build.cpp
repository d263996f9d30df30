// The local rules by which expressions are built. Each is listed in expr.hpp.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/node.hpp"

namespace dalembert::expr {

namespace {

constexpr std::size_t folded_power_bits = 4096;

Expr intern(Op op, std::vector<Expr> args) {
  return Pool::instance().intern(op, std::move(args));
}

bool is_integer(const Expr& e) {
  return e.is(Op::constant) && e.value().get_den() == 1;
}

/// base^exponent for an integer exponent, unless the result is undefined or absurdly long.
std::optional<Rational> integer_power(const Rational& base, const mpz_class& exponent) {
  if (base == 1) return Rational(1);
  if (base == -1) return Rational(mpz_odd_p(exponent.get_mpz_t()) ? -1 : 1);
  if (sgn(base) == 0) {
    if (sgn(exponent) < 0) return std::nullopt;
    return Rational(sgn(exponent) == 0 ? 1 : 0);
  }
  const std::size_t bits =
      mpz_sizeinbase(base.get_num_mpz_t(), 2) + mpz_sizeinbase(base.get_den_mpz_t(), 2);
  const mpz_class size = abs(exponent);
  if (size > folded_power_bits || (size > 1 && bits * size.get_ui() > folded_power_bits)) {
    return std::nullopt;
  }
  Rational result;
  mpz_pow_ui(result.get_num_mpz_t(), base.get_num_mpz_t(), size.get_ui());
  mpz_pow_ui(result.get_den_mpz_t(), base.get_den_mpz_t(), size.get_ui());
  return sgn(exponent) < 0 ? Rational(1 / result) : result;
}

/// Whether a double that is multiplied by r may leave the range of doubles, from which a power of
/// another factor would have brought it back: (x/1000)^120 is no 1e-360 x^120.
bool is_far_from_one(const Rational& r) {
  constexpr long most_bits = 200;
  const auto above = static_cast<long>(mpz_sizeinbase(r.get_num_mpz_t(), 2));
  const auto below = static_cast<long>(mpz_sizeinbase(r.get_den_mpz_t(), 2));
  return std::abs(above - below) > most_bits;
}

/// Whether some operands are `op` nodes themselves and all together stay within the limit once
/// merged.
bool mergeable(Op op, std::span<const Expr> operands) {
  std::size_t count = 0;
  bool nested = false;
  for (const Expr& e : operands) {
    nested = nested || e.is(op);
    count += e.is(op) ? e.args().size() : 1;
  }
  return nested && count <= flatten_limit;
}

/// The operands with nested `op` nodes merged in, if all together they stay within the limit.
std::vector<Expr> flatten(Op op, std::vector<Expr> operands) {
  if (!mergeable(op, operands)) return operands;
  std::vector<Expr> flat;
  flat.reserve(flatten_limit);
  for (const Expr& e : operands) {
    if (e.is(op)) {
      flat.insert(flat.end(), e.args().begin(), e.args().end());
    } else {
      flat.push_back(e);
    }
  }
  return flat;
}

/// A term or factor with its rational weight: c·rest in a sum, base^k in a product.
struct Weighted {
  Expr what;
  Rational weight;
};

/// Brings equal ones together, adding their weights.
void collect(std::vector<Weighted>& items) {
  std::sort(items.begin(), items.end(),
            [](const Weighted& a, const Weighted& b) { return ordered_before(a.what, b.what); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (kept > 0 && same(items[kept - 1].what, items[i].what)) {
      items[kept - 1].weight += items[i].weight;
    } else {
      if (kept != i) items[kept] = std::move(items[i]);
      ++kept;
    }
  }
  items.resize(kept);
}

bool has_coefficient(const Expr& e) {
  return e.is(Op::product) && e.args().front().is(Op::constant);
}

/// c·R as R and c. R is a product as it would be without the constant, so that terms compare by it.
Weighted split_coefficient(const Expr& term) {
  if (!has_coefficient(term)) return {term, 1};
  const auto rest = term.args().subspan(1);
  Expr what = rest.size() == 1 ? rest.front() : intern(Op::product, {rest.begin(), rest.end()});
  return {std::move(what), term.args().front().value()};
}

Expr with_coefficient(const Rational& coefficient, const Expr& rest) {
  if (coefficient == 1) return rest;
  std::vector<Expr> factors{Expr(coefficient)};
  if (rest.is(Op::product) && rest.args().size() < flatten_limit) {
    factors.insert(factors.end(), rest.args().begin(), rest.args().end());
  } else {
    factors.push_back(rest);
  }
  return intern(Op::product, std::move(factors));
}

/// c·rest with c < 0, the form whose sign an odd or even function can use.
bool has_negative_coefficient(const Expr& e) {
  if (e.is(Op::constant)) return sgn(e.value()) < 0;
  return has_coefficient(e) && sgn(e.args().front().value()) < 0;
}

}  // namespace

Expr sum(const std::vector<Expr>& terms) {
  // Collected before nested sums are merged, so that S - S vanishes for a sum S too.
  Rational constant = 0;
  std::vector<Weighted> items;
  items.reserve(terms.size());
  for (const Expr& term : terms) {
    if (term.is(Op::constant)) {
      constant += term.value();
    } else {
      items.push_back(split_coefficient(term));
    }
  }
  collect(items);
  std::vector<Expr> result;
  result.reserve(items.size() + 1);
  if (sgn(constant) != 0) result.emplace_back(constant);
  for (const Weighted& item : items) {
    if (sgn(item.weight) != 0) result.push_back(with_coefficient(item.weight, item.what));
  }
  if (result.empty()) return Expr(0);
  if (result.size() == 1) return result.front();
  if (mergeable(Op::sum, result)) return sum(flatten(Op::sum, std::move(result)));
  return intern(Op::sum, std::move(result));
}

Expr product(const std::vector<Expr>& factors) {
  // The constant is taken out before anything is counted: c·R contains the very R that stands
  // without c.
  Rational constant = 1;
  std::vector<Expr> bare;
  bare.reserve(factors.size());
  for (const Expr& factor : factors) {
    if (factor.is(Op::constant)) {
      constant *= factor.value();
    } else {
      Weighted split = split_coefficient(factor);
      constant *= split.weight;
      bare.push_back(std::move(split.what));
    }
  }
  if (sgn(constant) == 0) return Expr(0);
  // A product and a power of the same product meet before they are taken apart, so that P / P is 1.
  const bool waits = std::any_of(bare.begin(), bare.end(), [](const Expr& factor) {
    return factor.is(Op::power) && factor.args()[0].is(Op::product);
  });
  if (!waits) bare = flatten(Op::product, std::move(bare));
  std::vector<Weighted> items;
  items.reserve(bare.size());
  for (const Expr& factor : bare) {
    if (factor.is(Op::power) && is_integer(factor.args()[1])) {
      items.push_back({factor.args()[0], factor.args()[1].value()});
    } else {
      items.push_back({factor, 1});
    }
  }
  collect(items);
  std::vector<Expr> rest;
  rest.reserve(items.size() + 1);
  bool settled = true;
  for (const Weighted& item : items) {
    if (sgn(item.weight) == 0) continue;
    rest.push_back(item.weight == 1 ? item.what : pow(item.what, Expr(item.weight)));
    settled = settled && !rest.back().is(Op::constant) && !has_coefficient(rest.back());
  }
  if (!settled || (rest.size() > 1 && mergeable(Op::product, rest))) {
    rest = flatten(Op::product, std::move(rest));
    rest.emplace_back(constant);
    return product(rest);
  }
  if (rest.empty()) return Expr(constant);
  return with_coefficient(constant, rest.size() == 1 ? rest.front() : intern(Op::product, rest));
}

Expr pow(const Expr& base, const Expr& exponent) {
  if (!exponent.is(Op::constant)) return base.is_one() ? base : intern(Op::power, {base, exponent});
  const Rational& k = exponent.value();
  if (sgn(k) == 0) return Expr(1);
  if (k == 1) return base;
  if (k.get_den() == 2) return pow(sqrt(base), Expr(Rational(k.get_num())));
  if (k.get_den() != 1) return base.is_one() ? base : intern(Op::power, {base, exponent});
  if (base.is(Op::constant)) {
    if (const auto value = integer_power(base.value(), k.get_num())) return Expr(*value);
  }
  if (base.is(Op::power) && is_integer(base.args()[1])) {
    return pow(base.args()[0], Expr(Rational(base.args()[1].value() * k)));
  }
  if (has_coefficient(base)) {
    const auto value = integer_power(base.args().front().value(), k.get_num());
    if (value && (::abs(k) == 1 || !is_far_from_one(*value))) {
      return with_coefficient(*value, pow(split_coefficient(base).what, exponent));
    }
  }
  return intern(Op::power, {base, exponent});
}

Expr apply_function(Op function, std::span<const Expr> args) {
  const FunctionInfo& f = function_info(function);
  if (auto known = f.folded(args)) return *std::move(known);
  if (f.parity != Parity::none && has_negative_coefficient(args[0])) {
    const Expr mirrored = apply_function(function, std::array{-args[0]});
    return f.parity == Parity::odd ? -mirrored : mirrored;
  }
  if (f.is_symmetric && ordered_before(args[1], args[0]))
    return intern(function, {args[1], args[0]});
  return intern(function, {args.begin(), args.end()});
}

Expr apply_table(std::shared_ptr<const Table> table, const Expr& s) {
  return Pool::instance().intern(std::move(table), s);
}

Expr operator+(const Expr& a, const Expr& b) {
  return sum({a, b});
}
Expr operator-(const Expr& a, const Expr& b) {
  return sum({a, -b});
}
Expr operator*(const Expr& a, const Expr& b) {
  return product({a, b});
}
Expr operator/(const Expr& a, const Expr& b) {
  return product({a, pow(b, Expr(-1))});
}
Expr operator-(const Expr& a) {
  return product({Expr(-1), a});
}

Expr& Expr::operator+=(const Expr& other) {
  return *this = *this + other;
}
Expr& Expr::operator-=(const Expr& other) {
  return *this = *this - other;
}
Expr& Expr::operator*=(const Expr& other) {
  return *this = *this * other;
}
Expr& Expr::operator/=(const Expr& other) {
  return *this = *this / other;
}

}  // namespace dalembert::expr
