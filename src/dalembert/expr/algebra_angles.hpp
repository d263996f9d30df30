#pragma once
/// The arguments of sines and exponentials as rational combinations of atoms, and the base angles
/// of which all arguments are integer multiples. Internal to the room.
///
/// An atom is a product of integer powers of symbols, pi, and subexpressions that cannot be taken
/// apart: theta, w t, z/h, sqrt(x), x (1 + y)^-1; the atom of a plain number is 1. The base angle
/// of an atom that occurs with the coefficients q_1, q_2, ... is
///   * for deciding, atom/D with the common denominator D, so that sin(2 a) is always 2 sin(a)
///   cos(a);
///   * for display, g atom with the greatest common divisor g, so that sin(2 a) stays as it is when
///     it is alone; and atoms that occur in one fixed proportion only are one, so that sin(a - b)
///     stays too.
/// Where the multiples would be large (sin(9.81 x) + sin(x)), the coefficients are split into
/// families that are treated as independent; that loses identities between them, but proves nothing
/// false.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/node.hpp"

namespace dalembert::expr::algebra {

/// Characters of a text by which atoms and factors are put in order.
inline constexpr std::size_t compared_text = 200;

/// Every node under the roots once, operands first, going only below those nodes that `descend`
/// names.
std::vector<Expr> postorder_within(std::span<const Expr> roots,
                                   const std::function<bool(const Expr&)>& descend);

/// Sum, product, and power with an integer exponent: what a polynomial is made of.
bool is_rational_operation(const Expr& e);

struct FixedOrder {
  bool operator()(const Expr& a, const Expr& b) const { return ordered_before(a, b); }
};

/// The largest rational of which both are integer multiples; zero for two zeros.
Rational common_divisor(const Rational& a, const Rational& b);

/// Names with their numbers in numerical order: x2 before x10.
bool natural_before(const std::string& a, const std::string& b);

/// Σ coefficient · atom.
using LinearForm = std::map<Expr, Rational, FixedOrder>;

/// Finds and remembers the linear forms of arguments.
class LinearForms {
 public:
  const LinearForm& of(const Expr& argument);

 private:
  LinearForm combine(const Expr& e) const;

  std::unordered_map<Expr, LinearForm, ExprHash, ExprSame> forms_;
};

enum class Bases { fractions, divisors };

/// The base angles of a set of arguments.
class BaseAngles {
 public:
  struct Base {
    Expr atom;
    Rational unit;  ///< the base angle is unit · atom
  };
  struct Part {
    std::size_t base;
    long multiple;
  };

  void add(const LinearForm& form) { forms_.push_back(form); }
  void settle(Bases kind);  ///< after the last form was added

  std::span<const Base> bases() const { return bases_; }
  /// A form that was added, by base angles.
  std::vector<Part> parts(const LinearForm& form) const;

 private:
  struct Atom {
    std::map<Rational, std::size_t> coefficients;  ///< absolute values, to numbers of bases
    Expr shown;  ///< with the atoms that follow this one in a fixed proportion
    bool follows = false;
  };
  void merge_proportional();
  void find_families(Atom& atom, Bases kind);

  std::vector<LinearForm> forms_;
  std::map<Expr, Atom, FixedOrder> atoms_;
  std::vector<Base> bases_;
};

}  // namespace dalembert::expr::algebra
