#include "dalembert/model/instants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/validate.hpp"
#include "dalembert/model/vanishing.hpp"

namespace dalembert::model {

namespace {

using expr::Symbol;
using expr::SymbolKind;

/// The value of an expression without symbols.
std::optional<double> number_of(const Expr& e) {
  if (!expr::symbols(std::span(&e, 1)).empty()) return std::nullopt;
  return expr::evaluate(e, [](const Symbol&) { return std::nan(""); });
}

/// c where e is c R, R a reaction and c without motion; nothing otherwise.
std::optional<Expr> factor_of_reaction(const Expr& e) {
  std::vector<Expr> reactions = expr::symbols(std::span(&e, 1));
  const bool moves = std::ranges::any_of(
      reactions, [](const Expr& s) { return s.symbol().kind == SymbolKind::coordinate; });
  std::erase_if(reactions, [](const Expr& s) { return !is_reaction(s.symbol()); });
  if (moves || reactions.size() != 1) return std::nullopt;
  Expr factor = expr::differentiate(e, reactions.front());
  const bool linear = !expr::find_symbol(factor, [](const Symbol& s) { return is_reaction(s); });
  if (!linear || !is_identically_zero(e - factor * reactions.front())) return std::nullopt;
  return factor;
}

bool contains_coordinate(const Expr& e) {
  return expr::find_symbol(e, [](const Symbol& s) { return s.kind == SymbolKind::coordinate; })
      .has_value();
}

/// A part of a gap, as |u|, that has a kink or jump where the gap may be zero, too: there the
/// surface has no normal, or the gap does not tell one side of it from the other. Where the rest of
/// the gap has no coordinates, its value beside the kink tells, |u| - r; else the two may meet.
std::optional<Expr> kink_at_surface(const Expr& gap) {
  static const std::string kink = "a kink";
  for (const Expr& part : expr::postorder(std::span(&gap, 1))) {
    if (!expr::is_function(part.op())) continue;
    const expr::Kinks kinks = expr::function_info(part.op()).kinks;
    const bool is_root = part.is(expr::Op::sqrt) || part.is(expr::Op::hypot);
    if ((kinks == expr::Kinks::none && !is_root) || kinks == expr::Kinks::at_cut) continue;
    if (!std::ranges::any_of(part.args(), contains_coordinate)) continue;
    const Expr beside = expr::substitute(gap, {{part, expr::parameter(kink)}});
    if (contains_coordinate(beside)) {
      if (is_root) continue;  // of what is positive, mostly: (z - f)/sqrt(1 + f'^2)
      return part;
    }
    // With some values of the parameters: what vanishes for these does for all.
    const double value = expr::evaluate(beside, [](const Symbol& s) {
      const auto bits = std::hash<std::string>{}(s.name);
      return s.name == kink ? 0.0 : 1 + static_cast<double>(bits % 1000003) / 1000003;
    });
    if (value == 0 || kinks == expr::Kinks::at_whole_numbers) return part;
  }
  return std::nullopt;
}

class InstantChecks {
 public:
  InstantChecks(const Model& model, Complaints& complaints)
      : model_(model), complaints_(complaints) {
    for (const std::size_t i : model.discretes) {
      if (i < model.parameters.size()) discretes_.insert(model.parameters[i].name);
    }
  }

  void run() {
    check_discretes();
    check_names();
    for (const Contact& contact : model_.contacts) check_contact(contact);
    for (const DryFriction& friction : model_.dry_frictions) check_friction(friction);
    for (const Event& event : model_.events) check_event(event);
    check_contradictions();
  }

 private:
  void complain(Location where, std::string message) { complaints_.add(where, std::move(message)); }

