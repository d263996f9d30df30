#pragma once
/// The lanes of one thread: W runs under way, each with its own time, step and error control, by
/// the rules of motion::simulate. A lane whose run is over takes the next run at once.

#include <optional>

#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/rk8.hpp"
#include "dalembert/study/ensemble_flow.hpp"
#include "dalembert/study/lane_arithmetic.hpp"
#include "dalembert/study/lane_projection.hpp"

namespace dalembert::study {

/// A flow made ready for W lanes. Immutable, for all threads.
struct LaneFlow {
  LaneFlow(const motion::Flow& flow, motion::State idle, const codegen::KernelOptions& options);

  std::size_t n, size;
  bool reduced;
  codegen::Kernel rates;  ///< in one lane: it serves a run's start alone
  codegen::Kernel derivative, positions, velocities, sample, conditions;
  motion::State idle;
  int lanes;
};

class LaneWorker {
 public:
  LaneWorker(EnsembleWork& work, const LaneFlow& flow);

  /// Until there are no more runs, or the work is stopped.
  void run();

 private:
  /// A run under way.
  struct Lane {
    bool active = false;
    std::size_t number = 0;
    Run run;
    long steps = 0, rejected = 0;
    long failures = 0;  ///< steps rejected because a stage had no value or projection failed
    long next_sample = 0;
    long next_check = 0;  ///< after so many attempts, see whether a limit is reached
    double pace_t = 0;    ///< where it was then
    double h_start = 0;
    double largest_residual = 0;
    bool after_rejection = false;
    motion::StepEndCursor step_ends;
    double h_wanted = 0;  ///< the length of the step had it not had to end early
    bool last = false;    ///< the step ends where one must
    bool out = false;     ///< no lane can vouch for it
  };

  void fill(std::size_t l);
  bool begin(std::size_t l);
  void park(std::size_t l);
  void take_out(std::size_t l);
  void place(std::size_t l, const motion::State& state, std::span<const double> parameters);
  void report(std::size_t l, std::string reason);
  void conclude(std::size_t l, std::string reason);

  void prepare_steps();
  std::string limit_reached(std::size_t l);
  void decide();
  void prepare_samples();
  void project_ends();
  void check_conditions();
  void judge(std::size_t l);
  void emit_samples();
  bool ask_samples();
  bool pending(const Lane& lane, double t) const {
    return sampling_ && lane.next_sample < times_.count() && times_[lane.next_sample] <= t;
  }
  void observe(std::size_t l, double t, const double* y, std::size_t stride);
  bool observed_value(std::size_t l) const;
  void deliver(std::size_t l);
  double sampled_h(std::size_t l) const { return sample_.out[4 * n_ + 2][l]; }

  EnsembleWork& work_;
  const LaneFlow& flow_;
  std::size_t n_, W_;
  EnsembleQueue queue_;
  SampleTimes times_;
  bool sampling_;
  const LaneArithmetic& arithmetic_;
  LaneKernel rates_, derivative_, sample_, conditions_;
  LaneProjector projector_;
  LaneStep step_;
  motion::StepEndFinder finder_;
  motion::Rk8 starter_;  ///< of a run: whether it can start, and its first step
  std::vector<double> absolute_, y_start_;
  std::vector<Lane> lanes_;
  std::size_t active_ = 0;
  codegen::AlignedVector t_new_, h_next_;  ///< W: where the step ends, and how long the next is
  codegen::AlignedVector behind_;  ///< W: where the next begins, as close as sides of a kink
  codegen::AlignedVector y_end_;   ///< size W: the end of the step, projected
  codegen::AlignedVector time_, theta_, y_sample_, change_, root_;
  std::vector<const double*> y_end_rows_, y_new_rows_;
  LaneMasks candidates_, accepted_, asked_, at_end_;
  std::vector<double> observed_;  ///< of one lane: q, then the outputs of the sample tape
  Outcome outcome_;
};

}  // namespace dalembert::study
