#pragma once
/// What every integrator shares around its steps: state, samples, bookkeeping, projection, the
/// decisions at the start of a step, and the words for what goes wrong. An integrator is a loop
///
///     if (!core.begin() || !core.give_start() || !core.find_step_ends()) return;
///     while (core.t() < end && core.may_go_on()) {
///       ... a step from core.t(), core.y(), core.dydt() to t_new, projected, into core.y(),
///           t_new at most core.step_end() ...
///       if (!core.accept(t_new, behind, drift, interpolate)) return;
///     }
///
/// Nothing here allocates after construction but words.

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/state/conditions.hpp"
#include "dalembert/flow/state/turns.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/doubts.hpp"
#include "dalembert/motion/lanes.hpp"
#include "dalembert/motion/pulse_watch.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

class SimulationCore {
 public:
  static constexpr std::size_t work_components = 4;

  /// All arguments must outlive it.
  SimulationCore(const Motion& motion, const State& start, const SimulationOptions& options,
                 const Observer& observer, const Progress& progress);

  const Motion& motion() const { return motion_; }
  const TurnCounter& turns() const { return turns_; }
  /// Whether a hinge turns so far to the state in y() at t_new that its turns are lost.
  bool loses_turns(double t_new);
  const SimulationOptions& options() const { return options_; }
  const Evaluator& evaluator() const { return evaluator_; }
  Evaluator& evaluator() { return evaluator_; }
  Projector& projector() { return projector_; }
  Summary& summary() { return summary_; }

  double t() const { return t_; }
  std::span<double> y() { return y_; }
  std::span<const double> dydt() const { return dydt_; }  ///< at t() and y(), after begin or accept
  std::size_t size() const { return y_.size(); }
  std::size_t work() const { return work_; }  ///< where the work begins in y
  /// The positions, the velocities and mu in y.
  auto q(auto&& y) const { return std::span(y).first(n_); }
  auto v(auto&& y) const { return std::span(y).subspan(n_, n_); }
  auto mu(auto&& y) const { return std::span(y).subspan(2 * n_, work_ - 2 * n_); }
  /// The error allowed; work is judged against the energy in play.
  Tolerance tolerance() const { return {options_.rtol, absolute_, reference_, work_}; }
  /// Allows for what rounding makes of positions, velocities and work where the rank is s from
  /// dropping: a few eps / s of the first, eps / s^2 of the others. It lies across the branch,
  /// where the projection removes it. `none` takes that back, but for what constraints that are
  /// close to dependent all along make of the accelerations.
  static constexpr double none = std::numeric_limits<double>::infinity();
  void allow_rounding(double s);

  /// y' = f(t, y) with the decisions of the step held. False where f has no value; the first reason
  /// since `forget_failure` is kept for `give_up`.
  bool derivative(double t, std::span<const double> y, std::span<double> dydt);
  /// The same at the state on the constraints to which y projects: on them f is smooth even where
  /// it is not beside them, close to a singular configuration.
  bool projected_derivative(double t, std::span<const double> y, std::span<double> dydt);
  void forget_failure() { failure_.clear(); }
  void count_evaluations(long more) { evaluations_ += more; }

  /// Projects q, then q' of y, as the options say; the drift found is kept in *drift if asked for.
  /// False if it did not converge.
  bool bring_onto_constraints(double t, std::span<double> y, double* drift);
  /// The change that projecting made to the end of a step, in units of the tolerance, as the error
  /// is measured, and of what is allowed for it: above 1 the step is not good enough. What a
  /// projection changes is error too: a step that left the constraints by more than the tolerance
  /// explains (over a kink, say) is not saved by being put back.
  double correction(std::span<const double> start, std::span<const double> end,
                    std::span<const double> projected) const;

