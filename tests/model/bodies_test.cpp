// Bodies, particles, frames and vectors in a model file: what they become, and what is refused.
#include <dalembert/expr/evaluate.hpp>
#include <dalembert/expr/graph.hpp>
#include <dalembert/model/energy_of_bodies.hpp>
#include <dalembert/model/system.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "complaints_of.hpp"

namespace dalembert::model::bodies_test {
namespace {

using expr::coordinate;
using expr::parameter;

Model good(const std::string& text) {
  return read_model_text(text, "model.toml").value();
}

/// Values for symbols that are the same for the same symbol, between -2 and 2.
double arbitrary(const expr::Symbol& s, unsigned seed) {
  std::size_t h = std::hash<std::string>()(s.name) + 31 * static_cast<std::size_t>(s.order) +
                  17 * static_cast<std::size_t>(s.kind) + seed;
  std::mt19937_64 random(h);
  return std::uniform_real_distribution(-2.0, 2.0)(random);
}

/// Whether two expressions have the same value at ten arbitrary states, to rounding: the trees
/// are some tens of operations deep, on numbers of order 1 to 100.
void expect_equal(const Expr& a, const Expr& b) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto values = [&](const expr::Symbol& s) { return arbitrary(s, seed); };
    const double x = expr::evaluate(a, values), y = expr::evaluate(b, values);
    EXPECT_NEAR(x, y, 1e-12 * (1 + std::abs(x)));
  }
}

/// The same expression read in a model of the plane.
Expr output(const std::string& lets, const std::string& text) {
  const std::string source =
      "coordinates = [\"x\", \"y\", \"z\"]\n[parameters]\na = 2\n[let]\n" + lets +
      "\n[energy]\nkinetic = \"x'^2 + y'^2 + z'^2\"\n[outputs]\no = \"" + text + "\"\n";
  return good(source).outputs.at(0).expr;
}

Expr x(int order = 0) {
  return coordinate("x", order);
}
Expr y(int order = 0) {
  return coordinate("y", order);
}
Expr z(int order = 0) {
  return coordinate("z", order);
}

TEST(Vectors, HaveComponentsAndRates) {
  const std::string p = R"(p = ["x*y", "a", "sin(z) "])";
  EXPECT_TRUE(same(output(p, "p.x"), x() * y()));
  EXPECT_TRUE(same(output(p, "p.y"), parameter("a")));
  expect_equal(output(p, "p.x'"), x(1) * y() + x() * y(1));
  expect_equal(output(p, "p'.x"), x(1) * y() + x() * y(1));
  expect_equal(output(p, "p'.z'"), cos(z()) * z(2) - sin(z()) * z(1) * z(1));
  expect_equal(output(p, "p''.z"), cos(z()) * z(2) - sin(z()) * z(1) * z(1));
}

TEST(Vectors, AddAndMultiply) {
  const std::string pq = R"(p = ["x", "y", 2]
q = ["z", 1, "a"])";
  expect_equal(output(pq, "dot(p, q)"), x() * z() + y() + 2 * parameter("a"));
  expect_equal(output(pq, "cross(p, q).x"), y() * parameter("a") - 2);
  expect_equal(output(pq, "cross(p, q).y"), 2 * z() - x() * parameter("a"));
  expect_equal(output(pq, "cross(p, q).z"), x() - y() * z());
  expect_equal(output(pq, "norm(p - q)^2"),
               pow(x() - z(), 2) + pow(y() - 1, 2) + pow(2 - parameter("a"), 2));
  expect_equal(output(pq, "(2*p - q/a + -p).x"), x() - z() / parameter("a"));
  expect_equal(output(pq, "dot(p', cross(q', p))"), y(1) * z(1) * -2);
}

TEST(Vectors, LetsMadeOfVectorsAreVectorsInAnyOrder) {
  const std::string lets = R"(w = "v + u"
v = "2*u'"
u = ["x", "x*y", 0]
n = "norm(u) "
m2 = "n^2")";
  expect_equal(output(lets, "w.y"), 2 * (x(1) * y() + x() * y(1)) + x() * y());
  expect_equal(output(lets, "w'.x"), 2 * x(2) + x(1));
  expect_equal(output(lets, "m2"), x() * x() * (1 + y() * y()));
}

