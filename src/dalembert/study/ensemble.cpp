#include "dalembert/study/ensemble.hpp"

#include <stdexcept>

#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/motion/choice.hpp"
#include "dalembert/study/ensemble_flow.hpp"

namespace dalembert::study {

void run_ensemble(const motion::Motion& motion, std::span<const std::size_t> runs,
                  const Prepare& prepare, const OnSample& on_sample, const OnFinished& on_finished,
                  const EnsembleOptions& given) {
  EnsembleOptions options = given;
  if (options.simulation.precision != motion::Precision::standard)
    throw std::invalid_argument("ensembles compute in doubles");
  options.simulation = motion::with_choice(motion, options.simulation);
  // The flow belongs to the model, not to the runs asked for: so a run that is done later, by
  // itself or with others, has the same bits.
  // The implicit integrator takes each run alone, and so do motions with instants.
  const bool lanes =
      options.simulation.integrator != motion::Integrator::bdf && motion.instants() == nullptr;
  const motion::ModelFlow* known = lanes ? motion.flow() : nullptr;
  run_ensemble(motion, known != nullptr ? std::optional(known->flow) : std::nullopt,
               known != nullptr ? known->one_lane.idle : motion::State{}, runs, prepare, on_sample,
               on_finished, options);
}

}  // namespace dalembert::study
