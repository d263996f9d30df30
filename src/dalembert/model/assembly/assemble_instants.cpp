// Instants of the motion: events, contacts, friction that sticks; and the reactions that these and
// the outputs speak of.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/instants.hpp"

namespace dalembert::model {

namespace {

std::string on_line(Location where) {
  return where.line > 0 ? fmt::format(" (line {})", where.line) : "";
}

}  // namespace

void Assembly::assemble_instants() {
  declare_contacts();
  for (std::size_t i = 0; i < draft.contacts.size(); ++i) {
    for (std::size_t k = 0; k < contact_rows[i].size(); ++k)
      assemble_contact(draft.contacts[i], contact_names[i][k], contact_rows[i][k]);
  }
  for (std::size_t i = 0; i < draft.dry_frictions.size(); ++i)
    assemble_dry_friction(draft.dry_frictions[i], dry_friction_names[i]);
  std::unordered_map<std::string, Location> named;
  std::size_t number = 0;
  for (const EventStatement& said : draft.events) {
    const std::string name = title_of(said.name, "an event", "event ", ++number);
    const auto [earlier, is_new] = named.emplace(name, said.where);
    if (!is_new)
      complaints.add(said.where, fmt::format("{} is already the name of an event{}",
                                             in_quotes(name), on_line(earlier->second)));
    assemble_event(said, name, is_new);
  }
}

/// Constraints, joints, contacts and friction share the names behind `reaction.`
void Assembly::declare_contacts() {
  std::unordered_map<std::string, std::pair<std::string_view, Location>> taken;
  std::size_t number = 0;
  for (const ConstraintStatement& said : draft.constraints) {
    ++number;
    taken.emplace(said.name ? said.name->text : fmt::format("constraint {}", number),
                  std::pair{"a constraint", said.name ? said.name->where : said.where});
  }
  for (const JointStatement* said : joints) {
    taken.emplace(said->name, std::pair{"a joint", said->where});
    if (said->friction && !said->friction->slip) {
      taken.emplace(friction_name(said->name), std::pair{"the friction of a joint", said->where});
      force_names.contacts.push_back(friction_name(said->name));
      force_names.contacts.push_back(normal_name(said->name));
    }
  }
  const auto declare = [&](const std::string& name, std::string_view what, Location place) {
    const auto [earlier, is_new] = taken.emplace(name, std::pair{what, place});
    if (is_new) {
      force_names.contacts.push_back(name);
    } else {
      const auto& [of, where] = earlier->second;
      complaints.add(place, fmt::format("{} is already the name of {}{}", in_quotes(name), of,
                                        on_line(where)));
    }
    return is_new ? name : std::string();
  };
  number = 0;
  for (const ContactStatement& said : draft.contacts) {
    const std::string name = title_of(said.name, "a contact", "contact ", ++number);
    contact_rows.push_back(said.bodies ? touches(said, name) : std::vector<TouchRow>(1));
    std::vector<std::string>& names_of_rows = contact_names.emplace_back();
    for (const TouchRow& row : contact_rows.back())
      names_of_rows.push_back(declare(name + row.suffix, "a contact", said.where));
  }
  number = 0;
  for (const DryFrictionStatement& said : draft.dry_frictions)
    dry_friction_names.push_back(
        declare(title_of(said.name, "friction", "friction ", ++number), "friction", said.where));
}

/// The contacts that the shapes of two bodies make; none where there is something to complain of.
std::vector<TouchRow> Assembly::touches(const ContactStatement& said, const std::string& name) {
  const Place& geometry = places::contact_geometry;
  bool good = !said.refused;
  TouchSpec spec;
  spec.name = name;
  spec.where = said.where;
  bodies_named(*said.bodies, spec.bodies, spec.bodies_where, good);
  points_at(said.points, geometry, good, spec.points);
  spec.normal = located(said.normal, geometry, good);
  spec.shape = said.shape;
  spec.radius = located(said.radius, geometry, good);
  spec.length = located(said.length, geometry, good);
  spec.axis = located(said.axis, geometry, good);
  spec.semi_axes = located(said.semi_axes, geometry, good);
  spec.size = located(said.size, geometry, good);
  if (!good) return {};
  Touching found = touching(model, spec, gravity);
  for (const Diagnostic& diagnostic : found.wrong)
    complaints.add(diagnostic.where, diagnostic.message);
  model.conditions.insert(model.conditions.end(), found.conditions.begin(), found.conditions.end());
  return std::move(found.rows);
}

std::vector<Located> Assembly::slips(const std::vector<Formula>& said, bool& good) {
  std::vector<Located> result;
  for (const Formula& slip : said)
    result.push_back(*located(std::optional(slip), places::slip, good));
  return result;
}

void Assembly::assemble_contact(const ContactStatement& said, const std::string& name,
                                const TouchRow& of_shapes) {
  bool good = !said.refused && !name.empty();
  Contact contact;
  contact.name = name;
  contact.where = said.where;
  if (const auto gap = located(said.gap, places::gap, good)) contact.gap = *gap;
  if (said.bodies) {
    contact.gap = {of_shapes.gap, said.where};
    contact.place = of_shapes.place;
  } else if (!said.gap && good) {
    complaints.add(said.where, fmt::format("contact {} needs a gap: the distance that must not be "
                                           "negative",
                                           in_quotes(name)));
    good = false;
  }
  if (const auto e = located(said.restitution, places::contact, good)) contact.restitution = *e;
  contact.impact = said.impact.value_or(ImpactLaw::newton);
  contact.impact_stated = said.impact.has_value();
  contact.friction = located(said.friction, places::contact, good);
  contact.static_friction = located(said.static_friction, places::contact, good);
  contact.slip = slips(said.slip, good);
  if (said.bodies && said.friction) {
    for (const Expr& slip : of_shapes.slip) contact.slip.push_back({slip, said.friction->where});
    if (contact.slip.empty() && good) {
      complaints.add(said.friction->where,
                     fmt::format("contact {}: nothing can slide along its surface: leave out "
                                 "'friction'",
                                 in_quotes(name)));
      good = false;
    }
  }
  if (good) add_contact(model, contact);
}

void Assembly::assemble_dry_friction(const DryFrictionStatement& said, const std::string& name) {
  bool good = !said.refused && !name.empty();
  DryFriction friction;
  friction.name = name;
  friction.where = said.where;
  friction.slip = slips(said.slip, good);
  if (const auto limit = located(said.limit, places::friction_limit, good)) friction.limit = *limit;
  friction.static_limit = located(said.static_limit, places::friction_limit, good);
  if (!said.limit && good) {
    complaints.add(said.where, fmt::format("friction {} needs a limit: the force with which it "
                                           "slides",
                                           in_quotes(name)));
    good = false;
  }
  if (good) add_dry_friction(model, friction);
}

std::optional<Located> Assembly::watched(const EventStatement& said) {
  const Formula& formula = *said.when;
  const bool is_equation = formula.form == Formula::Form::text &&
                           formula.text.find('=') != std::string::npos &&
                           formula.text.find_first_of("<>") == std::string::npos;
  if (is_equation) {
    const auto sides = equations(formula, places::event);
    if (!sides) return std::nullopt;
    if (sides->size() == 1) return Located{sides->front().lhs - sides->front().rhs, formula.where};
    complaints.add(formula.where,
                   "expected an equation between numbers, and this is one of vectors");
    return std::nullopt;
  }
  const std::optional<Expr> left = expression(formula, places::event);
  std::optional<Expr> right = Expr(0);
  if (said.right_side) right = expression(Formula(*said.right_side, formula.where), places::event);
  if (!left || !right) return std::nullopt;
  return Located{*left - *right, formula.where};
}

std::optional<Event::Set> Assembly::set_by_event(const Definition& said, const std::string& event) {
  const std::string_view key = said.name;
  const std::string_view bare = key.substr(0, key.find_last_not_of('\'') + 1);
  const std::size_t primes = key.size() - bare.size();
  const std::optional<Expr> value = expression(said.value, places::event_value);
  const Declaration* target = names.find(bare);
  Event::Set set;
  if (value) set.value = {*value, said.value.where};
  std::string wrong;
  if (target == nullptr) {
    if (names.is_incomplete()) return std::nullopt;
    std::vector<std::string> known = model.coordinates;
    for (const std::size_t i : model.discretes) known.push_back(model.parameters[i].name);
    wrong = fmt::format("unknown {}; an event sets coordinates, velocities and discrete values{}",
                        in_quotes(key), complaints.did_you_mean(bare, known));
  } else if (target->kind == NameKind::coordinate) {
    if (primes > 1)
      wrong = fmt::format("an event sets positions and velocities, not the acceleration {}",
                          in_quotes(key));
    set.target = primes == 0 ? Event::Set::Target::position : Event::Set::Target::velocity;
    set.index = target->index;
  } else if (target->kind == NameKind::parameter && target->discrete) {
    if (primes > 0) wrong = fmt::format("{} is a discrete value; it has no rate", in_quotes(bare));
    const auto found = std::find_if(model.parameters.begin(), model.parameters.end(),
                                    [&](const Named& other) { return other.name == bare; });
    if (found == model.parameters.end()) return std::nullopt;  // complained of
    set.index = static_cast<std::size_t>(found - model.parameters.begin());
  } else if (target->kind == NameKind::parameter) {
    wrong = fmt::format(
        "{} is a parameter, which nothing changes: put it under [discrete] for "
        "event {} to set it",
        in_quotes(bare), in_quotes(event));
  } else {
    wrong =
        fmt::format("{} cannot be set: an event sets coordinates, velocities and discrete values",
                    in_quotes(key));
  }
  if (!wrong.empty()) complaints.add(said.where, wrong);
  return wrong.empty() && value ? std::optional(set) : std::nullopt;
}

void Assembly::assemble_event(const EventStatement& said, const std::string& name, bool is_new) {
  bool good = !said.refused && is_new;
  Event event;
  event.name = name;
  event.where = said.where;
  event.stop = said.stop;
  event.direction = said.direction.value_or(Event::Direction::both);
  if (said.when) event.when = watched(said);
  event.every = located(said.every, places::clock, good);
  const auto refuse = [&](Location where, std::string message) {
    if (good) complaints.add(where, std::move(message));
    good = false;
  };
  if (!said.when && !said.every)
    refuse(said.where, fmt::format("event {} needs 'when', an expression that changes its sign "
                                   "there, or 'every', the period of a clock",
                                   in_quotes(name)));
  if (said.when && said.every)
    refuse(said.every->literal,
           fmt::format("event {} takes 'when' or 'every', not both", in_quotes(name)));
  if (said.every && said.direction)
    refuse(said.direction_where, "a clock has no direction: it goes with 'when'");
  good = good && (!said.when || event.when);
  std::unordered_set<std::string> seen;
  for (const Definition& definition : said.set) {
    if (!seen.insert(definition.name).second) {
      complaints.add(definition.where, fmt::format("event {} sets {} twice", in_quotes(name),
                                                   in_quotes(definition.name)));
      continue;
    }
    const std::optional<Event::Set> set = set_by_event(definition, name);
    if (set) event.set.push_back(*set);
  }
  if (good) model.events.push_back(std::move(event));
}

void Assembly::declare_reactions() {
  std::unordered_set<std::string> known(force_names.contacts.begin(), force_names.contacts.end());
  known.insert(force_names.constraints.begin(), force_names.constraints.end());
  for (const JointStatement* joint : joints) known.insert(joint->name);
  std::unordered_set<std::string> used;  // those of joints' friction have been declared
  for (const std::string& name : model.used_reactions)
    used.insert(std::string(reaction_prefix) + name);
  const auto complain_of = [&](const std::string& parameter, Location where, std::string_view by) {
    const std::string of = parameter.substr(reaction_prefix.size());
    const std::vector<std::string> candidates(known.begin(), known.end());
    complaints.add(where, fmt::format("{}unknown constraint, joint, contact or friction {} in {}{}",
                                      by, in_quotes(of), in_quotes(parameter),
                                      complaints.did_you_mean(of, candidates)));
  };
  const bool lets_have_values = !names.is_incomplete() && complaints.empty();
  for (const LetStatement& said : draft.lets) {
    if (!lets_have_values) break;
    for (const Expr& e : expr::symbols(values_of(said))) {
      const std::string& parameter = e.symbol().name;
      if (!is_reaction(e.symbol()) || known.contains(parameter.substr(reaction_prefix.size())) ||
          !used.insert(parameter).second)
        continue;
      complain_of(parameter, said.value.where, fmt::format("let {}: ", in_quotes(said.name)));
    }
  }
  const auto look = [&](const Expr& e, Location where) {
    for (const Expr& symbol : expr::symbols(std::span(&e, 1))) {
      if (!is_reaction(symbol.symbol()) || !used.insert(symbol.symbol().name).second) continue;
      const std::string& parameter = symbol.symbol().name;
      const std::string of = parameter.substr(reaction_prefix.size());
      if (known.contains(of)) {
        model.used_reactions.push_back(of);
        model.parameters.push_back({parameter, Expr(0), where});
      } else if (!names.is_incomplete()) {  // said by a program
        complain_of(parameter, where, "");
      }
    }
  };
  for (const DryFriction& friction : model.dry_frictions) {
    look(friction.limit.expr, friction.limit.where);
    if (friction.static_limit) look(friction.static_limit->expr, friction.static_limit->where);
  }
  for (const Event& event : model.events) {
    if (event.when) look(event.when->expr, event.when->where);
    for (const Event::Set& set : event.set) look(set.value.expr, set.value.where);
  }
  for (const Named& output : model.outputs) look(output.expr, output.where);
}

}  // namespace dalembert::model
