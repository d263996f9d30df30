#pragma once
/// Many motions on a graphics processor: it takes the steps (motion/steps/run_tape.hpp), lanes do
/// what is before and after, and all of those runs that it leaves. What becomes of a run has the
/// same bits as without it.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "dalembert/codegen/graphics.hpp"
#include "dalembert/study/ensemble.hpp"
#include "dalembert/study/study.hpp"

namespace dalembert::study {

/// Where the steps of a study are taken.
enum class Device { cpu, gpu, automatic };
std::optional<Device> device_from_string(const std::string& word);

/// A study's runs made ready for a graphics processor.
class DeviceEnsemble {
 public:
  /// Why there is none, in a sentence: the machine has no such processor, or the study is not one
  /// for it.
  static expr::Result<std::unique_ptr<DeviceEnsemble>, std::string> make(const Study& study);

  /// As run_ensemble without samples. Where the processor fails, lanes do all.
  void run(std::span<const std::size_t> runs, const Prepare& prepare, const OnFinished& on_finished,
           const EnsembleOptions& options);

  const std::string& name() const { return iteration_->device(); }
  std::uint64_t done() const { return done_; }  ///< runs whose steps were all taken there
  std::uint64_t left() const { return left_; }  ///< runs that lanes did
  double seconds() const { return iteration_->seconds(); }  ///< of computing there

 private:
  DeviceEnsemble(const Study& study, std::unique_ptr<codegen::Iteration> iteration,
                 std::size_t parameters)
      : study_(study), iteration_(std::move(iteration)), parameters_(parameters) {}

  const Study& study_;
  std::unique_ptr<codegen::Iteration> iteration_;
  std::size_t parameters_;
  std::uint64_t done_ = 0, left_ = 0;
};

}  // namespace dalembert::study
