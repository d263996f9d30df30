#include "dalembert/study/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/expr/indices.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/assembly/free_initial.hpp"
#include "dalembert/study/option_error.hpp"

namespace dalembert::study {

namespace {

using model::Diagnostic;
using model::Failure;
using model::ModelError;

/// The names that may vary: parameters, positions, velocities.
std::vector<std::string> variable_names(const model::Model& model) {
  std::vector<std::string> names;
  for (const auto& parameter : model.parameters) {
    if (!model::is_internal(parameter)) names.push_back(parameter.name);
  }
  for (const auto& name : model.coordinates) names.push_back(name);
  for (const auto& name : model.coordinates) names.push_back(name + "'");
  for (std::string& name : model::spin_names(model)) names.push_back(std::move(name));
  return names;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// The constraint that an input enforces, if there is one.
const std::string* enforced_by(const model::Model& model, const std::string& input) {
  for (const model::Constraint& constraint : model.constraints) {
    if (contains(constraint.by, input)) return &constraint.name;
  }
  return nullptr;
}

/// The names of the variations, each a thing that can vary, once. What is wrong joins the list.
std::vector<std::string> names_of(const model::Model& model, const PlanOptions& options,
                                  std::vector<Diagnostic>& wrong) {
  const std::vector<std::string> known = variable_names(model);
  std::vector<std::string> names;
  for (const std::string& text : options.variations) {
    auto name = varied_name(text);
    if (!name) {
      wrong.push_back(name.error());
      continue;
    }
    const auto blame = [&, begin = text.find(*name),
                        end = text.find(*name) + name->size()](const std::string& message) {
      wrong.push_back(option_error("--vary", text, begin, end, message));
    };
    *name = expr::spelt_out(*name);
    if (!contains(known, *name)) {
      const std::string meant = expr::did_you_mean(*name, known);
      blame(fmt::format(
          "unknown name '{}'{}", *name,
          meant.empty() ? "; parameters, coordinates (x) and velocities (x') may vary" : meant));
    } else if (contains(names, *name)) {
      blame(fmt::format("'{}' varies already", *name));
    } else if (const std::string* servo = enforced_by(model, *name)) {
      blame(
          fmt::format("input '{}' cannot vary: it follows from constraint '{}', which it enforces",
                      *name, *servo));
    } else if (options.settings.contains(*name)) {
      blame(fmt::format("'{}' is given by --set too; it either varies or does not", *name));
    } else if (std::ranges::find(options.initial, *name,
                                 &std::pair<std::string, expr::Expr>::first) !=
               options.initial.end()) {
      blame(fmt::format("'{}' is given by --at too; it either varies or does not", *name));
    }
    names.push_back(*std::move(name));
  }
  return names;
}

/// Reads numbers in variations: expressions of the parameters that do not vary.
class Numbers {
 public:
  Numbers(const model::Model& model, const ParameterFlow& flow,
          const std::vector<double>& parameters, std::size_t visible)
      : model_(model), flow_(flow), parameters_(parameters) {
    for (std::size_t i = 0; i < visible; ++i) names_.push_back(model.parameters[i].name);
  }

  expr::Result<double, expr::ParseError> operator()(std::string_view text) const {
    const auto parsed = expr::parse(text, [this](std::string_view name, int primes) {
      return meaning(std::string(name), primes);
    });
    if (!parsed) return Failure{parsed.error()};
    return model::evaluate(*parsed, model_, parameters_);
  }

 private:
  expr::Result<expr::Expr, std::string> meaning(const std::string& name, int primes) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end() || primes > 0) {
      const std::string meant = expr::did_you_mean(name, names_);
      return Failure{fmt::format(
          "unknown name '{}'{}", name + std::string(static_cast<std::size_t>(primes), '\''),
          meant.empty() ? "; numbers and parameters may be used here" : meant)};
    }
    if (flow_.varies(static_cast<std::size_t>(found - names_.begin())))
      return Failure{fmt::format("'{}' varies itself and cannot be used here", name)};
    return expr::parameter(name);
  }

  const model::Model& model_;
  const ParameterFlow& flow_;
  const std::vector<double>& parameters_;
  std::vector<std::string> names_;
};

}  // namespace

