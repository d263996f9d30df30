#include "dalembert/mechanics/formulations/quasi_form.hpp"

#include <fmt/format.h>

#include "dalembert/expr/print.hpp"
#include "dalembert/mechanics/objections.hpp"

namespace dalembert::mechanics {

namespace {

expr::ExprMap rate_symbols(const Setting& s, const QuasiForm& form) {
  expr::ExprMap rates;
  for (std::size_t j = 0; j < s.r; ++j) rates.emplace(form.w.u[j], form.w.u_rate[j]);
  return rates;
}

std::vector<Expr> free_rates(const Setting& s, const QuasiForm& form) {
  return {form.w.u.begin(), form.w.u.begin() + static_cast<std::ptrdiff_t>(s.r)};
}

}  // namespace

Result<QuasiForm, std::string> quasi_form(const Setting& s, std::string_view method) {
  if (!s.linear) return expr::Failure{objection(method, why_not_linear(s))};
  auto w = quasi_velocities(s);
  if (!w) return expr::Failure{objection(method, w.error())};
  QuasiForm form;
  form.w = *std::move(w);
  form.velocities = constrained_velocities(s, form.w);
  form.Z = free_columns(s, form.w);
  form.T_star = shortened(with_velocities(s, s.eq().kinetic, form.velocities));
  form.momenta_q = with_velocities(s, expr::gradient(s.eq().kinetic, s.eq().v), form.velocities);
  form.momenta_u = transpose(form.w.Phi) * form.momenta_q;
  shorten(form.momenta_u);
  form.left = along(expr::gradient(form.T_star, free_rates(s, form)), s, form.velocities,
                    rate_symbols(s, form));
  const std::vector<Expr> by_theta = transpose(form.Z) * expr::gradient(form.T_star, s.eq().q);
  for (std::size_t r = 0; r < s.r; ++r) form.left[r] -= by_theta[r];
  form.forces = projected_forces(s, form.Z, form.velocities);
  return form;
}

Matrix transpositions(const Setting& s, const QuasiForm& form) {
  Matrix Theta(s.n, s.r);
  for (std::size_t i = 0; i < s.n; ++i) {
    std::vector<Expr> row;
    for (std::size_t r = 0; r < s.r; ++r) row.push_back(form.Z(i, r));
    const std::vector<Expr> rates = along(row, s, form.velocities, {});
    const std::vector<Expr> by_theta =
        transpose(form.Z) * expr::gradient(form.velocities[i], s.eq().q);
    for (std::size_t r = 0; r < s.r; ++r) Theta(i, r) = shortened(rates[r] - by_theta[r]);
  }
  return Theta;
}

Step transposition_step(const Setting& s, const Matrix& Theta) {
  Step step{StepKind::transpositions_of_all};
  for (std::size_t i = 0; i < s.n; ++i) {
    std::vector<Expr> terms;
    for (std::size_t r = 0; r < s.r; ++r)
      terms.push_back(Theta(i, r) * expr::auxiliary(fmt::format("δtheta{}", r + 1)));
    step.facts.push_back(
        fact(s, Quantity::transposition, {s.eq().q[i], s.eq().v[i]}, expr::sum(terms)));
  }
  return step;
}

Step momentum_step(const Setting& s, const QuasiForm& form) {
  Step step{StepKind::momenta};
  for (std::size_t j = 0; j < s.n; ++j)
    step.facts.push_back(fact(s, Quantity::momentum_by_u, {form.w.u[j]}, form.momenta_u[j]));
  return step;
}

Formulation quasi_formulation(const Setting& s, const QuasiForm& form, std::string method) {
  Formulation f;
  f.method = std::move(method);
  f.unknowns.assign(form.w.u_rate.begin(),
                    form.w.u_rate.begin() + static_cast<std::ptrdiff_t>(s.r));
  f.accelerations = along(form.velocities, s, form.velocities, rate_symbols(s, form));
  f.rates = free_rates(s, form);
  const std::vector<Expr> u = form.w.Psi * s.eq().v;
  for (std::size_t r = 0; r < s.r; ++r) f.rates_from_velocities.push_back(u[r] + form.w.Psi_t[r]);
  f.velocities = form.velocities;
  f.Z = form.Z;
  f.combination = Matrix::identity(s.r);
  f.constraint_combination = Matrix(s.k, s.r);
  note_reduction(s, f);
  note_quasi_velocities(s, form.w, f);
  if (!s.explain) return f;

  f.steps.push_back(quasi_velocity_step(s, form.w));
  f.steps.push_back(
      {StepKind::kinetic_energy_by_u, {fact(s, Quantity::kinetic_by_u, {}, form.T_star)}});
  Step work{StepKind::virtual_work_by_u};
  for (std::size_t r = 0; r < s.r; ++r)
    work.facts.push_back(fact(s, Quantity::force, {ordinal(r)}, form.forces[r]));
  f.steps.push_back(std::move(work));
  return f;
}

void finish(const Setting& s, const QuasiForm& form, Formulation& f,
            const std::vector<Expr>& left) {
  if (s.explain) f.steps.push_back({StepKind::law});
  std::vector<std::string> names;
  for (std::size_t r = 0; r < s.r; ++r) names.push_back(expr::to_text(form.w.u[r]));
  set_equations(s, f, left, form.forces, names);
}

}  // namespace dalembert::mechanics
