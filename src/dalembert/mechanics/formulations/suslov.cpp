/// Suslov's principle (G5.216, T.3): with T0(q, q_I', t) the kinetic energy in which q_D' = phi_D
/// was put in,
///
///     d/dt dT0/dq_I' - dT0/dq_I - sum_D dT0/dq_D B_DI - sum_D dT/dq_D' tau_DI = Q0_I,
///     d(dq_D)/dt - d(q_D') = sum_I tau_DI dq_I,
///     tau_DI = dB_DI/dt - dphi_D/dq_I - sum_D' dphi_D/dq_D' B_D'I.
///
/// dT/dq_D' is that of the unconstrained T, evaluated on the constraints.

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/split_form.hpp"

namespace dalembert::mechanics {

namespace {

/// tau, k x r.
Matrix transpositions(const Setting& s, const SplitForm& form) {
  Matrix tau(s.k, s.r);
  for (std::size_t d = 0; d < s.k; ++d) {
    std::vector<Expr> row;
    for (std::size_t i = 0; i < s.r; ++i) row.push_back(s.B(d, i));
    const std::vector<Expr> rates = along(row, s, form.velocities, {});
    const std::vector<Expr> by_q = transpose(form.Z) * expr::gradient(form.phi[d], s.eq().q);
    for (std::size_t i = 0; i < s.r; ++i) tau(d, i) = shortened(rates[i] - by_q[i]);
  }
  return tau;
}

Step transposition_step(const Setting& s, const SplitForm& form, const Matrix& tau) {
  Step step{StepKind::transpositions_of_dependent};
  for (std::size_t d = 0; d < s.k; ++d) {
    std::vector<Expr> terms;
    for (std::size_t i = 0; i < s.r; ++i) {
      terms.push_back(tau(d, i) * expr::auxiliary("δ" + s.coordinate_name(s.split.independent[i])));
    }
    const std::size_t at = s.split.dependent[d];
    step.facts.push_back(
        fact(s, Quantity::transposition, {s.eq().q[at], s.eq().v[at]}, expr::sum(terms)));
  }
  for (std::size_t d = 0; d < s.k; ++d) {
    step.facts.push_back(
        fact(s, Quantity::momentum, {s.eq().v[s.split.dependent[d]]}, form.momenta[d]));
  }
  return step;
}

}  // namespace

Result<Formulation, std::string> suslov(const Setting& s) {
  if (const auto objection = split_objection(s, "suslov")) return expr::Failure{*objection};
  const std::vector<Expr> a = independent_accelerations(s);
  const SplitForm form = split_form(s, a);
  const Matrix tau = transpositions(s, form);
  Formulation f = split_formulation(s, form, "suslov", a);
  std::vector<Expr> left = form.left;
  const std::vector<Expr> repair = transpose(tau) * form.momenta;
  for (std::size_t i = 0; i < s.r; ++i) left[i] -= repair[i];
  if (s.explain) {
    if (s.k > 0) f.steps.push_back(transposition_step(s, form, tau));
    f.steps.push_back({StepKind::law});
  }
  set_equations(s, f, left, form.forces, independent_names(s));
  return f;
}

}  // namespace dalembert::mechanics
