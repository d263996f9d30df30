#include "dalembert/study/ensemble_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "dalembert/motion/choice.hpp"
#include "dalembert/study/device_gate.hpp"

namespace dalembert::study {

namespace {

using motion::RunTapeLayout;

constexpr std::size_t most_at_once = 1u << 18, least_at_once = 1u << 10;  // runs on a device
constexpr std::size_t row_bytes = 256u << 20;                             // of their samples

motion::RunSampling sampling_of(const Study& study) {
  using Kind = motion::RunSum::Kind;
  motion::RunSampling sampling;
  sampling.rows = study.keep_samples;
  if (sampling.rows) return sampling;
  for (const Statistic& statistic : study.statistics) {
    const auto kind = [&] {
      switch (statistic.reduction) {
        case Reduction::min:
          return Kind::least;
        case Reduction::max:
          return Kind::largest;
        case Reduction::mean:
          return Kind::sum;
        case Reduction::rms:
          return Kind::squares;
        case Reduction::final:
          break;
      }
      return Kind::last;
    };
    sampling.sums.push_back({kind(), statistic.column});
  }
  return sampling;
}

/// Does work(i) for i below `count`, each thread with something of its own from `make`.
template <class Make, class Work>
void in_threads(std::size_t count, std::size_t cores, std::size_t block, const Make& make,
                const Work& work) {
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
    return expr::Failure{"a graphics processor cannot run this study: " + reason};
  };
  if (flow == nullptr) return not_for_it("its equations of motion are not one tape");
  auto tape = motion::make_run_tape(motion, flow->flow, with_choice(motion, study.simulation),
                                    sampling_of(study));
  if (!tape) return not_for_it(tape.error());
  auto iterations = codegen::iterate_on_graphics(tape->iterated);
  if (!iterations) return expr::Failure{iterations.error()};
  return std::unique_ptr<DeviceEnsemble>(new DeviceEnsemble(study, *std::move(iterations), *tape));
}

std::string DeviceEnsemble::name() const {
  const std::string& one = iterations_.front()->device();
  return iterations_.size() == 1 ? one : fmt::format("{} x {}", iterations_.size(), one);
}

double DeviceEnsemble::seconds() const {
  double seconds = 0;
  for (const auto& one : iterations_) seconds += one->seconds();
  return seconds;
}

/// Runs that go to one device together.
class DeviceEnsemble::Batch {
 public:
  Batch(DeviceEnsemble& ensemble, codegen::Iteration& iteration, const Prepare& prepare,
        const OnSample& on_sample, const OnFinished& on_finished, const EnsembleOptions& options,
        std::size_t threads)
      : ensemble_(ensemble),
        study_(ensemble.study_),
        layout_(ensemble.layout_),
        flow_(study_.plan.motion().flow()->one_lane),
        iteration_(iteration),
        prepare_(prepare),
        on_sample_(on_sample),
        on_finished_(on_finished),
        options_(options),
        threads_(threads),
        samples_(ensemble.width_ > 0 ? sample_count(study_) : 0) {}

  /// The runs that lanes are to do.
  const std::vector<std::size_t>& run(std::span<const std::size_t> runs) {
    runs_ = runs;
    count_ = runs.size();
    begun_.assign(count_, {});
    parameters_.assign(ensemble_.parameters_ * count_, 0.0);
    x_.assign(layout_.entries() * count_, 0.0);
    rows_.resize(ensemble_.width_ * samples_ * count_);
    status_.assign(count_, 0.0);
    left_.clear();
    finished_ = 0;
    for_each_run([&](DeviceGate& gate, std::size_t i) { begin(gate, i); });
    if (stopped()) return left_;
    bool failed = false;
    do {
      failed = iteration_.run(parameters_, x_, rows_, status_).has_value();
    } while (!failed && layout_.in_pieces && !stopped() && go_on());
    for_each_run([&](DeviceGate& gate, std::size_t i) {
      if (!begun_[i].here || stopped()) return;
      if (failed || !finish(gate, i)) leave(i);
    });
    return left_;
  }
  std::size_t finished() const { return finished_; }  ///< of these, on the device

