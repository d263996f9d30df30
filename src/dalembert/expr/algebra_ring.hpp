#pragma once
/// Expressions as ratios of polynomials in generators: the ring in which the exact algebra of
/// algebra.hpp is done. Internal to the room.
///
/// The generators and what they obey:
///   plain        symbols, pi, and functions the algebra knows nothing about;
///   sine/cosine  s and c of a base angle, s² = 1 - c²;
///   exponential  e = exp(base), never zero;
///   root         r = w^(1/k), r^k = w with a polynomial w in generators made before it;
///   absolute     a = |w|, a² = w²;
///   sign         g³ = g; steps are of this kind too, with g² = g.
/// A value is numerator/Π factor^exponent. The numerator is in normal form: no s², no r^k, no a².
/// Without roots and absolute values the ring is an integral domain, so an expression is zero
/// exactly if its numerator is. With them, a numerator of zero still means that the expression is
/// zero at every point where it is defined: every relation holds there, and every factor of a
/// denominator divides something that the expression divides by.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dalembert/expr/algebra_angles.hpp"
#include "dalembert/expr/algebra_poly.hpp"
#include "dalembert/expr/expr.hpp"

namespace dalembert::expr::algebra {

/// The expression divides by something that is zero everywhere.
struct Undefined : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Mode {
  decide,  ///< everything known is used: roots of products are split, sinh becomes exponentials
  display  ///< roots, exponentials and hyperbolic functions stay as they are written
};

struct Generator {
  enum class Kind { plain, sine, cosine, exponential, root, absolute, sign };
  Kind kind = Kind::plain;
  Expr shown;               ///< as an expression
  std::size_t partner = 0;  ///< the sine of a cosine and the other way round
  std::size_t angle = 0;    ///< of a sine or cosine: its number among the base angles
  unsigned long order = 0;  ///< generator^order = value
  std::optional<Poly> value;
  bool never_negative = false;
};

struct Value {
  Poly numerator;
  std::map<std::size_t, long> denominator;  ///< numbers of factors, with positive exponents
};

class Ring {
 public:
  /// A ring in which all roots have values. The arguments of functions in the roots are taken to be
  /// equal when they are the same node. Throws GaveUp and Undefined.
  Ring(std::span<const Expr> roots, Mode mode, std::size_t terms);

  const Value& value(const Expr& root) const { return values_.at(root.node()); }
  const Context& context() const { return *context_; }
  std::span<const Generator> generators() const { return generators_; }
  const Generator& generator(std::size_t variable) const { return generators_[variable]; }
  const Poly& factor(std::size_t number) const { return factors_[number]; }
  std::span<const BaseAngles::Base> angles() const { return angles_.bases(); }
  /// The variables of the sine and cosine of a base angle.
  std::pair<std::size_t, std::size_t> angle_variables(std::size_t angle) const {
    return angle_variables_[angle];
  }

  /// The normal form of a numerator.
  Poly reduced(const Poly& p) const;
  /// Equal to p (in normal form), with cos² instead of sin² eliminated for this sine.
  Poly without_cosine_square(const Poly& p, std::size_t sine) const;
  /// Equal to p, with whichever elimination for each angle gives the shorter polynomial.
  Poly shortest(const Poly& p) const;
  /// p/factor if the factor divides p in the ring as far as that is seen; p in normal form.
  std::optional<Poly> divided(const Poly& p, std::size_t factor) const;
  /// Divides numerator and denominator by what they have in common.
  void cancel(Value& v) const;

  /// The relations among the generators, as polynomials that are zero.
  std::vector<Poly> relations() const;

  Expr expression(const Poly& p) const;
  /// Σ terms / Π factors.
  Expr expression(const Value& v) const;

 private:
  struct NeedsVariables {};

  void scan(std::span<const Expr> roots);
  void convert(std::size_t spare);
  Value converted(const Expr& e);
  Value converted_function(const Expr& e);
  Value power_of(const Expr& e);

  bool opens(const Expr& e);
  bool is_opened(const Expr& e) const { return opened_.contains(e.node()); }

  Value constant(const Rational& r) const { return {Poly(*context_, r), {}}; }
  Value variable(std::size_t index) const { return {Poly::variable(*context_, index), {}}; }
  Value add(const std::vector<const Value*>& terms) const;
  Value multiply(const Value& a, const Value& b);
  Value integer_power(const Value& base, const mpz_class& exponent);
  Value inverse(const Value& v);
  void merge_complements(Value& v);
  std::size_t intern_factor(const Poly& p);

  std::size_t new_generator(Generator g);
  Value plain(const Expr& e);
  Value opaque(const Expr& e);

  std::pair<Poly, Poly> sine_cosine(const Expr& argument);
  std::pair<Poly, Poly> multiple_angle(std::size_t angle, long multiple) const;
  std::pair<Poly, Poly> part_of_pi(const Rational& turns);
  Value trigonometric(const Expr& e);
  Value exponential(const Expr& argument);
  Value hyperbolic(const Expr& e);

  Value root(unsigned long order, const Value& radicand);
  Value square_root(const Value& radicand);
  Value square_root(const Rational& number);
  Value root_generator(unsigned long order, const Poly& radicand);
  Value written_root(unsigned long order, const Expr& argument);
  Value absolute(const Value& v);
  Value absolute(const Poly& irreducible);
  bool never_negative(const Poly& p) const;

  Mode mode_;
  std::size_t terms_;
  std::vector<Expr> order_;  ///< what is converted, operands first
  std::unordered_set<const Node*> opened_;
  LinearForms forms_;
  BaseAngles angles_;
  BaseAngles exponents_;
  std::size_t fixed_variables_ = 0;
  std::size_t roots_seen_ = 0;

  std::unique_ptr<Context> context_;
  std::vector<Generator> generators_;
  std::vector<std::pair<std::size_t, std::size_t>> angle_variables_;
  std::vector<std::size_t> exponent_variables_;
  std::unordered_map<Expr, std::size_t, ExprHash, ExprSame> known_;  ///< plain generators
  std::vector<Poly> factors_;
  std::unordered_map<const Node*, Value> values_;
};

}  // namespace dalembert::expr::algebra
