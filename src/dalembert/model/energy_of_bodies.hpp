#pragma once
/// What bodies bring to a model: energies, and what can be wrong with their masses.

#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::model {

/// Adds to the model's own energies
///
///     T = sum m v.v/2 + spin.J spin/2,      V = -sum m g.r
///
/// over its bodies and particles, v and r of the centre of mass, J about it; gravity is among the
/// loads then, and the energies as they were are kept as those written by hand.
void add_energy_of_bodies(Model& model, const Vector& gravity);

/// Whether gravity acts along the y axis alone: upwards is y then.
bool acts_along_y(const Vector& gravity);

/// What is wrong with the masses and inertias of the bodies when the parameters have these values:
/// a mass that is not positive, moments of inertia that no body can have (negative, or one larger
/// than the sum of the other two). Empty when all is well.
std::vector<Diagnostic> check_bodies(const Model& model, const std::vector<double>& parameters);

}  // namespace dalembert::model
