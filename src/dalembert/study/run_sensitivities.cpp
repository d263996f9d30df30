#include "dalembert/study/run_sensitivities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dalembert/study/option_error.hpp"

namespace dalembert::study {

model::Result<std::shared_ptr<const RunSensitivities>, model::ModelError> RunSensitivities::make(
    const model::Model& model, const Plan& plan, const std::map<std::string, std::string>& settings,
    std::vector<std::string> names) {
  auto motion =
      motion::compile(model, {settings, std::string(motion::to_string(plan.motion().method()))});
  if (!motion) return model::Failure{std::move(motion).error()};
  std::vector<model::Diagnostic> wrong;
  const std::string all = fmt::format("{}", fmt::join(names, ","));
  std::size_t place = 0;
  for (const std::string& name : names) {
    if (const auto unknown = objection_to_name(*motion, name))
      wrong.push_back(option_error("--sensitivity", all, place, place + name.size(), *unknown));
    place += name.size() + 1;
  }
  if (wrong.empty()) {
    if (const auto objection = objection_to_sensitivities(*motion))
      wrong.push_back({fmt::format("--sensitivity: {}", *objection)});
  }
  if (!wrong.empty()) return model::Failure{model::ModelError{nullptr, std::move(wrong)}};
  std::shared_ptr<RunSensitivities> made(
      new RunSensitivities(*std::move(motion), settings, std::move(names)));
  const auto& planned = plan.motion().model().parameters;
  for (const model::Named& parameter : made->motion_.model().parameters) {
    const auto found = std::ranges::find(planned, parameter.name, &model::Named::name);
    made->places_.push_back(static_cast<std::size_t>(found - planned.begin()));
  }
  made->columns_ = sensitivity_columns(made->motion_, made->names_);
  return std::shared_ptr<const RunSensitivities>(std::move(made));
}

std::string RunSensitivities::fill(const Plan& plan, std::uint64_t run,
                                   const motion::SimulationOptions& simulation,
                                   const std::atomic<bool>* stop,
                                   std::span<const Statistic> statistics,
                                   std::span<double> out) const {
  const std::vector<double> planned = plan.prepare(run).parameters;
  const Plan::Given given = plan.given(planned);
  std::vector<double> parameters = motion_.parameters();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i] < planned.size()) parameters[i] = planned[places_[i]];
  }
  SensitivityRequest request{names_, settings_, {given.initial, {}}};
  for (const auto& [name, value] : given.parameters)
    request.settings[name] = fmt::format("{:.17g}", value);
  motion::SimulationOptions options = simulation;
  options.stop = stop;
  const auto found =
      sensitivities(motion_.with_parameters(std::move(parameters)), options, request, &kernels_);
  const bool known = found && found->complete;
  for (std::size_t j = 0; j < statistics.size(); ++j) {
    const Statistic& statistic = statistics[j];
    if (!statistic.of_derivative) continue;
    out[j] = std::numeric_limits<double>::quiet_NaN();
    if (!known) continue;
    Accumulator sum;
    for (std::size_t k = 0; k < found->t.size(); ++k)
      sum.add(statistic.reduction, found->row(k)[statistic.column]);
    out[j] = sum.result(statistic.reduction);
  }
  if (known) return {};
  return fmt::format("its derivatives are not known: {}", found ? found->reason : found.error());
}

model::Result<std::vector<Statistic>, model::ModelError> statistics_of(
    const Plan& plan, std::span<const std::string> texts, const RunSensitivities* sensitivities) {
  if (sensitivities == nullptr) return read_statistics(plan.motion(), texts);
  auto statistics = read_statistics(plan.motion(), texts, sensitivities->columns());
  if (!statistics) return statistics;
  const std::size_t states = 2 * plan.motion().coordinates() * sensitivities->names().size();
  for (std::size_t i = 0; i < states; ++i)
    statistics->push_back({sensitivities->columns()[i], Reduction::final, i, true, true});
  return statistics;
}

}  // namespace dalembert::study
