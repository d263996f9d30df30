#include "dalembert/motion/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>

#include "dalembert/motion/choice.hpp"
#include "dalembert/motion/extended_run.hpp"
#include "dalembert/motion/instants/run.hpp"
#include "dalembert/motion/simulation_core.hpp"

namespace dalembert::motion {

std::string_view to_string(Integrator integrator) {
  switch (integrator) {
    case Integrator::rk8:
      return "rk8";
    case Integrator::taylor:
      return "taylor";
    case Integrator::bdf:
      return "bdf";
    case Integrator::automatic:
      return "auto";
  }
  return {};
}

std::optional<Integrator> integrator_from_string(std::string_view name) {
  for (const Integrator integrator :
       {Integrator::rk8, Integrator::taylor, Integrator::bdf, Integrator::automatic}) {
    if (to_string(integrator) == name) return integrator;
  }
  return std::nullopt;
}

std::string_view to_string(Precision precision) {
  return precision == Precision::extended ? "extended" : "double";
}

std::optional<Precision> precision_from_string(std::string_view name) {
  for (const Precision precision : {Precision::standard, Precision::extended}) {
    if (to_string(precision) == name) return precision;
  }
  return std::nullopt;
}

SimulationOptions simulation_options(const Motion& motion) {
  const model::Simulation& s = motion.model().simulation;
  SimulationOptions options;
  options.duration = s.times.empty()
                         ? model::evaluate(s.duration.expr, motion.model(), motion.parameters())
                         : s.times.back();
  options.times = s.times;
  options.samples = s.samples;
  options.rtol = s.rtol;
  options.atol = s.atol;
  options.project = s.project;
  options.max_steps = s.max_steps;
  options.max_step = s.max_step;
  options.integrator = integrator_from_string(s.integrator).value_or(Integrator::rk8);
  options.precision = precision_from_string(s.precision).value_or(Precision::standard);
  return options;
}

Summary simulate(const Motion& motion, const State& start, const SimulationOptions& options,
                 const Observer& observer, const Progress& progress) {
  if (options.integrator == Integrator::automatic && options.precision == Precision::standard) {
    const IntegratorChoice choice = choose_integrator(motion, options);
    SimulationOptions chosen = options;
    chosen.integrator = choice.integrator;
    Summary summary = simulate(motion, start, chosen, observer, progress);
    summary.chosen = choice.integrator;
    summary.choice = choice.reason;
    return summary;
  }
  const std::size_t mu = is_mechanical(motion.method()) ? 0 : motion.constraints();
  if (start.q.size() != motion.coordinates() || start.v.size() != motion.coordinates() ||
      start.mu.size() != mu) {
    throw std::invalid_argument(fmt::format("a state of this motion has {} coordinates and {} mu",
                                            motion.coordinates(), mu));
  }
  const auto clock = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  };
  if (options.precision == Precision::extended) {
    Summary summary = simulate_extended(motion, start, options, observer, progress);
    summary.seconds = seconds();
    return summary;
  }
  if (motion.instants() != nullptr) {
    InstantRun run(motion, start, options, observer, progress);
    run.run();
    return run.finish(seconds());
  }
  SimulationCore core(motion, start, options, observer, progress);
  options.integrator == Integrator::bdf ? integrate_bdf(core) : integrate_in_lane(core);
  Summary summary = core.finish(seconds());
  if (options.doubts)
    std::ranges::move(rest_doubts(motion, start, "at the start", false),
                      std::back_inserter(summary.doubts));
  return summary;
}

}  // namespace dalembert::motion
