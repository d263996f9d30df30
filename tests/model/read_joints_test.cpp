// [[joint]], [[spring]] and [[force]] as they are written: the same as a program builds, and every
// mistake in its place.
#include <dalembert/model/model.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "complaints_of.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/model/joint.hpp"
#include "dalembert/model/point_force.hpp"
#include "dalembert/model/spring.hpp"

namespace dalembert::model::read_joints_test {
namespace {

/// Two bodies in the plane, one in space, a particle; 30 lines.
const std::string bodies = R"(coordinates = ["x", "y", "a", "u", "v", "b", "px", "py", "pz"]
gravity = [0, 0, "-g"]
[parameters]
g = 9.8125
l = 0.5
none = 0
[[body]]
name = "crank"
mass = 1
inertia = [1, 1, 1]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "a" }
[[body]]
name = "rod"
mass = 1
inertia = [1, 2, 3]
position = ["u", "v", 0]
orientation = { axis = [0, 0, 1], angle = "b" }
[[particle]]
name = "bob"
mass = 1
position = ["px", "py", "pz"]
[[frame]]
name = "table"
position = [0, 0, 0]
orientation = { axis = [0, 0, 1], angle = "2*t" }
# from here on
# lines 28 to 30
# are filled up
# to thirty
)";

Model model_of(const std::string& text) {
  auto read = read_model_text(bodies + text, "model.toml");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  return read ? *std::move(read) : Model{};
}

/// What a mistake in one table is told, in lines and columns of that table.
std::string told(const std::string& text) {
  const auto read = read_model_text(bodies + text, "model.toml");
  if (read) return "";
  std::vector<Diagnostic> found = read.error().diagnostics;
  for (Diagnostic& d : found) d.where.line -= 30;
  return complaint_lines(found);
}

std::size_t at(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].name == name) return i;
  }
  ADD_FAILURE() << "no body " << name;
  return 0;
}

void expect_same(const Model& a, const Model& b) {
  ASSERT_EQ(a.constraints.size(), b.constraints.size());
  for (std::size_t i = 0; i < a.constraints.size(); ++i) {
    EXPECT_EQ(a.constraints[i].name, b.constraints[i].name);
    EXPECT_TRUE(same(a.constraints[i].residual, b.constraints[i].residual));
  }
  ASSERT_EQ(a.reactions.size(), b.reactions.size());
  for (std::size_t i = 0; i < a.reactions.size(); ++i) {
    EXPECT_EQ(a.reactions[i].name, b.reactions[i].name);
    EXPECT_TRUE(same(a.reactions[i].expr, b.reactions[i].expr));
  }
  ASSERT_EQ(a.frictions.size(), b.frictions.size());
  for (std::size_t i = 0; i < a.frictions.size(); ++i) {
    for (std::size_t k = 0; k < a.coordinates.size(); ++k)
      EXPECT_TRUE(same(a.frictions[i].direction[k], b.frictions[i].direction[k]));
  }
}