 private:
  bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }
  template <class Work>
  void for_each_run(const Work& work) {
    const auto gate = [&] { return std::make_unique<DeviceGate>(study_, flow_); };
    in_threads(count_, threads_, std::size_t{256}, gate, work);
  }
  double& x(std::size_t entry, std::size_t i) { return x_[entry * count_ + i]; }
  void leave(std::size_t i) {
    const std::lock_guard lock(mutex_);
    left_.push_back(runs_[i]);
  }

  void begin(DeviceGate& gate, std::size_t i) {
    // A start that is over at once: its duration is negative.
    x(RunTapeLayout::t, i) = study_.simulation.duration;
    if (layout_.sampled) x(layout_.sample(), i) = static_cast<double>(study_.simulation.samples);
    if (stopped()) return;
    Run run = prepare_(runs_[i]);
    BegunRun& begun = begun_[i];
    if (run.problem.empty()) {
      begun.run = {runs_[i], std::move(run.parameters), std::move(run.start)};
      begun.here = gate.begin(begun);
    }
    if (!begun.here) {
      leave(i);
      return;
    }
    const motion::LaneStep& step = gate.lanes().step();
    const std::size_t own = ensemble_.parameters_ - layout_.size;  // parameters of the model
    for (std::size_t p = 0; p < own; ++p) parameters_[p * count_ + i] = begun.run.parameters[p];
    for (std::size_t k = 0; k < layout_.size; ++k) {
      parameters_[(own + k) * count_ + i] = step.atol[k];
      x(RunTapeLayout::y + k, i) = step.y[k];
    }
    x(RunTapeLayout::t, i) = step.t[0];
    x(RunTapeLayout::h, i) = step.h[0];
    const std::span<const double> heights = gate.lanes().start_heights();
    for (std::size_t k = 0; k < layout_.heights; ++k) x(layout_.height() + k, i) = heights[k];
    if (layout_.sampled) x(layout_.sample(), i) = static_cast<double>(begun.samples);
    for (std::size_t k = 0; k < layout_.sums; ++k) x(layout_.sum() + k, i) = begun.sums[k].value;
    x(layout_.longest(), i) = motion::StepControlOptions{}.max_factor;
    if (layout_.in_pieces) next_piece(i);
  }

  /// Where the run must end its steps next.
  void next_piece(std::size_t i) {
    BegunRun& begun = begun_[i];
    const double t = x(RunTapeLayout::t, i);
    while (begun.piece + 1 < begun.ends.size() && begun.ends[begun.piece].before <= t)
      ++begun.piece;
    x(layout_.before(), i) = begun.ends[begun.piece].before;
    x(layout_.behind(), i) = begun.ends[begun.piece].behind;
  }

  /// After a piece: whether any run has another. Those that are over stay where they are, at no
  /// cost but that of one step of no length; what they came to is kept.
  bool go_on() {
    bool more = false;
    for (std::size_t i = 0; i < count_; ++i) {
      BegunRun& begun = begun_[i];
      if (!begun.here || !begun.results.empty()) continue;
      if (status_[i] == motion::run_is_complete &&
          x(RunTapeLayout::t, i) < study_.simulation.duration) {
        next_piece(i);
        more = true;
        continue;
      }
      for (std::size_t k = 0; k < layout_.entries(); ++k) begun.results.push_back(x(k, i));
      begun.results.push_back(status_[i]);
      x(RunTapeLayout::t, i) = study_.simulation.duration;
      x(layout_.before(), i) = x(layout_.behind(), i) = study_.simulation.duration;
    }
    return more;
  }

  /// Reports what became of a run; false where that is for lanes.
  bool finish(DeviceGate& gate, std::size_t i) {
    BegunRun& begun = begun_[i];
    std::vector<double> end = std::move(begun.results);
    if (end.empty()) {
      for (std::size_t k = 0; k < layout_.entries(); ++k) end.push_back(x(k, i));
      end.push_back(status_[i]);
    }
    if (end.back() != motion::run_is_complete) return false;
    const std::span<const double> state(end);
    const Outcome* found = gate.finish(
        begun, {end[RunTapeLayout::t], state.subspan(RunTapeLayout::y, layout_.size),
                static_cast<long>(end[layout_.steps()]), static_cast<long>(end[layout_.rejected()]),
                begun.h_start, layout_.projected ? end[layout_.residual()] : 0.0});
    if (found == nullptr) return false;
    Outcome outcome = *found;
    if (ensemble_.width_ > 0) {
      if (!gather(gate, begun, static_cast<std::size_t>(end[layout_.sample()]), i)) return false;
      hand_over(begun);
    } else if (layout_.sampled) {
      for (std::size_t k = 0; k < layout_.sums; ++k) {
        const Accumulator sum{end[layout_.sum() + k], static_cast<long>(end[layout_.sample()])};
        outcome.statistics.push_back(sum.result(study_.statistics[k].reduction));
      }
    }
    on_finished_(begun.run.number, outcome);
    ++finished_;
    return true;
  }

