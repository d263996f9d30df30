#pragma once
/// A walk over the mathematics of a draft.

#include <array>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "dalembert/model/draft.hpp"

namespace dalembert::model {

/// Calls `visit` with every formula of a draft, or of one statement of it; `read_only`: of one that
/// stays as it is.
template <class Visit, bool read_only = false>
class Formulas {
  template <class T>
  using Of = std::conditional_t<read_only, const T, T>;

 public:
  explicit Formulas(Visit visit) : visit_(std::move(visit)) {}

  template <class Statement>
  void operator()(Statement& statement) {
    all(statement);
  }

 private:
  void all(Of<Draft>& draft) {
    each(draft.parameters);
    each(draft.discretes);
    each(draft.inputs);
    each(draft.tables);
    each(draft.lets);
    all(draft.gravity);
    each(draft.bodies);
    all(draft.energy);
    for (auto& row : draft.mass_matrix) each(row);
    for (auto* list : {&draft.forces, &draft.virtual_work, &draft.quasi_velocities, &draft.outputs})
      each(*list);
    each(draft.joints);
    each(draft.springs);
    each(draft.point_forces);
    each(draft.constraints);
    each(draft.events);
    each(draft.contacts);
    each(draft.dry_frictions);
    if (draft.initial) {
      each(draft.initial->values);
      each(draft.initial->mu);
    }
    all(draft.simulation.duration);
    all(draft.view.ground);
    each(draft.view.points);
    each(draft.view.segments);
    each(draft.view.arrows);
  }
  template <class First, class Second, class... More>
  void all(First& first, Second& second, More&... more) {
    all(first);
    all(second, more...);
  }
  template <class T>
    requires requires(T& maybe) { maybe.has_value(); }
  void all(T& maybe) {
    if (maybe) all(*maybe);
  }
  template <class T, std::size_t N>
  void all(std::array<T, N>& several) {
    each(several);
  }
  template <class T, std::size_t N>
  void all(const std::array<T, N>& several) {
    each(several);
  }
  template <class List>
  void each(List& list) {
    for (auto& item : list) all(item);
  }
  void all(Of<Formula>& formula) { visit_(formula); }
  void all(Of<VectorFormula>& formula) { each(formula.parts); }
  void all(Of<Definition>& definition) { visit_(definition.value); }
  void all(Of<LetStatement>& let) { all(let.value); }
  void all(Of<Expr>& e) {
    Formula formula(e);
    visit_(formula);
    if constexpr (!read_only) e = formula.expr;
  }
  void all(Of<Vector>& v) {
    for (std::size_t i = 0; i < 3; ++i) all(v[i]);
  }
  void all(Of<TurnStatement>& turn) {
    each(turn.angles);
    all(turn.axis);
    for (auto& row : turn.turn.rotation.m) {
      for (auto& e : row) all(e);
    }
    all(turn.turn.spin, turn.turn.gimbal);
    for (auto& step : turn.turn.steps) {
      all(step.axis);
      each(step.angles);
    }
  }
  void all(Of<Orientation>& orientation) { each(orientation); }
  void all(Of<InertiaStatement>& inertia) { each(inertia.rows); }
  void all(Of<SolidStatement>& solid) { all(solid.radius, solid.length, solid.size, solid.axis); }
  void all(Of<BodyStatement>& body) {
    all(body.position, body.center, body.orientation, body.mass, body.inertia, body.solid);
  }
  void all(Of<FrictionStatement>& friction) {
    all(friction.mu, friction.static_mu, friction.radius, friction.slip);
  }
  void all(Of<JointStatement>& joint) {
    all(joint.points, joint.axes, joint.references, joint.frames, joint.normal, joint.semi_axes,
        joint.length, joint.motion, joint.radius, joint.friction);
  }
  void all(Of<TableStatement>& table) {
    each(table.x);
    each(table.y);
  }
  void all(Of<EnergyStatement>& energy) {
    all(energy.kinetic, energy.potential, energy.dissipation, energy.lagrangian);
  }
  void all(Of<SpringStatement>& spring) {
    all(spring.points, spring.stiffness, spring.damping, spring.rest);
  }
  void all(Of<PointForceStatement>& force) { all(force.point, force.force, force.torque); }
  void all(Of<ConstraintStatement>& constraint) {
    all(constraint.equation, constraint.right_side, constraint.weight);
  }
  void all(Of<EventStatement>& event) {
    all(event.when, event.right_side, event.every);
    each(event.set);
  }
  void all(Of<ContactStatement>& contact) {
    all(contact.gap, contact.restitution, contact.friction, contact.static_friction);
    all(contact.points, contact.normal, contact.axis, contact.semi_axes, contact.size,
        contact.radius, contact.length);
    each(contact.slip);
  }
  void all(Of<DryFrictionStatement>& friction) {
    each(friction.slip);
    all(friction.limit, friction.static_limit);
  }
  void all(Of<ViewPointStatement>& point) { all(point.at, point.radius, point.mass); }
  void all(Of<ViewSegmentStatement>& segment) { all(segment.from, segment.to, segment.radius); }
  void all(Of<ViewArrowStatement>& arrow) { all(arrow.at, arrow.vector); }

  Visit visit_;
};

}  // namespace dalembert::model
