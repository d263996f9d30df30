#pragma once
/// The numerical part of run_ensemble, for a flow that is given: what threads share, and one
/// thread's lanes.

#include <algorithm>
#include <atomic>
#include <optional>

#include "dalembert/flow/tapes/flow.hpp"
#include "dalembert/study/ensemble.hpp"

namespace dalembert::study {

/// As run_ensemble, with the flow of the motion; without one every run goes alone. `idle` is a
/// state at which the flow has a value with the motion's own parameters, for lanes without a run.
void run_ensemble(const motion::Motion& motion, const std::optional<motion::Flow>& flow,
                  const motion::State& idle, std::span<const std::size_t> runs,
                  const Prepare& prepare, const OnSample& on_sample, const OnFinished& on_finished,
                  const EnsembleOptions& options);

/// What an ensemble does, seen by all its threads.
struct EnsembleWork {
  const motion::Motion& motion;
  std::span<const std::size_t> runs;
  const Prepare& prepare;
  const OnSample& on_sample;
  const OnFinished& on_finished;
  const EnsembleOptions& options;
  std::size_t block;                 ///< how many runs are taken at a time
  std::atomic<std::size_t> next{0};  ///< of `runs`
  std::atomic<bool> abandoned{false};

  bool stopped() const {
    const auto set = [](const std::atomic<bool>* flag) {
      return flag != nullptr && flag->load(std::memory_order_relaxed);
    };
    return abandoned.load(std::memory_order_relaxed) || set(options.stop) ||
           set(options.simulation.stop);
  }
};

/// One thread's part of the runs, taken in blocks.
class EnsembleQueue {
 public:
  explicit EnsembleQueue(EnsembleWork& work) : work_(work) {}

  /// The number of the next run; none when all are taken.
  std::optional<std::size_t> take() {
    if (next_ == end_) {
      next_ = work_.next.fetch_add(work_.block, std::memory_order_relaxed);
      end_ = std::min(next_ + work_.block, work_.runs.size());
      if (next_ >= end_) {
        next_ = end_;
        return std::nullopt;
      }
    }
    return work_.runs[next_++];
  }

 private:
  EnsembleWork& work_;
  std::size_t next_ = 0, end_ = 0;
};

}  // namespace dalembert::study
