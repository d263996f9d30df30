#pragma once
/// One thread's scratch for evaluating a Motion: the equations at a state and their solution, by
/// the fundamental equation or, where the method is a formulation, by its own linear system.
/// Friction of joints takes the reactions of the fundamental equation whatever the method. Nothing
/// here allocates after construction but a `decide` that derives a formulation, and a sparse solver
/// with dependent rows that is asked for reactions.

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/formulation_solver.hpp"
#include "dalembert/flow/friction.hpp"
#include "dalembert/flow/tapes/tape_solver.hpp"
#include "dalembert/solve/typical_sizes.hpp"

namespace dalembert::flow {

class Evaluator {
 public:
  explicit Evaluator(const Motion& motion);

  /// Goes on with other values of the parameters: `motion` is that of the constructor by
  /// Motion::with_parameters. Decisions are kept.
  void bind(const Motion& motion);

  /// Evaluates M, Q, A, b, C at a state and solves for the accelerations. `decide` finds the rank
  /// and holds it for the `evaluate` calls that follow (theory 14.8). With a formulation it also
  /// settles with which constraints and coordinates that is derived; the fundamental equation,
  /// which knows rank and multipliers, is then solved by `decide` only. mu (m) is the further state
  /// of `vakonomic`, ignored by other methods and 0 if empty.
  Status decide(double t, std::span<const double> q, std::span<const double> v,
                std::span<const double> mu = {});
  Status evaluate(double t, std::span<const double> q, std::span<const double> v,
                  std::span<const double> mu = {});

  /// The part of `decide` that belongs to the fundamental equation, whatever the method: rank,
  /// consistency, and whether M is fit for a metric.
  Status decide_rank(double t, std::span<const double> q, std::span<const double> v);

  /// Takes accelerations and non-ideal forces as known in place of solving for them, as where A
  /// loses rank on the way and q'' is known by continuity: ideal() is then M q'' - Q - Q_nonideal.
  void adopt(double t, std::span<const double> q, std::span<const double> v,
             std::span<const double> qdd, std::span<const double> nonideal);

  /// From the next `decide` on, `evaluate` solves by the written-out solution where there is one
  /// (tapes/tape_solver.hpp) and where it can vouch for the answer. Comes by itself once that pays.
  void prefer_tape() { prefers_tape_ = true; }
  [[deprecated("is now prefer_tape")]] void hasten() { prefer_tape(); }
  /// Whether the last call was solved that way.
  bool solved_by_tape() const { return by_tape_; }

  // After decide or evaluate.
  Status status() const { return status_; }
  const Eigen::VectorXd& acceleration() const {
    if (adopted_) return known_.acceleration;
    if (by_tape_) return tape_solver_->acceleration();
    return formulation_ ? formulation_->acceleration() : solver_.acceleration();
  }  ///< q'' (n)
  const Eigen::VectorXd& ideal() const {
    if (adopted_) return known_.ideal;
    if (by_tape_) return tape_solver_->ideal();
    return formulation_ ? formulation_->ideal() : solver_.ideal();
  }  ///< Q_ideal (n)
  const Eigen::VectorXd& nonideal() const {
    if (adopted_) return known_.nonideal;
    if (by_tape_) return tape_solver_->nonideal();
    return formulation_ ? formulation_->nonideal() : solver_.nonideal();
  }  ///< Q_nonideal (n)
  /// mu' (m); 0 but for `vakonomic`.
  const Eigen::VectorXd& mu_rate() const { return formulation_ ? formulation_->mu_rate() : zero_; }
  /// What the last decide changed in the choice of coordinates, if anything; null if nothing.
  const Switch* switched() const {
    return formulation_ && formulation_->switched() ? &*formulation_->switched() : nullptr;
  }

