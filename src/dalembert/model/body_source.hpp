#pragma once
/// A body while its model is read: where it is written, and its geometry in its own frame.

#include <array>
#include <string>
#include <vector>

#include "dalembert/model/document.hpp"
#include "dalembert/model/kinematics.hpp"

namespace dalembert::model {

struct BodySource {
  std::string name;
  BodyKind kind = BodyKind::body;
  const Value* table = nullptr;
  std::string frame;  ///< the body in whose frame it is given; empty: ground
  Location where = {};
  bool broken = false;
  std::size_t quaternions = 0;  ///< that move, as far as known when its lets were made
};

/// Place and orientation in the frame that a body is given in.
struct BodyPose {
  Vector position = {};
  Turn turn = {};
  Vector center = {};
  std::vector<std::array<Expr, 4>> quaternions = {};
};

}  // namespace dalembert::model