  /// Decides at the start; `give_start` gives the samples that stand there.
  bool begin();
  bool give_start();
  /// Finds where steps must end, and moves from a kink at the start behind it.
  bool find_step_ends();
  /// The same where an engine has found them already.
  void take_step_ends(const StepEndCursor& found) { step_ends_ = found; }
  /// Where the next step ends at the latest.
  const StepEnd& step_end() { return step_ends_.next(t_); }
  /// In place of begin: goes on from another state than the start, and decides there.
  bool begin_from(double t, std::span<const double> y);
  /// The same for a motion handed over by a lane: from its place, with the tolerances of the start.
  /// The work done so far is kept aside, and nothing else that was seen on the way steers what
  /// follows. `hand_back` writes where the motion then stands.
  bool take_over(const LanePlace& place);
  void hand_back(LanePlace& place) const;
  /// Since the start, with what was kept aside.
  std::array<double, work_components> works(std::span<const double> y) const;
  void set_works(std::span<const double> works);
  /// False, with the reason, if the motion was interrupted, has taken too many steps, or stalls.
  bool may_go_on();
  /// A sample that an engine has made: y there, and what its tape found. False ends the motion.
  bool record(std::span<const double> y, const LaneSample& sample);
  /// The same of a step to the projected state in y(), where the next begins.
  bool end_step(double behind, double drift);
  /// The motion has come to a limit; false.
  bool fail_at(const LaneLimit& limit);
  /// What steps may have missed that nobody knows, if anything.
  void note_unknown_kinks(const StepEndCursor& step_ends);
  /// Whether a sample stands in the step to t_new.
  bool sampled(double t_new) const;
  /// Ends a step at t_new with the projected state in y(): gives the samples within it, decides for
  /// the next, which begins at `behind` >= t_new, as close as the two sides of a kink.
  /// `interpolate(time, y)` is asked for what stands before t_new; it returns true if it
  /// has left the evaluator with all that belongs to that state, which is then taken as it is, and
  /// has noted its residual.
  template <class Interpolate>
  bool accept(double t_new, double behind, double drift, Interpolate interpolate) {
    ++summary_.steps;
    note_drift(drift);
    for (; sampled(behind); ++next_sample_) {
      const double time = times_[next_sample_];
      const bool inside = time < t_new;
      bool known = false;
      if (inside) {
        known = interpolate(time, std::span(sample_));
      } else {
        sample_ = y_;
        t_ = t_new;  // so far it came, whatever stands at a kink
      }
      if (!known && !solve_sample(time, inside)) return false;
      if (inside) {
        const Eigen::VectorXd& qdd = evaluator_.acceleration();
        pulses_.look(time, {qdd.data(), n_}, sample_, tolerance());
      }
      if (!emit(time, known)) return false;
    }
    return go_on_from(behind);
  }
  PulseWatch& pulses() { return pulses_; }
  /// Whether the last decision found another rank than the one before.
  bool rank_changed() const { return rank_changed_; }
  /// Whether it has bound other parameters, `motion()`, to count the turns of a hinge.
  bool rebound() const { return rebound_; }
  void note_stiffness(double t);
  void note_passage(double t, int rank_there);
  void note_residual(double scaled);

  /// The motion cannot go on from t(): `projected` tells whether the state last tried could be
  /// brought onto the constraints.
  void give_up(bool projected);
  /// The motion starts in a singular configuration, and no way out of it was found.
  void give_up_at_start(int rank_there);
  /// The rank is s from dropping at t(), and the motion does not pass.
  void give_up_at_singular(double s);
  bool stop(std::string reason);
  /// The same of what may come of gimbal lock, with a word on the body that is close to it.
  bool fail(const std::string& reason);
  Summary finish(double seconds);
  /// h at t and y less h at the start; not a number where the equations have no solution there.
  double find_energy_change(double t, std::span<const double> y);

 private:
  void set_tolerances();
  double clearance() const;
  void write_derivative(std::span<const double> y, std::span<double> dydt) const;
  bool solve_sample(double t, bool project);
  bool emit(double t, bool known, const LaneSample* tape = nullptr);
  bool go_on_from(double t);
  bool decide();
  void count_turns();
  bool interrupted(double t);
  void note_outputs(double t);
  void note_law(double t);
  void note_energies(double kinetic, double potential, const double* work);
  void note_drift(double drift);
  void note_switch();
  std::string failure_at(double t, std::span<const double> y) const;
  std::string obstacles();
  std::string stiffness_hint() const;

  Motion motion_;  ///< with the turns of hinges counted so far
  const SimulationOptions& options_;
  SampleTimes times_;
  const Observer& observer_;
  const Progress& progress_;
  std::size_t n_;
  std::size_t work_;
  Evaluator evaluator_;
  Projector projector_;
  GimbalWatch gimbals_;
  ConditionWatch conditions_;
  TurnCounter turns_;
  LawWatch law_;
  PulseWatch pulses_;
  double law_error_ = tolerable_law_error;  ///< the largest so far ...
  std::optional<State> law_state_;          ///< ... and where it was
  std::vector<double> y_, dydt_, sample_, stage_, absolute_, reference_;
  std::vector<double> least_;  ///< of absolute_, when no rounding is allowed for
  double t_;
  StepEndCursor step_ends_;
  long next_sample_ = 0;
  bool rounding_allowed_ = false;
  bool start_known_ = false;  ///< the two below
  double h_start_ = 0, potential_start_ = 0;
  long evaluations_ = 0;
  PaceWatch pace_;
  std::array<double, work_components> work_aside_{};
  bool rank_changed_ = false;
  bool rebound_ = false;
  bool kinks_noted_ = false;
  std::vector<bool> output_noted_;
  std::string failure_;
  Summary summary_;
};

/// The integrators: each takes the motion from core.t() to the end of the simulation, or as far as
/// it comes, and says in the summary how that went. The first is the engine with one lane.
void integrate_in_lane(SimulationCore& core);
void integrate_bdf(SimulationCore& core);

}  // namespace dalembert::motion