TEST(ReadJoints, AFileSaysWhatAProgramBuilds) {
  const Expr l = expr::parameter("l"), t = expr::time();
  const Model plain = model_of("");
  {
    JointSpec spec;
    spec.name = "pin";
    spec.kind = JointKind::hinge;
    spec.bodies = {at(plain, "crank"), at(plain, "rod")};
    spec.points = {Vector{l, 0, 0}, Vector{-l, 0, 0}};
    spec.axes = {Vector{0, 0, 1}, Vector{0, 0, 1}};
    spec.references = {Vector{1, 0, 0}, Vector{0, 1, 0}};
    spec.motion = Located{sin(2 * t) + expr::coordinate("a"), {}};
    spec.friction = FrictionSpec{{Expr(0.25), {}}, Located{l, {}}, Located{Expr(0.01), {}}, {}};
    Model built = plain;
    EXPECT_EQ(complaint_lines(add_joint(built, spec)), "");
    expect_same(model_of(R"([[joint]]
name = "pin"
type = "hinge"
bodies = ["crank", "rod"]
points = [["l", 0, 0], ["-l", 0, 0]]
axis = [0, 0, 1]
references = [[1, 0, 0], [0, 1, 0]]
motion = "sin(2*t) + a"
friction = { mu = 0.25, radius = "l", slip = 0.01 }
)"),
                built);
  }
  {
    JointSpec spec;
    spec.name = "wheel";
    spec.kind = JointKind::rolls;
    spec.bodies = {at(plain, "table"), at(plain, "rod")};
    spec.normal = Vector{0, 1, 0};
    spec.shape = Shape::disk;
    spec.radius = Located{l, {}};
    spec.axes[1] = Vector{0, 0, 1};
    spec.contact = false;
    Model built = plain;
    EXPECT_EQ(complaint_lines(add_joint(built, spec)), "");
    expect_same(model_of(R"([[joint]]
name = "wheel"
type = "rolls"
bodies = ["table", "rod"]
normal = [0, 1, 0]
shape = "disk"
radius = "l"
axis = [0, 0, 1]
contact = false
)"),
                built);
  }
  {
    JointSpec spec;
    spec.name = "tube";
    spec.kind = JointKind::slider;
    spec.bodies[1] = at(plain, "crank");
    spec.axes = {Vector{1, 0, 0}, Vector{1, 0, 0}};
    const Matrix quarter = {{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}};
    spec.frames = {Matrix::identity(), quarter};
    Model built = plain;
    EXPECT_EQ(complaint_lines(add_joint(built, spec)), "");
    expect_same(model_of(R"([[joint]]
name = "tube"
type = "slider"
body = "crank"
axis = [1, 0, 0]
frames = [[], { axis = [0, 0, 1], angle = "pi/2" }]
)"),
                built);
  }
}

TEST(ReadJoints, ReactionsAreForOutputs) {
  const std::string pin = R"([[joint]]
name = "pin"
type = "hinge"
body = "crank"
points = [[0, 0, 0], ["-l", 0, 0]]
axis = [0, 0, 1]
)";
  const Model model = model_of(pin +
                               "[outputs]\nload = \"sqrt(pin.fx^2 + pin.fy^2)\"\n"
                               "turn = \"pin.angle + pin.rate\"\n");
  EXPECT_TRUE(same(model.outputs[0].expr,
                   sqrt(pow(expr::multiplier("pin.x"), 2) + pow(expr::multiplier("pin.y"), 2))));
  EXPECT_EQ(told(pin + "[outputs]\nload = \"pin.gx\"\n"),
            "8:9+6 unknown quantity 'pin.gx' of a joint; did you mean 'pin.fx'?\n");
  // A joint that cannot be read is told once.
  EXPECT_EQ(told("[[joint]]\nname = \"pin\"\ntype = \"hinge\"\nbody = \"crank\"\n"
                 "[outputs]\nload = \"pin.fx\"\n"),
            "2:9+3 joint 'pin': a hinge needs an axis\n");
  EXPECT_EQ(told(pin + "[initial]\nmu = { \"pin.x\" = 1 }\n"), "");
}

TEST(ReadJoints, AnglesAreForForcesConstraintsAndOtherJoints) {
  const auto hinge = [](const std::string& name, const std::string& body, const std::string& rest) {
    return "[[joint]]\nname = \"" + name + "\"\ntype = \"hinge\"\nbody = \"" + body +
           "\"\naxis = [0, 0, 1]\n" + rest;
  };
  const Model model = model_of(
      hinge("p", "crank", "") + hinge("r", "rod", "motion = \"-2*p.angle\"\n") +
      "[forces]\na = \"-3*p.angle - p.rate\"\n" + "[[constraint]]\nequation = \"p.angle = px\"\n");
  const Expr a = expr::coordinate("a"), b = expr::coordinate("b");
  const Expr& angle = a;
  EXPECT_TRUE(same(model.forces[2].expr, -3 * angle - expr::coordinate("a", 1)));
  const auto residual = [&](const std::string& name) {
    for (const Constraint& c : model.constraints) {
      if (c.name == name) return c.residual;
    }
    ADD_FAILURE() << "no constraint " << name;
    return Expr(0);
  };
  EXPECT_TRUE(same(residual("r.drive"), sin(b) * cos(2 * angle) + cos(b) * sin(2 * angle)));
  EXPECT_TRUE(same(residual("constraint 1"), angle - expr::coordinate("px")));
  EXPECT_EQ(told(hinge("p", "crank", "") + "[forces]\na = \"p.fx\"\n"),
            "7:6+4 'p.fx' is a reaction and may be used in [outputs] only\n");
}

