#pragma once
/// Bodies as solids with numbers for their lengths. What a model leaves open follows from mass and
/// inertia, as far as they tell: the solid is then the homogeneous one that has them.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dalembert/model/model.hpp"

namespace dalembert::report {

enum class ShapeKind : std::uint8_t { none, sphere, disk, cylinder, rod, box, ellipsoid, axes };
std::string_view to_string(ShapeKind kind);  ///< "disk", say

/// Disks, cylinders and rods stand along their own z axis; `size` has the edges of a box, the
/// half-axes of an ellipsoid. Lengths that are not known are 0 until `complete`.
struct DrawnShape {
  ShapeKind kind = ShapeKind::none;
  double radius = 0, length = 0;
  std::array<double, 3> size = {};
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< columns: its own axes, in body axes
  struct Given {
    bool radius = false, length = false, size = false;
  } given = {};  ///< by the model, to be drawn as they are
};

/// How a body is drawn, with these values of the parameters. Numbers that do not make a solid
/// (which parameters may bring about) leave their lengths open.
DrawnShape shape_of(const model::Body& body, const model::Model& model,
                    const std::vector<double>& parameters);

/// What is still open, for a scene in which a particle has the radius `small`; and nothing that
/// the model leaves open is so thin that it could not be seen.
DrawnShape complete(DrawnShape shape, double small);

/// How far it reaches from its centre, in all directions and in one of its own axes' frame (a unit
/// vector). Lengths that are open count as 0.
double reach(const DrawnShape& shape);
double reach_along(const DrawnShape& shape, const Eigen::Vector3d& direction);

}  // namespace dalembert::report
