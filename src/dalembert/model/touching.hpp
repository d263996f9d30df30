#pragma once
/// Contacts between bodies: their shapes as gaps, and as velocities along the surface.
///
/// A plane with unit normal n, through a point p fixed in one body, and a shape of the other:
///
///     point      gap = n.(c - p)
///     sphere     gap = n.(c - p) - r
///     disk       gap = n.(c - p) - r |n x a|, thin, with its axle along a
///     ellipsoid  gap = n.(c - p) - sqrt(n_b.D^2 n_b),  D = diag(semi_axes), n_b in body axes
///     capsule    a sphere at either end of its axis: two contacts
///     box        a point at each corner: up to eight contacts
///
/// and two spheres: gap = |c2 - c1| - r1 - r2. The slips are the components along two directions of
/// the surface of the velocity of the shape's matter against that of the other, where they touch;
/// those that vanish whatever the motion, as across a plane motion, are left out.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/model/joint.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::model {

enum class TouchShape : std::uint8_t { point, sphere, disk, ellipsoid, capsule, box };
inline constexpr std::array touch_shapes = {TouchShape::point,   TouchShape::sphere,
                                            TouchShape::disk,    TouchShape::ellipsoid,
                                            TouchShape::capsule, TouchShape::box};
std::string_view to_string(TouchShape shape);

/// The plane belongs to the ground, if that is one of the bodies; else to the first, unless only
/// the first has a shape of its own. What is not said of the shape is as the body is drawn.
struct TouchSpec {
  std::string name;
  Location where = {};
  std::array<std::optional<std::size_t>, 2> bodies = {};  ///< in Model::bodies; empty: ground
  std::array<Location, 2> bodies_where = {};
  std::array<LocatedVector, 2> points = {};  ///< of the plane, and the centre: in body axes
  /// Of the plane, in the axes of its body. Absent: against gravity; of two bodies, there is none.
  std::optional<LocatedVector> normal = {};
  std::optional<TouchShape> shape = {};
  std::optional<Located> radius = {}, length = {};
  std::optional<LocatedVector> axis = {};  ///< of a disk's axle, of a capsule
  std::optional<LocatedVector> semi_axes = {};
  std::optional<LocatedVector> size = {};  ///< edges of a box
};

/// One contact of them.
struct TouchRow {
  std::string suffix;  ///< of its name: "" or ".1", ".2", ...
  Expr gap;
  std::vector<Expr> slip;
  ContactPlace place = {};  ///< its second body is the one whose shape touches
};

struct Touching {
  std::vector<TouchRow> rows;
  std::vector<Condition> conditions;  ///< that sizes are positive
  std::vector<Diagnostic> wrong;      ///< then there are no rows
};

/// `gravity` tells which way a plane faces that has no normal.
Touching touching(const Model& model, const TouchSpec& spec, const Vector& gravity);

}  // namespace dalembert::model
