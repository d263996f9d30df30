#pragma once
/// What someone asks of a simulation in place of what the model says, and whether it can be had.
/// The command, the page and the Python package all ask here; each has its own word for an option.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/model/validate.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion {

enum class Option {
  from,
  duration,
  samples,
  times,
  rtol,
  atol,
  integrator,
  precision,
  max_steps,
  max_step
};
std::string_view to_string(Option option);  ///< as in a model file

/// Numbers as they were given, which may be any. `duration` counts from `from`, times do not.
/// `times` go with a duration that reaches as far, not with `samples`.
struct SimulationRequest {
  std::optional<double> from, duration, samples, rtol, atol, max_steps, max_step;
  std::optional<std::vector<double>> times;
  std::optional<std::string> integrator, precision;
  bool many = false;  ///< for the runs of a sweep
  long most_samples = model::largest_samples;
};

/// Why an option cannot be as it was asked for, or as the model has it.
struct Refusal {
  Option option;
  std::string sentence;        ///< "must be positive", to follow the option and its value
  bool stands_alone = false;   ///< the sentence says by itself what it is about
  bool of_model = false;       ///< and is about this model, what it says or how large it is
  model::Location where = {};  ///< of what the model says, where nobody asked for anything else
};

/// The options of the model with those that are asked for. `duration` or `samples` take the place
/// of the model's times; of times alone the last is the duration. What the model says itself is
/// looked at too where its reader could not: a duration that depends on parameters, whether bdf
/// serves a system of this size, and whether extended precision can be had.
Result<SimulationOptions, Refusal> requested_options(const SimulationRequest& request,
                                                     const Motion& motion);

}  // namespace dalembert::motion
