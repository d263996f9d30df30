#pragma once
/// `integrator = "auto"`: rk8 or taylor, whichever takes less work.
///
/// A step of rk8 runs the tape of f twelve times; one by series of order p runs the tape of an
/// order p times and multiplies p^2 / 2 times for each of its sums (codegen/series.hpp); both
/// decide and project at its end, and add up the work of forces. What a step takes is therefore
/// counted, in operations. How many steps each takes follows from the
/// tolerance, roughly: where that decides by a factor of `clear` it does, else both are tried for
/// some steps from the start of the model, with its own parameters. No clock is read, and neither a
/// run's parameters nor its start: the same model and the same options give the same choice in a
/// run, in a sweep and in Python.

#include <string>

#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion {

struct IntegratorChoice {
  Integrator integrator = Integrator::rk8;
  std::string reason;  ///< half a sentence
};

/// Between rk8 and taylor, whatever `options.integrator` is. Costs some milliseconds and twenty
/// steps of each at most.
IntegratorChoice choose_integrator(const Motion& motion, const SimulationOptions& options);

/// The options, with the choice in place of `automatic`.
SimulationOptions with_choice(const Motion& motion, SimulationOptions options);

}  // namespace dalembert::motion
