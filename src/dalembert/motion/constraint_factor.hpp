#pragma once

/// The rows of A in the kinetic metric: rank, independent rows, dependencies, and the
/// pseudo-inverse by QR.
///
/// B = A R^-T (M = R R^T; not A R^-1). Row j of B is divided by its norm, giving Bh = D B: |Bh_j| =
/// 1, or 0 for a row of zeros. Neither the units of the coordinates nor the scale of a row is left
/// in Bh. A Householder QR of the columns of Bh^T, the k independent rows first,
///
///   Bh^T P = Q [R11 R12; 0 R22],   |R22| <= tolerance, taken for 0,   dependent rows = L^T ×
///   independent rows, L = R11^-1 R12,
///
/// gives B^+ = Q_k R11^-T on the independent rows. In terms of the rows as given, Z = D [-L; I]
/// (m×(m-k)) spans the null space of A^T. It carries all that redundancy means:
///
///   e - W^-1 Z (Z^T W^-1 Z)^-1 Z^T e    the nearest right-hand side without contradiction, in the
///   weights W; lambda - Z (Z^T Z)^-1 Z^T lambda    the multipliers of minimum norm with the same
///   force; rows where Z is nonzero             take part in a dependency.

#include <dalembert/motion/mass_factor.hpp>

#include <Eigen/Core>
#include <vector>

namespace dalembert::motion {

/// (F^T F)^-1 for F = diag(1/t) [-L; I], by QR of F with its rows sorted by size and its columns
/// pivoted, which is stable for rows of widely different scale (Cox & Higham 1998), where F^T F
/// itself would square that spread.
class DependencyFactor {
 public:
  explicit DependencyFactor(int m);
  /// L (k×(m-k), top left of an m×m array); t (m) in the order of the rows in order. O(m (m-k)^2).
  void factor(const Eigen::MatrixXd& L, int k, const std::vector<int>& order,
              const Eigen::VectorXd& t);
  void solve(Eigen::VectorXd& delta);  ///< the first m-k entries of delta := (F^T F)^-1 delta

 private:
  int dependent_ = 0;
  Eigen::MatrixXd F_;
  Eigen::VectorXd tau_, size_, x_;
  std::vector<int> sorted_, columns_;
};

class ConstraintFactor {
 public:
  /// weights (m): W, or empty for W = I.
  ConstraintFactor(int n, int m, const Eigen::VectorXd& weights);

  /// Bh from A^T (n×m) and the kinetic metric; n^2 m / 2 multiplications. False if a norm is not
  /// finite.
  bool set_rows(const Eigen::MatrixXd& At, const MassFactor& mass);
  /// Chooses k and order: pivoted QR while the largest remaining norm exceeds tolerance, then,
  /// because pivots alone may overestimate (Kahan's matrix), rows are dropped while the smallest
  /// singular value of R11, estimated by inverse iteration, is below tolerance (Chan 1987). Leaves
  /// the factors of that choice. Returns k. O(n m^2).
  int decide(double tolerance, std::vector<int>& order);
  /// Factors with k and order given. Same arithmetic as in decide, so same factors for the same
  /// rows.
  void factor(int k, const std::vector<int>& order);
  /// Marks the rows that take part in a dependency: their coefficient in L exceeds tolerance.
  void mark_dependent(double tolerance);

  /// eh (m) := D (e - its contradictions), in the range of Bh. Where least_squares is false the
  /// independent rows stand as they are and the dependent ones follow from them; this is as good as
  /// the well-conditioned basis that pivoting chose. Where it is true, eh = D (e - W^-1 Z (Z^T W^-1
  /// Z)^-1 Z^T e). Both are the same where e has no contradictions. delta() keeps Z^T e, one
  /// number a dependent row: by how much its right-hand side contradicts the independent ones.
  void reduce(const Eigen::VectorXd& e, bool least_squares, Eigen::VectorXd& eh);
  const Eigen::VectorXd& delta() const { return delta_; }
  /// p := B^+ D^-1 eh (n) for eh in the range of Bh, and the multipliers of the normalized rows,
  /// Bh^T lambda_h = p.
  void pseudo_inverse(const Eigen::VectorXd& eh, Eigen::VectorXd& p, Eigen::VectorXd& lambda_h);
  /// h := (I - B^+ B) h.
  void project(Eigen::VectorXd& h) const;
  /// lambda := D lambda_h, the multipliers of the rows as given.
  void to_rows(const Eigen::VectorXd& lambda_h, Eigen::VectorXd& lambda) const;
  /// lambda := lambda - Z (Z^T Z)^-1 Z^T lambda.
  void minimize_norm(Eigen::VectorXd& lambda);
  /// x := column c of the orthogonal Q; those from k to n-1 are an orthonormal basis of the null
  /// space of B.
  void basis_vector(int c, double* x) const;

  int rank() const { return k_; }
  bool unique(int j) const { return unique_[static_cast<std::size_t>(j)] != 0; }
  double norm(int j) const { return norm_(j); }            ///< |B_j|
  const Eigen::VectorXd& scale() const { return scale_; }  ///< 1/D: |B_j|, or 1 for a row of zeros
  const Eigen::MatrixXd& normalized() const { return Bh_; }   ///< Bh^T (n×m)
  double dependency(int i, int d) const { return L_(i, d); }  ///< L
  const std::vector<int>& order() const {
    return order_;
  }  ///< rows of A, the k independent ones first
  double smallest_singular_value() const {
    return sigma_;
  }  ///< of R11 at the last decide, estimated; 1 if k = 0

 private:
  void gather();
  double estimate_smallest_singular_value();

  int n_, m_, k_ = 0;
  double sigma_ = 1;
  std::vector<int> order_;
  std::vector<char> unique_;
  Eigen::MatrixXd Bh_, H_, L_;
  Eigen::VectorXd norm_, scale_, tau_, delta_, c_, weights_, weighted_scale_, x_, y_;
  DependencyFactor plain_;
  DependencyFactor weighted_;
};

}  // namespace dalembert::motion
