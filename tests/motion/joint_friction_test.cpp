// Joints in space with friction and with more constraints than needed, against what plane mechanics
// and Newton's law say.

#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/motion/reactions.hpp"
#include "dalembert/motion/simulate.hpp"
#include "joints_support.hpp"
#include "rough_joints.hpp"

namespace dalembert::motion::joint_friction_test {
namespace {

using expr::Expr;
namespace by_hand = model::by_hand;

/// On a hinge about z at the origin, hanging along -y, by a quaternion: M is singular.
Model hinged(double mu, double angle, double rate) {
  Model model;
  const std::size_t body = by_hand::quaternion(model, "b", 1, {0.3, 0.2, bearing_inertia});
  model.quaternions.push_back({3, 4, 5, 6});  // as the reader tells of them
  gravity(model, {0, -9.81, 0});
  JointSpec pin;
  pin.name = "pin";
  pin.kind = JointKind::hinge;
  pin.bodies[1] = body;
  pin.points[1] = Vector{0, bearing_arm, 0};
  pin.axes = {Vector{0, 0, 1}, Vector{0, 0, 1}};
  if (mu > 0) pin.friction = model::FrictionSpec{{Expr(mu), {}}, Located{Expr(0.2), {}}, {}, {}};
  join(model, pin);
  const double l = bearing_arm;
  set(model, "bx", l * std::sin(angle), l * std::cos(angle) * rate);
  set(model, "by", -l * std::cos(angle), l * std::sin(angle) * rate);
  set_turn(model, "b", {0, 0, 1}, angle, rate);
  return model;
}

TEST(JointFriction, OfAHingeInSpaceIsThatOfThePlane) {
  for (const double angle : {0.0, 0.4, 2.0}) {
    const Solved solved(hinged(0.25, angle, 3));
    const double expected = bearing_acceleration(0.25 * 0.2, angle, 3);
    const double l = bearing_arm;
    EXPECT_NEAR(solved.acceleration("bx"), l * (std::cos(angle) * expected - std::sin(angle) * 9),
                1e-11);
    const auto reactions = calc_reactions(solved.motion(), solved.state(), solved.result());
    ASSERT_EQ(reactions.size(), 1u);
    const JointReaction& pin = reactions.front();
    EXPECT_TRUE(pin.unique);
    // m a = m g + f, and the friction turns against the motion.
    EXPECT_NEAR(pin.force[0], solved.acceleration("bx"), 1e-11);
    EXPECT_NEAR(pin.force[1], solved.acceleration("by") + 9.81, 1e-11);
    EXPECT_NEAR(*pin.friction, std::hypot(pin.force[0], pin.force[1]), 1e-11);
    EXPECT_NEAR(pin.moment[2], -0.25 * 0.2 * *pin.friction, 1e-11);
  }
}

TEST(JointFriction, TakesTheEnergyThatItsWorkTells) {
  Model model = hinged(0.25, 0, 3);
  model.simulation.duration = {Expr(0.3), {}};
  const auto motion = compile(model).value();
  double last = 0;
  const Summary summary = simulate(motion, initial_state(motion)->state, simulation_options(motion),
                                   [&](const Sample& sample) {
                                     EXPECT_LE(sample.work_nonideal, last);
                                     last = sample.work_nonideal;
                                     return true;
                                   });
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_LT(summary.work_nonideal, -0.1);
  EXPECT_LT(summary.relative_balance_error(), 1e-8);  // rtol 1e-9
}

/// A rod along its body's x axis, one end on the plane z = 0, sliding along x.
Model rod_on_a_plane(double mu, double theta) {
  Model model;
  const std::size_t body =
      by_hand::quaternion(model, "b", 1, {0.05, expr::Rational(1, 3), expr::Rational(1, 3)});
  gravity(model, {0, 0, -9.81});
  JointSpec contact;
  contact.name = "contact";
  contact.kind = JointKind::point_on_plane;
  contact.bodies[1] = body;
  contact.points[1] = Vector{-1, 0, 0};
  contact.normal = Vector{0, 0, 1};
  contact.friction = model::FrictionSpec{{Expr(mu), {}}, {}, {}, {}};
  join(model, contact);
  set(model, "bx", 0, 1);
  set(model, "bz", std::sin(theta));
  set_turn(model, "b", {0, -1, 0}, theta, 0);
  return model;
}

TEST(JointFriction, OfARodOnAPlaneHasPainlevesLimit) {
  const double theta = 1.1, critical = critical_friction(theta);
  const Solved below(rod_on_a_plane(critical * (1 - 1e-6), theta));
  EXPECT_EQ(below.result().status, Status::ok);
  const auto above = compile(rod_on_a_plane(critical * (1 + 1e-6), theta)).value();
  const State start = initial_state(above).value().state;
  const Acceleration refused = above.acceleration(start.t, start.q, start.v);
  EXPECT_TRUE(refused.qdd.array().isNaN().all());
  EXPECT_NE(refused.problem.find("'contact.friction'"), std::string::npos) << refused.problem;
  const Solved mild(rod_on_a_plane(0.5, theta));
  const auto reactions = calc_reactions(mild.motion(), mild.state(), mild.result());
  EXPECT_NEAR(reactions[0].force[0], -0.5 * reactions[0].force[2], 1e-11);
  EXPECT_NEAR(reactions[0].force[2], mild.acceleration("bz") + 9.81, 1e-11);
  EXPECT_NEAR(reactions[0].force[0], mild.acceleration("bx"), 1e-11);
}

TEST(JointReactions, OfADoorOnTwoHingesAreNotUniqueButTheirSumIs) {
  Model model = hinged(0, 0.4, 3);
  JointSpec upper;
  upper.name = "upper";
  upper.kind = JointKind::hinge;
  upper.bodies[1] = 0;
  upper.points = {Vector{0, 0, 1}, Vector{0, bearing_arm, 1}};
  upper.axes = {Vector{0, 0, 1}, Vector{0, 0, 1}};
  join(model, upper);
  const Solved solved(model);
  EXPECT_EQ(solved.result().rank, 6);  // five of the hinges, and the quaternion
  const auto reactions = calc_reactions(solved.motion(), solved.state(), solved.result());
  ASSERT_EQ(reactions.size(), 2u);
  EXPECT_FALSE(reactions[0].unique);
  EXPECT_FALSE(reactions[1].unique);
  EXPECT_NEAR(reactions[0].force[0] + reactions[1].force[0], solved.acceleration("bx"), 1e-10);
  EXPECT_NEAR(reactions[0].force[1] + reactions[1].force[1], solved.acceleration("by") + 9.81,
              1e-10);
}

}  // namespace
}  // namespace dalembert::motion::joint_friction_test
