#pragma once
/// Joints between bodies. A joint is written as constraints on the model's coordinates, and its
/// reaction is read off their multipliers: with M q'' = Q + sum lambda_j A_j, a row that says
/// u.(v_B - v_A) = 0 at a point is the force lambda u there, one that says u.(w_B - w_A) = 0 the
/// moment lambda u. A is the first body of a joint and B the second; the force acts on B and its
/// opposite at the same point on A.
///
/// With p_A, p_B the joint's points, d = p_B - p_A, a the axis and e1, e2 perpendicular to it (all
/// in the fixed frame, fixed in A or in B as the subscript says):
///
///     ball             d = 0
///     hinge            d = 0,  e1_A.a_B = e2_A.a_B = 0
///     universal        d = 0,  a_A.a_B = 0
///     weld             d = 0,  x_A.y_B = y_A.z_B = z_A.x_B = 0     (the joint's own axes x, y, z)
///     slider           the last three, and d.e1_A = d.e2_A = 0
///     distance         d.d = L^2
///     point-on-line    d.e1_A = d.e2_A = 0
///     point-on-plane   d.n_A = 0
///     knife-edge       (n_A x a_B).(v_B - v_A) = 0                  (at p_B)
///     rolls            n_A.d = h,  t1_A.(v_B - v_A) = t2_A.(v_B - v_A) = 0   (at the contact)
///
/// A row that is zero whatever the coordinates is left out: they keep it already. It stays as a
/// KeptRow, for the part of the reaction that belongs to it (mechanics/kept_reactions.hpp).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::model {

struct LocatedVector {
  Vector vector = {};
  Location where = {};

  LocatedVector() = default;
  LocatedVector(const Vector& v, Location place = {}) : vector(v), where(place) {}
};

/// What rolls: the support of a sphere is r, of a thin disk r |n x a|, of an ellipsoid
/// sqrt(n_b.D^2 n_b) with D = diag(semi_axes) and n_b the plane's normal in the body's axes.
enum class Shape : std::uint8_t { sphere, disk, ellipsoid };
std::string_view to_string(Shape shape);

/// Coulomb friction, -mu N along the sliding velocity; turning joints have it at a radius. It
/// sticks (DryFriction), unless `slip` makes it smooth.
struct FrictionSpec {
  Located mu;
  std::optional<Located> radius;  ///< hinge and ball: of the bearing
  std::optional<Located> slip;    ///< v / sqrt(v^2 + slip^2) instead of v / |v|
  Location where = {};
  std::optional<Located> static_mu = {};  ///< while it sticks; absent: mu
};

/// A joint as it is asked for. Vectors are in the axes of the body they belong to and from its
/// origin, expressions of parameters and time; ground has the fixed frame.
struct JointSpec {
  std::string name;
  JointKind kind = JointKind::ball;
  std::array<std::optional<std::size_t>, 2> bodies = {};  ///< in Model::bodies; empty: ground
  std::array<LocatedVector, 2> points = {};               ///< rolls: of the plane, and the centre
  /// hinge, universal, slider: of each body. point-on-line: the first's. A disk's axle and a knife
  /// edge's forward direction: the second's. Of any length but zero.
  std::array<std::optional<LocatedVector>, 2> axes = {};
  /// hinge, slider: directions that agree where the angle is zero.
  std::array<std::optional<LocatedVector>, 2> references = {};
  /// slider, weld: from the joint's axes to each body's; absent: the bodies' own axes.
  std::optional<std::array<Matrix, 2>> frames = {};
  std::optional<LocatedVector> normal = {};  ///< of the plane, the first's
  std::optional<Located> length = {};        ///< distance
  std::optional<Located> motion = {};        ///< of positions, parameters, time
  std::optional<Shape> shape = {};           ///< rolls
  std::optional<Located> radius = {};
  std::optional<LocatedVector> semi_axes = {};
  bool contact = true;  ///< false: the coordinates keep the contact, only rolling is asked for
  std::optional<FrictionSpec> friction = {};
  Location where = {};
  std::array<Location, 2> bodies_where = {};
  Location frames_where = {};
};

/// Adds a joint: its constraints, its Joint, its DryFriction or Friction if any, and its part of
/// Model::reactions ("NAME.fx" .. "NAME.mz" in fixed axes, "NAME.bfx" .. "NAME.bmz" in those of the
/// second body, "NAME.angle" or "NAME.position", and "NAME.rate"). Moments are left out for kinds
/// that transmit none, the second body's axes for a particle. What is wrong with the joint comes
/// back, and the model is then as it was.
std::vector<Diagnostic> add_joint(Model& model, const JointSpec& spec);

}  // namespace dalembert::model
