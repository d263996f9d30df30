/// The explicit central equation of Heun and Hamel (G5.153), r <= n - k:
///
///     d/dt dT*/du_r - dT*/dtheta_r - sum_i dT/dq_i' Theta_ir = Q_r,
///
/// T* constrained, T(q, q', t) unconstrained and then put on the constraints; Theta is (T.2).

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/quasi_form.hpp"

namespace dalembert::mechanics {

Result<Formulation, std::string> central(const Setting& s) {
  auto form = quasi_form(s, "central");
  if (!form) return expr::Failure{std::move(form).error()};
  const Matrix Theta = transpositions(s, *form);
  Formulation f = quasi_formulation(s, *form, "central", "The central equation of Heun and Hamel");
  std::vector<Expr> left = form->left;
  const std::vector<Expr> repair = transpose(Theta) * form->momenta_q;
  for (std::size_t r = 0; r < s.r; ++r) left[r] -= repair[r];
  if (s.explain) {
    f.steps.push_back(transposition_step(s, Theta));
    Step momenta{
        "Momenta", "", "From the unconstrained kinetic energy, then put on the constraints.", {}};
    for (std::size_t i = 0; i < s.n; ++i)
      momenta.formulas.push_back(show(s, partial("T", "T", s.eq->v[i]), form->momenta_q[i]));
    f.steps.push_back(std::move(momenta));
  }
  finish(s, *form, f, left,
         {"Equations of motion",
          "G5.153",
          "One for each free quasi-velocity r; i runs over all coordinates.",
          {state("d/dt dT*/du_r - dT*/dtheta_r - sum_i dT/dq_i' Theta_ir = Q_r",
                 "\\frac{d}{dt}\\frac{\\partial T^{*}}{\\partial u_r} - \\frac{\\partial "
                 "T^{*}}{\\partial\\theta_r} - \\sum_i \\frac{\\partial T}{\\partial\\dot q_i} "
                 "\\Theta_{ir} = Q_r")}});
  return f;
}

}  // namespace dalembert::mechanics
