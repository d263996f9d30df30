#include "dalembert/model/system.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "dalembert/model/initial_values.hpp"

namespace dalembert::model {

namespace {

std::vector<Located> unlocated(const std::vector<Expr>& components) {
  std::vector<Located> result;
  result.reserve(components.size());
  for (const Expr& e : components) result.push_back({e, {}});
  return result;
}

}  // namespace

System::System(std::string name) {
  model_.name = std::move(name);
}

Expr System::coordinate(std::string_view name) {
  model_.coordinates.emplace_back(name);
  for (auto* components : {&forces_, &virtual_work_, &q0_, &v0_}) components->emplace_back(0);
  return expr::coordinate(name);
}

Expr System::parameter(std::string_view name, const Expr& value) {
  model_.parameters.push_back({std::string(name), value, {}});
  return expr::parameter(name);
}

System& System::description(std::string text) {
  model_.description = std::move(text);
  return *this;
}

System& System::kinetic(const Expr& energy) {
  model_.kinetic = Located{energy, {}};
  return *this;
}

System& System::potential(const Expr& energy) {
  model_.potential = Located{energy, {}};
  return *this;
}

System& System::dissipation(const Expr& rayleigh) {
  model_.dissipation = Located{rayleigh, {}};
  return *this;
}

System& System::mass_matrix(const std::vector<std::vector<Expr>>& M) {
  model_.mass_matrix.clear();
  for (const std::vector<Expr>& row : M) model_.mass_matrix.push_back(unlocated(row));
  return *this;
}

std::size_t System::index_of(const Expr& along, int highest_order) const {
  if (along.is(expr::Op::symbol) && along.symbol().kind == expr::SymbolKind::coordinate &&
      along.symbol().order <= highest_order) {
    for (std::size_t i = 0; i < model_.coordinates.size(); ++i) {
      if (model_.coordinates[i] == along.symbol().name) return i;
    }
    throw std::invalid_argument(fmt::format("'{}' is not a coordinate of the system '{}'",
                                            along.symbol().name, model_.name));
  }
  throw std::invalid_argument(
      fmt::format("the system '{}' expects {} here", model_.name,
                  highest_order == 0 ? "a coordinate" : "a coordinate or a velocity"));
}

System& System::force(const Expr& along, const Expr& value) {
  forces_[index_of(along, 0)] += value;
  return *this;
}

System& System::constrain(std::string name, const expr::Equation& equation, double weight) {
  if (name.empty()) name = fmt::format("constraint {}", model_.constraints.size() + 1);
  model_.constraints.push_back({std::move(name), equation.lhs - equation.rhs, weight, {}});
  return *this;
}

System& System::virtual_work(const Expr& along, const Expr& value) {
  virtual_work_[index_of(along, 0)] += value;
  return *this;
}

System& System::initial(const Expr& position_or_velocity, const Expr& value) {
  const std::size_t i = index_of(position_or_velocity, 1);
  (position_or_velocity.symbol().order == 0 ? q0_ : v0_)[i] = value;
  return *this;
}

System& System::adjust(Adjust how) {
  model_.initial.adjust = how;
  return *this;
}

System& System::mu(std::string constraint, const Expr& value) {
  model_.initial.mu.push_back({std::move(constraint), value, {}});
  return *this;
}

System& System::quasi_velocity(std::string name, const Expr& form) {
  model_.quasi_velocities.push_back({std::move(name), form, {}});
  return *this;
}

System& System::independent(const std::vector<Expr>& chosen) {
  model_.independent.clear();
  for (const Expr& along : chosen)
    model_.independent.push_back(model_.coordinates[index_of(along, 0)]);
  return *this;
}

System& System::output(std::string name, const Expr& value) {
  model_.outputs.push_back({std::move(name), value, {}});
  return *this;
}

Expr System::ideal(const Expr& along) {
  return expr::ideal_force(coordinate_name(along));
}

Expr System::nonideal(const Expr& along) {
  return expr::nonideal_force(coordinate_name(along));
}

const std::string& System::coordinate_name(const Expr& along) {
  if (!along.is(expr::Op::symbol) || along.symbol().kind != expr::SymbolKind::coordinate ||
      along.symbol().order != 0) {
    throw std::invalid_argument("a constraint force stands along a coordinate");
  }
  return along.symbol().name;
}

Model System::model() const {
  Model result = model_;
  result.forces = unlocated(forces_);
  result.virtual_work = unlocated(virtual_work_);
  Lets none;
  InitialValues values(result.coordinates, none);
  const std::size_t n = result.coordinates.size();
  for (std::size_t i = 0; i < n; ++i) {
    values.give(2 * i, q0_[i]);
    values.give(2 * i + 1, v0_[i]);
  }
  for (std::size_t node = 0; node < 2 * n; ++node) {
    values.resolve(node);
    (node % 2 == 0 ? result.initial.q : result.initial.v).push_back({values.value(node), {}});
  }
  return result;
}

}  // namespace dalembert::model
