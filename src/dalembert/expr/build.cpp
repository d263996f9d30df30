// The local rules by which expressions are built. Each is listed in expr.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <optional>
#include <vector>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/node.hpp"
#include "dalembert/expr/weight.hpp"

namespace dalembert::expr {

namespace {

constexpr std::size_t folded_power_bits = 4096;

Expr intern(Op op, std::span<Expr> args) {
  return Pool::instance().intern(op, args);
}

bool is_integer(const Expr& e) {
  if (!e.is(Op::constant)) return false;
  const SmallRatio& small = small_value(e);
  return small.is_known() ? small.denominator == 1 : e.value().get_den() == 1;
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

/// Room for what building looks at in passing: a few operands take no memory from elsewhere.
class Scratch {
 public:
  std::pmr::memory_resource* memory() { return &resource_; }

 private:
  std::array<std::byte, 2048> bytes_;
  std::pmr::monotonic_buffer_resource resource_{bytes_.data(), bytes_.size()};
};

using Exprs = std::pmr::vector<Expr>;

bool has_coefficient(const Expr& e) {
  return e.is(Op::product) && e.args().front().is(Op::constant);
}

/// What of a term c·R, or of a factor, its constant is taken off: R as the product it would be
/// without, so that terms compare by it. It is made only where it is needed.
class Part {
 public:
  explicit Part(const Expr& e) : whole_(&e), hash_(e.hash()) {}

  /// Of a term with a coefficient.
  static Part without_coefficient(const Expr& term) {
    const auto rest = term.args().subspan(1);
    if (rest.size() == 1) return Part(rest.front());
    spend_for_node();
    return Part(rest);
  }

  std::uint64_t hash() const { return hash_; }
  bool is(Op op) const { return whole_ != nullptr ? whole_->is(op) : op == Op::product; }
  /// Its operands.
  std::span<const Expr> args() const { return whole_ != nullptr ? whole_->args() : factors_; }
  /// The node it is; null where it is the product of several factors, which may not be there.
  const Expr* whole() const { return whole_; }

  Expr expr() const {
    if (whole_ != nullptr) return *whole_;
    std::vector<Expr> copies(factors_.begin(), factors_.end());
    return Pool::instance().intern_uncounted(Op::product, copies);
  }

 private:
  explicit Part(std::span<const Expr> factors)
      : factors_(factors), hash_(hash_of(Op::product, factors)) {}

  const Expr* whole_ = nullptr;
  std::span<const Expr> factors_;
  std::uint64_t hash_;
};

bool same(const Part& a, const Part& b) {
  if (a.hash() != b.hash()) return false;
  if (a.whole() != nullptr && b.whole() != nullptr) return expr::same(*a.whole(), *b.whole());
  return a.is(Op::product) && b.is(Op::product) &&
         std::ranges::equal(a.args(), b.args(),
                            [](const Expr& x, const Expr& y) { return expr::same(x, y); });
}

bool ordered_before(const Part& a, const Part& b) {
  const bool a_constant = a.is(Op::constant);
  const bool b_constant = b.is(Op::constant);
  if (a_constant != b_constant) return a_constant;
  if (a.hash() != b.hash()) return a.hash() < b.hash();
  return !same(a, b) && expr::ordered_before(a.expr(), b.expr());
}

/// Whether some operands are `op` nodes themselves and all together stay within the limit once
/// merged.
template <class Operands>
bool mergeable(Op op, const Operands& operands) {
  std::size_t count = 0;
  bool nested = false;
  for (const auto& e : operands) {
    nested = nested || e.is(op);
    count += e.is(op) ? e.args().size() : 1;
  }
  return nested && count <= flatten_limit;
}

/// The operands with nested `op` nodes merged in, if all together they stay within the limit.
void flatten(Op op, Exprs& operands) {
  if (!mergeable(op, operands)) return;
  Exprs flat(operands.get_allocator());
  flat.reserve(flatten_limit + 1);
  for (const Expr& e : operands) {
    if (e.is(op)) {
      flat.insert(flat.end(), e.args().begin(), e.args().end());
    } else {
      flat.push_back(e);
    }
  }
  operands = std::move(flat);
}

/// A term or factor with its rational weight: c·what in a sum, what^k in a product.
struct Weighted {
  Part what;
  Weight weight;
  const Expr* whole;  ///< what it is with its weight; null once several are brought together
};
using Items = std::pmr::vector<Weighted>;

/// Brings equal ones together, adding their weights.
void collect(Items& items) {
  std::sort(items.begin(), items.end(),
            [](const Weighted& a, const Weighted& b) { return ordered_before(a.what, b.what); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (kept > 0 && same(items[kept - 1].what, items[i].what)) {
      items[kept - 1].weight += items[i].weight;
      items[kept - 1].whole = nullptr;
    } else {
      if (kept != i) items[kept] = std::move(items[i]);
      ++kept;
    }
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
}

Expr with_coefficient(const Weight& coefficient, const Expr& rest) {
  if (coefficient.is_one()) return rest;
  std::vector<Expr> factors;
  factors.reserve(1 + rest.args().size());
  factors.push_back(coefficient.constant());
  if (rest.is(Op::product) && rest.args().size() < flatten_limit) {
    factors.insert(factors.end(), rest.args().begin(), rest.args().end());
  } else {
    factors.push_back(rest);
  }
  return intern(Op::product, factors);
}

Expr power_node(const Expr& base, const Expr& exponent) {
  std::array<Expr, 2> args{base, exponent};
  return intern(Op::power, args);
}

/// c·rest with c < 0, the form whose sign an odd or even function can use.
bool has_negative_coefficient(const Expr& e) {
  if (e.is(Op::constant)) return sgn(e.value()) < 0;
  return has_coefficient(e) && sgn(e.args().front().value()) < 0;
}

}  // namespace

Expr sum(std::span<const Expr> terms) {
  // Collected before nested sums are merged, so that S - S vanishes for a sum S too.
  Scratch scratch;
  Weight constant(0);
  Items items(scratch.memory());
  items.reserve(terms.size());
  for (const Expr& term : terms) {
    if (term.is(Op::constant)) {
      constant += Weight(term);
    } else if (has_coefficient(term)) {
      items.push_back({Part::without_coefficient(term), Weight(term.args().front()), &term});
    } else {
      items.push_back({Part(term), Weight(1), &term});
    }
  }
  collect(items);
  Exprs result(scratch.memory());
  result.reserve(items.size() + 1);
  if (!constant.is_zero()) result.push_back(constant.constant());
  for (const Weighted& item : items) {
    if (item.whole != nullptr) {
      if (!item.weight.is_one()) spend_for_node();
      result.push_back(*item.whole);
    } else if (!item.weight.is_zero()) {
      result.push_back(with_coefficient(item.weight, item.what.expr()));
    }
  }
  if (result.empty()) return Expr(0);
  if (result.size() == 1) return result.front();
  if (mergeable(Op::sum, result)) {
    flatten(Op::sum, result);
    return sum(result);
  }
  return intern(Op::sum, result);
}

Expr product(std::span<const Expr> factors) {
  // The constant is taken out before anything is counted: c·R contains the very R that stands
  // without c.
  Scratch scratch;
  Weight constant(1);
  std::pmr::vector<Part> bare(scratch.memory());
  bare.reserve(factors.size());
  for (const Expr& factor : factors) {
    if (factor.is(Op::constant)) {
      constant *= Weight(factor);
    } else if (has_coefficient(factor)) {
      constant *= Weight(factor.args().front());
      bare.push_back(Part::without_coefficient(factor));
    } else {
      bare.emplace_back(factor);
    }
  }
  if (constant.is_zero()) return Expr(0);
  // A product and a power of the same product meet before they are taken apart, so that P / P is 1.
  const bool waits = std::any_of(bare.begin(), bare.end(), [](const Part& factor) {
    return factor.is(Op::power) && factor.args()[0].is(Op::product);
  });
  const bool merges = !waits && mergeable(Op::product, bare);
  Items items(scratch.memory());
  items.reserve(merges ? flatten_limit : bare.size());
  const auto add = [&items](const Expr& factor) {
    if (factor.is(Op::power) && is_integer(factor.args()[1])) {
      items.push_back({Part(factor.args()[0]), Weight(factor.args()[1]), &factor});
    } else {
      items.push_back({Part(factor), Weight(1), &factor});
    }
  };
  for (const Part& factor : bare) {
    if (merges && factor.is(Op::product)) {
      for (const Expr& part : factor.args()) add(part);
    } else if (factor.whole() != nullptr) {
      add(*factor.whole());
    } else {
      items.push_back({factor, Weight(1), nullptr});
    }
  }
  collect(items);
  Exprs rest(scratch.memory());
  rest.reserve(items.size() + 1);
  bool settled = true;
  for (const Weighted& item : items) {
    if (item.weight.is_zero()) continue;
    if (item.whole != nullptr) {
      if (!item.weight.is_one()) spend_for_node();
      rest.push_back(*item.whole);
    } else {
      Expr what = item.what.expr();
      rest.push_back(item.weight.is_one() ? std::move(what) : pow(what, item.weight.constant()));
    }
    settled = settled && !rest.back().is(Op::constant) && !has_coefficient(rest.back());
  }
  if (!settled || (rest.size() > 1 && mergeable(Op::product, rest))) {
    flatten(Op::product, rest);
    rest.push_back(constant.constant());
    return product(rest);
  }
  if (rest.empty()) return constant.constant();
  if (rest.size() == 1) return with_coefficient(constant, rest.front());
  if (constant.is_one()) return intern(Op::product, rest);
  if (rest.size() >= flatten_limit) return with_coefficient(constant, intern(Op::product, rest));
  spend_for_node();  // for the product without the constant
  rest.insert(rest.begin(), constant.constant());
  return intern(Op::product, rest);
}

Expr pow(const Expr& base, const Expr& exponent) {
  if (!exponent.is(Op::constant)) return base.is_one() ? base : power_node(base, exponent);
  if (exponent.is_zero()) return Expr(1);
  if (exponent.is_one()) return base;
  if (!is_integer(exponent)) {
    const Rational& k = exponent.value();
    if (k.get_den() == 2) return pow(sqrt(base), Expr(Rational(k.get_num())));
    return base.is_one() ? base : power_node(base, exponent);
  }
  if (base.is(Op::constant)) {
    if (const auto value = integer_power(base.value(), exponent.value().get_num()))
      return Expr(*value);
  }
  if (base.is(Op::power) && is_integer(base.args()[1])) {
    Weight k(base.args()[1]);
    k *= Weight(exponent);
    return pow(base.args()[0], k.constant());
  }
  if (has_coefficient(base)) {
    const Rational& k = exponent.value();
    const auto value = integer_power(base.args().front().value(), k.get_num());
    if (value && (::abs(k) == 1 || !is_far_from_one(*value))) {
      const Expr rest = Part::without_coefficient(base).expr();
      return with_coefficient(Weight(Expr(*value)), pow(rest, exponent));
    }
  }
  return power_node(base, exponent);
}

Expr apply_function(Op function, std::span<const Expr> args) {
  const FunctionInfo& f = function_info(function);
  if (auto known = f.folded(args)) return *std::move(known);
  if (f.parity != Parity::none && has_negative_coefficient(args[0])) {
    const Expr mirrored = apply_function(function, std::array{-args[0]});
    return f.parity == Parity::odd ? -mirrored : mirrored;
  }
  std::vector<Expr> own(args.begin(), args.end());
  if (f.is_symmetric && ordered_before(own[1], own[0])) std::swap(own[0], own[1]);
  return intern(function, own);
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
