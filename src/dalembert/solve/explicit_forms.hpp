#pragma once

/// Three other roads to B^+ e and to (I - B^+ B) h, each with its own factorization: what the
/// papers of 1997, 2001 and 2002 and Lagrange's multipliers prescribe. They serve comparison; the
/// QR of ConstraintFactor is faster. The rank k and the row norms are the shared decision. None
/// allocates after construction.
///
/// Common terms: Bh are the rows of B divided by their norms; eh (m) a right-hand side in the range
/// of Bh; p (n) = Bh^+ eh; Bh^T lambda_h = p.

#include <dalembert/solve/constraint_factor.hpp>
#include <dalembert/solve/mass_factor.hpp>

#include <Eigen/Core>
#include <vector>

namespace dalembert::solve {

/// (U01.7) in the coordinates D q, D = diag sqrt(M_ii), where the mass matrix S = D^-1 M D^-1 has a
/// unit diagonal and units are gone: S^(1/2) symmetric, by the eigenvalues of S; Bh = A D^-1
/// S^(-1/2), normalized, by its k largest singular values.
class ScaledForm {
 public:
  ScaledForm(int n, int m);
  void factor(const Eigen::MatrixXd& At, const MassFactor& mass, const ConstraintFactor& rows);
  void to_scaled(Eigen::VectorXd& x);    ///< x := S^(-1/2) D^-1 x; for forces
  void from_scaled(Eigen::VectorXd& x);  ///< x := D^-1 S^(-1/2) x; for accelerations
  void to_force(const Eigen::VectorXd& p, Eigen::VectorXd& force);  ///< force := D S^(1/2) p
  void pseudo_inverse(const Eigen::VectorXd& eh, Eigen::VectorXd& p, Eigen::VectorXd& lambda_h);
  void project(Eigen::VectorXd& h) const;

 private:
  int k_ = 0;
  Eigen::MatrixXd S_, V_, root_, inverse_root_, U_, Y_;
  Eigen::VectorXd d_, sigma_, x_;
  std::vector<int> index_;
};

/// (U97.20-22): J = (D + E)^-1 with D = Bh^T Bh, E = V V^T, V an orthonormal null-space basis times
/// the root mean square of the singular values of Bh, which keeps cond(D + E) at cond(Bh)^2.
///
///   J Bh^T = Bh^+,   J E = I - Bh^+ Bh,   Bh J = (Bh^+)^T.
///
/// Two steps of refinement make good what squaring costs, while eps cond(Bh)^2 is well below 1.
class ExtendedDalembertForm {
 public:
  ExtendedDalembertForm(int n, int m);
  void factor(const ConstraintFactor& rows);
  void pseudo_inverse(const ConstraintFactor& rows, const Eigen::VectorXd& eh, Eigen::VectorXd& p,
                      Eigen::VectorXd& lambda_h);
  void project(const ConstraintFactor& rows, Eigen::VectorXd& h);

 private:
  void apply_J(Eigen::VectorXd& x) const;

  int k_ = 0;
  Eigen::MatrixXd V_, G_, U_;
  Eigen::VectorXd r_, s_, x_;
};

/// S lambda_h = eh, S = Bh Bh^T (m×m), by the k largest eigenvalues of S; p = Bh^T lambda_h (theory
/// 5). Refined as above.
class MultiplierForm {
 public:
  MultiplierForm(int n, int m);
  void factor(const ConstraintFactor& rows);
  void pseudo_inverse(const ConstraintFactor& rows, const Eigen::VectorXd& eh, Eigen::VectorXd& p,
                      Eigen::VectorXd& lambda_h);
  void project(const ConstraintFactor& rows, Eigen::VectorXd& h);

 private:
  void apply_S_inverse(Eigen::VectorXd& x);

  int k_ = 0;
  Eigen::MatrixXd S_, Y_;
  Eigen::VectorXd w_, r_, s_, x_;
  std::vector<int> index_;
};

}  // namespace dalembert::solve
