// What joints do to motions: each kind against a closed form, a hand-written model or Newton's and
// Euler's laws for each of its bodies.
#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/model/system.hpp"
#include "joints_support.hpp"

namespace dalembert::motion::joints_test {
namespace {

using Eigen::Vector3d;
using expr::Expr;
using model::System;
namespace by_hand = model::by_hand;

constexpr double g = 9.8125;
// Accelerations and forces of order 10 to 100, condition numbers below 1e3.
constexpr double tolerance = 1e-11;

void expect_near(const Vector3d& found, const Vector3d& expected, double within = tolerance) {
  EXPECT_LT((found - expected).norm(), within * (1 + expected.norm()))
      << found.transpose() << " instead of " << expected.transpose();
}

JointSpec between(std::optional<std::size_t> first, std::optional<std::size_t> second,
                  JointKind kind, std::string name = "j") {
  JointSpec spec;
  spec.name = std::move(name);
  spec.kind = kind;
  spec.bodies = {first, second};
  return spec;
}

JointSpec hinge(std::optional<std::size_t> first, std::optional<std::size_t> second,
                const Vector& axis, std::string name = "j") {
  JointSpec spec = between(first, second, JointKind::hinge, std::move(name));
  spec.axes = {axis, axis};
  return spec;
}

// A body on a hinge along y that does not go through its plane of symmetry: I theta'' = -m g l sin
// theta about the hinge, force and moment there by Newton's and Euler's laws. The body is described
// by six coordinates and a quaternion.
TEST(JointMotion, PhysicalPendulumAndItsReaction) {
  const double m = 2, l = 0.75, b = 0.375, Iy = 0.5, theta = 0.625, rate = 1.5;
  Model model;
  const std::size_t body = by_hand::quaternion(model, "b", m, {0.375, Iy, 0.25});
  JointSpec pin = hinge({}, body, {0, 1, 0});
  pin.points[1] = Vector{0, b, l};
  join(model, pin);
  gravity(model, {0, 0, -g});
  const Vector3d center = {-l * std::sin(theta), -b, -l * std::cos(theta)};
  const double s = std::sin(theta), c = std::cos(theta);
  set(model, "bx", center.x(), -l * c * rate);
  set(model, "by", center.y());
  set(model, "bz", center.z(), l * s * rate);
  set_turn(model, "b", {0, 1, 0}, theta, rate);
  const Solved solved(model);
  const double angular = -m * g * l * s / (Iy + m * l * l);
  const Vector3d a = angular * Vector3d(-l * c, 0, l * s) + rate * rate * Vector3d(l * s, 0, l * c);
  const model::Joint& joint = solved.joint("j");
  expect_near({solved.acceleration("bx"), solved.acceleration("by"), solved.acceleration("bz")}, a);
  EXPECT_NEAR(solved.acceleration("be2"),
              angular * std::cos(theta / 2) / 2 - rate * rate * std::sin(theta / 2) / 4, tolerance);
  const Vector3d force = m * (a + Vector3d(0, 0, g));
  expect_near(solved(joint.force), force);
  const Vector3d moment = Vector3d(0, Iy * angular, 0) + center.cross(force);
  EXPECT_NEAR(moment.y(), 0, tolerance);
  EXPECT_GT(moment.norm(), 1);
  expect_near(solved(joint.moment), moment);
  EXPECT_NEAR(solved(joint.position[0]), theta, tolerance);
  EXPECT_NEAR(solved(joint.rate[0]), rate, tolerance);
}

// The moment that makes a pendulum swing as told: I phi'' + m g l sin phi.
TEST(JointMotion, DrivenHinge) {
  const double m = 2, l = 0.75, I = 0.5;
  Model model;
  const Expr x = by_hand::coordinate(model, "x"), z = by_hand::coordinate(model, "z"),
             phi = by_hand::coordinate(model, "phi");
  JointSpec pin = hinge(
      {},
      by_hand::add(model, by_hand::rigid("b", {x, 0, z}, by_hand::rotation(1, phi), m, {1, I, 1})),
      {0, 1, 0});
  pin.points[1] = Vector{0, 0, l};
  const Expr t = expr::time();
  pin.motion = Located{0.5 + sin(2 * t) / 4, {}};
  join(model, pin);
  gravity(model, {0, 0, -g});
  const double angle = 0.5, rate = 0.5, angular = 0;
  set(model, "x", -l * std::sin(angle), -l * std::cos(angle) * rate);
  set(model, "z", -l * std::cos(angle), l * std::sin(angle) * rate);
  set(model, "phi", angle, rate);
  const Solved solved(model);
  EXPECT_NEAR(solved.acceleration("phi"), angular, tolerance);
  EXPECT_NEAR(solved(solved.joint("j").moment.y),
              (I + m * l * l) * angular + m * g * l * std::sin(angle), tolerance * 10);
}

// Two rods, the first by Euler angles and the second by a quaternion, on hinges along x; the same
// in two angles by their energies.
TEST(JointMotion, DoublePendulumByHingesAndByAngles) {
  const double m1 = 2, m2 = 1.5, I1 = 0.25, I2 = 0.375, l1 = 0.5, c1 = 0.25, c2 = 0.375;
  System s("angles");
  const auto [u, v] = s.coordinates("u", "v");
  // Hanging down, turned by u about x: from the pin along (0, sin u, -cos u).
  const Vector p1 = {0, c1 * sin(u), -(c1 * cos(u))};
  const Vector p2 = {0, l1 * sin(u) + c2 * sin(v), -(l1 * cos(u) + c2 * cos(v))};
  const Vector v1 = time_derivative(p1), v2 = time_derivative(p2);
  s.kinetic(m1 * dot(v1, v1) / 2 + m2 * dot(v2, v2) / 2 + I1 * pow(dot(u), 2) / 2 +
            I2 * pow(dot(v), 2) / 2);
  s.potential(g * (m1 * p1.z + m2 * p2.z));
  const double a = 0.5, b = 1.25, da = -0.75, db = 2;
  s.initial(u, a).initial(v, b).initial(dot(u), da).initial(dot(v), db);
  const Solved angles(s.model());

  Model model;
  const std::size_t first = by_hand::euler(model, "p", m1, {I1, 1, 1});
  const std::size_t second = by_hand::quaternion(model, "q", m2, {I2, 1, 1});
  JointSpec shoulder = hinge({}, first, {1, 0, 0}, "shoulder");
  shoulder.points[1] = Vector{0, 0, c1};
  join(model, shoulder);
  JointSpec elbow = hinge(first, second, {1, 0, 0}, "elbow");
  elbow.points = {Vector{0, 0, c1 - l1}, Vector{0, 0, c2}};
  join(model, elbow);
  gravity(model, {0, 0, -g});
  const auto place = [&](const std::string& name, const Vector& p) {
    const char* const axes[] = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i)
      set(model, name + axes[i], angles(p[i]), angles(expr::time_derivative(p[i])));
  };
  place("p", p1);
  place("q", p2);
  set(model, "pb", a, da);
  set_turn(model, "q", {1, 0, 0}, b, db);
  const Solved solved(model);
  EXPECT_NEAR(solved.acceleration("pb"), angles.acceleration("u"), tolerance * 10);
  const Vector acceleration = time_derivative(v2);
  expect_near({solved.acceleration("qx"), solved.acceleration("qy"), solved.acceleration("qz")},
              angles(acceleration));
  expect_near(solved(solved.joint("elbow").force), m2 * (angles(acceleration) + Vector3d(0, 0, g)));
  EXPECT_NEAR(solved(solved.joint("elbow").position[0]), b - a, tolerance);
  EXPECT_NEAR(solved(solved.joint("elbow").rate[0]), db - da, tolerance);
}

// In a tube that turns about z at w: s'' = w^2 s, pushed sideways by 2 m w s'.
TEST(JointMotion, SliderOnATurningFrame) {
  const double w = 1.5, m = 2, distance = 0.5, speed = 0.75;
  Model model;
  const std::size_t tube =
      by_hand::frame(model, "tube", {}, by_hand::rotation(2, w * expr::time()));
  const std::size_t body = by_hand::quaternion(model, "b", m, {1, 2, 2.5});
  JointSpec slider = between(tube, body, JointKind::slider);
  slider.axes = {Vector{2, 0, 0}, Vector{2, 0, 0}};
  join(model, slider);
  gravity(model, {0, 0, -g});
  set(model, "bx", distance, speed);
  set(model, "by", 0, w * distance);
  set_turn(model, "b", {0, 0, 1}, 0, w);
  const Solved solved(model);
  const model::Joint& joint = solved.joint("j");
  expect_near({solved.acceleration("bx"), solved.acceleration("by"), solved.acceleration("bz")},
              {0, 2 * w * speed, 0});
  expect_near(solved(joint.force), {0, 2 * m * w * speed, m * g});
  expect_near(solved(joint.moment), {0, 0, 0});
  EXPECT_NEAR(solved(joint.position[0]), distance, tolerance);
  EXPECT_NEAR(solved(joint.rate[0]), speed, tolerance);
}

// Cardan: tan(out) = cos(bend) tan(in). The two shafts have one angle each, so that the joint is
// one row; then the same with shafts of six degrees of freedom in bearings, where rows are
// redundant.
TEST(JointMotion, UniversalJointIsCardans) {
  const double bend = 0.5, angle = 0.75, rate = 2;
  const Expr in = expr::coordinate("in");
  const Expr out = atan2(std::cos(bend) * sin(in), cos(in));
  const double I1 = 0.5, I2 = 0.25;
  System reduced("one angle");
  reduced.coordinate("in");
  reduced.kinetic(I1 * pow(dot(in), 2) / 2 + I2 * pow(dot(out), 2) / 2);
  reduced.initial(in, angle).initial(dot(in), rate);
  const Solved expected(reduced.model());
  const double out_angle = expected(out), out_rate = expected(dot(out));

  // The cross's pins: z of the first shaft, and y of the second, whose angle counts from there.
  const Vector pin1 = {0, 0, 1}, pin2 = {0, 1, 0};
  const auto shaft = [&](const Expr& turn, double heading) {
    return by_hand::rotation(2, heading) * by_hand::rotation(0, turn);
  };
  {
    Model model;
    by_hand::coordinate(model, "in");
    const Expr o = by_hand::coordinate(model, "out");
    const std::size_t first =
        by_hand::add(model, by_hand::rigid("first", {}, shaft(in, 0), 1, {I1, 1, 1}));
    const std::size_t second =
        by_hand::add(model, by_hand::rigid("second", {}, shaft(o, bend), 1, {I2, 1, 1}));
    JointSpec cross = between(first, second, JointKind::universal);
    cross.axes = {pin1, pin2};
    join(model, cross);
    EXPECT_EQ(model.constraints.size(), 1U);
    set(model, "in", angle, rate);
    set(model, "out", out_angle, out_rate);
    const Solved solved(model);
    EXPECT_NEAR(solved.acceleration("in"), expected.acceleration("in"), tolerance);
    EXPECT_NEAR(solved.acceleration("out"), expected(dot(dot(out))), tolerance);
    // Along its shaft the second is driven by I2 out''; the moment is normal to the cross.
    const Vector3d moment = solved(solved.joint("j").moment);
    EXPECT_NEAR(moment.dot(Vector3d(std::cos(bend), std::sin(bend), 0)),
                I2 * expected(dot(dot(out))), tolerance);
    EXPECT_NEAR(moment.dot(solved(model.bodies[0].rotation * pin1)), 0, tolerance);
  }
  Model model;
  const std::size_t first = by_hand::quaternion(model, "p", 1, {I1, 1, 1});
  const std::size_t second = by_hand::quaternion(model, "q", 1, {I2, 1, 1});
  JointSpec cross = between(first, second, JointKind::universal);
  cross.axes = {pin1, pin2};
  join(model, cross);
  join(model, hinge({}, first, {1, 0, 0}, "front"));
  JointSpec back = hinge({}, second, {1, 0, 0}, "back");
  back.axes[0] = Vector{std::cos(bend), std::sin(bend), 0};
  back.references = {Vector{0, 0, 1}, Vector{0, 0, 1}};
  join(model, back);
  set_turn(model, "p", {1, 0, 0}, angle, rate);
  // z-turn by the bend, then x-turn: the product of the quaternions.
  const double cb = std::cos(bend / 2), sb = std::sin(bend / 2), co = std::cos(out_angle / 2),
               so = std::sin(out_angle / 2), h = out_rate / 2;
  set(model, "qe0", cb * co, -cb * so * h);
  set(model, "qe1", cb * so, cb * co * h);
  set(model, "qe2", sb * so, sb * co * h);
  set(model, "qe3", sb * co, -sb * so * h);
  const Solved solved(model);
  EXPECT_NEAR(solved(solved.joint("back").position[0]), out_angle, tolerance);
  EXPECT_NEAR(solved(solved.joint("back").rate[0]), out_rate, tolerance);
  const Vector spin_rate = time_derivative(model.bodies[1].spin);
  EXPECT_NEAR(solved(spin_rate.x), expected(dot(dot(out))), 1e-10);
}

// A particle on a string goes round in a circle: w^2 = g / (l cos a), tension m g / cos a.
TEST(JointMotion, ConicalPendulumByADistance) {
  const double l = 1.25, lean = 0.5, m = 2;
  const double w = std::sqrt(g / (l * std::cos(lean))), r = l * std::sin(lean);
  Model model;
  const std::size_t bob = by_hand::particle(model, "b", m);
  JointSpec string = between({}, bob, JointKind::distance);
  string.length = Located{Expr(l), {}};
  join(model, string);
  gravity(model, {0, 0, -g});
  set(model, "bx", r);
  set(model, "by", 0, w * r);
  set(model, "bz", -l * std::cos(lean));
  const Solved solved(model);
  expect_near({solved.acceleration("bx"), solved.acceleration("by"), solved.acceleration("bz")},
              {-w * w * r, 0, 0});
  const double tension = m * g / std::cos(lean);
  expect_near(solved(solved.joint("j").force),
              tension * Vector3d(-std::sin(lean), 0, std::cos(lean)));
}

// A bead on a helix's tangent, a straight wire that leans: g sin along it. Then on a plane.
TEST(JointMotion, PointsOnLinesAndPlanes) {
  const Vector3d along = Vector3d(1, 2, -2) / 3, weight(0, 0, -g);
  const double m = 2;
  for (const JointKind kind : {JointKind::point_on_line, JointKind::point_on_plane}) {
    Model model;
    const std::size_t bead = by_hand::particle(model, "b", m);
    JointSpec spec = between({}, bead, kind);
    if (kind == JointKind::point_on_line) {
      spec.axes[0] = Vector{1, 2, -2};
    } else {
      spec.normal = Vector{1, 2, -2};
    }
    join(model, spec);
    gravity(model, {0, 0, -g});
    const Solved solved(model);
    const Vector3d part = weight.dot(along) * along;
    const Vector3d a = kind == JointKind::point_on_line ? part : Vector3d(weight - part);
    expect_near({solved.acceleration("bx"), solved.acceleration("by"), solved.acceleration("bz")},
                a);
    expect_near(solved(solved.joint("j").force), m * (a - weight));
  }
}

JointSpec rolling(std::optional<std::size_t> plane, std::size_t body, model::Shape shape,
                  double size) {
  JointSpec spec = between(plane, body, JointKind::rolls);
  spec.normal = Vector{0, 0, 1};
  spec.shape = shape;
  if (shape == model::Shape::ellipsoid) {
    spec.semi_axes = Vector{size, size, size};
  } else {
    spec.radius = Located{Expr(size), {}};
  }
  return spec;
}

// 5/7 g sin down an incline, held by m g cos and 2/7 m g sin. As a sphere and as an ellipsoid of
// equal axes.
TEST(JointMotion, SphereRollsDownAnIncline) {
  const double m = 2, r = 0.25, lean = 0.375, I = 0.4 * m * r * r;
  const Vector3d n(std::sin(lean), 0, std::cos(lean)), down(std::cos(lean), 0, -std::sin(lean));
  for (const model::Shape shape : {model::Shape::sphere, model::Shape::ellipsoid}) {
    Model model;
    const std::size_t ball = by_hand::quaternion(model, "b", m, {I, I, I});
    JointSpec rolls = rolling({}, ball, shape, r);
    rolls.normal = Vector{n.x(), n.y(), n.z()};
    rolls.points[0] = Vector{0, 1, 0};
    join(model, rolls);
    EXPECT_EQ(model.joints[0].constraints,
              (std::vector<std::string>{"j.contact", "j.roll1", "j.roll2"}));
    gravity(model, {0, 0, -g});
    set(model, "bx", r * n.x());
    set(model, "bz", r * n.z());
    set_turn(model, "b", Vector3d(1, 2, 2) / 3, 0.875, 0);
    const Solved solved(model);
    expect_near({solved.acceleration("bx"), solved.acceleration("by"), solved.acceleration("bz")},
                5.0 / 7 * g * std::sin(lean) * down);
    expect_near(solved(solved.joint("j").force),
                m * g * (std::cos(lean) * n - 2.0 / 7 * std::sin(lean) * down));
    expect_near(solved(solved.joint("j").point), Vector3d(0, 0, 0));
  }
}

// On a table that turns at W: v' = 2/7 W x v.
TEST(JointMotion, BallOnATurntable) {
  const double m = 2, r = 0.25, I = 0.4 * m * r * r, W = 1.5;
  Model model;
  const std::size_t table =
      by_hand::frame(model, "table", {}, by_hand::rotation(2, W * expr::time()));
  const std::size_t ball = by_hand::quaternion(model, "b", m, {I, I, I});
  join(model, rolling(table, ball, model::Shape::sphere, r));
  gravity(model, {0, 0, -g});
  const Vector3d x(0.5, -0.25, r), v(0.75, 1.25, 0);
  // v + w x (-r z) = W z x x: with w.z = 0, w = z x (v - W z x x) / r.
  const Vector3d z(0, 0, 1), w = z.cross(v - W * z.cross(x)) / r;
  const char* const names[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) set(model, std::string("b") + names[i], x[i], v[i]);
  set_turn(model, "b", w.normalized(), 0, w.norm());
  const Solved solved(model);
  expect_near({solved.acceleration("bx"), solved.acceleration("by"), solved.acceleration("bz")},
              2.0 / 7 * W * z.cross(v));
}

Model read(const std::string& name) {
  return model::read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value();
}

// Greenwood's disk, its energy and rolling written by hand, against a body that rolls: in the same
// five coordinates, where contact is kept by them, and in six.
TEST(JointMotion, DiskRollsAsGreenwoods) {
  const Model written = read("rolling_disk");
  const Solved expected(written);
  const double m = 2, r = 0.5;
  const Vector inertia = {m * r * r / 4, m * r * r / 4, m * r * r / 2};
  const auto oriented = [](const Expr& phi, const Expr& theta, const Expr& psi) {
    return by_hand::rotation(2, phi) * by_hand::rotation(0, theta) * by_hand::rotation(2, psi);
  };
  const Expr phi = expr::coordinate("phi"), theta = expr::coordinate("theta"),
             psi = expr::coordinate("psi"), x = expr::coordinate("x"), y = expr::coordinate("y");
  const Vector center = {x - r * sin(phi) * cos(theta), y + r * cos(phi) * cos(theta),
                         r * sin(theta)};
  for (const bool contact : {false, true}) {
    Model model;
    for (const std::string& name : written.coordinates) by_hand::coordinate(model, name);
    const std::size_t disk =
        by_hand::add(model, by_hand::rigid("disk", center, oriented(phi, theta, psi), m, inertia));
    JointSpec rolls = rolling({}, disk, model::Shape::disk, r);
    rolls.axes[1] = Vector{0, 0, 1};
    rolls.contact = contact;
    join(model, rolls);
    // Asked for or not: the coordinates keep it.
    EXPECT_EQ(model.joints[0].constraints, (std::vector<std::string>{"j.roll1", "j.roll2"}));
    gravity(model, {0, 0, -g});
    model.parameters = written.parameters;
    model.initial = written.initial;
    const Solved solved(model);
    for (const std::string& name : written.coordinates)
      EXPECT_NEAR(solved.acceleration(name), expected.acceleration(name), tolerance * 10) << name;
    expect_near(solved(model.joints[0].point), expected(Vector{x, y, 0}));
  }
  Model model;
  const Vector place = {by_hand::coordinate(model, "cx"), by_hand::coordinate(model, "cy"),
                        by_hand::coordinate(model, "cz")};
  for (const char* name : {"phi", "theta", "psi"}) by_hand::coordinate(model, name);
  const std::size_t disk =
      by_hand::add(model, by_hand::rigid("disk", place, oriented(phi, theta, psi), m, inertia));
  JointSpec rolls = rolling({}, disk, model::Shape::disk, r);
  rolls.axes[1] = Vector{0, 0, 3};
  join(model, rolls);
  gravity(model, {0, 0, -g});
  const char* const names[] = {"cx", "cy", "cz"};
  for (std::size_t i = 0; i < 3; ++i)
    set(model, names[i], expected(center[i]), expected(expr::time_derivative(center[i])));
  for (const Expr& angle : {phi, theta, psi})
    set(model, angle.symbol().name, expected(angle), expected(dot(angle)));
  const Solved solved(model);
  for (const char* name : {"phi", "theta", "psi"})
    EXPECT_NEAR(solved.acceleration(name), expected.acceleration(name), tolerance * 10) << name;
  const Vector3d a = expected(time_derivative(time_derivative(center)));
  expect_near({solved.acceleration("cx"), solved.acceleration("cy"), solved.acceleration("cz")}, a);
  expect_near(solved(solved.joint("j").force), m * (a + Vector3d(0, 0, g)));
}

// A spheroid with the axis of its turning: the arm to the contact is -(a^2 n + (c^2 - a^2)(n.e) e)
// / h with h^2 = a^2 sin^2 + c^2 cos^2 of its lean, written out by hand.
TEST(JointMotion, SpheroidAgainstARollingWrittenByHand) {
  const double m = 2, a = 0.25, c = 0.5;
  const auto bare = [&](Model& model) {
    return by_hand::euler(model, "b", m, {0.125, 0.125, 0.0625});
  };
  Model joined, written;
  JointSpec rolls = rolling({}, bare(joined), model::Shape::ellipsoid, 1);
  rolls.semi_axes = Vector{a, a, c};
  join(joined, rolls);
  bare(written);
  const Expr x = expr::coordinate("bx"), y = expr::coordinate("by"), z = expr::coordinate("bz"),
             phi = expr::coordinate("ba"), theta = expr::coordinate("bb"),
             psi = expr::coordinate("bc");
  const Expr h = sqrt(a * a * pow(sin(theta), 2) + c * c * pow(cos(theta), 2));
  const Vector e = {sin(phi) * sin(theta), -cos(phi) * sin(theta), cos(theta)}, n = {0, 0, 1};
  const Vector arm = -((a * a * n + (c * c - a * a) * cos(theta) * e) / h);
  const Vector w = {dot(theta) * cos(phi) + dot(psi) * sin(phi) * sin(theta),
                    dot(theta) * sin(phi) - dot(psi) * cos(phi) * sin(theta),
                    dot(phi) + dot(psi) * cos(theta)};
  const Vector slip = Vector{dot(x), dot(y), dot(z)} + cross(w, arm);
  written.constraints = {{"contact", z - h, 1, {}}, {"x", slip.x, 1, {}}, {"y", slip.y, 1, {}}};
  for (Model* model : {&joined, &written}) {
    gravity(*model, {0, 0, -g});
    set(*model, "ba", 0.25, 1.5);
    set(*model, "bb", 0.75, -0.5);
    set(*model, "bc", 0.5, 4);
    set(*model, "bz", 0.4);
    model->initial.adjust = model::Adjust::nearest;
  }
  const Solved one(joined), other(written);
  for (const std::string& name : joined.coordinates)
    EXPECT_NEAR(one.acceleration(name), other.acceleration(name), tolerance * 100) << name;
}

// Greenwood's flat body with a knife edge.
TEST(JointMotion, KnifeEdgeAsGreenwoods) {
  const Model written = read("flat_body");
  const Solved expected(written);
  Model model;
  for (const std::string& name : written.coordinates) by_hand::coordinate(model, name);
  const Expr x = expr::coordinate("x"), y = expr::coordinate("y"), phi = expr::coordinate("phi");
  const double m = 2, l = 0.5, I_p = 1.5;
  model::Body flat =
      by_hand::rigid("flat", {x, y, 0}, by_hand::rotation(2, phi), m, {1, 1, I_p - m * l * l});
  flat.center = {l, 0, 0};
  JointSpec edge = between({}, by_hand::add(model, flat), JointKind::knife_edge, "edge");
  edge.normal = Vector{0, 0, 2};
  edge.axes[1] = Vector{3, 0, 0};
  join(model, edge);
  EXPECT_EQ(model.joints[0].constraints, (std::vector<std::string>{"edge"}));
  model.initial = written.initial;
  const Solved solved(model);
  for (const std::string& name : written.coordinates)
    EXPECT_NEAR(solved.acceleration(name), expected.acceleration(name), tolerance) << name;
  expect_near(solved(model.joints[0].force),
              {expected.result().ideal[0], expected.result().ideal[1], 0});
}

}  // namespace
}  // namespace dalembert::motion::joints_test