TEST(Vectors, AnEquationBetweenVectorsIsThreeConstraints) {
  const Model model = good(R"(coordinates = ["x", "y", "z"]
[let]
p = ["x", "y", "z"]
q = ["t", "2*t", "x^2"]
[energy]
kinetic = "dot(p', p')/2"
[[constraint]]
name = "path"
equation = "p = q"
)");
  ASSERT_EQ(model.constraints.size(), 3u);
  EXPECT_EQ(model.constraints[0].name, "path.x");
  EXPECT_EQ(model.constraints[2].name, "path.z");
  expect_equal(model.constraints[2].residual, z() - x() * x());
}

std::string in_model(const std::string& line) {
  return "coordinates = [\"x\", \"y\"]\n[let]\np = [\"x\", \"y\", 0]\n[energy]\nkinetic = \"" +
         line + "\"\n";
}

TEST(Vectors, MixedUpWithNumbersAreRefusedAtTheirPlace) {
  EXPECT_EQ(complaints_of(in_model("p")), "5:12+1 expected a number, and this is a vector\n");
  EXPECT_EQ(complaints_of(in_model("1 + p")), "5:16+1 a number and a vector cannot be added\n");
  EXPECT_EQ(complaints_of(in_model("p*p")),
            "5:12+3 two vectors are multiplied by dot(a, b) or cross(a, b)\n");
  EXPECT_EQ(complaints_of(in_model("1/p")), "5:14+1 division by a vector\n");
  EXPECT_EQ(complaints_of(in_model("p^2")),
            "5:12+2 a vector has no powers; its square is dot(a, a)\n");
  EXPECT_EQ(complaints_of(in_model("sin(p)")),
            "5:12+6 'sin' needs a number, and this is a vector\n");
  EXPECT_EQ(complaints_of(in_model("dot(p, 2)")), "5:12+9 'dot' takes 2 vectors\n");
  EXPECT_EQ(complaints_of(in_model("p.w")),
            "5:12+3 'p' is a vector: it has the components x, y and z\n");
  EXPECT_EQ(complaints_of(in_model("(p + p).w")),
            "5:19+2 a vector has the components .x, .y and .z\n");
  EXPECT_EQ(complaints_of(in_model("dot(p'', p)")),
            "5:16+3 p.x'' contains accelerations and cannot stand here: the kinetic energy depends "
            "on positions, velocities and time only\n");
}

const std::string disk = R"(coordinates = ["phi", "theta", "psi", "x", "y", "z"]
gravity = [0, 0, "-g"]
[parameters]
m = 2
g = 9.75
[[body]]
name = "disk"
mass = "m"
inertia = ["m/4", "m/3", "m/2"]
position = ["x", "y", "z"]
orientation = { axes = "zxz", angles = ["phi", "theta", "psi"] }
)";

Expr c(const char* name, int order = 0) {
  return coordinate(name, order);
}

TEST(Bodies, EulersAnglesGiveTheTextbookEnergy) {
  const Model model = good(disk);
  const Expr m = parameter("m");
  // Angular velocity in body axes for z-x-z: Goldstein, Classical Mechanics, eq. (4.87).
  const Expr wx = c("phi", 1) * sin(c("theta")) * sin(c("psi")) + c("theta", 1) * cos(c("psi"));
  const Expr wy = c("phi", 1) * sin(c("theta")) * cos(c("psi")) - c("theta", 1) * sin(c("psi"));
  const Expr wz = c("phi", 1) * cos(c("theta")) + c("psi", 1);
  ASSERT_EQ(model.bodies.size(), 1u);
  expect_equal(model.bodies[0].spin.x, wx);
  expect_equal(model.bodies[0].spin.y, wy);
  expect_equal(model.bodies[0].spin.z, wz);
  expect_equal(model.kinetic->expr,
               m / 2 * (pow(c("x", 1), 2) + pow(c("y", 1), 2) + pow(c("z", 1), 2)) +
                   m / 8 * pow(wx, 2) + m / 6 * pow(wy, 2) + m / 4 * pow(wz, 2));
  expect_equal(model.potential->expr, m * parameter("g") * c("z"));
  expect_equal(model.bodies[0].gimbal, sin(c("theta")));
}

