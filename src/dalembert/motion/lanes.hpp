#pragma once
/// The engine: W motions under way in the lanes of one thread, each with its own time, step and
/// error control. A lane whose motion is over takes the next at once. Whose motions they are is
/// the client's affair: `simulate` sends one through one lane, `study` refills many.
///
/// y' = f(t, y) is the tape of a flow (flow/tapes/flow.hpp), which vouches for itself. Where it
/// does not, in a step near a singular configuration, after many attempts or at a sample, the
/// motion is handed over from the start of that step and taken back where the tape vouches again:
/// `solve` is asked meanwhile (motion/careful_stepper.hpp). So it is where a constraint on
/// positions may become dependent within the step, between the stages: where the chord between its
/// height above the others at both ends (Flow::heights) comes close to zero. What is handed over is
/// a LanePlace, and nothing else decides what follows.
///
/// What becomes of a motion depends on nothing but itself: not on W, not on its neighbours.
/// Nothing is allocated in a step.

#include <optional>
#include <string>

#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/limits.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/motion/steps/lane_arithmetic.hpp"
#include "dalembert/motion/steps/lane_projection.hpp"
#include "dalembert/motion/steps/rk8.hpp"
#include "dalembert/motion/steps/taylor.hpp"

namespace dalembert::motion {

/// A motion before it starts. All of its numbers follow from this.
struct LaneRun {
  std::size_t number = 0;  ///< by which the client knows it
  std::vector<double> parameters;
  State start;  ///< on the constraints
};

/// A motion at one instant. Spans live until the client returns.
struct LaneSample {
  double t;
  std::span<const double> q, v, qdd;        ///< n
  std::span<const double> ideal, nonideal;  ///< n: M q'' = Q + ideal + nonideal
  double kinetic, potential, h;
  std::span<const double> outputs;  ///< as Motion::outputs
};

/// Where a motion stands between two steps: all that its next steps follow from, beside its
/// LaneRun.
struct LanePlace {
  State state;
  double h = 0;      ///< the length of the next step; 0: not known yet
  long samples = 0;  ///< so many were given
  long steps = 0, rejected = 0;
  PaceWatch pace;
  bool begun = false;  ///< else the motion stands at its start, and nothing was given yet
};

/// A motion when it is over in its lane.
struct LaneEnd {
  LaneLimit limit;  ///< none: it is complete
  double t = 0;
  std::span<const double> q, v;
  long steps = 0, rejected = 0;
  double largest_residual = 0;  ///< scaled, after projection
  double energy_change = 0;     ///< h(t) - h(0)
  bool carried = false;         ///< some of its steps were taken outside the lane
};

class Lanes;

class LaneClient {
 public:
  virtual ~LaneClient() = default;
  virtual bool stopped() const = 0;
  /// The next motion; false when there are no more.
  virtual bool next(LaneRun& run) = 0;
  virtual void sample(const Lanes& lanes, std::size_t lane, const LaneSample& sample) = 0;
  virtual void end(const Lanes& lanes, std::size_t lane, const LaneEnd& end) = 0;
  /// The tapes vouch for the start of the motion. False: it is over.
  virtual bool begins(const Lanes&, std::size_t /*lane*/) { return true; }
  /// The tapes cannot vouch for the next step from `place`. The client takes it by `solve`, and
  /// more until `vouches` says at the end of one that a lane can go on from there; the place is
  /// then that one, and the client returns true. False: the motion is over, and the client knows
  /// how.
  virtual bool carry(Lanes& lanes, std::size_t lane, LanePlace& place) = 0;
  /// Before a step that is accepted takes effect, and its samples are made: false, and the motion
  /// is carried from the start of the step.
  virtual bool accepts(Lanes&, std::size_t /*lane*/) { return true; }
  /// After: false, and the motion is over.
  virtual bool goes_on(const Lanes&, std::size_t /*lane*/) { return true; }
};

class Lanes {
 public:
  /// All arguments must outlive it. Without `sampling` no samples are made, and steps are those of
  /// the integrator alone.
  Lanes(const Motion& motion, const LaneFlow& flow, const SimulationOptions& options, bool sampling,
        LaneClient& client);

  /// Until there are no more motions, or the client is stopped.
  void run();

  // For who takes the steps of a run by other means with the same bits. One lane.
  double start_energy(std::size_t l) const { return lanes_[l].h_start; }
  /// Flow::heights at the start.
  std::span<const double> start_heights() const { return height_start_; }
  /// What is known of a run that is over.
  struct Landing {
    double t;
    std::span<const double> y;
    long steps, rejected;
    double h_start, largest_residual;
  };
  /// Reports a run as complete.
  void land(std::size_t l, const LaneRun& run, const Landing& end);

