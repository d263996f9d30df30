#include "python/bindings/scope.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/assembly/lets.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/kinematics.hpp"
#include "dalembert/model/text_index.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

using expr::Expr;
using expr::Failure;
using expr::Vector;

nb::list to_list(const Vector& vector, const NamesPointer& names) {
  nb::list result;
  for (std::size_t i = 0; i < 3; ++i) result.append(owned(vector[i], names));
  return result;
}

nb::list to_rows(const expr::Matrix& matrix, const NamesPointer& names) {
  nb::list result;
  for (const auto& row : matrix.m) result.append(to_list({row[0], row[1], row[2]}, names));
  return result;
}

nb::object to_object(const expr::Value& value, const NamesPointer& names) {
  if (const auto* vector = std::get_if<Vector>(&value)) return to_list(*vector, names);
  return nb::cast(owned(std::get<Expr>(value), names));
}

namespace {

constexpr int most_primes = 2;

std::string in_quotes(std::string_view name) {
  return fmt::format("'{}'", name);
}

Expr derivative(Expr e, int times) {
  for (; times > 0; --times) e = expr::time_derivative(e);
  return e;
}

Vector derivative(Vector v, int times) {
  for (; times > 0; --times) v = expr::time_derivative(v);
  return v;
}

bool is_particle(const model::Body& body) {
  return body.kind == model::BodyKind::particle;
}

Vector to_vector(nb::handle object, const NamesPointer& names) {
  const auto items = nb::cast<nb::sequence>(object);
  if (nb::len(items) != 3) throw nb::value_error("three components are needed");
  Vector result;
  for (std::size_t i = 0; i < 3; ++i) result[i] = to_expression(items[i], names).e;
  return result;
}

/// One of ("axes", letters, angles), ("axis", direction, angle), ("quaternion", components).
model::Turn to_turn(const nb::tuple& written, const NamesPointer& names) {
  const auto kind = nb::cast<std::string>(written[0]);
  const auto expressions = [&](nb::handle list) {
    std::vector<Expr> result;
    for (const nb::handle item : nb::cast<nb::sequence>(list))
      result.push_back(to_expression(item, names).e);
    return result;
  };
  if (kind == "axes") {
    const auto letters = nb::cast<std::string>(written[1]);
    const std::vector<Expr> angles = expressions(written[2]);
    if (angles.size() != letters.size() || letters.find_first_not_of("xyz") != std::string::npos)
      throw nb::value_error("axes need as many angles as letters x, y, z");
    return model::turn_by_axes(letters, angles);
  }
  if (kind == "axis") {
    const Vector direction = to_vector(written[1], names);
    if (direction.is_zero()) throw nb::value_error("an axis needs a direction: this one is zero");
    return model::turn_about(direction / norm(direction), to_expression(written[2], names).e);
  }
  std::vector<Expr> e = expressions(written[1]);
  if (e.size() != 4) throw nb::value_error("a quaternion has four components");
  if (std::none_of(e.begin(), e.end(), model::contains_coordinate)) {
    const Vector v{e[1], e[2], e[3]};
    const Expr square = e[0] * e[0] + dot(v, v);
    if (square.is_zero()) throw nb::value_error("a quaternion must not be zero");
    for (Expr& component : e) component = component / sqrt(square);
  }
  return model::turn_by_quaternion({e[0], e[1], e[2], e[3]});
}

Geometry make_geometry(const NamesPointer& names, const std::string& name, bool particle,
                       const Geometry* parent, nb::handle position, const nb::list& turns,
                       nb::handle center) {
  model::Body body;
  body.name = name;
  body.kind = particle ? model::BodyKind::particle : model::BodyKind::body;
  body.origin = to_vector(position, names);
  body.center = to_vector(center, names);
  model::Turn turn;
  for (const nb::handle written : turns) turn = turn * to_turn(nb::cast<nb::tuple>(written), names);
  if (parent != nullptr) {
    const model::Turn outer{parent->body.rotation, parent->body.spin, 1, {}};
    body.origin = parent->body.origin + outer.rotation * body.origin;
    turn = outer * turn;
  }
  if (!particle) {
    body.rotation = turn.rotation;
    body.spin = turn.spin;
  }
  body.center_of_mass = body.origin + body.rotation * body.center;
  return {body, names, false};
}

}  // namespace

