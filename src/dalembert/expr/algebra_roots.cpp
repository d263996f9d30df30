// Roots and absolute values in the ring. All rules hold wherever the root is defined, that is where
// its radicand is not negative (as the program evaluates: x^(1/3) too is real for x >= 0 only):
//   √(f² g) = |f| √g,   √(N/D) = √(N D)/|D|,   √(c g) = √c √g for a number c > 0,
//   |f g| = |f| |g|,    |f|² = f²,             |f| = f if f is seen to be never negative.
// At a point where f = 0 and g < 0, √(f² g) is defined and √g is not; there the right-hand side is
// zero with either complex root for √g, and the relation r² = g holds for it too.
#include <algorithm>

#include "dalembert/expr/algebra_ring.hpp"

namespace dalembert::expr::algebra {

namespace {

constexpr unsigned long trial_divisors = 1000;

}  // namespace

bool Ring::never_negative(const Poly& p) const {
  for (const Term& t : p.terms()) {
    if (sgn(t.coefficient) < 0) return false;
    for (std::size_t i = 0; i < generators_.size(); ++i) {
      if (t.exponents[i] % 2 == 1 && !generators_[i].never_negative) return false;
    }
  }
  return true;
}

Value Ring::root_generator(unsigned long order, const Poly& radicand) {
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    const Generator& g = generators_[i];
    if (g.kind == Generator::Kind::root && g.order == order && g.value->equals(radicand)) {
      return variable(i);
    }
  }
  Generator g;
  g.kind = Generator::Kind::root;
  g.shown = pow(expression(radicand), Expr(Rational(1, order)));
  g.order = order;
  g.value = radicand;
  g.never_negative = true;
  return variable(new_generator(std::move(g)));
}

Value Ring::square_root(const Rational& number) {
  // √(p/q) = √(p q)/q, and the square factors of p q are taken out.
  mpz_class rest = number.get_num() * number.get_den();
  mpz_class outside = 1;
  Value result = constant(1);
  for (unsigned long d = 2; d <= trial_divisors && rest > 1; ++d) {
    const mpz_class divisor = d;
    const unsigned long times = mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), divisor.get_mpz_t());
    for (unsigned long i = 0; i < times / 2; ++i) outside *= divisor;
    if (times % 2 == 1) {
      result = multiply(result, root_generator(2, Poly(*context_, Rational(divisor))));
    }
  }
  if (mpz_perfect_square_p(rest.get_mpz_t()) != 0) {
    outside *= sqrt(rest);
  } else {
    result = multiply(result, root_generator(2, Poly(*context_, Rational(rest))));
  }
  Rational scale(outside, number.get_den());
  scale.canonicalize();
  result.numerator = scale * result.numerator;
  return result;
}

Value Ring::square_root(const Value& radicand) {
  Poly inside = radicand.numerator;
  Value result = constant(1);
  for (const auto& [number, exponent] : radicand.denominator) {
    const Poly f = factors_[number];
    if (exponent % 2 == 1) inside = reduced(inside * f);
    result = multiply(result, integer_power(absolute(f), -((exponent + 1) / 2)));
  }
  const Factored parts = algebra::factor(shortest(inside));
  Poly square_free(*context_, sgn(parts.content));
  for (const auto& [f, exponent] : parts.factors) {
    if (exponent % 2 == 1) square_free = square_free * f;
    if (exponent > 1) {
      const Value size = absolute(f);
      result = multiply(result, integer_power(size, exponent / 2));
    }
  }
  result = multiply(result, square_root(Rational(abs(parts.content))));
  square_free = reduced(square_free);
  if (square_free.constant() == Rational(1)) return result;
  return multiply(result, root_generator(2, square_free));
}

Value Ring::root(unsigned long order, const Value& radicand) {
  if (radicand.numerator.is_zero()) return radicand;
  if (order == 2) return square_root(radicand);
  if (radicand.denominator.empty()) return root_generator(order, radicand.numerator);
  // (N/D)^(1/k) = (N D |D|^(k-2))^(1/k)/|D|, whatever the sign of D.
  Poly divisor(*context_, 1);
  for (const auto& [number, exponent] : radicand.denominator) {
    divisor = reduced(divisor * power(factors_[number], static_cast<unsigned long>(exponent)));
  }
  const Value size = absolute(divisor);
  const Value even = integer_power(size, static_cast<long>(order) - 2);
  const Poly inside = reduced(reduced(radicand.numerator * divisor) * even.numerator);
  return multiply(root_generator(order, inside), inverse(size));
}

Value Ring::absolute(const Poly& irreducible) {
  if (never_negative(irreducible)) return {irreducible, {}};
  const Poly p = irreducible.primitive();
  Poly square = reduced(p * p);
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    const Generator& g = generators_[i];
    if (g.kind == Generator::Kind::absolute && g.value->equals(square)) {
      return {Rational(abs(irreducible.content())) * Poly::variable(*context_, i), {}};
    }
  }
  Generator g;
  g.kind = Generator::Kind::absolute;
  g.shown = abs(expression(p));
  g.order = 2;
  g.value = std::move(square);
  g.never_negative = true;
  const std::size_t index = new_generator(std::move(g));
  return {Rational(abs(irreducible.content())) * Poly::variable(*context_, index), {}};
}

Value Ring::absolute(const Value& v) {
  if (v.numerator.is_zero()) return v;
  const Factored parts = algebra::factor(shortest(v.numerator));
  Value result = constant(abs(parts.content));
  for (const auto& [f, exponent] : parts.factors) {
    result = multiply(result, integer_power(absolute(f), exponent));
  }
  const std::map<std::size_t, long> below = v.denominator;
  for (const auto& [number, exponent] : below) {
    const Poly f = factors_[number];
    result = multiply(result, integer_power(absolute(f), -exponent));
  }
  return result;
}

Value Ring::written_root(unsigned long order, const Expr& argument) {
  const Expr written = pow(argument, Expr(Rational(1, order)));
  if (written.is(Op::constant)) return constant(written.value());
  if (const auto found = known_.find(written); found != known_.end()) {
    return variable(found->second);
  }
  const Value& inside = values_.at(argument.node());
  if (inside.numerator.is_zero()) return inside;
  Generator g;
  g.shown = written;
  g.never_negative = true;
  if (inside.denominator.empty()) {
    g.kind = Generator::Kind::root;
    g.order = order;
    g.value = inside.numerator;
  }
  const std::size_t index = new_generator(std::move(g));
  known_.emplace(written, index);
  return variable(index);
}

}  // namespace dalembert::expr::algebra
