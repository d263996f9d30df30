#include "dalembert/cli/at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dalembert/cli/session.hpp"
#include "dalembert/expr/indices.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/assembly/free_initial.hpp"

namespace dalembert::cli {

namespace {

constexpr std::string_view multiplier_prefix = "mu.";

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Splits at the commas outside parentheses and brackets.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : (c == ')' || c == ']' ? -1 : 0);
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// What is wrong with a name that --at does not know.
std::string unknown_name(const std::string& name, const std::string& value,
                         const model::Model& model, const std::vector<std::string>& known) {
  const bool parameter =
      std::any_of(model.parameters.begin(), model.parameters.end(),
                  [&](const model::Named& p) { return p.name == name && !model::is_internal(p); });
  if (parameter)
    return fmt::format("--at: '{}' is a parameter; --set {}={} gives it a value", name, name,
                       value);
  if (name == "t") return fmt::format("--at t={}: a motion starts at t = 0", value);
  return fmt::format("--at: unknown coordinate '{}'{}", name, expr::did_you_mean(name, known));
}

}  // namespace

std::optional<std::vector<Assignment>> assignments_of(const std::vector<std::string>& at,
                                                      const model::Model& model,
                                                      const std::vector<std::string>& further) {
  std::vector<std::string> known = further;
  if (std::ranges::find(further, "t") == further.end()) {  // a start, not any state
    for (std::string& spin : model::spin_names(model)) known.push_back(std::move(spin));
  }
  for (const std::string& coordinate : model.coordinates) {
    known.push_back(coordinate);
    known.push_back(coordinate + "'");
  }
  std::vector<Assignment> result;
  std::set<std::string> given;
  for (const std::string& list : at) {
    for (const std::string& part : parts_of(list)) {
      const std::size_t equals = part.find('=');
      if (equals == std::string::npos) {
        complain(fmt::format("--at '{}': expected NAME=VALUE, as in \"{}x=1,x'=2\"", trimmed(part),
                             std::ranges::find(further, "t") != further.end() ? "t=0," : ""));
        return std::nullopt;
      }
      const std::string name = expr::spelt_out(trimmed(part.substr(0, equals)));
      const std::string text = trimmed(part.substr(equals + 1));
      if (!given.insert(name).second) {
        complain(fmt::format("--at '{}': '{}' is given twice", trimmed(part), name));
        return std::nullopt;
      }
      if (std::ranges::find(known, name) == known.end()) {
        complain(unknown_name(name, text, model, known));
        return std::nullopt;
      }
      auto value = expression_option(fmt::format("--at {} =", name), text, model);
      if (!value) return std::nullopt;
      result.push_back({name, text, *std::move(value)});
    }
  }
  return result;
}

std::optional<double> value_of(const Assignment& assignment, const model::Model& model,
                               const std::vector<double>& parameters) {
  return finite_value(fmt::format("--at {} =", assignment.name), assignment.text, assignment.value,
                      model, parameters);
}

std::optional<motion::GivenValues> given_values(const std::vector<std::string>& at,
                                                const motion::Motion& motion) {
  std::vector<std::string> multipliers;
  if (!motion::is_mechanical(motion.method())) {
    for (const std::string& name : motion.constraint_names())
      multipliers.push_back(std::string(multiplier_prefix) + name);
  }
  const auto assignments = assignments_of(at, motion.model(), multipliers);
  if (!assignments) return std::nullopt;
  motion::GivenValues result;
  for (const Assignment& assignment : *assignments) {
    const auto value = value_of(assignment, motion.model(), motion.parameters());
    if (!value) return std::nullopt;
    if (std::ranges::find(multipliers, assignment.name) != multipliers.end()) {
      result.mu.emplace_back(assignment.name.substr(multiplier_prefix.size()), *value);
    } else {
      result.state.emplace_back(assignment.name, *value);
    }
  }
  return result;
}

}  // namespace dalembert::cli
