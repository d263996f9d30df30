#include "dalembert/mechanics/formulations/quasi_velocities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/mechanics/objections.hpp"

namespace dalembert::mechanics {

std::vector<std::string> free_names(const model::Model& model,
                                    const std::vector<std::string>& stems, std::size_t count) {
  std::set<std::string> taken(model.coordinates.begin(), model.coordinates.end());
  for (const auto& parameter : model.parameters) taken.insert(parameter.name);
  for (const auto& form : model.quasi_velocities) taken.insert(form.name);
  std::vector<std::string> names;
  std::string stem = stems.front();
  for (std::size_t s = 0;; ++s) {
    stem = s < stems.size() ? stems[s] : stem + "_";
    names.clear();
    for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", stem, i + 1));
    if (std::none_of(names.begin(), names.end(),
                     [&taken](const std::string& name) { return taken.contains(name); }))
      return names;
  }
}

Result<QuasiVelocities, std::string> quasi_velocities(const Setting& s) {
  const model::Model& model = s.model();
  std::set<std::string> taken(model.coordinates.begin(), model.coordinates.end());
  for (const auto& parameter : model.parameters) taken.insert(parameter.name);
  const auto make = [&](bool from_model) -> std::optional<QuasiVelocities> {
    QuasiVelocities result;
    result.from_model = from_model;
    result.Psi = Matrix(s.n, s.n);
    std::set<std::string> names = taken;
    if (from_model) {
      for (const auto& form : model.quasi_velocities) names.insert(form.name);
    }
    for (std::size_t j = 0; j < s.n; ++j) {
      std::string name;
      if (j < s.r && from_model) {
        name = model.quasi_velocities[j].name;
      } else {
        name = fmt::format("u{}", j + 1);
        while (!names.insert(name).second) name.insert(name.begin(), 'u');
      }
      if (j < s.r && from_model) {
        const auto row = expr::gradient(model.quasi_velocities[j].expr, s.eq().v);
        for (std::size_t i = 0; i < s.n; ++i) result.Psi(j, i) = row[i];
        result.Psi_t.emplace_back(0);
      } else if (j < s.r) {
        result.Psi(j, s.split.independent[j]) = 1;
        result.Psi_t.emplace_back(0);
      } else {
        for (std::size_t i = 0; i < s.n; ++i) result.Psi(j, i) = s.A(j - s.r, i);
        result.Psi_t.push_back(s.a_t[j - s.r]);
      }
      result.u.push_back(expr::auxiliary(name));
      result.u_rate.push_back(expr::auxiliary(name, 1));
    }
    Matrix right(s.n, s.n + 1);
    for (std::size_t j = 0; j < s.n; ++j) {
      right(j, j) = 1;
      right(j, s.n) = -result.Psi_t[j];
    }
    const std::optional<Matrix> x = solve(result.Psi, std::move(right), s.values);
    if (!x) return std::nullopt;
    result.Phi = Matrix(s.n, s.n);
    for (std::size_t i = 0; i < s.n; ++i) {
      for (std::size_t j = 0; j < s.n; ++j) result.Phi(i, j) = (*x)(i, j);
      result.Phi_t.push_back((*x)(i, s.n));
    }
    return result;
  };
  if (!model.quasi_velocities.empty() && !s.own_quasi_velocities) {
    if (model.quasi_velocities.size() != s.r) return expr::Failure{miscounted_quasi_velocities(s)};
    if (auto result = make(true)) return *std::move(result);
  }
  auto result = make(false);
  if (!result) return expr::Failure{singular_constraints()};
  return *std::move(result);
}

}  // namespace dalembert::mechanics
