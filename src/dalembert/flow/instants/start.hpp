#pragma once
/// Whether a motion with contacts can start at a state: no gap may be negative.

#include <vector>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

struct Penetration {
  struct At {
    std::size_t contact;  ///< of the model
    double gap;
  };
  /// By more than initial_tolerance of the scale of their gaps, or with gaps that are not finite.
  std::vector<At> contacts;
  /// The nearest state, in the kinetic metric, in which these are closed, no other is penetrated,
  /// and the constraints hold; nothing if it cannot be found.
  std::optional<State> nearest;
};

/// The motion must have instants, and the state satisfy the constraints.
Penetration find_penetration(const Motion& motion, const State& state);

}  // namespace dalembert::flow
