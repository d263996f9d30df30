/// The names of a system.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <mutex>
#include <unordered_map>

#include "dalembert/expr/parse.hpp"
#include "python/bindings/expression.hpp"

namespace dalembert::python {

namespace {

/// The names alive, by id, so that what is unpickled meets what is there already.
std::mutex registry_mutex;
std::unordered_map<std::string, std::weak_ptr<Names>>& registry() {
  static auto& all = *new std::unordered_map<std::string, std::weak_ptr<Names>>;
  return all;
}

NamesPointer names_of(const std::string& system, const std::string& id) {
  const std::lock_guard lock(registry_mutex);
  std::weak_ptr<Names>& place = registry()[id];
  if (NamesPointer alive = place.lock()) return alive;
  const NamesPointer made(new Names{id, system, {}}, [](Names* dead) {
    {
      const std::lock_guard lock_to_forget(registry_mutex);
      const auto found = registry().find(dead->id);
      if (found != registry().end() && found->second.expired()) registry().erase(found);
    }
    delete dead;
  });
  place = made;
  return made;
}

const char* kind_text(NameKind kind) {
  return kind == NameKind::coordinate ? "coordinate" : "parameter";
}

Expression declare(const NamesPointer& names, const std::string& name, NameKind kind) {
  if (!expr::is_name(name)) {
    throw nb::value_error(fmt::format("'{}' is not a name: names begin with a letter or _ and go "
                                      "on with letters, digits and _",
                                      name)
                              .c_str());
  }
  if (expr::is_reserved(name))
    throw nb::value_error(
        fmt::format("'{}' has a meaning already and cannot name a {}", name, kind_text(kind))
            .c_str());
  const auto [place, added] = names->kinds.emplace(name, kind);
  if (place->second != kind) {
    throw nb::value_error(fmt::format("'{}' is a {} of system '{}' and cannot be a {} too", name,
                                      kind_text(place->second), names->system, kind_text(kind))
                              .c_str());
  }
  return {kind == NameKind::coordinate ? expr::coordinate(name) : expr::parameter(name), names};
}

}  // namespace

void bind_names(nb::module_& m) {
  nb::class_<Names>(m, "Names", "The names of one system, which its expressions use.")
      .def(nb::new_([](const std::string& system, const std::string& id,
                       const std::map<std::string, std::string>& kinds) {
             NamesPointer names = names_of(system, id);
             for (const auto& [name, kind] : kinds) {
               names->kinds.emplace(
                   name, kind == "coordinate" ? NameKind::coordinate : NameKind::parameter);
             }
             return names;
           }),
           nb::arg("system"), nb::arg("id"),
           nb::arg("kinds") = std::map<std::string, std::string>(),
           "The names with this id: those that are there already, or new ones.")
      .def_ro("id", &Names::id)
      .def_rw("system", &Names::system, "The name of the system, for messages.")
      .def(
          "coordinate",
          [](const NamesPointer& self, const std::string& name) {
            return declare(self, name, NameKind::coordinate);
          },
          nb::arg("name"), "Declares a coordinate and returns it.")
      .def(
          "parameter",
          [](const NamesPointer& self, const std::string& name) {
            return declare(self, name, NameKind::parameter);
          },
          nb::arg("name"), "Declares a parameter and returns it.")
      .def(
          "forget", [](Names& self, const std::string& name) { self.kinds.erase(name); },
          nb::arg("name"), "The name may be declared anew, as something else.")
      .def(
          "ideal",
          [](const NamesPointer& self, const std::string& name) {
            return Expression{expr::ideal_force(name), self};
          },
          nb::arg("coordinate"), "The ideal part of the constraint force on a coordinate.")
      .def(
          "nonideal",
          [](const NamesPointer& self, const std::string& name) {
            return Expression{expr::nonideal_force(name), self};
          },
          nb::arg("coordinate"), "The nonideal part of the constraint force on a coordinate.")
      .def(
          "multiplier",
          [](const NamesPointer& self, const std::string& name) {
            return Expression{expr::multiplier(name), self};
          },
          nb::arg("constraint"), "The multiplier of a constraint.")
      .def(
          "reaction",
          [](const NamesPointer& self, const std::string& name) {
            return Expression{expr::parameter("reaction." + name), self};
          },
          nb::arg("of"), "The magnitude of the force of a constraint, joint, contact or friction.")
      .def("__contains__",
           [](const Names& self, const std::string& name) { return self.kinds.contains(name); })
      .def(
          "__getitem__",
          [](const NamesPointer& self, const std::string& name) {
            const auto found = self->kinds.find(name);
            if (found == self->kinds.end()) throw nb::key_error(name.c_str());
            return declare(self, name, found->second);
          },
          nb::arg("name"), "The coordinate or parameter of this name.")
      .def("__len__", [](const Names& self) { return self.kinds.size(); })
      .def(
          "kind",
          [](const Names& self, const std::string& name) -> nb::object {
            const auto found = self.kinds.find(name);
            if (found == self.kinds.end()) return nb::none();
            return nb::str(kind_text(found->second));
          },
          nb::arg("name"), nb::sig("def kind(self, name: str) -> str | None"),
          "'coordinate', 'parameter', or None for a name that is neither.")
      .def_prop_ro(
          "kinds",
          [](const Names& self) {
            std::map<std::string, std::string> result;
            for (const auto& [name, kind] : self.kinds) result.emplace(name, kind_text(kind));
            return result;
          },
          "What every name is.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(self.type(), nb::make_tuple(self.attr("system"), self.attr("id"),
                                                              self.attr("kinds")));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"))
      .def(
          "__eq__",
          [](const Names& self, nb::handle other) {
            return nb::isinstance<Names>(other) && nb::cast<const Names&>(other).id == self.id;
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Names& self) { return std::hash<std::string>{}(self.id); })
      .def("__repr__", [](const Names& self) {
        return fmt::format("<{} names of system '{}'>", self.kinds.size(), self.system);
      });
}

}  // namespace dalembert::python
