#include "dalembert/cli/view/workbench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/motion/request.hpp"

namespace dalembert::cli {

namespace {

using model::Failure;
using model::ModelError;

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string name_of(const model::Model& model, std::size_t i, bool is_velocity) {
  return model.coordinates[i] + (is_velocity ? "'" : "");
}

/// Whether a plain number stands at a place of a text. A text in quotes does not count: it may be
/// an expression of other initial values, which it then has to follow.
bool is_number_at(const std::string& text, const model::Location& where) {
  if (where.line < 1 || where.column < 1) return false;
  std::size_t at = 0;
  for (int line = 1; line < where.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return false;
    ++at;
  }
  for (int column = 1; column < where.column && at < text.size(); ++column)
    at += std::max<std::size_t>(expr::utf8_length(std::string_view(text).substr(at, 4)), 1);
  if (at >= text.size() || (at > 0 && (text[at - 1] == '"' || text[at - 1] == '\''))) return false;
  const char* begin = text.c_str() + at;
  if (std::isdigit(static_cast<unsigned char>(*begin)) == 0 && *begin != '+' && *begin != '-')
    return false;
  char* end = nullptr;
  std::strtod(begin, &end);
  return end != begin &&
         (*end == '\0' || std::string_view(" \t\r\n#,]}").find(*end) != std::string_view::npos);
}

/// The initial values that the text gives as numbers. Those it does not give are left alone: what
/// is given is held where it is when the rest of the start is adjusted.
std::vector<std::string> written_as_numbers(const model::Model& model) {
  std::vector<std::string> names;
  for (const bool is_velocity : {false, true}) {
    const auto& values = is_velocity ? model.initial.v : model.initial.q;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_number_at(model.source->text, values[i].where))
        names.push_back(name_of(model, i, is_velocity));
    }
  }
  return names;
}

/// The initial values of a model as texts, by name.
std::map<std::string, std::string> initial_values(const model::Model& model) {
  std::map<std::string, std::string> result;
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
    result.emplace(name_of(model, i, false), expr::to_text(model.initial.q[i].expr));
    result.emplace(name_of(model, i, true), expr::to_text(model.initial.v[i].expr));
  }
  return result;
}

/// The complaint about names that the model does not have, if there are any.
std::optional<NotPrepared> unknown_names(const SimulateRequest& request,
                                         const model::Model& model) {
  std::vector<std::string> parameters;
  std::vector<std::string> initial;
  for (const model::Named& parameter : model.parameters) {
    if (!model::is_internal(parameter)) parameters.push_back(parameter.name);
  }
  for (const bool is_velocity : {false, true}) {
    for (std::size_t i = 0; i < model.coordinates.size(); ++i)
      initial.push_back(name_of(model, i, is_velocity));
  }
  NotPrepared problem;
  const auto look = [&](const std::map<std::string, double>& values,
                        const std::vector<std::string>& known, std::string_view what) {
    for (const auto& [name, value] : values) {
      if (contains(known, name)) continue;
      problem.error.diagnostics.push_back(
          {fmt::format("no {} '{}'{}", what, name, expr::did_you_mean(name, known))});
      problem.unknown.push_back(name);
    }
  };
  look(request.parameters, parameters, "parameter");
  look(request.initial, initial, "coordinate or velocity");
  if (problem.unknown.empty()) return std::nullopt;
  return problem;
}

/// A number of a request, and what it is called.
std::pair<std::string_view, std::optional<double>> asked_for(const SimulateRequest& given,
                                                             motion::Option option) {
  switch (option) {
    case motion::Option::samples:
      return {"number of samples", given.samples};
    case motion::Option::rtol:
      return {"relative tolerance", given.rtol};
    case motion::Option::atol:
      return {"absolute tolerance", given.atol};
    default:
      return {"duration", given.duration};
  }
}

/// The options of the model, and what the request has instead.
model::Result<motion::SimulationOptions, ModelError> options_of(const SimulateRequest& given,
                                                                const motion::Motion& motion) {
  motion::SimulationRequest request;
  request.duration = given.duration;
  request.samples = given.samples;
  request.rtol = given.rtol;
  request.atol = given.atol;
  request.integrator = given.integrator;
  request.most_samples = most_page_samples;
  auto options = motion::requested_options(request, motion);
  if (options) return *std::move(options);
  const motion::Refusal& refusal = options.error();
  if (refusal.stands_alone)
    return Failure{model::error_in(motion.model(), refusal.sentence, refusal.where)};
  if (refusal.option == motion::Option::integrator)
    return Failure{ModelError{nullptr, {{"integrator: " + refusal.sentence}}}};
  const auto [what, value] = asked_for(given, refusal.option);
  const std::string instead = value ? fmt::format(", not {}", *value) : "";
  return Failure{
      ModelError{nullptr, {{fmt::format("the {} {}{}", what, refusal.sentence, instead)}}}};
}

}  // namespace