  // For the client, of a lane.
  const LaneRun& run_in(std::size_t l) const { return lanes_[l].run; }
  /// The step attempted last; before it takes effect y and t are those at its start. Its stages
  /// after keep_stages.
  const LaneStep& step() const { return step_; }
  void keep_stages();
  /// Whether steps are those of Taylor series; then there are no stages.
  bool by_series() const { return taylor_.has_value(); }
  double t_new(std::size_t l) const { return t_new_[l]; }    ///< its end
  double behind(std::size_t l) const { return behind_[l]; }  ///< where the next begins
  /// size W: its end, projected.
  const double* y_end() const { return projector_.needed() ? y_end_.data() : step_.y_new.data(); }
  double h_next(std::size_t l) const { return h_next_[l]; }
  long steps(std::size_t l) const { return lanes_[l].steps; }
  long rejected(std::size_t l) const { return lanes_[l].rejected; }
  /// The largest scaled residual before and after projection of the step's end.
  double drift(std::size_t l) const { return lanes_[l].drift; }
  /// Of a sample: where in the step it stands, and y there. At the start of a motion none.
  bool within_step(std::size_t l) const { return asked_[l] != 0 && at_end_[l] == 0; }
  bool at_end(std::size_t l) const { return at_end_[l] != 0; }
  double theta(std::size_t l) const { return theta_[l]; }
  const double* y_sample() const { return sample_.in + W_; }
  /// Makes the continuous output of the step; false where a lane's tape has no value.
  bool prepare_dense(std::size_t l);
  /// y at t + theta h of one lane, from there, and its slope.
  void interpolate(double theta, std::span<double> y) const;
  void interpolate_slope(double theta, std::span<double> slope) const;
  /// Whether samples stand before the end of the step.
  bool samples_within(std::size_t l) const {
    return pending(lanes_[l], t_new_[l]) && times_[lanes_[l].next_sample] < t_new_[l];
  }
  double length(std::size_t l) const { return lanes_[l].length; }  ///< of the last step accepted
  const StepEndCursor& step_ends(std::size_t l) const { return lanes_[l].step_ends; }
  long attempts(std::size_t l) const { return lanes_[l].attempts; }  ///< in the lane
  double largest_residual(std::size_t l) const { return lanes_[l].largest_residual; }
  /// Whether the tapes vouch for a step that begins at a state; while the motion is carried.
  bool vouches(std::size_t l, double t, std::span<const double> q, std::span<const double> v);
  /// y' with one lane, where it stands and at the sample last made.
  void find_rates(std::span<double> rates) const;
  void find_rates_at_sample(double t, std::span<double> rates) const;

 private:
  struct Lane {
    bool active = false;
    LaneRun run;
    long steps = 0, rejected = 0;
    long failures = 0;  ///< steps rejected because a stage had no value or projection failed
    long attempts = 0;  ///< in the lane
    long next_sample = 0;
    PaceWatch pace;
    double h_start = 0;
    double largest_residual = 0, drift = 0;
    bool after_rejection = false;
    StepEndCursor step_ends;
    double length = 0;    ///< of the last step accepted
    double h_wanted = 0;  ///< the length of the step had it not had to end early
    bool last = false;    ///< the step ends where one must
    bool out = false;     ///< no lane can vouch for the step
    bool carried = false;
  };

  void fill(std::size_t l);
  bool begin(std::size_t l);
  void park(std::size_t l);
  bool carry(std::size_t l, bool begun);
  void write_y(double t, std::span<const double> q, std::span<const double> v,
               std::span<const double> parameters);
  void place(std::size_t l, const State& state, std::span<const double> parameters);
  bool evaluate_lane(std::size_t l, double t, std::span<const double> y, std::span<double> dydt);
  void set_tolerances(std::size_t l);
  void report(std::size_t l, const LaneLimit& limit);
  void conclude(std::size_t l, const LaneLimit& limit);
  void retire(std::size_t l);

  void attempt();
  void expand();
  void interpolate_all(const double* theta, double* y) const;
  void check_limits();
  void prepare_steps();
  void end_by_series(std::size_t l);
  void decide();
  void prepare_samples();
  void project_ends();
  void check_conditions();
  void find_heights(const double* t, const double* y, double* heights);
  void find_within(double part, const double* ends);
  void watch_heights(const double* ends);
  bool turns_far(std::size_t l) const;
  bool may_vanish(std::size_t l, const double* before, const double* now) const;
  void watch_within();
  void judge(std::size_t l);
  void emit_samples();
  bool ask_samples();
  bool pending(const Lane& lane, double t) const {
    return sampling_ && lane.next_sample < times_.count() && times_[lane.next_sample] <= t;
  }
  void evaluate(double t, const double* y, std::span<double> rates) const;
  void observe(std::size_t l, double t, const double* y, std::size_t stride);
  bool observed_value(std::size_t l) const;
  static void show_start(const State& start, double t, std::span<double> v);
  void deliver(std::size_t l);
  double sampled_h(std::size_t l) const { return sample_.out[4 * n_ + 2][l]; }

  const Motion& motion_;
  const LaneFlow& flow_;
  const SimulationOptions& options_;
  LaneClient& client_;
  std::size_t n_, W_;
  SampleTimes times_;
  bool sampling_;
  const LaneArithmetic& arithmetic_;
  LaneKernel rates_, sample_, conditions_, heights_;
  mutable LaneKernel derivative_;
  StepKernel whole_step_;
  std::optional<TaylorStep> taylor_;  ///< in place of stages
  LaneProjector projector_;
  LaneStep step_;
  bool stages_kept_ = true;  ///< in step_; else in whole_step_
  StepEndFinder finder_;
  Rk8 starter_;  ///< of a run: whether it can start, and its first step
  std::vector<double> absolute_, y_start_, slope_start_, mass_;
  LanePlace place_;
  /// W each, of all heights: at both ends of the step, and at places within it.
  codegen::AlignedVector height_start_, height_end_, height_from_, height_to_;
  std::vector<Lane> lanes_;
  std::size_t active_ = 0;
  codegen::AlignedVector t_new_, h_next_;  ///< W: where the step ends, and how long the next is
  codegen::AlignedVector behind_;  ///< W: where the next begins, as close as sides of a kink
  codegen::AlignedVector y_end_;   ///< size W: the end of the step, projected
  codegen::AlignedVector time_, theta_, y_sample_, change_, root_;
  std::vector<const double*> y_end_rows_, y_new_rows_;
  LaneMasks candidates_, accepted_, asked_, at_end_;
  std::vector<double> observed_;  ///< of one lane: q, then the outputs of the sample tape
  std::vector<double> q_, v_;     ///< of one lane, at its end
};

}  // namespace dalembert::motion
