/// Expressions taken apart and put together, node by node: for pickling and for SymPy.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <unordered_map>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

namespace {

using expr::Expr;
using expr::Op;
using expr::SymbolKind;

constexpr std::array<std::pair<SymbolKind, const char*>, 7> kind_names{
    {{SymbolKind::parameter, "parameter"},
     {SymbolKind::coordinate, "coordinate"},
     {SymbolKind::time, "time"},
     {SymbolKind::ideal_force, "ideal"},
     {SymbolKind::nonideal_force, "nonideal"},
     {SymbolKind::multiplier, "multiplier"},
     {SymbolKind::auxiliary, "auxiliary"}}};

const char* kind_name(SymbolKind kind) {
  for (const auto& [known, name] : kind_names) {
    if (known == kind) return name;
  }
  return "";
}

std::string op_name(Op op) {
  if (op == Op::sum) return "sum";
  if (op == Op::product) return "product";
  if (op == Op::power) return "power";
  return std::string(expr::function_name(op));
}

/// The graph as a list, operands before what uses them: ("number", n), ("pi",), ("symbol", kind,
/// order, name), or (operation, indices of its operands ...).
nb::list nodes(const Expression& self) {
  std::unordered_map<const expr::Node*, std::size_t> place;
  nb::list result;
  for (const Expr& e : expr::postorder(self.e)) {
    place.emplace(e.node(), place.size());
    if (e.is(Op::constant)) {
      result.append(nb::make_tuple("number", to_python(e.value())));
    } else if (e.is(Op::pi)) {
      result.append(nb::make_tuple("pi"));
    } else if (e.is(Op::symbol)) {
      const expr::Symbol& s = e.symbol();
      result.append(nb::make_tuple("symbol", kind_name(s.kind), s.order, s.name));
    } else {
      nb::list row;
      row.append(op_name(e.op()));
      for (const Expr& arg : e.args()) row.append(place.at(arg.node()));
      result.append(nb::tuple(row));
    }
  }
  return result;
}

[[noreturn]] void malformed() {
  throw nb::value_error("this is not the list of the nodes of an expression");
}

template <class T>
T item(nb::handle value) {
  T result{};
  if (!nb::try_cast<T>(value, result)) malformed();
  return result;
}

/// Beyond this an order of differentiation is nothing that anybody took.
constexpr int most_primes = 1000;

Expr leaf(const nb::tuple& row, const std::string& what) {
  if (what == "pi") return expr::pi();
  if (what == "number" && row.size() == 2) return to_expression(row[1]).e;
  if (what != "symbol" || row.size() != 4) malformed();
  const auto kind = item<std::string>(row[1]);
  const int order = item<int>(row[2]);
  const auto symbol = item<std::string>(row[3]);
  for (const auto& [known, name] : kind_names) {
    if (kind != name) continue;
    if (order < 0 || order > most_primes || symbol.empty() ||
        (known == SymbolKind::time && order > 0))
      malformed();
    return expr::symbol({known, order, symbol});
  }
  malformed();
}

Expression from_nodes(const NamesPointer& names, const nb::list& rows) {
  std::vector<Expr> built;
  built.reserve(rows.size());
  for (nb::handle given : rows) {
    if (!nb::isinstance<nb::tuple>(given)) malformed();
    const auto row = nb::borrow<nb::tuple>(given);
    if (row.empty()) malformed();
    const auto what = item<std::string>(row[0]);
    if (what == "number" || what == "pi" || what == "symbol") {
      built.push_back(leaf(row, what));
      continue;
    }
    std::vector<Expr> args;
    for (std::size_t i = 1; i < row.size(); ++i) {
      const auto index = item<std::size_t>(row[i]);
      if (index >= built.size()) malformed();
      args.push_back(built[index]);
    }
    if (what == "sum") {
      built.push_back(expr::sum(args));
    } else if (what == "product") {
      built.push_back(expr::product(args));
    } else if (what == "power" && args.size() == 2) {
      if (args[0].is_zero() && args[1].is(Op::constant) && sgn(args[1].value()) < 0) {
        PyErr_SetString(PyExc_ZeroDivisionError, "zero to a negative power");
        throw nb::python_error();
      }
      built.push_back(expr::pow(args[0], args[1]));
    } else {
      const expr::FunctionInfo* f = expr::find_function(what);
      if (f == nullptr || args.size() != static_cast<std::size_t>(f->arity)) malformed();
      built.push_back(expr::apply_function(f->op, args));
    }
    checked(built.back(), {});
  }
  if (built.empty()) malformed();
  return {built.back(), names};
}

}  // namespace

void bind_graph(nb::class_<Expression>& type, nb::class_<Equality>& equation) {
  type.def_prop_ro(
          "_names", [](const Expression& self) { return self.names; },
          nb::sig("def _names(self) -> Names | None"), "Whose names it uses.")
      .def("_nodes", &nodes, nb::sig("def _nodes(self) -> list[tuple[typing.Any, ...]]"),
           "The graph as a list, operands before what uses them: ('number', n), ('pi',),\n"
           "('symbol', kind, order, name), or (operation, indices of its operands ...).")
      .def_static("_from_nodes", &from_nodes, nb::arg("names").none(), nb::arg("nodes"),
                  "The expression of such a list.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(nb::module_::import_("dalembert.expressions").attr("_restore"),
                                  nb::make_tuple(self.attr("_names"), self.attr("_nodes")()));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def(
          "_sympy_",
          [](nb::handle self) {
            return nb::object(
                nb::module_::import_("dalembert.sympy_bridge").attr("to_sympy")(self));
          },
          nb::sig("def _sympy_(self) -> typing.Any"),
          "The same for SymPy, which calls this in sympify().")
      .def(
          "__copy__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> Expr"))
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); },
          nb::sig("def __deepcopy__(self, memo: typing.Any) -> Expr"));

  equation
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(self.type(),
                                  nb::make_tuple(self.attr("left"), self.attr("right")));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def(
          "_sympy_",
          [](nb::handle self) {
            return nb::object(
                nb::module_::import_("dalembert.sympy_bridge").attr("equation_to_sympy")(self));
          },
          nb::sig("def _sympy_(self) -> typing.Any"),
          "The same for SymPy, which calls this in sympify().")
      .def(
          "__copy__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> Equation"))
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); },
          nb::sig("def __deepcopy__(self, memo: typing.Any) -> Equation"));
}

}  // namespace dalembert::python
