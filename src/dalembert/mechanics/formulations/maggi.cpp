/// Maggi's equations: Lagrange's principle (G5.1) on the virtual displacements dq = Z dtheta,
///
///     sum_i Z_ir (d/dt dT/dq_i' - dT/dq_i) = sum_i Z_ir (Q_i + C_i),    r <= n - k,     A q'' = b,
///
/// n linear equations for q''. Z are the columns of Phi that belong to the model's
/// quasi-velocities, or [1; B]. Constraints nonlinear in the velocities are welcome: Z then depends
/// on q' (U97.5).

#include <fmt/format.h>

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"
#include "dalembert/mechanics/formulations/split_form.hpp"
#include "dalembert/mechanics/objections.hpp"

namespace dalembert::mechanics {

namespace {

Step direction_step(const Setting& s, const Matrix& Z, const std::vector<std::string>& names) {
  Step step{StepKind::virtual_displacements};
  for (std::size_t i = 0; i < s.n && s.k > 0; ++i) {
    std::vector<Expr> terms;
    for (std::size_t r = 0; r < s.r; ++r)
      terms.push_back(Z(i, r) * expr::auxiliary("δ" + names[r]));
    step.facts.push_back(fact(s, Quantity::variation, {s.eq().q[i]}, expr::sum(terms)));
  }
  return step;
}

}  // namespace

Result<Formulation, std::string> maggi(const Setting& s) {
  Formulation f;
  f.method = "maggi";
  f.Z = split_directions(s);
  std::vector<std::string> names = independent_names(s);
  note_reduction(s, f);
  bool by_quasi_velocities = false;
  if (s.linear && !s.model().quasi_velocities.empty() && !s.own_quasi_velocities) {
    auto w = quasi_velocities(s);
    if (!w) return expr::Failure{objection("maggi", w.error())};
    if (w->from_model) {
      by_quasi_velocities = true;
      f.Z = free_columns(s, *w);
      names.clear();
      for (std::size_t r = 0; r < s.r; ++r) names.push_back(fmt::format("theta{}", r + 1));
      f.choices.emplace_back(DirectionsOfModel{});
    }
  }
  if (!by_quasi_velocities && s.k > 0) note_split(f);
  for (std::size_t i = 0; i < s.n; ++i) f.accelerations.push_back(s.acceleration(i));
  f.unknowns = f.accelerations;

  if (s.explain) {
    f.steps.push_back(direction_step(s, f.Z, names));
    f.steps.push_back({StepKind::law});
  }
  set_equations(s, f, transpose(f.Z) * lagrange_left(s), projected_forces(s, f.Z, {}), names);
  const std::vector<Expr> Aq = s.A * f.accelerations;
  for (std::size_t j = 0; j < s.k; ++j) f.residuals.push_back(Aq[j] - s.b[j]);

  f.combination = Matrix(s.r, s.n);
  for (std::size_t r = 0; r < s.r; ++r) f.combination(r, r) = 1;
  f.constraint_combination = Matrix(s.k, s.n);
  for (std::size_t j = 0; j < s.k; ++j) f.constraint_combination(j, s.r + j) = 1;
  return f;
}

}  // namespace dalembert::mechanics
