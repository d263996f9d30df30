// Shapes of bodies and [view]: what is written is what is kept, every mistake is told in its place,
// and programs can say the same.
#include <dalembert/model/system.hpp>

#include <gtest/gtest.h>

#include <string>

#include "complaints_of.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/model/view_checks.hpp"

namespace dalembert::model::view_test {
namespace {

/// 13 lines.
const std::string disk = R"toml(coordinates = ["x", "y", "a"]
[parameters]
r = 0.5
none = 0
[let]
rim = "point(disk, r, 0, 0)"
push = ["ideal.x", "nonideal.y", "x''"]
[[body]]
name = "disk"
mass = 2
inertia = [1, 1, 2]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "a" }
)toml";

Model model_of(const std::string& text) {
  auto read = read_model_text(text, "model.toml");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  return read ? *std::move(read) : Model{};
}

std::string text_of(const Vector& v) {
  return expr::to_text(v.x) + ", " + expr::to_text(v.y) + ", " + expr::to_text(v.z);
}

TEST(View, ShapesAreReadWithTheirLengths) {
  const Model given = model_of(disk + R"toml(shape = "disk"
radius = "r"
thickness = "r/10"
axis = "y"
[[particle]]
name = "bob"
mass = 1
position = ["x", 0, 1]
radius = 0.25
[[frame]]
name = "table"
shape = "box"
size = [1, "2*r", 3]
[[frame]]
name = "pole"
shape = "rod"
length = 2
axis = [1, "r", 0]
)toml");
  ASSERT_EQ(given.bodies.size(), 4U);
  const auto solid = [&](std::string_view name) {
    for (const Body& body : given.bodies) {
      if (body.name == name) return body.solid;
    }
    ADD_FAILURE() << name;
    return Solid{};
  };
  EXPECT_EQ(solid("disk").kind, SolidKind::disk);
  EXPECT_EQ(expr::to_text(*solid("disk").radius), "r");
  EXPECT_EQ(expr::to_text(*solid("disk").length), "0.1*r");
  EXPECT_EQ(text_of(solid("disk").axis), "0, 1, 0");
  EXPECT_EQ(solid("bob").kind, SolidKind::automatic);
  EXPECT_EQ(expr::to_text(*solid("bob").radius), "1/4");
  EXPECT_EQ(solid("table").kind, SolidKind::box);
  EXPECT_EQ(text_of(*solid("table").size), "1, 2*r, 3");
  EXPECT_EQ(text_of(solid("pole").axis), "1, r, 0");
  EXPECT_FALSE(solid("pole").radius);
}

TEST(View, PointsSegmentsAndArrowsAreReadInAxesThatStandStill) {
  const Model given = model_of(disk + R"toml([view]
up = "y"
ground = "-r"
[[view.point]]
name = "rim"
at = "rim"
radius = 0.125
mass = 3
trail = false
[[view.point]]
at = ["x", "t", 0]
[[view.segment]]
from = [0, 0, 0]
to = "rim"
style = "spring"
[[view.arrow]]
name = "push"
at = "rim'"
vector = "push"
kind = "applied"
)toml");
  const View& view = given.view;
  EXPECT_EQ(view.up, 'y');
  EXPECT_EQ(expr::to_text(view.ground.value()), "-r");
  ASSERT_EQ(view.points.size(), 2U);
  EXPECT_EQ(view.points[0].name, "rim");
  EXPECT_EQ(text_of(view.points[0].at), "r*cos(a) + x, r*sin(a) + y, 0");
  EXPECT_EQ(expr::to_text(*view.points[0].mass), "3");
  EXPECT_FALSE(view.points[0].trail);
  EXPECT_EQ(view.points[1].name, "point 2");
  EXPECT_TRUE(view.points[1].trail);
  ASSERT_EQ(view.segments.size(), 1U);
  EXPECT_EQ(view.segments[0].style, SegmentStyle::spring);
  EXPECT_EQ(text_of(view.segments[0].to), text_of(view.points[0].at));
  ASSERT_EQ(view.arrows.size(), 1U);
  EXPECT_EQ(view.arrows[0].kind, ArrowKind::applied);
  EXPECT_EQ(text_of(view.arrows[0].vector), "ideal.x, nonideal.y, x''");
}

TEST(View, GroundIsAHeightOrTrueOrFalse) {
  EXPECT_EQ(expr::to_text(model_of(plane + "[view]\nground = true\n").view.ground.value()), "0");
  EXPECT_EQ(expr::to_text(model_of(plane + "[view]\nground = 0.5\n").view.ground.value()), "1/2");
  const View none = model_of(plane + "[view]\nground = false\n").view;
  EXPECT_FALSE(none.ground);
  EXPECT_TRUE(none.no_ground);
  EXPECT_FALSE(model_of(plane).view.no_ground);
}

