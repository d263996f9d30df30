#pragma once

/// The rows of A in the kinetic metric: rank, independent rows, dependencies, pseudo-inverse by QR.
///
/// B = A R^-T (M = R R^T; not A R^-1). Row j of B divided by its norm s_j is row j of Bh: of unit
/// length, or zero for a row of zeros, for which s_j = 1. Neither the units of coordinates nor the
/// scale of a row is left in Bh. Householder QR of the columns of Bh^T, the k independent rows N
/// first (N^T = Q_k R11),
///
///   Bh^T P = Q [R11 R12; 0 R22],   |R22| <= tolerance, taken for 0,   L = R11^-1 R12,
///
/// makes the dependent rows L^T N. So B has the rank factorization B = T N with the m×k matrix
/// T = diag(s) P [I; L^T], and
///
///   B^+ e  = N^+ T^+ e,   N^+ = Q_k R11^-T,       T^+ e: least-squares values of the rows N,
///   lambda = (T^+)^T R11^-1 R11^-T T^+ e,         of minimum norm, with B^T lambda = B^+ e.
///
/// Where masses are very unequal, a coordinate of a light body has entries of order 1 in Bh and one
/// of a heavy body, in the same row, entries as small as the root of the ratio of masses; and the
/// independence of rows may rest on the small ones alone. Each step of the QR therefore brings the
/// largest entry of its column to the top (rows exchanged as well as columns). Then it is accurate
/// coordinate by coordinate (Powell & Reid 1969, Cox & Higham 1998), not only in the norm of the
/// whole: what rounding leaves of a heavy body's motion does not reach a light one.
///
/// Row j takes part in a dependency if it is a dependent row or has a nonzero coefficient in L.

#include <dalembert/solve/mass_factor.hpp>

#include <Eigen/Core>
#include <cmath>
#include <vector>

namespace dalembert::solve {

/// T^+ by QR of T with its rows sorted by size and its columns pivoted, which is accurate row by
/// row however far apart the scales of the rows lie (Cox & Higham 1998).
class RankFactor {
 public:
  /// For m rows of rank n at most.
  RankFactor(int n, int m);
  /// T = diag(t) P [I; L^T] with L k×(m-k), the top left of a larger array; order lists the rows of
  /// A, the k independent ones first; t (m) by row of A. O(m k^2).
  void factor(const Eigen::MatrixXd& L, int k, const std::vector<int>& order,
              const Eigen::VectorXd& t);
  /// x (first k entries) := T^+ e.
  void least_squares(const Eigen::VectorXd& e, Eigen::VectorXd& x);
  /// lambda (m) := (T^+)^T y, the smallest lambda with T^T lambda = y (first k entries).
  void minimum_norm(const Eigen::VectorXd& y, Eigen::VectorXd& lambda);

 private:
  int k_ = 0;
  Eigen::MatrixXd T_;
  Eigen::VectorXd tau_, size_, x_;
  std::vector<int> rows_, columns_, sorted_;
};

class ConstraintFactor {
 public:
  /// weights (m) for least squares, or empty for equal weights.
  ConstraintFactor(int n, int m, const Eigen::VectorXd& weights);

  /// Bh from A^T (n×m) and the kinetic metric; n^2 m / 2 multiplications. False if a norm is not
  /// finite.
  bool set_rows(const Eigen::MatrixXd& At, const MassFactor& mass);
  /// How far rounding may have turned each row (m): |dB_j| / |B_j|. Used by decide, which prefers
  /// rows that are known well and takes a row for dependent when what sets it apart is no more than
  /// its uncertainty. Zero at first.
  void set_uncertainty(const Eigen::VectorXd& uncertainty) { uncertainty_ = uncertainty; }
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

  /// eh (m) := right-hand sides of the normalized rows, freed of contradictions, hence in the range
  /// of Bh. least_squares: [I; L^T] T^+ e in the given weights. Else the independent rows stand and
  /// the dependent ones follow. Both agree where e has no contradictions; where it has them only by
  /// rounding or drift the latter is better, for least squares heeds the rows of largest scale,
  /// while pivoting chose the best conditioned. delta() keeps e_d / s_d - sum_i L_id e_i / s_i for
  /// each dependent row d: by how much it contradicts.
  void reduce(const Eigen::VectorXd& e, bool least_squares, Eigen::VectorXd& eh);
  const Eigen::VectorXd& delta() const { return delta_; }
  /// p (n) := Bh^+ eh for eh in the range of Bh, and lambda_h (m) with Bh^T lambda_h = p.
  void pseudo_inverse(const Eigen::VectorXd& eh, Eigen::VectorXd& p, Eigen::VectorXd& lambda_h);
  /// h := (I - B^+ B) h.
  void project(Eigen::VectorXd& h) const;
  /// lambda := lambda_h / s, the multipliers of the rows as given.
  void to_rows(const Eigen::VectorXd& lambda_h, Eigen::VectorXd& lambda) const;
  /// lambda := the smallest with the same force A^T lambda.
  void minimize_norm(Eigen::VectorXd& lambda);
  /// x := column c of Q; columns k to n-1 are an orthonormal basis of the null space of B.
  void basis_vector(int c, double* x) const;

  int rank() const { return k_; }
  /// The largest ratio of entries in a row of Bh, zeros left out; 1 if there are none.
  double grading() const { return grading_; }
  bool unique(int j) const { return unique_[static_cast<std::size_t>(j)] != 0; }
  double norm(int j) const { return norm_(j); }               ///< |B_j|
  const Eigen::VectorXd& scale() const { return scale_; }     ///< s: |B_j|, or 1 for a row of zeros
  const Eigen::MatrixXd& normalized() const { return Bh_; }   ///< Bh^T (n×m)
  double dependency(int i, int d) const { return L_(i, d); }  ///< L
  /// The rows of A, the k independent ones first.
  const std::vector<int>& order() const { return order_; }
  /// Of R11 at the last decide, estimated; 1 if k = 0.
  double smallest_singular_value() const { return sigma_; }
  /// The distance of independent row i of B, in the order held, from the span of those before it.
  /// Where one of the k heights vanishes the rank drops, and nowhere else.
  double height(int i) const {
    return std::abs(H_(i, i)) * scale_(order_[static_cast<std::size_t>(i)]);
  }

 private:
  void gather();
  void judge_grading();
  void reflect(int c);           ///< one step of the QR, by the largest coordinate left if graded
  void sort(double* x) const;    ///< x (n) from the order of coordinates to that of the QR
  void unsort(double* x) const;  ///< and back
  double estimate_smallest_singular_value();

  int n_, m_, k_ = 0;
  double sigma_ = 1, grading_ = 1;
  bool graded_ = false;  ///< entries differ so much in size that the order of coordinates matters
  std::vector<int> order_;
  std::vector<char> unique_;
  Eigen::MatrixXd Bh_, H_, L_;
  Eigen::VectorXd norm_, scale_, uncertainty_, tau_, sizes_;
  mutable Eigen::VectorXd permuted_;
  std::vector<int> coordinates_;  ///< in the order of the QR
  Eigen::VectorXd delta_, root_weights_, weighted_scale_, x_, y_, g_;
  RankFactor plain_, weighted_;
};

}  // namespace dalembert::solve
