#pragma once
/// The state a motion starts from: the model's initial values, checked against the constraints and,
/// if the model says so, adjusted to them, with the values the model holds kept exactly
/// (flow/state/assembly.hpp).

#include <string>
#include <utility>
#include <vector>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

/// A state may break a constraint by this much of its scale (see Projection) and still count as
/// consistent.
inline constexpr double initial_tolerance = 1e-8;

/// Of a position ("theta") or of a velocity ("theta'").
struct Change {
  std::string name;
  double from = 0, to = 0;
};

/// What a start is made from: rough values, what may be done to bring them onto the constraints,
/// and what stays where it is ("theta", "theta'"). `state` as Motion::written_initial_state has it:
/// finite, n positions and velocities, at t = 0.
struct Start {
  State state;
  model::Adjust adjust = model::Adjust::none;
  std::vector<std::string> hold = {};
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

/// The same from other values than the model's.
Result<InitialState, ModelError> initial_state(const Motion& motion, const Start& start);

/// Values that someone gives in place of the model's, each name once.
struct GivenValues {
  std::vector<std::pair<std::string, double>> state;  ///< of positions ("theta"), velocities
  std::vector<std::pair<std::string, double>> mu;     ///< by constraint, for `vakonomic`
};

/// What the model says about the start, with some of its values replaced; values written in terms
/// of a replaced one follow it, and who holds a position holds a velocity given for it. Nothing is
/// derived or compiled again, but the text of the model is read anew for each new list of names.
/// Fails where a value is not finite, and for `vakonomic` where the mu of a constraint on
/// velocities is not given. Throws std::invalid_argument where a name is none of the model's.
Result<Start, ModelError> written_start(const Motion& motion, const GivenValues& given = {});

/// Why the equations of motion are not finite at a state: the place in the model and the
/// subexpression to blame.
model::Diagnostic explain_not_finite(const Motion& motion, const State& state,
                                     const std::string& where);

}  // namespace dalembert::flow
