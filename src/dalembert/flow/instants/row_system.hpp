#pragma once
/// All rows of a motion with instants at one state (flow/instants/kernels.hpp), and the motion that
/// a mode makes of them:
///
///     M q'' = Q + C + A^T p,     y = A q'' - b = W p + c,
///     W = A M^-1 A^T,     c = A M^-1 (Q + C) - b.
///
/// Where M alone is no metric, as with the four components of a quaternion, s A_b^T A_b is added
/// and s A_b^T b to Q, A_b the rows of the constraints: on them nothing changes.
///
/// Forces are split as everywhere: ideal are those of the held rows had C and friction not been
/// there, non-ideal is what is added to them then.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/flow/instants/modes.hpp"

namespace dalembert::flow {

class RowSystem {
 public:
  /// The motion must have instants, and outlive it.
  explicit RowSystem(const Motion& motion);
  /// The same motion with other parameters.
  void bind(const Motion& motion);

  const InstantKernels& kernels() const { return kernels_; }
  std::span<const TouchElement> elements() const { return kernels_.elements; }
  std::span<double> discretes() {
    return {inputs_.data() + kernels_.discretes_at(), kernels_.discretes.size()};
  }
  std::span<const double> discretes() const {
    return {inputs_.data() + kernels_.discretes_at(), kernels_.discretes.size()};
  }
  void set_works(double friction, double impact);

  /// M, Q, A, b, C, laws at a state. False where they are not finite or M is no metric; `problem`
  /// then tells why.
  bool evaluate(double t, std::span<const double> q, std::span<const double> v);
  /// Of a motion without constraints and C while no row is held: Q, the rates, and q'' = M^-1 Q in
  /// acceleration(), without A, W and laws.
  bool evaluate_free(double t, std::span<const double> q, std::span<const double> v);
  /// Residuals, rates and their scales, M and A; no forces. False likewise.
  bool measure(double t, std::span<const double> q, std::span<const double> v);
  const std::string& problem() const { return problem_; }

  // After either.
  const Eigen::MatrixXd& A() const { return A_; }
  const Eigen::MatrixXd& W() const { return W_; }
  /// M^-1 A^T p.
  Eigen::VectorXd response(const Eigen::VectorXd& p) const;
  std::span<const TouchLaw> laws() const { return laws_; }
  /// q'^T M q' / 2 of a velocity.
  double kinetic_metric(const Eigen::VectorXd& v) const;

  /// Of the constraints, as the equations of a mode see it.
  int constraint_rank() const;

  // After measure.
  std::span<const double> residuals() const { return part(0); }
  std::span<const double> rates() const { return part(1); }
  std::span<const double> scales() const { return part(2); }
  std::span<const double> rate_scales() const { return part(3); }

  /// The largest scale of a row's residual seen so far, after measure.
  double size_of_gap(std::size_t row);

  // After evaluate.
  /// The problem of the accelerations of the rows. Its parts live until the next evaluation.
  RowProblem& acceleration_problem();
  /// The accelerations of a mode, to rounding on its rows, and the power of its forces. False if
  /// the mode has no solution.
  bool solve(const Modes& modes);
  /// The force in a row that counts as large, of the last solve.
  double force_scale(std::size_t row) const {
    const double w = W_(index(row), index(row));
    return w > 0 ? problem_of_rows_.size / std::sqrt(w) : 0;
  }
  const RowSolution& solution() const { return solution_; }
  double time() const { return inputs_[0]; }  ///< of the last evaluation
  RowSolution& solution() { return solution_; }
  RowSolver& solver() { return solver_; }
  const Eigen::VectorXd& acceleration() const { return qdd_; }
  /// After solve: splits the forces of the rows. O(k^3).
  void split_forces(const Modes& modes);
  const Eigen::VectorXd& ideal() const { return ideal_; }
  const Eigen::VectorXd& nonideal() const { return nonideal_; }
  double applied_power() const { return applied_power_; }
  double other_power() const { return other_power_; }
  /// Of what slides: its power, q'.A^T p, and what it dissipates, -p.slip.
  struct SlidingPower {
    double power = 0, dissipation = 0;
  };
  SlidingPower friction_power(const Modes& modes) const;
  std::span<const double> row_rates() const { return row_rates_; }  ///< after evaluate
  double kinetic() const { return kinetic_; }
  const Eigen::VectorXd& Q() const { return Q_; }

