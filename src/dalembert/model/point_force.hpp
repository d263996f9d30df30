#pragma once
/// A force at a point of a body, and a torque on it: along a coordinate,
///
///     Q_k = F.dv/dq'_k + T.dw/dq'_k
///
/// with v the velocity of the point and w the body's angular velocity.

#include <string>
#include <vector>

#include "dalembert/model/joint.hpp"

namespace dalembert::model {

struct PointForceSpec {
  std::string name;
  std::size_t body = 0;      ///< in Model::bodies
  LocatedVector point = {};  ///< body axes, from its origin; of parameters and time
  std::optional<LocatedVector> force = {}, torque = {};  ///< of positions, velocities, time
  bool in_body_axes = false;  ///< force and torque; else in the fixed ones
  Location where = {}, body_where = {};
};

/// Adds to Model::forces; what is wrong comes back, and the model is then as it was.
std::vector<Diagnostic> add_point_force(Model& model, const PointForceSpec& spec);

}  // namespace dalembert::model
