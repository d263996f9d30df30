#include "dalembert/model/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/names.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/instants.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/solve/method.hpp"

namespace dalembert::model {

using expr::Symbol;
using expr::SymbolKind;

namespace {

constexpr auto methods = [] {
  std::array<std::string_view, solve::methods.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = solve::methods[i].second;
  return names;
}();
constexpr std::array<std::string_view, 4> integrators = {"rk8", "taylor", "bdf", "auto"};
constexpr std::array<std::string_view, 2> precisions = {"double", "extended"};

/// Those of the symbols that are derivatives of coordinates, of one order.
std::vector<Expr> of_order(std::vector<Expr> symbols, int order) {
  std::erase_if(symbols, [order](const Expr& s) {
    return s.symbol().kind != SymbolKind::coordinate || s.symbol().order != order;
  });
  return symbols;
}

/// One expression of the model with its place, and what to put before a complaint about it.
struct Item {
  const Expr* expr;
  Location where;
  std::string label;
};

class Validation {
 public:
  explicit Validation(const Model& model) : model_(model) {}

  std::vector<Diagnostic> run() {
    for (const Joint& joint : model_.joints) {
      for (const KeptRow& row : joint.kept) kept_.insert(row.factor().symbol().name);
    }
    check_names();
    check_parameters();
    check_unconstrained();
    check_components("forces", model_.forces, places::force);
    check_components("virtual_work", model_.virtual_work, places::virtual_work);
    check_constraints();
    check_quasi_velocities();
    check_independent();
    check_initial();
    check_hold();
    check_simulation();
    check_outputs();
    check_reactions();
    check_frictions();
    check_contents_of_instants();
    check_instants(model_, complaints_);
    check_shapes();
    check_view();
    return complaints_.take();
  }

 private:
  void complain(Location where, std::string message) { complaints_.add(where, std::move(message)); }

  std::optional<std::string> objection_to(const Symbol& s, const Place& place) const {
    if (auto reason = objection(s, place)) return reason;
    const bool of_coordinate = s.kind == SymbolKind::coordinate ||
                               s.kind == SymbolKind::ideal_force ||
                               s.kind == SymbolKind::nonideal_force;
    if (of_coordinate && !names_.is_coordinate(s.name)) {
      return fmt::format("unknown coordinate {} in {}", in_quotes(s.name), place.name);
    }
    if (s.kind == SymbolKind::multiplier && !constraints_.contains(s.name) &&
        !kept_.contains(s.name))
      return fmt::format("unknown constraint {} in {}", in_quotes(s.name), place.name);
    if (s.kind == SymbolKind::auxiliary)
      return fmt::format("unknown auxiliary {} in {}", in_quotes(s.name), place.name);
    if (s.kind == SymbolKind::parameter) {
      const Declaration* found = names_.find(s.name);
      if (found == nullptr || found->kind != NameKind::parameter) {
        return fmt::format("unknown parameter {} in {}", in_quotes(s.name), place.name);
      }
    }
    return std::nullopt;
  }

  /// Checks what the expressions contain: first all at once, so that what they share is looked at
  /// once, and one by one only if there is something to find.
  void check_content(std::span<const Item> items, const Place& place) {
    std::vector<Expr> roots;
    for (const Item& item : items) roots.push_back(*item.expr);
    const auto bad = [&](const Expr& s) { return objection_to(s.symbol(), place).has_value(); };
    const std::vector<Expr> all = expr::symbols(roots);
    if (std::none_of(all.begin(), all.end(), bad)) return;
    for (const Item& item : items) {
      for (const Expr& s : expr::symbols(std::span(item.expr, 1))) {
        if (const auto reason = objection_to(s.symbol(), place)) {
          complain(item.where, item.label + *reason);
          break;
        }
      }
    }
  }

  void check_names() {
    if (model_.coordinates.empty()) complain({}, "no coordinates: a system needs at least one");
    for (std::size_t i = 0; i < model_.coordinates.size(); ++i) {
      names_.declare(model_.coordinates[i], {NameKind::coordinate, i, {}}, complaints_);
    }
    for (std::size_t i = 0; i < model_.parameters.size(); ++i) {
      const Named& parameter = model_.parameters[i];
      const Declaration declaration{NameKind::parameter, i, parameter.where};
      if (is_internal(parameter)) {
        names_.declare_internal(parameter.name, declaration);
      } else {
        names_.declare(parameter.name, declaration, complaints_);
      }
    }
  }