/// rotation' = rotation [spin]x, whatever the orientation is made of.
TEST(Bodies, SpinIsTheRateOfTheRotation) {
  for (const std::string& orientation :
       {std::string(R"({ axes = "xyz", angles = ["a", "b", "c"] })"),
        std::string(R"({ axes = "yxy", angles = ["a", "b", "c"] })"),
        std::string(R"({ axes = "zy", angles = ["a*b", "sin(c) "] })"),
        std::string(R"({ axes = "x", angles = ["a + t^2"] })"),
        std::string(R"({ axis = [1, 2, -2], angle = "a*c" })"),
        std::string(R"({ axis = ["cos(t) ", "sin(t) ", "1 + t^2"], angle = "a + t" })"),
        std::string(R"({ quaternion = [2, "1 + t", 0, "t^2"] })"),
        std::string(R"({ quaternion = [1, 1, 0, -2] })"),
        std::string(
            R"([{ axis = [1, 1, 0], angle = "a" }, { axes = "xz", angles = ["b", 0.5] }])")}) {
    SCOPED_TRACE(orientation);
    for (const bool carried : {false, true}) {
      const Model model = good(R"(coordinates = ["a", "b", "c"]
[[frame]]
name = "carrier"
position = ["a", 0, 0]
orientation = { axes = "yz", angles = ["c", "b"] }
[[body]]
name = "top"
mass = 1
inertia = [1, 1, 1]
position = ["b", 2, "c"]
orientation = )" + orientation +
                               (carried ? "\nframe = \"carrier\"\n" : "\n"));
      const Body& top = model.bodies[0].name == "top" ? model.bodies[0] : model.bodies[1];
      const Matrix& R = top.rotation;
      const Vector& w = top.spin;
      Matrix spin_cross;
      spin_cross[2][1] = w.x;
      spin_cross[1][2] = -w.x;
      spin_cross[0][2] = w.y;
      spin_cross[2][0] = -w.y;
      spin_cross[1][0] = w.z;
      spin_cross[0][1] = -w.z;
      const Matrix expected = R * spin_cross;
      const Matrix unit = R * transpose(R);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          expect_equal(expr::time_derivative(R[i][j]), expected[i][j]);
          expect_equal(unit[i][j], i == j ? 1 : 0);
        }
      }
    }
  }
}

TEST(Bodies, AQuaternionBringsItsUnitConstraintAndStartsAsOne) {
  const Model model = good(R"(coordinates = ["e0", "e1", "e2", "e3"]
[[body]]
name = "top"
mass = 1
inertia = [1, 2, 2.5]
position = [0, 0, 0]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
)");
  ASSERT_EQ(model.constraints.size(), 1u);
  EXPECT_EQ(model.constraints[0].name, "top.unit");
  EXPECT_TRUE(model.initial.q[0].expr.is_one());
  EXPECT_TRUE(model.initial.q[1].expr.is_zero());
  // A turn by the angle s about (1, 2, 2)/3.
  const Expr s = parameter("s");
  const Vector u{Expr(1) / 3, Expr(2) / 3, Expr(2) / 3};
  const Turn turn = turn_about(u, s);
  expr::ExprMap half;
  half.emplace(c("e0"), cos(s / 2));
  half.emplace(c("e1"), u.x * sin(s / 2));
  half.emplace(c("e2"), u.y * sin(s / 2));
  half.emplace(c("e3"), u.z * sin(s / 2));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      expect_equal(expr::substitute(model.bodies[0].rotation[i][j], half), turn.rotation[i][j]);
  }
}

