/// Expressions: arithmetic, functions, derivatives, text.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

namespace {

using expr::Expr;
using expr::Op;

constexpr std::size_t shown_characters = 2000;  ///< of an expression in an interactive session

bool is_negative_number(const Expr& e) {
  return e.is(Op::constant) && sgn(e.value()) < 0;
}

[[noreturn]] void divided_by_zero(const std::string& what) {
  PyErr_SetString(PyExc_ZeroDivisionError, what.c_str());
  throw nb::python_error();
}

Expr quotient(const Expr& a, const Expr& b) {
  if (b.is_zero()) divided_by_zero(fmt::format("{} is divided by zero", expr::to_text(a, 60)));
  return a / b;
}

Expr power(const Expr& a, const Expr& b) {
  if (a.is_zero() && is_negative_number(b)) divided_by_zero("zero to a negative power");
  return expr::pow(a, b);
}

Expr plus(const Expr& a, const Expr& b) {
  return a + b;
}
Expr minus(const Expr& a, const Expr& b) {
  return a - b;
}
Expr times(const Expr& a, const Expr& b) {
  return a * b;
}

using Operation = Expr (*)(const Expr&, const Expr&);

nb::object not_implemented() {
  return nb::borrow(Py_NotImplemented);
}

/// self and other as operands; false where other is none.
bool operands(const Expression& self, nb::handle other, Expression& b, NamesPointer& names) {
  if (!is_expression_like(other)) return false;
  if (!self.names && is_sympy(other) &&
      !nb::cast<bool>(nb::getattr(other, "is_number", nb::bool_(false))))
    return false;  // no names to look its symbols up: SymPy's turn
  b = nb::isinstance<Expression>(other) ? nb::cast<Expression>(other)
                                        : to_expression(other, self.names);
  names = common_names(self, b);
  return true;
}

template <Operation operation>
nb::object binary(const Expression& self, nb::handle other) {
  Expression b;
  NamesPointer names;
  if (!operands(self, other, b, names)) return not_implemented();
  return nb::cast(checked(operation(self.e, b.e), std::move(names)));
}

template <Operation operation>
nb::object reflected(const Expression& self, nb::handle other) {
  Expression b;
  NamesPointer names;
  if (!operands(self, other, b, names)) return not_implemented();
  return nb::cast(checked(operation(b.e, self.e), std::move(names)));
}

template <Operation operation>
void bind_operator(nb::class_<Expression>& type, const char* name) {
  const std::string forward = fmt::format("__{}__", name);
  const std::string backward = fmt::format("__r{}__", name);
  type.def(forward.c_str(), &binary<operation>, nb::arg("other").none(),
           nb::sig(fmt::format("def {}(self, other: typing.Any, /) -> Expr", forward).c_str()));
  type.def(backward.c_str(), &reflected<operation>, nb::arg("other").none(),
           nb::sig(fmt::format("def {}(self, other: typing.Any, /) -> Expr", backward).c_str()));
}

/// left < right and its like: the condition of `where`, and no truth value.
struct Condition {
  Expression left;
  Expression right;
  NamesPointer names;
  std::string_view sign;  ///< <, <=, > or >=

