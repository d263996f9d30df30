#include "dalembert/mechanics/formulations/split_form.hpp"

#include <fmt/format.h>

namespace dalembert::mechanics {

std::vector<Expr> independent_accelerations(const Setting& s) {
  std::vector<Expr> result;
  for (const std::size_t i : s.split.independent) result.push_back(s.acceleration(i));
  return result;
}

std::vector<std::string> independent_names(const Setting& s) {
  std::vector<std::string> result;
  for (const std::size_t i : s.split.independent) result.push_back(s.coordinate_name(i));
  return result;
}

std::optional<std::string> split_objection(const Setting& s, std::string_view method) {
  if (!s.linear) return fmt::format("{}: {}", method, s.not_linear);
  if (s.split.refusal.starts_with("[independent]"))
    return fmt::format("{}: {}", method, s.split.refusal);
  return std::nullopt;
}

SplitForm split_form(const Setting& s, const std::vector<Expr>& accelerations) {
  SplitForm form;
  form.velocities = split_velocities(s);
  std::vector<Expr> v_I;
  for (const std::size_t i : s.split.independent) v_I.push_back(s.eq->v[i]);
  for (const std::size_t d : s.split.dependent) form.phi.push_back(form.velocities[d]);
  form.Z = split_directions(s);

  const std::vector<Expr> momenta =
      with_velocities(s, expr::gradient(s.eq->kinetic, s.eq->v), form.velocities);
  for (const std::size_t d : s.split.dependent) form.momenta.push_back(momenta[d]);
  form.T0 = shortened(with_velocities(s, s.eq->kinetic, form.velocities));

  expr::ExprMap rates;
  for (std::size_t i = 0; i < s.r; ++i) rates.emplace(v_I[i], accelerations[i]);
  form.left = along(expr::gradient(form.T0, v_I), s, form.velocities, rates);
  const std::vector<Expr> by_q = transpose(form.Z) * expr::gradient(form.T0, s.eq->q);
  for (std::size_t i = 0; i < s.r; ++i) form.left[i] -= by_q[i];
  form.forces = projected_forces(s, form.Z, form.velocities);
  return form;
}

Formulation split_formulation(const Setting& s, const SplitForm& form, std::string method,
                              std::string title, const std::vector<Expr>& accelerations) {
  Formulation f;
  f.method = std::move(method);
  f.title = std::move(title);
  f.unknowns = accelerations;
  expr::ExprMap rates;
  for (std::size_t i = 0; i < s.r; ++i)
    rates.emplace(s.eq->v[s.split.independent[i]], accelerations[i]);
  f.accelerations = along(form.velocities, s, form.velocities, rates);
  f.velocities = form.velocities;
  f.Z = form.Z;
  f.combination = Matrix::identity(s.r);
  f.constraint_combination = Matrix(s.k, s.r);
  remark_on_reduction(s, f);
  if (s.k > 0) remark_on_split(s, f);
  if (!s.explain) return f;

  if (s.k > 0) f.steps.push_back(split_step(s));
  f.steps.push_back({"Constrained kinetic energy",
                     "G5.212",
                     "The kinetic energy with the dependent velocities put in.",
                     {show(s, {"T0", "T^{0}"}, form.T0)}});
  std::vector<Notation> names;
  for (const std::size_t i : s.split.independent) {
    const Notation q = written(s.eq->q[i]);
    names.push_back({"Q0_" + q.text, "Q^{0}_{" + q.latex + "}"});
  }
  f.steps.push_back(force_step(
      s, form.forces, names, "G5.213",
      "The work of the applied forces (and of the non-ideal constraint "
      "forces) under a virtual displacement «δq_D = B δq_I|\\delta q_D = B\\, \\delta q_I»."));
  return f;
}

}  // namespace dalembert::mechanics
