#pragma once
/// The expressions of a model in which the inputs of servo constraints may stand, and those in
/// which they may not.

#include <string>
#include <vector>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::mechanics {

/// What is in the way of servo constraints in this model: contacts, friction, events that move it,
/// inputs in places other than forces and what is only observed.
std::vector<model::Diagnostic> servo_objections(const model::Model& model,
                                                const std::vector<std::string>& inputs);

/// Puts laws in the place of inputs.
void put_in(model::Model& model, const expr::ExprMap& laws);

/// Takes parameters out of the list, whose indices elsewhere follow. Nothing may use them.
void remove_parameters(model::Model& model, const std::vector<std::string>& names);

}  // namespace dalembert::mechanics
