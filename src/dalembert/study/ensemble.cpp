#include "dalembert/study/ensemble.hpp"

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/study/ensemble_flow.hpp"

namespace dalembert::study {

void run_ensemble(const motion::Motion& motion, std::span<const std::size_t> runs,
                  const Prepare& prepare, const OnSample& on_sample, const OnFinished& on_finished,
                  const EnsembleOptions& options) {
  // The flow belongs to the model, not to the runs asked for: so a run that is done later, by
  // itself or with others, has the same bits.
  std::optional<motion::Flow> flow;
  motion::State idle;
  // Lanes step by rk8; the implicit integrator takes each run alone.
  const bool lanes = options.simulation.integrator == motion::Integrator::rk8;
  if (const auto initial = motion::initial_state(motion); initial && lanes) {
    idle = initial->state;
    flow = motion::make_flow(motion, idle);
  }
  run_ensemble(motion, flow, idle, runs, prepare, on_sample, on_finished, options);
}

}  // namespace dalembert::study
