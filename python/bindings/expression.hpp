#pragma once
/// Expressions as Python sees them: an `Expr` of the engine and whose names it uses, so that an
/// expression of one system does not slip into another that happens to use the same names.

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::python {

namespace nb = nanobind;

enum class NameKind { coordinate, parameter };

/// The names of one system; copies of the system share it. `id` is unique and outlives pickling.
struct Names {
  std::string id;
  std::string system;  ///< its name, for messages
  std::map<std::string, NameKind, std::less<>> kinds;
};
using NamesPointer = std::shared_ptr<Names>;

struct Expression {
  expr::Expr e;
  NamesPointer names;  ///< null for what belongs to no system: numbers, t, pi
};

/// left = right.
struct Equality {
  Expression left, right;
};

/// The names of both, of whichever has any; raises ValueError where they are of two systems.
NamesPointer common_names(const Expression& a, const Expression& b);

/// That what is shown belongs to the system `its` where one of the system `own` is needed, and what
/// to do; the two may bear the same name, as where a program made a system twice.
std::string stranger(std::string_view shown, std::string_view its, std::string_view own);
/// Raises ValueError with that sentence where the expression is of another system than `names`.
void check_owner(const Expression& e, const NamesPointer& names);

/// Raises dalembert.UnknownName, a KeyError and a ValueError.
[[noreturn]] void raise_unknown_name(const std::string& sentence);

/// What stands for an expression in Python: an Expr, an int, a float, a Fraction, a Decimal, a
/// NumPy scalar, or a SymPy expression, whose symbols are looked up in `names`. Raises TypeError
/// for anything else (strings included), and ValueError for numbers that are not finite and for
/// expressions of another system than `names`.
Expression to_expression(nb::handle object, const NamesPointer& names = {});
/// The float of a NumPy scalar of another precision, which is the decimal it shows, as in
/// `to_expression`; anything else as it is.
nb::object plain_number(nb::handle object);
/// Whether `to_expression` would try: operators answer NotImplemented otherwise.
bool is_expression_like(nb::handle object);
/// A SymPy expression or relation. Its matrices, vectors and frames are not: operators leave them
/// to SymPy, which knows what to do with an expression.
bool is_sympy(nb::handle object);

/// The beginning of a Python text, for a message; halves of characters are written as escapes.
std::string shown(nb::handle text, Py_ssize_t most = 80);

/// The Python number that a rational is: an int or a Fraction.
nb::object to_python(const expr::Rational& value);

/// The result of an operation, unless a number in it has grown beyond all use: OverflowError then.
Expression checked(expr::Expr e, NamesPointer names);

/// The node with the same operation on other operands; raises ZeroDivisionError and OverflowError.
expr::Expr rebuilt(const expr::Expr& e, const std::vector<expr::Expr>& args);

void bind_names(nb::module_& m);
void bind_calculus(nb::class_<Expression>& type, nb::class_<Equality>& equation);
void bind_graph(nb::class_<Expression>& type, nb::class_<Equality>& equation);

}  // namespace dalembert::python
