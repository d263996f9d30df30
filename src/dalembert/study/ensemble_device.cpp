#include "dalembert/study/ensemble_device.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "dalembert/motion/lanes.hpp"
#include "dalembert/motion/steps/run_tape.hpp"

namespace dalembert::study {

namespace {

using motion::RunTapeLayout;

/// Of a run between its start in a lane and its end there.
struct Begun {
  motion::LaneRun run;
  double h_start = 0;
  bool here = false;  ///< its steps are taken on the device
};

/// One lane, through which runs are put to their start, and from their end to the receiver.
class Gate final : public motion::LaneClient {
 public:
  Gate(const Study& study, const motion::LaneFlow& flow, const OnFinished& on_finished)
      : on_finished_(on_finished),
        lanes_(study.plan.motion(), flow, study.simulation, false, *this) {}

  /// False where the run is not for the device: it cannot start, is over already, or no tape
  /// vouches for its start.
  bool begin(const motion::LaneRun& run) {
    waiting_ = &run;
    began_ = false;
    lanes_.run();
    return began_;
  }
  const motion::Lanes& lanes() const { return lanes_; }

  /// False where the tape does not vouch for the end.
  bool finish(const Begun& begun, double t, std::span<const double> y, long steps, long rejected) {
    told_ = false;
    number_ = begun.run.number;
    lanes_.land(0, begun.run, t, y, steps, rejected, begun.h_start);
    return told_;
  }

  // One run is begun at a time, and its first step is for the device.
  bool stopped() const override { return began_; }
  bool next(motion::LaneRun& run) override {
    if (waiting_ == nullptr) return false;
    run = *waiting_;
    waiting_ = nullptr;
    return true;
  }
  bool begins(const motion::Lanes& /*lanes*/, std::size_t /*lane*/) override {
    began_ = true;
    return true;
  }
  void sample(const motion::Lanes&, std::size_t, const motion::LaneSample&) override {}
  void end(const motion::Lanes&, std::size_t, const motion::LaneEnd& end) override {
    if (began_) {  // at its start: not for the device
      began_ = false;
      return;
    }
    told_ = true;
    outcome_.complete = true;
    outcome_.reason.clear();
    outcome_.t = end.t;
    outcome_.q.assign(end.q.begin(), end.q.end());
    outcome_.v.assign(end.v.begin(), end.v.end());
    outcome_.steps = end.steps;
    outcome_.rejected = end.rejected;
    outcome_.largest_residual = end.largest_residual;
    outcome_.energy_change = end.energy_change;
    outcome_.alone = false;
    on_finished_(number_, outcome_);
  }
  bool carry(motion::Lanes&, std::size_t, motion::LanePlace&) override {
    began_ = false;
    return false;
  }
  void forget() { began_ = false; }

