/// What a program says of a system, as the draft of its model.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string_view>
#include <unordered_set>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/edit.hpp"
#include "dalembert/model/toml/literal.hpp"
#include "dalembert/model/toml/reader.hpp"
#include "python/bindings/common.hpp"
#include "python/bindings/origin.hpp"

namespace dalembert::python {

namespace {

using model::Kind;
using model::Value;

/// Where a value stands, and the key it belongs to.
struct Origin {
  model::Location key = {}, value = {};
  std::size_t offset = std::string::npos;
};

/// (file, line, call) of a program; (line, column, length) of a key, the same of its value and the
/// offset of its literal in a model file; or None.
Origin to_origin(nb::handle written) {
  Origin origin;
  if (written.is_none()) return origin;
  const auto parts = nb::cast<nb::tuple>(written);
  const auto number = [&](std::size_t i) { return nb::cast<int>(parts[i]); };
  if (nb::len(parts) == 3) {
    origin.key.line = number(1);
    origin.key.program =
        program_name(nb::cast<std::string_view>(parts[0]), nb::cast<std::string_view>(parts[2]));
    origin.value = origin.key;
  } else {
    origin.key = {number(0), number(1), number(2)};
    origin.value = {number(3), number(4), number(5)};
    origin.offset = nb::cast<std::size_t>(parts[6]);
  }
  return origin;
}

/// A float as TOML spells it: 2.0, 1e-9.
std::string spelt(double value) {
  std::string text = nb::cast<std::string>(nb::repr(nb::float_(value)));
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::size_t digit = e + 1;
  const bool negative = text[digit] == '-';
  digit = text.find_first_not_of("+-0", digit);
  return text.substr(0, e + 1) + (negative ? "-" : "") + text.substr(digit);
}

Value to_value(nb::handle object, const Origin& origin);

/// A table as a list of (key, value, origin), so that order and places are kept.
Value to_table(const nb::list& entries) {
  Value table;
  table.entries.reserve(nb::len(entries));
  for (const nb::handle item : entries) {
    const auto entry = nb::cast<nb::tuple>(item);
    const Origin origin = to_origin(entry[2]);
    table.entries.push_back(
        {nb::cast<std::string>(entry[0]), origin.key, to_value(entry[1], origin)});
    if (table.where.line == 0) table.where = origin.key;
  }
  return table;
}

Value to_number(nb::handle object, const Origin& origin) {
  Value value;
  value.where = origin.value;
  value.kind = Kind::number;
  if (PyFloat_Check(object.ptr())) {
    value.text = spelt(nb::cast<double>(object));
    return value;
  }
  int overflow = 0;
  if (PyLong_Check(object.ptr())) {
    const long long whole = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0) {
      value.text = fmt::format("{}", whole);
      return value;
    }
  }
  value.kind = Kind::expression;
  value.expression = to_expression(object).e;
  return value;
}

Value to_value(nb::handle object, const Origin& origin) {
  Value value;
  value.where = origin.value;
  value.offset = origin.offset;
  const Origin within{origin.key, origin.value};
  if (nb::isinstance<Expression>(object)) {
    value.kind = Kind::expression;
    value.expression = nb::cast<const Expression&>(object).e;
  } else if (nb::isinstance<nb::str>(object)) {
    value.kind = Kind::string;
    value.text = nb::cast<std::string>(object);
  } else if (nb::isinstance<Equality>(object)) {
    const auto& equation = nb::cast<const Equality&>(object);
    value.kind = Kind::expression;
    value.expression = equation.left.e;
    value.right_side = equation.right.e;
  } else if (nb::isinstance<nb::tuple>(object)) {
    value.kind = Kind::array;
    for (const nb::handle item : nb::cast<nb::tuple>(object))
      value.items.push_back(to_value(item, within));
  } else if (nb::isinstance<nb::dict>(object)) {
    for (const auto& [key, item] : nb::cast<nb::dict>(object))
      value.entries.push_back({nb::cast<std::string>(key), origin.value, to_value(item, within)});
  } else if (nb::isinstance<nb::list>(object)) {
    Value table = to_table(nb::cast<nb::list>(object));
    if (table.where.line == 0) table.where = origin.value;
    return table;
  } else if (PyBool_Check(object.ptr())) {
    value.kind = Kind::boolean;
    value.text = object.ptr() == Py_True ? "true" : "false";
  } else {
    return to_number(object, origin);
  }
  return value;
}

/// A draft, and what is wrong with the form of it.
struct PyDraft {
  std::shared_ptr<const model::Draft> draft;
  model::Complaints complaints;
  NamesPointer names;
};

PyDraft draft_of(const nb::list& statements, const std::string& label, const std::string& text,
                 const nb::list& shown, const NamesPointer& names) {
  const Value document = to_table(statements);
  model::Reader reader(std::make_shared<const model::Source>(model::Source{label, text}));
  reader.draft.is_of_program = true;
  for (const nb::handle item : shown) {
    const auto pair = nb::cast<nb::tuple>(item);
    reader.draft.shown.push_back({nb::cast<std::string>(pair[0]),
                                  {},
                                  model::Formula(nb::cast<const Expression&>(pair[1]).e)});
  }
  reader.read(document);
  return {std::make_shared<const model::Draft>(std::move(reader.draft)),
          std::move(reader.complaints), names};
}

/// An expression with another name in the place of one, also as that of a joint in "pin.fx".
expr::Expr renamed(const expr::Expr& e, const std::string& from, const std::string& to) {
  expr::Expr result = model::renamed(e, from, to);
  for (const expr::Expr& symbol : expr::symbols(std::span(&e, 1))) {
    const expr::Symbol& s = symbol.symbol();
    if (s.kind == expr::SymbolKind::auxiliary && s.name.starts_with(from + "."))
      result = model::renamed(result, s.name, to + s.name.substr(from.size()));
  }
  return result;
}

nb::object renamed_value(nb::handle value, const std::string& from, const std::string& to,
                         const NamesPointer& names) {
  if (nb::isinstance<nb::str>(value))
    return nb::cast(expr::renamed(nb::cast<std::string>(value), from, to));
  if (nb::isinstance<Equality>(value)) {
    const auto& equation = nb::cast<const Equality&>(value);
    return nb::cast(Equality{{renamed(equation.left.e, from, to), names},
                             {renamed(equation.right.e, from, to), names}});
  }
  return nb::cast(Expression{renamed(nb::cast<const Expression&>(value).e, from, to), names});
}

/// The same for a title behind `lambda.` and `reaction.`
nb::object renamed_title(nb::handle value, const std::string& from, const std::string& to,
                         const NamesPointer& names) {
  const auto in_expression = [&](const expr::Expr& e) {
    model::Formula formula(e);
    model::rename_title(formula, from, to);
    return Expression{formula.expr, names};
  };
  if (nb::isinstance<nb::str>(value)) {
    model::Formula formula;
    formula.form = model::Formula::Form::text;
    formula.text = nb::cast<std::string>(value);
    model::rename_title(formula, from, to);
    return nb::cast(formula.text);
  }
  if (nb::isinstance<Equality>(value)) {
    const auto& equation = nb::cast<const Equality&>(value);
    return nb::cast(Equality{in_expression(equation.left.e), in_expression(equation.right.e)});
  }
  return nb::cast(in_expression(nb::cast<const Expression&>(value).e));
}

}  // namespace