  void check_discretes() {
    for (const Named& parameter : model_.parameters) {
      if (discretes_.empty() || discretes_.contains(parameter.name)) continue;
      const auto found = expr::find_symbol(
          parameter.expr, [&](const Symbol& s) { return discretes_.contains(s.name); });
      if (found)
        complain(parameter.where,
                 fmt::format("parameter {} would not follow {}, which events change: make it a let",
                             in_quotes(parameter.name), in_quotes(found->symbol().name)));
    }
    for (const std::size_t i : model_.discretes) {
      if (i >= model_.parameters.size()) complain({}, "a discrete value is not a parameter");
    }
  }

  void check_names() {
    std::unordered_set<std::string> taken, events;
    for (const Constraint& constraint : model_.constraints) taken.insert(constraint.name);
    for (const Joint& joint : model_.joints) taken.insert(joint.name);
    const auto check = [&](const std::string& name, std::string_view what, Location where,
                           std::unordered_set<std::string>& known) {
      if (name.empty()) {
        complain(where, fmt::format("the name of {} must not be empty", what));
      } else if (!known.insert(name).second) {
        complain(where, fmt::format("{}, the name of {}, is taken already", in_quotes(name), what));
      }
    };
    for (const Contact& contact : model_.contacts)
      check(contact.name, "a contact", contact.where, taken);
    for (const DryFriction& friction : model_.dry_frictions)
      check(friction.name, "friction", friction.where, taken);
    for (const Event& event : model_.events) check(event.name, "an event", event.where, events);
  }

  void check_slips(const std::vector<Located>& slips, const std::string& label, Location where,
                   bool of_joint = false) {
    if (slips.size() > (of_joint ? 3 : 2))
      complain(where, label + ": its slip has one or two components");
    for (const Located& slip : slips) {
      std::vector<Expr> velocities = expr::symbols(std::span(&slip.expr, 1));
      std::erase_if(velocities, [](const Expr& s) {
        return s.symbol().kind != SymbolKind::coordinate || s.symbol().order != 1;
      });
      if (velocities.empty()) {
        complain(slip.where, label + ": its slip contains no velocity");
      } else if (!is_affine(slip.expr, velocities)) {
        complain(slip.where, label + ": its slip is not linear in the velocities");
      }
    }
  }

  void check_not_negative(const std::optional<Located>& value, std::string_view what,
                          const std::string& label) {
    const double x = value ? number_of(value->expr).value_or(0) : 0;
    if (!(x >= 0 && std::isfinite(x)))
      complain(value->where, fmt::format("{}: its {} must not be negative", label, what));
  }

  void check_static(const std::optional<Located>& at_rest, const std::optional<Located>& sliding,
                    std::string_view what, const std::string& label) {
    const double x = at_rest ? number_of(at_rest->expr).value_or(-1) : -1;
    const double y = sliding ? number_of(sliding->expr).value_or(-1) : -1;
    if (x >= 0 && x < y)
      complain(at_rest->where,
               fmt::format("{}: its static {} must not be below the sliding one", label, what));
  }

  /// Of limits that are a number times one reaction each.
  void check_static_factor(const DryFriction& friction, const std::string& label) {
    if (!friction.static_limit) return;
    const auto factor = factor_of_reaction(friction.static_limit->expr - friction.limit.expr);
    const auto number = factor ? number_of(*factor) : std::nullopt;
    if (number && *number < 0)
      complain(friction.static_limit->where,
               label + ": its static limit must not be below the sliding one");
  }

