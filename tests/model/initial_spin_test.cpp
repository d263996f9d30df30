// Angular velocities as initial values: the rates that come of them turn the body as asked.
#include <dalembert/expr/evaluate.hpp>
#include <dalembert/expr/graph.hpp>
#include <dalembert/model/draft.hpp>
#include <dalembert/model/system.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "complaints_of.hpp"
#include "facts_of.hpp"

namespace dalembert::model::initial_spin_test {
namespace {

const std::string angles = R"(coordinates = ["phi", "th", "psi", "u"]
[parameters]
w = 3
[[frame]]
name = "table"
position = [0, 0, 0]
orientation = { axis = [0, 0, 1], angle = "u" }
[[body]]
name = "disk"
frame = "table"
mass = 1
inertia = [1, 1, 2]
position = [0, 0, 1]
orientation = { axes = "zxz", angles = ["phi", "th", "psi"] }
[energy]
kinetic = "u'^2"
[outputs]
wx = "disk.wx"
wy = "disk.wy"
wz = "disk.wz"
)";

const std::string quaternion = R"(coordinates = ["a", "b", "c", "d"]
[[body]]
name = "disk"
mass = 1
inertia = [1, 1, 2]
position = [0, 0, 1]
orientation = [{ quaternion = ["a", "b", "c", "d"] }, { axis = [1, 0, 0], angle = 0.4 }]
[outputs]
wx = "disk.wx"
wy = "disk.wy"
wz = "disk.wz"
length = "a*a' + b*b' + c*c' + d*d'"
)";

/// The outputs at the initial state that a text says.
std::vector<double> outputs_of(const std::string& text) {
  const auto model = read_model_text(text, "model.toml");
  if (!model) {
    ADD_FAILURE() << to_string(model.error());
    return std::vector<double>(4, std::nan(""));
  }
  expr::ExprMap start{{expr::time(), Expr(0)}};
  for (std::size_t i = 0; i < model->coordinates.size(); ++i) {
    start.emplace(expr::coordinate(model->coordinates[i]), model->initial.q[i].expr);
    start.emplace(expr::coordinate(model->coordinates[i], 1), model->initial.v[i].expr);
  }
  for (const Named& parameter : model->parameters)
    start.emplace(expr::parameter(parameter.name), parameter.expr);
  std::vector<double> result;
  for (const Named& output : model->outputs)
    result.push_back(expr::evaluate(expr::substitute(expr::substitute(output.expr, start), start),
                                    [](const expr::Symbol&) { return std::nan(""); }));
  return result;
}

// A dozen operations on numbers of size one to three.
constexpr double rounding = 1e-14;

void expect_spin(const std::string& text, double x, double y, double z) {
  const std::vector<double> w = outputs_of(text);
  EXPECT_NEAR(w[0], x, rounding) << text;
  EXPECT_NEAR(w[1], y, rounding) << text;
  EXPECT_NEAR(w[2], z, rounding) << text;
}

TEST(InitialSpin, AnglesGetTheRatesThatTurnTheBodySo) {
  const std::string start = "[initial]\nphi = 0.3\nth = 0.7\npsi = 1.1\n";
  expect_spin(angles + start + "\"disk.wx\" = \"w\"\n\"disk.wy\" = -1\n\"disk.wz\" = 0.5\n", 3, -1,
              0.5);
  // What is not said is zero, and what carries the body turns on.
  expect_spin(angles + start + "disk.wx = 3\n\"u'\" = 2\n", 3, 0, 0);
}

TEST(InitialSpin, RatesThatAreGivenStay) {
  const std::string start = "[initial]\nth = 0.7\npsi = 1.1\n\"psi'\" = 2\n\"u'\" = 1\n";
  const std::string text = angles + start + "\"disk.wx\" = 1\n\"disk.wy\" = 2\n";
  const std::vector<double> w = outputs_of(text);
  EXPECT_NEAR(w[0], 1, rounding);
  EXPECT_NEAR(w[1], 2, rounding);
  EXPECT_TRUE(same(read_model_text(text, "m")->initial.v[2].expr, Expr(2)));
}

TEST(InitialSpin, QuaternionsKeepTheirLength) {
  const std::string spin = "\"disk.wx\" = 3\n\"disk.wy\" = 1\n\"disk.wz\" = -2\n";
  expect_spin(quaternion + "[initial]\n" + spin, 3, 1, -2);
  const std::string turned = quaternion + "[initial]\na = 0.5\nb = -0.5\nc = 0.5\nd = 0.5\n" + spin;
  expect_spin(turned, 3, 1, -2);
  EXPECT_NEAR(outputs_of(turned)[3], 0, rounding);
  expect_spin(quaternion + "[initial]\ndisk.wz = 4\n", 0, 0, 4);
}

