#pragma once
/// The transpose of first derivatives at a state, without the derivatives: for a vector c beside
/// the accelerations, all of c^T da/dz, z = (q, v, p), at a cost that the number of parameters does
/// not enter but for the size of the answer. With the equations and unknowns of
/// flow/linear/derivatives.hpp,
///
///     [ M - C_a   A^T + C_l ]^T [ w ]   [ c ]
///     [ A                 0 ]   [ y ] = [ 0 ]
///
///     c^T da = w^T (C_z + C_F dF - d(M a - Q) + d(A^T l)) - y^T d(A a - b),
///
/// and what F moves with is pulled back through the problem without C in the same way: (w0, y0) to
/// the right side (0, -A f), f = C_F^T w. So c^T da/dz is the gradient of one scalar,
///
///     w (C - (M a - Q) + A^T l) - y (A a - b) - w0 (M a0 - Q) + (w0 + f) A^T l0 - y0 (A a0 - b),
///
/// all that is not z held, which reverse differentiation gives as a whole.

#include "dalembert/flow/linear/derivatives.hpp"

namespace dalembert::flow {

/// The tapes, which do not change while a model moves.
struct PullBackKernels {
  std::vector<std::size_t> parameters;     ///< in Model::parameters
  std::vector<std::uint32_t> of_field;     ///< which of (q, v, p) an output belongs to
  std::vector<std::uint32_t> of_manifold;  ///< which of p
  codegen::Kernel field, manifold;
};

PullBackKernels make_pull_back_kernels(const Motion& motion, std::vector<std::size_t> parameters);

/// One thread's scratch, at the states of a Derivatives of the same motion, which may know no
/// parameters.
class PullBack {
 public:
  PullBack(const Motion& motion, const PullBackKernels& kernels, Derivatives& derivatives);

  /// c^T da/dz, 2n + parameters, at the state last evaluated.
  const Eigen::VectorXd& of_acceleration(const Eigen::VectorXd& c);

  /// (mu^T d phi/dp + nu^T d psi/dp) of the constraints on positions and of all rates, at the state
  /// last measured.
  const Eigen::VectorXd& of_constraints(const Eigen::VectorXd& mu, const Eigen::VectorXd& nu);

 private:
  void solve_transposed(const Eigen::PartialPivLU<Eigen::MatrixXd>& lu, Eigen::VectorXd& w,
                        Eigen::VectorXd& y);

  const PullBackKernels& kernels_;
  Derivatives& derivatives_;
  codegen::Workspace field_ws_, manifold_ws_;
  std::vector<double> field_in_, field_out_, manifold_in_, manifold_out_;
  Eigen::VectorXd w_, y_, w0_, y0_, f_, rhs_, answer_, of_p_;
};

}  // namespace dalembert::flow
