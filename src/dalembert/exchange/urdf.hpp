#pragma once
/// Robots described in URDF, the Unified Robot Description Format of ROS, as model files.
///
/// A link with an <inertial> becomes a [[body]], one without a [[frame]], each placed in the axes
/// of its parent; a joint that moves becomes coordinates:
///
///     revolute, continuous   q        an angle about the axis
///     prismatic              q        a displacement along it
///     planar                 x y, angle      along two directions in the plane, and about its
///     normal floating               x y z, e0..e3   a displacement and a unit quaternion
///
/// The root link is the ground. Mimic joints become constraints, viscous damping a force. What has
/// no place in the mechanics (shapes, sensors, limits) is told, never dropped in silence.

#include <string>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::exchange {

using model::ModelError;
using model::Result;

struct Imported {
  std::string toml;                ///< a model file, with the notes as comments at its head
  std::vector<std::string> notes;  ///< what became of names, and what was not carried over
};

inline constexpr std::size_t largest_urdf_file = 64u << 20;  ///< bytes

/// `name` stands for the file in messages. All that is wrong with the robot is in the error:
/// malformed XML, links that do not make one tree, impossible masses and moments of inertia, a
/// joint that moves nothing.
Result<Imported, ModelError> import_urdf(std::string text, const std::string& name);

/// The same from a file.
Result<Imported, ModelError> import_urdf_file(const std::string& path);

}  // namespace dalembert::exchange
