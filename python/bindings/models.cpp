/// Models as they are read: the engine's view of a model file.

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdlib>

#include "dalembert/exchange/urdf.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/bundled.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/families.hpp"
#include "dalembert/model/toml/document.hpp"
#include "dalembert/model/toml/literal.hpp"
#include "python/bindings/common.hpp"
#include "python/bindings/scope.hpp"

namespace dalembert::python {

namespace {

PyModel read_text(std::string text, const std::string& name, const NamesPointer& names) {
  auto result = [&] {
    const InterpreterFree free;
    return model::read_model_text(std::move(text), name);
  }();
  return {std::make_shared<const model::Model>(value_or_raise(std::move(result))), names};
}

nb::object optional_expression(const std::optional<model::Located>& located,
                               const NamesPointer& names) {
  if (!located) return nb::none();
  return nb::cast(owned(located->expr, names));
}

nb::list expressions(const std::vector<model::Located>& list, const NamesPointer& names) {
  nb::list result;
  for (const model::Located& item : list) result.append(owned(item.expr, names));
  return result;
}

nb::list named(const std::vector<model::Named>& list, const NamesPointer& names) {
  nb::list result;
  for (const model::Named& item : list)
    result.append(nb::make_tuple(item.name, owned(item.expr, names)));
  return result;
}

const char* adjust_word(model::Adjust adjust) {
  switch (adjust) {
    case model::Adjust::nearest:
      return "nearest";
    case model::Adjust::velocity:
      return "velocity";
    case model::Adjust::none:
      break;
  }
  return "none";
}

/// A number of a TOML file: an int, a float where that is what was written, else the text itself,
/// which is as good a number in a model.
nb::object to_number(std::string_view literal) {
  const std::optional<expr::Rational> exact = model::exact_number(literal);
  std::string digits;
  for (const char c : literal) {
    if (c != '_' && !(c == '+' && digits.empty())) digits += c;
  }
  if (!exact) return nb::cast(digits);
  const bool based = literal.find_first_of("xob") != std::string_view::npos;
  if (based || literal.find_first_of(".eE") == std::string_view::npos)
    return nb::steal(PyLong_FromString(exact->get_num().get_str().c_str(), nullptr, 10));
  const double nearest = std::strtod(digits.c_str(), nullptr);
  if (std::isfinite(nearest) && expr::Expr(nearest).value() == *exact) return nb::float_(nearest);
  return nb::cast(digits);
}

/// Line, column and length of a key, the same of its value, and the offset of the value's literal.
nb::tuple place_of(const model::Entry& entry) {
  const model::Location& key = entry.where;
  const model::Location& value = entry.value.where;
  return nb::make_tuple(key.line, key.column, key.length, value.line, value.column, value.length,
                        entry.value.offset);
}

/// Tables become lists of (key, value, place), so that their order and places are kept.
nb::object to_python(const model::Value& value, std::string_view text) {
  switch (value.kind) {
    case model::Kind::boolean:
      return nb::bool_(model::bare_literal(text, value.offset) == "true");
    case model::Kind::number:
      return to_number(model::bare_literal(text, value.offset));
    case model::Kind::array: {
      nb::list result;
      for (const model::Value& item : value.items) result.append(to_python(item, text));
      return nb::tuple(result);
    }
    case model::Kind::table: {
      nb::list result;
      for (const model::Entry& entry : value.entries)
        result.append(nb::make_tuple(entry.key, to_python(entry.value, text), place_of(entry)));
      return result;
    }
    case model::Kind::string:
    case model::Kind::expression:
      break;
    case model::Kind::date:
      return nb::cast(std::string(model::bare_literal(text, value.offset)));
  }
  return nb::cast(value.text);
}

nb::object parse_toml(const std::string& text, const std::string& name) {
  const model::TextIndex index(text);
  const auto document = [&] {
    const InterpreterFree free;
    return model::parse_document(index);
  }();
  if (!document) {
    const auto source = std::make_shared<const model::Source>(model::Source{name, text});
    raise({source, {document.error()}});
  }
  return to_python(*document, text);
}

void bind_model_class(nb::module_& m) {
  const auto of_names = [](auto member) {
    return [member](const PyModel& self) { return named((*self.model).*member, self.names); };
  };
  const auto of_list = [](auto member) {
    return [member](const PyModel& self) { return expressions((*self.model).*member, self.names); };
  };
  const auto of_energy = [](auto member) {
    return [member](const PyModel& self) {
      return optional_expression((*self.model).*member, self.names);
    };
  };
  nb::class_<PyModel>(m, "Model", "A model as the engine has read it.")
      .def_static("from_text", &read_text, nb::arg("text"), nb::arg("name"), nb::arg("names"),
                  "Reads the text of a model file; `name` stands for the path in messages.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& text, const std::string& name, const NamesPointer& names) {
            return read_text(std::string(text.c_str(), text.size()), name, names);
          },
          nb::arg("text"), nb::arg("name"), nb::arg("names"))
      .def_prop_ro("names", [](const PyModel& self) { return self.names; })
      .def_prop_ro("name", [](const PyModel& self) { return self.model->name; })
      .def_prop_ro("description", [](const PyModel& self) { return self.model->description; })
      .def_prop_ro("text", [](const PyModel& self) { return model::text_of(*self.model); })
      .def_prop_ro("coordinates", [](const PyModel& self) { return self.model->coordinates; })
      .def_prop_ro(
          "parameters",
          [](const PyModel& self) {
            std::vector<model::Named> written = self.model->parameters;
            std::erase_if(written, model::is_internal);
            return named(written, self.names);
          },
          "Names and values, each an expression of those before it.",
          nb::sig("def parameters(self) -> list[tuple[str, Expr]]"))
      .def(
          "parameter_values",
          [](const PyModel& self, const std::map<std::string, std::string>& settings) {
            const std::vector<double> values =
                value_or_raise(model::parameter_values(*self.model, settings));
            nb::dict result;
            for (std::size_t i = 0; i < values.size(); ++i) {
              const model::Named& parameter = self.model->parameters[i];
              if (!model::is_internal(parameter)) result[parameter.name.c_str()] = values[i];
            }
            return result;
          },
          nb::arg("settings") = std::map<std::string, std::string>{},
          nb::sig("def parameter_values(self, settings: typing.Mapping[str, str] = {}) -> "
                  "dict[str, float]"))
      .def_prop_ro("kinetic", of_energy(&model::Model::kinetic),
                   nb::sig("def kinetic(self) -> Expr | None"))
      .def_prop_ro("potential", of_energy(&model::Model::potential),
                   nb::sig("def potential(self) -> Expr | None"))
      .def_prop_ro("dissipation", of_energy(&model::Model::dissipation),
                   nb::sig("def dissipation(self) -> Expr | None"))
      .def_prop_ro(
          "mass_matrix",
          [](const PyModel& self) {
            nb::list rows;
            for (const auto& row : self.model->mass_matrix)
              rows.append(expressions(row, self.names));
            return rows;
          },
          nb::sig("def mass_matrix(self) -> list[list[Expr]]"))
      .def_prop_ro("forces", of_list(&model::Model::forces), "One a coordinate.",
                   nb::sig("def forces(self) -> list[Expr]"))
      .def_prop_ro("virtual_work", of_list(&model::Model::virtual_work), "C, one a coordinate.",
                   nb::sig("def virtual_work(self) -> list[Expr]"))
      .def_prop_ro(
          "constraints",
          [](const PyModel& self) {
            nb::list result;
            for (const model::Constraint& c : self.model->constraints)
              result.append(nb::make_tuple(c.name, owned(c.residual, self.names),
                                           static_cast<int>(model::level(c)), c.weight));
            return result;
          },
          "(name, residual, level, weight); levels are 0 position, 1 velocity, 2 acceleration.",
          nb::sig("def constraints(self) -> list[tuple[str, Expr, int, float]]"))
      .def_prop_ro("quasi_velocities", of_names(&model::Model::quasi_velocities),
                   nb::sig("def quasi_velocities(self) -> list[tuple[str, Expr]]"))
      .def_prop_ro("independent", [](const PyModel& self) { return self.model->independent; })
      .def_prop_ro(
          "initial",
          [](const PyModel& self) {
            const model::Initial& initial = self.model->initial;
            nb::dict result;
            result["q"] = expressions(initial.q, self.names);
            result["v"] = expressions(initial.v, self.names);
            result["adjust"] = adjust_word(initial.adjust);
            result["hold"] = initial.hold;
            result["mu"] = named(initial.mu, self.names);
            return result;
          },
          "Initial positions and velocities as expressions of parameters, and how they are met.",
          nb::sig("def initial(self) -> dict[str, typing.Any]"))
      .def_prop_ro(
          "said_initial",
          [](const PyModel& self) {
            std::vector<std::string> said;
            if (self.model->draft && self.model->draft->initial) {
              for (const model::Definition& value : self.model->draft->initial->values)
                said.push_back(value.name);
            }
            return said;
          },
          "Of which positions and velocities the model says initial values.")
      .def_prop_ro("duration",
                   [](const PyModel& self) {
                     return owned(self.model->simulation.duration.expr, self.names);
                   })
      .def_prop_ro("inputs",
                   [](const PyModel& self) {
                     std::vector<std::string> names;
                     for (const std::size_t i : self.model->inputs)
                       names.push_back(self.model->parameters[i].name);
                     return names;
                   })
      .def_prop_ro("outputs", of_names(&model::Model::outputs),
                   nb::sig("def outputs(self) -> list[tuple[str, Expr]]"))
      .def_prop_ro("reactions", of_names(&model::Model::reactions),
                   "What is recorded of the joints, in terms of multipliers.",
                   nb::sig("def reactions(self) -> list[tuple[str, Expr]]"))
      .def_prop_ro(
          "bodies",
          [](const PyModel& self) {
            nb::list result;
            for (const model::Body& body : self.model->bodies)
              result.append(Geometry{body, self.names});
            return result;
          },
          nb::sig("def bodies(self) -> list[Geometry]"))
      .def_prop_ro(
          "joints",
          [](const PyModel& self) {
            nb::list result;
            for (const model::Joint& joint : self.model->joints)
              result.append(nb::make_tuple(joint.name, std::string(model::to_string(joint.kind)),
                                           nb::make_tuple(joint.bodies[0], joint.bodies[1]),
                                           joint.constraints));
            return result;
          },
          "(name, type, bodies, names of its constraints)",
          nb::sig("def joints(self) -> list[tuple[str, str, tuple[str, str], list[str]]]"));
}

}  // namespace