std::string NameScope::unknown(std::string_view name) const {
  std::vector<std::string> known;
  for (const auto& [other, value] : values_) known.push_back(other);
  for (const auto& [other, body] : bodies_) known.push_back(other);
  known.insert(known.end(), joints_.begin(), joints_.end());
  std::sort(known.begin(), known.end());
  return fmt::format("unknown name {}{}", in_quotes(name), expr::did_you_mean(name, known));
}

const model::Body* NameScope::find_body(const std::string& name) {
  auto found = bodies_.find(name);
  if (found == bodies_.end() && missing_ != nullptr && !missing_->is_none()) {
    (*missing_)(name);
    found = bodies_.find(name);
  }
  return found == bodies_.end() ? nullptr : &found->second;
}

NameScope::Meaning NameScope::scalar(std::string_view name, int primes) {
  if (primes > most_primes)
    return Failure{
        fmt::format("{} has {} primes; at most two are allowed", in_quotes(name), primes)};
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos)
    return dotted(name.substr(0, dot), name.substr(dot + 1), primes);
  if (name == "t") {
    if (primes > 0) return Failure{std::string("'t' is time; its rate is 1")};
    return expr::time();
  }
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) {
    if (joints_.contains(std::string(name)))
      return Failure{fmt::format("{0} is a joint; write {0}.fx for its force", name)};
    if (find_body(std::string(name)) != nullptr)
      return Failure{
          fmt::format("{0} is a body; write {0}.x for its place, or point({0}, x, y, z)", name)};
    return Failure{unknown(name)};
  }
  const Expr& e = std::get<Expr>(found->second);
  if (primes > 0 && e.is(expr::Op::symbol) && e.symbol().kind == expr::SymbolKind::parameter)
    return Failure{fmt::format("{} is a parameter; it has no rate", in_quotes(name))};
  return derivative(e, primes);
}

NameScope::Meaning NameScope::dotted(std::string_view owner, std::string_view part, int primes) {
  const std::string name(owner);
  const auto component = [&](const auto& vector, std::string_view letters) -> std::optional<Expr> {
    const std::size_t i = letters.find(part);
    if (part.size() != 1 || i == std::string_view::npos) return std::nullopt;
    return vector[i];
  };
  if (owner == "ideal" || owner == "nonideal") {
    const auto found = values_.find(std::string(part));
    const Expr* e = found == values_.end() ? nullptr : std::get_if<Expr>(&found->second);
    if (e == nullptr || !e->is(expr::Op::symbol) ||
        e->symbol().kind != expr::SymbolKind::coordinate || e->symbol().name != part)
      return Failure{fmt::format("unknown coordinate {} in '{}.{}'", in_quotes(part), owner, part)};
    if (primes > 0)
      return Failure{fmt::format("'{}.{}' is a constraint force; it has no rate", owner, part)};
    return owner == "ideal" ? expr::ideal_force(part) : expr::nonideal_force(part);
  }
  if (owner == "lambda" || owner == "reaction") {
    const std::string title(expr::without_quotes(part));
    if (primes > 0)
      return Failure{fmt::format("'{}.{}' is a constraint force; it has no rate", owner, part)};
    return owner == "lambda" ? expr::multiplier(title) : expr::parameter("reaction." + title);
  }
  if (joints_.contains(name)) {
    if (primes > 0) return Failure{fmt::format("'{}.{}' has no primes", owner, part)};
    return expr::auxiliary(name + "." + std::string(part));
  }
  if (const auto found = values_.find(name); found != values_.end()) {
    if (const auto* v = std::get_if<Vector>(&found->second)) {
      if (const auto e = component(*v, "xyz")) return derivative(*e, primes);
      return Failure{
          fmt::format("{} is a vector: it has the components x, y and z", in_quotes(name))};
    }
    return Failure{unknown(name + "." + std::string(part))};
  }
  const model::Body* body = find_body(name);
  if (body == nullptr) return Failure{unknown(name + "." + std::string(part))};
  if (const auto e = component(body->center_of_mass, "xyz")) return derivative(*e, primes);
  for (std::size_t i = 0; i < 3 && !is_particle(*body); ++i) {
    if (part == model::body_spin[i]) return derivative(body->spin[i], primes);
    for (std::size_t j = 0; j < 3; ++j) {
      if (part == model::body_rotation[i][j]) return derivative(body->rotation[i][j], primes);
    }
  }
  return Failure{fmt::format("{} has no {}; there are x, y, z{}", in_quotes(owner), in_quotes(part),
                             is_particle(*body)
                                 ? ": a particle has a place only"
                                 : " (centre of mass), wx, wy, wz (angular velocity in body axes) "
                                   "and rxx ... rzz (rotation)")};
}

