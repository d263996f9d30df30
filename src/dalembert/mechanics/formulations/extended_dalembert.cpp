/// The extended principle of D'Alembert (U97.20): with R = M^(1/2), B = A R^-1, and V any matrix
/// whose columns span the null space of B,
///
///     (B^T B + V V^T) R q'' = B^T b + V V^T R^-1 (Q + C).
///
/// V = R Z is such a matrix, as B R Z = A Z = 0, so that V V^T R^-1 = R Z Z^T and no inverse is
/// left:
///
///     R R = M,   B R = A,   B^T B R q'' + R Z Z^T M q'' = B^T b + R Z Z^T (Q + C).
///
/// Multiplied by Z^T R it is (Z^T M Z) Z^T (M q'' - Q - C) = 0, multiplied by B it is B B^T (A q''
/// - b) = 0; both factors are regular.

#include "dalembert/mechanics/formulations/explicit_form.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/root_form.hpp"

namespace dalembert::mechanics {

Result<Formulation, std::string> extended_dalembert(const Setting& s) {
  const Regular w = regular(s);
  Formulation f = explicit_formulation(s, w, "extended-dalembert");
  const auto [R, B] = root_form(s, f);
  for (std::size_t i = 0; i < s.n; ++i) f.accelerations.push_back(s.acceleration(i));
  f.unknowns.insert(f.unknowns.end(), f.accelerations.begin(), f.accelerations.end());
  const std::vector<Expr>& qdd = f.accelerations;

  const Matrix RR = R * R, BR = B * R, Zt = transpose(f.Z), ZtR = Zt * R;
  const std::vector<Expr> Mq = w.M * qdd;
  std::vector<Expr> force;  // Z^T (M q'' - Q - C)
  for (std::size_t i = 0; i < s.n; ++i) force.push_back(Mq[i] - w.Q[i] - s.C[i]);
  force = Zt * force;
  const std::vector<Expr> Rq = R * qdd;
  const std::vector<Expr> BRq = B * Rq;
  std::vector<Expr> miss;
  for (std::size_t j = 0; j < s.k; ++j) miss.push_back(BRq[j] - s.b[j]);
  const std::vector<Expr> first = transpose(B) * miss;
  const std::vector<Expr> second = transpose(ZtR) * force;
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) f.residuals.push_back(RR(i, j) - w.M(i, j));
  }
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t i = 0; i < s.n; ++i) f.residuals.push_back(BR(j, i) - s.A(j, i));
  }
  for (std::size_t i = 0; i < s.n; ++i) f.residuals.push_back(first[i] + second[i]);

  // Z^T R F = (B R Z)^T (..) + Z^T R R Z Z^T (..), where B R = A and R R = M up to their residuals.
  const std::size_t in_B = s.n * s.n, in_F = in_B + s.k * s.n;
  f.left = Zt * w.M * f.Z;
  f.combination = Matrix(s.r, f.residuals.size());
  const std::vector<Expr> Zf = f.Z * force;
  for (std::size_t r = 0; r < s.r; ++r) {
    for (std::size_t i = 0; i < s.n; ++i) {
      f.combination(r, in_F + i) = ZtR(r, i);
      for (std::size_t j = 0; j < s.n; ++j) f.combination(r, i * s.n + j) = -f.Z(i, r) * Zf[j];
      for (std::size_t j = 0; j < s.k; ++j)
        f.combination(r, in_B + j * s.n + i) = -f.Z(i, r) * miss[j];
    }
  }
  // B F = B B^T (B R q'' - b) + B R Z (..); B R q'' = A q'' + (B R - A) q''.
  const Matrix BBt = B * transpose(B);
  f.constraint_left = BBt;
  f.constraint_combination = Matrix(s.k, f.residuals.size());
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t i = 0; i < s.n; ++i) {
      f.constraint_combination(j, in_F + i) = B(j, i);
      f.constraint_combination(j, in_B + j * s.n + i) -= Zf[i];
      for (std::size_t l = 0; l < s.k; ++l)
        f.constraint_combination(j, in_B + l * s.n + i) -= BBt(j, l) * qdd[i];
    }
  }
  if (s.explain) {
    f.steps.push_back({StepKind::law});
    show_result(s, w, f);
  }
  return f;
}

}  // namespace dalembert::mechanics
