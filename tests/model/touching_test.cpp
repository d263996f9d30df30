// Contacts between shapes of bodies: gaps and slips against formulas and against rolling joints,
// and what is wrong with them.
#include <dalembert/model/system.hpp>
#include <dalembert/model/vanishing.hpp>

#include <gtest/gtest.h>

#include <dalembert/expr/parse.hpp>

#include "complaints_of.hpp"
#include "facts_of.hpp"

namespace dalembert::model::touching_test {
namespace {

/// A body in a vertical plane; eleven lines.
const std::string planar = R"(coordinates = ["x", "z", "th"]
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
r = 0.5
[[body]]
name = "thing"
mass = 2
inertia = [1, 1, 1]
position = ["x", 0, "z"]
orientation = { axis = [0, 1, 0], angle = "th" }
)";

const std::string in_space = R"(coordinates = ["x", "y", "z", "a", "b", "c"]
[parameters]
r = 0.5
[[body]]
name = "thing"
mass = 2
inertia = [1, 1, 1]
position = ["x", "y", "z"]
orientation = { axes = "zxz", angles = ["a", "b", "c"] }
)";

Model read(const std::string& text) {
  auto model = read_model_text(text, "model.toml");
  if (!model) throw std::runtime_error(to_string(model.error()));
  return *std::move(model);
}

Expr parsed(const std::string& text, const std::vector<std::string>& coordinates) {
  const auto resolve = [&](std::string_view name, int primes) -> expr::Result<Expr, std::string> {
    const bool moves = std::ranges::count(coordinates, name) > 0;
    return moves ? expr::coordinate(name, primes) : expr::parameter(name);
  };
  return *expr::parse(text, resolve);
}

void expect_contact(const Model& model, std::size_t i, const std::string& name,
                    const std::string& gap, const std::vector<std::string>& slips) {
  ASSERT_LT(i, model.contacts.size());
  const Contact& contact = model.contacts[i];
  EXPECT_EQ(contact.name, name);
  EXPECT_TRUE(is_identically_zero(contact.gap.expr - parsed(gap, model.coordinates))) << gap;
  ASSERT_EQ(contact.slip.size(), slips.size()) << name;
  for (std::size_t k = 0; k < slips.size(); ++k)
    EXPECT_TRUE(is_identically_zero(contact.slip[k].expr - parsed(slips[k], model.coordinates)))
        << slips[k];
}

TEST(Touching, ABallOnTheGroundIsTheTextbookContact) {
  const std::string contact =
      "[[contact]]\nname = \"floor\"\nbodies = [\"thing\", \"ground\"]\nfriction = 0.3\n";
  const Model model = read(planar + contact + "shape = \"sphere\"\nradius = \"r\"\n");
  ASSERT_EQ(model.contacts.size(), 1U);
  expect_contact(model, 0, "floor", "z - r", {"x' - r*th'"});
  // As the body is drawn, and with the ground named first or not at all.
  const std::string drawn = planar + "shape = \"sphere\"\nradius = \"r\"\n";
  for (const std::string bodies : {"bodies = [\"thing\", \"ground\"]",
                                   "bodies = [\"ground\", \"thing\"]", "body = \"thing\""}) {
    const Model same_again =
        read(drawn + "[[contact]]\nname = \"floor\"\n" + bodies + "\nfriction = 0.3\n");
    expect_contact(same_again, 0, "floor", "z - r", {"x' - r*th'"});
  }
  // A slope, and a point off the centre.
  const Model slope =
      read(planar + contact +
           "shape = \"point\"\nnormal = [3, 0, 4]\npoints = [[0, 0, \"-r\"], [0, 0, 1]]\n");
  expect_contact(slope, 0, "floor", "3/5*(x - r*sin(th)) + 4/5*(z - r*cos(th) - 1)",
                 {"3/5*(z' + r*sin(th)*th') - 4/5*(x' - r*cos(th)*th')"});
}

