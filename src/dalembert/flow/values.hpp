#pragma once
/// The symbols of a model's state, and numbers for them, for few evaluations.

#include <vector>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::flow {

/// Parameters, time, positions and velocities have their values, accelerations are 0. Constraint
/// forces and auxiliaries, unknown before the equations are solved, count as 1.
expr::Values values_at(const model::Model& model, const std::vector<double>& parameters,
                       const State& state);

/// The same once they are solved: accelerations, constraint forces, multipliers (while C acts)
/// and whether joints slide have their values too.
expr::Values values_at(const Motion& motion, const State& state, const Acceleration& solved);

/// t, q, q': the inputs of the tapes of a motion.
std::vector<expr::Expr> state_symbols(const mechanics::Equations& eq);

}  // namespace dalembert::flow
