// Rows of joints that the coordinates keep are left out, and only those; axes that differ by
// rounding are the same, whatever symbols they hold.
#include <dalembert/model/model.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "complaints_of.hpp"

namespace dalembert::model::kept_rows_test {
namespace {

/// A pendulum of one angle about an axis, of length L, with a joint.
std::string pendulum(const std::string& axis, const std::string& joint,
                     const std::string& parameters = "") {
  return "coordinates = [\"th\"]\n[parameters]\nL = 3\n" + parameters +
         "[[body]]\nname = \"bar\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 0]\n"
         "orientation = { axis = " +
         axis + ", angle = \"th\" }\n[[joint]]\nname = \"j\"\nbody = \"bar\"\n" + joint;
}

std::vector<std::string> rows_of(const std::string& text) {
  const auto model = read_model_text(text, "model.toml");
  EXPECT_TRUE(model) << to_string(model.error());
  std::vector<std::string> names;
  if (!model) return names;
  for (const Constraint& constraint : model->constraints) names.push_back(constraint.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(KeptRows, AreLeftOutWhereProven) {
  EXPECT_EQ(rows_of(pendulum("[0, 0, 1]", "type = \"hinge\"\naxis = [0, 0, 1]\n")), Names{});
  EXPECT_EQ(rows_of(pendulum("[0, 0, 1]",
                             "type = \"distance\"\nlength = \"L\"\n"
                             "points = [[0, 0, 0], [\"L\", 0, 0]]\n")),
            Names{});
}

TEST(KeptRows, StayWhereTheyAreZeroForSomeValuesOnly) {
  const std::string ends = "points = [[0, 0, 0], [\"L\", 0, 0]]\n";
  for (const std::string length : {"min(L, 2)", "min(L, 1000)", "max(L, t - 2)", "abs(L)"}) {
    EXPECT_EQ(
        rows_of(pendulum("[0, 0, 1]", "type = \"distance\"\nlength = \"" + length + "\"\n" + ends)),
        length == "abs(L)" ? Names{} : Names{"j"})
        << length;
  }
}

TEST(KeptRows, APivotThatMovesLaterIsNotKept) {
  EXPECT_EQ(complaints_of(pendulum("[0, 0, 1]",
                                   "type = \"hinge\"\naxis = [0, 0, 1]\n"
                                   "points = [[\"max(0, t - 2)\", 0, 0], "
                                   "[0, 0, 0]]\n")),
            "11:9+1 joint 'j': the coordinates leave nothing that could keep its constraint 'j.x', "
            "which is not zero\n");
}

TEST(KeptRows, DecimalsAreAxesUpToRounding) {
  const auto hinge = [](const std::string& axis) {
    return "type = \"hinge\"\naxis = " + axis + "\n";
  };
  const std::string body = "[1, 1, 0]";
  EXPECT_EQ(rows_of(pendulum(body, hinge("[0.7071067811865476, 0.7071067811865475, 0]"))), Names{});
  EXPECT_EQ(rows_of(pendulum("[0.7071067811865475, 0.7071067811865476, 0]", hinge(body))), Names{});
  EXPECT_EQ(rows_of(pendulum("[\"sqrt(3)\", 1, 0]", hinge("[0.8660254037844386, 0.5, 0]"))),
            Names{});
  EXPECT_EQ(rows_of(pendulum("[1, 2, 3]", hinge("[0.2672612419124244, 0.5345224838248488, "
                                                "0.8017837257372732]"))),
            Names{});
  EXPECT_EQ(rows_of(pendulum(body,
                             "type = \"universal\"\naxes = [[0.7071067811865476, "
                             "0.7071067811865475, 0], [0, 0, 1]]\n")),
            Names{});
  const std::string told = complaints_of(pendulum(body, hinge("[0.7071068, 0.7071067, 0]")));
  EXPECT_NE(told.find("joint 'j': its constraint 'j.tilt1' is almost zero whatever the coordinates "
                      "are, within 1e-6 of its parts, as happens with numbers of few digits: write "
                      "them exactly, [1, 1, 0] for an axis [0.7071068, 0.7071068, 0] say"),
            std::string::npos)
      << told;
}

// The height of a disk is the absolute value of a sine: on one side its coordinates keep it.
TEST(KeptRows, OnOneSideAreLeftOutAndWatched) {
  const std::string text = R"x(coordinates = ["x", "y", "phi", "th", "psi"]
[parameters]
r = 0.5
[[body]]
name = "disk"
mass = 1
inertia = [1, 1, 2]
position = ["x", "y", "r*sin(th)"]
orientation = { axes = "zxz", angles = ["phi", "th", "psi"] }
[[joint]]
name = "roll"
type = "rolls"
body = "disk"
shape = "disk"
radius = "r"
axis = [0, 0, 1]
normal = [0, 0, 1]
)x";
  EXPECT_EQ(rows_of(text), (Names{"roll.roll1", "roll.roll2"}));
  const Model model = read_model_text(text, "model.toml").value();
  const auto watched = std::ranges::find_if(model.conditions, [](const Condition& condition) {
    return condition.message ==
           "the coordinates keep constraint 'roll.contact' on one side only, and the motion has "
           "left it: leave them free";
  });
  ASSERT_NE(watched, model.conditions.end());
  EXPECT_FALSE(watched->strict);
}

}  // namespace
}  // namespace dalembert::model::kept_rows_test
