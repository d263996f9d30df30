#pragma once
/// A robot as a URDF file describes it: plain data, in the order of the file. Lengths in metres,
/// angles in radians.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/exchange/rotation.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::exchange {

using model::Location;
using model::ModelError;
using model::Result;
using model::Source;

struct Pose {
  Vec3 position = {};
  Vec3 rpy = {};  ///< roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)
};

struct Inertial {
  Pose origin;  ///< centre of mass, and the axes of `inertia`
  double mass = 0;
  Mat3 inertia = {};
  Location where = {}, mass_where = {}, inertia_where = {};
};

struct Link {
  std::string name;
  std::optional<Inertial> inertial = {};
  Location where = {};
};

enum class JointType : std::uint8_t { fixed, revolute, continuous, prismatic, planar, floating };

struct Limits {
  double lower = 0, upper = 0, effort = 0, velocity = 0;
};

/// The coordinate is multiplier * (that of joint) + offset.
struct Mimic {
  std::size_t joint = 0;
  double multiplier = 1, offset = 0;
};

struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  std::size_t parent = 0, child = 0;  ///< links
  Pose origin = {};                   ///< of the child's frame in the parent's, where q = 0
  Vec3 axis = {1, 0, 0};              ///< as written, in the child's frame
  std::optional<Limits> limits = {};
  double damping = 0, friction = 0;
  std::optional<Mimic> mimic = {};
  Location where = {}, axis_where = {};
};

struct Robot {
  std::string name;
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::size_t root = 0;  ///< a link
  /// Joints from the root outwards, a parent's before its children's.
  std::vector<std::size_t> order;
  std::vector<std::string> notes;  ///< what the file has and a robot here has not
  std::shared_ptr<const Source> source;
};

inline bool moves(const Joint& joint) {
  return joint.type != JointType::fixed;
}

/// One coordinate, a displacement along or an angle about the axis.
inline bool has_one_coordinate(const Joint& joint) {
  return joint.type == JointType::revolute || joint.type == JointType::continuous ||
         joint.type == JointType::prismatic;
}

/// "'a'", "'a' and 'b'", "'a', 'b' and 'c'"; beyond six "'a', ..., 'f' and 4 more".
std::string quoted(const std::vector<std::string>& names);

/// Finds root and order. Complains where links do not make one tree: each but the root is the child
/// of one joint, and all are reached from the root.
void connect(Robot& robot, model::Complaints& complaints);

/// Reads a robot whose links make one tree.
Result<Robot, ModelError> read_robot(std::shared_ptr<const Source> source);

/// What no robot can have: negative masses, moments of inertia of no body, a joint that moves
/// nothing. `notes` takes what is merely odd.
std::vector<model::Diagnostic> check_robot(const Robot& robot, std::vector<std::string>& notes);

/// The model file. Notes on names are added to `notes`, and all of them stand at its head.
std::string model_file(const Robot& robot, std::vector<std::string>& notes);

}  // namespace dalembert::exchange