const char* program_name(std::string_view file, std::string_view call) {
  static auto& names = *new std::unordered_set<std::string>;
  return names.insert(fmt::format("{}{}{}", file, '\0', call)).first->c_str();
}

std::string_view program_call(const char* program) {
  return program + std::string_view(program).size() + 1;
}

void bind_drafts(nb::module_& m) {
  m.def("renamed", &renamed_value, nb::arg("value"), nb::arg("old"), nb::arg("new"),
        nb::arg("names"),
        nb::sig("def renamed(value: typing.Any, old: str, new: str, names: Names) -> typing.Any"),
        "A text, an expression or an equation with another name in the place of one.");
  m.def("renamed_title", &renamed_title, nb::arg("value"), nb::arg("old"), nb::arg("new"),
        nb::arg("names"),
        nb::sig("def renamed_title(value: typing.Any, old: str, new: str, names: Names) -> "
                "typing.Any"),
        "The same for lambda.TITLE and reaction.TITLE.");
  nb::class_<PyDraft>(m, "Draft", "What is said of a system, typed, each statement with its place.")
      .def_static(
          "of", &draft_of, nb::arg("statements"), nb::arg("label"), nb::arg("text"),
          nb::arg("shown"), nb::arg("names"),
          nb::sig("def of(statements: list[tuple[str, typing.Any, typing.Any]], label: str, text: "
                  "str, shown: list[tuple[str, Expr]], names: Names) -> Draft"),
          "Tables are lists of (key, value, origin) or dicts, arrays are tuples. `label` and "
          "`text`\nare of the file from which some of it was read; `shown` are texts of what\n"
          "expressions may be called in a file.")
      .def(
          "assemble",
          [](const PyDraft& self) {
            auto result = [&] {
              const InterpreterFree free;
              return model::assemble(self.draft, self.complaints);
            }();
            return PyModel{std::make_shared<const model::Model>(value_or_raise(std::move(result))),
                           self.names};
          },
          "The model; raises ModelError with all that is wrong.")
      .def(
          "to_toml",
          [](const PyDraft& self) {
            if (!self.complaints.empty()) {
              model::Complaints told = self.complaints;
              raise({self.draft->source, told.take()});
            }
            auto result = [&] {
              const InterpreterFree free;
              return model::to_toml(*self.draft);
            }();
            return value_or_raise(std::move(result));
          },
          "The model file that says the same.");
}

}  // namespace dalembert::python
