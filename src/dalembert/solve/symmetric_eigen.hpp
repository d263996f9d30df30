#pragma once
/// S = V diag(w) V^T of a symmetric matrix, compiled once: Eigen's solver takes ten seconds of
/// compiling in each file that uses it.

#include <Eigen/Core>

#include "dalembert/solve/rooms.hpp"

namespace dalembert::solve {

struct SymmetricEigen {
  Eigen::VectorXd values;   ///< n, increasing
  Eigen::MatrixXd vectors;  ///< n x n, orthonormal columns in the order of the values
  bool converged = false;
};

/// Of a symmetric n x n matrix of finite numbers, of which the lower triangle is read. O(n^3).
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

}  // namespace dalembert::solve
