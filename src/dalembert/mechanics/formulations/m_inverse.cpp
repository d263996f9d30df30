/// The explicit equation with the M-inverse (U05.9):
///
///     q'' = a + A_M^+ (b - A a) + (1 - A_M^+ A) c,     a = M^-1 Q,  c = M^-1 C.
///
/// Of independent constraints A_M^+ = Y S^-1 with Y = M^-1 A^T, S = A Y. As a system without an
/// inverse, unknowns a, c, Y, lambda, nu:
///
///     M a = Q,   M c = C,   M Y = A^T,   S lambda = b - A a,   S nu = A c,   q'' = a + c + Y
///     (lambda - nu),
///
/// whence M q'' - Q - C = A^T (lambda - nu), which every Z with A Z = 0 projects away.

#include "dalembert/mechanics/formulations/explicit_form.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"

namespace dalembert::mechanics {

Result<Formulation, std::string> m_inverse(const Setting& s) {
  const Regular w = regular(s);
  Formulation f = explicit_formulation(s, w, "m-inverse");
  const std::vector<Expr> a = unknowns(f, "a", s.n);
  const std::vector<Expr> c = unknowns(f, "c", s.n);
  const std::vector<Expr> y = unknowns(f, "Y", s.n * s.k);
  const std::vector<Expr> lambda = unknowns(f, "lambda", s.k);
  const std::vector<Expr> nu = unknowns(f, "nu", s.k);
  Matrix Y(s.n, s.k);
  Y.entries() = y;
  std::vector<Expr> kappa;
  for (std::size_t j = 0; j < s.k; ++j) kappa.push_back(lambda[j] - nu[j]);
  const std::vector<Expr> Yk = Y * kappa;
  for (std::size_t i = 0; i < s.n; ++i) f.accelerations.push_back(a[i] + c[i] + Yk[i]);

  const std::vector<Expr> Ma = w.M * a, Mc = w.M * c, Aa = s.A * a, Ac = s.A * c;
  const Matrix MY = w.M * Y, S = s.A * Y;
  for (std::size_t i = 0; i < s.n; ++i) f.residuals.push_back(Ma[i] - w.Q[i]);
  for (std::size_t i = 0; i < s.n; ++i) f.residuals.push_back(Mc[i] - s.C[i]);
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j < s.k; ++j) f.residuals.push_back(MY(i, j) - s.A(j, i));
  }
  const std::vector<Expr> Sl = S * lambda, Sn = S * nu;
  for (std::size_t j = 0; j < s.k; ++j) f.residuals.push_back(Sl[j] + Aa[j] - s.b[j]);
  for (std::size_t j = 0; j < s.k; ++j) f.residuals.push_back(Sn[j] - Ac[j]);

  // Z^T (M q'' - Q - C) = Z^T [(M a - Q) + (M c - C) + (M Y - A^T) kappa];
  // A q'' - b = (S lambda + A a - b) - (S nu - A c).
  const std::size_t first_Y = 2 * s.n, first_lambda = first_Y + s.n * s.k;
  f.combination = Matrix(s.r, f.residuals.size());
  for (std::size_t r = 0; r < s.r; ++r) {
    for (std::size_t i = 0; i < s.n; ++i) {
      f.combination(r, i) = f.combination(r, s.n + i) = f.Z(i, r);
      for (std::size_t j = 0; j < s.k; ++j)
        f.combination(r, first_Y + i * s.k + j) = f.Z(i, r) * kappa[j];
    }
  }
  f.constraint_combination = Matrix(s.k, f.residuals.size());
  for (std::size_t j = 0; j < s.k; ++j) {
    f.constraint_combination(j, first_lambda + j) = 1;
    f.constraint_combination(j, first_lambda + s.k + j) = -1;
  }
  if (s.explain) {
    f.steps.push_back({StepKind::law});
    show_result(s, w, f);
  }
  return f;
}

}  // namespace dalembert::mechanics
