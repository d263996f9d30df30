#pragma once
/// Where in a model to point when its equations fail at a state.

#include <string_view>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/solve/rooms.hpp"

namespace dalembert::flow {

/// What M is made of: the kinetic energy, the mass matrix, else the first body.
model::Location mass_place(const model::Model& model);

/// What Q is made of, where one of its entries is not finite though all that is written is: the
/// energy whose derivative is to blame, else the kinetic energy.
model::Location force_place(const model::Model& model, const expr::Values& values);

/// What a formulation objects to: quasi-velocities and independent coordinates where it speaks of
/// them, else the method the model asks for, else, with a method of the caller's, the constraint it
/// names. Nowhere if it names none: the model is not wrong.
model::Location formulation_place(const model::Model& model, std::string_view objection);

}  // namespace dalembert::flow
