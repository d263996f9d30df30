#include "dalembert/expr/algebra_poly.hpp"

#include <flint/fmpq_mpoly_factor.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "dalembert/expr/effort.hpp"

namespace dalembert::expr::algebra {

namespace {

constexpr long degree_limit = 1L << 26;
constexpr double bit_limit = 100'000;        // of a coefficient
constexpr double least_work = 3e6;           // multiplications of terms
constexpr double work_per_term = 500;        // of the limit of terms
constexpr std::size_t factored_terms = 300;  // longer polynomials are not factored
constexpr long factored_degree = 200;
constexpr double longest_call = 4e6;  // products of words that FLINT forms in a tenth of a second
constexpr double calls_cost = 10;     // of factoring, in terms, whatever the length

/// Gives back what FLINT has kept for a thread, when that ends.
struct ThreadMemory {
  ThreadMemory() = default;
  ThreadMemory(const ThreadMemory&) = delete;
  ThreadMemory& operator=(const ThreadMemory&) = delete;
  ~ThreadMemory() { flint_cleanup(); }
};

/// A rational in FLINT's form.
class Fmpq {
 public:
  Fmpq() { fmpq_init(value_); }
  explicit Fmpq(const Rational& r) : Fmpq() { fmpq_set_mpq(value_, r.get_mpq_t()); }
  Fmpq(const Fmpq&) = delete;
  Fmpq& operator=(const Fmpq&) = delete;
  ~Fmpq() { fmpq_clear(value_); }
  fmpq* get() { return value_; }
  Rational rational() const {
    Rational r;
    fmpq_get_mpq(r.get_mpq_t(), value_);
    return r;
  }

 private:
  fmpq_t value_;
};

class Factorisation {
 public:
  explicit Factorisation(const Context& context) : context_(context) {
    fmpq_mpoly_factor_init(factors_, context.get());
  }
  Factorisation(const Factorisation&) = delete;
  Factorisation& operator=(const Factorisation&) = delete;
  ~Factorisation() { fmpq_mpoly_factor_clear(factors_, context_.get()); }
  fmpq_mpoly_factor_struct* get() { return factors_; }