// Components without coordinates have no constraint that keeps their length: they are divided by
// it, wherever they come from.
TEST(Bodies, AQuaternionThatDoesNotMoveIsNormalised) {
  for (const std::string lets :
       {"[parameters]\np = 2\n[let]\na = 2\nb = 0\n",
        "[parameters]\np = 2\n[let]\na = \"p\"\nb = 0\n",
        "[parameters]\np = 2\n[let]\nu = \"3*v\"\na = \"u\"\nv = \"p + t\"\nb = 0\n"}) {
    for (const std::string quaternion : {R"(["a", "b", 0, 0])", R"(["0", "b", "a", 0])"}) {
      const bool turned = quaternion[2] == '0';
      const std::string orientation = "orientation = { quaternion = " + quaternion + " }\n";
      const auto read = read_model_text(
          "coordinates = [\"x\"]\n" + lets + "[[frame]]\nname = \"f\"\n" + orientation +
              "[[body]]\nname = \"d\"\nmass = 1\ninertia = [1, 1, 1]\nframe = \"f\"\n"
              "position = [\"x\", 0, 0]\ncenter_of_mass = [0, 0, 1]\n" +
              orientation,
          "model.toml");
      ASSERT_TRUE(read) << to_string(read.error());
      const auto at = [](const expr::Symbol& s) { return s.name == "x" ? 0.25 : 2.0; };
      const Body& body = read->bodies.front();  // frames stand behind
      // Half a turn about y, twice, brings the centre back.
      EXPECT_NEAR(expr::evaluate(body.center_of_mass.z, at), 1, 1e-15);
      EXPECT_NEAR(expr::evaluate(body.origin.x, at), turned ? -0.25 : 0.25, 1e-15);
      EXPECT_TRUE(read->constraints.empty());
    }
  }
  const std::string zero = complaints_of(
      "coordinates = [\"x\"]\n[let]\na = 0\n[[body]]\nname = \"d\"\nmass = 1\n"
      "inertia = [1, 1, 1]\nposition = [\"x\", 0, 0]\n"
      "orientation = { quaternion = [\"a\", 0, 0, 0] }\n");
  EXPECT_EQ(zero, "9:30+14 a quaternion must not be zero\n");
}

TEST(Bodies, ACentreOfMassBesideTheOriginAndPoints) {
  const Model model = good(R"(coordinates = ["q"]
gravity = [0, "-9.8", 0]
[parameters]
l = 2
[[body]]
name = "rod"
mass = 3
inertia = [0, "l^2/4", "l^2/4"]
position = [0, 0, 0]
center_of_mass = ["l/2", 0, 0]
orientation = { axes = "z", angles = ["q"] }
[[particle]]
name = "bob"
mass = 1
frame = "rod"
position = ["l", 0, 0]
[outputs]
tip = "point(rod, l, 0, 0).y"
tip_speed = "norm(point(rod, l, 0, 0)') "
same = "bob.y - point(rod, l, 0, 0).y"
middle = "rod.x"
w = "rod.wz"
)");
  const Expr l = parameter("l"), q = c("q"), v = c("q", 1);
  expect_equal(model.kinetic->expr,
               Expr(3) / 2 * pow(l / 2 * v, 2) + l * l / 8 * v * v + l * l * v * v / 2);
  expect_equal(model.potential->expr, 9.8 * (3 * l / 2 + l) * sin(q));
  expect_equal(model.outputs[0].expr, l * sin(q));
  expect_equal(pow(model.outputs[1].expr, 2), l * l * v * v);
  expect_equal(model.outputs[2].expr, 0);
  expect_equal(model.outputs[3].expr, l / 2 * cos(q));
  expect_equal(model.outputs[4].expr, v);
}

TEST(Bodies, EnergiesAddUp) {
  const Model model = good(R"(coordinates = ["q"]
gravity = [0, 0, -10]
[energy]
kinetic = "q'^2"
potential = "q^4"
[[particle]]
name = "bob"
mass = 4
position = [0, 0, "q"]
)");
  expect_equal(model.kinetic->expr, 3 * pow(c("q", 1), 2));
  expect_equal(model.potential->expr, 40 * c("q") + pow(c("q"), 4));
}

