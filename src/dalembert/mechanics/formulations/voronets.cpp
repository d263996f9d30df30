/// Voronets' equations (G problem 5.3), with the terms of constraints that depend on time:
///
///     d/dt dT0/dq_I' - dT0/dq_I - sum_D dT0/dq_D B_DI - sum_D dT/dq_D' (sum_J beta^D_IJ q_J' +
///     beta^D_I)
///         = Q0_I,
///     beta^D_IJ = d_J B_DI - d_I B_DJ + sum_L (d_L B_DI B_LJ - d_L B_DJ B_LI),
///     beta^D_I  = d_t B_DI - d_I B_Dt + sum_L (d_L B_DI B_Lt - d_L B_Dt B_LI),   L dependent.
///
/// beta is antisymmetric in I and J; it vanishes, with beta^D_I, exactly when the constraints are
/// integrable. Chaplygin's equations are the case in which B and T do not depend on the q_D.

#include "dalembert/mechanics/formulations/voronets.hpp"

#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/split_form.hpp"

namespace dalembert::mechanics {

Curvature curvature(const Setting& s) {
  // Derivatives along X_J = d_J + sum_L B_LJ d_L and X_t = d_t + sum_L B_Lt d_L.
  const auto derivative = [&s](const Expr& e, std::optional<std::size_t> J) {
    if (e.is(expr::Op::constant)) return Expr(0);
    std::vector<Expr> terms{J ? expr::differentiate(e, s.eq().q[s.split.independent[*J]])
                              : expr::differentiate(e, expr::time())};
    for (std::size_t l = 0; l < s.k; ++l) {
      const Expr slope = expr::differentiate(e, s.eq().q[s.split.dependent[l]]);
      if (!slope.is_zero()) terms.push_back(slope * (J ? s.B(l, *J) : s.B_t[l]));
    }
    return expr::sum(terms);
  };
  Curvature result;
  for (std::size_t d = 0; d < s.k; ++d) {
    Matrix beta(s.r, s.r);
    std::vector<Expr> beta_t;
    for (std::size_t i = 0; i < s.r; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        beta(i, j) = shortened(derivative(s.B(d, i), j) - derivative(s.B(d, j), i));
        beta(j, i) = -beta(i, j);
      }
      beta_t.push_back(shortened(derivative(s.B(d, i), {}) - derivative(s.B_t[d], i)));
    }
    result.beta.push_back(std::move(beta));
    result.beta_t.push_back(std::move(beta_t));
  }
  return result;
}

namespace {

Step curvature_step(const Setting& s, const Curvature& c) {
  Step step{StepKind::voronets_coefficients};
  const auto add = [&step](Fact fact) {
    if (!fact.value.is_zero()) step.facts.push_back(std::move(fact));
  };
  for (std::size_t d = 0; d < s.k; ++d) {
    const Expr& D = s.eq().q[s.split.dependent[d]];
    for (std::size_t i = 0; i < s.r; ++i) {
      const Expr& I = s.eq().q[s.split.independent[i]];
      for (std::size_t j = i + 1; j < s.r; ++j) {
        const Expr& J = s.eq().q[s.split.independent[j]];
        add(fact(s, Quantity::voronets, {D, I, J}, c.beta[d](i, j)));
      }
      add(fact(s, Quantity::voronets_of_time, {D, I}, c.beta_t[d][i]));
    }
  }
  return step;
}

}  // namespace

Result<Formulation, std::string> voronets(const Setting& s) {
  if (const auto objection = split_objection(s, "voronets")) return expr::Failure{*objection};
  const std::vector<Expr> a = independent_accelerations(s);
  const SplitForm form = split_form(s, a);
  const Curvature c = curvature(s);
  Formulation f = split_formulation(s, form, "voronets", a);
  std::vector<Expr> left = form.left;
  for (std::size_t i = 0; i < s.r; ++i) {
    for (std::size_t d = 0; d < s.k; ++d) {
      std::vector<Expr> terms{c.beta_t[d][i]};
      for (std::size_t j = 0; j < s.r; ++j)
        terms.push_back(c.beta[d](i, j) * s.eq().v[s.split.independent[j]]);
      left[i] -= form.momenta[d] * expr::sum(terms);
    }
  }
  if (s.explain) {
    if (s.k > 0) f.steps.push_back(curvature_step(s, c));
    f.steps.push_back({StepKind::law});
  }
  set_equations(s, f, left, form.forces, independent_names(s));
  return f;
}

}  // namespace dalembert::mechanics