TEST(View, UpIsYWhereGravityActsAlongItAlone) {
  EXPECT_EQ(model_of("gravity = [0, -9, 0]\n" + disk).view.up, 'y');
  EXPECT_EQ(model_of("gravity = [0, -9, -1]\n" + disk).view.up, 'z');
  EXPECT_EQ(model_of("gravity = [0, -9, 0]\n" + disk + "[view]\nup = \"z\"\n").view.up, 'z');
}

TEST(View, NothingInItChangesTheMechanics) {
  const Model bare = model_of(disk);
  const Model drawn = model_of(disk + R"toml(shape = "disk"
[[frame]]
name = "table"
position = ["sin(t)", 0, 0]
[view]
[[view.point]]
at = "rim"
mass = 5
)toml");
  EXPECT_TRUE(same(bare.kinetic->expr, drawn.kinetic->expr));
  EXPECT_EQ(bare.constraints.size(), drawn.constraints.size());
  EXPECT_EQ(bare.conditions.size(), drawn.conditions.size());
  EXPECT_EQ(bare.outputs.size(), drawn.outputs.size());
}

TEST(View, FramesMayStandBesideAMassMatrix) {
  EXPECT_EQ(complaints_of(R"toml(coordinates = ["x"]
mass_matrix = [[2]]
[[frame]]
name = "cart"
position = ["x", 0, 0]
shape = "box"
)toml"),
            "");
}

struct Mistake {
  std::string text, told;
};

TEST(View, MistakesInShapesAreToldInTheirPlace) {
  const std::vector<Mistake> mistakes = {
      {"shape = \"dsik\"\n", "14:10+4 unknown shape 'dsik'; did you mean 'disk'?\n"},
      {"shape = \"thing\"\n",
       "14:10+5 unknown shape 'thing'; known are automatic, none, sphere, disk, cylinder, rod, "
       "box, "
       "ellipsoid\n"},
      {"shape = 3\n", "14:9+1 expected a string, found a number\n"},
      {"shape = \"sphere\"\nlength = 1\n",
       "15:1+6 the shape sphere takes no 'length'; it takes radius\n"},
      {"shape = \"box\"\nradius = 1\naxis = \"x\"\n",
       "15:1+6 the shape box takes no 'radius'; it takes size\n"
       "16:1+4 the shape box takes no 'axis'; it takes size\n"},
      {"shape = \"none\"\nradius = 1\n", "15:1+6 the shape none takes no 'radius'\n"},
      {"shape = \"rod\"\nthickness = 1\n",
       "15:1+9 the shape rod takes no 'thickness'; it takes radius, length, axis\n"},
      {"shape = \"disk\"\nthickness = 1\nlength = 1\n",
       "15:1+9 'thickness' is another word for 'length': give one of them\n"},
      {"radius = 1\n", "14:1+6 'radius' needs a shape beside it: shape = \"disk\", say\n"},
      {"size = [1, 1, 1]\n", "14:1+4 'size' needs a shape beside it: shape = \"box\", say\n"},
      {"shape = \"disk\"\nradius = -1\nlength = \"0\"\n",
       "15:10+2 'radius' must be positive\n16:11+1 'length' must be positive\n"},
      {"shape = \"disk\"\nradius = \"x\"\n",
       "15:11+1 coordinate x cannot stand here: this value depends on parameters only\n"},
      {"shape = \"disk\"\nradius = \"q\"\n", "15:11+1 unknown name 'q'\n"},
      {"shape = \"box\"\nsize = [1, 2]\n", "15:8+6 expected three components, found 2\n"},
      {"shape = \"box\"\nsize = [1, 0, 2]\n", "15:8+9 an entry of 'size' must be positive\n"},
      {"shape = \"rod\"\naxis = [0, 0, 0]\n",
       "15:8+9 an axis needs a direction: this one is zero\n"},
      {"shap = \"rod\"\n", "14:1+4 unknown key 'shap' in [[body]]; did you mean 'shape'?\n"}};
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(complaints_of(disk + mistake.text), mistake.told) << mistake.text;
}

