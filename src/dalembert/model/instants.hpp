#pragma once
/// What must hold of contacts, friction that sticks and events.

#include "dalembert/model/complaints.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::model {

/// Adds a contact, and to Model::conditions what its numbers must satisfy along the motion: none of
/// them negative, the restitution at most 1, the static friction at least the sliding one.
void add_contact(Model& model, const Contact& contact);

/// The same of friction: its limits, as far as positions, time and parameters tell them, must not
/// be negative.
void add_dry_friction(Model& model, const DryFriction& friction);

/// Complains about what cannot be:
///
///     names       of contacts and friction, with those of constraints and joints; of events
///     gaps        without a coordinate
///     slips       other than 1 or 2 that are affine in the velocities and contain some; without
///                 friction, and friction without them
///     limits      that ask for the very force they limit
///     numbers     that are known, out of bounds
///     events      with neither or both of `when` and `every`, that wait for what never changes,
///                 set a thing twice, or set it at the same instant to different values
///     parameters  that use discrete values, which they would not follow
///
/// What the expressions contain is not looked at.
void check_instants(const Model& model, Complaints& complaints);

}  // namespace dalembert::model
