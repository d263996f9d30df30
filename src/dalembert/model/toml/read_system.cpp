// The sections that name things, describe the mechanics, and say where the motion begins and how it
// is computed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/toml/reader.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

void Reader::read_coordinates(const Entry& entry) {
  draft.coordinates = words(entry, "an array of names", "the name of a coordinate in quotes");
  if (draft.coordinates->refused) draft.incomplete = true;
}

void Reader::read_lets(const Value& table) {
  each_entry(table, [&](const Entry& entry) {
    LetStatement let{entry.key, entry.where, {}};
    if (entry.value.kind == Kind::array) {
      let.value = vector(entry.value);
    } else {
      let.value.parts.push_back(formula(entry.value));
      let.value.where = let.value.parts.front().where;
    }
    draft.lets.push_back(std::move(let));
  });
}

void Reader::read_energy(const Value& table) {
  EnergyStatement& energy = *draft.energy;
  if (!expect(table, Kind::table, "a table")) {
    energy.kinetic = Formula{};
    return;
  }
  check_keys(
      table,
      std::array{"kinetic"sv, "potential"sv, "dissipation"sv, "lagrangian"sv, "mass_matrix"sv},
      " in [energy]");
  const auto read = [&](std::string_view key, std::optional<Formula>& part) {
    if (const Entry* entry = find(table, key)) part = formula(entry->value);
  };
  read("kinetic", energy.kinetic);
  read("potential", energy.potential);
  read("dissipation", energy.dissipation);
  read("lagrangian", energy.lagrangian);
  if (const Entry* entry = find(table, "mass_matrix")) read_mass_matrix(entry->value);
  // A misspelt key has been complained of; that there is no kinetic energy then says nothing more.
  const std::vector<std::string> kinetic{"kinetic"};
  const bool misspelt =
      std::any_of(table.entries.begin(), table.entries.end(),
                  [&](const Entry& entry) { return !expr::nearest(entry.key, kinetic).empty(); });
  if (misspelt && !energy.kinetic) energy.kinetic = Formula{};
}

void Reader::read_mass_matrix(const Value& matrix) {
  if (!expect(matrix, Kind::array, "an array of rows")) draft.mass_matrix.push_back({Formula{}});
  for (const Value& row : matrix.items) {
    std::vector<Formula>& entries = draft.mass_matrix.emplace_back();
    if (!expect(row, Kind::array, "a row of the mass matrix, an array")) {
      entries.emplace_back();
      continue;
    }
    for (const Value& item : row.items) entries.push_back(formula(item));
  }
}

void Reader::read_constraint(const Value& table) {
  ConstraintStatement constraint;
  check_keys(table, std::array{"name"sv, "equation"sv, "weight"sv, "by"sv, "for"sv},
             " in [[constraint]]");
  constraint.where = table.where;
  constraint.over = ranges(table);
  if (const Entry* name = find(table, "name")) constraint.name = word(name->value, "a string");
  if (const Entry* weight = find(table, "weight"))
    constraint.weight = formula(weight->value, "a number");
  if (const Entry* equation = find(table, "equation")) {
    constraint.equation = equation->value.kind == Kind::expression
                              ? formula(equation->value)
                              : text(equation->value, "an equation");
    constraint.right_side = equation->value.right_side;
  }
  if (const Entry* by = find(table, "by"))
    constraint.by = words(*by, "an array of inputs", "the name of an input in quotes");
  draft.constraints.push_back(std::move(constraint));
}

void Reader::read_independent(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  check_keys(table, std::array{"coordinates"sv}, " in [independent]");
  if (const Entry* entry = find(table, "coordinates")) {
    draft.independent =
        words(*entry, "an array of coordinates", "the name of a coordinate in quotes");
  } else if (table.entries.empty()) {
    complaints.add(table.where, "[independent] needs coordinates = [...]");
  }
}