TEST(View, MistakesInViewAreToldTogetherAndInTheirPlace) {
  const std::vector<Mistake> mistakes = {
      {"[[view]]\nup = \"y\"\n", "7:1+8 expected a table, found an array\n"},
      {"[view]\nupp = \"y\"\n", "8:1+3 unknown key 'upp' in [view]; did you mean 'up'?\n"},
      {"[view]\nup = \"x\"\n", "8:7+1 unknown axis 'x'; known are y, z, -y, -z\n"},
      {"[view]\nground = [1]\n", "8:10+3 expected true, false or a height, found an array\n"},
      {"[view]\nground = \"x\"\n",
       "8:11+1 coordinate x cannot stand here: this value depends on parameters only\n"},
      {"[view.point]\nat = [0, 0, 0]\n", "7:1+12 write [[view.point]], with double brackets\n"},
      {"[[view.point]]\nname = \"p\"\n", "7:1+14 a point needs 'at'\n"},
      {"[[view.point]]\nta = [0, 0, 0]\n",
       "8:1+2 unknown key 'ta' in [[view.point]]; did you mean 'at'?\n"},
      {"[[view.point]]\nat = [\"x'\", \"z\", 0]\nradius = 0\nmass = \"y\"\ntrail = 1\n",
       "8:8+2 velocity x' cannot stand here: a place in [view] depends on positions and time only\n"
       "8:14+1 unknown name 'z'\n"
       "9:10+1 'radius' must be positive\n"
       "10:9+1 coordinate y cannot stand here: this value depends on parameters only\n"
       "11:9+1 expected true or false, found a number\n"},
      {"[[view.point]]\nat = \"x\"\n", "8:7+1 expected a vector, and this is a number\n"},
      {"[[view.point]]\nname = \"\"\nat = [0, 0, 0]\n",
       "8:8+2 the name of a point must not be empty\n"},
      {"[[view.segment]]\nfrom = [0, 0, 0]\n", "7:1+16 a segment needs 'to'\n"},
      {"[[view.segment]]\nfrom = [0, 0, 0]\nto = [\"ideal.x\", 0, 0]\nstyle = \"sprong\"\n",
       "9:8+7 'ideal.x' may be used in [virtual_work], [outputs] and arrows of [view] only\n"
       "10:10+6 unknown style 'sprong'; did you mean 'spring'?\n"},
      {"[[view.arrow]]\nat = [0, 0, 0]\nvector = [1, 2]\nkind = \"idael\"\n",
       "9:10+6 expected three components, found 2\n"
       "10:9+5 unknown kind of arrow 'idael'; did you mean 'ideal'?\n"}};
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(complaints_of(plane + mistake.text), mistake.told) << mistake.text;
}

TEST(View, AReactionCannotBeDrawnByHand) {
  EXPECT_EQ(complaints_of(disk + R"toml([[joint]]
name = "pin"
type = "ball"
body = "disk"
[[view.arrow]]
at = [0, 0, 0]
vector = ["pin.fx", 0, 0]
)toml"),
            "20:12+6 'pin.fx' is a reaction and may be used in [outputs] only\n");
}

TEST(View, NumbersThatParametersMakeBadAreToldWithTheirValue) {
  const Model given = model_of(disk + R"toml(shape = "disk"
radius = "none"
axis = ["none", 0, 0]
[[view.point]]
name = "p"
at = "rim"
mass = "r - 1"
)toml");
  const auto values = parameter_values(given);
  ASSERT_TRUE(values);
  EXPECT_EQ(complaint_lines(check_drawing(given, *values)),
            "14:10+4 the radius of the shape of 'disk' must be positive and finite, and is 0\n"
            "14:10+4 the axis of the shape of 'disk' has no direction\n"
            "18:9+1 the mass of point 'p' must be positive and finite, and is -0.5\n");
  const auto others = parameter_values(given, {{"none", "1"}, {"r", "2"}});
  EXPECT_TRUE(check_drawing(given, *others).empty());
}

TEST(View, ProgramsSayTheSameAndAreCheckedToo) {
  System s("drawn");
  const Expr x = s.coordinate("x");
  const Expr r = s.parameter("r", 1);
  s.particle("bob", 1, {x, 0, 0});
  s.shape("bob", {.kind = SolidKind::sphere, .radius = r});
  s.view().points.push_back({.name = "p", .at = {x, 0, 1}});
  s.view().arrows.push_back(
      {.name = "a", .at = {x, 0, 0}, .vector = {dot(x), System::ideal(x), 0}});
  EXPECT_EQ(complaint_lines(validate(s.model())), "");
  EXPECT_EQ(s.model().bodies[0].solid.kind, SolidKind::sphere);
  EXPECT_THROW(s.shape("bib", {}), std::invalid_argument);
  s.shape("bob", {.kind = SolidKind::sphere, .radius = x});
  s.view().points.push_back({.name = "", .at = {dot(x), 0, 1}});
  s.view().segments.push_back({.name = "s", .to = {expr::parameter("q"), 0, 0}});
  s.view().up = 'x';
  EXPECT_EQ(
      complaint_lines(validate(s.model())),
      "0:0+0 view: up must be 'y' or 'z'\n"
      "0:0+0 the name of a point must not be empty\n"
      "0:0+0 point '': velocity x' cannot stand here: a place in [view] depends on positions "
      "and time only\n"
      "0:0+0 segment 's': unknown parameter 'q' in a place in [view]\n"
      "program: shape of 'bob': coordinate x cannot stand here: this value depends on parameters "
      "only\n");
}

TEST(View, JointsKnowTheirAxisInAxesThatStandStill) {
  const Model given = model_of(disk + R"toml([[joint]]
name = "pin"
type = "hinge"
body = "disk"
axis = [0, 0, 2]
[[joint]]
name = "rail"
type = "point-on-line"
body = "disk"
axis = [1, 0, 0]
)toml");
  ASSERT_EQ(given.joints.size(), 2U);
  EXPECT_EQ(text_of(given.joints[0].axis.value()), "0, 0, 1");
  EXPECT_EQ(text_of(given.joints[1].axis.value()), "1, 0, 0");
}

}  // namespace
}  // namespace dalembert::model::view_test
