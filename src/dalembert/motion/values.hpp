#pragma once
/// Numbers for the symbols of a model at a state, for few evaluations.

#include <vector>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/motion.hpp"

namespace dalembert::motion {

/// Parameters, time, positions and velocities have their values, accelerations are 0. Constraint
/// forces and auxiliaries, unknown before the equations are solved, count as 1.
expr::Values values_at(const model::Model& model, const std::vector<double>& parameters,
                       const State& state);

}  // namespace dalembert::motion
