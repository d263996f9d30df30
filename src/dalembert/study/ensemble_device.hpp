#pragma once
/// Many motions on graphics processors: they take the steps (motion/steps/run_tape.hpp), lanes do
/// what is before and after, and all of those runs that they leave. What becomes of a run has the
/// same bits as without them.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/codegen/graphics.hpp"
#include "dalembert/motion/steps/run_tape.hpp"
#include "dalembert/study/ensemble.hpp"
#include "dalembert/study/study.hpp"

namespace dalembert::study {

/// Where the steps of a study are taken.
enum class Device { cpu, gpu, automatic };
std::optional<Device> device_from_string(const std::string& word);

/// A study's runs made ready for the graphics processors of this machine.
class DeviceEnsemble {
 public:
  /// Why there is none, in a sentence: the machine has no such processor, or the study is not one
  /// for it.
  static expr::Result<std::unique_ptr<DeviceEnsemble>, std::string> make(const Study& study);

  /// As run_ensemble. Statistics of samples that are not kept are gathered where the steps are, and
  /// come with the outcome; `on_sample` hears of none of such a run. Where a processor fails, lanes
  /// do all.
  void run(std::span<const std::size_t> runs, const Prepare& prepare, const OnSample& on_sample,
           const OnFinished& on_finished, const EnsembleOptions& options);

  /// Which processors: "NVIDIA H200", "4 x NVIDIA H200".
  std::string name() const;
  std::uint64_t done() const { return done_; }  ///< runs whose steps were all taken there
  std::uint64_t left() const { return left_; }  ///< runs that lanes did
  double seconds() const;                       ///< of computing there, of all together

 private:
  class Batch;

  DeviceEnsemble(const Study& study, codegen::Iterations iterations, const motion::RunTape& tape)
      : study_(study),
        iterations_(std::move(iterations)),
        layout_(tape.layout),
        states_(tape.states),
        parameters_(tape.iterated.tape.parameters),
        width_(tape.iterated.width()) {}

  const Study& study_;
  codegen::Iterations iterations_;
  motion::RunTapeLayout layout_;
  bool states_;                     ///< rows are of t and y
  std::size_t parameters_, width_;  ///< of the tape; of a row
  std::mutex mutex_;
  std::uint64_t done_ = 0, left_ = 0;
};

}  // namespace dalembert::study
