#pragma once
/// Exact algebra: whether an expression is zero, and the short form of an expression that people
/// read. On FLINT.
///
/// An expression becomes a ratio of polynomials with rational coefficients in
///   * its symbols (parameters, time, coordinates and their rates, forces) and pi,
///   * s = sin(x), c = cos(x) for the angles x it contains, modulo s^2 + c^2 = 1. The argument of a
///     sine is written as a combination of angles with integer coefficients (sin(2 a - b/3) has the
///     angles a and b/3), resolved by the addition formulas; multiples of pi/2 are put in exactly;
///     tan, cot, sec, csc are ratios,
///   * e = exp(x) likewise; sinh, cosh, tanh are ratios of such,
///   * r = x^(1/k) modulo r^k = x for roots (sqrt among them), a = |x| modulo a^2 = x^2,
///   * one symbol for every other subexpression (log, atan2, min, ...), the same for arguments that
///     are equal by this very algebra.
/// Denominators are kept factored and shared, so that sums of fractions do not grow. Angles that
/// are linearly independent over the rationals have algebraically independent sines (Ax 1971), so
/// for expressions without roots and other functions the answer is always proven or refuted.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

enum class Verdict {
  proven,     ///< zero wherever it is defined
  refuted,    ///< there is a point where it is not zero, and the witness is one
  not_proven  ///< neither was found
};

/// A point where an expression is not zero: rational values of its symbols, and the value there,
/// enclosed rigorously.
struct Witness {
  std::vector<std::pair<Expr, Rational>> at;  ///< in the order of their names
  std::string value;                          ///< a decimal with at least six correct digits
};

struct Decision {
  Verdict verdict = Verdict::not_proven;
  std::optional<Witness> witness;  ///< when refuted
  std::string reason;              ///< when not proven: why, in a clause
};

struct AlgebraOptions {
  std::size_t terms = 100'000;  ///< a polynomial that grows beyond is given up
  /// Each of these is zero: the question is asked on the set where they vanish. Then a witness is
  /// not looked for among arbitrary points, so the verdict is proven or not_proven. Needs a
  /// Groebner basis, which is given up when it grows.
  std::vector<Expr> modulo;
};

/// Whether e is zero for all values of its symbols for which it is defined.
Decision decide_zero(const Expr& e, const AlgebraOptions& options = {});

/// Shorthand for verdict == proven.
bool proven_zero(const Expr& e, const AlgebraOptions& options = {});

struct SimplifyOptions {
  /// Terms are collected by products of these symbols; without any: by coordinates of order one and
  /// more (velocities, accelerations).
  std::vector<Expr> collect;
  std::size_t terms =
      2'000;  ///< a polynomial that grows beyond is given up, and e returned as it is
};

/// e as a person would write it: a sum over products of the collected symbols, in a stable order,
/// each with its coefficient factored (m r^2 (1 + 5 cos(theta)^2)/4), s^2 + c^2 gone, quotients of
/// sines and cosines written as tan, cot, sec, csc, what is common to all denominators below one
/// line. Equal to e wherever both are defined. Not for machine code: it may be longer than e.
Expr simplify(const Expr& e, const SimplifyOptions& options = {});
std::vector<Expr> simplify(std::span<const Expr> list, const SimplifyOptions& options = {});

/// A real number known to lie within `radius` of `middle`.
struct Enclosure {
  Rational middle;
  double radius = 0;
};

/// The value of e to about `digits` digits, enclosed rigorously (Arb); nothing where e is not
/// defined, or so close to such a place that it cannot be told.
std::optional<Enclosure> evaluate_precisely(const Expr& e,
                                            const std::function<Rational(const Symbol&)>& values,
                                            int digits = 50);
/// Several at once, shared subexpressions evaluated once.
std::vector<std::optional<Enclosure>> evaluate_precisely(
    std::span<const Expr> list, const std::function<Rational(const Symbol&)>& values,
    int digits = 50);

}  // namespace dalembert::expr
