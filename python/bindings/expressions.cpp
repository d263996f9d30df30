/// Expressions: arithmetic, functions, derivatives, text.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cmath>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/print.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

NamesPointer common_names(const Expression& a, const Expression& b) {
  if (!a.names) return b.names;
  if (b.names && b.names->id != a.names->id) {
    throw nb::value_error(
        fmt::format("{} belongs to the system '{}', {} to the system '{}'", expr::to_text(a.e, 60),
                    a.names->system, expr::to_text(b.e, 60), b.names->system)
            .c_str());
  }
  return a.names;
}

namespace {

bool is_sympy(nb::handle object) {
  const nb::object module = nb::getattr(object.type(), "__module__", nb::none());
  return nb::isinstance<nb::str>(module) &&
         std::string_view(nb::cast<std::string>(module)).starts_with("sympy.");
}

bool is_fraction(nb::handle object) {
  return nb::hasattr(object, "numerator") && nb::hasattr(object, "denominator");
}

expr::Rational whole_number(nb::handle object) {
  return expr::Rational(nb::cast<std::string>(nb::str(object)));
}

}  // namespace

bool is_expression_like(nb::handle object) {
  return nb::isinstance<Expression>(object) ||
         (!PyBool_Check(object.ptr()) &&
          (PyFloat_Check(object.ptr()) || PyIndex_Check(object.ptr()) || is_fraction(object))) ||
         is_sympy(object);
}

Expression to_expression(nb::handle object, const NamesPointer& names) {
  if (nb::isinstance<Expression>(object)) return nb::cast<Expression>(object);
  if (PyBool_Check(object.ptr())) throw nb::type_error("an expression is needed, not a bool");
  if (is_sympy(object)) {
    const nb::object bridge = nb::module_::import_("dalembert.sympy_bridge");
    return nb::cast<Expression>(bridge.attr("from_sympy")(object, names));
  }
  if (PyFloat_Check(object.ptr())) {
    const double x = nb::cast<double>(object);
    if (!std::isfinite(x))
      throw nb::value_error(fmt::format("{} is not a finite number", x).c_str());
    return {expr::Expr(x), {}};
  }
  if (PyIndex_Check(object.ptr())) {
    const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    return {expr::Expr(whole_number(index)), {}};
  }
  if (is_fraction(object)) {
    expr::Rational value(nb::cast<std::string>(nb::str(object.attr("numerator"))) + "/" +
                         nb::cast<std::string>(nb::str(object.attr("denominator"))));
    value.canonicalize();
    return {expr::Expr(value), {}};
  }
  throw nb::type_error(fmt::format("an expression or a number is needed, not '{}'",
                                   nb::cast<std::string>(nb::str(object.type().attr("__name__"))))
                           .c_str());
}

void bind_expressions(nb::module_& m) {
  nb::class_<Names>(m, "Names")
      .def("__init__",
           [](Names* self, const std::string& system, const std::string& id) {
             new (self) Names{id, system, {}};
           })
      .def_ro("id", &Names::id)
      .def_rw("system", &Names::system)
      .def("coordinate",
           [](const NamesPointer& self, const std::string& name) {
             self->kinds[name] = NameKind::coordinate;
             return Expression{expr::coordinate(name), self};
           })
      .def("parameter", [](const NamesPointer& self, const std::string& name) {
        self->kinds[name] = NameKind::parameter;
        return Expression{expr::parameter(name), self};
      });

  nb::class_<Equality>(m, "Equation")
      .def_ro("left", &Equality::left)
      .def_ro("right", &Equality::right)
      .def("__bool__",
           [](const Equality& self) { return expr::same(self.left.e, self.right.e); });

  nb::class_<Expression>(m, "Expr").def("__str__", [](const Expression& self) {
    return expr::to_text(self.e);
  });
}

}  // namespace dalembert::python