TEST(Touching, ABoxHasAContactForEachCorner) {
  const Model model = read(planar +
                           "shape = \"box\"\nsize = [2, 1, 4]\n[[contact]]\nname = \"floor\"\n"
                           "body = \"thing\"\nfriction = 1\nrestitution = \"r\"\n");
  ASSERT_EQ(model.contacts.size(), 4U);
  expect_contact(model, 0, "floor.1", "z + sin(th) - 2*cos(th)",
                 {"x' + (sin(th) - 2*cos(th))*th'"});
  expect_contact(model, 1, "floor.2", "z - sin(th) - 2*cos(th)",
                 {"x' - (sin(th) + 2*cos(th))*th'"});
  expect_contact(model, 2, "floor.3", "z + sin(th) + 2*cos(th)",
                 {"x' + (sin(th) + 2*cos(th))*th'"});
  const Model solid = read(in_space + "[[contact]]\nname = \"floor\"\nbody = \"thing\"\n" +
                           "shape = \"box\"\nsize = [1, 2, 3]\nnormal = [0, 0, 1]\n");
  EXPECT_EQ(solid.contacts.size(), 8U);
}

TEST(Touching, ACapsuleTouchesWithBothEnds) {
  const Model model = read(planar + "[[contact]]\nname = \"floor\"\nbody = \"thing\"\n" +
                           "friction = 1\nshape = \"capsule\"\nradius = \"r\"\nlength = 2\n"
                           "axis = [1, 0, 0]\n");
  ASSERT_EQ(model.contacts.size(), 2U);
  expect_contact(model, 0, "floor.1", "z + sin(th) - r", {"x' + sin(th)*th' - r*th'"});
  expect_contact(model, 1, "floor.2", "z - sin(th) - r", {"x' - sin(th)*th' - r*th'"});
}

TEST(Touching, ShapesAgreeWithThoseOfRollingJoints) {
  for (const std::string shape : {"shape = \"sphere\"\nradius = \"r\"\n",
                                  "shape = \"disk\"\nradius = \"r\"\naxis = [0, 0, 1]\n",
                                  "shape = \"ellipsoid\"\nsemi_axes = [\"r\", 2, 3]\n"}) {
    const std::string place =
        "bodies = [\"ground\", \"thing\"]\nnormal = [1, 2, 2]\n"
        "points = [[0, 1, 0], [0.1, 0.2, 0.3]]\n";
    const Model rolls =
        read(in_space + "[[joint]]\nname = \"roll\"\ntype = \"rolls\"\n" + place + shape);
    const Model touches =
        read(in_space + "[[contact]]\nname = \"floor\"\nfriction = 0.5\n" + place + shape);
    ASSERT_EQ(rolls.constraints.size(), 3U);
    ASSERT_EQ(touches.contacts.size(), 1U);
    const Contact& contact = touches.contacts[0];
    EXPECT_TRUE(is_identically_zero(contact.gap.expr - rolls.constraints[0].residual)) << shape;
    ASSERT_EQ(contact.slip.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_TRUE(is_identically_zero(contact.slip[k].expr - rolls.constraints[k + 1].residual))
          << shape;
  }
}

TEST(Touching, APlaneMayBelongToABody) {
  const std::string table = planar + R"([[frame]]
name = "table"
position = [0, 0, "t^2"]
[[contact]]
name = "top"
bodies = ["table", "thing"]
normal = [0, 0, 1]
shape = "sphere"
radius = "r"
friction = 1
)";
  const Model model = read(table);
  ASSERT_EQ(model.contacts.size(), 1U);
  const Expr height = parsed("z - r", model.coordinates) - pow(expr::time(), 2);
  EXPECT_TRUE(is_identically_zero(model.contacts[0].gap.expr - height));
}

