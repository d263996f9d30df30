// From a path to a draft: what can be wrong with a file before it is TOML, and its sections.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/text_file.hpp"
#include "dalembert/model/toml/other_names.hpp"
#include "dalembert/model/toml/reader.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

constexpr std::array sections = {
    "name"sv,         "description"sv, "coordinates"sv, "mass_matrix"sv, "sizes"sv,
    "parameters"sv,   "let"sv,         "energy"sv,      "forces"sv,      "constraint"sv,
    "virtual_work"sv, "initial"sv,     "simulation"sv,  "outputs"sv,     "quasi_velocities"sv,
    "independent"sv,  "gravity"sv,     "particle"sv,    "body"sv,        "frame"sv,
    "joint"sv,        "spring"sv,      "force"sv,       "view"sv,        "discrete"sv,
    "event"sv,        "contact"sv,     "friction"sv,    "inputs"sv,      "table"sv};

std::string too_large() {
  return fmt::format("too large: a model file has at most {} bytes", largest_model_file);
}

/// The first byte that is not UTF-8, or the size of the text.
std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = expr::utf8_length(text.substr(i, 4));
    if (length == 0) break;
    i += length;
  }
  return i;
}

/// What a text says, with what is wrong with its form.
struct Reading {
  Draft draft;
  Complaints complaints;
};

Result<Reading, ModelError> read_text(std::string text, const std::string& name) {
  if (text.size() > largest_model_file) return Failure{whole_file(name, too_large())};
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  const auto source = std::make_shared<const Source>(Source{name, std::move(text)});
  Reader reader(source);
  const std::size_t valid = valid_utf8_prefix(source->text);
  if (valid < source->text.size()) {
    const auto byte = static_cast<unsigned char>(source->text[valid]);
    return Failure{ModelError{source,
                              {{fmt::format("byte 0x{:02x} is not UTF-8", byte),
                                reader.index.location(valid, valid + 1)}}}};
  }
  const auto document = parse_document(reader.index);
  if (!document) return Failure{ModelError{source, {document.error()}}};
  if (document->entries.empty()) {
    return Failure{ModelError{
        source, {{"the model is empty: it needs coordinates, and [energy] or mass_matrix", {}}}}};
  }
  reader.draft.name.text = std::filesystem::path(name).stem().string();
  reader.read(*document);
  return Reading{std::move(reader.draft), std::move(reader.complaints)};
}

}  // namespace

Result<Draft, ModelError> read_draft_text(std::string text, const std::string& name) {
  auto reading = read_text(std::move(text), name);
  if (!reading) return Failure{std::move(reading).error()};
  if (!reading->complaints.empty())
    return Failure{ModelError{reading->draft.source, reading->complaints.take()}};
  return std::move(reading->draft);
}

Result<Model, ModelError> read_model_text(std::string text, const std::string& name) {
  auto reading = read_text(std::move(text), name);
  if (!reading) return Failure{std::move(reading).error()};
  return assemble(std::make_shared<const Draft>(std::move(reading->draft)),
                  std::move(reading->complaints));
}

Result<Draft, ModelError> read_draft(const std::string& path) {
  auto text = read_text_file(path, largest_model_file);
  if (!text) return Failure{std::move(text).error()};
  return read_draft_text(*std::move(text), path);
}

Result<Model, ModelError> read_model(const std::string& path) {
  auto text = read_text_file(path, largest_model_file);
  if (!text) return Failure{std::move(text).error()};
  return read_model_text(*std::move(text), path);
}

void Reader::read_key(const Entry& entry) {
  if (std::find(sections.begin(), sections.end(), entry.key) != sections.end()) return;
  const std::vector<std::string> known(sections.begin(), sections.end());
  std::string meant = other_name_of_key(entry.key, "");
  if (meant.empty()) meant = complaints.did_you_mean(entry.key, known);
  complaints.add(entry.where, fmt::format("unknown key {}{}", in_quotes(entry.key), meant));
  const std::vector<std::string> declaring = {"coordinates", "parameters", "let",   "sizes",
                                              "body",        "particle",   "frame", "discrete",
                                              "inputs",      "table"};
  if (!expr::nearest(entry.key, declaring).empty()) draft.incomplete = true;
}

