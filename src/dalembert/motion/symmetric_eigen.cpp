#include "dalembert/motion/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace dalembert::motion {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues(), solver.eigenvectors(), true};
}

}  // namespace dalembert::motion
