#include "dalembert/packing/script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "dalembert/packing/names.hpp"
#include "dalembert/packing/templates.hpp"

namespace dalembert::packing {

namespace {

using codegen::Language;

std::string list_of(const std::vector<std::string>& texts) {
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string numbers(const std::vector<double>& values, Language language) {
  std::vector<std::string> texts;
  for (const double x : values) texts.push_back(codegen::source_number(x, language));
  return list_of(texts);
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : literal_text(name)) {
    if (c == '?') text.pop_back();  // C alone has trigraphs
    text += c;
  }
  return text + "\"";
}

std::string names(const std::vector<std::string>& values) {
  std::vector<std::string> texts;
  for (const std::string& name : values) texts.push_back(quoted(name));
  return list_of(texts);
}

/// `{"a": function_a, ...}`, under a name.
std::string table(Language language, const std::string& name,
                  const std::vector<std::pair<std::string, std::string>>& functions) {
  std::vector<std::string> texts;
  for (const auto& [key, function] : functions)
    texts.push_back(fmt::format("\"{}\": {}", key, function));
  const bool python = language == Language::python;
  return fmt::format("{}{} = {{{}}}{}\n", python ? "" : "const ", name, fmt::join(texts, ", "),
                     python ? "" : ";");
}

/// A text inside the quotes of a docstring, or a comment.
std::string title(const PackedSystem& system) {
  std::string text = system.name + "\n";
  if (!system.description.empty()) text += system.description + "\n";
  text += "\nMade by dalembert. M q'' = Q + Q_ideal + Q_nonideal; y' = f(t, y) with ";
  text += system.reduced
              ? "y = (q, u), u quasi-velocities by which the\nconstraints on velocities hold."
              : "y = (q, q').";
  std::string safe;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line = comment_text(std::string_view(text).substr(start, end - start));
    for (char& c : line)
      if (c == '"') c = '\'';
    safe += line + "\n";
    start = end + 1;
  }
  return safe;
}

}  // namespace

model::Result<std::string, std::string> script_of(const PackedSystem& system, Language language) {
  if (!system.references.empty())
    return model::Failure{
        std::string("this model cannot be exported as a script: the turns of its hinges are "
                    "counted along the motion, and a script evaluates only single states")};
  if (!system.events.empty())
    return model::Failure{
        std::string("this model cannot be exported as a script: its events come along the motion, "
                    "and a script evaluates only single states")};
  const bool python = language == Language::python;
  const std::string mark = python ? "_" : "";
  std::vector<std::pair<std::string, const codegen::Tape*>> tapes = {
      {"derivative", &system.derivative},
      {"sample", &system.sample},
      {"rates", &system.rates},
      {"written", &system.initial}};
  std::vector<std::string> levels, projected;
  if (!system.positions.outputs.empty()) {
    tapes.emplace_back("positions", &system.positions);
    levels.emplace_back("positions");
    if (system.projects_positions) projected.emplace_back("positions");
  }
  if (!system.velocities.outputs.empty()) {
    tapes.emplace_back("velocities", &system.velocities);
    levels.emplace_back("velocities");
    if (system.projects_velocities) projected.emplace_back("velocities");
  }
  std::string text;
  std::vector<std::pair<std::string, std::string>> runs, knows;
  auto all = tapes;
  all.emplace_back("dependent", &system.dependent);
  std::vector<const codegen::Tape*> reading;
  for (const auto& [name, tape] : all) reading.push_back(tape);
  const auto tables = codegen::tables_of(reading);
  if (!tables.empty()) text += packing::fill(python ? "table.py" : "table.js", "", {});
  for (std::size_t i = 0; i < tables.size(); ++i)
    text += codegen::table_source(*tables[i], i, language, "") + (python ? "\n\n" : "\n");
  for (const auto& [name, tape] : all) {
    // `written` is a table of numbers too.
    const std::string function = mark + (name == "written" ? "as_written" : name);
    const auto source = codegen::source_of(*tape, language, {function, "", {}, {}, tables});
    if (!source)
      return model::Failure{std::string(
          "this model cannot be exported to JavaScript: it uses erf, which JavaScript lacks")};
    text += source->text;
    if (name == "dependent") continue;
    runs.emplace_back(name, function);
    knows.emplace_back(name, function + "_known");
  }
  text += table(language, python ? "_TAPES" : "tapes", runs);
  text += table(language, python ? "_KNOWN" : "known", knows) + "\n";
  if (python) text += "\n";
  std::vector<std::string> values, free;
  for (const PackedParameter& parameter : system.parameters) {
    values.push_back(quoted(parameter.name) + ": " +
                     codegen::source_number(parameter.value, language));
    free.emplace_back(python ? (parameter.free ? "True" : "False")
                             : (parameter.free ? "true" : "false"));
  }
  std::vector<std::string> inputs;
  for (const std::size_t i : system.inputs) inputs.push_back(quoted(system.parameters[i].name));
  return packing::fill(python ? "model.py" : "model.js", system.prefix,
                       {{"TITLE", title(system)},
                        {"PARAMETERS", fmt::format("{{{}}}", fmt::join(values, ", "))},
                        {"INPUTS", list_of(inputs)},
                        {"STATES", names(system.state_names)},
                        {"SAMPLES", names(system.sample_names)},
                        {"DURATION", codegen::source_number(system.duration, language)},
                        {"FREE", list_of(free)},
                        {"START", numbers(system.start, language)},
                        {"WRITTEN", numbers(system.written, language)},
                        {"COORDINATES", fmt::format("{}", system.n)},
                        {"TAPES", text},
                        {"REDUCED", python ? (system.reduced ? "True" : "False")
                                           : (system.reduced ? "true" : "false")},
                        {"LEVELS", names(levels)},
                        {"PROJECTED", names(projected)}});
}

}  // namespace dalembert::packing
