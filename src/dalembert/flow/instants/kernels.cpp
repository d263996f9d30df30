#include "dalembert/flow/instants/kernels.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/instants/marks.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/model/assembly/places.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using mechanics::Entry;
using mechanics::Equations;

constexpr std::string_view friction_work = "work.friction";
constexpr std::string_view impact_work = "work.impact";

std::string reaction_name(const std::string& of) {
  return std::string(model::reaction_prefix) + of;
}

bool contains_reaction(const Expr& e) {
  return expr::find_symbol(e, [](const expr::Symbol& s) { return model::is_reaction(s); })
      .has_value();
}

/// The model with a constraint for each row of contacts and frictions.
model::Model with_all_rows(const model::Model& model, std::vector<TouchElement>& elements) {
  model::Model all = model;
  all.events.clear();
  all.contacts.clear();
  all.dry_frictions.clear();
  const auto add_slips = [&](TouchElement& element, const std::vector<model::Located>& slips) {
    element.slip = all.constraints.size();
    element.slips = slips.size();
    constexpr std::array<std::string_view, 3> which = {" slip", " slip across", " slip third"};
    for (std::size_t k = 0; k < slips.size(); ++k)
      all.constraints.push_back(
          {element.name + std::string(which[k]), slips[k].expr, 1, slips[k].where});
  };
  std::unordered_set<std::string> discretes;
  for (const std::size_t i : model.discretes) discretes.insert(model.parameters[i].name);
  const auto varies = [&](const std::optional<model::Located>& e) {
    return e && expr::find_symbol(e->expr, [&](const expr::Symbol& s) {
                  return s.kind != expr::SymbolKind::parameter || model::is_reaction(s) ||
                         discretes.contains(s.name);
                }).has_value();
  };
  for (std::size_t i = 0; i < model.contacts.size(); ++i) {
    const model::Contact& contact = model.contacts[i];
    TouchElement element;
    element.has_static = contact.static_friction.has_value();
    element.sliding_varies = varies(contact.friction);
    element.sticking_varies = varies(contact.static_friction);
    element.restitution_varies = varies(contact.restitution);
    element.name = contact.name;
    element.index = i;
    element.gap = all.constraints.size();
    all.constraints.push_back({contact.name + " gap", contact.gap.expr, 1, contact.gap.where});
    add_slips(element, contact.slip);
    elements.push_back(std::move(element));
  }
  for (std::size_t i = 0; i < model.dry_frictions.size(); ++i) {
    const model::DryFriction& friction = model.dry_frictions[i];
    TouchElement element;
    element.has_static = friction.static_limit.has_value();
    element.sliding_varies = varies(friction.limit);
    element.sticking_varies = varies(friction.static_limit);
    element.name = friction.name;
    element.index = i;
    element.limit_of_reactions =
        contains_reaction(friction.limit.expr) ||
        (friction.static_limit && contains_reaction(friction.static_limit->expr));
    add_slips(element, friction.slip);
    elements.push_back(std::move(element));
  }
  return all;
}

/// Whether a row is that of a direction among particles' coordinates: few entries, of coordinates
/// with the same inertia. Then its length measures a force.
bool is_of_directions(const Equations& eq, std::size_t row) {
  std::vector<std::size_t> columns;
  for (const Entry& entry : eq.A) {
    if (entry.row == row) columns.push_back(entry.column);
  }
  if (columns.empty() || columns.size() > 3) return false;
  std::optional<Expr> mass;
  for (const std::size_t column : columns) {
    const auto found = std::find_if(eq.M.begin(), eq.M.end(), [&](const Entry& entry) {
      return entry.row == column && entry.column == column;
    });
    if (found == eq.M.end() || (mass && !same(*mass, found->value))) return false;
    mass = found->value;
  }
  return true;
}