 private:
  const Context& context_;
  fmpq_mpoly_factor_t factors_;
};

double coefficient_bits(const Poly& p) {
  const double integer = std::abs(static_cast<double>(fmpz_mpoly_max_bits(p.get()->zpoly)));
  return integer + static_cast<double>(fmpz_bits(fmpq_numref(p.get()->content))) +
         static_cast<double>(fmpz_bits(fmpq_denref(p.get()->content)));
}

long total_degree(const Poly& p) {
  if (p.is_zero()) return 0;
  if (fmpq_mpoly_total_degree_fits_si(p.get(), p.context().get()) == 0) return degree_limit;
  return fmpq_mpoly_total_degree_si(p.get(), p.context().get());
}

bool divides(const Term& a, const Term& b) {
  for (std::size_t i = 0; i < a.exponents.size(); ++i) {
    if (a.exponents[i] > b.exponents[i]) return false;
  }
  return true;
}

/// The terms of highest degree: those that a leading term divides, divided by the first that does,
/// and the others. What takes a quotient times its divisor away leaves nothing of a higher degree,
/// so that a division is a sequence of such steps, each of a size that is known beforehand.
struct Top {
  std::vector<std::vector<Term>> quotients;  ///< by each of the divisors
  std::vector<Term> kept;
};

Top top_of(const Poly& p, std::span<const Term> leading) {
  Top top{std::vector<std::vector<Term>>(leading.size()), {}};
  unsigned long highest = 0;
  for (std::size_t i = 0; i < p.length(); ++i) {
    Term term = p.term(i);
    const unsigned long degree = std::accumulate(term.exponents.begin(), term.exponents.end(), 0UL);
    if (i == 0) highest = degree;
    if (degree < highest) break;  // terms are in the order of their degrees
    const auto divisor = std::find_if(leading.begin(), leading.end(),
                                      [&term](const Term& l) { return divides(l, term); });
    p.context().spend(1 + static_cast<double>(divisor - leading.begin()) / 8);
    if (divisor == leading.end()) {
      top.kept.push_back(std::move(term));
      continue;
    }
    term.coefficient /= divisor->coefficient;
    for (std::size_t k = 0; k < term.exponents.size(); ++k)
      term.exponents[k] -= divisor->exponents[k];
    top.quotients[static_cast<std::size_t>(divisor - leading.begin())].push_back(std::move(term));
  }
  return top;
}

void check_length(const Poly& p) {
  if (p.length() > p.context().terms()) throw GaveUp("a polynomial in it has too many terms");
}

}  // namespace

Context::Context(std::size_t variables, std::size_t terms)
    : variables_(std::max<std::size_t>(variables, 1)),
      terms_(terms),
      work_left_(std::max(least_work, work_per_term * static_cast<double>(terms))) {
  static thread_local const ThreadMemory memory;
  fmpq_mpoly_ctx_init(context_, static_cast<slong>(variables_), ORD_DEGREVLEX);
}

Context::~Context() {
  fmpq_mpoly_ctx_clear(context_);
}

void Context::spend(double terms) const {
  // A term has an exponent for each variable, some eight to a word.
  const double amount = terms * (1 + static_cast<double>(variables_) / 8);
  Effort::spend(amount);
  if (amount > work_left_) throw GaveUp("the polynomials in it grow too large");
  work_left_ -= amount;
}

Poly::Poly(const Context& context) : context_(&context) {
  fmpq_mpoly_init(poly_, context.get());
}

Poly::Poly(const Context& context, const Rational& value) : Poly(context) {
  Fmpq q(value);
  fmpq_mpoly_set_fmpq(poly_, q.get(), context.get());
}

Poly::Poly(const Poly& other) : Poly(*other.context_) {
  fmpq_mpoly_set(poly_, other.poly_, context_->get());
}

Poly::Poly(Poly&& other) noexcept : Poly(*other.context_) {
  fmpq_mpoly_swap(poly_, other.poly_, context_->get());
}

Poly& Poly::operator=(const Poly& other) {
  if (this != &other) *this = Poly(other);
  return *this;
}

Poly& Poly::operator=(Poly&& other) noexcept {
  if (context_ == other.context_) {
    fmpq_mpoly_swap(poly_, other.poly_, context_->get());
  } else {
    std::swap(context_, other.context_);
    std::swap(poly_[0], other.poly_[0]);
  }
  return *this;
}

Poly::~Poly() {
  fmpq_mpoly_clear(poly_, context_->get());
}

Poly Poly::variable(const Context& context, std::size_t index, unsigned long exponent) {
  Poly result(context);
  fmpq_mpoly_gen(result.poly_, static_cast<slong>(index), context.get());
  return exponent == 1 ? result : power(result, exponent);
}

Poly Poly::from_terms(const Context& context, const std::vector<Term>& terms) {
  Poly result(context);
  for (const Term& t : terms) {
    Fmpq q(t.coefficient);
    fmpq_mpoly_push_term_fmpq_ui(result.poly_, q.get(), t.exponents.data(), context.get());
  }
  fmpq_mpoly_sort_terms(result.poly_, context.get());
  fmpq_mpoly_combine_like_terms(result.poly_, context.get());
  return result;
}

std::size_t Poly::length() const {
  return static_cast<std::size_t>(fmpq_mpoly_length(poly_, context_->get()));
}

std::optional<Rational> Poly::constant() const {
  if (is_zero()) return Rational(0);
  if (fmpq_mpoly_is_fmpq(poly_, context_->get()) == 0) return std::nullopt;
  Fmpq q;
  fmpq_mpoly_get_fmpq(q.get(), poly_, context_->get());
  return q.rational();
}

std::vector<long> Poly::degrees() const {
  std::vector<long> result(context_->variables(), 0);
  if (!is_zero()) fmpq_mpoly_degrees_si(result.data(), poly_, context_->get());
  return result;
}

Term Poly::term(std::size_t i) const {
  Term result;
  result.exponents.resize(context_->variables());
  Fmpq q;
  fmpq_mpoly_get_term_coeff_fmpq(q.get(), poly_, static_cast<slong>(i), context_->get());
  fmpq_mpoly_get_term_exp_ui(result.exponents.data(), poly_, static_cast<slong>(i),
                             context_->get());
  result.coefficient = q.rational();
  return result;
}

std::vector<Term> Poly::terms() const {
  std::vector<Term> result;
  result.reserve(length());
  for (std::size_t i = 0; i < length(); ++i) result.push_back(term(i));
  return result;
}

std::optional<std::size_t> Poly::as_variable() const {
  if (length() != 1 || total_degree(*this) != 1) return std::nullopt;
  const Term only = term(0);
  if (only.coefficient != 1) return std::nullopt;
  for (std::size_t i = 0; i < only.exponents.size(); ++i) {
    if (only.exponents[i] == 1) return i;
  }
  return std::nullopt;
}

Poly Poly::coefficient(std::size_t variable, unsigned long exponent) const {
  Poly result(*context_);
  const auto index = static_cast<slong>(variable);
  fmpq_mpoly_get_coeff_vars_ui(result.poly_, poly_, &index, &exponent, 1, context_->get());
  return result;
}

Rational Poly::content() const {
  Rational r;
  fmpq_get_mpq(r.get_mpq_t(), poly_->content);
  return r;
}

Poly Poly::primitive() const {
  return is_zero() ? *this : Rational(1 / content()) * *this;
}

bool Poly::equals(const Poly& other) const {
  return fmpq_mpoly_equal(poly_, other.poly_, context_->get()) != 0;
}

Poly operator+(const Poly& a, const Poly& b) {
  a.context().spend(static_cast<double>(a.length() + b.length()) / 4);
  Poly result(a.context());
  fmpq_mpoly_add(result.poly_, a.poly_, b.poly_, a.context().get());
  check_length(result);
  return result;
}

Poly operator-(const Poly& a, const Poly& b) {
  a.context().spend(static_cast<double>(a.length() + b.length()) / 4);
  Poly result(a.context());
  fmpq_mpoly_sub(result.poly_, a.poly_, b.poly_, a.context().get());
  check_length(result);
  return result;
}

Poly operator*(const Poly& a, const Poly& b) {
  const double bits = coefficient_bits(a) + coefficient_bits(b);
  if (bits > bit_limit) throw GaveUp("a number in it has too many digits");
  if (total_degree(a) + total_degree(b) >= degree_limit) throw GaveUp("a power in it is too high");
  const double words = (1 + coefficient_bits(a) / 64) * (1 + coefficient_bits(b) / 64);
  const double cost = static_cast<double>(a.length()) * static_cast<double>(b.length()) * words;
  a.context().spend(cost / 4);
  Poly result(a.context());
  if (cost <= longest_call || a.length() == 1) {
    fmpq_mpoly_mul(result.poly_, a.poly_, b.poly_, a.context().get());
    check_length(result);
    return result;
  }
  const auto pieces = static_cast<std::size_t>(std::ceil(cost / longest_call));
  const std::size_t size = std::max<std::size_t>(1, a.length() / pieces);
  for (std::size_t begin = 0; begin < a.length(); begin += size) {
    std::vector<Term> piece;
    for (std::size_t i = begin; i < std::min(begin + size, a.length()); ++i)
      piece.push_back(a.term(i));
    Poly product(a.context());
    fmpq_mpoly_mul(product.poly_, Poly::from_terms(a.context(), piece).poly_, b.poly_,
                   a.context().get());
    result = result + product;
  }
  return result;
}

Poly operator*(const Rational& a, const Poly& b) {
  Poly result(b.context());
  Fmpq q(a);
  fmpq_mpoly_scalar_mul_fmpq(result.poly_, b.poly_, q.get(), b.context().get());
  return result;
}

Poly power(const Poly& base, unsigned long exponent) {
  if (base.length() == 1) {
    const auto k = static_cast<double>(exponent);
    if (static_cast<double>(total_degree(base)) * k >= static_cast<double>(degree_limit)) {
      throw GaveUp("a power in it is too high");
    }
    const Rational c = abs(base.content());
    if (c != 1 && coefficient_bits(base) * k > bit_limit) {
      throw GaveUp("a number in it has too many digits");
    }
    Poly result(base.context());
    if (fmpq_mpoly_pow_ui(result.get(), base.get(), exponent, base.context().get()) == 0) {
      throw GaveUp("a power in it is too high");
    }
    return result;
  }
  Poly result(base.context(), 1);
  Poly square = base;
  for (unsigned long k = exponent; k > 0; k /= 2) {
    if (k % 2 == 1) result = result * square;
    if (k > 1) square = square * square;
  }
  return result;
}

std::optional<Poly> exact_quotient(const Poly& a, const Poly& b) {
  const Context& context = a.context();
  context.spend(static_cast<double>(a.length()));
  if (total_degree(a) <= factored_degree) {
    Poly result(context);
    if (fmpq_mpoly_divides(result.poly_, a.poly_, b.poly_, context.get()) == 0) return std::nullopt;
    return result;
  }
  // (x^n - 1)/(x - 1): the quotient may be longer than any bound by lengths, so it is looked at as
  // it grows.
  const Term leading = b.term(0);
  Poly result(context);
  for (Poly rest = a; !rest.is_zero();) {
    const Top top = top_of(rest, std::span(&leading, 1));
    if (!divides(leading, rest.term(0))) return std::nullopt;
    const Poly quotient = Poly::from_terms(context, top.quotients.front());
    rest = rest - quotient * b;
    result = result + quotient;
  }
  return result;
}

Poly remainder(const Poly& a, const std::vector<Poly>& basis) {
  const Context& context = a.context();
  std::vector<Term> leading;
  for (const Poly& p : basis) leading.push_back(p.term(0));
  Poly result(context);
  for (Poly rest = a; !rest.is_zero();) {
    const Top top = top_of(rest, leading);
    bool reduced = false;
    for (std::size_t i = 0; i < basis.size(); ++i) {
      if (top.quotients[i].empty()) continue;
      rest = rest - Poly::from_terms(context, top.quotients[i]) * basis[i];
      reduced = true;
    }
    if (reduced) continue;
    const Poly kept = Poly::from_terms(context, top.kept);
    result = result + kept;
    rest = rest - kept;
  }
  return result;
}

Factored factor(const Poly& p, Factoring how) {
  const Context& context = p.context();
  Factored result{p.content(), {}};
  if (p.constant()) return result;
  Effort::spend(calls_cost + static_cast<double>(p.length()));
  Poly rest = p.primitive();
  Poly monomial(context);
  fmpq_mpoly_term_content(monomial.get(), rest.get(), context.get());
  rest = *exact_quotient(rest, monomial.primitive());
  result.content = p.content();
  const std::vector<unsigned long> exponents = monomial.term(0).exponents;
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    if (exponents[i] == 0) continue;
    result.factors.emplace_back(Poly::variable(context, i), static_cast<long>(exponents[i]));
  }
  if (rest.constant()) return result;
  if (how == Factoring::monomials || rest.length() > factored_terms ||
      total_degree(rest) > factored_degree) {
    result.factors.emplace_back(std::move(rest), 1);
    return result;
  }
  context.spend(100 * static_cast<double>(rest.length()));
  Factorisation found(context);
  if (fmpq_mpoly_factor(found.get(), rest.get(), context.get()) == 0) {
    result.factors.emplace_back(std::move(rest), 1);
    return result;
  }
  Poly product(context, 1);
  for (slong i = 0; i < found.get()->num; ++i) {
    Poly irreducible(context);
    fmpq_mpoly_set(irreducible.get(), found.get()->poly + i, context.get());
    const long exponent = fmpz_get_si(found.get()->exp + i);
    irreducible = irreducible.primitive();
    product = product * power(irreducible, static_cast<unsigned long>(exponent));
    result.factors.emplace_back(std::move(irreducible), exponent);
  }
  result.content *= rest.content() / product.content();
  return result;
}

Poly replace_power(const Poly& p, std::size_t variable, unsigned long order, const Poly& value) {
  if (p.is_zero()) return p;
  const auto degree = static_cast<unsigned long>(p.degrees()[variable]);
  if (degree < order) return p;
  p.context().spend(static_cast<double>(degree) * static_cast<double>(p.length()));
  Poly result(p.context());
  for (unsigned long rest = 0; rest < order && rest <= degree; ++rest) {
    // Σ_j C_j value^j by Horner, C_j the coefficient of variable^(order j + rest).
    Poly total(p.context());
    for (unsigned long j = (degree - rest) / order + 1; j-- > 0;) {
      total = total * value + p.coefficient(variable, order * j + rest);
    }
    if (rest > 0 && !total.is_zero()) {
      total = total * Poly::variable(p.context(), variable, rest);
    }
    result = result + total;
  }
  return result;
}

}  // namespace dalembert::expr::algebra
