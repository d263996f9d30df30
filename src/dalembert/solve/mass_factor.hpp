#pragma once

/// The kinetic metric of one state: a factor R of the mass matrix, M = R R^T, R lower triangular.
///
/// Where M is only semidefinite, the factor is that of M_W = M + A^T W A, W = diag(w) > 0 (theory
/// 9). On the constraints A^T W A q'' = A^T W b, so that (M_W, Q + A^T W b) has the same
/// accelerations as (M, Q), for every W. Here 1 / w_j = sum_i A_ji^2 / d_i^2 with d_i^2 = M_ii:
/// both terms then have unit size in coordinates scaled to unit diagonal, and neither units nor the
/// scale of a row matters. A coordinate without mass borrows d_i from the rows it occurs in, and
/// the coordinates of a group (FundamentalOptions) share the largest.

#include <dalembert/solve/diagnosis.hpp>

#include <Eigen/Core>
#include <vector>

namespace dalembert::solve {

class MassFactor {
 public:
  MassFactor(int n, int m, std::vector<int> groups = {});

  /// Factors M (n×n); At (n×m) is A^T. Returns ok, or mass_not_finite, mass_asymmetric,
  /// mass_indefinite, mass_undetermined with the evidence in diagnosis. n^3/6 multiplications;
  /// where M is not positive definite, also its eigenvalues.
  ///
  /// M counts as singular where the smallest eigenvalue of M scaled to unit diagonal, estimated by
  /// inverse iteration, is below tolerance. (Pivots alone do not tell: behind an ill-conditioned
  /// leading block even the last pivot of a singular matrix can be large.)
  Status decide(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::MatrixXd& At,
                double tolerance, Diagnosis& diagnosis);
  /// The same, holding the decision that M is singular, or not: only the upper triangle of M is
  /// read and only pivots are examined. A pivot that fails is taken to decide.
  Status factor(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::MatrixXd& At,
                double tolerance, bool singular, Diagnosis& diagnosis);

  bool augmented() const { return augmented_; }  ///< whether M_W was factored in place of M
  const Eigen::VectorXd& row_weights() const { return w_; }  ///< w (m), when augmented
  /// M or M_W, whichever was factored; upper triangle.
  const Eigen::MatrixXd& matrix() const { return M_; }

  void to_scaled(Eigen::VectorXd& x) const;                               ///< x := R^-1 x
  void from_scaled(Eigen::VectorXd& x) const;                             ///< x := R^-T x
  void to_force(const Eigen::VectorXd& p, Eigen::VectorXd& force) const;  ///< force := R p
  void scale_row(double* row) const;  ///< row (n) of A := R^-1 row

 private:
  Status check_symmetry(double tolerance, Diagnosis& diagnosis) const;
  Status augment(const Eigen::MatrixXd& At, double tolerance, bool thorough, Diagnosis& diagnosis);
  double estimate_smallest_eigenvalue();
  Status examine(double tolerance, Diagnosis& diagnosis);
  Status find_culprit(Diagnosis& diagnosis) const;
  void add_constraints(const Eigen::MatrixXd& At);
  double group_mass(Eigen::Index i) const;
  void report_direction(Status status, Diagnosis& diagnosis);

  bool augmented_ = false;
  Eigen::MatrixXd M_, U_, S_, V_;
  Eigen::VectorXd w_, d_, r_, y_;
  std::vector<int> groups_;
};

}  // namespace dalembert::solve