TEST(ReadJoints, NamesOfJoints) {
  EXPECT_EQ(told("[joint]\nname = \"j\"\n"), "1:1+7 write [[joint]], with double brackets\n");
  EXPECT_EQ(told("[[joint]]\ntype = \"ball\"\nbody = \"rod\"\n"), "1:1+9 a joint needs a name\n");
  EXPECT_EQ(told("[[joint]]\nname = 3\n"), "2:8+1 expected a name in quotes, found a number\n");
  const std::string ball = "[[joint]]\nname = \"j\"\ntype = \"ball\"\nbody = \"rod\"\n";
  EXPECT_EQ(told(ball + ball), "6:9+1 'j' is already the name of a joint (line 32)\n");
  EXPECT_EQ(told("[[joint]]\nname = \"rod\"\ntype = \"ball\"\nbody = \"rod\"\n"),
            "2:9+3 'rod' is already the name of a body (line 14)\n");
  EXPECT_EQ(told("[[joint]]\nname = \"l\"\ntype = \"ball\"\nbody = \"rod\"\n"),
            "2:9+1 'l' is already the name of a parameter (line 5)\n");
}

/// A table [[joint]] named j of some type; what else it says begins in its fourth line.
std::string joint(const std::string& type, const std::string& rest) {
  return "[[joint]]\nname = \"j\"\ntype = \"" + type + "\"\n" + rest;
}

TEST(ReadJoints, TypesAndBodies) {
  EXPECT_EQ(told("[[joint]]\nname = \"j\"\nbody = \"rod\"\n"),
            "2:9+1 joint 'j' needs a type: ball, hinge, slider, universal, weld, distance, "
            "point-on-line, point-on-plane, rolls, knife-edge\n");
  EXPECT_EQ(told(joint("hing", "body = \"rod\"\n")),
            "3:9+4 unknown type of joint 'hing'; did you mean 'hinge'?\n");
  EXPECT_EQ(told(joint("ball", "")),
            "1:1+9 a joint needs bodies = [\"...\", \"...\"], or body = \"...\" for one on the "
            "ground\n");
  EXPECT_EQ(told(joint("ball", "body = \"rod\"\nbodies = [\"rod\", \"crank\"]\n")),
            "4:1+4 a joint takes 'bodies' or 'body', not both\n");
  EXPECT_EQ(told(joint("ball", "bodies = [\"rod\"]\n")),
            "4:10+7 expected two names, one for each body, found 1\n");
  EXPECT_EQ(told(joint("ball", "bodies = \"rod\"\n")),
            "4:10+5 expected an array of two names, found a string\n");
  EXPECT_EQ(told(joint("ball", "bodies = [\"rod\", 3]\n")),
            "4:18+1 expected the name of a body in quotes, found a number\n");
  EXPECT_EQ(told(joint("ball", "bodies = [\"rod\", \"krank\"]\n")),
            "4:19+5 'krank' is not a body; did you mean 'crank'?\n");
  EXPECT_EQ(told(joint("ball", "bodies = [\"rod\", \"grund\"]\n")),
            "4:19+5 'grund' is not a body; did you mean 'ground'?\n");
  EXPECT_EQ(told(joint("ball", "bodies = [\"rod\", \"rod\"]\n")),
            "4:19+3 joint 'j': it joins 'rod' with itself\n");
  EXPECT_EQ(told(joint("ball", "body = \"ground\"\n")),
            "4:9+6 joint 'j': it joins the ground with itself\n");
  EXPECT_EQ(told(joint("hinge", "body = \"bob\"\naxis = [0, 0, 1]\n")),
            "4:9+3 joint 'j': 'bob' is a particle and has no orientation, so a hinge cannot hold "
            "it\n");
}

