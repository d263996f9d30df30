/// The transpositional form of the Boltzmann-Hamel equations (G5.101), r <= n - k:
///
///     d/dt dT*/du_r - dT*/dtheta_r - sum_ij dT*/du_j Psi_ji Theta_ir = Q_r,
///
/// with Theta (T.2) from the derivatives of Phi, dT*/du_j from the unconstrained T*.

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/quasi_form.hpp"

namespace dalembert::mechanics {

Result<Formulation, std::string> transpositional(const Setting& s) {
  auto form = quasi_form(s, "transpositional");
  if (!form) return expr::Failure{std::move(form).error()};
  const Matrix Theta = transpositions(s, *form);
  Matrix PsiTheta = form->w.Psi * Theta;
  shorten(PsiTheta.entries());
  Formulation f = quasi_formulation(s, *form, "transpositional");
  std::vector<Expr> left = form->left;
  const std::vector<Expr> repair = transpose(PsiTheta) * form->momenta_u;
  for (std::size_t r = 0; r < s.r; ++r) left[r] -= repair[r];
  if (s.explain) {
    f.steps.push_back(transposition_step(s, Theta));
    f.steps.push_back(momentum_step(s, *form));
  }
  finish(s, *form, f, left);
  return f;
}

}  // namespace dalembert::mechanics