  // After decide.
  /// How far a formulation's accelerations are from those of the fundamental equation, of the
  /// largest acceleration in play: rounding on the constraints, as large as the drift off them. 0
  /// where the two need not agree (`vakonomic`) or are the same.
  double disagreement() const { return disagreement_; }
  const EntrySolver& solution() const { return solver_; }
  EntrySolver& solution() { return solver_; }
  /// The entries of M (lower triangle) and A, in the order of Equations.
  std::span<const double> M_values() const { return values().first(M_count_); }
  std::span<const double> A_values() const { return values().subspan(M_count_); }
  Eigen::MatrixXd calc_M() const;  ///< n×n; allocates
  Eigen::MatrixXd calc_A() const;  ///< m×n; allocates
  const Eigen::VectorXd& Q() const { return Q_; }
  const Eigen::VectorXd& b() const { return b_; }
  const Eigen::VectorXd& C() const { return C_; }  ///< friction of joints included
  /// The multipliers while C acts, M q'' = Q + C + A^T lambda (m), of minimum norm: by the
  /// fundamental equation, which is solved for them where another route gave the acceleration. Not
  /// numbers where it cannot be, nor where what was adopted tells that they are lost in rounding.
  /// After a decide or evaluate that was ok, or adopt.
  const Eigen::VectorXd& calc_multipliers();
  /// A^T lambda (n), and the sums of |A_jk lambda_j| (n).
  void calc_constraint_force(const Eigen::VectorXd& lambda, Eigen::VectorXd& force,
                             Eigen::VectorXd& terms) const;
  /// After `decide`, where the law of C has the ideal force: the reaction while `C` acts (n), C by
  /// the law with that in place of the ideal force, and the acceleration (n) by the fundamental
  /// equation with that C. False where there is none. `acceleration` is of no use afterwards.
  bool reconsider_law(Eigen::VectorXd& C, Eigen::VectorXd& reaction, Eigen::VectorXd& qdd);
  /// What Q could have been had none of its terms cancelled (n), at the last decide.
  std::span<const double> Q_scale() const { return std::span(scales_).first(n_); }
  /// Null if the model has none.
  const JointFriction* friction() const { return friction_ ? &*friction_ : nullptr; }
  /// How far rounding may have turned each row of A (m), found by the last decide.
  const Eigen::VectorXd& row_uncertainty() const { return uncertainty_; }
  double applied_power() const { return by_tape_ ? tape_solver_->applied_power() : applied_power_; }
  double other_power() const { return by_tape_ ? tape_solver_->other_power() : other_power_; }
  double ideal_power() const;     ///< Q_ideal . q'
  double nonideal_power() const;  ///< Q_nonideal . q'
  double kinetic_metric() const;  ///< q'^T M q' / 2
  /// At the state last solved; allocates.
  TypicalSizes calc_typical_sizes(double duration) const;

  /// Why the last call failed, with coordinates and constraints by name.
  std::string explain_failure() const;
  /// Whether the constraints contradict each other at the last state. Where b and Q are nothing but
  /// round-off of larger terms, what Fundamental sees in them is none.
  bool contradictory() const;
  /// Which constraints contradict each other at the last state, in a sentence; empty if none do.
  std::string explain_contradiction() const;

  /// Energies and the model's outputs at the state of the last decide or evaluate.
  void observe();
  /// Takes what a tape of the whole motion found at the state last evaluated: accelerations and
  /// forces (n each), and the energies and outputs of `observe`.
  void take(std::span<const double> qdd, std::span<const double> ideal,
            std::span<const double> nonideal, double kinetic, double potential, double h,
            std::span<const double> outputs);
  double kinetic() const { return observed_[0]; }
  double potential() const { return observed_[1]; }
  double h() const { return observed_[2]; }
  std::span<const double> outputs() const { return std::span(observed_).subspan(3); }

 private:
  void load(double t, std::span<const double> q, std::span<const double> v,
            std::span<const double> mu);
  void run_dynamics();
  Status solve(bool decide);
  Status solve_friction();
  Status solve_formulation();
  Status decide_formulation();
  void find_nonideal(const Eigen::VectorXd& ideal);
  double calc_disagreement() const;
  Status check_finite() const;
  /// Of M, then of A.
  std::span<const double> values() const {
    return std::span(dynamics_out_).first(M_count_ + A_count_);
  }
  double largest_free_acceleration(std::span<const double> force) const;
  void find_uncertainty();
  void add_rounding_of_positions();
  void set_inputs(double t, std::span<const double> q, std::span<const double> v);
  void consider_tape();

  struct Adopted {
    Eigen::VectorXd acceleration, ideal, nonideal;
  };

  Motion motion_;
  std::size_t n_, m_;
  codegen::Workspace dynamics_ws_, scales_ws_, nonideal_ws_, observables_ws_;
  std::vector<double> inputs_, dynamics_out_, beside_, q_known_, scales_, observed_;
  std::size_t M_count_, A_count_;  ///< entries
  Eigen::VectorXd Q_, b_, C_, C_given_, v_, uncertainty_, mu_, zero_, row_work_;
  Eigen::VectorXd multipliers_, response_;
  double applied_power_ = 0, other_power_ = 0;
  Status status_ = Status::ok;
  EntrySolver solver_;
  State state_;  ///< the last one, if there is a formulation
  std::optional<FormulationSolver> formulation_;
  std::optional<JointFriction> friction_;
  bool fundamental_solved_ = false;  ///< the ideal problem, at the present state, by solver_
  std::optional<TapeSolver> tape_solver_;
  Adopted known_;
  bool adopted_ = false;    ///< the last call was `adopt`, of what is known
  bool tape_fits_ = false;  ///< at the last decide
  bool by_tape_ = false;    ///< the last call was solved by it
  bool prefers_tape_ = false;
  bool considered_ = false;  ///< whether there is a written-out solution
  long evaluations_ = 0;
  double disagreement_ = 0, allowed_disagreement_ = 1e-9;
};

}  // namespace dalembert::flow