void bind_models(nb::module_& m) {
  bind_model_class(m);
  bind_scopes(m);
  m.def("parse_toml", &parse_toml, nb::arg("text"), nb::arg("name"),
        nb::sig("def parse_toml(text: str, name: str) -> list[tuple[str, typing.Any, "
                "tuple[int, ...]]]"),
        "A TOML document: tables as lists of (key, value, place), arrays as tuples.");
  m.def(
      "without_families",
      [](const std::string& text, const std::string& name) {
        const InterpreterFree free;
        const auto draft = model::read_draft_text(text, name);
        model::Complaints none;
        const auto plain = draft ? model::written_out(*draft, none) : std::nullopt;
        if (!plain || !none.empty()) return text;
        const auto written = model::to_toml(*plain);
        return written ? *written : text;
      },
      nb::arg("text"), nb::arg("name"),
      "The text of a model with families, indices and sums written out; any other as it is.");
  m.def(
      "import_urdf",
      [](const nb::bytes& text, const std::string& name) {
        auto imported = [&, content = std::string(text.c_str(), text.size())]() mutable {
          const InterpreterFree free;
          return exchange::import_urdf(std::move(content), name);
        }();
        exchange::Imported robot = value_or_raise(std::move(imported));
        return std::make_pair(std::move(robot.toml), std::move(robot.notes));
      },
      nb::arg("text"), nb::arg("name"), "The model file of a robot, and what is to be told of it.");
  m.def(
      "to_c",
      [](const std::string& name, const std::vector<nb::object>& outputs,
         const std::vector<nb::object>& inputs) {
        const auto expressions = [](const std::vector<nb::object>& list) {
          std::vector<expr::Expr> result;
          for (const nb::object& item : list) result.push_back(to_expression(item).e);
          return result;
        };
        return expr::to_c(name, expressions(outputs), expressions(inputs));
      },
      nb::arg("name"), nb::arg("outputs"), nb::arg("inputs"),
      nb::sig("def to_c(name: str, outputs: typing.Sequence[typing.Any], inputs: "
              "typing.Sequence[typing.Any]) -> str"));
  m.def(
      "bundled_models",
      [] {
        nb::list result;
        for (const model::BundledModel& bundled : model::bundled_models())
          result.append(nb::make_tuple(bundled.name, bundled.text));
        return result;
      },
      nb::sig("def bundled_models() -> list[tuple[str, str]]"));
  m.def(
      "indexed_name",
      [](std::string_view base, long index) {
        return expr::indexed_name(base, std::span(&index, 1));
      },
      nb::arg("base"), nb::arg("index"), "The name of a member of a family: th3.");
  m.def("is_name", [](std::string_view text) { return expr::is_name(text); }, nb::arg("text"));
  m.def(
      "is_reserved", [](std::string_view name) { return expr::is_reserved(name); },
      nb::arg("name"));
  m.def(
      "did_you_mean",
      [](std::string_view word, const std::vector<std::string>& candidates) {
        return expr::did_you_mean(word, candidates);
      },
      nb::arg("word"), nb::arg("candidates"));
  m.def("stranger", &stranger, nb::arg("shown"), nb::arg("its"), nb::arg("own"),
        "That what is shown belongs to another system than the one it is used in, and what to do.");
  m.def(
      "owner", [](const Expression& e) { return e.names; }, nb::arg("expression"),
      nb::sig("def owner(expression: Expr) -> Names | None"),
      "Whose names an expression uses; None for those of no system.");
  m.def(
      "to_expr",
      [](nb::handle object, const NamesPointer& names) { return to_expression(object, names); },
      nb::arg("object"), nb::arg("names"),
      "The expression that a number, an Expr or a SymPy expression is.");
  m.def(
      "plain_number", &plain_number, nb::arg("object").none(),
      nb::sig("def plain_number(object: typing.Any) -> typing.Any"),
      "The float of a NumPy scalar of another precision, which is the decimal it shows; anything\n"
      "else as it is.");
  m.def(
      "joint_quantity",
      [](const NamesPointer& names, const std::string& name) {
        return Expression{expr::auxiliary(name), names};
      },
      nb::arg("names"), nb::arg("name"), "What a joint tells, 'pin.fx' say, in an expression.");
  m.attr("largest_model_file") = model::largest_model_file;
}

}  // namespace dalembert::python