Workbench::Workbench(std::string name, std::map<std::string, std::string> settings,
                     std::optional<std::string> method, std::map<std::string, double> initial)
    : name_(std::move(name)),
      settings_(std::move(settings)),
      initial_(std::move(initial)),
      method_(std::move(method)) {}

std::map<std::string, double> Workbench::initial_for(const SimulateRequest& request) const {
  std::map<std::string, double> initial = request.initial;
  for (const auto& [name, value] : initial_values(read_->model)) {
    const auto given = initial_.find(name);
    const auto before = written_.find(name);
    if (given != initial_.end() && (before == written_.end() || before->second == value))
      initial.insert(*given);  // unless the request has it
  }
  return initial;
}

std::map<std::string, std::string> Workbench::settings_for(
    const SimulateRequest& request, const std::map<std::string, std::string>& free) const {
  std::map<std::string, std::string> settings;
  for (const model::Named& parameter : read_->model.parameters) {
    const auto found = settings_.find(parameter.name);
    if (found == settings_.end()) continue;
    // What has been edited since counts more than the command line.
    const auto before = written_.find(parameter.name);
    if (before == written_.end() || before->second == expr::to_text(parameter.expr))
      settings.insert(*found);
  }
  for (const auto& [name, value] : request.parameters) settings[name] = fmt::format("{}", value);
  for (const auto& [name, value] : initial_for(request))
    settings[free.at(name)] = fmt::format("{}", value);
  return settings;
}

model::Result<Workbench::Bench, ModelError> Workbench::make_bench(
    const SimulateRequest& request, std::vector<std::string> moved) const {
  std::vector<std::string> names = read_->numbers;
  for (const std::string& name : moved) {
    if (!contains(names, name)) names.push_back(name);
  }
  model::Model freed = model::with_free_initial_values(read_->model, names);
  std::map<std::string, std::string> free;
  for (std::size_t k = 0; k < names.size(); ++k)
    free[names[k]] = freed.parameters[read_->model.parameters.size() + k].name;
  if (!moved.empty() && !freed.constraints.empty()) {
    model::Initial& initial = freed.initial;
    if (initial.adjust == model::Adjust::none) initial.adjust = model::Adjust::nearest;
    for (const std::string& name : moved) {
      if (!contains(initial.hold, name)) initial.hold.push_back(name);
    }
    // As in a file: whoever holds a position holds the velocity that is written for it.
    for (std::size_t i = 0; i < freed.coordinates.size(); ++i) {
      const std::string velocity = name_of(freed, i, true);
      if (contains(moved, freed.coordinates[i]) && read_->model.initial.v[i].where.line > 0 &&
          !contains(initial.hold, velocity))
        initial.hold.push_back(velocity);
    }
  }
  const auto& method = request.method ? request.method : method_;
  auto motion = motion::compile(std::move(freed), {settings_for(request, free), method});
  if (!motion) return Failure{std::move(motion).error()};
  return Bench{method, std::move(moved), std::move(free), *std::move(motion)};
}

model::Result<PreparedMotion, NotPrepared> Workbench::prepare(const SimulateRequest& request) {
  const auto because = [](ModelError error) { return Failure{NotPrepared{std::move(error)}}; };
  if (!read_ || read_->model.source->text != request.text) {
    bench_.reset();
    read_.reset();
    auto model = model::read_model_text(request.text, name_);
    if (!model) return because(std::move(model).error());
    if (written_.empty()) {
      for (const model::Named& parameter : model->parameters)
        written_.emplace(parameter.name, expr::to_text(parameter.expr));
      written_.merge(initial_values(*model));
    }
    std::vector<std::string> numbers = written_as_numbers(*model);
    read_ = Read{*std::move(model), std::move(numbers)};
  }
  if (auto unknown = unknown_names(request, read_->model)) return Failure{*std::move(unknown)};

  std::vector<std::string> moved;
  for (const auto& [name, value] : initial_for(request)) moved.push_back(name);
  const auto& method = request.method ? request.method : method_;
  if (!bench_ || bench_->method != method || bench_->moved != moved) {
    bench_.reset();
    auto bench = make_bench(request, std::move(moved));
    if (!bench) return because(std::move(bench).error());
    bench_.emplace(*std::move(bench));
  }

  auto values =
      model::parameter_values(bench_->motion.model(), settings_for(request, bench_->free));
  if (!values) return because(std::move(values).error());
  motion::Motion motion = bench_->motion.with_parameters(*std::move(values));
  auto options = options_of(request, motion);
  if (!options) return because(std::move(options).error());
  auto start = motion::initial_state(motion);
  if (!start) return because(std::move(start).error());
  const auto shown = std::ranges::count_if(
      read_->model.parameters, [](const model::Named& p) { return !model::is_internal(p); });
  return PreparedMotion{std::move(motion), static_cast<std::size_t>(shown), *std::move(options),
                        *std::move(start)};
}

}  // namespace dalembert::cli
