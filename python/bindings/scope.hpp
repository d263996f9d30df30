#pragma once
/// What the names of a system stand for, so that texts can be read while the system is being
/// written, and the geometry of bodies.

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/parse.hpp"
#include "dalembert/model/body.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

/// Where a body is and how it is turned, in the fixed frame.
struct Geometry {
  model::Body body;
  NamesPointer names;
  bool has_velocity = true;  ///< else it is found when asked for
};

/// An expression of a system; a number belongs to none.
inline Expression owned(const expr::Expr& e, const NamesPointer& names) {
  const bool is_number = e.is(expr::Op::constant) || e.is(expr::Op::pi);
  return {e, is_number ? NamesPointer() : names};
}

/// A number as Python sees it: an Expr, or a list of three for a vector.
nb::object to_object(const expr::Value& value, const NamesPointer& names);
nb::list to_list(const expr::Vector& vector, const NamesPointer& names);
nb::list to_rows(const expr::Matrix& matrix, const NamesPointer& names);

/// Coordinates, parameters, lets, bodies and joints by name. Unlike the reader of model files it
/// grows name by name, and each text costs only its own length.
class NameScope {
 public:
  explicit NameScope(NamesPointer names) : names_(std::move(names)) {}

  void add(const std::string& name, expr::Value value) { values_[name] = std::move(value); }
  void add_body(const std::string& name, model::Body body) { bodies_[name] = std::move(body); }
  void add_joint(const std::string& name) { joints_.insert(name); }
  void add_table(const std::string& name, std::shared_ptr<const expr::Table> table) {
    tables_[name] = std::move(table);
  }
  const NamesPointer& names() const { return names_; }

  /// The expression or vector of a text, or the list of its equations. `title` names it in
  /// messages; `missing` is called with the name of a body that is not known here and may add it.
  nb::object parse(const std::string& text, const std::string& title, bool equation,
                   const nb::object& missing);

 private:
  using Meaning = expr::Result<expr::Expr, std::string>;

  expr::Scope scope();
  Meaning scalar(std::string_view name, int primes);
  Meaning dotted(std::string_view owner, std::string_view part, int primes);
  std::optional<expr::Result<expr::Vector, std::string>> vector(std::string_view name, int primes);
  expr::Result<expr::Vector, std::string> point(std::string_view body, const expr::Vector& place,
                                                int primes);
  const model::Body* find_body(const std::string& name);
  std::string unknown(std::string_view name) const;

  NamesPointer names_;
  std::unordered_map<std::string, expr::Value> values_;
  std::unordered_map<std::string, model::Body> bodies_;
  std::unordered_set<std::string> joints_;
  std::unordered_map<std::string, std::shared_ptr<const expr::Table>> tables_;
  const nb::object* missing_ = nullptr;  ///< of the text being read
};

/// All names of a model.
std::shared_ptr<NameScope> scope_of_model(const PyModel& model);

void bind_scopes(nb::module_& m);

}  // namespace dalembert::python
