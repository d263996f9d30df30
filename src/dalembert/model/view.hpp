#pragma once
/// What a model says about its drawing. Bodies, particles and frames bear a `Solid`; a model given
/// by energies draws points, segments and arrows of its own. All of it is geometry in the fixed
/// frame, as expressions of positions, parameters and time; nothing here changes the motion.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/vector.hpp"
#include "dalembert/model/diagnostic.hpp"

namespace dalembert::model {

using expr::Expr;
using expr::Vector;

enum class SolidKind : std::uint8_t {
  automatic,  ///< from mass and inertia: the ellipsoid, rod, disk or box that has them
  none,       ///< not drawn
  sphere,     ///< radius
  disk,       ///< radius, length (its thickness); around the axis
  cylinder,   ///< radius, length; along the axis
  rod,        ///< length, radius; along the axis
  box,        ///< size, along the body axes
  ellipsoid   ///< size: the three half-axes
};
std::string_view to_string(SolidKind kind);  ///< "disk", say

/// Centred at the centre of mass (the origin of a frame). Lengths are expressions of parameters;
/// those not given are chosen to look well.
struct Solid {
  SolidKind kind = SolidKind::automatic;
  std::optional<Expr> radius = {}, length = {};
  std::optional<Vector> size = {};
  Vector axis = {0, 0, 1};  ///< of disk, cylinder and rod, body axes
  Location where = {};
};

struct ViewPoint {
  std::string name;
  Vector at = {};
  std::optional<Expr> radius = {};
  /// The mass that moves with it: then the forces on it are drawn as on a particle.
  std::optional<Expr> mass = {};
  bool trail = true;
  Location where = {};
};

enum class SegmentStyle : std::uint8_t { rod, line, spring };
std::string_view to_string(SegmentStyle style);

struct ViewSegment {
  std::string name;
  Vector from = {}, to = {};
  SegmentStyle style = SegmentStyle::rod;
  std::optional<Expr> radius = {};
  Location where = {};
};

enum class ArrowKind : std::uint8_t { applied, ideal, nonideal, other };
std::string_view to_string(ArrowKind kind);

/// A vector drawn at a point. Both may contain velocities, accelerations, `ideal.x` and
/// `nonideal.x` as well.
struct ViewArrow {
  std::string name;
  Vector at = {}, vector = {};
  ArrowKind kind = ArrowKind::other;
  Location where = {};
};

struct View {
  char up = 'z';    ///< the axis that is vertical: 'y' or 'z'
  int up_sign = 1;  ///< -1: it points downwards
  /// Where on that axis the ground plane is; empty: none is drawn unless something stands on height
  /// 0.
  std::optional<Expr> ground = {};
  bool no_ground = false;
  std::vector<ViewPoint> points = {};
  std::vector<ViewSegment> segments = {};
  std::vector<ViewArrow> arrows = {};
};

}  // namespace dalembert::model
