#include "dalembert/mechanics/formulations/split_form.hpp"

#include "dalembert/mechanics/objections.hpp"

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
  if (!s.linear) return objection(method, why_not_linear(s));
  if (s.split.refusal == Split::Refusal::count) return objection(method, why_not_heeded(s));
  return std::nullopt;
}

SplitForm split_form(const Setting& s, const std::vector<Expr>& accelerations) {
  SplitForm form;
  form.velocities = split_velocities(s);
  std::vector<Expr> v_I;
  for (const std::size_t i : s.split.independent) v_I.push_back(s.eq().v[i]);
  for (const std::size_t d : s.split.dependent) form.phi.push_back(form.velocities[d]);
  form.Z = split_directions(s);

  const std::vector<Expr> momenta =
      with_velocities(s, expr::gradient(s.eq().kinetic, s.eq().v), form.velocities);
  for (const std::size_t d : s.split.dependent) form.momenta.push_back(momenta[d]);
  form.T0 = shortened(with_velocities(s, s.eq().kinetic, form.velocities));

  expr::ExprMap rates;
  for (std::size_t i = 0; i < s.r; ++i) rates.emplace(v_I[i], accelerations[i]);
  form.left = along(expr::gradient(form.T0, v_I), s, form.velocities, rates);
  const std::vector<Expr> by_q = transpose(form.Z) * expr::gradient(form.T0, s.eq().q);
  for (std::size_t i = 0; i < s.r; ++i) form.left[i] -= by_q[i];
  form.forces = projected_forces(s, form.Z, form.velocities);
  return form;
}

Formulation split_formulation(const Setting& s, const SplitForm& form, std::string method,
                              const std::vector<Expr>& accelerations) {
  Formulation f;
  f.method = std::move(method);
  f.unknowns = accelerations;
  expr::ExprMap rates;
  for (std::size_t i = 0; i < s.r; ++i)
    rates.emplace(s.eq().v[s.split.independent[i]], accelerations[i]);
  f.accelerations = along(form.velocities, s, form.velocities, rates);
  f.velocities = form.velocities;
  f.Z = form.Z;
  f.combination = Matrix::identity(s.r);
  f.constraint_combination = Matrix(s.k, s.r);
  note_reduction(s, f);
  if (s.k > 0) note_split(f);
  if (!s.explain) return f;

  if (s.k > 0) f.steps.push_back(split_step(s));
  f.steps.push_back(
      {StepKind::kinetic_energy_split, {fact(s, Quantity::kinetic_split, {}, form.T0)}});
  Step work{StepKind::virtual_work_split};
  for (std::size_t i = 0; i < s.r; ++i)
    work.facts.push_back(
        fact(s, Quantity::split_force, {s.eq().q[s.split.independent[i]]}, form.forces[i]));
  f.steps.push_back(std::move(work));
  return f;
}

}  // namespace dalembert::mechanics