model::Result<Plan, ModelError> make_plan(const model::Model& model, const PlanOptions& options) {
  std::vector<Diagnostic> wrong;
  if (options.variations.empty())
    wrong.push_back({"nothing varies: give --vary, as in --vary \"theta=uniform(0.8, 1.4)\""});
  const std::vector<std::string> names = names_of(model, options, wrong);
  if (!wrong.empty()) return Failure{ModelError{nullptr, std::move(wrong)}};

  std::vector<std::string> initial;
  std::vector<std::size_t> targets;
  for (const std::string& name : names) {
    const auto parameter = std::find_if(model.parameters.begin(), model.parameters.end(),
                                        [&](const model::Named& p) { return p.name == name; });
    if (parameter != model.parameters.end()) {
      targets.push_back(static_cast<std::size_t>(parameter - model.parameters.begin()));
    } else {
      targets.push_back(model.parameters.size() + initial.size());
      initial.push_back(name);
    }
  }
  const std::size_t own = model.parameters.size(), first_given = own + initial.size();
  for (const auto& [name, value] : options.initial) initial.push_back(name);
  if (auto objection = model::objection_to_free(model, initial))
    return Failure{*std::move(objection)};
  model::Model freed = model::with_free_initial_values(model, initial);
  for (std::size_t k = 0; k < options.initial.size(); ++k)
    freed.parameters[first_given + k].expr = options.initial[k].second;
  const auto parameters = model::parameter_values(freed, options.settings);
  if (!parameters) return Failure{parameters.error()};
  ParameterFlow flow(freed, options.settings, targets);

  std::vector<Variation> variations;
  const Number number = Numbers(freed, flow, *parameters, model.parameters.size());
  for (const std::string& text : options.variations) {
    auto variation = read_variation(text, number);
    if (variation) {
      variations.push_back(*std::move(variation));
    } else {
      wrong.push_back(variation.error());
    }
  }
  if (wrong.empty() && grid_size(variations) > most_runs) {
    wrong.push_back({fmt::format("the lists make a grid of more than {} cells, which is the limit",
                                 most_runs)});
  }
  if (!wrong.empty()) return Failure{ModelError{nullptr, std::move(wrong)}};
  std::vector<std::string> set;
  for (const std::size_t i : targets) set.push_back(freed.parameters[i].name);
  const std::string first_free = initial.empty() ? "" : freed.parameters[own].name;
  auto motion = motion::compile(std::move(freed), {options.settings, options.method});
  if (!motion) return Failure{std::move(motion).error()};
  // What is compiled has no parameters for inputs that enforce constraints.
  const auto& compiled = motion->model().parameters;
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(compiled, name, &model::Named::name) -
                                    compiled.begin());
  };
  std::ranges::transform(set, targets.begin(), place);
  ParameterFlow along(motion->model(), options.settings, targets);
  return Plan(*std::move(motion), std::move(along), std::move(variations), std::move(targets),
              place(first_free), std::move(initial), options.seed);
}

Plan::Given Plan::given(const std::vector<double>& parameters) const {
  Given given;
  for (std::size_t j = 0; j < variations_.size(); ++j) {
    if (targets_[j] < own_) given.parameters.emplace(variations_[j].name, parameters[targets_[j]]);
  }
  for (std::size_t k = 0; k < freed_.size(); ++k)
    given.initial.emplace_back(freed_[k], parameters[own_ + k]);
  return given;
}

bool Plan::duration_varies() const {
  const model::Simulation& simulation = motion_.model().simulation;
  return simulation.times.empty() && flow_.varies(simulation.duration.expr);
}

Run Plan::prepare(std::uint64_t run) const {
  Run result;
  result.parameters = motion_.parameters();
  std::vector<double> values(variations_.size());
  this->values(run, values);
  for (std::size_t j = 0; j < values.size(); ++j) {
    result.parameters[targets_[j]] = values[j];
    if (!std::isfinite(values[j])) {
      result.problem = fmt::format("'{}' is {}; it must be finite", variations_[j].name, values[j]);
      return result;
    }
  }
  if (auto problem = flow_.complete(result.parameters)) {
    result.problem = *std::move(problem);
    return result;
  }
  if (auto state = quick_start_(result.parameters)) {
    result.start = *std::move(state);
    return result;
  }
  auto start = motion::initial_state(motion_.with_parameters(result.parameters));
  if (start) {
    result.start = std::move(start->state);
  } else {
    result.problem = start.error().diagnostics.front().message;
  }
  return result;
}

}  // namespace dalembert::study