 private:
  const OnFinished& on_finished_;
  const motion::LaneRun* waiting_ = nullptr;
  bool began_ = false, told_ = false;
  std::size_t number_ = 0;
  Outcome outcome_;
  motion::Lanes lanes_;
};

constexpr std::size_t batch = 1u << 18;  // runs on the device at once

/// Does work(i) for i below `count`, each thread with something of its own from `make`.
template <class Make, class Work>
void in_threads(std::size_t count, int wanted, const Make& make, const Work& work) {
  constexpr std::size_t block = 256;
  const std::size_t cores = wanted > 0 ? static_cast<std::size_t>(wanted)
                                       : std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto part = [&] {
    try {
      const auto own = make();
      while (true) {
        const std::size_t begin = next.fetch_add(block);
        if (begin >= count) return;
        for (std::size_t i = begin; i < std::min(begin + block, count); ++i) work(*own, i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 1; t < std::min(cores, (count + block - 1) / block); ++t)
      threads.emplace_back(part);
    part();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

std::optional<Device> device_from_string(const std::string& word) {
  if (word == "cpu") return Device::cpu;
  if (word == "gpu") return Device::gpu;
  if (word == "auto") return Device::automatic;
  return std::nullopt;
}

expr::Result<std::unique_ptr<DeviceEnsemble>, std::string> DeviceEnsemble::make(
    const Study& study) {
  const motion::Motion& motion = study.plan.motion();
  const motion::ModelFlow* flow = motion.flow();
  const auto not_for_it = [](const std::string& reason) {
    return expr::Failure{"this study is not for a graphics processor: " + reason};
  };
  if (flow == nullptr) return not_for_it("its equations of motion are not one tape");
  auto tape = motion::make_run_tape(motion, flow->flow, study.simulation, is_sampled(study));
  if (!tape) return not_for_it(tape.error());
  auto iteration = codegen::iterate_on_graphics(*tape);
  if (!iteration) return expr::Failure{iteration.error()};
  return std::unique_ptr<DeviceEnsemble>(
      new DeviceEnsemble(study, *std::move(iteration), tape->tape.parameters));
}

void DeviceEnsemble::run(std::span<const std::size_t> runs, const Prepare& prepare,
                         const OnFinished& on_finished, const EnsembleOptions& options) {
  const motion::Motion& motion = study_.plan.motion();
  const motion::ModelFlow& model_flow = *motion.flow();
  const motion::LaneFlow& flow = model_flow.one_lane;
  const RunTapeLayout layout{flow.size};
  const std::size_t own = parameters_ - flow.size;  // parameters of the model
  const auto stopped = [&] {
    return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
  };
  std::vector<Begun> begun;
  std::vector<double> parameters, x, status;
  for (std::size_t first = 0; first < runs.size() && !stopped(); first += batch) {
    const std::span<const std::size_t> some =
        runs.subspan(first, std::min(batch, runs.size() - first));
    const std::size_t count = some.size();
    begun.assign(count, {});
    parameters.assign(parameters_ * count, 0.0);
    x.assign(layout.entries() * count, 0.0);
    status.assign(count, 0.0);
    const auto gate = [&] { return std::make_unique<Gate>(study_, flow, on_finished); };
    std::vector<std::size_t> others;
    std::mutex mutex;
    const auto leave = [&](std::size_t run) {
      const std::lock_guard lock(mutex);
      others.push_back(run);
    };
    in_threads(count, options.threads, gate, [&](Gate& lane, std::size_t i) {
      // A start that is over at once: its duration is negative.
      x[RunTapeLayout::t * count + i] = study_.simulation.duration;
      if (stopped()) return;
      Run run = prepare(some[i]);
      if (!run.problem.empty()) {
        leave(some[i]);
        return;
      }
      Begun& b = begun[i];
      b.run = {some[i], std::move(run.parameters), std::move(run.start)};
      b.here = lane.begin(b.run);
      if (!b.here) {
        leave(some[i]);
        return;
      }
      const motion::LaneStep& step = lane.lanes().step();
      b.h_start = lane.lanes().start_energy(0);
      for (std::size_t p = 0; p < own; ++p) parameters[p * count + i] = b.run.parameters[p];
      for (std::size_t k = 0; k < flow.size; ++k) {
        parameters[(own + k) * count + i] = step.atol[k];
        x[(RunTapeLayout::y + k) * count + i] = step.y[k];
      }
      x[RunTapeLayout::t * count + i] = step.t[0];
      x[RunTapeLayout::h * count + i] = step.h[0];
      x[layout.longest() * count + i] = motion::StepControlOptions{}.max_factor;
      lane.forget();
    });
    if (stopped()) return;
    const auto problem = iteration_->run(parameters, x, status);
    in_threads(count, options.threads, gate, [&](Gate& lane, std::size_t i) {
      if (!begun[i].here || stopped()) return;
      if (problem || status[i] != motion::run_is_complete) {
        leave(some[i]);
        return;
      }
      std::vector<double> y(flow.size);
      for (std::size_t k = 0; k < flow.size; ++k) y[k] = x[(RunTapeLayout::y + k) * count + i];
      if (!lane.finish(begun[i], x[RunTapeLayout::t * count + i], y,
                       static_cast<long>(x[layout.steps() * count + i]),
                       static_cast<long>(x[layout.rejected() * count + i])))
        leave(some[i]);
    });
    done_ += count - others.size();
    left_ += others.size();
    std::ranges::sort(others);
    run_ensemble(motion, others, prepare, {}, on_finished, options);
  }
}

}  // namespace dalembert::study
