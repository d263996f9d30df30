// Joints over a stretch of motion: a closed loop of bodies in space against the same mechanism in
// the plane, and an ellipsoid that rolls and must neither gain energy nor leave its plane.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dalembert/motion/simulate.hpp"
#include "joints_support.hpp"

namespace dalembert::motion::joint_motions_test {
namespace {

using Eigen::Vector3d;
using expr::Expr;
namespace by_hand = model::by_hand;

constexpr double g = 9.8125;

/// The last sample of a motion of some seconds.
struct End {
  Summary summary;
  std::vector<double> q, v;
};

End run(const Motion& motion, double duration, double rtol = 1e-10) {
  SimulationOptions options = simulation_options(motion);
  options.duration = duration;
  options.samples = 11;
  options.rtol = rtol;
  End end;
  end.summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
        end.q.assign(s.q.begin(), s.q.end());
        end.v.assign(s.v.begin(), s.v.end());
        return true;
      });
  EXPECT_TRUE(end.summary.complete) << end.summary.reason;
  return end;
}

double at(const Motion& motion, const End& end, const std::string& name) {
  const auto& names = motion.model().coordinates;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return end.q[i];
  }
  ADD_FAILURE() << "no coordinate " << name;
  return 0;
}

// The slider-crank that comes with the program, of three coordinates in the plane. In space: crank,
// rod and slider with seven coordinates each, three hinges and a slider, 23 rows of rank 20.
TEST(JointMotions, SliderCrankInSpaceMovesAsInThePlane) {
  const Motion plane =
      compile(model::read_model(DALEMBERT_MODELS "/slider_crank.toml").value()).value();
  const double J = 0.125, R = 0.25, L = 0.75, rod_mass = 1, slider_mass = 2;
  Model model;
  const std::size_t crank = by_hand::quaternion(model, "c", 3, {1, 1, J});
  const std::size_t rod =
      by_hand::quaternion(model, "r", rod_mass, {0.01, 0.05, rod_mass * L * L / 12});
  const std::size_t slider = by_hand::quaternion(model, "s", slider_mass, {1, 1, 1});
  const auto add = [&](const std::string& name, std::optional<std::size_t> first,
                       std::size_t second, const Vector& p1, const Vector& p2) {
    JointSpec spec;
    spec.name = name;
    spec.kind = name == "guide" ? JointKind::slider : JointKind::hinge;
    spec.bodies = {first, second};
    spec.points = {p1, p2};
    const Vector axis = name == "guide" ? Vector{1, 0, 0} : Vector{0, 0, 1};
    spec.axes = {axis, axis};
    join(model, spec);
  };
  add("main", {}, crank, {}, {});
  add("pin", crank, rod, {R, 0, 0}, {-L / 2, 0, 0});
  add("wrist", rod, slider, {L / 2, 0, 0}, {});
  add("guide", {}, slider, {}, {});
  gravity(model, {0, -g, 0});
  const State start = plane.written_initial_state().value();
  const double theta = start.q[0], phi = start.q[1], x = start.q[2];
  set_turn(model, "c", {0, 0, 1}, theta, start.v[0]);
  set_turn(model, "r", {0, 0, 1}, -phi, -start.v[1]);
  set(model, "rx", R * std::cos(theta) + L / 2 * std::cos(phi),
      -R * std::sin(theta) * start.v[0] - L / 2 * std::sin(phi) * start.v[1]);
  set(model, "ry", R * std::sin(theta) - L / 2 * std::sin(phi),
      R * std::cos(theta) * start.v[0] - L / 2 * std::cos(phi) * start.v[1]);
  set(model, "sx", x, start.v[2]);
  set_turn(model, "s", {0, 0, 1}, 0, 0);
  const Motion space = compile(model).value();
  const Acceleration here = plane.acceleration(0, start.q, start.v);
  const Solved solved(model);
  EXPECT_EQ(solved.result().rank, 20);
  EXPECT_NEAR(solved.acceleration("sx"), here.qdd[2], 1e-9);
  // About a turn and a half of the crank.
  const End in_plane = run(plane, 1.2), in_space = run(space, 1.2);
  EXPECT_NEAR(at(space, in_space, "sx"), at(plane, in_plane, "x"), 1e-7);
  const double turned = 2 * std::atan2(at(space, in_space, "ce3"), at(space, in_space, "ce0"));
  EXPECT_NEAR(std::remainder(turned - in_plane.q[0], 2 * std::numbers::pi), 0, 1e-7);
  EXPECT_LT(in_space.summary.largest_residual, 1e-10);
  EXPECT_LT(in_space.summary.relative_balance_error(), 1e-8);
}

// A rattleback: an ellipsoid whose principal axes of inertia are turned against its own. What rolls
// does no work; the lowest of many points of its surface lies on the plane.
TEST(JointMotions, EllipsoidRollsWithoutWork) {
  const double m = 1, a = 0.125, b = 0.25, c = 0.0625, turn = 0.25;
  Model model;
  const std::size_t stone = by_hand::quaternion(model, "b", m, {0, 0, 0});
  model::Body& body = model.bodies[stone];
  const double I1 = 0.0125, I2 = 0.0031, I3 = 0.0150;
  const double cs = std::cos(turn), sn = std::sin(turn);
  body.inertia =
      model::Matrix::diagonal({I1 * cs * cs + I2 * sn * sn, I1 * sn * sn + I2 * cs * cs, I3});
  body.inertia[0][1] = body.inertia[1][0] = (I1 - I2) * cs * sn;
  Vector L;
  for (std::size_t i = 0; i < 3; ++i) L[i] = dot(body.inertia.column(i), body.spin);
  model.kinetic->expr += dot(L, body.spin) / 2;
  JointSpec rolls;
  rolls.name = "table";
  rolls.kind = JointKind::rolls;
  rolls.bodies[1] = stone;
  rolls.normal = Vector{0, 0, 1};
  rolls.shape = model::Shape::ellipsoid;
  rolls.semi_axes = Vector{a, b, c};
  join(model, rolls);
  gravity(model, {0, 0, -g});
  set_turn(model, "b", Vector3d(1, 2, 0).normalized(), 0.125, 0);
  set(model, "be3", 0, 1.5);
  set(model, "bz", c);
  model.initial.adjust = model::Adjust::nearest;
  const Motion motion = compile(model).value();
  const End end = run(motion, 2);
  EXPECT_LT(end.summary.relative_balance_error(), 1e-8);
  EXPECT_LT(std::abs(end.summary.work_ideal), 1e-9);
  const double w = at(motion, end, "be0");
  const Vector3d e(at(motion, end, "be1"), at(motion, end, "be2"), at(motion, end, "be3"));
  double lowest = 1;
  constexpr int steps = 400;
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < 2 * steps; ++j) {
      const double u = std::numbers::pi * i / steps, v = std::numbers::pi * j / steps;
      const Vector3d p(a * std::sin(u) * std::cos(v), b * std::sin(u) * std::sin(v),
                       c * std::cos(u));
      const Vector3d turned = p + 2 * e.cross(e.cross(p) + w * p);
      lowest = std::min(lowest, at(motion, end, "bz") + turned.z());
    }
  }
  // The surface between two of the points is curved by no more than b / (a c): second order.
  EXPECT_GT(lowest, -1e-9);
  EXPECT_LT(lowest, 1e-5);
}

}  // namespace
}  // namespace dalembert::motion::joint_motions_test
