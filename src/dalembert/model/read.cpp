// From a path to a model: what can be wrong with a file before it is TOML, and the order of its
// sections.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/other_names.hpp"
#include "dalembert/model/reader.hpp"
#include "dalembert/model/text_file.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

constexpr std::array sections = {"name"sv,        "description"sv,
                                 "coordinates"sv, "mass_matrix"sv,
                                 "parameters"sv,  "let"sv,
                                 "energy"sv,      "forces"sv,
                                 "constraint"sv,  "virtual_work"sv,
                                 "initial"sv,     "simulation"sv,
                                 "outputs"sv,     "quasi_velocities"sv,
                                 "independent"sv, "gravity"sv,
                                 "particle"sv,    "body"sv,
                                 "frame"sv,       "joint"sv,
                                 "spring"sv,      "force"sv,
                                 "view"sv};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

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

}  // namespace

Result<Model, ModelError> read_model(const std::string& path) {
  auto text = read_text_file(path, largest_model_file);
  if (!text) return Failure{std::move(text).error()};
  return read_model_text(*std::move(text), path);
}

Result<Model, ModelError> read_model_text(std::string text, const std::string& name) {
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
  reader.model.name = std::filesystem::path(name).stem().string();
  reader.read(*document);
  if (!reader.complaints.empty()) return Failure{ModelError{source, reader.complaints.take()}};
  return std::move(reader.model);
}

Model with_free_initial_values(const Model& model, std::span<const std::string> names) {
  std::vector<std::string> taken = model.coordinates;
  for (const auto* list : {&model.parameters, &model.quasi_velocities}) {
    for (const Named& named : *list) taken.push_back(named.name);
  }
  std::vector<FreeInitialValue> free;
  for (const std::string& name : names) {
    const bool is_velocity = name.ends_with('\'');
    const std::string coordinate = is_velocity ? name.substr(0, name.size() - 1) : name;
    const auto found = std::find(model.coordinates.begin(), model.coordinates.end(), coordinate);
    if (found == model.coordinates.end())
      throw std::invalid_argument("'" + name + "' is no position or velocity of the model");
    const auto i = static_cast<std::size_t>(found - model.coordinates.begin());
    std::string parameter = coordinate + (is_velocity ? "_rate_start" : "_start");
    while (std::find(taken.begin(), taken.end(), parameter) != taken.end()) parameter += '_';
    taken.push_back(parameter);
    const Located& written = (is_velocity ? model.initial.v : model.initial.q)[i];
    free.push_back({2 * i + (is_velocity ? 1 : 0), {parameter, written.expr, written.where}});
  }
  if (model.source && !free.empty()) {
    Reader reader(model.source);
    reader.free_initial = std::move(free);
    reader.model.name = model.name;
    const auto document = parse_document(reader.index);
    if (!document) throw std::logic_error("a model that was read cannot be read again");
    reader.read(*document);
    if (!reader.complaints.empty())
      throw std::logic_error("a model with a free initial value is refused: " +
                             to_string(ModelError{model.source, reader.complaints.take()}));
    return std::move(reader.model);
  }
  Model result = model;
  for (const FreeInitialValue& value : free) {
    (value.node % 2 == 0 ? result.initial.q : result.initial.v)[value.node / 2].expr =
        expr::parameter(value.parameter.name);
    result.parameters.push_back(value.parameter);
    std::vector<std::string>& hold = result.initial.hold;
    const std::string& name = result.coordinates[value.node / 2];
    if (value.node % 2 == 1 && std::find(hold.begin(), hold.end(), name) != hold.end() &&
        std::find(hold.begin(), hold.end(), name + "'") == hold.end())
      hold.push_back(name + "'");
  }
  return result;
}

void Reader::read_key(const Entry& entry) {
  if (contains(sections, entry.key)) return;
  const std::vector<std::string> known(sections.begin(), sections.end());
  std::string meant = other_name_of_key(entry.key, "");
  if (meant.empty()) meant = complaints.did_you_mean(entry.key, known);
  complaints.add(entry.where, fmt::format("unknown key {}{}", in_quotes(entry.key), meant));
  const std::vector<std::string> declaring = {"coordinates", "parameters", "let",
                                              "body",        "particle",   "frame"};
  if (!expr::nearest(entry.key, declaring).empty()) names.mark_incomplete();
}

void Reader::read(const Value& document) {
  for (const Entry& entry : document.entries) read_key(entry);
  const auto section = [&](std::string_view key, auto read_value) {
    if (const Entry* entry = find(document, key)) read_value(entry->value);
  };
  const auto text = [&](std::string& target, std::string_view what, std::string_view allowed) {
    return [&, what, allowed](const Value& value) {
      const std::string* given = string(value, "a string");
      if (given != nullptr && check_shows(*given, what, allowed, content_place(value), complaints))
        target = *given;
    };
  };
  section("name", text(model.name, "the name of the model", ""));
  section("description", text(model.description, "the description", "\t\r\n"));
  const Entry* coordinates = find(document, "coordinates");
  if (coordinates != nullptr || !names.is_incomplete()) read_coordinates(coordinates);
  std::vector<const Entry*> parameters;
  std::vector<const Entry*> let_entries;
  section("parameters",
          [&](const Value& value) { parameters = declare(value, NameKind::parameter); });
  section("let", [&](const Value& value) { let_entries = declare(value, NameKind::let); });
  declare_bodies(document);
  section("joint", [&](const Value& value) { declare_joints(value); });
  read_parameters(parameters);
  read_lets(let_entries);
  const std::size_t n = model.coordinates.size();
  for (auto* components :
       {&model.forces, &model.virtual_work, &model.initial.q, &model.initial.v}) {
    components->assign(n, Located{});
  }
  section("gravity", [&](const Value& value) { read_gravity(value); });
  finish_bodies();
  section("energy", [&](const Value& value) { read_energy(value); });
  section("mass_matrix", [&](const Value& value) { read_mass_matrix(value); });
  add_bodies_to_energy();
  read_joints();
  section("forces",
          [&](const Value& value) { read_components(value, places::force, model.forces); });
  section("force", [&](const Value& value) { read_point_forces(value); });
  section("virtual_work", [&](const Value& value) {
    read_components(value, places::virtual_work, model.virtual_work);
  });
  section("constraint", [&](const Value& value) { read_constraints(value); });
  section("spring", [&](const Value& value) { read_springs(value); });
  section("quasi_velocities", [&](const Value& value) { read_quasi_velocities(value); });
  section("independent", [&](const Value& value) { read_independent(value); });
  const Entry* initial = find(document, "initial");
  if (initial != nullptr || !free_initial.empty() || !model.quaternions.empty())
    read_initial(initial != nullptr ? initial->value : Value{});
  section("simulation", [&](const Value& value) { read_simulation(value); });
  section("outputs", [&](const Value& value) { read_outputs(value); });
  section("view", [&](const Value& value) { read_view(value); });
  if (n == 0 || names.is_incomplete()) return;
  // What is missing as a whole is told where it would stand.
  const Entry* energy = find(document, "energy");
  const Location system = energy != nullptr        ? energy->where
                          : coordinates != nullptr ? coordinates->where
                                                   : Location{1, 1, 1};
  for (Diagnostic& found : validate(model))
    complaints.add(found.where.line > 0 ? found.where : system, std::move(found.message));
}

}  // namespace dalembert::model
