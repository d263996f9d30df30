/// The Boltzmann-Hamel equations (G5.94), r <= n - k:
///
///     d/dt dT*/du_r - dT*/dtheta_r + sum_j dT*/du_j (sum_l gamma^j_rl u_l + gamma^j_r) = Q_r,
///
/// j over all n quasi-velocities, dT*/du_j from the unconstrained T*, then u_j = 0 for the
/// constraints; Hamel's coefficients (G5.57, 58)
///
///     gamma^j_rl = sum_ik (dPsi_ji/dq_k - dPsi_jk/dq_i) Phi_kl Phi_ir,
///     gamma^j_r  = the same with Phi_kt for Phi_kl, + sum_i (dPsi_ji/dt - dPsi_jt/dq_i) Phi_ir.

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/quasi_form.hpp"

namespace dalembert::mechanics {

namespace {

struct HamelCoefficients {
  std::vector<Matrix> gamma;               ///< n times r x r, [j](r, l)
  std::vector<std::vector<Expr>> gamma_t;  ///< n times r
};

HamelCoefficients hamel_coefficients(const Setting& s, const QuasiVelocities& w) {
  HamelCoefficients result;
  for (std::size_t j = 0; j < s.n; ++j) {
    // W_ik = dPsi_ji/dq_k - dPsi_jk/dq_i and its companion for time.
    Matrix W(s.n, s.n);
    std::vector<Expr> W_t(s.n);
    const std::vector<Expr> slope_t = expr::gradient(w.Psi_t[j], s.eq().q);
    for (std::size_t i = 0; i < s.n; ++i) {
      const std::vector<Expr> slopes = expr::gradient(w.Psi(j, i), s.eq().q);
      for (std::size_t k = 0; k < s.n; ++k) {
        W(i, k) += slopes[k];
        W(k, i) -= slopes[k];
      }
      W_t[i] = expr::differentiate(w.Psi(j, i), expr::time()) - slope_t[i];
    }
    Matrix gamma(s.r, s.r);
    std::vector<Expr> gamma_t;
    for (std::size_t r = 0; r < s.r; ++r) {
      std::vector<Expr> column;  // sum_i W_ik Phi_ir
      for (std::size_t k = 0; k < s.n; ++k) {
        std::vector<Expr> terms;
        for (std::size_t i = 0; i < s.n; ++i) {
          if (!W(i, k).is_zero()) terms.push_back(W(i, k) * w.Phi(i, r));
        }
        column.push_back(expr::sum(terms));
      }
      for (std::size_t l = 0; l < s.r; ++l) {
        std::vector<Expr> terms;
        for (std::size_t k = 0; k < s.n; ++k) terms.push_back(column[k] * w.Phi(k, l));
        gamma(r, l) = shortened(expr::sum(terms));
      }
      std::vector<Expr> terms{dot(column, w.Phi_t)};
      for (std::size_t i = 0; i < s.n; ++i) terms.push_back(W_t[i] * w.Phi(i, r));
      gamma_t.push_back(shortened(expr::sum(terms)));
    }
    result.gamma.push_back(std::move(gamma));
    result.gamma_t.push_back(std::move(gamma_t));
  }
  return result;
}

Step coefficient_step(const Setting& s, const HamelCoefficients& c) {
  Step step{StepKind::hamel_coefficients};
  const auto add = [&step](Fact fact) {
    if (!fact.value.is_zero()) step.facts.push_back(std::move(fact));
  };
  for (std::size_t j = 0; j < s.n; ++j) {
    for (std::size_t r = 0; r < s.r; ++r) {
      for (std::size_t l = r + 1; l < s.r; ++l) {
        add(fact(s, Quantity::hamel, {ordinal(j), ordinal(r), ordinal(l)}, c.gamma[j](r, l)));
      }
      add(fact(s, Quantity::hamel_of_time, {ordinal(j), ordinal(r)}, c.gamma_t[j][r]));
    }
  }
  return step;
}

}  // namespace

Result<Formulation, std::string> boltzmann_hamel(const Setting& s) {
  auto form = quasi_form(s, "boltzmann-hamel");
  if (!form) return expr::Failure{std::move(form).error()};
  const HamelCoefficients c = hamel_coefficients(s, form->w);
  Formulation f = quasi_formulation(s, *form, "boltzmann-hamel");
  std::vector<Expr> left = form->left;
  for (std::size_t r = 0; r < s.r; ++r) {
    for (std::size_t j = 0; j < s.n; ++j) {
      std::vector<Expr> terms{c.gamma_t[j][r]};
      for (std::size_t l = 0; l < s.r; ++l) terms.push_back(c.gamma[j](r, l) * form->w.u[l]);
      left[r] += form->momenta_u[j] * expr::sum(terms);
    }
  }
  if (s.explain) {
    f.steps.push_back(coefficient_step(s, c));
    f.steps.push_back(momentum_step(s, *form));
  }
  finish(s, *form, f, left);
  return f;
}

}  // namespace dalembert::mechanics
