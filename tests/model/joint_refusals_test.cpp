// What a program can ask of joints, springs and forces that cannot be, and that a refusal leaves
// the model as it was.
#include <dalembert/model/joint.hpp>
#include <dalembert/model/point_force.hpp>
#include <dalembert/model/spring.hpp>

#include <gtest/gtest.h>

#include <functional>

#include "complaints_of.hpp"
#include "skew_joints.hpp"

namespace dalembert::model::joint_refusals_test {
namespace {

using by_hand::skew;

/// A model of two bodies and a particle: 0, 1, 2.
Model three() {
  Model model;
  by_hand::euler(model, "a");
  by_hand::euler(model, "b");
  by_hand::particle(model, "p");
  model.parameters = {{"L", Expr(2), {}}, {"p0", Expr(0), {}}};
  return model;
}

void refused(const JointSpec& spec, const std::string& expected) {
  Model model = three();
  EXPECT_EQ(complaint_lines(add_joint(model, spec)), expected);
  EXPECT_TRUE(model.constraints.empty());
  EXPECT_TRUE(model.joints.empty());
  EXPECT_TRUE(model.reactions.empty());
  EXPECT_TRUE(model.frictions.empty());
}

/// The joint of a kind between bodies 0 and 1, changed.
void refused(JointKind kind, const std::function<void(JointSpec&)>& change,
             const std::string& expected) {
  JointSpec spec = skew(kind);
  spec.bodies = {0, 1};
  change(spec);
  refused(spec, expected.empty() ? "" : "0:0+0 joint 'j': " + expected + "\n");
}

Located number(double x) {
  return {Expr(x), {}};
}

TEST(JointRefusals, BodiesThatCannotBeJoined) {
  refused(JointKind::ball, [](JointSpec& s) { s.bodies = {1, 1}; }, "it joins 'b' with itself");
  refused(JointKind::ball, [](JointSpec& s) { s.bodies = {}; }, "it joins the ground with itself");
  refused(
      JointKind::ball, [](JointSpec& s) { s.bodies = {0, 7}; },
      "it joins a body that the model does not have");
  Model model = three();
  JointSpec spec = skew(JointKind::ball);
  spec.bodies = {0, 1};
  EXPECT_EQ(complaint_lines(add_joint(model, spec)), "");
  EXPECT_EQ(complaint_lines(add_joint(model, spec)),
            "0:0+0 joint 'j': there is another joint of this name\n");
}

TEST(JointRefusals, ParticlesHaveNoOrientation) {
  const auto second = [](JointSpec& s) {
    s.bodies = {0, 2};
    s.points[1] = Vector{};
  };
  const auto first = [](JointSpec& s) {
    s.bodies = {2, 1};
    s.points[0] = Vector{};
  };
  const std::string no = "'p' is a particle and has no orientation";
  refused(JointKind::hinge, second, no + ", so a hinge cannot hold it");
  refused(JointKind::weld, first, no + ", so a weld cannot hold it");
  refused(JointKind::rolls, second, no + ", so a rolling joint cannot hold it");
  refused(JointKind::knife_edge, second, no + ", so a knife edge cannot hold it");
  refused(JointKind::point_on_line, first, no + ", so no line can be fixed in it; name it second");
  refused(JointKind::point_on_plane, first,
          no + ", so no plane can be fixed in it; name it second");
  refused(
      JointKind::ball, [](JointSpec& s) { s.bodies = {0, 2}; }, no + ": its only point is itself");
  refused(
      JointKind::ball,
      [&](JointSpec& s) {
        second(s);
        s.friction = FrictionSpec{number(1), number(1), {}, {}};
      },
      no + ": nothing turns in the joint");
  for (const JointKind kind : {JointKind::ball, JointKind::distance, JointKind::point_on_line,
                               JointKind::point_on_plane}) {
    Model model = three();
    JointSpec spec = skew(kind);
    second(spec);
    EXPECT_EQ(complaint_lines(add_joint(model, spec)), "");
    EXPECT_EQ(model.reactions.size(), 3U);  // no moments, no axes
  }
}

TEST(JointRefusals, WhatAKindDoesNotTakeOrLacks) {
  refused(
      JointKind::ball, [](JointSpec& s) { s.axes[0] = Vector{1, 0, 0}; },
      "a ball joint takes no axis");
  refused(JointKind::hinge, [](JointSpec& s) { s.axes = {}; }, "a hinge needs an axis");
  refused(
      JointKind::hinge, [](JointSpec& s) { s.axes[1] = Vector{}; }, "its axis must not be zero");
  const Expr zero = expr::parameter("p0");
  refused(
      JointKind::hinge, [&](JointSpec& s) { s.axes[0] = Vector{zero, 0, zero}; },
      "its axis must not be zero");
  refused(
      JointKind::hinge, [](JointSpec& s) { s.references[1].reset(); },
      "it needs a reference in each body");
  refused(
      JointKind::hinge, [](JointSpec& s) { s.references[0] = s.axes[0]; },
      "a reference must not be zero or along the axis");
  refused(
      JointKind::hinge,
      [](JointSpec& s) {
        s.references = {};
        s.motion = number(1);
      },
      "with an axis for each body its motion needs references, which define where the angle is "
      "zero");
  refused(JointKind::hinge, [](JointSpec& s) { s.frames.emplace(); }, "a hinge takes no frames");
  refused(
      JointKind::universal, [](JointSpec& s) { s.motion = number(1); },
      "a universal joint takes no motion");
  refused(
      JointKind::weld, [](JointSpec& s) { s.normal = Vector{1, 0, 0}; }, "a weld takes no normal");
  refused(JointKind::weld, [](JointSpec& s) { s.length = number(1); }, "a weld takes no length");
  refused(
      JointKind::weld, [](JointSpec& s) { s.references[0] = Vector{1, 0, 0}; },
      "a weld takes no references");
  refused(JointKind::weld, [](JointSpec& s) { s.radius = number(1); }, "a weld takes no radius");
  refused(JointKind::weld, [](JointSpec& s) { s.shape = Shape::disk; }, "a weld takes no shape");
  refused(
      JointKind::point_on_plane, [](JointSpec& s) { s.normal.reset(); },
      "a point-on-plane joint needs a normal");
  refused(
      JointKind::point_on_plane, [](JointSpec& s) { s.normal = Vector{}; },
      "its normal must not be zero");
  refused(
      JointKind::slider,
      [](JointSpec& s) {
        s.frames.emplace();
        s.axes[1] = Vector{1, 0, 0};
      },
      "with frames it takes one axis, in the axes of the first body");
}

TEST(JointRefusals, LengthsAndShapes) {
  refused(
      JointKind::distance, [](JointSpec& s) { s.length.reset(); },
      "a distance joint needs a length");
  refused(
      JointKind::distance, [](JointSpec& s) { s.motion = number(1); },
      "its motion is its length: give one of them");
  refused(
      JointKind::distance, [](JointSpec& s) { s.length = number(0); },
      "its length must be positive; a ball joint holds two points together");
  refused(
      JointKind::distance, [](JointSpec& s) { s.length = number(-1); },
      "its length must be positive");
  refused(
      JointKind::rolls, [](JointSpec& s) { s.shape.reset(); },
      "a rolling joint needs a shape: sphere, disk or ellipsoid");
  refused(
      JointKind::rolls, [](JointSpec& s) { s.semi_axes.reset(); }, "an ellipsoid needs semi_axes");
  refused(
      JointKind::rolls, [](JointSpec& s) { s.semi_axes = Vector{1, 0, 1}; },
      "its semi_axes must be positive");
  refused(
      JointKind::rolls, [](JointSpec& s) { s.radius = number(1); },
      "an ellipsoid has semi_axes, no radius");
  refused(
      JointKind::rolls, [](JointSpec& s) { s.shape = Shape::sphere; },
      "a sphere has a radius, no semi_axes");
  refused(
      JointKind::rolls,
      [](JointSpec& s) {
        s.shape = Shape::sphere;
        s.semi_axes.reset();
      },
      "a sphere needs a radius");
  refused(
      JointKind::rolls,
      [](JointSpec& s) {
        s.shape = Shape::disk;
        s.semi_axes.reset();
        s.radius = number(-1);
        s.axes[1] = Vector{0, 0, 1};
      },
      "its radius must be positive");
  refused(
      JointKind::rolls,
      [](JointSpec& s) {
        s.shape = Shape::disk;
        s.semi_axes.reset();
        s.radius = number(1);
      },
      "a disk needs an axis");
  refused(
      JointKind::rolls, [](JointSpec& s) { s.axes[1] = Vector{0, 0, 1}; },
      "a rolling joint takes no axis");
}

TEST(JointRefusals, Friction) {
  const auto with = [](std::optional<Located> radius, std::optional<Located> slip = {},
                       double mu = 0.5) {
    return [=](JointSpec& s) { s.friction = FrictionSpec{number(mu), radius, slip, {}}; };
  };
  refused(JointKind::weld, with({}), "a weld takes no friction: nothing moves in it");
  refused(JointKind::distance, with({}),
          "a distance joint takes no friction: no surfaces touch in it");
  refused(JointKind::universal, with({}),
          "a universal joint takes no friction: it turns about two axes, each with a bearing of "
          "its own: make it of two hinges and a body between them");
  refused(JointKind::rolls, with({}),
          "a rolling joint takes no friction: what rolls does not slip, so its friction does no "
          "work; let a point slide on a plane instead");
  refused(JointKind::hinge, with({}),
          "the friction of a hinge needs a radius, that of the bearing");
  refused(JointKind::slider, with(number(1)), "the friction of a slider takes no radius");
  refused(JointKind::hinge, with(number(0)), "the radius of its friction must be positive");
  refused(JointKind::slider, with({}, number(0)), "slip must be positive");
  refused(JointKind::slider, with({}, {}, -1), "mu must not be negative");
}

TEST(JointRefusals, GeometryOfCoordinates) {
  const Expr x = expr::coordinate("ax");
  refused(
      JointKind::ball, [&](JointSpec& s) { s.points[0] = Vector{0, x, 0}; },
      "coordinate ax cannot stand here: the geometry of a joint depends on parameters and "
      "time only");
  refused(
      JointKind::distance,
      [](JointSpec& s) {
        s.length.reset();
        s.motion = Located{expr::coordinate("ax", 1), {}};
      },
      "velocity ax' cannot stand here: the motion of a joint depends on positions and time "
      "only");
}

TEST(JointRefusals, Springs) {
  const auto refusal = [](const std::function<void(SpringSpec&)>& change) {
    Model model = three();
    JointSpec ball = skew(JointKind::ball);
    ball.bodies = {0, 1};
    EXPECT_TRUE(add_joint(model, ball).empty());
    SpringSpec spec;
    spec.name = "s";
    spec.bodies = {0, 1};
    spec.stiffness = number(1);
    change(spec);
    const std::string found = complaint_lines(add_spring(model, spec));
    EXPECT_EQ(model.potential.has_value(), found.empty());
    EXPECT_FALSE(model.dissipation.has_value());
    return found;
  };
  EXPECT_EQ(refusal([](SpringSpec&) {}), "");
  EXPECT_EQ(refusal([](SpringSpec& s) { s.stiffness.reset(); }),
            "0:0+0 spring 's': it needs a stiffness\n");
  EXPECT_EQ(refusal([](SpringSpec& s) { s.bodies[1] = 0; }),
            "0:0+0 spring 's': both of its ends are on the same body\n");
  EXPECT_EQ(refusal([](SpringSpec& s) { s.rest = number(-1); }),
            "0:0+0 spring 's': its length must not be negative\n");
  EXPECT_EQ(refusal([](SpringSpec& s) {
              s.bodies[1] = 2;
              s.points[1] = Vector{0, 1, 0};
            }),
            "0:0+0 spring 's': 'p' is a particle and has no orientation: its only point is "
            "itself\n");
  EXPECT_EQ(refusal([](SpringSpec& s) { s.joint = "jj"; }),
            "0:0+0 spring 's': unknown joint 'jj'; did you mean 'j'?\n");
  EXPECT_EQ(refusal([](SpringSpec& s) { s.joint = "j"; }),
            "0:0+0 spring 's': joint 'j' is not a hinge or slider: it has no angle or displacement "
            "that a spring could act along\n");
  EXPECT_EQ(refusal([](SpringSpec& s) { s.stiffness = Located{expr::coordinate("ax"), {}}; }),
            "0:0+0 spring 's': coordinate ax cannot stand here: a spring depends on parameters "
            "and time only\n");
}

TEST(JointRefusals, PointForces) {
  const auto refusal = [](const std::function<void(PointForceSpec&)>& change) {
    Model model = three();
    PointForceSpec spec;
    spec.name = "f";
    spec.body = 2;
    spec.force = Vector{1, 0, 0};
    change(spec);
    return complaint_lines(add_point_force(model, spec));
  };
  EXPECT_EQ(refusal([](PointForceSpec&) {}), "");
  EXPECT_EQ(refusal([](PointForceSpec& s) { s.body = 3; }),
            "0:0+0 force 'f': it acts on a body that the model does not have\n");
  EXPECT_EQ(refusal([](PointForceSpec& s) { s.force.reset(); }),
            "0:0+0 force 'f': it needs a force or a torque\n");
  EXPECT_EQ(refusal([](PointForceSpec& s) { s.torque = Vector{1, 0, 0}; }),
            "0:0+0 force 'f': 'p' is a particle and has no orientation: no torque acts on it\n");
  EXPECT_EQ(refusal([](PointForceSpec& s) { s.in_body_axes = true; }),
            "0:0+0 force 'f': 'p' is a particle and has no orientation: give the force in world "
            "axes\n");
  EXPECT_EQ(refusal([](PointForceSpec& s) { s.point = Vector{1, 0, 0}; }),
            "0:0+0 force 'f': 'p' is a particle and has no orientation: its only point is "
            "itself\n");
}

}  // namespace
}  // namespace dalembert::model::joint_refusals_test
