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
  Formulation f = quasi_formulation(s, *form, "central");
  std::vector<Expr> left = form->left;
  const std::vector<Expr> repair = transpose(Theta) * form->momenta_q;
  for (std::size_t r = 0; r < s.r; ++r) left[r] -= repair[r];
  if (s.explain) {
    f.steps.push_back(transposition_step(s, Theta));
    Step momenta{StepKind::momenta};
    for (std::size_t i = 0; i < s.n; ++i)
      momenta.facts.push_back(fact(s, Quantity::momentum, {s.eq().v[i]}, form->momenta_q[i]));
    f.steps.push_back(std::move(momenta));
  }
  finish(s, *form, f, left);
  return f;
}

}  // namespace dalembert::mechanics