  std::string text(std::size_t most) const {
    return fmt::format("{} {} {}", expr::to_text(left.e, most), sign, expr::to_text(right.e, most));
  }
};

template <const char* sign>
nb::object compared(const Expression& self, nb::handle other) {
  Expression b;
  NamesPointer names;
  if (!operands(self, other, b, names)) return not_implemented();
  return nb::cast(Condition{self, b, std::move(names), sign});
}

constexpr char less[] = "<", less_equal[] = "<=", greater[] = ">", greater_equal[] = ">=";

template <const char* sign>
void bind_comparison(nb::class_<Expression>& type, const char* name) {
  type.def(name, &compared<sign>, nb::arg("other").none(),
           nb::sig(fmt::format("def {}(self, other: typing.Any, /) -> Condition", name).c_str()),
           "The condition of where().");
}

/// a where the condition holds, else b.
Expression where(const Condition& condition, nb::handle a, nb::handle b) {
  const Expression first = to_expression(a, condition.names);
  const Expression second = to_expression(b, condition.names);
  const NamesPointer names =
      common_names({condition.left.e, condition.names}, {first.e, common_names(first, second)});
  const bool falls = condition.sign == less || condition.sign == greater_equal;
  const Expr g =
      falls ? condition.left.e - condition.right.e : condition.right.e - condition.left.e;
  const bool strict = condition.sign == less || condition.sign == greater;
  return checked(strict ? expr::choose(g, second.e, first.e) : expr::choose(g, first.e, second.e),
                 names);
}

void bind_conditions(nb::module_& m, nb::class_<Expression>& type) {
  nb::class_<Condition>(m, "Condition",
                        "A comparison of two expressions, for where(); it is neither true nor "
                        "false.")
      .def("__bool__",
           [](const Condition& self) -> bool {
             throw nb::type_error(fmt::format("{} is neither true nor false: expressions have no "
                                              "order; dal.where({}, a, b), dal.min_ and dal.max_ "
                                              "choose",
                                              self.text(60), self.text(60))
                                      .c_str());
           })
      .def("__str__", [](const Condition& self) { return self.text(expr::print_limit); })
      .def("__repr__", [](const Condition& self) { return self.text(shown_characters); });
  bind_comparison<less>(type, "__lt__");
  bind_comparison<less_equal>(type, "__le__");
  bind_comparison<greater>(type, "__gt__");
  bind_comparison<greater_equal>(type, "__ge__");
  m.def(
      "where",
      [](nb::handle condition, nb::handle a, nb::handle b) {
        if (!nb::isinstance<Condition>(condition))
          throw nb::type_error("where needs a comparison of expressions: where(x < y, a, b)");
        return where(nb::cast<const Condition&>(condition), a, b);
      },
      nb::arg("condition").none(), nb::arg("a").none(), nb::arg("b").none(),
      nb::sig("def where(condition: typing.Any, a: typing.Any, b: typing.Any, /) -> Expr"));
}

Expr rate(const Expr& e) {
  const auto highest = expr::find_symbol(e, [](const expr::Symbol& s) { return s.order >= 2; });
  if (highest) {
    throw nb::value_error(fmt::format("{} has no time derivative here: accelerations are the "
                                      "highest that a system contains",
                                      expr::to_text(*highest, 60))
                              .c_str());
  }
  return expr::time_derivative(e);
}

Expression apply(Op function, const Expression& x) {
  const Expr& argument = x.e;
  return checked(expr::apply_function(function, {&argument, 1}), x.names);
}

Expression apply(Op function, const Expression& x, const Expression& y) {
  const std::array<Expr, 2> args{x.e, y.e};
  return checked(expr::apply_function(function, args), common_names(x, y));
}

void bind_functions(nb::module_& m, nb::class_<Expression>& type) {
  for (const expr::FunctionInfo& f : expr::functions()) {
    const Op op = f.op;
    if (op == Op::choose) continue;  // where()
    const std::string name(f.name);
    const auto bind = [&](const std::string& method) {
      if (f.arity == 1) {
        type.def(
            method.c_str(), [op](const Expression& self) { return apply(op, self); },
            fmt::format("{}(self).", name).c_str());
      } else {
        type.def(
            method.c_str(),
            [op](const Expression& self, nb::handle other) {
              return apply(op, self, to_expression(other, self.names));
            },
            nb::sig(fmt::format("def {}(self, other: typing.Any, /) -> Expr", method).c_str()),
            fmt::format("{}(self, other).", name).c_str());
      }
    };
    bind(name);
    if (!f.numpy.empty()) bind(std::string(f.numpy));
    if (f.arity == 1) {
      m.def(
          name.c_str(), [op](nb::handle x) { return apply(op, to_expression(x)); },
          nb::sig(fmt::format("def {}(x: typing.Any, /) -> Expr", name).c_str()));
    } else {
      m.def(
          name.c_str(),
          [op](nb::handle x, nb::handle y) {
            const Expression first = is_expression_like(x) && !nb::isinstance<Expression>(x) &&
                                             nb::isinstance<Expression>(y)
                                         ? to_expression(x, nb::cast<Expression>(y).names)
                                         : to_expression(x);
            return apply(op, first, to_expression(y, first.names));
          },
          nb::sig(fmt::format("def {}(x: typing.Any, y: typing.Any, /) -> Expr", name).c_str()));
    }
  }
}

/// Called for what an expression has not: what people try who know other libraries is told.
[[noreturn]] void no_attribute(const Expression&, std::string_view name) {
  constexpr std::array rates{"dot", "ddot",     "dt",           "diff_t", "v",
                             "a",   "velocity", "acceleration", "rate"};
  const bool rate = std::find(rates.begin(), rates.end(), name) != rates.end();
  throw nb::attribute_error(fmt::format("an expression has no '{}'{}", name,
                                        rate ? "; the velocity is x.d, the acceleration x.dd" : "")
                                .c_str());
}

[[noreturn]] void no_power(const Expression&, nb::handle) {
  throw nb::type_error("a power is written ** in Python; ^ only in texts");
}

Py_hash_t hash_of(const Expression& self) {
  if (self.e.is(Op::constant)) return nb::hash(to_python(self.e.value()));
  std::uint64_t hash = self.e.hash();
  if (self.e.is(Op::symbol) && self.names)
    hash ^= std::hash<std::string>{}(self.names->id) * 0x9e3779b97f4a7c15ULL;
  const auto value = static_cast<Py_hash_t>(hash);
  return value == -1 ? -2 : value;
}

}  // namespace

