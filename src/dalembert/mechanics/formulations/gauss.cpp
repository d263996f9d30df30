/// Gauss' principle of least constraint: of all q'' with A q'' = b the motion has the one that
/// makes
///
///     G = (q'' - a - c)^T M (q'' - a - c)/2 = q''^T M q''/2 - q''^T (Q + C) + terms without q''
///
/// least, a = M^-1 Q, c = M^-1 C. The constraints are put in, q'' = Z q_I'' + (0; A_D^-1 b), and
/// the minimum over q_I'' is where dG/dq_I'' = 0. It is one, as Z^T M Z is positive definite.

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/split_form.hpp"

namespace dalembert::mechanics {

Result<Formulation, std::string> gauss(const Setting& s) {
  Formulation f = by_free_accelerations(s);
  f.method = "gauss";

  // The part with C apart, so that it may stand on the right.
  const std::vector<Expr> Ma = s.M * f.accelerations;
  const Expr free = dot(f.accelerations, Ma) / 2 - dot(f.accelerations, s.eq().Q);
  const Expr work = dot(f.accelerations, s.C);
  if (s.explain) {
    Step accelerations{StepKind::allowed_accelerations};
    for (const std::size_t d : s.split.dependent)
      accelerations.facts.push_back(
          fact(s, Quantity::symbol, {s.acceleration(d)}, f.accelerations[d]));
    if (s.k > 0) f.steps.push_back(std::move(accelerations));
    f.steps.push_back(
        {StepKind::gauss_function, {fact(s, Quantity::gauss_function, {}, free - work)}});
    f.steps.push_back({StepKind::law});
  }
  set_equations(s, f, expr::gradient(free, f.unknowns), expr::gradient(work, f.unknowns),
                independent_names(s));
  return f;
}

}  // namespace dalembert::mechanics