TEST(ReadJoints, KeysAndTheirValues) {
  const std::string rod = "body = \"rod\"\n";
  EXPECT_EQ(told(joint("ball", rod + "point = [0, 0, 0]\n")),
            "5:1+5 unknown key 'point' in [[joint]]; did you mean 'points'?\n");
  EXPECT_EQ(told(joint("ball", rod + "axis = [0, 0, 1]\n")),
            "5:8+9 joint 'j': a ball joint takes no axis\n");
  EXPECT_EQ(told(joint("hinge", rod + "axis = [0, 0, 1]\naxes = [[0, 0, 1], [0, 0, 1]]\n")),
            "6:1+4 a joint takes 'axis' or 'axes', not both\n");
  EXPECT_EQ(told(joint("hinge", rod + "axis = [0, 0, 0]\n")),
            "5:8+9 joint 'j': its axis must not be zero\n");
  EXPECT_EQ(told(joint("hinge", rod + "axis = [\"none\", 0, 0]\n")),
            "5:8+14 joint 'j': its axis must not be zero\n");
  EXPECT_EQ(told(joint("hinge", rod + "axes = [[0, 0, 1], [0, 0, 0]]\n")),
            "5:20+9 joint 'j': its axis must not be zero\n");
  EXPECT_EQ(told(joint("hinge", rod + "axis = [0, 1]\n")),
            "5:8+6 expected three components, found 2\n");
  EXPECT_EQ(told(joint("hinge", rod + "axis = [0, 0, \"x\"]\n")),
            "5:16+1 coordinate x cannot stand here: the geometry of a joint depends on parameters "
            "and time only\n");
  EXPECT_EQ(told(joint("ball", rod + "points = [0, 0, 0]\n")),
            "5:10+9 expected two vectors, one for each body, found 3\n");
  EXPECT_EQ(told(joint("point-on-line", rod + "axes = [[1, 0, 0], [1, 0, 0]]\n")),
            "5:1+4 a joint of type point-on-line takes one axis, that of the first body\n");
  EXPECT_EQ(told(joint("distance", "body = \"bob\"\nlength = -1\n")),
            "5:10+2 joint 'j': its length must be positive\n");
  EXPECT_EQ(told(joint("distance", "body = \"bob\"\nlength = \"l'\"\n")),
            "5:11+2 'l' is a parameter; it has no rate\n");
  EXPECT_EQ(told(joint("hinge", rod + "axis = [0, 0, 1]\nmotion = \"a'\"\n")),
            "6:11+2 velocity a' cannot stand here: the motion of a joint depends on positions and "
            "time only\n");
  EXPECT_EQ(told(joint("weld", rod + "frames = [{ axis = [0, 0, 0], angle = 1 }, []]\n")),
            "5:20+9 an axis needs a direction: this one is zero\n");
  EXPECT_EQ(told(joint("weld", rod + "frames = [[], { axis = [0, 0, 1], angle = \"x\" }]\n")),
            "5:10+39 joint 'j': coordinate x cannot stand here: the geometry of a joint depends on "
            "parameters and time only\n");
  EXPECT_EQ(told(joint("hinge", rod + "axis = [0, 0, 1]\nfrcition = {}\n")),
            "6:1+8 unknown key 'frcition' in [[joint]]; did you mean 'friction'?\n");
}