void bind_expressions(nb::module_& m) {
  bind_names(m);

  nb::class_<Expression> type(
      m, "Expr",
      "A mathematical expression of a system's coordinates, their rates, its parameters and "
      "time.\n\n"
      "Equal expressions are one and the same object inside: comparing, hashing and reusing them\n"
      "costs nothing. Numbers are exact. == makes an Equation.");
  nb::class_<Equality> equation(m, "Equation",
                                "left = right. As a condition: whether both are the same "
                                "expression.");

  type.def(
      "__init__",
      [](Expression* self, nb::handle value) { new (self) Expression(to_expression(value)); },
      nb::arg("value").none(), nb::sig("def __init__(self, value: typing.Any, /) -> None"),
      "A number as an expression: an int, a float, a Fraction, a Decimal or a NumPy scalar. A "
      "float "
      "is the shortest decimal that rounds to it: 0.1 is one tenth.");
  bind_operator<plus>(type, "add");
  bind_operator<minus>(type, "sub");
  bind_operator<times>(type, "mul");
  bind_operator<quotient>(type, "truediv");
  bind_operator<power>(type, "pow");
  type.def("__xor__", &no_power, nb::arg("other").none())
      .def("__rxor__", &no_power, nb::arg("other").none())
      .def("__getattr__", &no_attribute, nb::arg("name"));
  type.def("__neg__", [](const Expression& self) { return Expression{-self.e, self.names}; })
      .def("__pos__", [](const Expression& self) { return self; })
      .def("__abs__", [](const Expression& self) { return apply(Op::abs, self); })
      .def("__floor__", [](const Expression& self) { return apply(Op::floor, self); })
      .def(
          "__eq__",
          [](const Expression& self, nb::handle other) -> nb::object {
            Expression b;
            NamesPointer names;
            if (!operands(self, other, b, names)) return not_implemented();
            return nb::cast(Equality{self, b});
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: typing.Any, /) -> Equation"))
      .def(
          "__ne__",
          [](const Expression& self, nb::handle other) -> nb::object {
            Expression b;
            NamesPointer names;
            if (!operands(self, other, b, names)) return not_implemented();
            return nb::bool_(!expr::same(self.e, b.e));
          },
          nb::arg("other").none(), nb::sig("def __ne__(self, other: typing.Any, /) -> bool"),
          "Whether the two are different expressions.")
      .def("__hash__", &hash_of)
      .def("__bool__",
           [](const Expression& self) -> bool {
             throw nb::type_error(
                 fmt::format("{} is an expression and neither true nor false; compare it: "
                             "a == b is true where both are the same expression",
                             expr::to_text(self.e, 60))
                     .c_str());
           })
      .def("__float__",
           [](const Expression& self) {
             if (!expr::symbols({&self.e, 1}).empty()) {
               throw nb::type_error(
                   fmt::format("{} is an expression, not a number; functions of expressions are "
                               "dal.sin, dal.sqrt, ..., their values come from evaluate()",
                               expr::to_text(self.e, 60))
                       .c_str());
             }
             return expr::evaluate(self.e, [](const expr::Symbol&) { return 0.0; });
           })
      .def(
          "__array_ufunc__",
          [](nb::handle, nb::handle ufunc, nb::handle method, nb::args inputs, nb::kwargs options) {
            return nb::object(nb::module_::import_("dalembert.expressions")
                                  .attr("_ufunc")(ufunc, method, inputs, options));
          },
          nb::sig("def __array_ufunc__(self, ufunc: typing.Any, method: str, *inputs: typing.Any, "
                  "**options: typing.Any) -> typing.Any"),
          "NumPy's functions work on expressions and on arrays of them, element by element.")
      .def("__str__", [](const Expression& self) { return expr::to_text(self.e); })
      .def("__repr__",
           [](const Expression& self) { return expr::to_text(self.e, shown_characters); })
      .def_prop_ro(
          "d", [](const Expression& self) { return checked(rate(self.e), self.names); },
          "The total time derivative.")
      .def_prop_ro(
          "dd", [](const Expression& self) { return checked(rate(rate(self.e)), self.names); },
          "The second total time derivative.");
  bind_conditions(m, type);
  bind_functions(m, type);
  bind_calculus(type, equation);
  bind_graph(type, equation);

  equation
      .def(
          "__init__",
          [](Equality* self, nb::handle left, nb::handle right) {
            const NamesPointer known = nb::isinstance<Expression>(right)
                                           ? nb::cast<Expression>(right).names
                                           : NamesPointer();
            Expression a = to_expression(left, known);
            Expression b = to_expression(right, a.names);
            new (self) Equality{std::move(a), std::move(b)};
          },
          nb::arg("left").none(), nb::arg("right").none(),
          nb::sig("def __init__(self, left: typing.Any, right: typing.Any) -> None"))
      .def_prop_ro("left", [](const Equality& self) { return self.left; })
      .def_prop_ro("right", [](const Equality& self) { return self.right; })
      .def_prop_ro(
          "lhs", [](const Equality& self) { return self.left; }, "The same as left.")
      .def_prop_ro(
          "rhs", [](const Equality& self) { return self.right; }, "The same as right.")
      .def("__bool__", [](const Equality& self) { return expr::same(self.left.e, self.right.e); })
      .def(
          "__eq__",
          [](const Equality& self, nb::handle other) -> nb::object {
            if (!nb::isinstance<Equality>(other)) return not_implemented();
            const auto& b = nb::cast<const Equality&>(other);
            return nb::bool_(expr::same(self.left.e, b.left.e) &&
                             expr::same(self.right.e, b.right.e));
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"),
          "Whether both sides are the same expressions.")
      .def("__hash__",
           [](const Equality& self) {
             return nb::hash(nb::make_tuple(hash_of(self.left), hash_of(self.right)));
           })
      .def("__str__",
           [](const Equality& self) {
             return expr::to_text(self.left.e) + " = " + expr::to_text(self.right.e);
           })
      .def("__repr__", [](const Equality& self) {
        return expr::to_text(self.left.e, shown_characters) + " = " +
               expr::to_text(self.right.e, shown_characters);
      });

  m.attr("t") = Expression{expr::time(), {}};
  m.attr("pi") = Expression{expr::pi(), {}};
  m.def(
      "sympy_names",
      [] {
        nb::dict names;
        for (const expr::FunctionInfo& f : expr::functions()) {
          if (!f.sympy.empty()) names[nb::cast(f.name)] = f.sympy;
        }
        return names;
      },
      nb::sig("def sympy_names() -> dict[str, str]"),
      "SymPy's names of functions, by ours, of those that it has too.");
  m.def("live_nodes", &expr::live_nodes, "Number of nodes of expressions alive in this process.");
}

}  // namespace dalembert::python
