#pragma once
/// The reactions of a model's joints at one state, for few evaluations; a motion records them by
/// its kernel (Motion::outputs).
///
/// The force and the moment of a joint are functions of the multipliers while C acts. Where
/// constraints depend on each other the multipliers are known only up to the z with A^T z = 0, and
/// a reaction is unique if it does not change along any of them: a redundant row may leave that of
/// its joint unique, and take it from others.
///
/// What coordinates keep has no multiplier; mechanics/kept_reactions.hpp finds it from the motion.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::motion {

/// What is not known of a joint's reaction whatever the state: components such as "fx", and why, in
/// clauses.
struct UnknownParts {
  std::vector<std::string> components;
  std::string reason;
};
UnknownParts find_unknown(const model::Model& model, const std::string& joint);

/// What a joint exerts on its second body; the opposite acts on the first.
struct JointReaction {
  std::string name;
  model::JointKind kind = model::JointKind::ball;
  std::array<std::string, 2> bodies;
  std::array<double, 3> point;                    ///< where the force acts, fixed axes
  std::array<double, 3> force, moment;            ///< fixed axes; the moment about the point
  std::array<double, 3> body_force, body_moment;  ///< axes of the second body
  bool unique = true;                             ///< else the one of multipliers of minimum norm
  std::optional<double> friction;  ///< its normal force N, where the joint has friction
  UnknownParts unknown = {};       ///< not a number above
};

/// Of each joint, in the order of the model. None by `vakonomic`, and where `solved` is no
/// solution. `solved` is that of the state.
std::vector<JointReaction> calc_reactions(const Motion& motion, const State& state,
                                          const Acceleration& solved);

/// Whether each joint's reaction is unique at a state, in the order of the model; all are where the
/// equations have no solution there, for then nothing is known. Cost: a decision about the rank,
/// and a solve for each dependent row.
std::vector<bool> calc_unique_reactions(const Motion& motion, const State& state);

}  // namespace dalembert::motion