TEST(Bodies, AProgramBuildsTheSameAsAFile) {
  System s("pendulum");
  const Expr q = s.coordinate("q");
  const Expr l = s.parameter("l", 2);
  BodySpec spec;
  spec.name = "rod";
  spec.mass = 3;
  spec.inertia = Matrix::diagonal({0, l * l / 4, l * l / 4});
  spec.center = {l / 2, 0, 0};
  spec.orientation = turn_by_axes("z", std::vector<Expr>{q});
  const Body rod = s.body(spec);
  s.particle("bob", 1, {l, 0, 0}, "rod");
  s.gravity({0, -10, 0});
  const Model model = s.model();
  expect_equal(model.kinetic->expr,
               (Expr(3) / 8 + Expr(1) / 8 + Expr(1) / 2) * l * l * pow(dot(q), 2));
  expect_equal(model.potential->expr, 25 * l * sin(q));
  expect_equal(System::point(rod, {l, 0, 0}).y, l * sin(q));
  s.particle("bob", 2, {l, 0, 0}, "rod");  // instead of the one there was
  expect_equal(s.model().potential->expr, 35 * l * sin(q));
  EXPECT_THROW(s.particle("other", 1, {}, "nobody"), std::invalid_argument);
}

TEST(Bodies, AProgramJoinsThem) {
  System s("pendulum");
  const auto [px, py, q] = s.coordinates("x", "y", "q");
  BodySpec spec;
  spec.name = "rod";
  spec.mass = 3;
  spec.inertia = Matrix::diagonal({0, 1, 1});
  spec.position = {px, py, 0};
  spec.orientation = turn_by_axes("z", std::vector<Expr>{q});
  s.body(spec);
  JointSpec pin;
  pin.name = "pin";
  pin.kind = JointKind::ball;
  pin.bodies = {std::nullopt, s.body_index("rod")};
  pin.points = {Vector{}, Vector{-1, 0, 0}};
  s.joint(pin);
  SpringSpec spring;
  spring.name = "spring";
  spring.bodies = {std::nullopt, s.body_index("rod")};
  spring.points = {Vector{0, 2, 0}, Vector{}};
  spring.stiffness = Located{5};
  s.spring(spring);
  PointForceSpec push;
  push.name = "push";
  push.body = s.body_index("rod");
  push.torque = Vector{0, 0, 7};
  s.point_force(push);
  const Model model = s.model();
  ASSERT_EQ(model.constraints.size(), 2u);  // the third is kept by the coordinates
  expect_equal(model.constraints[0].residual, px - cos(q));
  expect_equal(model.potential->expr, Expr(5) / 2 * (px * px + pow(py - 2, 2)));
  expect_equal(model.forces[2].expr, 7);
  EXPECT_THROW(s.body_index("nobody"), std::invalid_argument);
  s.joint(pin);  // once more is the same
  EXPECT_EQ(s.model().constraints.size(), 2u);
  pin.name = "nail";
  pin.axes[0] = LocatedVector(Vector{0, 0, 1});
  s.joint(pin);
  EXPECT_EQ(complaint_lines(validate(s.model())),
            "program: joint 'nail': a ball joint takes no axis\n");
}

std::string with_body(const std::string& lines, const std::string& rest = "") {
  return "coordinates = [\"x\", \"y\"]\n[[body]]\n" + lines + rest;
}
const std::string rest_of_body = "inertia = [1, 1, 1]\nposition = [\"x\", \"y\", 0]\n";

TEST(Bodies, WhatIsMissingOrUnknownIsSaid) {
  EXPECT_EQ(complaints_of(with_body("mass = 1\n" + rest_of_body)), "2:1+8 a body needs a name\n");
  EXPECT_EQ(complaints_of(with_body("name = \"b\"\n" + rest_of_body)),
            "3:9+1 body 'b' has no mass: give it one, or describe a place without mass by "
            "[[frame]]\n");
  EXPECT_EQ(complaints_of(with_body("name = \"b\"\nmass = 1\nposition = [\"x\", \"y\", 0]\n")),
            "3:9+1 body 'b' has no inertia: give three principal moments or a 3x3 matrix, or "
            "describe a mass without extent by [[particle]]\n");
  EXPECT_EQ(complaints_of(with_body("name = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n")),
            "3:9+1 body 'b' needs a position\n");
  EXPECT_EQ(complaints_of(with_body("name = \"b\"\nmass = 1\nmas = 2\n" + rest_of_body)),
            "5:1+3 unknown key 'mas' in [[body]]; did you mean 'mass'?\n");
  EXPECT_EQ(complaints_of(with_body("name = \"ground\"\nmass = 1\n" + rest_of_body)),
            "3:9+6 'ground' is the fixed frame and cannot be the name of a body\n");
  EXPECT_EQ(complaints_of(with_body("name = \"x\"\nmass = 1\n" + rest_of_body)),
            "3:9+1 'x' is already the name of a coordinate (line 1)\n");
}