TEST(InitialSpin, SurvivesWritingAndAFreeRate) {
  const std::string text = angles + "[initial]\nth = 0.7\n\"disk.wy\" = 1\n\"disk.wz\" = \"w\"\n";
  const auto model = read_model_text(text, "model.toml");
  ASSERT_TRUE(model);
  const auto again = read_model_text(*to_toml(*model->draft), "model.toml");
  ASSERT_TRUE(again);
  EXPECT_EQ(facts_of(*again), facts_of(*model));
  // A free position takes the rates along; a free rate leaves the others as they are.
  const Model turned = with_free_initial_values(*model, std::vector<std::string>{"th"});
  EXPECT_TRUE(expr::find_symbol(turned.initial.v[0].expr,
                                [](const expr::Symbol& s) { return s.name == "th_start"; }));
  const Model free = with_free_initial_values(*model, std::vector<std::string>{"psi'"});
  EXPECT_TRUE(same(free.initial.v[1].expr, model->initial.v[1].expr));
  EXPECT_TRUE(same(free.initial.v[2].expr, expr::parameter("psi_rate_start")));
}

TEST(InitialSpin, AProgramSaysItToo) {
  System s("model");
  const auto [phi, th, psi] = s.coordinates("phi", "th", "psi");
  BodySpec disk;
  disk.name = "disk";
  disk.mass = 1;
  disk.inertia = Matrix::diagonal({1, 1, 2});
  disk.orientation = turn_by_axes("zxz", std::array{phi, th, psi});
  s.body(disk);
  s.initial(th, Expr(expr::Rational(7, 10)));
  s.initial_spin("disk", {0, 0, 5});
  const Model model = s.model();
  EXPECT_EQ(complaint_lines(validate(model)), "");
  // About its own axis: psi' alone.
  EXPECT_TRUE(model.initial.v[0].expr.is_zero());
  EXPECT_TRUE(model.initial.v[1].expr.is_zero());
  EXPECT_NEAR(expr::evaluate(model.initial.v[2].expr, [](const expr::Symbol&) { return 0.0; }), 5,
              rounding);
}

TEST(InitialSpin, ABodyOnAHingeHasOneRate) {
  const std::string hinge = R"(coordinates = ["q"]
[[body]]
name = "disk"
mass = 1
inertia = [1, 1, 2]
position = [0, 0, 1]
orientation = { axis = [0, 0, 1], angle = "q" }
[initial]
disk.wz = 4
)";
  const auto model = read_model_text(hinge, "model.toml");
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_TRUE(same(model->initial.v[0].expr, Expr(4)));
}

TEST(InitialSpin, WhatDoesNotFitIsToldAtItsPlace) {
  EXPECT_EQ(complaints_of(angles + "[initial]\n\"disk.wx\" = 3\n"),
            "22:1+9 the rates of 'disk' do not follow from its angular velocity: as it starts, two "
            "of its axes of rotation fall together\n");
  EXPECT_EQ(complaints_of(angles + "[initial]\nth = 1\n\"psi'\" = 2\n\"disk.wx\" = 3\n"),
            "24:1+9 the angular velocity of 'disk' gives 1 number for 2 rates that are open (phi', "
            "th'): give more of them\n");
  EXPECT_EQ(complaints_of(angles + "[initial]\nth = 1\n\"psi'\" = 2\n\"phi'\" = 2\n\"th'\" = 2\n"
                                   "\"disk.wx\" = 3\n"),
            "26:1+9 the angular velocity of 'disk' gives 1 number for 0 rates that are open (all "
            "are given)\n");
  EXPECT_EQ(complaints_of(angles + "[initial]\nth = 1\n\"disk.vx\" = 3\n"),
            "23:1+9 'disk.vx' is not an initial value; a body has wx, wy and wz, its angular "
            "velocity in its own axes\n");
  EXPECT_EQ(complaints_of(quaternion + "[initial]\n\"b'\" = 1\n\"disk.wx\" = 3\n"),
            "15:1+9 the angular velocity of 'disk' cannot be given beside rates of its "
            "orientation: it has a quaternion, whose rates follow from it\n");
  EXPECT_EQ(complaints_of(angles + "[initial]\nth = 1\n\"disc.wx\" = 3\n").substr(0, 46),
            "23:1+9 unknown coordinate 'disc.wx' in [initia");
}

}  // namespace
}  // namespace dalembert::model::initial_spin_test
