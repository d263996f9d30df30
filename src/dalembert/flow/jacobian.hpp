#pragma once
/// How the constrained accelerations and the powers change with the state, exactly: what an
/// implicit integrator needs for its Newton iterations.
///
/// With x = (q, v), the k independent rows of A and their multipliers l, and F = A^T l0 the ideal
/// force of the problem without C,
///
///     M a - Q - A^T l - C(x, F) = 0,     A a - b = 0
///
/// differentiated along x, a and l held in the partial derivatives:
///
///     [ M  A^T ] [  da ]   [ dC - d(M a - Q) + d(A^T l) ]
///     [ A   0  ] [ -dl ] = [ -d(A a - b)                ],    dC = C_x + C_F dF,
///
///     dF = M da0 + d(M a0 - Q),    (a0, l0) the same problem with C = 0.
///
/// The partial derivatives are entries of one tape, taken on the shared graph. The matrix on the
/// left, scaled by the masses and by the lengths of the rows, is factored once a state and serves
/// a, l and all 2n columns; it is regular for a singular M too, wherever the accelerations are
/// unique.

#include <Eigen/Core>
#include <Eigen/LU>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/mechanics/equations.hpp"
#include "dalembert/solve/fundamental.hpp"

namespace dalembert::flow {

class Motion;

/// The tapes, which do not change while a model moves.
struct JacobianKernels {
  struct Slot {
    std::uint32_t row, column;
  };
  std::vector<Slot> M;        ///< lower triangle
  std::vector<Slot> A;        ///< m x n
  std::vector<Slot> inertia;  ///< n x 2n: d(M a - Q)/dx
  std::vector<Slot> ideal;    ///< n x 2n: d(A^T l)/dx
  std::vector<Slot> rows;     ///< m x 2n: d(A a - b)/dx
  std::vector<Slot> power;    ///< 2 x 2n: of the applied forces, and of explicit time
  std::vector<Slot> C_x;      ///< n x 2n
  std::vector<Slot> C_F;      ///< n x n
  bool nonideal = false;      ///< whether there is a C
  codegen::Kernel base;       ///< t q v -> M A Q b
  codegen::Kernel partials;   ///< t q v a l F -> inertia ideal rows power C_x C_F, C (n)
};

/// Derives the tapes. Cost: about 2n times the size of the equations, milliseconds for a bundled
/// model.
JacobianKernels make_jacobian_kernels(const mechanics::Equations& eq);

/// Derives them when first asked, once for all threads.
class JacobianLibrary {
 public:
  const JacobianKernels& get(const mechanics::Equations& eq);

 private:
  std::once_flag once_;
  JacobianKernels kernels_;
};

/// One thread's scratch. Memory is taken by the constructor, and again where the rank changes.
class Jacobian {
 public:
  explicit Jacobian(const Motion& motion);
  void bind(const Motion& motion);  ///< as Evaluator::bind

  /// At a state, with rank and independent rows as held there. False where a number is not finite
  /// or the matrix is singular. Cost: two or three runs of a tape, O((n + k)^3).
  bool evaluate(double t, std::span<const double> q, std::span<const double> v, const Held& held);

  // After evaluate.
  const Eigen::MatrixXd& acceleration() const { return da_; }  ///< n x 2n: dq''/dq, dq''/dq'
  /// 4 x 2n: of the power of the applied, ideal, non-ideal and other forces.
  const Eigen::MatrixXd& power() const { return power_; }

 private:
  void load(double t, std::span<const double> q, std::span<const double> v);
  void factor(const Held& held);
  void solve_state(const Held& held, bool with_C);
  void load_partials();
  void solve_tangent(const Held& held, bool with_C);

  const JacobianKernels& kernels_;
  std::vector<std::array<std::size_t, 4>> quaternions_;  ///< coordinates by index
  Eigen::Index n_, m_, k_ = 0;
  codegen::Workspace base_ws_, partials_ws_;
  std::vector<double> inputs_, base_out_, partials_out_;
  Eigen::MatrixXd M_, A_, inertia_, ideal_, rows_, C_x_, C_F_;
  Eigen::VectorXd Q_, b_, C_, a_, l_, F_, v_;
  Eigen::VectorXd mass_scale_, row_scale_;
  Eigen::MatrixXd matrix_, rhs_, solution_, da_, dF_, dF_ideal_, power_;
  Eigen::VectorXd state_rhs_, state_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace dalembert::flow
