#pragma once
/// Accelerations and constraint forces from a formulation's own linear system, in numbers:
///
///     H x = rho,       q''_0 = K x + g,         Q_ideal    = M q''_0 - Q,
///     H x_C = G C,     q''   = q''_0 + K x_C,   Q_nonideal = M K x_C,
///
/// x of the formulation's size, H, rho, G, K, g functions of (t, q, q') and, for `vakonomic`, of
/// mu. H is factored by LU with pivots. For `vakonomic` Q_ideal is the force that the multiplier
/// rule pretends, no force of D'Alembert's.
///
/// Which constraints, dependent coordinates and quasi-velocities the formulation is derived with is
/// chosen, and judged anew, by `decide`; `evaluate` keeps to the choice. One a thread; nothing
/// allocates but the `decide` that changes the choice.

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/coordinate_switch.hpp"
#include "dalembert/flow/formulation_library.hpp"
#include "dalembert/solve/split_judge.hpp"

namespace dalembert::flow {

struct State;

class FormulationSolver {
 public:
  FormulationSolver(std::shared_ptr<FormulationLibrary> library, const model::Model& model,
                    const mechanics::Equations& eq, const std::vector<double>& parameters);

  /// Other values; they must outlive it as those of the constructor must.
  void bind(const std::vector<double>& parameters);

  /// Chooses at the first call, and whenever the choice no longer serves: the rank is another, the
  /// dependent coordinates are about to become functions of each other (quality below
  /// worst_split_quality), or the model's quasi-velocities are about to. M (n x n) and A (m x n)
  /// are those of the state, rank that of A. False where no formulation can be derived; problem()
  /// says why.
  bool decide(const State& state, const Eigen::MatrixXd& M, const Eigen::MatrixXd& A, int rank);
  /// Derives the present choice anew with pivots that are good at this state.
  bool renew(const State& state);
  /// What the last decide changed, if anything.
  const std::optional<Switch>& switched() const { return switched_; }

  /// H, rho, G, K, g at a state, and H factored. `inputs`: t q v; mu (m) by constraint, for
  /// `vakonomic`. False where H is singular or not finite.
  bool factor(std::span<const double> inputs, std::span<const double> mu);
  /// Then q''_0 and Q_ideal; then what C adds to the acceleration, and Q_nonideal. False where not
  /// finite.
  bool solve_ideal(const Eigen::MatrixXd& M, const Eigen::VectorXd& Q);
  bool solve_nonideal(const Eigen::MatrixXd& M, const Eigen::VectorXd& C);

  const Eigen::VectorXd& acceleration() const { return qdd_; }   ///< q'' (n)
  const Eigen::VectorXd& ideal() const { return ideal_; }        ///< Q_ideal (n)
  const Eigen::VectorXd& nonideal() const { return nonideal_; }  ///< Q_nonideal (n)
  const Eigen::VectorXd& mu_rate() const { return mu_rate_; }    ///< mu' (m)
  const std::string& problem() const { return problem_; }
  const RunnableFormulation& formulation() const { return *current_; }

 private:
  bool choose(const State& state, std::size_t rank);
  bool change(const State& state, std::size_t rank, bool quasi_velocities_fail);
  bool take(const mechanics::Split& split, bool own_quasi_velocities, const expr::Values& values);
  bool use(std::shared_ptr<const RunnableFormulation> formulation);
  double quasi_velocity_pivot(const State& state);
  double split_quality();
  bool fails(double quality, double worst);
  std::vector<std::string> dependent_names(const RunnableFormulation& f) const;
  std::vector<std::string> rate_names(const RunnableFormulation& f) const;
  void note_switch(double t, const RunnableFormulation& from, const RunnableFormulation& to);
  bool fail(std::string problem);

  std::shared_ptr<FormulationLibrary> library_;
  const model::Model& model_;
  const mechanics::Equations& eq_;
  const std::vector<double>* parameters_;
  std::size_t n_, m_;
  std::shared_ptr<const RunnableFormulation> current_;
  SplitJudge judge_;
  std::optional<double> last_quality_;  ///< of the present choice
  std::optional<Switch> switched_;
  std::string problem_;

  codegen::Workspace system_ws_, Psi_ws_;
  std::vector<double> inputs_, out_, Psi_out_;
  Eigen::MatrixXd H_, Psi_;
  Eigen::VectorXd rho_, x_, x_C_, g_, scale_;
  std::vector<int> swaps_;
  Eigen::VectorXd qdd_, step_, ideal_, nonideal_, mu_rate_;
};

}  // namespace dalembert::flow
