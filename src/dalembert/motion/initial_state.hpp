#pragma once
/// The state a motion starts from: the model's initial values, checked against the constraints and,
/// if the model says so, adjusted to them, with the values the model holds kept exactly
/// (motion/assembly.hpp).

#include <string>
#include <vector>

#include "dalembert/motion/motion.hpp"

namespace dalembert::motion {

/// A state may break a constraint by this much of its scale (see Projection) and still count as
/// consistent.
inline constexpr double initial_tolerance = 1e-8;

/// Of a position ("theta") or of a velocity ("theta'").
struct Change {
  std::string name;
  double from = 0, to = 0;
};

struct InitialState {
  State state;
  bool adjusted = false;  ///< moved to the nearest consistent state because the model asked for it
  std::vector<Change> changes = {};  ///< if so: the largest of a position, and of a velocity
};

/// The initial state, on the constraints to round-off unless the model sets project = "none".
/// Fails, with the place in the model, where
///   * an energy, force or constraint is not finite there (the culprit is shown),
///   * M is indefinite, or singular beyond what the constraints make up for,
///   * a constraint is broken and `adjust` does not allow to mend it: the nearest consistent state
///   is printed,
///   * the constraints, with the values that are held, contradict each other.
Result<InitialState, ModelError> initial_state(const Motion& motion);

/// Why the equations of motion are not finite at a state: the place in the model and the
/// subexpression to blame.
model::Diagnostic explain_not_finite(const Motion& motion, const State& state,
                                     const std::string& where);

}  // namespace dalembert::motion
