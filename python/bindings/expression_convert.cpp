/// Python's numbers as expressions and back.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cmath>

#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "python/bindings/expression.hpp"

namespace dalembert::python {

namespace {

/// Beyond this many bits a number is nothing that mechanics could mean.
constexpr std::size_t largest_number = 65536;
/// No such number has so many digits.
constexpr Py_ssize_t most_digits = 100000;

std::string class_name(nb::handle object) {
  return shown(object.type().attr("__name__"));
}

std::string module_of(nb::handle object) {
  const nb::object module = nb::getattr(object.type(), "__module__", nb::none());
  return nb::isinstance<nb::str>(module) ? shown(module) : std::string();
}

bool is_fraction(nb::handle object) {
  return nb::hasattr(object, "numerator") && nb::hasattr(object, "denominator");
}

/// A number that is known by its digits: a Decimal, or NumPy's real of another length than a float.
bool has_digits(nb::handle object) {
  if (nb::hasattr(object, "shape")) {
    const nb::object type = nb::getattr(object, "dtype", nb::none());
    return module_of(object) == "numpy" && nb::hasattr(type, "kind") &&
           shown(nb::str(type.attr("kind"))) == "f" &&
           nb::len(nb::object(object.attr("shape"))) == 0 && !nb::hasattr(object, "__setitem__");
  }
  return module_of(object) == "decimal" && class_name(object) == "Decimal";
}

std::size_t bits(const expr::Rational& value) {
  return std::max(mpz_sizeinbase(value.get_num_mpz_t(), 2),
                  mpz_sizeinbase(value.get_den_mpz_t(), 2));
}

[[noreturn]] void too_large(std::size_t size) {
  PyErr_SetString(
      PyExc_OverflowError,
      fmt::format("an exact number of {} bits; at most {} bits are allowed", size, largest_number)
          .c_str());
  throw nb::python_error();
}

mpz_class whole_number(nb::handle object) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const auto size = nb::cast<std::size_t>(index.attr("bit_length")());
  if (size > largest_number) too_large(size);
  const nb::object digits = nb::steal(PyNumber_ToBase(index.ptr(), 16));
  if (!digits.is_valid()) throw nb::python_error();
  return mpz_class(nb::cast<std::string>(digits), 0);
}

Expression from_digits(nb::handle object) {
  std::string digits = shown(nb::str(object), most_digits);
  const bool negative = digits.starts_with("-");
  if (negative) digits.erase(0, 1);
  const auto value = expr::rational_from_decimal(digits);
  if (!value) {
    throw nb::value_error(
        fmt::format("{} is not a finite number of ordinary size", shown(nb::str(object))).c_str());
  }
  return {expr::Expr(negative ? expr::Rational(-*value) : *value), {}};
}

/// A numerator or a denominator.
mpz_class whole_part(nb::handle object, const char* what) {
  const nb::object part = nb::borrow(object).attr(what);
  if (PyIndex_Check(part.ptr()) == 0) {
    throw nb::type_error(fmt::format("the {} of {} must be a whole number, not {} ({})", what,
                                     shown(nb::repr(object)), shown(nb::repr(part)),
                                     class_name(part))
                             .c_str());
  }
  return whole_number(part);
}

nb::object python_integer(const mpz_class& value) {
  return nb::steal(PyLong_FromString(value.get_str(16).c_str(), nullptr, 16));
}

}  // namespace

