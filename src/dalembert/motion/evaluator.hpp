#pragma once
/// One thread's scratch for evaluating a Motion: the equations at a state and their solution.
/// Nothing here allocates after construction.

#include <Eigen/Core>
#include <span>
#include <string>

#include "dalembert/motion/motion.hpp"

namespace dalembert::motion {

class Evaluator {
 public:
  explicit Evaluator(const Motion& motion);

  /// Evaluates M, Q, A, b, C at a state and solves for the accelerations. `decide` finds the rank
  /// and holds it for the `evaluate` calls that follow (theory 14.8).
  Status decide(double t, std::span<const double> q, std::span<const double> v);
  Status evaluate(double t, std::span<const double> q, std::span<const double> v);

  // After decide or evaluate.
  const Fundamental& solution() const { return fundamental_; }
  const Eigen::MatrixXd& M() const { return M_; }
  const Eigen::MatrixXd& A() const { return A_; }
  const Eigen::VectorXd& Q() const { return Q_; }
  const Eigen::VectorXd& b() const { return b_; }
  const Eigen::VectorXd& C() const { return C_; }
  /// How far rounding may have turned each row of A (m), found by the last decide.
  const Eigen::VectorXd& row_uncertainty() const { return uncertainty_; }
  double applied_power() const { return applied_power_; }
  double other_power() const { return other_power_; }
  double ideal_power() const;     ///< Q_ideal . q'
  double nonideal_power() const;  ///< Q_nonideal . q'
  double kinetic_metric() const;  ///< q'^T M q' / 2

  /// Why the last call failed, with coordinates and constraints by name.
  std::string explain_failure() const;
  /// Whether the constraints contradict each other at the last state. Where b and Q are nothing but
  /// round-off of larger terms, what Fundamental sees in them is none.
  bool contradictory() const;
  /// Which constraints contradict each other at the last state, in a sentence; empty if none do.
  std::string explain_contradiction() const;

  /// Energies and the model's outputs at the state of the last decide or evaluate.
  void observe();
  double kinetic() const { return observed_[0]; }
  double potential() const { return observed_[1]; }
  double h() const { return observed_[2]; }
  std::span<const double> outputs() const { return std::span(observed_).subspan(3); }

 private:
  void load(double t, std::span<const double> q, std::span<const double> v);
  Status solve(bool decide);
  void find_uncertainty();

  Motion motion_;
  std::size_t n_, m_;
  codegen::Workspace dynamics_ws_, scales_ws_, nonideal_ws_, observables_ws_;
  std::vector<double> inputs_, dynamics_out_, scales_, observed_;
  Eigen::MatrixXd M_, A_;
  Eigen::VectorXd Q_, b_, C_, v_, uncertainty_;
  double applied_power_ = 0, other_power_ = 0;
  Fundamental fundamental_;
};

}  // namespace dalembert::motion
