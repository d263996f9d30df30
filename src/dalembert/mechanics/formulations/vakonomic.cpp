/// The multiplier rule of the calculus of variations (G5.19-23): L + sum_j mu_j f_j is made
/// stationary with varied paths that satisfy the constraints f_j(q, q', t) = 0,
///
///     d/dt dL/dq_i' - dL/dq_i - Q_i = -sum_j [ d/dt (mu_j df_j/dq_i') - mu_j df_j/dq_i ],    A q''
///     = b.
///
/// For f linear in q' the right side is -sum mu_j' a_ji plus the curvature terms of (G5.23).
/// Unknowns are q'' and mu'; mu joins the state and needs an initial value. This is *not* the
/// motion of mechanics unless the curvature terms vanish on the motion, as they do for integrable
/// constraints; it is here for contrast. Q are the applied forces that have no potential, taken as
/// they are.

#include <algorithm>

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"
#include "dalembert/mechanics/objections.hpp"

namespace dalembert::mechanics {

Result<Formulation, std::string> vakonomic(const Setting& s) {
  const auto ruled_out = [](std::string_view clause) {
    return expr::Failure{objection("vakonomic", clause)};
  };
  if (!s.velocity_level) return ruled_out(why_not_linear(s));
  if (!s.split.redundant.empty()) return ruled_out(redundant_multiplier(s));
  if (!std::ranges::all_of(s.C, &Expr::is_zero)) return ruled_out(not_ideal());
  Formulation f;
  f.method = "vakonomic";
  const std::vector<std::string> names = free_names(s.model(), {"mu", "nu", "eta"}, s.k);
  std::vector<Expr> mu_rate;
  for (std::size_t j = 0; j < s.k; ++j) {
    f.states.push_back(expr::auxiliary(names[j]));
    mu_rate.push_back(expr::auxiliary(names[j], 1));
    f.choices.emplace_back(MultiplierBelongs{f.states[j], s.split.rows[j]});
  }
  for (std::size_t i = 0; i < s.n; ++i) f.accelerations.push_back(s.acceleration(i));
  f.unknowns = f.accelerations;
  f.first_state_rate = s.n;
  f.unknowns.insert(f.unknowns.end(), mu_rate.begin(), mu_rate.end());

  // The multiplier terms: d/dt dF/dq' - dF/dq of F = sum mu_j f_j.
  std::vector<Expr> terms;
  for (std::size_t j = 0; j < s.k; ++j)
    terms.push_back(f.states[j] * s.eq().constraints[s.split.rows[j]].rate);
  const Expr F = expr::sum(terms);
  expr::ExprMap rates;
  for (std::size_t i = 0; i < s.n; ++i) rates.emplace(s.eq().v[i], s.acceleration(i));
  for (std::size_t j = 0; j < s.k; ++j) rates.emplace(f.states[j], mu_rate[j]);
  std::vector<Expr> right = along(expr::gradient(F, s.eq().v), s, s.eq().v, rates);
  const std::vector<Expr> dF = expr::gradient(F, s.eq().q);
  for (std::size_t i = 0; i < s.n; ++i) right[i] = s.applied[i] - (right[i] - dF[i]);

  if (s.explain) {
    f.steps.push_back({StepKind::augmented_lagrangian, {fact(s, Quantity::multiplier_sum, {}, F)}});
    f.steps.push_back({StepKind::law});
  }
  set_equations(s, f, lagrange_left(s), right, s.model().coordinates);
  complete_by_constraints(s, f);
  if (s.linear) f.velocities = split_velocities(s);
  return f;
}

}  // namespace dalembert::mechanics