void Reader::read(const Value& document) {
  for (const Entry& entry : document.entries) read_key(entry);
  const auto section = [&](std::string_view key, auto read_value) {
    if (const Entry* entry = find(document, key)) read_value(entry->value);
  };
  // Names are said in these; where one of them cannot be read, names are missing.
  const auto names = [&](std::string_view key, auto read_value) {
    section(key, [&](const Value& value) {
      if (!read_value(value)) draft.incomplete = true;
    });
  };
  section("name", [&](const Value& value) {
    if (auto given = word(value, "a string")) draft.name = *std::move(given);
  });
  section("description", [&](const Value& value) {
    if (auto given = word(value, "a string")) draft.description = *std::move(given);
  });
  if (const Entry* entry = find(document, "coordinates")) {
    read_coordinates(*entry);
  } else if (draft.incomplete) {  // by a key that is probably them, misspelt
    draft.coordinates.emplace().refused = true;
  }
  names("sizes", [&](const Value& value) {
    each_entry(value, [&](const Entry& entry) {
      draft.sizes.push_back(definition(entry, "a whole number"));
    });
    return value.kind == Kind::table;
  });
  names("parameters", [&](const Value& value) {
    draft.parameters = definitions(value);
    return value.kind == Kind::table;
  });
  names("discrete", [&](const Value& value) {
    draft.discretes = definitions(value);
    return value.kind == Kind::table;
  });
  names("inputs", [&](const Value& value) {
    draft.inputs = definitions(value);
    return value.kind == Kind::table;
  });
  names("table", [&](const Value& list) {
    return each_table(list, "table", [&](const Value& table) { read_table(table); });
  });
  names("let", [&](const Value& value) {
    read_lets(value);
    return value.kind == Kind::table;
  });
  using Section = std::pair<std::string_view, BodyKind>;
  for (const Section& one : {Section{"particle", BodyKind::particle},
                             Section{"body", BodyKind::body}, Section{"frame", BodyKind::frame}}) {
    names(one.first, [&, one](const Value& list) {
      return each_table(list, one.first,
                        [&](const Value& table) { read_body(table, one.first, one.second); });
    });
  }
  names("joint", [&](const Value& list) {
    return each_table(list, "joint", [&](const Value& table) { read_joint(table); });
  });
  section("gravity", [&](const Value& value) { draft.gravity = vector(value); });
  if (const Entry* entry = find(document, "energy")) {
    draft.energy = EnergyStatement{};
    draft.energy->where = entry->where;
    read_energy(entry->value);
  }
  section("mass_matrix", [&](const Value& value) { read_mass_matrix(value); });
  section("forces", [&](const Value& value) { draft.forces = definitions(value); });
  section("force", [&](const Value& list) {
    each_table(list, "force", [&](const Value& table) { read_point_force(table); });
  });
  section("virtual_work", [&](const Value& value) { draft.virtual_work = definitions(value); });
  section("constraint", [&](const Value& list) {
    each_table(list, "constraint", [&](const Value& table) { read_constraint(table); });
  });
  section("event", [&](const Value& list) {
    each_table(list, "event", [&](const Value& table) { read_event(table); });
  });
  section("contact", [&](const Value& list) {
    each_table(list, "contact", [&](const Value& table) { read_contact(table); });
  });
  section("friction", [&](const Value& list) {
    each_table(list, "friction", [&](const Value& table) { read_dry_friction(table); });
  });
  section("spring", [&](const Value& list) {
    each_table(list, "spring", [&](const Value& table) { read_spring(table); });
  });
  section("quasi_velocities",
          [&](const Value& value) { draft.quasi_velocities = definitions(value); });
  section("independent", [&](const Value& value) { read_independent(value); });
  section("initial", [&](const Value& value) { read_initial(value); });
  section("simulation", [&](const Value& value) { read_simulation(value); });
  section("outputs", [&](const Value& value) { draft.outputs = definitions(value); });
  section("view", [&](const Value& value) { read_view(value); });
}

}  // namespace dalembert::model