void Reader::read_initial(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  InitialStatement& initial = draft.initial.emplace();
  initial.where = table.where;
  std::unordered_set<std::string_view> coordinates;
  if (draft.coordinates) {
    for (const Word& name : draft.coordinates->items) coordinates.insert(name.text);
  }
  const auto is_coordinate = [&](std::string_view key) {
    return coordinates.contains(key.substr(0, key.find_last_not_of('\'') + 1));
  };
  // mu and hold are words of this section, but for a value that a coordinate of that name has.
  const auto is_word = [&](const Entry& entry, std::string_view key, Kind kind) {
    return entry.key == key && (entry.value.kind == kind || !is_coordinate(key));
  };
  each_entry(table, [&](const Entry& entry) {
    if (entry.key == "adjust") {
      constexpr std::array words = {"none"sv, "nearest"sv, "velocity"sv};
      constexpr std::array values = {Adjust::none, Adjust::nearest, Adjust::velocity};
      if (const auto word = choice(entry.value, "adjust", words)) initial.adjust = values[*word];
    } else if (is_word(entry, "mu", Kind::table)) {
      if (!expect(entry.value, Kind::table, "a table of constraints")) return;
      for (const Entry& multiplier : entry.value.entries)
        initial.mu.push_back(definition(multiplier));
    } else if (is_word(entry, "hold", Kind::array)) {
      initial.hold = words(entry, "an array of coordinates and velocities",
                           "the name of a coordinate or velocity in quotes");
    } else if (is_coordinate(entry.key) || entry.value.kind == Kind::number ||
               entry.value.kind == Kind::string || entry.value.kind == Kind::expression) {
      initial.values.push_back(definition(entry));
    } else if (entry.value.kind == Kind::table && !entry.value.entries.empty()) {
      for (const Entry& part : entry.value.entries) {  // disk.wx without quotes
        Definition value = definition(part);
        value.name = entry.key + "." + value.name;
        initial.values.push_back(std::move(value));
      }
    } else {  // that no coordinate is called so will be said
      initial.values.push_back({entry.key, entry.where, {}});
    }
  });
}

void Reader::read_simulation(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  constexpr std::array keys = {"duration"sv,       "samples"sv,   "times"sv,      "rtol"sv,
                               "atol"sv,           "method"sv,    "integrator"sv, "project"sv,
                               "rank_tolerance"sv, "max_steps"sv, "max_step"sv,   "multipliers"sv,
                               "precision"sv};
  check_keys(table, keys, " in [simulation]");
  SimulationStatement& simulation = draft.simulation;
  const auto read = [&](std::string_view key, std::optional<Definition>& number,
                        std::string_view what = "a number") {
    if (const Entry* entry = find(table, key)) number = definition(*entry, what);
  };
  read("duration", simulation.duration, "an expression");
  read("samples", simulation.samples);
  read("rtol", simulation.rtol);
  read("atol", simulation.atol);
  read("rank_tolerance", simulation.rank_tolerance);
  read("max_step", simulation.max_step);
  read("max_steps", simulation.max_steps);
  if (const Entry* entry = find(table, "times");
      entry != nullptr && expect(entry->value, Kind::array, "an array of numbers")) {
    simulation.times.emplace();
    simulation.times_where = entry->value.where;
    simulation.times_key = entry->where;
    for (const Value& item : entry->value.items)
      simulation.times->push_back(formula(item, "a number"));
  }
  const auto read_word = [&](std::string_view key, std::span<const std::string_view> known,
                             std::optional<Word>& result) {
    const Entry* entry = find(table, key);
    if (entry == nullptr) return;
    if (const auto word = choice(entry->value, key, known))
      result = Word{std::string(known[*word]), content_place(entry->value)};
  };
  read_word("method", known_methods(), simulation.method);
  read_word("integrator", known_integrators(), simulation.integrator);
  read_word("precision", known_precisions(), simulation.precision);
  if (const Entry* entry = find(table, "project")) {
    constexpr std::array words = {"both"sv, "velocity"sv, "none"sv};
    constexpr std::array values = {Project::both, Project::velocity, Project::none};
    if (const auto word = choice(entry->value, "project", words))
      simulation.project = values[*word];
  }
  if (const Entry* entry = find(table, "multipliers");
      entry != nullptr && expect(entry->value, Kind::boolean, "true or false"))
    simulation.multipliers = literal(entry->value) == "true";
}

}  // namespace dalembert::model
