// What describes the mechanics: energies, forces, constraints, outputs.
#include <fmt/format.h>

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
  while (!left.empty()) {
    const Expr term = std::move(left.back());
    left.pop_back();
    if (term.is(expr::Op::sum)) {
      left.insert(left.end(), term.args().begin(), term.args().end());
    } else {
      const bool moves = expr::find_symbol(term, is_velocity).has_value();
      (moves ? with : without).push_back(moves ? term : -term);
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
