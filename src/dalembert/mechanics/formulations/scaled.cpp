/// The explicit equation in scaled form (U01.7, 19, 22): with R = M^(1/2), B = A R^-1,
///
///     R q'' = (1 - B^+ B) (a_s + c_s) + B^+ b,      R a_s = Q,   R c_s = C.
///
/// Of independent constraints B^+ = B^T (B B^T)^-1. As a system without inverse or root, unknowns R
/// (symmetric), B, a_s, c_s, lambda, nu, q'':
///
///     R R = M,  B R = A,  R a_s = Q,  R c_s = C,  R q'' = a_s + c_s + B^T (lambda - nu),
///     B B^T lambda = b - B a_s,   B B^T nu = B c_s.

#include <fmt/format.h>

#include "dalembert/mechanics/formulations/explicit_form.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/root_form.hpp"

namespace dalembert::mechanics {

RootForm root_form(const Setting& s, Formulation& f) {
  RootForm root{Matrix(s.n, s.n), Matrix(s.k, s.n)};
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      root.R(i, j) = root.R(j, i) = expr::auxiliary(fmt::format("R{}_{}", i + 1, j + 1));
      f.unknowns.push_back(root.R(i, j));
    }
  }
  root.B.entries() = unknowns(f, "B", s.k * s.n);
  return root;
}

Result<Formulation, std::string> scaled(const Setting& s) {
  const Regular w = regular(s);
  Formulation f = explicit_formulation(s, w, "scaled");
  const auto [R, B] = root_form(s, f);
  const std::vector<Expr> a = unknowns(f, "a", s.n);
  const std::vector<Expr> c = unknowns(f, "c", s.n);
  const std::vector<Expr> lambda = unknowns(f, "lambda", s.k);
  const std::vector<Expr> nu = unknowns(f, "nu", s.k);
  for (std::size_t i = 0; i < s.n; ++i) f.accelerations.push_back(s.acceleration(i));
  f.unknowns.insert(f.unknowns.end(), f.accelerations.begin(), f.accelerations.end());
  std::vector<Expr> kappa;
  for (std::size_t j = 0; j < s.k; ++j) kappa.push_back(lambda[j] - nu[j]);

  const Matrix RR = R * R, BR = B * R, BBt = B * transpose(B);
  const std::vector<Expr> Ra = R * a, Rc = R * c, Rq = R * f.accelerations;
  const std::vector<Expr> Btk = transpose(B) * kappa;
  const std::vector<Expr> Ba = B * a, Bc = B * c, BBl = BBt * lambda, BBn = BBt * nu;
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) f.residuals.push_back(RR(i, j) - w.M(i, j));
  }
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t i = 0; i < s.n; ++i) f.residuals.push_back(BR(j, i) - s.A(j, i));
  }
  for (std::size_t i = 0; i < s.n; ++i) f.residuals.push_back(Ra[i] - w.Q[i]);
  for (std::size_t i = 0; i < s.n; ++i) f.residuals.push_back(Rc[i] - s.C[i]);
  for (std::size_t i = 0; i < s.n; ++i) f.residuals.push_back(Rq[i] - a[i] - c[i] - Btk[i]);
  for (std::size_t j = 0; j < s.k; ++j) f.residuals.push_back(BBl[j] + Ba[j] - s.b[j]);
  for (std::size_t j = 0; j < s.k; ++j) f.residuals.push_back(BBn[j] - Bc[j]);

  // Z^T (M q'' - Q - C) = Z^T [-(R R - M) q'' + R (R q'' - ...) + (R a_s - Q) + (R c_s - C)
  //                            + (B R - A)^T kappa],
  // A q'' - b = -(B R - A) q'' + B (R q'' - ...) + (B B^T lambda + B a_s - b) - (B B^T nu - B c_s).
  const std::size_t in_B = s.n * s.n, in_a = in_B + s.k * s.n, in_c = in_a + s.n, in_q = in_c + s.n,
                    in_lambda = in_q + s.n, in_nu = in_lambda + s.k;
  const Matrix ZtR = transpose(f.Z) * R;
  f.combination = Matrix(s.r, f.residuals.size());
  for (std::size_t r = 0; r < s.r; ++r) {
    for (std::size_t i = 0; i < s.n; ++i) {
      for (std::size_t j = 0; j < s.n; ++j)
        f.combination(r, i * s.n + j) = -f.Z(i, r) * f.accelerations[j];
      for (std::size_t j = 0; j < s.k; ++j)
        f.combination(r, in_B + j * s.n + i) = f.Z(i, r) * kappa[j];
      f.combination(r, in_a + i) = f.combination(r, in_c + i) = f.Z(i, r);
      f.combination(r, in_q + i) = ZtR(r, i);
    }
  }
  f.constraint_combination = Matrix(s.k, f.residuals.size());
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t i = 0; i < s.n; ++i) {
      f.constraint_combination(j, in_B + j * s.n + i) = -f.accelerations[i];
      f.constraint_combination(j, in_q + i) = B(j, i);
    }
    f.constraint_combination(j, in_lambda + j) = 1;
    f.constraint_combination(j, in_nu + j) = -1;
  }
  if (s.explain) {
    f.steps.push_back({StepKind::law});
    show_result(s, w, f);
  }
  return f;
}

}  // namespace dalembert::mechanics
