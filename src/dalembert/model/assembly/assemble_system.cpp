// What describes the mechanics: energies, forces, constraints, outputs.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/assembly.hpp"

namespace dalembert::model {

void Assembly::assemble_energy() {
  if (!draft.energy) return;
  const auto add = [&](const std::optional<Formula>& said, const Place& place,
                       std::optional<Located>& energy) {
    if (!said) return;
    const std::optional<Expr> e = expression(*said, place);
    energy = Located{e.value_or(Expr(0)), said->where};
  };
  add(draft.energy->kinetic, places::kinetic, model.kinetic);
  add(draft.energy->potential, places::potential, model.potential);
  add(draft.energy->dissipation, places::dissipation, model.dissipation);
  if (draft.energy->lagrangian) assemble_lagrangian(*draft.energy->lagrangian);
}

/// The summands of a product in which one factor alone moves, a sum of some terms that do and some
/// that do not: m/2 (x'^2 - w^2 x^2). Nothing for any other.
template <class Moves>
static std::optional<std::vector<Expr>> split_product(const Expr& term, const Moves& moves) {
  if (!term.is(expr::Op::product)) return std::nullopt;
  std::vector<Expr> still;
  std::optional<Expr> sum;
  for (const Expr& factor : term.args()) {
    if (!moves(factor)) {
      still.push_back(factor);
    } else if (sum || !factor.is(expr::Op::sum)) {
      return std::nullopt;
    } else {
      sum = factor;
    }
  }
  if (std::all_of(sum->args().begin(), sum->args().end(), moves)) return std::nullopt;
  std::vector<Expr> with, without;
  for (const Expr& part : sum->args()) (moves(part) ? with : without).push_back(part);
  const Expr factor = expr::product(still);
  return std::vector{factor * expr::sum(with), factor * expr::sum(without)};
}

/// L = T - V: the terms without velocities are -V, all others T. Lagrange's equations hang on L
/// alone, whatever stands in T, and so does the energy of Jacobi, p q' - T + V.
void Assembly::assemble_lagrangian(const Formula& said) {
  if (model.kinetic || model.potential) {
    complaints.add(
        said.where,
        "the Lagrangian is the kinetic energy less the potential one: give 'lagrangian', "
        "or 'kinetic' and 'potential', not both");
    if (!model.kinetic) model.kinetic = Located{};
    return;
  }
  const std::optional<Expr> L = expression(said, places::lagrangian);
  const auto is_velocity = [](const expr::Symbol& s) {
    return s.kind == expr::SymbolKind::coordinate && s.order == 1;
  };
  std::vector<Expr> with, without, left;  // left: long sums are sums of sums
  if (L) left.push_back(*L);
  const auto moves = [&](const Expr& e) { return expr::find_symbol(e, is_velocity).has_value(); };
  while (!left.empty()) {
    const Expr term = std::move(left.back());
    left.pop_back();
    if (term.is(expr::Op::sum)) {
      left.insert(left.end(), term.args().begin(), term.args().end());
    } else if (!moves(term)) {
      without.push_back(-term);
    } else if (const auto parts = split_product(term, moves)) {
      left.insert(left.end(), parts->begin(), parts->end());
    } else {
      with.push_back(term);
    }
  }
  model.kinetic = Located{with.empty() ? Expr(0) : expr::sum(with), said.where};
  if (!without.empty()) model.potential = Located{expr::sum(without), said.where};
}

void Assembly::assemble_mass_matrix() {
  bool good = true;
  for (const std::vector<Formula>& row : draft.mass_matrix) {
    std::vector<Located>& entries = model.mass_matrix.emplace_back();
    entries.reserve(row.size());
    for (const Formula& item : row) {
      const std::optional<Expr> e = expression(item, places::mass_matrix);
      good = good && e;
      entries.push_back({e.value_or(Expr(0)), item.where});
    }
  }
  if (draft.mass_matrix.empty() || (good && !names.is_incomplete())) return;
  model.mass_matrix.clear();
  if (!model.kinetic) model.kinetic = Located{};
}

void Assembly::assemble_components(const std::vector<Definition>& said, const Place& place,
                                   std::vector<Located>& components) {
  for (const Definition& component : said) {
    const bool known = names.is_coordinate(component.name);
    if (!known) unknown_coordinate(component.name, component.where);
    const std::optional<Expr> e = expression(component.value, place);
    if (!known || !e) continue;
    Located& sum = components[names.find(component.name)->index];
    sum = {sum.expr + *e, component.value.where};
  }
}

std::vector<Expr> Assembly::values_of(const LetStatement& said) {
  if (const auto let = lets.find(std::string_view(said.name))) return {lets.written(*let, 0)};
  const VectorLets* vector = lets.find_vector(said.name);
  if (vector == nullptr) return {};
  const Vector v = lets.values(*vector, 0);
  return {v.x, v.y, v.z};
}

void Assembly::check_multipliers_of_lets() {
  if (names.is_incomplete() || !complaints.empty()) return;  // a let may have no value
  const std::unordered_set<std::string> known(force_names.constraints.begin(),
                                              force_names.constraints.end());
  for (const LetStatement& said : draft.lets) {
    for (const Expr& e : expr::symbols(values_of(said))) {
      const expr::Symbol& s = e.symbol();
      if (s.kind != expr::SymbolKind::multiplier || known.contains(s.name)) continue;
      complaints.add(
          said.value.where,
          fmt::format("let {}: unknown constraint {} after lambda{}", in_quotes(said.name),
                      in_quotes(s.name), complaints.did_you_mean(s.name, force_names.constraints)));
    }
  }
}

/// The inputs that enforce a constraint: declared ones, each named once, and at least one.
std::vector<std::string> Assembly::servo_inputs(const Words& said, const std::string& constraint) {
  std::vector<std::string> result, known;
  for (const Definition& input : draft.inputs) known.push_back(input.name);
  if (said.items.empty() && !said.refused)
    complaints.add(said.where, fmt::format("constraint {}: by names at least one input",
                                           in_quotes(constraint)));
  for (const Word& name : said.items) {
    if (std::ranges::find(known, name.text) == known.end()) {
      complaints.add(name.where,
                     fmt::format("constraint {}: unknown input {}{}", in_quotes(constraint),
                                 in_quotes(name.text),
                                 known.empty() ? "; [inputs] declares inputs"
                                               : complaints.did_you_mean(name.text, known)));
    } else if (std::ranges::find(result, name.text) != result.end()) {
      complaints.add(name.where, fmt::format("constraint {}: input {} is named twice",
                                             in_quotes(constraint), in_quotes(name.text)));
    } else {
      result.push_back(name.text);
    }
  }
  return result;
}

void Assembly::assemble_constraints() {
  std::unordered_map<std::string, Location> named;
  std::size_t number = 0;
  for (const ConstraintStatement& said : draft.constraints) {
    ++number;
    Constraint constraint;
    constraint.name = said.name ? said.name->text : fmt::format("constraint {}", number);
    const Location name_place = said.name ? said.name->where : said.where;
    const bool good_name = check_title(constraint.name, "a constraint", name_place, complaints);
    const auto [earlier, is_new] = named.emplace(constraint.name, name_place);
    if (!is_new) {
      const int line = earlier->second.line;
      complaints.add(name_place, fmt::format("{} is already the name of a constraint{}",
                                             in_quotes(constraint.name),
                                             line > 0 ? fmt::format(" (line {})", line) : ""));
    }
    if (said.weight) {
      const std::optional<double> w = number_in(*said.weight, "a weight");
      if (w && *w <= 0) complaints.add(said.weight->where, "a weight must be positive");
      if (w && *w > 0) constraint.weight = *w;
    }
    if (!said.equation) {
      force_names.constraints.push_back(constraint.name);
      complaints.add(said.where,
                     fmt::format("constraint {} has no equation", in_quotes(constraint.name)));
      continue;
    }
    const auto sides = equations(said);
    const bool is_vector = sides && sides->size() > 1;
    for (std::size_t i = 0; i < (is_vector ? 3 : 1); ++i)
      force_names.constraints.push_back(is_vector ? member(constraint.name, component_names[i])
                                                  : constraint.name);
    if (!sides || !is_new || !good_name) continue;
    constraint.where = said.equation->where;
    if (said.by) constraint.by = servo_inputs(*said.by, constraint.name);
    const std::string given_name = constraint.name;
    for (std::size_t i = 0; i < sides->size(); ++i) {
      if (is_vector) constraint.name = member(given_name, component_names[i]);
      constraint.residual = (*sides)[i].lhs - (*sides)[i].rhs;
      model.constraints.push_back(constraint);
    }
  }
}

void Assembly::assemble_named(const std::vector<Definition>& said, std::string_view what,
                              const Place& place, std::vector<Named>& result) {
  for (const Definition& definition : said) {
    const bool good_name = check_label(definition.name, what, definition.where, names, complaints);
    const std::optional<Expr> e = expression(definition.value, place);
    if (good_name && e) result.push_back({definition.name, *e, definition.value.where});
  }
}

void Assembly::assemble_independent() {
  if (!draft.independent) return;
  std::unordered_set<std::string> chosen;
  for (const Word& name : draft.independent->items) {
    if (!names.is_coordinate(name.text)) {
      unknown_coordinate(name.text, name.where);
    } else if (!chosen.insert(name.text).second) {
      complaints.add(name.where, fmt::format("coordinate {} is named twice", in_quotes(name.text)));
    } else {
      model.independent.push_back(name.text);
    }
  }
}

}  // namespace dalembert::model