TEST(ReadJoints, RollingAndFriction) {
  const std::string rolls = "body = \"rod\"\nnormal = [0, 1, 0]\n";
  EXPECT_EQ(told(joint("rolls", rolls)),
            "2:9+1 joint 'j': a rolling joint needs a shape: sphere, disk or ellipsoid\n");
  EXPECT_EQ(told(joint("rolls", rolls + "shape = \"spere\"\nradius = 1\n")),
            "6:10+5 unknown shape 'spere'; did you mean 'sphere'?\n");
  EXPECT_EQ(told(joint("rolls", rolls + "shape = \"sphere\"\nradius = 0\n")),
            "7:10+1 joint 'j': its radius must be positive\n");
  EXPECT_EQ(told(joint("rolls", rolls + "shape = \"ellipsoid\"\nsemi_axes = [1, -1, 1]\n")),
            "7:13+10 joint 'j': its semi_axes must be positive\n");
  EXPECT_EQ(told(joint("rolls", rolls + "shape = \"sphere\"\nradius = 1\ncontact = 0\n")),
            "8:11+1 expected true or false, found a number\n");
  EXPECT_EQ(told(joint("ball", "body = \"rod\"\ncontact = false\nshape = \"disk\"\n")),
            "5:1+7 only a joint of type rolls takes 'contact'\n"
            "6:1+5 only a joint of type rolls takes 'shape'\n");
  const std::string hinge = "body = \"rod\"\naxis = [0, 0, 1]\n";
  EXPECT_EQ(told(joint("hinge", hinge + "friction = 0.2\n")),
            "6:12+3 expected a table such as { mu = 0.2 }, found a number\n");
  EXPECT_EQ(told(joint("hinge", hinge + "friction = { radius = 0.1 }\n")),
            "6:12+16 friction needs mu\n");
  EXPECT_EQ(told(joint("hinge", hinge + "friction = { mu = -0.1, radius = 0.1 }\n")),
            "6:19+4 joint 'j': mu must not be negative\n");
  EXPECT_EQ(told(joint("hinge", hinge + "friction = { mu = 0.1, raduis = 0.1 }\n")),
            "6:24+6 unknown key 'raduis' in friction; did you mean 'radius'?\n");
  EXPECT_EQ(told(joint("hinge", hinge + "friction = { mu = 0.1 }\n")),
            "6:12+12 joint 'j': the friction of a hinge needs a radius, that of the bearing\n");
  EXPECT_EQ(told(joint("hinge", hinge + "friction = { mu = \"x\", radius = 0.1 }\n")),
            "6:20+1 coordinate x cannot stand here: the friction of a joint depends on parameters "
            "and time only\n");
}

TEST(ReadJoints, Springs) {
  const std::string slider = joint("slider", "body = \"crank\"\naxis = [1, 0, 0]\n");
  const Model model = model_of(slider + R"([[spring]]
joint = "j"
stiffness = 3
rest = "l"
damping = "2*l"
[[spring]]
name = "band"
bodies = ["bob", "rod"]
points = [[0, 0, 0], [0, "l", 0]]
stiffness = 4
length = 0.25
)");
  Model built = model_of(slider);
  const Expr l = expr::parameter("l");
  SpringSpec along;
  along.joint = "j";
  along.stiffness = Located{Expr(3), {}};
  along.rest = Located{l, {}};
  along.damping = Located{2 * l, {}};
  EXPECT_EQ(complaint_lines(add_spring(built, along)), "");
  SpringSpec band;
  band.bodies = {at(built, "bob"), at(built, "rod")};
  band.points[1] = Vector{0, l, 0};
  band.stiffness = Located{Expr(4), {}};
  band.rest = Located{Expr(0.25), {}};
  EXPECT_EQ(complaint_lines(add_spring(built, band)), "");
  EXPECT_TRUE(same(model.potential->expr, built.potential->expr));
  EXPECT_TRUE(same(model.dissipation->expr, built.dissipation->expr));

  EXPECT_EQ(told("[spring]\nstiffness = 1\n"), "1:1+8 write [[spring]], with double brackets\n");
  EXPECT_EQ(told("[[spring]]\njoint = \"jj\"\nstiffness = 1\n" + slider),
            "2:10+2 spring '1': unknown joint 'jj'; did you mean 'j'?\n");
  EXPECT_EQ(told("[[spring]]\nname = \"s\"\nbody = \"rod\"\n"),
            "2:9+1 spring 's': it needs a stiffness\n");
  EXPECT_EQ(told("[[spring]]\nbody = \"rod\"\nstiffness = 1\nrest = 1\n"),
            "4:1+4 a spring between points has 'length' instead of 'rest'\n");
  EXPECT_EQ(told("[[spring]]\njoint = \"j\"\nstiffness = 1\nlength = 1\nbody = \"rod\"\n" + slider),
            "4:1+6 a spring along a joint has 'rest' instead of 'length'\n"
            "5:1+4 a spring along a joint takes no 'body'\n");
  EXPECT_EQ(told("[[spring]]\nbody = \"rood\"\nstifness = 1\n"),
            "2:9+4 'rood' is not a body; did you mean 'rod'?\n"
            "3:1+8 unknown key 'stifness' in [[spring]]; did you mean 'stiffness'?\n");
  EXPECT_EQ(told("[[spring]]\nbody = \"rod\"\nstiffness = \"x\"\nlength = -1\n"),
            "3:14+1 coordinate x cannot stand here: a spring depends on parameters and time "
            "only\n");
  EXPECT_EQ(told("[[spring]]\nbody = \"rod\"\nstiffness = 1\nlength = -1\n"),
            "4:10+2 spring '1': its length must not be negative\n");
  // Of a joint that cannot be read nothing more is said.
  EXPECT_EQ(told("[[spring]]\njoint = \"j\"\nstiffness = 1\n" + joint("hinge", "body = \"rod\"\n")),
            "5:9+1 joint 'j': a hinge needs an axis\n");
}