TEST(Bodies, TwoOfOneNameAreRefused) {
  const std::string body = "[[body]]\nname = \"b\"\nmass = 1\n" + rest_of_body;
  EXPECT_EQ(complaints_of("coordinates = [\"x\", \"y\"]\n" + body + body),
            "8:9+1 'b' is already the name of a body (line 3)\n");
}

TEST(Bodies, WrongOrientationsAreRefused) {
  const auto orientation = [](const std::string& text) {
    return complaints_of(
        with_body("name = \"b\"\nmass = 1\n" + rest_of_body + "orientation = " + text + "\n"));
  };
  const std::string sequence =
      " is not a sequence of axes: one to three of the letters x, y, z, no letter twice in a row\n";
  EXPECT_EQ(orientation(R"({ axes = "zzx", angles = ["x", 0, 0] })"), "7:25+3 'zzx'" + sequence);
  EXPECT_EQ(orientation(R"({ axes = "abc", angles = ["x", 0, 0] })"), "7:25+3 'abc'" + sequence);
  EXPECT_EQ(orientation(R"({ axes = "zx", angles = ["x", 0, 0] })"),
            "7:39+11 expected 2 angles, found 3\n");
  EXPECT_EQ(orientation(R"({ axes = "zx" })"), "7:17+4 'axes' needs 'angles' beside it\n");
  EXPECT_EQ(orientation(R"({ quaternion = [1, 0, 0] })"),
            "7:30+9 a quaternion has four components, not 3\n");
  EXPECT_EQ(orientation(R"({ quaternion = [0, 0, 0, 0] })"),
            "7:30+12 a quaternion must not be zero\n");
  EXPECT_EQ(orientation(R"({ axis = [0, 0, 0], angle = "x" })"),
            "7:24+9 an axis needs a direction: this one is zero\n");
  EXPECT_EQ(orientation(R"({ axes = "z", angles = ["x'"] })"),
            "7:40+2 velocity x' cannot stand here: an orientation depends on positions and time "
            "only\n");
}

TEST(Bodies, FramesThatDependOnThemselvesAreRefused) {
  const std::string found = complaints_of(R"(coordinates = ["x"]
[[frame]]
name = "a"
frame = "b"
[[frame]]
name = "b"
frame = "a"
[energy]
kinetic = "x'^2"
)");
  EXPECT_NE(found.find("depends on itself"), std::string::npos) << found;
  EXPECT_EQ(
      complaints_of("coordinates = [\"x\"]\n[[frame]]\nname = \"a\"\nframe = \"bee\"\n[energy]\n"
                    "kinetic = \"x'^2\"\n"),
      "4:10+3 'bee' is not a body\n");
  EXPECT_EQ(complaints_of(R"(coordinates = ["x"]
[let]
p = "b.x + 1"
[[particle]]
name = "b"
mass = 1
position = ["p", "x", 0]
)"),
            "3:1+1 let 'p' depends on itself: p -> b.x -> b.origin.x -> p\n");
}

TEST(Bodies, VelocitiesHiddenInALetDoNotMakeAPosition) {
  EXPECT_EQ(complaints_of(R"(coordinates = ["x"]
[let]
p = "x' + 1"
[[particle]]
name = "b"
mass = 1
position = ["x", "p", 0]
)"),
            "7:19+1 let 'p' contains velocities and cannot stand here: a position depends on "
            "positions and time only\n");
}

TEST(Bodies, ParticlesHaveNoAxes) {
  const std::string text = R"(coordinates = ["x"]
[[particle]]
name = "b"
mass = 1
position = ["x", 0, 0]
[outputs]
)";
  EXPECT_EQ(complaints_of(text + "w = \"b.wx\"\n"),
            "7:6+4 'b' has no 'wx'; there are x, y, z: a particle has a place only\n");
  EXPECT_EQ(complaints_of(text + "w = \"point(b, 1, 0, 0).x\"\n"),
            "7:12+1 'b' is a particle: it has no orientation, and no points but its own place\n");
  EXPECT_EQ(complaints_of(text + "w = \"point(c, 1, 0, 0).x\"\n"), "7:12+1 'c' is not a body\n");
}

