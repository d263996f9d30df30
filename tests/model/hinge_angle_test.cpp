// Angles without jumps: found where the coordinates contain them, equal to atan2 but for whole
// turns.
#include <dalembert/model/hinge_angle.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/vector.hpp"
#include "dalembert/model/kinematics.hpp"
#include "dalembert/model/vanishing.hpp"

namespace dalembert::model::hinge_angle_test {
namespace {

const Expr a = expr::coordinate("a"), b = expr::coordinate("b"), c = expr::coordinate("c"),
           w = expr::parameter("w"), t = expr::time();

/// The angle of the first axis of `inner`, seen from `outer`, about their common third one.
std::optional<Expr> angle_between(const Turn& outer, const Turn& inner) {
  const Matrix relative = transpose(outer.rotation) * inner.rotation;
  return smooth_angle(relative[1][0], relative[0][0]);
}

Turn turn(std::string_view axes, std::vector<Expr> angles) {
  return turn_by_axes(axes, angles);
}

TEST(HingeAngle, DifferencesOfAnglesAreFound) {
  const auto plane = angle_between(turn("z", {a}), turn("z", {b}));
  ASSERT_TRUE(plane);
  EXPECT_TRUE(expr::same(*plane, b - a));
  const auto spinning = angle_between(turn("z", {w * t}), turn("z", {2 * a + b}));
  ASSERT_TRUE(spinning);
  EXPECT_TRUE(is_identically_zero(*spinning - (2 * a + b - w * t)));
  const auto swinging = angle_between(turn("z", {sin(w * t)}), turn("z", {b}));
  ASSERT_TRUE(swinging);
  EXPECT_TRUE(is_identically_zero(*swinging - (b - sin(w * t))));
}

TEST(HingeAngle, TheLastOfAChainOfTurnsIsFound) {
  const auto euler = angle_between(turn("zx", {a, b}), turn("zxz", {a, b, c}));
  ASSERT_TRUE(euler);
  EXPECT_TRUE(expr::same(*euler, c));
  // About the diagonal, and by a quaternion of half the angle.
  const Vector u = Vector{1, 1, 0} / sqrt(Expr(2)), e{0, 0, 1};
  const Vector turned = turn_about(u, a).rotation * e;
  const auto about = smooth_angle(dot(turned, cross(u, e)), dot(turned, e));
  ASSERT_TRUE(about);
  EXPECT_TRUE(expr::same(*about, a));
  const auto half =
      angle_between({}, turn_by_quaternion({cos(a / 2), Expr(0), Expr(0), sin(a / 2)}));
  ASSERT_TRUE(half);
  EXPECT_TRUE(expr::same(*half, a));
}

TEST(HingeAngle, AConstantStandsBesideIt) {
  const auto shifted = angle_between(turn("z", {a + w}), turn("z", {b}));
  ASSERT_TRUE(shifted);
  const auto values = [](const expr::Symbol& s) { return s.name == "a" ? 0.4 : 0.3; };
  EXPECT_NEAR(expr::evaluate(*shifted, values), 0.3 - 0.4 - 0.3, 1e-15);
  const auto back =
      angle_between(turn("z", {a}), turn("zy", {b, expr::pi()}) * turn("y", {Expr(0)}));
  EXPECT_FALSE(back && is_identically_zero(*back - (b - a))) << "its third axis points back";
}

TEST(HingeAngle, FreeQuaternionsHaveNone) {
  const auto free = angle_between({}, turn_by_quaternion({a, Expr(0), Expr(0), b}));
  EXPECT_FALSE(free);
  // A turn about another axis too, which a constraint must keep away.
  EXPECT_FALSE(angle_between({}, turn("zx", {a, b}) * turn("z", {c})));
}

TEST(HingeAngle, TheOneNearAReference) {
  for (const double near : {-20.0, -3.0, 0.0, 1.0, 40.0}) {
    for (const double off : {-3.1, -1.0, 0.0, 2.0, 3.1}) {
      const double angle = near + off;
      const Expr e = angle_near(Expr(std::sin(angle)), Expr(std::cos(angle)), Expr(near));
      EXPECT_NEAR(expr::evaluate(e, [](const expr::Symbol&) { return 0.0; }), angle, 1e-14 * 50);
    }
  }
}

}  // namespace
}  // namespace dalembert::model::hinge_angle_test
