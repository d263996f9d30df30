#include "dalembert/study/ensemble_flow.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "dalembert/motion/lanes.hpp"
#include "dalembert/study/carried_run.hpp"

namespace dalembert::study {

namespace {

constexpr std::size_t largest_block = 16;

/// A run that cannot start.
void report_problem(const EnsembleWork& work, std::size_t number, const Run& run) {
  Outcome outcome;
  outcome.t = run.start.t;
  outcome.q = run.start.q;
  outcome.v = run.start.v;
  outcome.reason = run.problem;
  work.on_finished(number, outcome);
}

/// Sends the runs of one thread through its lanes, and what comes of them to the receivers.
class EnsembleLanes final : public motion::LaneClient {
 public:
  EnsembleLanes(EnsembleWork& work, int lanes)
      : work_(work), queue_(work), carried_(static_cast<std::size_t>(lanes)) {}

  bool stopped() const override { return work_.stopped(); }

  bool next(motion::LaneRun& run) override {
    while (!work_.stopped()) {
      const std::optional<std::size_t> number = queue_.take();
      if (!number) return false;
      Run prepared = work_.prepare(*number);
      if (prepared.problem.empty()) {
        run = {*number, std::move(prepared.parameters), std::move(prepared.start)};
        return true;
      }
      report_problem(work_, *number, prepared);
    }
    return false;
  }

  void sample(const motion::Lanes& lanes, std::size_t lane, const motion::LaneSample& s) override {
    work_.on_sample(lanes.run_in(lane).number,
                    {s.t, s.q, s.v, s.qdd, s.ideal, s.nonideal, s.kinetic, s.potential, s.outputs});
  }

  void end(const motion::Lanes& lanes, std::size_t lane, const motion::LaneEnd& end) override {
    outcome_.complete = end.limit.kind == motion::LaneLimit::Kind::none;
    outcome_.reason = to_string(end.limit, work_.options.simulation);
    outcome_.t = end.t;
    outcome_.q.assign(end.q.begin(), end.q.end());
    outcome_.v.assign(end.v.begin(), end.v.end());
    outcome_.steps = end.steps;
    outcome_.rejected = end.rejected;
    outcome_.largest_residual = end.largest_residual;
    outcome_.energy_change = end.energy_change;
    outcome_.alone = end.carried;
    carried_[lane].reset();
    work_.on_finished(lanes.run_in(lane).number, outcome_);
  }

  bool carry(motion::Lanes& lanes, std::size_t lane, motion::LanePlace& place) override {
    const motion::LaneRun& run = lanes.run_in(lane);
    std::unique_ptr<CarriedRun>& carried = carried_[lane];
    if (!carried)
      carried = std::make_unique<CarriedRun>(work_, run.number, run.parameters, run.start);
    if (carried->carry(lanes, lane, place)) return true;
    carried.reset();
    return false;
  }

 private:
  EnsembleWork& work_;
  EnsembleQueue queue_;
  Outcome outcome_;
  std::vector<std::unique_ptr<CarriedRun>> carried_;  ///< by lane, once it was needed
};

void run_all_alone(EnsembleWork& work) {
  EnsembleQueue queue(work);
  while (!work.stopped()) {
    const std::optional<std::size_t> number = queue.take();
    if (!number) return;
    const Run run = work.prepare(*number);
    if (run.problem.empty() && work.motion.instants() != nullptr) {
      run_with_instants(work, *number, run.parameters, run.start);
    } else if (run.problem.empty()) {
      CarriedRun(work, *number, run.parameters, run.start).integrate();
    } else {
      report_problem(work, *number, run);
    }
  }
}

}  // namespace

void run_ensemble(const motion::Motion& motion, const std::optional<motion::Flow>& flow,
                  const motion::State& idle, std::span<const std::size_t> runs,
                  const Prepare& prepare, const OnSample& on_sample, const OnFinished& on_finished,
                  const EnsembleOptions& options) {
  if (runs.empty()) return;
  const int lanes = options.lanes > 0 ? options.lanes : codegen::widest_lanes();
  const std::size_t asked = options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                                : std::thread::hardware_concurrency();
  const std::size_t threads = std::clamp(asked, std::size_t{1}, runs.size());
  const std::size_t block = std::clamp(
      runs.size() / (8 * threads * static_cast<std::size_t>(lanes)), std::size_t{1}, largest_block);
  EnsembleWork work{motion, runs, prepare, on_sample, on_finished, options, block};
  std::optional<motion::LaneFlow> lane_flow;
  if (flow) lane_flow.emplace(*flow, idle, codegen::KernelOptions{lanes, options.engine});

  std::mutex mutex;
  std::exception_ptr failure;
  const auto worker = [&] {
    try {
      if (lane_flow) {
        EnsembleLanes client(work, lanes);
        motion::Lanes(motion, *lane_flow, options.simulation, static_cast<bool>(on_sample), client)
            .run();
      } else {
        run_all_alone(work);
      }
    } catch (...) {
      work.abandoned = true;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(threads - 1);
    for (bool refused = false; !refused && others.size() + 1 < threads;) {
      try {
        others.emplace_back(worker);
      } catch (const std::system_error&) {
        refused = true;  // fewer threads than asked for: slower, not different
      }
    }
    worker();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dalembert::study