  void check_parameters() {
    for (std::size_t i = 0; i < model_.parameters.size(); ++i) {
      const Named& parameter = model_.parameters[i];
      const Item item{&parameter.expr, parameter.where, ""};
      check_content(std::span(&item, 1), places::parameter);
      for (const Expr& s : expr::symbols(std::span(&parameter.expr, 1))) {
        const Declaration* other = names_.find(s.symbol().name);
        if (other == nullptr || other->kind != NameKind::parameter || other->index < i) continue;
        complain(parameter.where,
                 fmt::format("parameter {} uses {}, which does not come before it",
                             in_quotes(parameter.name), in_quotes(s.symbol().name)));
      }
    }
  }

  void check_unconstrained() {
    const auto check = [&](const std::optional<Located>& energy, const Place& place) {
      if (!energy) return;
      const Item item{&energy->expr, energy->where, ""};
      check_content(std::span(&item, 1), place);
    };
    check(model_.kinetic, places::kinetic);
    check(model_.potential, places::potential);
    check(model_.dissipation, places::dissipation);
    Location energy;
    for (const auto* part : {&model_.kinetic, &model_.potential, &model_.dissipation}) {
      if (*part && energy.line == 0) energy = (*part)->where;
    }
    const bool any_energy = model_.kinetic || model_.potential || model_.dissipation;
    if (!model_.mass_matrix.empty()) {
      if (any_energy)
        complain(energy, "[energy] and mass_matrix exclude each other: give one of them");
      check_mass_matrix();
    } else if (!model_.kinetic) {
      complain(energy, "no kinetic energy: give [energy] kinetic or mass_matrix");
    }
  }

