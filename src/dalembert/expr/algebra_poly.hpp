#pragma once
/// Polynomials with rational coefficients in a fixed set of variables: FLINT's fmpq_mpoly with
/// C++ lifetimes, and with limits checked before the work is done, so that no input makes FLINT
/// abort or run away. Internal to the room.

#include <flint/fmpq_mpoly.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dalembert/expr/rational.hpp"

namespace dalembert::expr::algebra {

/// The computation would outgrow its limits.
struct GaveUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The variables, and how much work may be done with them altogether.
class Context {
 public:
  Context(std::size_t variables, std::size_t terms);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  const fmpq_mpoly_ctx_struct* get() const { return context_; }
  std::size_t variables() const { return variables_; }
  std::size_t terms() const { return terms_; }

  /// Counts `amount` multiplications of terms; throws GaveUp when there were too many.
  void spend(double terms) const;

 private:
  fmpq_mpoly_ctx_t context_;
  std::size_t variables_;
  std::size_t terms_;
  mutable double work_left_;
};

struct Term {
  Rational coefficient;
  std::vector<unsigned long> exponents;  ///< one for every variable
};

class Poly {
 public:
  explicit Poly(const Context& context);
  Poly(const Context& context, const Rational& value);
  Poly(const Poly& other);
  Poly(Poly&& other) noexcept;
  Poly& operator=(const Poly& other);
  Poly& operator=(Poly&& other) noexcept;
  ~Poly();

  static Poly variable(const Context& context, std::size_t index, unsigned long exponent = 1);
  static Poly from_terms(const Context& context, const std::vector<Term>& terms);

  const Context& context() const { return *context_; }
  std::size_t length() const;
  bool is_zero() const { return length() == 0; }
  std::optional<Rational> constant() const;  ///< the value, if there are no variables in it
  std::vector<long> degrees() const;         ///< by each variable; all zero for zero
  Term term(std::size_t i) const;
  std::vector<Term> terms() const;
  /// The variable, if this is one and nothing else.
  std::optional<std::size_t> as_variable() const;

  /// The coefficient of variable^exponent, a polynomial in the other variables.
  Poly coefficient(std::size_t variable, unsigned long exponent) const;
  /// The rational c for which this is c times a polynomial with coprime integer coefficients, the
  /// leading one positive; zero for zero.
  Rational content() const;
  Poly primitive() const;

  bool equals(const Poly& other) const;

  friend Poly operator+(const Poly& a, const Poly& b);
  friend Poly operator-(const Poly& a, const Poly& b);
  friend Poly operator*(const Poly& a, const Poly& b);
  friend Poly operator*(const Rational& a, const Poly& b);
  friend Poly power(const Poly& base, unsigned long exponent);
  friend std::optional<Poly> exact_quotient(const Poly& a, const Poly& b);
  friend Poly remainder(const Poly& a, const std::vector<Poly>& basis);

  fmpq_mpoly_struct* get() { return poly_; }
  const fmpq_mpoly_struct* get() const { return poly_; }

 private:
  const Context* context_;
  fmpq_mpoly_t poly_;
};

/// a/b if it is a polynomial; b is not zero.
std::optional<Poly> exact_quotient(const Poly& a, const Poly& b);

/// What is left of a after division by the polynomials of the basis, none of them zero.
Poly remainder(const Poly& a, const std::vector<Poly>& basis);

/// content · Π factor^exponent with primitive factors: irreducible ones, or only the variables that
/// divide all terms, and the rest; the latter for long polynomials in any case.
struct Factored {
  Rational content;
  std::vector<std::pair<Poly, long>> factors;
};
enum class Factoring { irreducible, monomials };
Factored factor(const Poly& p, Factoring how = Factoring::irreducible);

/// p with variable^order replaced by `value` wherever it divides a monomial.
Poly replace_power(const Poly& p, std::size_t variable, unsigned long order, const Poly& value);

}  // namespace dalembert::expr::algebra