TEST(Touching, TwoSpheresTouchAlongTheLineOfTheirCenters) {
  const std::string balls = R"(coordinates = ["x", "z", "th", "u", "w"]
[parameters]
r = 0.5
R = 0.75
[[body]]
name = "ball"
mass = 2
inertia = [1, 1, 1]
position = ["x", 0, "z"]
orientation = { axis = [0, 1, 0], angle = "th" }
shape = "sphere"
radius = "r"
[[particle]]
name = "other"
mass = 1
position = ["u", 0, "w"]
radius = "R"
[[contact]]
name = "hit"
bodies = ["ball", "other"]
friction = 0.2
)";
  const Model model = read(balls);
  ASSERT_EQ(model.contacts.size(), 1U);
  // With e the line of centers and t across it: t.(u' - v) - r th', whatever the sign of t.
  const std::string d = "sqrt((u - x)^2 + (w - z)^2)";
  const std::string slip = "((w - z)*(u' - x') - (u - x)*(w' - z'))/" + d + " - r*th'";
  const Contact& contact = model.contacts[0];
  EXPECT_TRUE(is_identically_zero(contact.gap.expr - parsed(d + " - r - R", model.coordinates)));
  ASSERT_EQ(contact.slip.size(), 1U);
  EXPECT_TRUE(is_identically_zero(contact.slip[0].expr - parsed(slip, model.coordinates)) ||
              is_identically_zero(contact.slip[0].expr + parsed(slip, model.coordinates)));
}

TEST(Touching, SurvivesWritingAndAProgram) {
  const std::string text = planar + R"([[contact]]
name = "floor"
bodies = ["thing", "ground"]
points = [[0, 0, "r"], [0, 0, 1]]
normal = [0, 0, 2]
shape = "capsule"
radius = "r"
axis = [1, 0, 0]
length = 2
friction = "r"
[[contact]]
body = "thing"
shape = "box"
size = [1, 2, 3]
[[contact]]
body = "thing"
shape = "ellipsoid"
semi_axes = [1, 2, "r"]
)";
  const Model model = read(text);
  const std::string written = to_toml(*model.draft).value();
  EXPECT_EQ(facts_of(read(written)), facts_of(model)) << written;
  Draft renamed = *model.draft;
  ASSERT_TRUE(rename(renamed, Part::body, "thing", "brick"));
  EXPECT_TRUE(assemble(renamed));

  System s("model");
  const auto [x, z, th] = s.coordinates("x", "z", "th");
  const Expr g = s.parameter("g", 9.81), r = s.parameter("r", 0.5);
  s.gravity({0, 0, -g});
  s.body({.name = "thing",
          .mass = 2,
          .inertia = Matrix::diagonal({1, 1, 1}),
          .position = {x, 0, z},
          .orientation = turn_about({0, 1, 0}, th)});
  s.contact({.name = "floor",
             .friction = r,
             .bodies = {{"thing", "ground"}},
             .points = {{Vector{0, 0, r}, Vector{0, 0, 1}}},
             .normal = Vector{0, 0, 2},
             .shape = TouchShape::capsule,
             .radius = r,
             .length = 2,
             .axis = Vector{1, 0, 0}});
  s.contact({.bodies = {{"ground", "thing"}}, .shape = TouchShape::box, .size = Vector{1, 2, 3}});
  s.contact({.bodies = {{"ground", "thing"}},
             .shape = TouchShape::ellipsoid,
             .semi_axes = Vector{1, 2, r}});
  const Model built = s.model();
  EXPECT_EQ(complaint_lines(validate(built)), "");
  ASSERT_EQ(built.contacts.size(), model.contacts.size());
  for (std::size_t i = 0; i < built.contacts.size(); ++i) {
    EXPECT_EQ(built.contacts[i].name, model.contacts[i].name);
    EXPECT_TRUE(same(built.contacts[i].gap.expr, model.contacts[i].gap.expr));
  }
  EXPECT_THROW(s.contact({.bodies = {{"nobody", "ground"}}}), std::invalid_argument);
}

