// The sections that describe the mechanics: energies, forces, constraints, outputs.
#include <fmt/format.h>

#include <array>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/reader.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

bool Reader::is_misplaced(const Entry& entry) {
  const bool top = entry.key == "coordinates" || entry.key == "mass_matrix";
  if (!top || entry.value.kind != Kind::array) return false;
  complaints.add(
      entry.where,
      fmt::format("'{}' belongs at the top of the file, before the first [table]", entry.key));
  names.mark_incomplete();
  return true;
}

void Reader::read_energy(const Value& table) {
  if (!expect(table, Kind::table, "a table")) {
    model.kinetic = Located{};
    return;
  }
  check_keys(table, std::array{"kinetic"sv, "potential"sv, "dissipation"sv, "mass_matrix"sv},
             " in [energy]");
  const auto read = [&](std::string_view key, const Place& place, std::optional<Located>& energy) {
    const Entry* entry = find(table, key);
    if (entry == nullptr) return;
    const std::optional<Expr> e = expression(entry->value, place);
    energy = Located{e.value_or(Expr(0)), content_place(entry->value)};
  };
  read("kinetic", places::kinetic, model.kinetic);
  read("potential", places::potential, model.potential);
  read("dissipation", places::dissipation, model.dissipation);
  if (const Entry* entry = find(table, "mass_matrix")) read_mass_matrix(entry->value);
  // A misspelt key has been complained of; that there is no kinetic energy then says nothing more.
  const std::vector<std::string> kinetic{"kinetic"};
  for (const Entry& entry : table.entries) {
    if (!model.kinetic && !expr::nearest(entry.key, kinetic).empty()) model.kinetic = Located{};
  }
}

void Reader::read_mass_matrix(const Value& matrix) {
  bool good = expect(matrix, Kind::array, "an array of rows");
  for (const Value& row : matrix.items) {
    if (!expect(row, Kind::array, "a row of the mass matrix, an array")) {
      good = false;
      continue;
    }
    std::vector<Located>& entries = model.mass_matrix.emplace_back();
    entries.reserve(row.items.size());
    for (const Value& item : row.items) {
      const std::optional<Expr> e = expression(item, places::mass_matrix);
      good = good && e;
      entries.push_back({e.value_or(Expr(0)), content_place(item)});
    }
  }
  if (!good || names.is_incomplete()) {
    model.mass_matrix.clear();
    if (!model.kinetic) model.kinetic = Located{};
  }
}

void Reader::unknown_coordinate(std::string_view name, Location where) {
  if (names.is_incomplete()) return;
  complaints.add(where, fmt::format("unknown coordinate {}{}", in_quotes(name),
                                    complaints.did_you_mean(name, names.coordinates())));
}

void Reader::read_components(const Value& table, const Place& place,
                             std::vector<Located>& components) {
  if (!expect(table, Kind::table, "a table")) return;
  for (const Entry& entry : table.entries) {
    if (is_misplaced(entry)) continue;
    const bool known = names.is_coordinate(entry.key);
    if (!known) unknown_coordinate(entry.key, entry.where);
    const std::optional<Expr> e = expression(entry.value, place);
    if (known && e) components[names.find(entry.key)->index] = {*e, content_place(entry.value)};
  }
}

void Reader::read_constraints(const Value& list) {
  if (list.kind == Kind::table) {
    complaints.add(list.where, "write [[constraint]], with double brackets");
    return;
  }
  if (!expect(list, Kind::array, "tables [[constraint]]")) return;
  std::unordered_map<std::string, Location> named;
  std::size_t number = 0;
  for (const Value& table : list.items) {
    ++number;
    if (!expect(table, Kind::table, "a table [[constraint]]")) continue;
    Constraint constraint;
    constraint.name = fmt::format("constraint {}", number);
    check_keys(table, std::array{"name"sv, "equation"sv, "weight"sv}, " in [[constraint]]");
    Location name_place = table.where;
    if (const Entry* name = find(table, "name")) {
      name_place = content_place(name->value);
      if (const std::string* text = string(name->value, "a string")) constraint.name = *text;
    }
    const bool good_name = check_title(constraint.name, "a constraint", name_place, complaints);
    constraint_names.push_back(constraint.name);
    const auto [earlier, is_new] = named.emplace(constraint.name, name_place);
    if (!is_new) {
      complaints.add(name_place, fmt::format("{} is already the name of a constraint (line {})",
                                             in_quotes(constraint.name), earlier->second.line));
    }
    if (const Entry* weight = find(table, "weight")) {
      const std::optional<double> w = number_in(weight->value, "a weight");
      if (w && *w <= 0) complaints.add(content_place(weight->value), "a weight must be positive");
      if (w && *w > 0) constraint.weight = *w;
    }
    const Entry* equation_text = find(table, "equation");
    if (equation_text == nullptr) {
      complaints.add(table.where,
                     fmt::format("constraint {} has no equation", in_quotes(constraint.name)));
      continue;
    }
    const auto sides = equations(equation_text->value, places::constraint);
    if (!sides || !is_new || !good_name) continue;
    constraint.where = content_place(equation_text->value);
    const std::string given_name = constraint.name;
    for (std::size_t i = 0; i < sides->size(); ++i) {
      if (sides->size() > 1) constraint.name = member(given_name, body_center[i]);
      constraint.residual = (*sides)[i].lhs - (*sides)[i].rhs;
      model.constraints.push_back(constraint);
    }
  }
}

void Reader::read_quasi_velocities(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  for (const Entry& entry : table.entries) {
    if (is_misplaced(entry)) continue;
    const bool good_name =
        check_label(entry.key, "a quasi-velocity", entry.where, names, complaints);
    const std::optional<Expr> e = expression(entry.value, places::quasi_velocity);
    if (good_name && e)
      model.quasi_velocities.push_back({entry.key, *e, content_place(entry.value)});
  }
}

void Reader::read_outputs(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  for (const Entry& entry : table.entries) {
    if (is_misplaced(entry)) continue;
    const bool good_name = check_label(entry.key, "an output", entry.where, names, complaints);
    const std::optional<Expr> e = expression(entry.value, places::output);
    if (good_name && e) model.outputs.push_back({entry.key, *e, content_place(entry.value)});
  }
}

void Reader::read_independent(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  check_keys(table, std::array{"coordinates"sv}, " in [independent]");
  const Entry* entry = find(table, "coordinates");
  if (entry == nullptr) {
    if (table.entries.empty())
      complaints.add(table.where, "[independent] needs coordinates = [...]");
    return;
  }
  if (!expect(entry->value, Kind::array, "an array of coordinates")) return;
  std::unordered_set<std::string> chosen;
  for (const Value& item : entry->value.items) {
    const std::string* name = string(item, "the name of a coordinate in quotes");
    if (name == nullptr) continue;
    if (!names.is_coordinate(*name)) {
      unknown_coordinate(*name, content_place(item));
    } else if (!chosen.insert(*name).second) {
      complaints.add(content_place(item),
                     fmt::format("coordinate {} is named twice", in_quotes(*name)));
    } else {
      model.independent.push_back(*name);
    }
  }
}

}  // namespace dalembert::model
