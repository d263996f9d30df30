#pragma once
/// Second derivatives along given directions, x = (q, v): where the state moves with s and r so
/// that dz/ds = z_s, dz/dr = z_r, z = (q, v, p), the equations R(z, u) = 0 of the unknowns u give
///
///     R_u u_sr = -D^2 R[(z_s, u_s), (z_r, u_r)] - R_z z_sr
///
/// with the matrix R_u of the first derivatives (flow/linear/derivatives.hpp). The last term is
/// theirs; the others are made here, D^2 R by differentiating along one direction, then the other.
/// The same for the constraints, whose curvature moves the dependent coordinates and velocities.

#include "dalembert/flow/linear/derivatives.hpp"

namespace dalembert::flow {

/// The tapes, which do not change while a model moves.
struct SecondKernels {
  codegen::Kernel field, manifold;
  bool has_C = false;
};

/// `parameters`: those of the first derivatives.
SecondKernels make_second_kernels(const Motion& motion, const std::vector<std::size_t>& parameters);

/// One thread's scratch, at the states of a Derivatives with these parameters.
class SecondDerivatives {
 public:
  SecondDerivatives(const Motion& motion, const SecondKernels& kernels,
                    const Derivatives& derivatives);

  /// The part of d^2 a/ds dr that is quadratic in the directions, which are columns of
  /// Z = (q, v, t, p), at the state last evaluated; t does not move.
  const Eigen::VectorXd& of_acceleration(const Eigen::MatrixXd& Z, Eigen::Index s, Eigen::Index r);

  /// D^2 phi and D^2 psi, m each, at the state last measured.
  void measure_constraints(const Eigen::MatrixXd& Z, Eigen::Index s, Eigen::Index r);
  const Eigen::VectorXd& residual() const { return residual_; }
  const Eigen::VectorXd& rate() const { return rate_; }

 private:
  std::vector<double>::iterator place_direction(std::vector<double>::iterator at,
                                                const Eigen::MatrixXd& Z, Eigen::Index column);
  void solve(const Eigen::PartialPivLU<Eigen::MatrixXd>& lu, const Eigen::VectorXd& balance,
             const double* rows, Eigen::VectorXd& a, Eigen::VectorXd& l);

  const SecondKernels& kernels_;
  const Derivatives& derivatives_;
  codegen::Workspace field_ws_, manifold_ws_;
  std::vector<double> field_in_, field_out_, manifold_in_, manifold_out_;
  Eigen::VectorXd a_, l_, a0_, l0_, residual_, rate_;
};

}  // namespace dalembert::flow