  void check_contact(const Contact& contact) {
    const std::string label = "contact " + in_quotes(contact.name);
    if (!contains_coordinate(contact.gap.expr))
      complain(contact.gap.where, label + ": its gap contains no coordinate");
    if (const auto kink = kink_at_surface(contact.gap.expr))
      complain(contact.gap.where,
               fmt::format("{}: its gap has a kink or jump where it may be zero, in {}: a gap is "
                           "smooth where it touches, and negative beyond; give each side a contact "
                           "of its own",
                           label, expr::to_text(*kink)));
    if (const auto e = number_of(contact.restitution.expr); e && !(*e >= 0 && *e <= 1))
      complain(contact.restitution.where, label + ": its restitution must be from 0 to 1");
    check_not_negative(contact.friction, "friction", label);
    check_not_negative(contact.static_friction, "static friction", label);
    check_static(contact.static_friction, contact.friction, "friction", label);
    if (contact.static_friction && !contact.friction)
      complain(contact.static_friction->where,
               label + " has static friction and needs 'friction', while it slides");
    if (contact.friction && contact.slip.empty())
      complain(contact.friction->where,
               label + " has friction and needs 'slip', the velocity along its surface");
    if (!contact.friction && !contact.slip.empty())
      complain(contact.slip.front().where,
               label + " has no friction: give 'friction', or leave out 'slip'");
    check_slips(contact.slip, label, contact.where);
  }

  void check_friction(const DryFriction& friction) {
    const std::string label = "friction " + in_quotes(friction.name);
    if (friction.slip.empty())
      complain(friction.where, label + " needs 'slip', the velocity with which it slides");
    check_slips(friction.slip, label, friction.where, !friction.joint.empty());
    check_not_negative(friction.limit, "limit", label);
    check_not_negative(friction.static_limit, "static limit", label);
    check_static(friction.static_limit, friction.limit, "limit", label);
    check_static_factor(friction, label);
    check_own_force(friction.limit, friction.name, "limit", label);
    if (friction.static_limit)
      check_own_force(*friction.static_limit, friction.name, "static limit", label);
  }

  void check_own_force(const Located& limit, const std::string& name, std::string_view what,
                       const std::string& label) {
    const std::string own = std::string(reaction_prefix) + name;
    if (expr::find_symbol(limit.expr, [&](const Symbol& s) { return s.name == own; }))
      complain(limit.where, fmt::format("{}: its {} uses its own force, {}", label, what, own));
  }

  void check_event(const Event& event) {
    const std::string label = "event " + in_quotes(event.name);
    if (event.when.has_value() == event.every.has_value())
      complain(event.where, label + " needs one of 'when' and 'every'");
    if (event.when) {
      const auto varies = [&](const Symbol& s) {
        return s.kind != SymbolKind::parameter || is_reaction(s) || discretes_.contains(s.name);
      };
      if (!expr::find_symbol(event.when->expr, varies))
        complain(event.when->where, label + " waits for what never changes");
    }
    if (event.every) {
      const auto changes = expr::find_symbol(
          event.every->expr, [&](const Symbol& s) { return discretes_.contains(s.name); });
      if (changes)
        complain(event.every->where,
                 fmt::format("the period of {} cannot depend on {}, which events change", label,
                             in_quotes(changes->symbol().name)));
      const auto period = number_of(event.every->expr);
      if (period && !is_between(*period, HUGE_VAL))
        complain(event.every->where, between_message("the period of " + label, HUGE_VAL));
    }
    std::set<std::pair<Event::Set::Target, std::size_t>> targets;
    for (const Event::Set& set : event.set) {
      const bool exists = set.target == Event::Set::Target::discrete
                              ? std::find(model_.discretes.begin(), model_.discretes.end(),
                                          set.index) != model_.discretes.end()
                              : set.index < model_.coordinates.size();
      if (!exists) {
        complain(set.value.where, label + " sets what there is not");
      } else if (!targets.emplace(set.target, set.index).second) {
        complain(set.value.where, fmt::format("{} sets {} twice", label, target_name(set)));
      }
    }
  }

  std::string target_name(const Event::Set& set) const {
    switch (set.target) {
      case Event::Set::Target::position:
        return in_quotes(model_.coordinates[set.index]);
      case Event::Set::Target::velocity:
        return in_quotes(model_.coordinates[set.index] + "'");
      case Event::Set::Target::discrete:
        break;
    }
    return in_quotes(model_.parameters[set.index].name);
  }

