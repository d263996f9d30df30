#pragma once
/// Bodies, and what joins them, as a model keeps them: geometry as expressions of positions and
/// time, in the fixed frame unless said otherwise. Their energies and constraints stand among the
/// model's own; what is kept here is what a reader of results asks for.
///
/// A body has an origin and axes. A point fixed in it at p (body axes, from the origin) is at
///
///     origin + rotation p,       and moves at       origin' + rotation (spin x p).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/vector.hpp"
#include "dalembert/model/diagnostic.hpp"
#include "dalembert/model/view.hpp"

namespace dalembert::model {

using expr::Expr;
using expr::Matrix;
using expr::Vector;

inline constexpr std::string_view ground = "ground";  ///< the fixed frame, where a body is named

enum class BodyKind : std::uint8_t {
  body,
  particle,  ///< a mass at a point: no orientation
  frame      ///< no mass: a place and directions that others are described in
};

struct Body {
  std::string name;
  BodyKind kind = BodyKind::body;
  Expr mass;
  Matrix inertia = {};  ///< about the centre of mass, body axes
  Vector origin = {};
  Matrix rotation = Matrix::identity();  ///< from body axes to the fixed ones
  Vector spin = {};                      ///< angular velocity, body axes
  Vector center = {};                    ///< of mass, from the origin, body axes
  Vector center_of_mass = {};            ///< origin + rotation center
  Vector velocity = {};                  ///< of the centre of mass
  /// Zero where the angles of the orientation lose their meaning (gimbal lock), 1 at best; 1 where
  /// that cannot be. `gimbal_axes` is the sequence, empty if none.
  Expr gimbal = 1;
  std::string gimbal_axes = {};
  Solid solid = {};  ///< how it is drawn, `shape` in model files
  Location where = {}, mass_where = {}, inertia_where = {};
  std::string frame = {};  ///< the body or frame it is described in; empty: the ground
};

/// A force at a place and a torque, on one body; fixed axes.
struct Load {
  std::size_t body = 0;  ///< in Model::bodies
  Vector point = {}, force = {}, torque = {};
};

enum class JointKind : std::uint8_t {
  ball,
  hinge,
  slider,
  universal,
  weld,
  distance,
  point_on_line,
  point_on_plane,
  rolls,
  knife_edge
};
inline constexpr std::array joint_kinds = {
    JointKind::ball,  JointKind::hinge,     JointKind::slider,        JointKind::universal,
    JointKind::weld,  JointKind::distance,  JointKind::point_on_line, JointKind::point_on_plane,
    JointKind::rolls, JointKind::knife_edge};
std::string_view to_string(JointKind kind);  ///< "point-on-line", say

/// A row of a joint that the coordinates keep: no constraint stands for it, and what keeps it is
/// `force` at the joint's point and `moment` on the second body, times a factor that has a symbol.
/// mechanics::complete_reactions finds the factor by the equations of Newton and Euler.
struct KeptRow {
  std::string name;  ///< as its constraint would be called
  Vector force = {}, moment = {};

  Expr factor() const { return expr::multiplier(name + " (kept)"); }
};

/// What a joint became: constraints of the model, named "NAME.x" and so on (or NAME if it is one),
/// and its reaction. Force and moment act on the second body, the opposite ones on the first.
/// They are linear in the multipliers of its constraints (expr::multiplier) and in the factors of
/// the rows that are kept, plus friction.
struct Joint {
  std::string name;
  JointKind kind = JointKind::ball;
  std::array<std::string, 2> bodies = {};  ///< a body's name or `ground`
  std::vector<std::string> constraints = {};
  Vector point = {};                         ///< where the force acts
  std::optional<Vector> axis = {};           ///< fixed axes, where the kind has one; for drawing
  Vector force = {}, moment = {};            ///< fixed axes; the moment about `point`
  Vector body_force = {}, body_moment = {};  ///< the same in the axes of the second body
  std::vector<Expr> position = {};  ///< relative angle or displacement, where the kind has one
  std::vector<Expr> rate = {};      ///< of it
  /// Of a hinge whose angle no function of the coordinates gives without a jump: the parameter
  /// (is_internal, 0 in the model) to which the angle is the nearest of all that differ by whole
  /// turns. Whoever follows a motion keeps it close to the angle, and so counts turns; else the
  /// angle is between -pi and pi. Empty where not needed.
  std::string near = {};
  std::optional<Expr> motion = {};  ///< what drives it
  std::vector<KeptRow> kept = {};   ///< until their factors are found
  Location where = {};
};

/// Smooth friction of a joint: C has the part N direction, where N = |normal| is the magnitude of a
/// part of the joint's own reaction while friction acts (theory.md 10). What sticks is a
/// DryFriction.
struct Friction {
  std::string joint;
  std::vector<Expr> normal = {};  ///< up to three components, linear in multipliers and q''
  std::vector<Expr> direction =
      {};  ///< n, by coordinate: the generalized force for N = 1, of q, q', t
  Location where = {};
};

}  // namespace dalembert::model