  void check_mass_matrix() {
    const auto& M = model_.mass_matrix;
    const std::size_t n = model_.coordinates.size();
    Location where;
    if (!M.front().empty()) where = M.front().front().where;
    if (M.size() != n) {
      complain(where,
               fmt::format("mass_matrix has {} row{}, but there {} {} coordinate{}", M.size(),
                           M.size() == 1 ? "" : "s", n == 1 ? "is" : "are", n, n == 1 ? "" : "s"));
      return;
    }
    bool square = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (!M[i].empty()) where = M[i].front().where;
      if (M[i].size() == n) continue;
      square = false;
      complain(where, fmt::format("row {} of mass_matrix has {} entr{} instead of {}", i + 1,
                                  M[i].size(), M[i].size() == 1 ? "y" : "ies", n));
    }
    if (!square) return;
    std::vector<Item> items;
    for (const auto& row : M) {
      for (const Located& entry : row) items.push_back({&entry.expr, entry.where, ""});
    }
    check_content(items, places::mass_matrix);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (same(M[i][j].expr, M[j][i].expr)) continue;
        complain(M[i][j].where,
                 fmt::format("mass_matrix is not symmetric: row {}, column {} differs from row {}, "
                             "column {}",
                             i + 1, j + 1, j + 1, i + 1));
      }
    }
  }

  void check_components(std::string_view what, const std::vector<Located>& components,
                        const Place& place) {
    if (components.size() != model_.coordinates.size()) {
      complain({}, fmt::format("{} has {} components instead of {}", what, components.size(),
                               model_.coordinates.size()));
      return;
    }
    std::vector<Item> items;
    for (const Located& component : components)
      items.push_back({&component.expr, component.where, ""});
    check_content(items, place);
  }

  void check_constraints() {
    std::vector<Item> items;
    for (const Constraint& constraint : model_.constraints) {
      const std::string label = "constraint " + in_quotes(constraint.name);
      if (constraint.name.empty())
        complain(constraint.where, "a constraint's name must not be empty");
      if (!constraints_.insert(constraint.name).second)
        complain(constraint.where, label + " occurs twice");
      if (!(constraint.weight > 0 && std::isfinite(constraint.weight))) {
        complain(constraint.where, label + ": its weight must be positive and finite");
      }
      items.push_back({&constraint.residual, constraint.where, label + ": "});
      check_residual(constraint, label);
    }
    check_names_of_rates();
    check_content(items, places::constraint);
  }

  /// The rate of a constraint on positions is recorded under the name of the constraint with a
  /// prime.
  void check_names_of_rates() {
    std::unordered_set<std::string> rates;
    for (const Constraint& constraint : model_.constraints) {
      if (level(constraint) == Level::position) rates.insert(constraint.name + "'");
    }
    for (const Constraint& constraint : model_.constraints) {
      if (!rates.contains(constraint.name)) continue;
      const std::string other = constraint.name.substr(0, constraint.name.size() - 1);
      complain(constraint.where,
               fmt::format("constraint {} has the name under which the rate of constraint {} is "
                           "recorded: give it another",
                           in_quotes(constraint.name), in_quotes(other)));
    }
  }

  void check_residual(const Constraint& constraint, const std::string& label) {
    if (constraint.residual.is_zero()) {
      complain(constraint.where, label + " says nothing: its two sides are the same");
      return;
    }
    std::vector<Expr> inside = expr::symbols(std::span(&constraint.residual, 1));
    std::erase_if(inside, [](const Expr& s) { return s.symbol().kind != SymbolKind::coordinate; });
    if (inside.empty()) {
      complain(constraint.where, label + " contains no coordinate");
      return;
    }
    const std::vector<Expr> accelerations = of_order(inside, 2);
    if (!accelerations.empty() && !is_affine(constraint.residual, accelerations)) {
      complain(constraint.where, label + " is not linear in the accelerations");
    }
  }

  void check_unique(const Named& named, std::string_view what,
                    std::unordered_set<std::string>& known) {
    if (!check_label(named.name, what, named.where, names_, complaints_)) return;
    if (known.insert(named.name).second) return;
    complain(named.where, fmt::format("{} is the name of {} already", in_quotes(named.name), what));
  }

  void check_quasi_velocities() {
    std::unordered_set<std::string> known;
    for (const Named& form : model_.quasi_velocities) {
      check_unique(form, "a quasi-velocity", known);
      const Declaration* other = names_.find(form.name);
      if (other != nullptr && other->kind == NameKind::parameter) {
        complain(form.where, fmt::format("{} is a parameter and cannot be the name of a "
                                         "quasi-velocity too",
                                         in_quotes(form.name)));
      }
      const Item item{&form.expr, form.where, ""};
      check_content(std::span(&item, 1), places::quasi_velocity);
      const std::vector<Expr> velocities = of_order(expr::symbols(std::span(&form.expr, 1)), 1);
      expr::ExprMap at_rest;
      for (const Expr& v : velocities) at_rest.emplace(v, Expr(0));
      if (velocities.empty() || !is_affine(form.expr, velocities) ||
          !expr::substitute(form.expr, at_rest).is_zero()) {
        complain(form.where, fmt::format("quasi-velocity {} is not a linear form in the velocities",
                                         in_quotes(form.name)));
      }
    }
  }

  void check_independent() {
    std::unordered_set<std::string> chosen;
    for (const std::string& name : model_.independent) {
      if (!names_.is_coordinate(name)) {
        complain({}, fmt::format("independent: unknown coordinate {}", in_quotes(name)));
      } else if (!chosen.insert(name).second) {
        complain({}, fmt::format("independent: coordinate {} is named twice", in_quotes(name)));
      }
    }
  }

  void check_initial() {
    check_initial_values("positions", model_.initial.q, "");
    check_initial_values("velocities", model_.initial.v, "'");
    std::vector<Item> items;
    for (const Named& mu : model_.initial.mu) {
      if (!constraints_.contains(mu.name))
        complain(mu.where, fmt::format("mu: unknown constraint {}", in_quotes(mu.name)));
      items.push_back({&mu.expr, mu.where, ""});
    }
    check_content(items, places::multiplier);
  }

  void check_hold() {
    std::unordered_set<std::string> held;
    for (const std::string& name : model_.initial.hold) {
      const std::string bare = name.ends_with('\'') ? name.substr(0, name.size() - 1) : name;
      if (!names_.is_coordinate(bare)) {
        complain({}, fmt::format("hold: unknown coordinate {}", in_quotes(name)));
      } else if (!held.insert(name).second) {
        complain({}, fmt::format("hold: {} is named twice", in_quotes(name)));
      }
    }
    if (model_.initial.adjust == Adjust::none && !held.empty())
      complain({}, "hold needs a start that is adjusted: set adjust to nearest or velocity");
  }

  void check_initial_values(std::string_view what, const std::vector<Located>& values,
                            std::string_view primes) {
    if (values.size() != model_.coordinates.size()) {
      complain({}, fmt::format("there are {} initial {} instead of {}", values.size(), what,
                               model_.coordinates.size()));
      return;
    }
    std::vector<Item> items;
    for (std::size_t i = 0; i < values.size(); ++i) {
      items.push_back(
          {&values[i].expr, values[i].where,
           fmt::format("initial value of {}{}: ", shortened(model_.coordinates[i], 60), primes)});
    }
    check_content(items, places::resolved_initial);
  }

  void check_simulation() {
    const Simulation& s = model_.simulation;
    const Item item{&s.duration.expr, s.duration.where, ""};
    check_content(std::span(&item, 1), places::duration);
    if (expr::symbols(std::span(&s.duration.expr, 1)).empty()) {
      const double T = expr::evaluate(s.duration.expr, [](const Symbol&) { return std::nan(""); });
      if (!is_between(T, HUGE_VAL))
        complain(s.duration.where, between_message("the duration", HUGE_VAL));
    }
    if (s.samples < 2 || s.samples > largest_samples) {
      complain({}, fmt::format("samples must be a whole number from 2 to {}", largest_samples));
    }
    for (std::size_t i = 0; i < s.times.size(); ++i) {
      if (std::isfinite(s.times[i]) && s.times[i] >= 0 && (i == 0 || s.times[i] > s.times[i - 1]))
        continue;
      complain({}, "times must not be negative and must increase");
      break;
    }
    if (!is_between(s.rtol, 1)) complain({}, between_message("rtol", 1));
    if (!is_between(s.atol, HUGE_VAL)) complain({}, between_message("atol", HUGE_VAL));
    if (!is_between(s.rank_tolerance, 1)) complain({}, between_message("rank_tolerance", 1));
    if (!(s.max_step > 0)) complain({}, between_message("max_step", HUGE_VAL));
    if (s.max_steps < 1 || s.max_steps > largest_steps) {
      complain({}, fmt::format("max_steps must be a whole number from 1 to {}", largest_steps));
    }
    if (std::find(methods.begin(), methods.end(), s.method) == methods.end()) {
      complain({}, "unknown method " + in_quotes(s.method));
    }
    if (std::find(integrators.begin(), integrators.end(), s.integrator) == integrators.end()) {
      complain({}, "unknown integrator " + in_quotes(s.integrator));
    }
    if (std::find(precisions.begin(), precisions.end(), s.precision) == precisions.end()) {
      complain({}, "unknown precision " + in_quotes(s.precision));
    }
  }

  /// One of record_multipliers: the name of a constraint is any text.
  static bool is_recorded_multiplier(const Named& output) {
    return output.expr.is(expr::Op::symbol) &&
           output.expr.symbol().kind == SymbolKind::multiplier &&
           output.name == "lambda." + output.expr.symbol().name;
  }

  void check_outputs() {
    std::unordered_set<std::string> known;
    std::vector<Item> items;
    for (const Named& output : model_.outputs) {
      if (!is_recorded_multiplier(output)) check_unique(output, "an output", known);
      items.push_back(
          {&output.expr, output.where, fmt::format("output {}: ", in_quotes(output.name))});
    }
    check_content(items, places::output);
  }

  /// Recorded behind the outputs, and like them; the names are those of joints with a component
  /// behind a dot.
  void check_reactions() {
    std::unordered_set<std::string> known;
    for (const Named& output : model_.outputs) known.insert(output.name);
    std::vector<Item> items;
    for (const Named& reaction : model_.reactions) {
      if (reaction.name.empty()) complain(reaction.where, "a reaction's name must not be empty");
      if (!known.insert(reaction.name).second)
        complain(reaction.where,
                 fmt::format("{} is the name of an output already", in_quotes(reaction.name)));
      items.push_back(
          {&reaction.expr, reaction.where, fmt::format("reaction {}: ", in_quotes(reaction.name))});
    }
    check_content(items, places::output);
  }

  void check_frictions() {
    for (const Friction& friction : model_.frictions) {
      const std::string label = fmt::format("friction of joint {}", in_quotes(friction.joint));
      if (friction.normal.empty() || friction.normal.size() > 3) {
        complain(friction.where, fmt::format("{}: its normal force has {} components instead of 1 "
                                             "to 3",
                                             label, friction.normal.size()));
      }
      if (friction.direction.size() != model_.coordinates.size()) {
        complain(friction.where,
                 fmt::format("{}: its direction has {} components instead of {}", label,
                             friction.direction.size(), model_.coordinates.size()));
      }
      std::vector<Item> normal, direction;
      for (const Expr& e : friction.normal) normal.push_back({&e, friction.where, label + ": "});
      for (const Expr& e : friction.direction)
        direction.push_back({&e, friction.where, label + ": "});
      check_content(normal, places::normal_force);
      check_content(direction, places::force);
      for (const Expr& e : friction.normal) {
        std::vector<Expr> multipliers = expr::symbols(std::span(&e, 1));
        std::erase_if(multipliers, [](const Expr& s) {
          return s.symbol().kind != SymbolKind::multiplier &&
                 !(s.symbol().kind == SymbolKind::coordinate && s.symbol().order == 2);
        });
        if (is_affine(e, multipliers)) continue;
        complain(friction.where,
                 label + ": its normal force is not linear in the multipliers and accelerations");
        break;
      }
    }
    for (const DryFriction& friction : model_.dry_frictions) check_normal(friction);
  }

  void check_normal(const DryFriction& friction) {
    const std::string label = fmt::format("friction of joint {}", in_quotes(friction.joint));
    if (friction.joint.empty() != friction.normal.empty() || friction.normal.size() > 3)
      complain(friction.where,
               label + ": friction of a joint has 1 to 3 components of normal force");
    for (const Expr& e : friction.normal) {
      std::vector<Expr> forces = expr::symbols(std::span(&e, 1));
      std::erase_if(forces, [](const Expr& s) {
        return s.symbol().kind != SymbolKind::multiplier && !is_reaction(s.symbol()) &&
               !(s.symbol().kind == SymbolKind::coordinate && s.symbol().order == 2);
      });
      if (is_affine(e, forces)) continue;
      complain(friction.where,
               label + ": its normal force is not linear in forces and accelerations");
      return;
    }
  }

  void check_contents_of_instants() {
    std::vector<Item> events, values, clocks, gaps, numbers, slips, limits;
    const auto add = [](std::vector<Item>& items, const std::optional<Located>& e,
                        const std::string& label) {
      if (e) items.push_back({&e->expr, e->where, label});
    };
    for (const Event& event : model_.events) {
      const std::string label = fmt::format("event {}: ", in_quotes(event.name));
      add(events, event.when, label);
      add(clocks, event.every, label);
      for (const Event::Set& set : event.set)
        values.push_back({&set.value.expr, set.value.where, label});
    }
    for (const Contact& contact : model_.contacts) {
      const std::string label = fmt::format("contact {}: ", in_quotes(contact.name));
      gaps.push_back({&contact.gap.expr, contact.gap.where, label});
      numbers.push_back({&contact.restitution.expr, contact.restitution.where, label});
      add(numbers, contact.friction, label);
      add(numbers, contact.static_friction, label);
      for (const Located& slip : contact.slip) slips.push_back({&slip.expr, slip.where, label});
    }
    for (const DryFriction& friction : model_.dry_frictions) {
      const std::string label = fmt::format("friction {}: ", in_quotes(friction.name));
      for (const Located& slip : friction.slip) slips.push_back({&slip.expr, slip.where, label});
      limits.push_back({&friction.limit.expr, friction.limit.where, label});
      add(limits, friction.static_limit, label);
    }
    check_content(events, places::event);
    check_content(values, places::event_value);
    check_content(clocks, places::clock);
    check_content(gaps, places::gap);
    check_content(numbers, places::contact);
    check_content(slips, places::slip);
    check_content(limits, places::friction_limit);
  }

  static void add_items(std::vector<Item>& items, const Vector& v, Location where,
                        const std::string& label) {
    for (std::size_t i = 0; i < 3; ++i) items.push_back({&v[i], where, label});
  }

  void check_shapes() {
    std::vector<Item> items;
    for (const Body& body : model_.bodies) {
      const Solid& solid = body.solid;
      const std::string label = fmt::format("shape of {}: ", in_quotes(body.name));
      for (const auto* length : {&solid.radius, &solid.length}) {
        if (*length) items.push_back({&**length, solid.where, label});
      }
      if (solid.size) add_items(items, *solid.size, solid.where, label);
      add_items(items, solid.axis, solid.where, label);
    }
    check_content(items, places::drawn_size);
  }

  void check_view() {
    const View& view = model_.view;
    std::vector<Item> sizes, geometry, arrows;
    if (view.up != 'y' && view.up != 'z') complain({}, "view: up must be 'y' or 'z'");
    if (view.up_sign != 1 && view.up_sign != -1) complain({}, "view: up_sign must be 1 or -1");
    if (view.ground) sizes.push_back({&*view.ground, {}, "ground: "});
    for (const ViewPoint& point : view.points) {
      const std::string label = fmt::format("point {}: ", in_quotes(point.name));
      check_title(point.name, "a point", point.where, complaints_);
      add_items(geometry, point.at, point.where, label);
      for (const auto* number : {&point.radius, &point.mass}) {
        if (*number) sizes.push_back({&**number, point.where, label});
      }
    }
    for (const ViewSegment& segment : view.segments) {
      const std::string label = fmt::format("segment {}: ", in_quotes(segment.name));
      add_items(geometry, segment.from, segment.where, label);
      add_items(geometry, segment.to, segment.where, label);
      if (segment.radius) sizes.push_back({&*segment.radius, segment.where, label});
    }
    for (const ViewArrow& arrow : view.arrows) {
      const std::string label = fmt::format("arrow {}: ", in_quotes(arrow.name));
      check_title(arrow.name, "an arrow", arrow.where, complaints_);
      add_items(arrows, arrow.at, arrow.where, label);
      add_items(arrows, arrow.vector, arrow.where, label);
    }
    check_content(sizes, places::drawn_size);
    check_content(geometry, places::drawn_place);
    check_content(arrows, places::drawn_arrow);
  }

  const Model& model_;
  std::unordered_set<std::string> constraints_;  ///< names
  std::unordered_set<std::string> kept_;         ///< names of the factors of kept rows
  Complaints complaints_;
  Names names_;
};

}  // namespace

std::span<const std::string_view> known_methods() {
  return methods;
}
std::span<const std::string_view> known_integrators() {
  return integrators;
}
std::span<const std::string_view> known_precisions() {
  return precisions;
}

bool is_affine(const Expr& e, std::span<const Expr> variables) {
  const std::unordered_set<Expr, expr::ExprHash, expr::ExprSame> held(variables.begin(),
                                                                      variables.end());
  const std::vector<Expr> slopes = expr::gradient(e, variables);
  const std::vector<Expr> inside = expr::symbols(slopes);
  return std::none_of(inside.begin(), inside.end(),
                      [&](const Expr& s) { return held.contains(s); });
}

bool is_between(double x, double most) {
  return x > 0 && x < most;
}

std::string between_message(std::string_view name, double most) {
  return std::isfinite(most) ? fmt::format("{} must lie between 0 and {}", name, most)
                             : fmt::format("{} must be positive and finite", name);
}

std::vector<Diagnostic> validate(const Model& model) {
  return model.refused.empty() ? Validation(model).run() : model.refused;
}

}  // namespace dalembert::model
