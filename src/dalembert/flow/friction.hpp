#pragma once
/// Smooth friction of joints, which depends on the reactions while it acts (theory 10). With N_i
/// the normal force of friction i and d_i its generalized force for N_i = 1,
///
///     C = C_given + sum_j N_j d_j,        lambda = lambda_0 + sum_j N_j lambda_j,
///     N_i = |n_i(lambda)| = |p_i + sum_j N_j W_ij|,
///
/// lambda_0 the multipliers while C_given acts, lambda_j the answer of the constraints to d_j, n_i
/// affine, p_i = n_i(lambda_0) and W_ij = n_i(lambda_j) - n_i(0) vectors of up to three components.
/// Where coordinates keep a part of what presses, n_i is affine in q'' too, whose answer to d_j is
/// added in the same way.
///
/// With K_ij = |W_ij| the right-hand side contracts in some norm, and there is one and only one
/// solution, if the spectral radius of K is below 1. For one friction that is |W| < 1, and beyond
/// there is none or more than one (Painlevé), as p decides. With several frictions a radius of 1 or
/// more proves nothing: then the solution is followed from that without friction, W replaced by
/// s W, s from 0 to 1, and taken if it gets there without a fold.

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/mechanics/equations.hpp"
#include "dalembert/solve/entry_solver.hpp"

namespace dalembert::flow {

/// N_i = |p_i + sum_j N_j W_ij| for numbers. Nothing allocates after construction.
class NormalForces {
 public:
  explicit NormalForces(std::size_t count);

  std::size_t count() const { return static_cast<std::size_t>(N_.size()); }
  /// To be filled before solve; components that a normal force does not have stay 0.
  auto p(std::size_t i) { return p_.col(static_cast<Eigen::Index>(i)); }
  auto W(std::size_t i, std::size_t j) {
    return W_.col(static_cast<Eigen::Index>(j)).segment<3>(3 * static_cast<Eigen::Index>(i));
  }

  /// False where no solution can be given; `culprit` and `measure` then say why. To rounding.
  bool solve();

  const Eigen::VectorXd& values() const { return N_; }
  /// Whether the last solution is known to be the only one.
  bool assured() const { return assured_; }
  /// After a failure: the friction with |W_ii| >= 1, and that number; or `count`, and the s beyond
  /// which no solution could be followed.
  std::size_t culprit() const { return culprit_; }
  double measure() const { return measure_; }

 private:
  void solve_one();
  bool is_contraction();
  bool iterate();
  bool follow();
  double calc_residual(double s, const Eigen::VectorXd& N);
  bool newton_step(double s, Eigen::VectorXd& N, bool& regular_side);

  Eigen::Matrix3Xd p_, r_;
  Eigen::MatrixXd W_, K_, J_;
  Eigen::VectorXd N_, trial_, tangent_, left_, scale_;
  std::vector<int> swaps_;
  bool assured_ = true;
  std::size_t culprit_ = 0;
  double measure_ = 0;
};

struct FrictionKernels {
  /// t q v -> of each friction: offset, normal, inertia, direction, as in mechanics::FrictionTerms.
  codegen::Kernel terms;
};
FrictionKernels friction_kernels(const mechanics::Equations& eq);

/// One thread's friction of a motion. Nothing allocates after construction but a sparse solver with
/// dependent rows.
class JointFriction {
 public:
  /// All must outlive it.
  JointFriction(const mechanics::Equations& eq, const FrictionKernels& kernels,
                const std::vector<double>& parameters);

  void bind(const std::vector<double>& parameters) {
    kernels_.terms.bind(terms_ws_, 0, parameters);
  }

  /// C (n) = C_given + friction, and the multipliers (m) while that acts, of minimum norm. `solver`
  /// has solved the ideal problem at the state of `inputs` (t q v). Not ok where friction is not
  /// finite, or does not determine the reactions; `explain` then says so. Cost: a response of the
  /// constraints for each friction, and of the accelerations where inertia presses. What `solver`
  /// knows of C is then to be given anew.
  Status solve(std::span<const double> inputs, EntrySolver& solver, const Eigen::VectorXd& C_given,
               Eigen::VectorXd& C, Eigen::VectorXd& multipliers);

  const Eigen::VectorXd& normal_forces() const { return normals_.values(); }
  bool assured() const { return normals_.assured(); }
  /// The friction that the last failure is about: its number, or the first where it is about all.
  std::size_t culprit() const;
  std::string explain() const;

 private:
  Status find_accelerations(EntrySolver& solver, const Eigen::VectorXd& C_given);

  const mechanics::Equations& eq_;
  const FrictionKernels& kernels_;
  codegen::Workspace terms_ws_;
  std::vector<double> out_;
  NormalForces normals_;
  Eigen::MatrixXd direction_;  ///< n x count
  Eigen::MatrixXd response_;   ///< m x count
  Eigen::VectorXd force_, lambda_;
  bool inertia_presses_ = false;
  Eigen::MatrixXd speeding_;      ///< n x count: the accelerations that a friction of N = 1 causes
  Eigen::VectorXd acceleration_;  ///< n, while C_given acts
};

}  // namespace dalembert::flow
