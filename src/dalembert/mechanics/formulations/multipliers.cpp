/// Lagrange's equations with multipliers (G5.24), of independent constraints:
///
///     d/dt dT/dq_i' - dT/dq_i = Q_i + C_i + sum_j lambda_j A_ji,     A q'' = b.
///
/// With C present lambda is the reaction with friction acting; for C = 0 it is that of the ideal
/// force.

#include <fmt/format.h>

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::mechanics {

Result<Formulation, std::string> multipliers(const Setting& s) {
  Formulation f;
  f.method = "multipliers";
  f.title = "Lagrange's equations with multipliers";
  std::vector<Expr> lambda;
  const std::vector<std::string> names = free_names(*s.model, {"lambda", "kappa", "eta"}, s.k);
  for (const std::string& name : names) lambda.push_back(expr::auxiliary(name));
  for (std::size_t i = 0; i < s.n; ++i) f.accelerations.push_back(s.acceleration(i));
  f.unknowns = f.accelerations;
  f.unknowns.insert(f.unknowns.end(), lambda.begin(), lambda.end());
  remark_on_reduction(s, f);

  const std::vector<Expr> left = lagrange_left(s);
  std::vector<Expr> right = transpose(s.A) * lambda;
  for (std::size_t i = 0; i < s.n; ++i) right[i] += s.applied[i] + s.C[i];
  if (s.explain) {
    for (std::size_t j = 0; j < s.k; ++j) {
      f.remarks.push_back(fmt::format("{} belongs to constraint '{}'", names[j],
                                      s.eq->constraints[s.split.rows[j]].name));
    }
    f.steps.push_back(
        {"Equations of motion",
         "G5.24",
         "One for each coordinate; the differentiated constraints complete them.",
         {state("d/dt dT/dq_i' - dT/dq_i = Q_i + C_i + sum_j lambda_j A_ji",
                "\\frac{d}{dt}\\frac{\\partial T}{\\partial\\dot q_i} - \\frac{\\partial "
                "T}{\\partial q_i} = Q_i + C_i + \\sum_j \\lambda_j A_{ji}")}});
  }
  set_equations(s, f, left, right, s.model->coordinates);
  complete_by_constraints(s, f);
  return f;
}

}  // namespace dalembert::mechanics
