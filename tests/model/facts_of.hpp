#pragma once
/// All that a model says but its places, one fact a line, so that two models can be compared:
/// expressions by their hashes, which tell structures apart.

#include <dalembert/model/model.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace dalembert::model {

class Facts {
 public:
  explicit Facts(const Model& m) {
    add("name {} / {}", m.name, m.description);
    for (const std::string& name : m.coordinates) add("coordinate {}", name);
    named("parameter", m.parameters);
    for (const auto* energy : {&m.kinetic, &m.potential, &m.dissipation}) {
      if (*energy) math("energy", (*energy)->expr);
      add("energy {}", energy->has_value());
    }
    for (const auto& row : m.mass_matrix) {
      add("row");
      located("mass", row);
    }
    located("force", m.forces);
    located("virtual work", m.virtual_work);
    for (const Constraint& c : m.constraints) {
      add("constraint {} weight {} by {}", c.name, c.weight, fmt::join(c.by, " "));
      math("residual", c.residual);
    }
    named("quasi-velocity", m.quasi_velocities);
    for (const std::string& name : m.independent) add("independent {}", name);
    located("q0", m.initial.q);
    located("v0", m.initial.v);
    add("adjust {}", static_cast<int>(m.initial.adjust));
    named("mu", m.initial.mu);
    for (const std::string& name : m.initial.hold) add("hold {}", name);
    simulation(m.simulation);
    named("output", m.outputs);
    for (const Body& body : m.bodies) add_body(body);
    for (const auto& q : m.quaternions) add("quaternion {} {} {} {}", q[0], q[1], q[2], q[3]);
    for (const Joint& joint : m.joints) add_joint(joint);
    for (const Friction& friction : m.frictions) {
      add("friction {}", friction.joint);
      for (const auto* list : {&friction.normal, &friction.direction}) {
        for (const Expr& e : *list) math("friction", e);
      }
    }
    for (const Condition& c : m.conditions) {
      add("condition {} {} {}", c.strict, c.number, c.message);
      math("condition", c.value);
    }
    named("reaction", m.reactions);
    for (const std::size_t i : m.discretes) add("discrete {}", m.parameters[i].name);
    for (const Event& event : m.events) add_event(event);
    for (const Contact& contact : m.contacts) add_contact(contact);
    for (const DryFriction& friction : m.dry_frictions) {
      add("dry friction {}", friction.name);
      located("slip", friction.slip);
      math("limit", friction.limit.expr);
      maybe("static limit", friction.static_limit);
      add("of joint {}", friction.joint);
      for (const Expr& e : friction.normal) math("dry friction", e);
    }
    for (const std::string& name : m.used_reactions) add("uses the reaction {}", name);
    for (const Load& load : m.loads) {
      add("load {}", load.body);
      for (const Vector& v : {load.point, load.force, load.torque}) vector("load", v);
    }
    if (m.by_hand) {
      for (const Expr& e : {m.by_hand->kinetic, m.by_hand->potential, m.by_hand->dissipation})
        math("by hand", e);
    }
    view(m.view);
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    lines_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  void math(std::string_view what, const Expr& e) { add("{} {:016x}", what, e.hash()); }
  void vector(std::string_view what, const Vector& v) {
    for (std::size_t i = 0; i < 3; ++i) math(what, v[i]);
  }
  void maybe(std::string_view what, const std::optional<Expr>& e) {
    add("{} {}", what, e.has_value());
    if (e) math(what, *e);
  }
  void maybe(std::string_view what, const std::optional<Located>& e) {
    maybe(what, e ? std::optional(e->expr) : std::nullopt);
  }
  void named(std::string_view what, const std::vector<Named>& list) {
    for (const Named& item : list) {
      add("{} {}", what, item.name);
      math(what, item.expr);
    }
  }
  void located(std::string_view what, const std::vector<Located>& list) {
    for (const Located& item : list) math(what, item.expr);
  }

  void simulation(const Simulation& s) {
    math("duration", s.duration.expr);
    add("{} {} {} {} {} {} {} {} {}", s.samples, s.rtol, s.atol, s.method, s.integrator,
        static_cast<int>(s.project), s.rank_tolerance, s.max_steps, s.max_step);
    for (const double t : s.times) add("time {}", t);
  }

  void add_body(const Body& body) {
    add("body {} {} in {} gimbal {}", body.name, static_cast<int>(body.kind), body.frame,
        body.gimbal_axes);
    math("mass", body.mass);
    math("gimbal", body.gimbal);
    for (const Matrix* matrix : {&body.inertia, &body.rotation}) {
      for (const auto& row : matrix->m) {
        for (const Expr& e : row) math("matrix", e);
      }
    }
    for (const Vector& v :
         {body.origin, body.spin, body.center, body.center_of_mass, body.velocity})
      vector("pose", v);
    const Solid& solid = body.solid;
    add("solid {}", static_cast<int>(solid.kind));
    maybe("radius", solid.radius);
    maybe("length", solid.length);
    if (solid.size) vector("size", *solid.size);
    vector("axis", solid.axis);
  }

  void add_joint(const Joint& joint) {
    add("joint {} {} {} {} near {}", joint.name, static_cast<int>(joint.kind), joint.bodies[0],
        joint.bodies[1], joint.near);
    for (const std::string& name : joint.constraints) add("of {}", name);
    for (const Vector& v :
         {joint.point, joint.force, joint.moment, joint.body_force, joint.body_moment})
      vector("joint", v);
    for (const auto* list : {&joint.position, &joint.rate}) {
      for (const Expr& e : *list) math("joint", e);
    }
    maybe("motion", joint.motion);
    for (const KeptRow& row : joint.kept) {
      add("kept {}", row.name);
      vector("kept", row.force);
      vector("kept", row.moment);
    }
  }

  void add_event(const Event& event) {
    add("event {} {} {}", event.name, to_string(event.direction), event.stop);
    maybe("when", event.when);
    maybe("every", event.every);
    for (const Event::Set& set : event.set) {
      add("sets {} {}", static_cast<int>(set.target), set.index);
      math("to", set.value.expr);
    }
  }

  void add_contact(const Contact& contact) {
    add("contact {} {} {}", contact.name, to_string(contact.impact), contact.impact_stated);
    math("gap", contact.gap.expr);
    math("restitution", contact.restitution.expr);
    maybe("friction", contact.friction);
    maybe("static friction", contact.static_friction);
    located("slip", contact.slip);
  }

  void view(const View& view) {
    add("up {} {} ground {}", view.up, view.up_sign, !view.no_ground);
    maybe("ground", view.ground);
    for (const ViewPoint& point : view.points) {
      add("point {} {}", point.name, point.trail);
      vector("at", point.at);
      maybe("radius", point.radius);
      maybe("mass", point.mass);
    }
    for (const ViewSegment& segment : view.segments) {
      add("segment {} {}", segment.name, static_cast<int>(segment.style));
      vector("from", segment.from);
      vector("to", segment.to);
      maybe("radius", segment.radius);
    }
    for (const ViewArrow& arrow : view.arrows) {
      add("arrow {} {}", arrow.name, static_cast<int>(arrow.kind));
      vector("at", arrow.at);
      vector("vector", arrow.vector);
    }
  }

  std::vector<std::string> lines_;
};

inline std::vector<std::string> facts_of(const Model& model) {
  return Facts(model).lines();
}

}  // namespace dalembert::model
