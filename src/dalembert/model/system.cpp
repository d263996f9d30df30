#include "dalembert/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "dalembert/model/assembly/initial_values.hpp"
#include "dalembert/model/energy_of_bodies.hpp"

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
  given_.push_back(false);
  for (auto* flags : {&velocity_given_, &hold_position_, &hold_velocity_}) flags->push_back(false);
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

Body System::add_body(const BodySpec& spec, BodyKind kind) {
  const Body* parent = nullptr;
  for (const Body& other : model_.bodies) {
    if (other.name == spec.name)
      throw std::invalid_argument(
          fmt::format("the system '{}' has a body '{}' already", model_.name, spec.name));
    if (other.name == spec.frame) parent = &other;
  }
  if (!spec.frame.empty() && spec.frame != ground && parent == nullptr)
    throw std::invalid_argument(
        fmt::format("'{}' is not a body of the system '{}'", spec.frame, model_.name));
  if (!spec.quaternion.empty() && spec.quaternion.size() != 4)
    throw std::invalid_argument("a quaternion has four components");
  if (parent != nullptr && parent->kind == BodyKind::particle)
    throw std::invalid_argument(fmt::format("'{}' is a particle: it has no axes", spec.frame));
  Body body;
  body.name = spec.name;
  body.frame = parent == nullptr ? std::string() : spec.frame;
  body.kind = kind;
  body.mass = spec.mass;
  body.inertia = spec.inertia;
  body.center = spec.center;
  Turn turn = spec.orientation;
  body.origin = spec.position;
  if (!spec.quaternion.empty()) {
    std::array<Expr, 4> e;
    std::array<std::size_t, 4> coordinates{};
    for (std::size_t i = 0; i < 4; ++i) {
      e[i] = spec.quaternion[i];
      coordinates[i] = index_of(e[i], 0);
    }
    turn = turn_by_quaternion(e);
    model_.quaternions.push_back(coordinates);
    constrain(spec.name + ".unit", unit_residual(e) == Expr(0));
  }
  body.gimbal = turn.gimbal;
  body.gimbal_axes = turn.gimbal_axes;
  if (parent != nullptr) {
    body.origin = parent->origin + parent->rotation * spec.position;
    const Turn outer{parent->rotation, parent->spin, 1, {}};
    turn = outer * turn;
  }
  body.rotation = turn.rotation;
  body.spin = turn.spin;
  body.center_of_mass = body.origin + body.rotation * body.center;
  body.velocity = expr::time_derivative(body.center_of_mass);
  model_.bodies.push_back(body);
  return body;
}

Body System::body(const BodySpec& spec) {
  return add_body(spec, BodyKind::body);
}

Body System::particle(std::string name, const Expr& mass, const Vector& position,
                      std::string frame) {
  BodySpec spec;
  spec.name = std::move(name);
  spec.mass = mass;
  spec.position = position;
  spec.frame = std::move(frame);
  return add_body(spec, BodyKind::particle);
}

Body System::frame(std::string name, const Vector& position, const Turn& orientation,
                   std::string parent) {
  BodySpec spec;
  spec.name = std::move(name);
  spec.position = position;
  spec.orientation = orientation;
  spec.frame = std::move(parent);
  return add_body(spec, BodyKind::frame);
}

System& System::gravity(const Vector& acceleration) {
  gravity_ = acceleration;
  model_.view.up = acts_along_y(acceleration) ? 'y' : 'z';
  return *this;
}

Vector System::point(const Body& body, const Vector& place) {
  return body.origin + body.rotation * place;
}

System& System::joint(const JointSpec& spec) {
  joints_.push_back(spec);
  return *this;
}

System& System::spring(const SpringSpec& spec) {
  springs_.push_back(spec);
  return *this;
}

System& System::point_force(const PointForceSpec& spec) {
  point_forces_.push_back(spec);
  return *this;
}

std::size_t System::body_index(std::string_view name) const {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    if (model_.bodies[i].name == name) return i;
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not a body of the system '{}'", name, model_.name));
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
  const bool is_position = position_or_velocity.symbol().order == 0;
  (is_position ? q0_ : v0_)[i] = value;
  (is_position ? given_ : velocity_given_)[i] = true;
  return *this;
}

System& System::adjust(Adjust how) {
  model_.initial.adjust = how;
  return *this;
}

System& System::hold(const Expr& position_or_velocity) {
  const std::size_t i = index_of(position_or_velocity, 1);
  (position_or_velocity.symbol().order == 0 ? hold_position_ : hold_velocity_)[i] = true;
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

System& System::shape(std::string_view body, const Solid& solid) {
  model_.bodies[body_index(body)].solid = solid;
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
  add_energy_of_bodies(result, gravity_);
  const auto check = [](const std::vector<Diagnostic>& wrong) {
    if (!wrong.empty()) throw std::invalid_argument(wrong.front().message);
  };
  for (const JointSpec& spec : joints_) check(add_joint(result, spec));
  for (const SpringSpec& spec : springs_) check(add_spring(result, spec));
  for (const PointForceSpec& spec : point_forces_) check(add_point_force(result, spec));
  Lets none;
  InitialValues values(result.coordinates, none);
  const std::size_t n = result.coordinates.size();
  for (std::size_t i = 0; i < n; ++i) {
    values.give(2 * i, q0_[i]);
    values.give(2 * i + 1, v0_[i]);
  }
  for (const auto& e : model_.quaternions) {
    if (std::none_of(e.begin(), e.end(), [this](std::size_t i) { return given_[i]; }))
      values.give(2 * e[0], Expr(1));
  }
  for (std::size_t node = 0; node < 2 * n; ++node) {
    values.resolve(node);
    (node % 2 == 0 ? result.initial.q : result.initial.v).push_back({values.value(node), {}});
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& name = result.coordinates[i];
    if (hold_position_[i]) result.initial.hold.push_back(name);
    if (hold_velocity_[i] || (hold_position_[i] && velocity_given_[i]))
      result.initial.hold.push_back(name + "'");
  }
  return result;
}

}  // namespace dalembert::model
