#include "dalembert/mechanics/servo_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace dalembert::mechanics {

namespace {

using expr::Expr;
using model::Diagnostic;
using model::Located;
using model::Location;

/// Calls use(expression) for all in which an input may stand.
template <class Use>
void each_open_place(model::Model& model, const Use& use) {
  const auto vector = [&](expr::Vector& v) {
    for (std::size_t i = 0; i < 3; ++i) use(v[i]);
  };
  for (Located& force : model.forces) use(force.expr);
  for (model::Named& output : model.outputs) use(output.expr);
  for (model::Named& reaction : model.reactions) use(reaction.expr);
  for (model::Load& load : model.loads) {
    vector(load.force);
    vector(load.torque);
  }
  if (model.by_hand && model.by_hand->forces) {
    for (Expr& force : *model.by_hand->forces) use(force);
  }
  for (model::Joint& joint : model.joints) {
    for (expr::Vector* v : {&joint.force, &joint.moment, &joint.body_force, &joint.body_moment})
      vector(*v);
  }
  for (model::Event& event : model.events) {
    if (event.when) use(event.when->expr);
  }
  for (model::ViewArrow& arrow : model.view.arrows) {
    vector(arrow.at);
    vector(arrow.vector);
  }
}

class Objections {
 public:
  Objections(const model::Model& model, const std::vector<std::string>& inputs)
      : model_(model), inputs_(inputs) {}

  std::vector<Diagnostic> run() {
    if (model_.kinetic) look(model_.kinetic->expr, "the kinetic energy", model_.kinetic->where);
    if (model_.potential)
      look(model_.potential->expr, "the potential energy", model_.potential->where);
    if (model_.dissipation)
      look(model_.dissipation->expr, "the dissipation", model_.dissipation->where);
    for (const auto& row : model_.mass_matrix) {
      for (const Located& entry : row) look(entry.expr, "the mass matrix", entry.where);
    }
    for (const model::Named& parameter : model_.parameters)
      look(parameter.expr, fmt::format("parameter '{}'", parameter.name), parameter.where);
    for (const model::Constraint& constraint : model_.constraints)
      look(constraint.residual, fmt::format("constraint '{}'", constraint.name), constraint.where);
    for (const auto* list : {&model_.initial.q, &model_.initial.v}) {
      for (const Located& value : *list) look(value.expr, "an initial value", value.where);
    }
    for (const model::Named& mu : model_.initial.mu) look(mu.expr, "an initial value", mu.where);
    for (const model::Named& u : model_.quasi_velocities)
      look(u.expr, fmt::format("quasi-velocity '{}'", u.name), u.where);
    look(model_.simulation.duration.expr, "the duration", model_.simulation.duration.where);
    for (const model::Condition& condition : model_.conditions)
      look(condition.value, "what must stay positive", condition.where);
    look_at_view();
    look_at_instants();
    for (const model::Friction& friction : model_.frictions)
      add(fmt::format("the friction of joint '{}' depends on what inputs do, and they on it",
                      friction.joint),
          friction.where);
    for (const Located& work : model_.virtual_work) {
      look(work.expr, "[virtual_work]", work.where);
      if (expr::find_symbol(work.expr, [](const expr::Symbol& s) {
            return s.kind == expr::SymbolKind::ideal_force;
          }))
        add("virtual work that depends on ideal forces depends on what inputs do, and they on it",
            work.where);
    }
    return std::move(found_);
  }

 private:
  void look(const Expr& e, const std::string& place, Location where) {
    const auto used = expr::find_symbol(e, [&](const expr::Symbol& s) {
      return s.kind == expr::SymbolKind::parameter &&
             std::ranges::find(inputs_, s.name) != inputs_.end();
    });
    if (used)
      add(fmt::format("input '{}' stands in {}, and here inputs may stand in forces and outputs",
                      used->symbol().name, place),
          where);
  }

  void look_at_view() {
    const auto vector = [&](const expr::Vector& v, Location where) {
      for (std::size_t i = 0; i < 3; ++i) look(v[i], "[view]", where);
    };
    for (const model::ViewPoint& point : model_.view.points) vector(point.at, point.where);
    for (const model::ViewSegment& segment : model_.view.segments) {
      vector(segment.from, segment.where);
      vector(segment.to, segment.where);
    }
  }

  void look_at_instants() {
    for (const model::Contact& contact : model_.contacts)
      add(fmt::format("contact '{}' opens and closes, and inputs cannot follow that", contact.name),
          contact.where);
    for (const model::DryFriction& friction : model_.dry_frictions)
      add(fmt::format("friction '{}' sticks and slides, and inputs cannot follow that",
                      friction.name),
          friction.where);
    for (const model::Event& event : model_.events) {
      if (event.every) look(event.every->expr, "an event", event.where);
      if (!event.set.empty())
        add(fmt::format("event '{}' sets values, and inputs cannot follow a jump", event.name),
            event.where);
    }
  }

  void add(const std::string& message, Location where) {
    found_.push_back({"servo constraints: " + message, where});
  }

  const model::Model& model_;
  const std::vector<std::string>& inputs_;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> servo_objections(const model::Model& model,
                                         const std::vector<std::string>& inputs) {
  return Objections(model, inputs).run();
}

void put_in(model::Model& model, const expr::ExprMap& laws) {
  each_open_place(model, [&](Expr& e) { e = expr::substitute(e, laws); });
}

void remove_parameters(model::Model& model, const std::vector<std::string>& names) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place;
  std::vector<model::Named> kept;
  for (model::Named& parameter : model.parameters) {
    const bool goes = std::ranges::find(names, parameter.name) != names.end();
    place.push_back(goes ? none : kept.size());
    if (!goes) kept.push_back(std::move(parameter));
  }
  model.parameters = std::move(kept);
  const auto follow = [&](std::vector<std::size_t>& list) {
    for (std::size_t& i : list) i = place[i];
    std::erase(list, none);
  };
  follow(model.discretes);
  follow(model.inputs);
}

}  // namespace dalembert::mechanics