std::string inertia_complaints(const std::string& mass, const std::string& inertia) {
  const Model model = good(with_body("name = \"b\"\nmass = " + mass + "\ninertia = " + inertia +
                                     "\nposition = [\"x\", \"y\", 0]\n"));
  return complaint_lines(check_bodies(model, {}));
}

TEST(Bodies, MassesAndInertiasThatNoBodyHasAreExplained) {
  EXPECT_EQ(inertia_complaints("1", "[1, 1, 1]"), "");
  EXPECT_EQ(inertia_complaints("1", "[1, 1, 0]"), "");                          // a thin rod
  EXPECT_EQ(inertia_complaints("1", "[1, 1, 2]"), "");                          // a thin disk
  EXPECT_EQ(inertia_complaints("1", "[[2, 1, 0], [1, 2, 0], [0, 0, 3]]"), "");  // 1, 3, 3
  EXPECT_EQ(inertia_complaints("0", "[1, 1, 1]"),
            "4:8+1 the mass of body 'b' is 0; it must be positive (a place without mass is a "
            "[[frame]])\n");
  EXPECT_EQ(inertia_complaints("-1", "[1, 1, 1]"),
            "4:8+2 the mass of body 'b' is -1; it must be positive\n");
  EXPECT_EQ(inertia_complaints("1", "[1, -1, 1]"),
            "5:11+10 the inertia of body 'b' is not positive semidefinite: its principal moments "
            "are -1, 1 and 1, and no mass has a negative one\n");
  EXPECT_EQ(
      inertia_complaints("1", "[1, 1, 2.5]"),
      "5:11+11 no body has the inertia given for 'b': its principal moments are 1, 1 and 2.5, "
      "and the largest cannot exceed the sum of the other two (triangle inequality: each is "
      "an integral of the squared distance from its axis)\n");
  EXPECT_NE(inertia_complaints("1", "[[1, 2, 0], [2, 1, 0], [0, 0, 1]]"), "");
}

TEST(Bodies, DoNotGoWithAMassMatrix) {
  EXPECT_EQ(complaints_of(R"(coordinates = ["x"]
mass_matrix = [[1]]
[[particle]]
name = "b"
mass = 1
position = ["x", 0, 0]
)"),
            "4:9+1 bodies and mass_matrix exclude each other: bodies bring their own inertia\n");
  EXPECT_EQ(
      complaints_of("coordinates = [\"x\"]\ngravity = [0, 0, 1]\n[energy]\nkinetic = \"x'^2\"\n"),
      "2:11+9 gravity acts on bodies and particles, and there are none\n");
}

/// Also where the joint's own directions move.
TEST(Bodies, TheRateOfAHingeIsThatOfItsAngle) {
  for (const char* references :
       {"[[1, 0, 0], [1, 0, 0]]", R"([[1, 0, 0], ["cos(2*t) ", "sin(2*t) ", 0]])",
        R"([["cos(t^2) ", "sin(t^2) ", 0], [1, 0, 0]])"}) {
    const Model model = good(R"(coordinates = ["q"]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
orientation = { axes = "z", angles = ["q"] }
[[joint]]
name = "pin"
type = "hinge"
body = "b"
axis = [0, 0, 1]
references = )" + std::string(references) +
                             "\n");
    std::map<std::string, Expr> values;
    for (const Named& reaction : model.reactions) values.emplace(reaction.name, reaction.expr);
    expect_equal(values.at("pin.rate"), expr::time_derivative(values.at("pin.angle")));
  }
}

}  // namespace
}  // namespace dalembert::model::bodies_test
