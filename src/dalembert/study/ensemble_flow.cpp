#include "dalembert/study/ensemble_flow.hpp"

#include <exception>
#include <mutex>
#include <thread>

#include "dalembert/study/lane_worker.hpp"

namespace dalembert::study {

namespace {

constexpr std::size_t largest_block = 16;

void run_all_alone(EnsembleWork& work) {
  EnsembleQueue queue(work);
  while (!work.stopped()) {
    const std::optional<std::size_t> number = queue.take();
    if (!number) return;
    run_alone(work, *number, work.prepare(*number), 0);
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
  std::optional<LaneFlow> lane_flow;
  if (flow) lane_flow.emplace(*flow, idle, codegen::KernelOptions{lanes, options.engine});

  std::mutex mutex;
  std::exception_ptr failure;
  const auto worker = [&] {
    try {
      if (lane_flow) {
        LaneWorker(work, *lane_flow).run();
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
