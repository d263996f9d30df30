#pragma once
/// A model that comes with the program, or a text, prepared for the formulations at its initial
/// state.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dalembert/expr/parse.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

struct Prepared {
  model::Model model;
  Equations equations;
  expr::Values values;
  std::optional<Setting> made = {};

  Setting& setting() { return made.value(); }
  const Setting& setting() const { return made.value(); }
};

inline std::unique_ptr<Prepared> prepared(model::Model given) {
  auto result = std::make_unique<Prepared>();
  result->model = std::move(given);
  const model::Model& m = result->model;
  result->equations = lagrange(m);
  const std::vector<double> parameters = model::parameter_values(m).value();
  std::map<std::string, double> numbers;
  for (std::size_t i = 0; i < m.parameters.size(); ++i)
    numbers["p:" + m.parameters[i].name] = parameters[i];
  for (std::size_t i = 0; i < m.coordinates.size(); ++i) {
    numbers["0:" + m.coordinates[i]] = model::evaluate(m.initial.q[i].expr, m, parameters);
    numbers["1:" + m.coordinates[i]] = model::evaluate(m.initial.v[i].expr, m, parameters);
  }
  result->values = [numbers](const expr::Symbol& s) {
    if (s.kind == expr::SymbolKind::time) return 0.0;
    if (s.kind == expr::SymbolKind::parameter) return numbers.at("p:" + s.name);
    if (s.kind == expr::SymbolKind::coordinate && s.order < 2)
      return numbers.at((s.order == 0 ? "0:" : "1:") + s.name);
    return 1.0;
  };
  auto setting = prepare(m, result->equations, result->values,
                         split_coordinates(m, result->equations, result->values));
  EXPECT_TRUE(setting) << (setting ? "" : setting.error());
  if (setting) result->made = *std::move(setting);
  return result;
}

inline std::unique_ptr<Prepared> prepared_model(const std::string& name) {
  return prepared(model::read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value());
}

inline std::unique_ptr<Prepared> prepared_text(const std::string& text) {
  auto model = model::read_model_text(text, "test.toml");
  EXPECT_TRUE(model) << (model ? "" : to_string(model.error()));
  return prepared(*std::move(model));
}

/// An expression in the formulation's own symbols: quasi-velocities `names` and their rates (u1'),
/// the model's coordinates and parameters.
inline expr::Expr parse_in(const Prepared& p, const std::string& text,
                           const std::vector<std::string>& names = {}) {
  const auto resolve = [&](std::string_view name,
                           int primes) -> expr::Result<expr::Expr, std::string> {
    if (name == "t") return expr::time();
    for (const std::string& u : names) {
      if (u == name) return expr::auxiliary(name, primes);
    }
    for (const std::string& q : p.model.coordinates) {
      if (q == name) return expr::coordinate(name, primes);
    }
    return expr::parameter(name);
  };
  auto result = expr::parse(text, resolve);
  EXPECT_TRUE(result) << text;
  return *result;
}

}  // namespace dalembert::mechanics
