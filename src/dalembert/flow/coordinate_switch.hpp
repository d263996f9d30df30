#pragma once
/// A change of the variables that a formulation is run with.

#include <string>
#include <vector>

#include "dalembert/solve/rooms.hpp"

namespace dalembert::flow {

/// Of the dependent coordinates or, where the model's quasi-velocities are given up, of the
/// quasi-velocities, which are then q_I'. By name.
struct Switch {
  double t = 0;
  std::vector<std::string> from, to;
  bool quasi_velocities = false;
};

}  // namespace dalembert::flow