std::vector<ReactionSource> reaction_sources(const model::Model& model, const InstantKernels& k,
                                             std::vector<Expr>& joint_forces) {
  std::vector<ReactionSource> result;
  std::unordered_set<std::string> known;
  const auto ask = [&](const std::string& name, std::vector<Expr> components) {
    result.push_back({name, ReactionSource::Kind::joint, joint_forces.size() / 3});
    components.resize(3, Expr(0));
    joint_forces.insert(joint_forces.end(), components.begin(), components.end());
    known.insert(name);
  };
  for (const TouchElement& element : k.elements) {  // first, as what joints exert contains them
    if (element.is_contact() || model.dry_frictions[element.index].joint.empty()) continue;
    for (std::size_t c = 0; c < element.slips; ++c) {
      const std::string name = model::friction_name(model.dry_frictions[element.index].joint, c);
      result.push_back({name, ReactionSource::Kind::row, element.slip + c});
      known.insert(name);
    }
  }
  for (const model::DryFriction& friction : model.dry_frictions) {
    if (!friction.joint.empty()) ask(model::normal_name(friction.joint), friction.normal);
  }
  for (std::size_t i = 0; i < k.elements.size(); ++i) {
    result.push_back({k.elements[i].name, ReactionSource::Kind::element, i});
    known.insert(k.elements[i].name);
  }
  for (const std::string& name : model.used_reactions) {
    if (!known.insert(name).second) continue;
    const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                    [&](const model::Joint& j) { return j.name == name; });
    if (joint != model.joints.end()) {
      ask(name, {joint->force.x, joint->force.y, joint->force.z});
      continue;
    }
    const auto row = std::find_if(model.constraints.begin(), model.constraints.end(),
                                  [&](const model::Constraint& c) { return c.name == name; });
    const auto index = static_cast<std::size_t>(row - model.constraints.begin());
    result.push_back(
        {name, ReactionSource::Kind::constraint, index, is_of_directions(k.equations, index)});
  }
  return result;
}

void append_values(std::vector<Expr>& list, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) list.push_back(entry.value);
}

void append(std::vector<Expr>& list, const std::vector<Expr>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

std::vector<Expr> geometry_of(const Equations& eq) {
  std::vector<Expr> out;
  const auto each = [&](auto part, const Expr& otherwise) {
    for (const mechanics::ConstraintRow& row : eq.constraints)
      out.push_back(row.level == model::Level::acceleration ? otherwise : part(row));
  };
  each([](const auto& row) { return row.residual; }, Expr(0));
  each([](const auto& row) { return row.rate; }, Expr(0));
  each([](const auto& row) { return row.scale; }, Expr(1));
  each([](const auto& row) { return row.rate_scale; }, Expr(1));
  append_values(out, eq.M);
  append_values(out, eq.A);
  return out;
}

std::vector<Expr> laws_of(const model::Model& model) {
  std::vector<Expr> out;
  for (const model::Contact& contact : model.contacts) {
    const Expr mu = contact.friction ? contact.friction->expr : Expr(0);
    out.push_back(contact.restitution.expr);
    out.push_back(mu);
    out.push_back(contact.static_friction ? contact.static_friction->expr : mu);
  }
  for (const model::DryFriction& friction : model.dry_frictions) {
    out.push_back(friction.limit.expr);
    out.push_back(friction.static_limit ? friction.static_limit->expr : friction.limit.expr);
  }
  return out;
}

/// By reactions, of the limits that contain some.
std::vector<Expr> slopes_of_limits(const model::Model& model, InstantKernels& k) {
  std::vector<Expr> reactions, out;
  for (const ReactionSource& source : k.reactions)
    reactions.push_back(expr::parameter(reaction_name(source.name)));
  for (const TouchElement& element : k.elements) {
    if (!element.limit_of_reactions) continue;
    const std::vector<Expr> slopes =
        expr::gradient(model.dry_frictions[element.index].limit.expr, reactions);
    for (std::size_t r = 0; r < slopes.size(); ++r) {
      const bool of_row = k.reactions[r].kind == ReactionSource::Kind::row;  // which has a sign
      k.linear_limits =
          k.linear_limits && !contains_reaction(slopes[r]) && (!of_row || same(slopes[r], Expr(0)));
    }
    append(out, slopes);
  }
  return out;
}

/// What is known ahead of the whens, and their marks, which are returned.
std::vector<Expr> look_at_whens(const model::Model& model, InstantKernels& k) {
  std::vector<Expr> whens, timed, marks;
  for (const model::Event& event : model.events) {
    if (!event.when) continue;
    const Expr& when = event.when->expr;
    for (Mark& mark : marks_of(when)) {
      k.marks.push_back({whens.size(), mark.pole});
      marks.push_back(std::move(mark.expr));
    }
    if (depends_on_time_alone(when)) {
      k.timed.push_back(whens.size());
      timed.push_back(when);
    }
    whens.push_back(when);
  }
  k.when_kinks = std::make_shared<const TimeKinks>(nullptr, whens, timed, k.equations.parameters);
  k.kinks = std::make_shared<const TimeKinks>(&k.equations, laws_of(model), std::span<const Expr>(),
                                              k.equations.parameters);
  return marks;
}

}  // namespace

