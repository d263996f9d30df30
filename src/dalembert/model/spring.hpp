#pragma once
/// Springs with dampers: linear, between points of two bodies or along what a joint leaves free.
/// With s the distance |d| of the points, or the joint's angle or displacement,
///
///     potential k (s - s0)^2 / 2        dissipation c s'^2 / 2
///
/// are added to the model's own, and the forces on its bodies to the loads; k, c and s0 are
/// expressions of parameters and time. Where s0 is zero for points the potential is k d.d / 2,
/// which has no root in it.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/model/joint.hpp"

namespace dalembert::model {

struct SpringSpec {
  std::string name;
  std::array<std::optional<std::size_t>, 2> bodies = {};  ///< as in JointSpec
  std::array<LocatedVector, 2> points = {};
  std::optional<std::string> joint = {};  ///< instead of bodies and points: a hinge or a slider
  std::optional<Located> stiffness = {}, damping = {};  ///< at least one
  std::optional<Located> rest = {};  ///< length, angle or displacement without force; absent: 0
  Location where = {};
  std::array<Location, 2> bodies_where = {};
  Location joint_where = {};
};

/// Adds a spring; what is wrong comes back, and the model is then as it was.
std::vector<Diagnostic> add_spring(Model& model, const SpringSpec& spec);

}  // namespace dalembert::model
