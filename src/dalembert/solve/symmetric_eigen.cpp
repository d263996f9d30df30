#include "dalembert/solve/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace dalembert::solve {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues(), solver.eigenvectors(), true};
}

}  // namespace dalembert::solve
