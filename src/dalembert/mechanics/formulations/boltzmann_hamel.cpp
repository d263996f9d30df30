/// The Boltzmann-Hamel equations (G5.94), r <= n - k:
///
///     d/dt dT*/du_r - dT*/dtheta_r + sum_j dT*/du_j (sum_l gamma^j_rl u_l + gamma^j_r) = Q_r,
///
/// j over all n quasi-velocities, dT*/du_j from the unconstrained T*, then u_j = 0 for the
/// constraints; Hamel's coefficients (G5.57, 58)
///
///     gamma^j_rl = sum_ik (dPsi_ji/dq_k - dPsi_jk/dq_i) Phi_kl Phi_ir,
///     gamma^j_r  = the same with Phi_kt for Phi_kl, + sum_i (dPsi_ji/dt - dPsi_jt/dq_i) Phi_ir.

#include <fmt/format.h>

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
    const std::vector<Expr> slope_t = expr::gradient(w.Psi_t[j], s.eq->q);
    for (std::size_t i = 0; i < s.n; ++i) {
      const std::vector<Expr> slopes = expr::gradient(w.Psi(j, i), s.eq->q);
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
  Step step{"Hamel's coefficients",
            "G5.57",
            "They are antisymmetric in their lower indices; of each pair one is shown, and the "
            "others are zero.",
            {}};
  for (std::size_t j = 0; j < s.n; ++j) {
    for (std::size_t r = 0; r < s.r; ++r) {
      for (std::size_t l = r + 1; l < s.r; ++l) {
        const Formula formula = show(s,
                                     {fmt::format("gamma^{}_{}{}", j + 1, r + 1, l + 1),
                                      fmt::format("\\gamma^{{{}}}_{{{}{}}}", j + 1, r + 1, l + 1)},
                                     c.gamma[j](r, l));
        if (!formula.right->is_zero()) step.formulas.push_back(formula);
      }
      const Formula formula = show(s,
                                   {fmt::format("gamma^{}_{}", j + 1, r + 1),
                                    fmt::format("\\gamma^{{{}}}_{{{}}}", j + 1, r + 1)},
                                   c.gamma_t[j][r], "G5.58");
      if (!formula.right->is_zero()) step.formulas.push_back(formula);
    }
  }
  if (step.formulas.empty())
    step.sentence = "All of them are zero: every quasi-velocity is the rate of a true coordinate.";
  return step;
}

}  // namespace

Result<Formulation, std::string> boltzmann_hamel(const Setting& s) {
  auto form = quasi_form(s, "boltzmann-hamel");
  if (!form) return expr::Failure{std::move(form).error()};
  const HamelCoefficients c = hamel_coefficients(s, form->w);
  Formulation f = quasi_formulation(s, *form, "boltzmann-hamel", "The Boltzmann-Hamel equations");
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
  finish(
      s, *form, f, left,
      {"Equations of motion",
       "G5.94",
       "One for each free quasi-velocity r; j runs over all of them, l over the free ones.",
       {state("d/dt dT*/du_r - dT*/dtheta_r + sum_j dT*/du_j (sum_l gamma^j_rl u_l + gamma^j_r) = "
              "Q_r",
              "\\frac{d}{dt}\\frac{\\partial T^{*}}{\\partial u_r} - \\frac{\\partial "
              "T^{*}}{\\partial\\theta_r} + \\sum_j \\frac{\\partial T^{*}}{\\partial u_j} "
              "\\Bigl(\\sum_l \\gamma^j_{rl} u_l + \\gamma^j_r\\Bigr) = Q_r")}});
  return f;
}

}  // namespace dalembert::mechanics