  /// The rows of all samples behind those at the start. False: these are for lanes.
  bool gather(DeviceGate& gate, BegunRun& begun, std::size_t samples, std::size_t i) {
    const std::size_t width = ensemble_.width_;
    std::vector<double> states;
    std::vector<double>& there = ensemble_.states_ ? states : begun.rows;
    for (std::size_t r = static_cast<std::size_t>(begun.samples) * width; r < samples * width; ++r)
      there.push_back(rows_[r * count_ + i]);
    return !ensemble_.states_ || gate.observe(begun, states, layout_.size);
  }

  void hand_over(const BegunRun& begun) {
    const std::size_t n = study_.plan.motion().coordinates();
    const std::size_t width = sample_columns(study_.plan.motion()).size();
    for (std::size_t r = 0; r < begun.rows.size(); r += width) {
      const std::span<const double> row = std::span(begun.rows).subspan(r, width);
      const auto part = [&](std::size_t k) { return row.subspan(1 + k * n, n); };
      on_sample_(begun.run.number, {row[0], part(0), part(1), part(2), part(3), part(4),
                                    row[1 + 5 * n], row[2 + 5 * n], row.subspan(3 + 5 * n)});
    }
  }

  DeviceEnsemble& ensemble_;
  const Study& study_;
  const RunTapeLayout layout_;
  const motion::LaneFlow& flow_;
  codegen::Iteration& iteration_;
  const Prepare& prepare_;
  const OnSample& on_sample_;
  const OnFinished& on_finished_;
  const EnsembleOptions& options_;
  std::size_t threads_, samples_;

  std::span<const std::size_t> runs_;
  std::size_t count_ = 0;
  std::vector<BegunRun> begun_;
  std::vector<double> parameters_, x_, rows_, status_;
  std::vector<std::size_t> left_;
  std::atomic<std::size_t> finished_ = 0;
  std::mutex mutex_;
};

void DeviceEnsemble::run(std::span<const std::size_t> runs, const Prepare& prepare,
                         const OnSample& on_sample, const OnFinished& on_finished,
                         const EnsembleOptions& options) {
  const std::size_t devices = iterations_.size();
  const std::size_t of_samples = width_ * sizeof(double) * (width_ > 0 ? sample_count(study_) : 0);
  std::size_t size = std::min(most_at_once, (runs.size() + devices - 1) / devices);
  if (of_samples > 0)
    size = std::clamp(row_bytes / of_samples, std::min(size, least_at_once), size);
  const std::size_t cores = options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                                : std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> taken = 0;
  std::vector<std::size_t> others;
  in_threads(
      devices, devices, std::size_t{1}, [] { return std::make_unique<int>(); },
      [&](int&, std::size_t device) {
        Batch batch(*this, *iterations_[device], prepare, on_sample, on_finished, options,
                    std::max<std::size_t>(1, cores / devices));
        while (options.stop == nullptr || !options.stop->load(std::memory_order_relaxed)) {
          const std::size_t first = taken.fetch_add(size);
          if (first >= runs.size()) return;
          const auto some = runs.subspan(first, std::min(size, runs.size() - first));
          const std::vector<std::size_t>& left = batch.run(some);
          const std::lock_guard lock(mutex_);
          others.insert(others.end(), left.begin(), left.end());
          done_ += batch.finished();
          left_ += left.size();
        }
      });
  std::ranges::sort(others);
  run_ensemble(study_.plan.motion(), others, prepare, on_sample, on_finished, options);
}

}  // namespace dalembert::study
