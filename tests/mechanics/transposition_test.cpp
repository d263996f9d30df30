/// The transpositional relations (G5.47) as identities, for both ways to close the variations.

#include <gtest/gtest.h>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/mechanics/formulations/quasi_form.hpp"
#include "dalembert/mechanics/formulations/voronets.hpp"
#include "setting_of.hpp"

namespace dalembert::mechanics::transposition_test {
namespace {

/// Variations as symbols: delta q_i and its rate.
struct Variation {
  std::vector<Expr> value, rate;
};

Variation vary(const std::vector<std::string>& names) {
  Variation result;
  for (const std::string& name : names) {
    result.value.push_back(expr::auxiliary("δ" + name));
    result.rate.push_back(expr::auxiliary("δ" + name, 1));
  }
  return result;
}

/// d/dt along the motion of an expression of q, t and variations.
Expr rate_of(const Expr& e, const Setting& s, const Variation& d,
             const std::vector<Expr>& velocities) {
  expr::ExprMap rates;
  for (std::size_t i = 0; i < d.value.size(); ++i) rates.emplace(d.value[i], d.rate[i]);
  return along(std::span(&e, 1), s, velocities, rates).front();
}

/// The variation of f(q, q', t) when q varies by dq and q' by dv.
Expr varied(const Expr& f, const Setting& s, const std::vector<Expr>& dq,
            const std::vector<Expr>& dv) {
  return dot(expr::gradient(f, s.eq().q), dq) + dot(expr::gradient(f, s.eq().v), dv);
}

class Transposition : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, Transposition,
                         testing::Values("rolling_disk", "dumbbell", "flat_body", "rotating_wire",
                                         "particle", "skate_on_incline", "coulomb_helix"),
                         [](const auto& model) { return std::string(model.param); });

/// Closed for q: d(dtheta_j)/dt - d(u_j) = F_j, with F of (G5.48), for every j and any dq.
TEST_P(Transposition, QuasiCoordinatesDoNotCommuteByTheCurvatureOfTheirForms) {
  const auto p = prepared_model(GetParam());
  const Setting& s = p->setting();
  const auto w = quasi_velocities(s);
  ASSERT_TRUE(w);
  const Variation d = vary(s.model().coordinates);
  for (std::size_t j = 0; j < s.n; ++j) {
    Expr theta = 0, u = w->Psi_t[j];
    std::vector<Expr> F;
    for (std::size_t i = 0; i < s.n; ++i) {
      theta += w->Psi(j, i) * d.value[i];
      u += w->Psi(j, i) * s.eq().v[i];
      F.push_back((expr::differentiate(w->Psi(j, i), expr::time()) -
                   expr::differentiate(w->Psi_t[j], s.eq().q[i])) *
                  d.value[i]);
      for (std::size_t k = 0; k < s.n; ++k) {
        F.push_back((expr::differentiate(w->Psi(j, i), s.eq().q[k]) -
                     expr::differentiate(w->Psi(j, k), s.eq().q[i])) *
                    s.eq().v[k] * d.value[i]);
      }
    }
    const Expr left = rate_of(theta, s, d, s.eq().v) - varied(u, s, d.value, d.rate);
    EXPECT_EQ(expr::decide_zero(left - expr::sum(F)).verdict, expr::Verdict::proven)
        << GetParam() << ", form " << j + 1;
  }
}

/// Closed for theta: d(dq_i)/dt - d(q_i') = sum_r Theta_ir dtheta_r on the constraints (T.2).
TEST_P(Transposition, CoordinatesDoNotCommuteByTheta) {
  const auto p = prepared_model(GetParam());
  const Setting& s = p->setting();
  const auto form = quasi_form(s, "test");
  ASSERT_TRUE(form);
  const Matrix Theta = transpositions(s, *form);
  std::vector<std::string> names;
  for (std::size_t r = 0; r < s.r; ++r) names.push_back("theta" + std::to_string(r + 1));
  const Variation d = vary(names);
  const std::vector<Expr> dq = form->Z * d.value;
  for (std::size_t i = 0; i < s.n; ++i) {
    // d(q_i') of q_i' = Phi_I u + Phi_t, where d(u_r) is the rate of dtheta_r.
    const std::vector<Expr> u(form->w.u.begin(),
                              form->w.u.begin() + static_cast<std::ptrdiff_t>(s.r));
    const Expr dv = dot(expr::gradient(form->velocities[i], s.eq().q), dq) +
                    dot(expr::gradient(form->velocities[i], u), d.rate);
    Expr expected = 0;
    for (std::size_t r = 0; r < s.r; ++r) expected += Theta(i, r) * d.value[r];
    EXPECT_TRUE(expr::proven_zero(rate_of(dq[i], s, d, form->velocities) - dv - expected))
        << GetParam() << ", coordinate " << s.coordinate_name(i);
  }
}

/// Closed for q_I: d(dq_D)/dt - d(q_D') = sum_I (sum_J beta^D_IJ q_J' + beta^D_I) dq_I.
TEST_P(Transposition, DependentCoordinatesDoNotCommuteByVoronetsCoefficients) {
  const auto p = prepared_model(GetParam());
  const Setting& s = p->setting();
  const Curvature c = curvature(s);
  std::vector<std::string> names;
  std::vector<Expr> v_I;
  for (const std::size_t i : s.split.independent) {
    names.push_back(s.coordinate_name(i));
    v_I.push_back(s.eq().v[i]);
  }
  const Variation d = vary(names);
  const std::vector<Expr> linear = s.B * v_I;
  std::vector<Expr> velocities = s.eq().v;
  for (std::size_t k = 0; k < s.k; ++k) velocities[s.split.dependent[k]] = linear[k] + s.B_t[k];
  const std::vector<Expr> dq = split_directions(s) * d.value;
  for (std::size_t k = 0; k < s.k; ++k) {
    const Expr& phi = velocities[s.split.dependent[k]];
    const Expr dphi =
        dot(expr::gradient(phi, s.eq().q), dq) + dot(expr::gradient(phi, v_I), d.rate);
    Expr expected = 0;
    for (std::size_t i = 0; i < s.r; ++i) {
      Expr factor = c.beta_t[k][i];
      for (std::size_t j = 0; j < s.r; ++j) factor += c.beta[k](i, j) * v_I[j];
      expected += factor * d.value[i];
    }
    EXPECT_TRUE(
        expr::proven_zero(rate_of(dq[s.split.dependent[k]], s, d, velocities) - dphi - expected))
        << GetParam();
  }
}

}  // namespace
}  // namespace dalembert::mechanics::transposition_test
