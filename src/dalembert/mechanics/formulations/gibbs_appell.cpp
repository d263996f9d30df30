/// The Gibbs-Appell equations: with the energy of acceleration
///
///     S = q''^T M q''/2 + q''^T h + terms without q'',     h = Q^a - Q,
///
/// and q'' put in as an affine function of the free accelerations w (u_r', or q_I'' where
/// constraints are not linear in the velocities),
///
///     dS/dw_r = sum_i (Q^a_i + C_i) dq_i''/dw_r.
///
/// No transpositional terms: differentiation is with respect to accelerations.

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/quasi_form.hpp"
#include "dalembert/mechanics/formulations/split_form.hpp"

namespace dalembert::mechanics {

namespace {

/// S for given accelerations and velocities.
Expr acceleration_energy(const Setting& s, const std::vector<Expr>& accelerations,
                         const std::vector<Expr>& velocities) {
  std::vector<Expr> h;
  for (std::size_t i = 0; i < s.n; ++i) h.push_back(s.applied[i] - s.eq().Q[i]);
  h = with_velocities(s, h, velocities);
  const std::vector<Expr> Ma = s.M * accelerations;
  return dot(accelerations, Ma) / 2 + dot(accelerations, h);
}

}  // namespace

Result<Formulation, std::string> gibbs_appell(const Setting& s) {
  Formulation f;
  std::vector<std::string> names;
  if (s.linear) {
    auto form = quasi_form(s, "gibbs-appell");
    if (!form) return expr::Failure{std::move(form).error()};
    f = quasi_formulation(s, *form, "gibbs-appell");
    std::erase_if(f.steps, [](const Step& step) {  // it is not used
      return step.kind == StepKind::kinetic_energy_by_u;
    });
    for (std::size_t r = 0; r < s.r; ++r) names.push_back(form->w.u[r].symbol().name);
  } else {
    f = by_free_accelerations(s);
    names = independent_names(s);
  }
  f.method = "gibbs-appell";
  const Expr S = acceleration_energy(s, f.accelerations, f.velocities);
  if (s.explain) {
    Step accelerations{StepKind::free_accelerations};
    for (std::size_t i = 0; i < s.n; ++i)
      accelerations.facts.push_back(
          fact(s, Quantity::symbol, {s.acceleration(i)}, f.accelerations[i]));
    f.steps.push_back(std::move(accelerations));
    f.steps.push_back(
        {StepKind::energy_of_acceleration, {fact(s, Quantity::energy_of_acceleration, {}, S)}});
    f.steps.push_back({StepKind::law});
  }
  set_equations(s, f, expr::gradient(S, f.unknowns), projected_forces(s, f.Z, f.velocities), names);
  return f;
}

}  // namespace dalembert::mechanics
