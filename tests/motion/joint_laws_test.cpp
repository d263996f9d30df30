// Newton's and Euler's laws for each body of a joint, with the reaction that is reported; springs
// and forces at points by the same laws.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../model/skew_joints.hpp"
#include "dalembert/model/point_force.hpp"
#include "dalembert/model/spring.hpp"
#include "joints_support.hpp"

namespace dalembert::motion::joint_laws_test {
namespace {

using Eigen::Vector3d;
using expr::Expr;
namespace by_hand = model::by_hand;

constexpr double g = 9.8125;

/// m a and the rate of the moment of momentum about the centre of mass, fixed axes.
struct Inertia {
  Vector3d force, moment;
};

Inertia inertia(const Solved& solved, std::size_t which) {
  const model::Body& b = solved.model().bodies[which];
  const Vector I = {b.inertia[0][0], b.inertia[1][1], b.inertia[2][2]};
  const Vector L = {I.x * b.spin.x, I.y * b.spin.y, I.z * b.spin.z};
  return {solved(b.mass) * solved(time_derivative(b.velocity)),
          solved(time_derivative(b.rotation * L))};
}

/// Random initial values; quaternions near unit length. The laws hold whichever way round a joint
/// is put together.
void scatter(Model& model, unsigned seed) {
  model.conditions.clear();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const std::string& name : model.coordinates) {
    const double q = number(random), v = number(random);
    set(model, name, name.ends_with("e0") ? 1 : q / 2, v);
  }
}

void expect_near(const Vector3d& found, const Vector3d& expected, double scale) {
  // Nearly singular positions among random ones amplify rounding, as the size of the forces shows.
  EXPECT_LT((found - expected).norm(), 1e-9 * (1 + scale))
      << found.transpose() << " instead of " << expected.transpose();
}

TEST(JointLaws, NewtonAndEulerHoldForBothBodiesOfEveryJoint) {
  const Vector3d weight(0, 0, -g);
  for (JointSpec spec : by_hand::all_kinds()) {
    for (unsigned seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(std::string(to_string(spec.kind)) + ", seed " + std::to_string(seed));
      Model model;
      const std::size_t a = by_hand::quaternion(model, "a", 1.5, {1, 1.5, 2});
      const std::size_t b = by_hand::euler(model, "b", 2, {0.75, 0.5, 1});
      model.parameters = {{"p", Expr(0.7), {}}, {"L", Expr(1.25), {}}};
      spec.bodies = {a, b};
      join(model, spec);
      gravity(model, {0, 0, -g});
      scatter(model, seed);
      set(model, "bz", 3);
      model.initial.adjust = model::Adjust::nearest;
      const Solved solved(model);
      const model::Joint& joint = solved.joint("j");
      const Vector3d F = solved(joint.force), M = solved(joint.moment), P = solved(joint.point);
      EXPECT_GT(F.norm() + M.norm(), 0.01);
      for (const std::size_t body : {a, b}) {
        const double sign = body == b ? 1 : -1;
        const Inertia needed = inertia(solved, body);
        const Vector3d c = solved(model.bodies[body].center_of_mass);
        const double mass = solved(model.bodies[body].mass);
        const double scale = F.norm() + M.norm() + needed.force.norm() + needed.moment.norm();
        expect_near(needed.force, sign * F + mass * weight, scale);
        expect_near(needed.moment, sign * (M + (P - c).cross(F)), scale);
      }
    }
  }
}

TEST(JointLaws, ForcesAndTorquesAtPoints) {
  for (const bool in_body_axes : {false, true}) {
    Model model;
    const std::size_t b = by_hand::euler(model, "b", 2, {0.75, 0.5, 1});
    model::PointForceSpec spec;
    spec.name = "push";
    spec.body = b;
    spec.point = Vector{0.5, -1, 0.25};
    const Expr x = expr::coordinate("bx"), rate = expr::coordinate("bc", 1);
    spec.force = Vector{1 + x, -2 * rate, 3};  // of positions and velocities
    spec.torque = Vector{0.5, rate, -0.25};
    spec.in_body_axes = in_body_axes;
    ASSERT_TRUE(add_point_force(model, spec).empty());
    ASSERT_TRUE(add_point_force(model, spec).empty());  // and once more: they add up
    scatter(model, 3);
    const Solved solved(model);
    const model::Body& body = model.bodies[b];
    const auto world = [&](const Vector& v) {
      return solved(in_body_axes ? body.rotation * v : v);
    };
    const Vector3d F = 2 * world(spec.force->vector);
    const Vector3d arm = solved(body.rotation * spec.point.vector);
    const Inertia needed = inertia(solved, b);
    expect_near(needed.force, F, 1);
    expect_near(needed.moment, 2 * world(spec.torque->vector) + arm.cross(F), 1);
  }
}

model::SpringSpec spring_of(double k, double c, double rest) {
  model::SpringSpec spec;
  spec.name = "spring";
  spec.stiffness = Located{Expr(k), {}};
  if (c != 0) spec.damping = Located{Expr(c), {}};
  if (rest != 0) spec.rest = Located{Expr(rest), {}};
  return spec;
}

// k (|d| - l) + c |d|' along the line between the points pulls both bodies together.
TEST(JointLaws, SpringsPullAlongTheirLine) {
  const double k = 20, c = 3;
  for (const double l : {0.0, 0.5}) {
    Model model;
    const std::size_t a = by_hand::quaternion(model, "a", 1.5, {1, 1.5, 2});
    const std::size_t b = by_hand::euler(model, "b", 2, {0.75, 0.5, 1});
    model::SpringSpec spec = spring_of(k, c, l);
    spec.bodies = {a, b};
    spec.points = {Vector{0.25, 0.5, -1}, Vector{0.5, 0, 0.25}};
    ASSERT_TRUE(add_spring(model, spec).empty());
    scatter(model, 4);
    set(model, "bz", 2, 0.5);
    model.initial.adjust = model::Adjust::nearest;
    const Solved solved(model);
    const auto end = [&](std::size_t body, std::size_t i) {
      return model.bodies[body].origin + model.bodies[body].rotation * spec.points[i].vector;
    };
    const Vector d = end(b, 1) - end(a, 0);
    const Vector3d line = solved(d), along = line.normalized();
    const double rate = along.dot(solved(time_derivative(d)));
    const Vector3d pull = (k * (line.norm() - l) + c * rate) * along;
    const Inertia first = inertia(solved, a), second = inertia(solved, b);
    expect_near(first.force, pull, pull.norm());
    expect_near(second.force, -pull, pull.norm());
    const Vector3d arm = solved(end(b, 1) - model.bodies[b].origin);
    expect_near(second.moment, -arm.cross(pull), pull.norm());
  }
}

// Along a hinge: I theta'' = -k (theta - rest) - c theta'; along a slider: the same of a mass.
TEST(JointLaws, SpringsAlongJoints) {
  const double k = 20, c = 3, rest = 0.25, q = 0.75, v = -0.5;
  for (const JointKind kind : {JointKind::hinge, JointKind::slider}) {
    Model model;
    const std::size_t b = by_hand::quaternion(model, "b", 2, {1, 1.25, 0.5});
    JointSpec joint;
    joint.name = "j";
    joint.kind = kind;
    joint.bodies = {std::nullopt, b};
    joint.axes = {Vector{0, 1, 0}, Vector{0, 1, 0}};
    join(model, joint);
    model::SpringSpec spec = spring_of(k, c, rest);
    spec.joint = "j";
    ASSERT_TRUE(add_spring(model, spec).empty());
    const double pull = -k * (q - rest) - c * v;
    if (kind == JointKind::hinge) {
      set_turn(model, "b", {0, 1, 0}, q, v);
      const Solved solved(model);
      EXPECT_NEAR(solved(time_derivative(model.bodies[b].spin).y), pull / 1.25, 1e-11);
    } else {
      set(model, "by", q, v);
      set(model, "be0", 1);
      const Solved solved(model);
      EXPECT_NEAR(solved.acceleration("by"), pull / 2, 1e-11);
    }
  }
}

}  // namespace
}  // namespace dalembert::motion::joint_laws_test