std::optional<expr::Result<Vector, std::string>> NameScope::vector(std::string_view name,
                                                                   int primes) {
  const auto found = values_.find(std::string(name));
  if (found == values_.end() || !std::holds_alternative<Vector>(found->second)) return std::nullopt;
  if (primes > most_primes)
    return Failure{
        fmt::format("{} has {} primes; at most two are allowed", in_quotes(name), primes)};
  return derivative(std::get<Vector>(found->second), primes);
}

expr::Result<Vector, std::string> NameScope::point(std::string_view name, const Vector& place,
                                                   int primes) {
  const model::Body* body = find_body(std::string(name));
  if (body == nullptr) return Failure{fmt::format("{} is not a body", in_quotes(name))};
  if (primes > most_primes)
    return Failure{fmt::format("a point has at most two primes, not {}", primes)};
  if (is_particle(*body) && !place.is_zero())
    return Failure{
        fmt::format("{} is a particle: it has no orientation, and no points but its own place",
                    in_quotes(name))};
  return derivative(body->origin + body->rotation * place, primes);
}

expr::Scope NameScope::scope() {
  return {[this](std::string_view name, int primes) { return scalar(name, primes); },
          [this](std::string_view name, int primes) { return vector(name, primes); },
          [this](std::string_view name, const Vector& place, int primes) {
            return point(name, place, primes);
          },
          [this](std::string_view name) -> std::shared_ptr<const expr::Table> {
            const auto found = tables_.find(std::string(name));
            return found == tables_.end() ? nullptr : found->second;
          }};
}

nb::object NameScope::parse(const std::string& text, const std::string& title, bool equation,
                            const nb::object& missing) {
  // Reading a text may ask for a body, whose own texts are read meanwhile.
  struct Asking {
    const nb::object*& place;
    const nb::object* before;
    ~Asking() { place = before; }
  } const asking{missing_, std::exchange(missing_, &missing)};
  const auto refuse = [&](const expr::ParseError& error) {
    const auto source = std::make_shared<const model::Source>(model::Source{title, text});
    const model::TextIndex index(source->text);
    const std::size_t begin = std::min(error.begin, text.size());
    const auto where = index.location(begin, std::clamp(error.end, begin, text.size()));
    raise({source, {{error.message, where}}});
  };
  if (!equation) {
    const auto value = expr::parse_value(text, scope());
    if (!value) refuse(value.error());
    return to_object(*value, names_);
  }
  const auto equations = expr::parse_equations(text, scope());
  if (!equations) refuse(equations.error());
  nb::list result;
  for (const expr::Equation& e : *equations)
    result.append(Equality{owned(e.lhs, names_), owned(e.rhs, names_)});
  return result;
}

std::shared_ptr<NameScope> scope_of_model(const PyModel& model) {
  auto scope = std::make_shared<NameScope>(model.names);
  const InterpreterFree free;
  for (const model::Meaning& meaning : model::meanings(*model.model->draft)) {
    if (meaning.value) {
      scope->add(meaning.name, *meaning.value);
    } else {
      scope->add_joint(meaning.name);
    }
  }
  for (const model::Body& body : model.model->bodies) scope->add_body(body.name, body);
  for (const auto& table : model.model->tables) scope->add_table(table->name(), table);
  return scope;
}