std::vector<model::Named> add_instant_outputs(model::Model& model) {
  std::unordered_set<std::string> declared;
  for (const model::Named& parameter : model.parameters) declared.insert(parameter.name);
  std::vector<model::Named> outputs;
  const auto add = [&](const std::string& name, model::Location where) {
    if (declared.insert(name).second) model.parameters.push_back({name, Expr(0), where});
    outputs.push_back({name, expr::parameter(name), where});
  };
  for (const model::Contact& contact : model.contacts)
    add(reaction_name(contact.name), contact.where);
  for (const model::DryFriction& friction : model.dry_frictions)
    add(reaction_name(friction.name), friction.where);
  if (!outputs.empty()) {
    add(std::string(friction_work), {});
    add(std::string(impact_work), {});
  }
  return outputs;
}

InstantKernels make_instant_kernels(const model::Model& model,
                                    const std::vector<model::Named>& outputs) {
  InstantKernels k;
  const model::Model all = with_all_rows(model, k.elements);
  k.equations = mechanics::lagrange(all);
  const Equations& eq = k.equations;
  k.n = model.coordinates.size();
  k.constraints = model.constraints.size();
  k.rows = all.constraints.size();
  k.contacts = model.contacts.size();
  k.discretes = model.discretes;
  k.has_nonideal =
      std::any_of(eq.C.begin(), eq.C.end(), [](const Expr& c) { return !same(c, Expr(0)); });
  k.reactions = reaction_sources(model, k, k.joint_forces);

  std::vector<Expr> inputs = state_symbols(eq);
  std::unordered_set<std::string> changing;
  const auto add_changing = [&](const std::string& name) {
    inputs.push_back(expr::parameter(name));
    changing.insert(name);
  };
  for (const std::size_t i : k.discretes) add_changing(model.parameters[i].name);
  for (const ReactionSource& source : k.reactions) add_changing(reaction_name(source.name));
  for (const Expr& q : eq.q) inputs.push_back(expr::coordinate(q.symbol().name, 2));
  for (const Expr& q : eq.q) inputs.push_back(expr::ideal_force(q.symbol().name));
  for (const Expr& q : eq.q) inputs.push_back(expr::nonideal_force(q.symbol().name));
  for (const model::Constraint& constraint : model.constraints)
    inputs.push_back(expr::multiplier(constraint.name));
  add_changing(std::string(friction_work));
  add_changing(std::string(impact_work));

  std::vector<Expr> parameters;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    if (changing.contains(model.parameters[i].name)) continue;
    k.bound.push_back(i);
    parameters.push_back(expr::parameter(model.parameters[i].name));
  }
  const auto kernel = [&](const std::vector<Expr>& out) {
    return codegen::make_kernel(codegen::make_tape(out, inputs, parameters));
  };

  std::vector<Expr> dynamics;
  append_values(dynamics, eq.M);
  append_values(dynamics, eq.A);
  append(dynamics, eq.Q);
  append(dynamics, eq.b);
  append(dynamics, eq.C);
  append(dynamics, {eq.applied_power, eq.other_power, eq.kinetic});
  for (const mechanics::ConstraintRow& row : eq.constraints)
    dynamics.push_back(row.level == model::Level::acceleration ? Expr(0) : row.rate);
  k.dynamics = kernel(dynamics);
  k.geometry = kernel(geometry_of(eq));
  k.laws = kernel(laws_of(model));
  k.forces = kernel(k.joint_forces);
  k.limit_slopes = kernel(slopes_of_limits(model, k));
  std::vector<Expr> watched, rates, settings;
  const auto each_row = [&](auto part) {
    for (std::size_t j = k.constraints; j < k.rows; ++j) watched.push_back(part(eq.constraints[j]));
  };
  each_row([](const auto& row) { return row.residual; });
  each_row([](const auto& row) { return row.rate; });
  each_row([](const auto& row) { return row.scale; });
  each_row([](const auto& row) { return row.rate_scale; });
  for (const model::Event& event : model.events) {
    if (event.when) {
      watched.push_back(event.when->expr);
      const bool known = !contains_reaction(event.when->expr);
      k.rate_known.push_back(known);
      rates.push_back(known ? expr::dot(event.when->expr) : Expr(0));
    }
    for (const model::Event::Set& set : event.set) settings.push_back(set.value.expr);
  }
  append(watched, rates);
  append(watched, look_at_whens(model, k));
  k.watched = kernel(watched);
  k.settings = kernel(settings);
  std::vector<Expr> observed{eq.kinetic, eq.potential, eq.h};
  for (const model::Named& output : outputs) observed.push_back(output.expr);
  k.observables = kernel(observed);
  return k;
}

}  // namespace dalembert::flow
