#pragma once
/// Turning axes: rotations as expressions, with the angular velocity that comes with them.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/model/body.hpp"

namespace dalembert::model {

/// A turn about an axis, or about several one after the other.
struct TurnStep {
  std::string letters = {};  ///< of turn_by_axes; empty: turn_about an axis
  Vector axis = {};
  std::vector<Expr> angles = {};
};

/// How axes stand in other axes: v_outer = rotation v_inner, rotation' = rotation [spin]x, so that
/// `spin` is the angular velocity in the inner axes.
struct Turn {
  Matrix rotation = Matrix::identity();
  Vector spin = {};
  Expr gimbal = 1;  ///< zero where angles lose their meaning, see Body
  std::string gimbal_axes = {};
  /// How it was made, step by step, so that it can be written down; empty if that is not known.
  std::vector<TurnStep> steps = {};
};

bool is_identity(const Matrix& rotation);

/// The turn `inner`, seen from the axes in which `outer` is described.
Turn operator*(const Turn& outer, const Turn& inner);

/// About an axis, a unit vector, by Rodrigues' formula. The axis may itself move: with u' its rate,
/// spin = angle' u + sin(angle) u' - (1 - cos(angle)) u x u'.
Turn turn_about(const Vector& unit_axis, const Expr& angle);

/// About the axes named by the letters x, y, z, one after the other, each where the ones before it
/// have brought it (intrinsic): "zxz" are Euler's angles, "zyx" yaw, pitch and roll. As many angles
/// as letters. Three angles that move are watched for gimbal lock: `gimbal` is then the
/// determinant, up to sign, of angle rates -> angular velocity, the sine of the second angle where
/// the first and the third axis are the same, else its cosine.
Turn turn_by_axes(std::string_view axes, std::span<const Expr> angles);
/// The gimbal of that turn alone, without rotation and spin.
Turn gimbal_by_axes(std::string_view axes, std::span<const Expr> angles);

/// By a unit quaternion e0 + e1 i + e2 j + e3 k. The entries are the polynomials of degree two:
/// off the unit sphere the rotation is scaled by |e|², and spin = 2 (e0 e' - e0' e - e x e')
/// vanishes for e' along e, which is why the mass matrix of a body so described is singular.
Turn turn_by_quaternion(const std::array<Expr, 4>& e);

/// |e|² - 1
Expr unit_residual(const std::array<Expr, 4>& e);

bool contains_coordinate(const Expr& e);

}  // namespace dalembert::model