void bind_scopes(nb::module_& m) {
  nb::class_<Geometry>(m, "Geometry", "Where a body is and how it is turned, in the fixed frame.")
      .def_static(
          "make", &make_geometry, nb::arg("names"), nb::arg("name"), nb::arg("particle"),
          nb::arg("parent").none(), nb::arg("position"), nb::arg("turns"), nb::arg("center"),
          nb::sig("def make(names: Names, name: str, particle: bool, parent: Geometry | None, "
                  "position: typing.Sequence[typing.Any], turns: list[tuple[typing.Any, ...]], "
                  "center: typing.Sequence[typing.Any]) -> Geometry"))
      .def_prop_ro("name", [](const Geometry& self) { return self.body.name; })
      .def_prop_ro("is_particle", [](const Geometry& self) { return is_particle(self.body); })
      .def_prop_ro(
          "origin", [](const Geometry& self) { return to_list(self.body.origin, self.names); },
          nb::sig("def origin(self) -> list[Expr]"))
      .def_prop_ro(
          "position",
          [](const Geometry& self) { return to_list(self.body.center_of_mass, self.names); },
          nb::sig("def position(self) -> list[Expr]"))
      .def_prop_ro(
          "velocity",
          [](const Geometry& self) {
            return to_list(self.has_velocity ? self.body.velocity
                                             : expr::time_derivative(self.body.center_of_mass),
                           self.names);
          },
          nb::sig("def velocity(self) -> list[Expr]"))
      .def_prop_ro(
          "spin", [](const Geometry& self) { return to_list(self.body.spin, self.names); },
          nb::sig("def spin(self) -> list[Expr]"))
      .def_prop_ro(
          "rotation", [](const Geometry& self) { return to_rows(self.body.rotation, self.names); },
          nb::sig("def rotation(self) -> list[list[Expr]]"))
      .def(
          "point",
          [](const Geometry& self, nb::handle place) {
            return to_list(self.body.origin + self.body.rotation * to_vector(place, self.names),
                           self.names);
          },
          nb::arg("place"),
          nb::sig("def point(self, place: typing.Sequence[typing.Any]) -> list[Expr]"));

  nb::class_<NameScope>(m, "Scope", "What the names of a system stand for.")
      .def(nb::new_([](const NamesPointer& names) { return std::make_shared<NameScope>(names); }),
           nb::arg("names"))
      .def_static("of_model", &scope_of_model, nb::arg("model"))
      .def(
          "add",
          [](NameScope& self, const std::string& name, const Expression& value) {
            self.add(name, value.e);
          },
          nb::arg("name"), nb::arg("value"))
      .def(
          "add_vector",
          [](NameScope& self, const std::string& name, nb::handle value) {
            self.add(name, to_vector(value, self.names()));
          },
          nb::arg("name"), nb::arg("value"))
      .def(
          "add_body",
          [](NameScope& self, const std::string& name, const Geometry& geometry) {
            self.add_body(name, geometry.body);
          },
          nb::arg("name"), nb::arg("geometry"))
      .def("add_joint", &NameScope::add_joint, nb::arg("name"))
      .def(
          "add_table",
          [](NameScope& self, const PyTable& table) {
            self.add_table(table.table->name(), table.table);
          },
          nb::arg("table"))
      .def("copy", [](const NameScope& self) { return std::make_shared<NameScope>(self); })
      .def("parse", &NameScope::parse, nb::arg("text"), nb::arg("title"),
           nb::arg("equation") = false, nb::arg("missing").none() = nb::none(),
           nb::sig("def parse(self, text: str, title: str, equation: bool = False, missing: "
                   "typing.Callable[[str], None] | None = None) -> typing.Any"));
}

}  // namespace dalembert::python
