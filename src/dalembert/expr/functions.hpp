#pragma once
/// All that the program knows about each function of expressions: one entry, in functions.cpp.
///
/// Nothing else in this room or in those behind it lists functions, but where an identity of a few
/// of them is used (sin^2 + cos^2 = 1, roots, hyperbolic functions by exponentials) and where
/// `codegen` says how a tape computes them (codegen/operations.hpp). A new function is an Op and a
/// declaration in expr.hpp, its entry, its line in operations.hpp, and its name in the Python
/// package.

#include <optional>
#include <span>
#include <string_view>

#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/range.hpp"

namespace dalembert::expr {

enum class Parity : std::uint8_t { none, even, odd };

/// Where a function of smooth arguments has kinks or jumps.
enum class Kinks : std::uint8_t {
  none,
  at_zero,           ///< where the first argument passes 0
  at_cut,            ///< there too, but at some values of the other argument only: the cut of atan2
  where_equal,       ///< where both arguments are equal
  at_whole_numbers,  ///< where the argument passes a whole number
};

/// How LaTeX writes a function: a command before its arguments, or signs around them.
struct LatexForm {
  std::string_view before;
  std::string_view behind = {};  ///< empty: `before` is a command
  bool takes_exponent = false;   ///< sin^2 x
};

/// How C writes it, {0}, {1}, ... being the arguments.
struct CForm {
  std::string_view text;
  bool is_quotient = false;  ///< a / b, which needs parentheses in a product
};

/// Values enclosed in balls of Arb, one an argument; its header stays within the room.
struct Balls;

struct FunctionInfo {
  Op op;
  std::string_view name;  ///< as a model has it
  int arity;              ///< min and max take two or more when parsed
  /// Whether a model may give the name to something else, as models did before there was this
  /// function: it is one only before a parenthesis.
  bool yields_to_names = false;
  Parity parity = Parity::none;
  bool is_symmetric = false;       ///< f(x, y) = f(y, x)
  bool is_never_negative = false;  ///< where it has a value
  Kinks kinks = Kinks::none;
  /// What it is of these arguments, where building knows that: exact values, equal arguments.
  std::optional<Expr> (*folded)(std::span<const Expr> x);
  /// df/d(argument k). Null for `choose`, whose derivative is chosen too.
  Expr (*partial)(const Expr& f, std::size_t k);
  /// The integral of f(u) by u; null where none is known.
  Expr (*integral)(const Expr& u) = nullptr;
  double (*value)(const double* x);
  void (*enclose)(const Balls& balls);
  /// Range and rate, from those of the arguments.
  Moving (*moving)(const Moving* x);
  LatexForm latex;
  CForm c;
  std::string_view sympy = {};  ///< SymPy's name; empty where it has no such function
  std::string_view numpy = {};  ///< NumPy's name, where that is another
};

/// In the order of Op.
std::span<const FunctionInfo> functions();
/// Of a node's Op, which must be a function.
const FunctionInfo& function_info(Op op);
/// Null for what is no function.
const FunctionInfo* find_function(std::string_view name);
/// Empty for what is no function.
std::string_view function_name(Op op);

inline bool is_function(Op op) {
  return kind_of(op) == NodeKind::function;
}
/// sin, cos, tan and their reciprocals.
bool is_trigonometric(Op op);

}  // namespace dalembert::expr
