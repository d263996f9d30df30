#include "dalembert/study/parameter_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/parse.hpp"

namespace dalembert::study {

ParameterFlow::ParameterFlow(const model::Model& model,
                             const std::map<std::string, std::string>& settings,
                             std::span<const std::size_t> varied)
    : varies_(model.parameters.size(), false) {
  const auto resolve = [](std::string_view name, int) -> expr::Result<expr::Expr, std::string> {
    return expr::parameter(name);
  };
  std::vector<expr::Expr> definitions;
  for (const model::Named& parameter : model.parameters) {
    index_.emplace(parameter.name, names_.size());
    names_.push_back(parameter.name);
    const auto set = settings.find(parameter.name);
    definitions.push_back(set == settings.end() ? parameter.expr
                                                : *expr::parse(set->second, resolve));
  }
  std::vector<bool> known(names_.size(), false);  // varied, placed among the steps, or constant
  for (const std::size_t i : varied) known[i] = varies_[i] = true;
  // A setting may refer to a parameter that comes later, so one pass over them may not do.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (known[i]) continue;
      const auto needed = expr::symbols(std::span(&definitions[i], 1));
      const auto is_known = [&](const expr::Expr& s) { return known[index_of(s.symbol())]; };
      if (!std::all_of(needed.begin(), needed.end(), is_known)) continue;
      known[i] = changed = true;
      varies_[i] = varies(definitions[i]);
      if (varies_[i]) steps_.push_back({i, definitions[i]});
    }
  }
}

std::size_t ParameterFlow::index_of(const expr::Symbol& symbol) const {
  const auto found = index_.find(symbol.name);
  if (symbol.kind != expr::SymbolKind::parameter || found == index_.end())
    throw std::invalid_argument("'" + symbol.name + "' is not a parameter of the model");
  return found->second;
}

bool ParameterFlow::varies(const expr::Expr& e) const {
  const auto inside = expr::symbols(std::span(&e, 1));
  return std::any_of(inside.begin(), inside.end(),
                     [&](const expr::Expr& s) { return varies_[index_of(s.symbol())]; });
}

std::optional<std::string> ParameterFlow::complete(std::vector<double>& parameters) const {
  for (const Step& step : steps_) {
    const double value = expr::evaluate(
        step.definition, [&](const expr::Symbol& s) { return parameters[index_of(s)]; });
    parameters[step.parameter] = value;
    if (!std::isfinite(value)) {
      return fmt::format("parameter '{}' is {}; it must be finite", names_[step.parameter], value);
    }
  }
  return std::nullopt;
}

}  // namespace dalembert::study