std::string shown(nb::handle text, Py_ssize_t most) {
  const nb::object cut = nb::steal(PyUnicode_Substring(text.ptr(), 0, most));
  if (!cut.is_valid()) throw nb::python_error();
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(cut.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}

/// A SymPy expression or relation. Its matrices, vectors and frames are not: operators leave them
/// to SymPy, which knows what to do with an expression.
bool is_sympy(nb::handle object) {
  const nb::object sympy = nb::steal(PyImport_GetModule(nb::str("sympy").ptr()));
  if (!sympy.is_valid()) {
    PyErr_Clear();
    return false;
  }
  const nb::object basic = nb::getattr(sympy, "Basic", nb::none());
  return !basic.is_none() && PyObject_IsInstance(object.ptr(), basic.ptr()) == 1 &&
         !nb::cast<bool>(nb::getattr(object, "is_Matrix", nb::bool_(false)));
}

std::string stranger(std::string_view shown, std::string_view its, std::string_view own) {
  if (its != own) {
    return fmt::format(
        "{} belongs to the system '{}', and this is the system '{}': write it with the coordinates "
        "and parameters of this one",
        shown, its, own);
  }
  const std::string anew =
      expr::is_name(shown) ? fmt::format("{0} = s[\"{0}\"]", shown) : "s[\"name\"]";
  return fmt::format(
      "{} belongs to another system of that name, '{}'; if a cell was run again, take what it uses "
      "from the new one: {}",
      shown, its, anew);
}

void check_owner(const Expression& e, const NamesPointer& names) {
  if (!names || !e.names || e.names->id == names->id) return;
  throw nb::value_error(stranger(expr::to_text(e.e, 60), e.names->system, names->system).c_str());
}

void raise_unknown_name(const std::string& sentence) {
  const nb::object type = nb::module_::import_("dalembert.errors").attr("UnknownName");
  PyErr_SetObject(type.ptr(), nb::str(sentence.c_str()).ptr());
  throw nb::python_error();
}

NamesPointer common_names(const Expression& a, const Expression& b) {
  if (!a.names) return b.names;
  if (b.names && b.names->id != a.names->id) {
    const bool same = a.names->system == b.names->system;
    const std::string why =
        same ? fmt::format(
                   "{} and {} belong to two systems of the same name, '{}'; if a cell was "
                   "run again, take both from the new one, as in s[\"name\"]",
                   expr::to_text(a.e, 60), expr::to_text(b.e, 60), a.names->system)
             : fmt::format("{} belongs to system '{}', {} to system '{}'", expr::to_text(a.e, 60),
                           a.names->system, expr::to_text(b.e, 60), b.names->system);
    throw nb::value_error(("expressions of two systems do not mix: " + why).c_str());
  }
  return a.names;
}

Expression checked(expr::Expr e, NamesPointer names) {
  const bool coefficient = e.is(expr::Op::product) || e.is(expr::Op::sum);
  const expr::Expr& number = coefficient ? e.args().front() : e;
  if (number.is(expr::Op::constant) && bits(number.value()) > largest_number)
    too_large(bits(number.value()));
  return {std::move(e), std::move(names)};
}

bool is_expression_like(nb::handle object) {
  if (nb::isinstance<Expression>(object) || PyFloat_Check(object.ptr()) ||
      PyLong_CheckExact(object.ptr()))
    return true;
  if (PyBool_Check(object.ptr()) || PyUnicode_Check(object.ptr())) return false;
  if (nb::hasattr(object, "__setitem__")) return false;  // NumPy's arrays, even those of one number
  return PyIndex_Check(object.ptr()) || is_fraction(object) || has_digits(object) ||
         is_sympy(object);
}

Expression to_expression(nb::handle object, const NamesPointer& names) {
  if (nb::isinstance<Expression>(object)) {
    Expression e = nb::cast<Expression>(object);
    check_owner(e, names);
    return e;
  }
  if (PyFloat_Check(object.ptr())) {
    const double x = PyFloat_AsDouble(object.ptr());
    if (!std::isfinite(x))
      throw nb::value_error(fmt::format("{} is not a finite number", x).c_str());
    return {expr::Expr(x), {}};
  }
  if (PyLong_CheckExact(object.ptr()))
    return {expr::Expr(expr::Rational(whole_number(object))), {}};
  if (!is_expression_like(object)) {
    throw nb::type_error(fmt::format("an expression or a number is needed, not {} ({})",
                                     shown(nb::repr(object)), class_name(object))
                             .c_str());
  }
  if (is_sympy(object)) {
    const nb::object bridge = nb::module_::import_("dalembert.sympy_bridge");
    const nb::object result = bridge.attr("from_sympy")(object, names);
    if (!nb::isinstance<Expression>(result)) {
      throw nb::type_error(
          fmt::format("an expression is needed, not an equation: {}", shown(nb::str(object)))
              .c_str());
    }
    return nb::cast<Expression>(result);
  }
  if (PyIndex_Check(object.ptr())) return {expr::Expr(expr::Rational(whole_number(object))), {}};
  if (is_fraction(object)) {
    expr::Rational value(whole_part(object, "numerator"), whole_part(object, "denominator"));
    if (value.get_den() == 0) {
      PyErr_SetString(PyExc_ZeroDivisionError,
                      fmt::format("the denominator of {} is 0", shown(nb::repr(object))).c_str());
      throw nb::python_error();
    }
    value.canonicalize();
    return {expr::Expr(value), {}};
  }
  return from_digits(object);
}

nb::object plain_number(nb::handle object) {
  if (PyFloat_Check(object.ptr()) || !nb::hasattr(object, "shape") || !has_digits(object))
    return nb::borrow(object);
  return nb::float_(nb::str(object));
}

nb::object to_python(const expr::Rational& value) {
  if (value.get_den() == 1) return python_integer(value.get_num());
  return nb::module_::import_("fractions")
      .attr("Fraction")(python_integer(value.get_num()), python_integer(value.get_den()));
}

}  // namespace dalembert::python
