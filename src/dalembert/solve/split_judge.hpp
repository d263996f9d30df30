#pragma once
/// How well a choice of dependent coordinates or of quasi-velocities serves at a state, from
/// numbers. Nothing allocates after construction.
///
/// A is taken with its columns divided by sqrt(M_jj) and its rows then scaled to unit length, so
/// that neither the units of coordinates nor the scale of a constraint matters. Of a choice of k
/// rows and k dependent coordinates D
///
///     quality = |det A_D| / |det A_D*|,
///
/// D* being what elimination with pivots chooses (mechanics::split_coordinates, the same rules);
/// it is 0 where D cannot be solved for. O(m n k).

#include <Eigen/Core>
#include <span>
#include <vector>

#include "dalembert/solve/rooms.hpp"

namespace dalembert::solve {

/// A choice is left for a better one below this.
inline constexpr double worst_split_quality = 0.1;
/// Quasi-velocities are left below this pivot.
inline constexpr double worst_quasi_velocity_pivot = 0.05;

class SplitJudge {
 public:
  SplitJudge(std::size_t n, std::size_t m);

  /// Scales A (m x n) by the diagonal of M (n x n).
  void set(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A);

  /// The quality of k rows with k dependent coordinates.
  double quality(std::span<const std::size_t> rows, std::span<const std::size_t> dependent);
  /// The same of k rows alone, the coordinates being chosen for them.
  double quality(std::span<const std::size_t> rows);
  /// The smallest pivot of Psi (n x n), scaled like A: 1 for orthogonal rows, 0 where Psi is
  /// singular. Overwrites Psi.
  double smallest_pivot(Eigen::MatrixXd& Psi);

 private:
  void scale(Eigen::MatrixXd& X) const;
  void use(bool all_rows, bool all_columns);
  double product_of_pivots(std::size_t rank);

  Eigen::VectorXd column_scale_, best_;
  Eigen::MatrixXd A_, work_;
  std::vector<char> row_used_, column_used_;
};

}  // namespace dalembert::solve