  /// Whether two events come at the same instants, some of them at least.
  static bool coincide(const Event& a, const Event& b) {
    if (a.every && b.every) return same(a.every->expr, b.every->expr);
    if (!a.when || !b.when) return false;
    using Direction = Event::Direction;
    const bool any = a.direction == Direction::both || b.direction == Direction::both;
    if (same(a.when->expr, b.when->expr)) return any || a.direction == b.direction;
    return same(a.when->expr, -b.when->expr) && (any || a.direction != b.direction);
  }

  void check_contradictions() {
    const std::vector<Event>& events = model_.events;
    for (std::size_t j = 0; j < events.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (!coincide(events[i], events[j])) continue;
        for (const Event::Set& set : events[j].set) {
          const auto other =
              std::find_if(events[i].set.begin(), events[i].set.end(), [&](const Event::Set& s) {
                return s.target == set.target && s.index == set.index &&
                       !same(s.value.expr, set.value.expr);
              });
          if (other == events[i].set.end()) continue;
          complain(
              set.value.where,
              fmt::format("events {} and {} contradict each other: at the same instant they "
                          "set {} to different values",
                          in_quotes(events[i].name), in_quotes(events[j].name), target_name(set)));
        }
      }
    }
  }

  const Model& model_;
  Complaints& complaints_;
  std::unordered_set<std::string> discretes_;
};

}  // namespace

void add_contact(Model& model, const Contact& contact) {
  const std::string of = " of contact " + in_quotes(contact.name);
  const auto require = [&](const Expr& value, Location where, std::string message, bool number) {
    if (!number_of(value))
      model.conditions.push_back({value, false, std::move(message), number, where});
  };
  const auto require_positive = [&](const std::optional<Located>& value, std::string_view what) {
    if (value)
      require(value->expr, value->where, fmt::format("the {}{} must not be negative", what, of),
              true);
  };
  require_positive(contact.restitution, "restitution");
  require(1 - contact.restitution.expr, contact.restitution.where,
          fmt::format("the restitution{} must not be above 1", of), false);
  require_positive(contact.friction, "friction");
  require_positive(contact.static_friction, "static friction");
  if (contact.friction && contact.static_friction)
    require(contact.static_friction->expr - contact.friction->expr, contact.static_friction->where,
            fmt::format("the static friction{} must not be below the sliding one", of), false);
  model.contacts.push_back(contact);
}

void add_dry_friction(Model& model, const DryFriction& friction) {
  const auto moves = [](const Symbol& s) {
    return is_reaction(s) || (s.kind == SymbolKind::coordinate && s.order > 0);
  };
  const auto require = [&](const Located& limit, std::string_view what) {
    if (number_of(limit.expr) || expr::find_symbol(limit.expr, moves)) return;
    model.conditions.push_back(
        {limit.expr, false,
         fmt::format("the {} of friction {} must not be negative", what, in_quotes(friction.name)),
         true, limit.where});
  };
  require(friction.limit, "limit");
  if (friction.static_limit) require(*friction.static_limit, "static limit");
  const std::string below =
      fmt::format("the static limit of friction {} must not be below the sliding one",
                  in_quotes(friction.name));
  if (const auto factor =
          friction.static_limit && friction.joint.empty()
              ? factor_of_reaction(friction.static_limit->expr - friction.limit.expr)
              : std::nullopt;
      factor && !number_of(*factor))
    model.conditions.push_back({*factor, false, below, false, friction.static_limit->where});
  const auto tells = [&](const Expr& e) { return !number_of(e) && !expr::find_symbol(e, moves); };
  if (friction.static_limit && friction.joint.empty() &&
      tells(friction.static_limit->expr - friction.limit.expr))
    model.conditions.push_back({friction.static_limit->expr - friction.limit.expr, false, below,
                                false, friction.static_limit->where});
  model.dry_frictions.push_back(friction);
}

void check_instants(const Model& model, Complaints& complaints) {
  InstantChecks(model, complaints).run();
}

}  // namespace dalembert::model