TEST(Touching, RefusalsSayWhatIsMissing) {
  const std::string contact = "[[contact]]\nname = \"floor\"\n";
  const std::string on_ground = contact + "bodies = [\"thing\", \"ground\"]\n";
  const std::string particle = R"(coordinates = ["x", "z"]
[[particle]]
name = "bob"
mass = 2
position = ["x", 0, "z"]
[[particle]]
name = "other"
mass = 2
position = ["x", 0, "2*z"]
)";
  const std::pair<std::string, std::string> cases[] = {
      {planar + on_ground,
       "14:12+5 contact 'floor': it needs the shape of 'thing': point, sphere, disk, ellipsoid, "
       "capsule or box\n"},
      {planar + on_ground + "shape = \"sphere\"\n",
       "14:12+5 contact 'floor': a sphere needs 'radius'\n"},
      {planar + on_ground + "shape = \"disk\"\nradius = 1\n",
       "14:12+5 contact 'floor': a disk needs 'axis'\n"},
      {planar + on_ground + "shape = \"disk\"\nradius = 1\naxis = [0, 0, 0]\n",
       "17:8+9 contact 'floor': its axis must not be zero\n"},
      {planar + on_ground + "shape = \"capsule\"\nradius = 1\n",
       "14:12+5 contact 'floor': a capsule needs 'length'\n"},
      {planar + on_ground + "shape = \"box\"\n", "14:12+5 contact 'floor': a box needs 'size'\n"},
      {planar + on_ground + "shape = \"ellipsoid\"\n",
       "14:12+5 contact 'floor': an ellipsoid needs 'semi_axes'\n"},
      {planar + on_ground + "shape = \"cone\"\n",
       "15:10+4 unknown shape 'cone'; known are point, sphere, disk, ellipsoid, capsule, box\n"},
      {planar + on_ground + "shape = \"point\"\nnormal = [0, 0, 0]\n",
       "16:10+9 contact 'floor': its normal must not be zero\n"},
      {planar + contact + "bodies = [\"thing\", \"thing\"]\nshape = \"point\"\n",
       "14:21+5 contact 'floor': 'thing' touches itself\n"},
      {planar + contact + "bodies = [\"thing\", \"thong\"]\nshape = \"point\"\n",
       "14:21+5 'thong' is not a body; did you mean 'thing'?\n"},
      {planar + on_ground + "gap = \"z\"\nshape = \"point\"\n",
       "15:1+3 a contact takes 'gap' or 'bodies', whose shapes determine it, not both\n"},
      {planar + on_ground + "slip = \"x'\"\nfriction = 1\nshape = \"point\"\n",
       "15:1+4 the slip of bodies follows from their shapes: leave out 'slip'\n"},
      {planar + contact + "gap = \"z\"\nradius = 1\n",
       "15:1+6 'radius' goes with 'bodies', which names what touches\n"},
      {planar + on_ground + "shape = \"sphere\"\nradius = \"x\"\n",
       "16:11+1 coordinate x cannot stand here: the geometry of a contact depends on parameters "
       "and "
       "time only\n"},
      {particle + contact + "body = \"bob\"\n",
       "11:9+5 contact 'floor': it needs the normal of its plane, because there is no gravity to "
       "say which way is up\n"},
      {particle + contact + "body = \"bob\"\nshape = \"box\"\nsize = [1, 1, 1]\n",
       "12:9+3 contact 'floor': 'bob' is a particle and has no orientation: it touches as a point "
       "or "
       "a sphere\n"},
      {particle + contact + "bodies = [\"bob\", \"other\"]\nnormal = [0, 0, 1]\n",
       "12:12+3 contact 'floor': 'bob' is a particle and has no orientation, so no plane can be "
       "fixed in it\n"},
      {particle + contact + "body = \"bob\"\nnormal = [0, 0, 1]\npoints = [[0, 0, 0], [1, 0, 0]]\n",
       "14:22+9 contact 'floor': 'bob' is a particle and has no orientation: its only point is "
       "itself\n"},
  };
  for (const auto& [text, complaint] : cases) EXPECT_EQ(complaints_of(text), complaint) << text;
}

}  // namespace
}  // namespace dalembert::model::touching_test