  /// After solve: whether the limits that reactions decide are the only ones of these modes.
  Limits judge_limits(const Modes& modes) { return limits_of(modes, solution_); }

  /// The reactions for forces p and accelerations that go with them, by kernels().reactions.
  void set_reactions(const Eigen::VectorXd& p);
  std::span<const double> reactions() const {
    return {inputs_.data() + kernels_.reactions_at(), kernels_.reactions.size()};
  }
  /// What is watched of rows and events, with the reactions last set. No matrices.
  struct Sight {
    std::span<const double> residuals, rates, scales, rate_scales;  ///< of the rows of elements
    std::span<const double> whens, when_rates;                      ///< by event that has a `when`
    std::span<const double> marks;                                  ///< of the whens
    std::size_t first = 0;                                          ///< row
    double gap(const TouchElement& e) const { return residuals[e.gap - first]; }
    double rate(std::size_t row) const { return rates[row - first]; }
  };
  Sight look(double t, std::span<const double> q, std::span<const double> v,
             std::span<const double> qdd);
  /// The values of all `set`.
  std::span<const double> settings();
  /// Energies and outputs, after split_forces and set_reactions: kinetic, potential, h, outputs.
  std::span<const double> observe();

  /// Brings q, or v, onto the rows that are held: constraints, closed gaps, and for velocities what
  /// sticks, by Newton's method in the kinetic metric. False if it does not converge. `before` is
  /// the largest scaled residual found.
  bool project_positions(double t, std::span<double> q, std::span<const double> v,
                         const Modes& modes, double* before);
  bool project_velocities(double t, std::span<const double> q, std::span<double> v,
                          const Modes& modes, double* before);

 private:
  std::span<const double> part(std::size_t k) const {
    return {geometry_.data() + k * kernels_.rows, kernels_.rows};
  }
  void set_state(double t, std::span<const double> q, std::span<const double> v);
  void take_mass(const double* M);
  bool take_matrices(const double* M, const double* A);
  void take_forces(const double* out);
  bool is_metric();
  void find_laws(std::vector<TouchLaw>& laws);
  Limits limits_of(const Modes& modes, const RowSolution& solution);
  Eigen::Matrix3Xd measured(const Eigen::VectorXd& p);
  double row_length(std::size_t row) const;
  double drift_of(std::span<const double> v) const;

  const InstantKernels& kernels_;
  codegen::Workspace dynamics_, geometry_space_, laws_space_, forces_space_, slopes_space_,
      watched_space_, settings_space_, observables_space_;
  std::vector<double> inputs_, out_, geometry_, law_values_, force_values_, slope_values_,
      watched_values_, setting_values_, observed_;
  Eigen::MatrixXd M_, A_, W_, X_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::MatrixXd scaled_;
  double added_ = 0;  ///< s
  Eigen::VectorXd Q_, b_, C_, free_, qdd_, ideal_, nonideal_, rest_, work_;
  double applied_power_ = 0, other_power_ = 0, kinetic_ = 0;
  std::vector<TouchLaw> laws_;
  RowProblem problem_of_rows_;
  RowSolver solver_, split_solver_;
  RowSolution solution_, split_;
  std::vector<std::size_t> projected_;
  std::vector<double> row_rates_;
  std::vector<double> sizes_, rate_sizes_;  ///< the largest scales seen, by row
  std::string problem_;
};

}  // namespace dalembert::flow
