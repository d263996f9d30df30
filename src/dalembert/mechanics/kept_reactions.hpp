#pragma once
/// Reactions in directions that the coordinates keep. A double pendulum in angles has no constraint
/// that its hinges could be read off; but the bodies move as they do, and the equations of Newton
/// and Euler tell what that takes.
///
/// With a set S of bodies, a virtual translation along u or a rotation about u through a point p
/// displaces each of its points by u or u x (r - p). The principle of d'Alembert for the bodies of
/// S then says that what its joints to other bodies do is
///
///     P = sum over S of (m a - F).t(c) + (d(J w)/dt - T).o,         t, o: as displaced,
///
/// F, T the loads on each body at its centre of mass c. Along u = the force of a kept row (or about
/// its moment, through the joint's point) the joint itself does factor |u|^2, its other rows and
/// its friction nothing, as they are perpendicular to it where the constraints hold. So
///
///     factor = (P - what other joints do) / |u|^2
///
/// if S is bounded by that joint and by others of which all that counts in this displacement is
/// known by multipliers: S is one of the two parts into which the graph of bodies falls when the
/// joint is taken out, edges being what is unknown and does work. Where it does not fall apart, a
/// rotation about the point of another joint, whose force does no work in it, may serve instead;
/// and factors once found are known to the others. What is left then is open because of a loop.
///
/// Coordinates may keep more than joints say. What is missing is found as the difference between
/// all that the coordinates keep (the wrenches that do no work in any of their velocities) and the
/// kept rows, and supplied by links of unknown force: between a body and the frame it is described
/// in, by couples and forces from the ground on single bodies, else on all bodies concerned.
///
/// What is written by hand along coordinates acts on no body in particular. A force, a dissipation
/// or virtual work along the angle or displacement of a joint is taken for a motor there; along a
/// coordinate with which a single body turns, for a couple on it; along one that moves one body
/// alone, at right angles to its others, for a force at its centre of mass. That is said
/// (Model::reaction_notes). All else leaves the bodies open that it moves.

#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::mechanics {

/// Puts expressions of q, q', q'', t and multipliers in place of the factors of kept rows, in
/// joints, reactions, outputs and the normal forces of joints' friction. Those that cannot be known
/// become not a number in joints and reactions, and are listed in Model::unknown_reactions; an
/// output or a friction that needs one is what comes back. A model without kept rows stays as it
/// is.
std::vector<model::Diagnostic> complete_reactions(model::Model& model);

}  // namespace dalembert::mechanics
