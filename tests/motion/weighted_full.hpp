#pragma once

/// (U97.38) in full: Newton's rows, the constraints and d'Alembert's rows, all weighted together by
/// one matrix W.
///
///   r = (q''_s, F_s),   s = (a_s, b, 0),   L = [I -I; B 0; 0 V^T],   r = (L^T W L)^-1 L^T W s,
///   B = A M^(-1/2),  a_s = M^(-1/2) Q,  q'' = M^(-1/2) q''_s,  F^c = M^(1/2) F_s,
///
/// with the symmetric root M^(1/2).
///
/// An oracle for small systems (theory 4.4). With b in the range of A,
/// neither W nor V matters. For a block-diagonal W only the block of the constraints matters, and
/// Method::weighted does the same for a diagonal one. A W that couples the blocks leaves residuals
/// in all three: then F^c != M q'' - Q, and the answer depends on V.

#include <dalembert/solve/diagnosis.hpp>

#include <Eigen/Core>

namespace dalembert::motion {

struct WeightedFullResult {
  /// ok; size_mismatch; mass_indefinite where M is not positive definite; weights_not_positive
  /// where W is not symmetric positive definite; mass_undetermined where V does not complete B, so
  /// that L has no full column rank.
  Status status = Status::ok;
  Eigen::VectorXd qdd;          ///< q'' (n)
  Eigen::VectorXd force;        ///< F^c (n)
  Eigen::VectorXd residual_17;  ///< q''_s - F_s - a_s (n): Newton's equation
  Eigen::VectorXd residual_18;  ///< B q''_s - b (m): the constraints
  Eigen::VectorXd residual_19;  ///< V^T F_s (n-k): d'Alembert's principle
};

/// M (n×n), Q (n), A (m×n) of rank k, b (m), W ((2n+m-k)×(2n+m-k)), V (n×(n-k)) spanning the null
/// space of B. Sizes are taken from V. Allocates. O((2n+m)^3).
WeightedFullResult weighted_full(const Eigen::Ref<const Eigen::MatrixXd>& M,
                                 const Eigen::Ref<const Eigen::VectorXd>& Q,
                                 const Eigen::Ref<const Eigen::MatrixXd>& A,
                                 const Eigen::Ref<const Eigen::VectorXd>& b,
                                 const Eigen::Ref<const Eigen::MatrixXd>& W,
                                 const Eigen::Ref<const Eigen::MatrixXd>& V);

}  // namespace dalembert::motion
