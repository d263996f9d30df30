#pragma once
/// Derivatives d(x)/d(m) of the runs of a study: each run's variational equations are solved when
/// the run is over, in its thread, as `run --sensitivity` solves them for a run alone, to the last
/// bit. Samples are those of the study, its statistics of derivatives are taken over them.

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dalembert/study/linear/sensitivities.hpp"
#include "dalembert/study/plan.hpp"
#include "dalembert/study/statistic.hpp"

namespace dalembert::study {

class RunSensitivities {
 public:
  /// Fails where a name is no parameter and no initial value, and where the model's motion has no
  /// variational equations. `model`, `settings`: those of the plan. Compiles the model.
  static model::Result<std::shared_ptr<const RunSensitivities>, model::ModelError> make(
      const model::Model& model, const Plan& plan,
      const std::map<std::string, std::string>& settings, std::vector<std::string> names);

  const std::vector<std::string>& names() const { return names_; }
  /// "d(x)/d(m)": of positions, velocities, accelerations, outputs.
  const std::vector<std::string>& columns() const { return columns_; }

  /// Those of a run's statistics that are of derivatives, each in its place in `out`; not numbers
  /// where there is no derivative, and then why. Called from many threads.
  std::string fill(const Plan& plan, std::uint64_t run, const motion::SimulationOptions& simulation,
                   const std::atomic<bool>* stop, std::span<const Statistic> statistics,
                   std::span<double> out) const;

 private:
  RunSensitivities(motion::Motion motion, std::map<std::string, std::string> settings,
                   std::vector<std::string> names)
      : motion_(std::move(motion)), settings_(std::move(settings)), names_(std::move(names)) {}

  motion::Motion motion_;  ///< of the model as written: no initial value is a parameter of it
  std::map<std::string, std::string> settings_;
  std::vector<std::string> names_, columns_;
  std::vector<std::size_t> places_;  ///< of its parameters among those of the plan's motion
  mutable SensitivityKernels kernels_;
};

/// The statistics of a study: those asked for; beside derivatives, these of all positions and
/// velocities at the end of the run. `sensitivities` may be null.
model::Result<std::vector<Statistic>, model::ModelError> statistics_of(
    const Plan& plan, std::span<const std::string> texts, const RunSensitivities* sensitivities);

}  // namespace dalembert::study
