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

#include <fmt/format.h>

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/quasi_form.hpp"
#include "dalembert/mechanics/formulations/split_form.hpp"

namespace dalembert::mechanics {

namespace {

/// S for given accelerations and velocities.
Expr acceleration_energy(const Setting& s, const std::vector<Expr>& accelerations,
                         const std::vector<Expr>& velocities) {
  std::vector<Expr> h;
  for (std::size_t i = 0; i < s.n; ++i) h.push_back(s.applied[i] - s.eq->Q[i]);
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
    f = quasi_formulation(s, *form, "gibbs-appell", "");
    if (s.explain) f.steps.erase(f.steps.begin() + 1);  // the kinetic energy is not used
    for (std::size_t r = 0; r < s.r; ++r) names.push_back(written(form->w.u[r]).text);
  } else {
    f = by_free_accelerations(s);
    names = independent_names(s);
  }
  f.method = "gibbs-appell";
  f.title = "The Gibbs-Appell equations";
  const Expr S = acceleration_energy(s, f.accelerations, f.velocities);
  if (s.explain) {
    Step accelerations{"Accelerations", "", "The accelerations by the free ones.", {}};
    for (std::size_t i = 0; i < s.n; ++i)
      accelerations.formulas.push_back(show(s, written(s.acceleration(i)), f.accelerations[i]));
    f.steps.push_back(std::move(accelerations));
    f.steps.push_back({"Energy of acceleration",
                       "",
                       "Terms without accelerations do not matter.",
                       {show(s, {"S", "\\mathcal{S}"}, S)}});
    f.steps.push_back({"Equations of motion",
                       "",
                       "One for each free acceleration.",
                       {state("dS/dw_r = Q_r",
                              "\\frac{\\partial \\mathcal{S}}{\\partial w_r} = Q_r, "
                              "\\qquad w_r \\text{ the free accelerations}")}});
  }
  set_equations(s, f, expr::gradient(S, f.unknowns), projected_forces(s, f.Z, f.velocities), names);
  return f;
}

}  // namespace dalembert::mechanics
