#pragma once
/// First derivatives of all that a motion has at a state: accelerations, constraint forces,
/// multipliers, outputs and constraints, by
///
///     z = (q, v, t, p),     2n + 1 + s columns,
///
/// p some parameters of the model. With k independent rows of A and F = A^T l0 the ideal force of
/// the problem without C,
///
///     M a - Q - A^T l - C(q, v, t, F, l, a) = 0,     A a - b = 0
///
/// is differentiated along z, a and l held in the partial derivatives:
///
///     [ M - C_a   A^T + C_l ] [  da ]   [ C_z + C_F dF - d(M a - Q) + d(A^T l) ]
///     [ A                 0 ] [ -dl ] = [ -d(A a - b)                         ]
///
///     dF = M da0 + d(M a0 - Q),     (a0, l0) the same problem with C = 0.
///
/// C depends on l and a only through the dry friction of joints. Rows that depend on others are
/// left out: along the constraints nothing that is unique depends on how their share is divided.
/// The columns of q and v belong to the field of accelerations as it stands off the constraints
/// too; only their combinations along the constraints (flow/linear/chart.hpp) mean something.

#include <Eigen/Core>
#include <Eigen/LU>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/evaluator.hpp"

namespace dalembert::flow {

/// The tapes, which do not change while a model moves.
struct DerivativeKernels {
  struct Slot {
    std::uint32_t row, column;
  };
  using Slots = std::vector<Slot>;
  std::vector<std::size_t> parameters;  ///< in Model::parameters, one a column behind t
  std::vector<std::size_t> outputs;     ///< in Model::outputs
  Slots M, A;                           ///< lower triangle; m x n
  Slots residual, rate;                 ///< m x z: of constraints as written, and of their rates
  Slots inertia, ideal, rows;           ///< d(M a - Q), d(A^T l): n x z; d(A a - b): m x z
  Slots C_z, C_F, C_l, C_a;             ///< n x z, n x n, n x m, n x n
  Slots y_z, y_a, y_F, y_N, y_l;        ///< of the outputs
  codegen::Kernel base;      ///< t q v -> M A Q b residual rate and the slots of the latter two
  codegen::Kernel partials;  ///< t q v a l F N -> inertia ... y_l, C (n), y
  bool has_C = false;
  std::size_t recorded = 0;  ///< of what y_... are: the outputs, then what was asked for besides
};

/// Derives them. Cost: about 2n times the size of the equations, milliseconds for a model of a few
/// bodies.
/// `further`: expressions of the kind that outputs are, behind them.
DerivativeKernels make_derivative_kernels(const Motion& motion, std::vector<std::size_t> parameters,
                                          bool with_outputs,
                                          const std::vector<expr::Expr>& further = {});

/// What the equations are solved for, as they stand in C and in outputs.
struct UnknownSymbols {
  std::vector<expr::Expr> a, l, F, N;
  explicit UnknownSymbols(const mechanics::Equations& eq);
};
/// The terms of M a - Q, A^T l and A a - b.
struct BalanceTerms {
  std::vector<expr::Expr> inertia, ideal, rows;
};
BalanceTerms balance_terms(const mechanics::Equations& eq, const std::vector<expr::Expr>& a,
                           const std::vector<expr::Expr>& l);

/// One thread's scratch. Where the rank changes memory is taken anew.
class Derivatives {
 public:
  Derivatives(const Motion& motion, const DerivativeKernels& kernels);
  void bind(const Motion& motion);  ///< as Evaluator::bind

  Eigen::Index columns() const { return z_; }
  Eigen::Index n() const { return n_; }
  Eigen::Index m() const { return m_; }

  /// M, A, b, Q, residuals and rates with their derivatives: what needs no solution. False where a
  /// number is not finite.
  bool measure(double t, std::span<const double> q, std::span<const double> v);
  /// Finds the rank, holds it, and does all of `evaluate`.
  Status decide(double t, std::span<const double> q, std::span<const double> v);
  /// All derivatives, with the rank as held. Cost: two or three runs of a tape, O((n + k)^3).
  /// Allocates nothing.
  Status evaluate(double t, std::span<const double> q, std::span<const double> v);

  // After measure.
  const Eigen::MatrixXd& M() const { return M_; }
  const Eigen::MatrixXd& A() const { return A_; }  ///< m x n, all rows
  const Eigen::VectorXd& Q() const { return Q_; }
  const Eigen::VectorXd& b() const { return b_; }
  const Eigen::VectorXd& residual() const { return residual_; }  ///< m; 0 but of position level
  const Eigen::VectorXd& rate() const { return rate_; }          ///< m; 0 of acceleration level
  const Eigen::MatrixXd& residual_z() const { return residual_z_; }
  const Eigen::MatrixXd& rate_z() const { return rate_z_; }

  // After decide or evaluate.
  const Held& held() const { return evaluator_.solution().held(); }
  Evaluator& evaluator() { return evaluator_; }
  const Eigen::VectorXd& acceleration() const { return a_; }
  const Eigen::VectorXd& ideal() const { return F_; }
  const Eigen::VectorXd& nonideal() const { return N_; }
  const Eigen::VectorXd& outputs() const { return y_; }
  const Eigen::MatrixXd& acceleration_z() const { return da_; }  ///< n x z
  const Eigen::MatrixXd& ideal_z() const { return dF_ideal_; }   ///< n x z
  const Eigen::MatrixXd& nonideal_z() const { return dN_; }      ///< n x z
  /// Of the multipliers while C acts (m x z); not numbers for one that is not unique.
  const Eigen::MatrixXd& multipliers_z() const { return dl_; }
  const Eigen::MatrixXd& outputs_z() const { return dy_; }
  /// What rounding may have made of acceleration_z (n x z): where an entry is smaller, it may be
  /// zero. Allocates.
  Eigen::MatrixXd calc_rounding() const;
  /// What each acceleration could have been had nothing cancelled (n). Allocates.
  Eigen::VectorXd calc_acceleration_scale() const;

 private:
  friend class PullBack;
  friend class SecondDerivatives;
  Status solve_all();
  void factor();
  void factor_with_friction();
  void solve_state(bool with_C);
  void load_partials();
  void solve_tangent(bool with_C);
  void find_outputs();

  Motion motion_;
  const DerivativeKernels& kernels_;
  Evaluator evaluator_;
  Eigen::Index n_, m_, z_, k_ = 0;
  codegen::Workspace base_ws_, partials_ws_;
  std::vector<double> inputs_, base_out_, partials_out_;
  std::vector<bool> unique_;
  Eigen::MatrixXd M_, A_, residual_z_, rate_z_, inertia_, ideal_, rows_;
  Eigen::MatrixXd C_z_, C_F_, C_l_, C_a_, y_z_, y_a_, y_F_, y_N_, y_l_;
  Eigen::VectorXd Q_, b_, residual_, rate_, C_, a_, l_, a0_, l0_, F_, N_, y_;
  Eigen::VectorXd mass_scale_, row_scale_;
  Eigen::MatrixXd matrix_, rhs_, solution_, da_, dl_, dF_, dF_ideal_, dN_, dy_;
  Eigen::MatrixXd dl_held_, da0_, dl0_;  ///< multipliers of the rows that are held; without C
  Eigen::VectorXd state_rhs_, state_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_, lu0_;  ///< the second without friction, where there is
};

/// Places where the equations or outputs have a kink at a state, |x'| at x' = 0 say, as readers
/// write them: there derivatives are one-sided means. Allocates.
std::vector<std::string> kinks_at(const Motion& motion, const State& state,
                                  const Acceleration& solved);

}  // namespace dalembert::flow
