#include "weighted_full.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "dalembert/solve/symmetric_eigen.hpp"

namespace dalembert::motion {

// With W = T^T T the weighted problem is min |T (L r - s)|_2, solved by QR of T L instead of the
// normal equations.
WeightedFullResult weighted_full(const Eigen::Ref<const Eigen::MatrixXd>& M,
                                 const Eigen::Ref<const Eigen::VectorXd>& Q,
                                 const Eigen::Ref<const Eigen::MatrixXd>& A,
                                 const Eigen::Ref<const Eigen::VectorXd>& b,
                                 const Eigen::Ref<const Eigen::MatrixXd>& W,
                                 const Eigen::Ref<const Eigen::MatrixXd>& V) {
  WeightedFullResult result;
  const Eigen::Index n = M.rows(), m = A.rows(), f = V.cols(), rows = n + m + f;
  const auto fail = [&](Status status) {
    result.status = status;
    return result;
  };
  if (M.cols() != n || Q.size() != n || A.cols() != n || b.size() != m || V.rows() != n || f > n ||
      W.rows() != rows || W.cols() != rows) {
    return fail(Status::size_mismatch);
  }
  if (!M.allFinite()) return fail(Status::mass_not_finite);
  if (!A.allFinite() || !b.allFinite() || !V.allFinite())
    return fail(Status::constraints_not_finite);
  if (!Q.allFinite()) return fail(Status::force_not_finite);
  if (!W.allFinite() || !W.isApprox(W.transpose(), 1e-12))
    return fail(Status::weights_not_positive);
  if (!M.isApprox(M.transpose(), 1e-12)) return fail(Status::mass_asymmetric);
  const SymmetricEigen mass = symmetric_eigen(M);
  if (!mass.converged || !(mass.values.minCoeff() > 0)) return fail(Status::mass_indefinite);
  const Eigen::LLT<Eigen::MatrixXd> weight(W);
  if (weight.info() != Eigen::Success) return fail(Status::weights_not_positive);

  const Eigen::VectorXd roots = mass.values.cwiseSqrt();
  const Eigen::MatrixXd root = mass.vectors * roots.asDiagonal() * mass.vectors.transpose();
  const Eigen::MatrixXd inverse_root =
      mass.vectors * roots.cwiseInverse().asDiagonal() * mass.vectors.transpose();
  const Eigen::MatrixXd B = A * inverse_root;
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(rows, 2 * n);
  L.topLeftCorner(n, n).setIdentity();
  L.topRightCorner(n, n) = -Eigen::MatrixXd::Identity(n, n);
  L.block(n, 0, m, n) = B;
  L.bottomRightCorner(f, n) = V.transpose();
  Eigen::VectorXd s = Eigen::VectorXd::Zero(rows);
  s.head(n) = inverse_root * Q;
  s.segment(n, m) = b;
  const Eigen::MatrixXd T = weight.matrixU();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(T * L);
  if (qr.rank() < 2 * n) return fail(Status::mass_undetermined);
  const Eigen::VectorXd r = qr.solve(T * s);

  result.qdd = inverse_root * r.head(n);
  result.force = root * r.tail(n);
  const Eigen::VectorXd residual = L * r - s;
  result.residual_17 = residual.head(n);
  result.residual_18 = residual.segment(n, m);
  result.residual_19 = residual.tail(f);
  return result;
}

}  // namespace dalembert::motion
