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

#include <fmt/format.h>

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::mechanics {

Result<Formulation, std::string> vakonomic(const Setting& s) {
  if (!s.velocity_level) return expr::Failure{"vakonomic: " + s.not_linear};
  if (!s.split.redundant.empty()) {
    return expr::Failure{
        fmt::format("vakonomic: constraint '{}' is redundant, so its multiplier has no meaning",
                    s.eq->constraints[s.split.redundant.front()].name)};
  }
  for (const Expr& C : s.C) {
    if (!C.is_zero())
      return expr::Failure{std::string(
          "vakonomic: the multiplier rule knows no non-ideal constraint forces ([virtual_work])")};
  }
  Formulation f;
  f.method = "vakonomic";
  f.title = "The multiplier rule (vakonomic)";
  f.remarks.emplace_back(
      "not the motion of mechanics, unless the constraints are integrable; given for contrast");
  const std::vector<std::string> names = free_names(*s.model, {"mu", "nu", "eta"}, s.k);
  std::vector<Expr> mu_rate;
  for (std::size_t j = 0; j < s.k; ++j) {
    f.states.push_back(expr::auxiliary(names[j]));
    mu_rate.push_back(expr::auxiliary(names[j], 1));
    f.remarks.push_back(fmt::format("{} belongs to constraint '{}'", names[j],
                                    s.eq->constraints[s.split.rows[j]].name));
  }
  for (std::size_t i = 0; i < s.n; ++i) f.accelerations.push_back(s.acceleration(i));
  f.unknowns = f.accelerations;
  f.first_state_rate = s.n;
  f.unknowns.insert(f.unknowns.end(), mu_rate.begin(), mu_rate.end());

  // The multiplier terms: d/dt dF/dq' - dF/dq of F = sum mu_j f_j.
  std::vector<Expr> terms;
  for (std::size_t j = 0; j < s.k; ++j)
    terms.push_back(f.states[j] * s.eq->constraints[s.split.rows[j]].rate);
  const Expr F = expr::sum(terms);
  expr::ExprMap rates;
  for (std::size_t i = 0; i < s.n; ++i) rates.emplace(s.eq->v[i], s.acceleration(i));
  for (std::size_t j = 0; j < s.k; ++j) rates.emplace(f.states[j], mu_rate[j]);
  std::vector<Expr> right = along(expr::gradient(F, s.eq->v), s, s.eq->v, rates);
  const std::vector<Expr> dF = expr::gradient(F, s.eq->q);
  for (std::size_t i = 0; i < s.n; ++i) right[i] = s.applied[i] - (right[i] - dF[i]);

  if (s.explain) {
    Step sum{
        "Augmented Lagrangian",
        "G5.19",
        "The constraints are added to L with multipliers, and all coordinates are varied freely.",
        {show(s, {"sum_j mu_j f_j", "\\sum_j \\mu_j f_j"}, F)}};
    f.steps.push_back(std::move(sum));
    f.steps.push_back(
        {"Equations of motion",
         "G5.23",
         "One for each coordinate; the differentiated constraints complete them. The terms with "
         "«mu|\\mu» itself are those by which the rule departs from (G5.24), where «lambda = "
         "-mu'|\\lambda = -\\dot\\mu» stands alone.",
         {state(
             "d/dt dL/dq_i' - dL/dq_i = Q_i - sum_j mu_j' a_ji + sum_jk mu_j (da_jk/dq_i - "
             "da_ji/dq_k) q_k' + sum_j mu_j (da_jt/dq_i - da_ji/dt)",
             "\\frac{d}{dt}\\frac{\\partial L}{\\partial\\dot q_i} - \\frac{\\partial L}{\\partial "
             "q_i} = Q_i - \\sum_j \\dot\\mu_j a_{ji} + \\sum_{j,k} \\mu_j "
             "\\Bigl(\\frac{\\partial a_{jk}}{\\partial q_i} - \\frac{\\partial a_{ji}}{\\partial "
             "q_k}\\Bigr) \\dot q_k + \\sum_j \\mu_j \\Bigl(\\frac{\\partial a_{jt}}{\\partial "
             "q_i} "
             "- \\frac{\\partial a_{ji}}{\\partial t}\\Bigr)")}});
  }
  set_equations(s, f, lagrange_left(s), right, s.model->coordinates);
  complete_by_constraints(s, f);
  if (s.linear) f.velocities = split_velocities(s);
  return f;
}

}  // namespace dalembert::mechanics