TEST(ReadJoints, Forces) {
  const Model model = model_of(R"([forces]
a = "-a'"
[[force]]
name = "push"
body = "crank"
point = ["l", 0, 0]
force = [0, "2*t", 0]
torque = [0, 0, "x"]
axes = "body"
)");
  Model built = model_of("[forces]\na = \"-a'\"\n");
  const Expr l = expr::parameter("l");
  PointForceSpec push;
  push.body = at(built, "crank");
  push.point = Vector{l, 0, 0};
  push.force = Vector{0, 2 * expr::time(), 0};
  push.torque = Vector{0, 0, expr::coordinate("x")};
  push.in_body_axes = true;
  EXPECT_EQ(complaint_lines(add_point_force(built, push)), "");
  for (std::size_t i = 0; i < model.forces.size(); ++i)
    EXPECT_TRUE(same(model.forces[i].expr, built.forces[i].expr));
  EXPECT_FALSE(model.forces[0].expr.is_zero());

  EXPECT_EQ(told("[force]\na = 1\n"),
            "1:1+7 write [[force]], with double brackets, for a force at a point of a body, or "
            "[forces] for forces along coordinates\n");
  EXPECT_EQ(told("[[force]]\nforce = [1, 0, 0]\n"), "1:1+9 a force needs a body\n");
  EXPECT_EQ(told("[[force]]\nbody = \"ground\"\nforce = [1, 0, 0]\n"),
            "2:1+4 a force cannot act on the ground\n");
  EXPECT_EQ(told("[[force]]\nbody = \"rod\"\n"), "1:1+9 force '1': it needs a force or a torque\n");
  EXPECT_EQ(told("[[force]]\nbody = \"bob\"\ntorque = [1, 0, 0]\n"),
            "3:10+9 force '1': 'bob' is a particle and has no orientation: no torque acts on "
            "it\n");
  EXPECT_EQ(told("[[force]]\nbody = \"rod\"\nforce = [\"x''\", 0, 0]\n"),
            "3:11+3 acceleration x'' cannot stand here: a force depends on positions, velocities "
            "and time only\n");
  EXPECT_EQ(told("[[force]]\nbody = \"rod\"\nforce = [1, 0, 0]\naxes = \"bdy\"\n"),
            "4:9+3 unknown axes 'bdy'; did you mean 'body'?\n");
}

}  // namespace
}  // namespace dalembert::model::read_joints_test
