// Drafts: what a file says is written and read again to the same model, and initial values are made
// free in what was said.
#include <dalembert/model/edit.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <dalembert/model/system.hpp>

#include "complaints_of.hpp"
#include "facts_of.hpp"

namespace dalembert::model::draft_test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A model that uses every key there is, some of them in several ways.
const std::string everything = R"toml(name = "Everything \"quoted\" \\ and more"
description = """
Two lines,
the second with a tab:	here."""
coordinates = ["x", "y", "φ", "e0", "e1", "e2", "e3", "a", "b", "c", "u", "s", "mu"]
gravity = "0*up - g*up"

[sizes]
n = 2

[parameters]
m = 2
"rate[i = 1..n]" = "i/7"
g = 9.810
k = "m/4"
big = 1_000.5e-1
hexadecimal = 0x10
up_start = "1/3"

[inputs]
push = "m/2"

[[table]]
name = "F"
x = [0, 0.5, "2/3"]
y = [1, 2, "pi"]
interpolation = "spline"
outside = "error"

[let]
up = [0, 0, 1]
r = "point(disk, 0, 1, 0)"
v = "x'"
w = """x' + y\
  '"""
"höhe" = 0

[[particle]]
name = "bob"
mass = "m"
position = ["u", 0, "-1/2"]
shape = "sphere"
radius = 0.1

[[body]]
name = "disk"
mass = "m"
inertia = ["m*k^2/4", "m/4", "m/2"]
position = ["x", "y", "φ"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
center_of_mass = [0, "k/10", 0]
shape = "disk"
radius = "k"
thickness = 0.01
axis = "x"

[[body]]
name = "arm"
frame = "base"
mass = 1
inertia = [["2", 0, 0], [0, 2, "k/100"], [0, "k/100", 2]]
position = [0, 0, "s"]
orientation = [{ axes = "zxz", angles = ["a", "b", "c"] }, { axis = [1, 2, 0], angle = "t/2" },
  { quaternion = [1, 2, 0, 0] }]
shape = "box"
size = [1, 2, "k"]

[[frame]]
name = "base"
position = [0, 0, "t"]
orientation = { axes = "x", angles = "pi/7" }

[[joint]]
name = "pin"
type = "hinge"
body = "arm"
points = [[0, 0, 1], "up"]
axis = [0, 0, 1]
references = [[1, 0, 0], [0, 1, 0]]
motion = "t^2"
friction = { mu = 0.1, radius = "k", slip = "1/100" }

[[joint]]
name = "roll"
type = "rolls"
bodies = ["ground", "disk"]
normal = [0, 0, 1]
shape = "disk"
axis = [0, 0, 1]
radius = "k"
contact = false

[[joint]]
name = "fix"
type = "weld"
bodies = ["disk", "base"]
frames = [{ axes = "z", angles = [0.5] }, []]

[[joint]]
name = "rope"
type = "distance"
bodies = ["bob", "disk"]
length = "2*k"

[[spring]]
bodies = ["bob", "ground"]
points = [[0, 0, 0], [0, 0, 3]]
stiffness = "k"
length = 0.5

[[spring]]
name = "torsion"
joint = "pin"
stiffness = 2
damping = "k/2"
rest = 0.1

[[force]]
name = "push"
body = "disk"
point = [1, 0, 0]
force = [0, "y'", 0]
axes = "body"

[[force]]
body = "arm"
torque = "up"

[energy]
kinetic = "m*mu'^2/2"
potential = "k*mu^2"
dissipation = "k*mu'^2"

[forces]
"φ" = "-φ'"
x = 3

[[particle]]
for = "i = 1..n"
name = "bead[i]"
mass = "rate[i]"
position = ["a", "i*b", "c"]

[[frame]]
for = ["i = 1..n", "j = 1..i"]
name = "mark[i, j]"
position = ["a", "b", "i - j"]

[[spring]]
for = "i = 1..n"
bodies = ["bob", "bead[i]"]
stiffness = "i"
length = 1

[[force]]
for = "i = 1..n"
name = "push [i]"
body = "bead[i]"
force = ["rate[i]", 0, "sum(j = 1..i, j*t)"]

[[constraint]]
equation = "mu' = höhe + 1/3"
weight = 2.50

[[constraint]]
name = "a \"vector\" one"
equation = "r = 2*up"
by = ["push"]

[virtual_work]
x = "-ideal.x/2"

[quasi_velocities]
"ω" = "x' + y'"

[independent]
coordinates = ["x", "φ"]

[initial]
x = 1.50
y = "2*x + up_start"
"φ'" = "v + x'"
"x'" = "k"
adjust = "velocity"
hold = ["x", "y'"]
mu = { "constraint 1" = "k", "a \"vector\" one.x" = 2 }

[simulation]
times = [0, "1/3", 2.50]
rtol = 1e-7
atol = "1e-9"
rank_tolerance = 1e-9
max_step = 0.1
max_steps = 5000
method = "maggi"
integrator = "bdf"
precision = "extended"
project = "velocity"

[outputs]
speed = "norm(r')"
load = "pin.fx + ideal.x"

[view]
up = "-y"
ground = "k"

[[view.point]]
at = "r"
radius = "k/3"
mass = 1
trail = false

[[view.segment]]
name = "line"
from = [0, 0, 0]
to = "r"
style = "spring"

[[view.arrow]]
at = "r"
vector = ["x''", 0, "ideal.x"]
kind = "ideal"
)toml";

/// The facts of a text, of what is written of it, and of what is written of that.
void expect_round_trip(const std::string& text, const std::string& name) {
  const auto draft = read_draft_text(text, name);
  ASSERT_TRUE(draft) << to_string(draft.error());
  const auto model = assemble(*draft);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(facts_of(*model), facts_of(read_model_text(text, name).value()));
  const std::string written = to_toml(*draft).value();
  const auto again = read_model_text(written, "written.toml");
  ASSERT_TRUE(again) << to_string(again.error()) << written;
  EXPECT_EQ(facts_of(*again), facts_of(*model)) << written;
  EXPECT_EQ(to_toml(*again->draft).value(), written);
}

TEST(Draft, EveryModelSurvivesWritingAndReading) {
  std::size_t models = 0;
  for (const auto& file : std::filesystem::directory_iterator(DALEMBERT_MODELS)) {
    if (file.path().extension() != ".toml") continue;
    SCOPED_TRACE(file.path());
    expect_round_trip(text_of(file.path()), file.path().filename().string());
    ++models;
  }
  EXPECT_GT(models, 20U);
}

TEST(Draft, EveryKeySurvivesWritingAndReading) {
  ASSERT_EQ(complaints_of(everything), "");
  expect_round_trip(everything, "everything.toml");
  const std::string matrix = R"(coordinates = ["x", "y"]
mass_matrix = [["2", "x"], ["x", 3]]
[simulation]
duration = "2*pi"
samples = 11
)";
  expect_round_trip(matrix, "matrix.toml");
  const std::string lagrangian = R"(coordinates = ["x", "y"]
[energy]
lagrangian = "x'^2 + y'^2 + x'*y - 9.81*y + t"
dissipation = "x'^2"
[[constraint]]
name = "left rod"
equation = "x^2 + y^2 = 1"
[outputs]
tension = 'lambda."left rod" + lambda."left rod"'
)";
  expect_round_trip(lagrangian, "lagrangian.toml");
}

TEST(Draft, ALagrangianIsSplitIntoItsEnergies) {
  const auto model = read_model_text(
      "coordinates = [\"x\", \"y\"]\n[energy]\nlagrangian = \"x'^2 + y'^2 + x'*y - 9*y + t\"\n",
      "model.toml");
  ASSERT_TRUE(model);
  const Expr y = expr::coordinate("y");
  EXPECT_TRUE(same(model->kinetic->expr, pow(expr::coordinate("x", 1), 2) +
                                             pow(expr::coordinate("y", 1), 2) +
                                             expr::coordinate("x", 1) * y));
  EXPECT_TRUE(same(model->potential->expr, 9 * y - expr::time()));
  System s("model");
  const auto [u, v] = s.coordinates("x", "y");
  s.lagrangian(pow(dot(u), 2) + pow(dot(v), 2) + dot(u) * v - 9 * v + expr::time());
  EXPECT_EQ(facts_of(s.model()), facts_of(*model));
}

TEST(Draft, ReadsFormWithoutJudgingMeaning) {
  const std::string nonsense = plane + "[forces]\nz = \"unknown + (\"\n";
  const auto draft = read_draft_text(nonsense, "model.toml");
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->forces[0].value.text, "unknown + (");
  EXPECT_EQ(draft->forces[0].where.line, 8);
  const auto model = assemble(*draft);
  ASSERT_FALSE(model);
  EXPECT_EQ(complaint_lines(model.error().diagnostics), complaints_of(nonsense));
  const auto form = read_draft_text(plane + "[forces]\nx = true\n", "model.toml");
  ASSERT_FALSE(form);
  EXPECT_EQ(complaint_lines(form.error().diagnostics),
            "8:5+4 expected an expression, found a boolean\n");
}

TEST(Draft, FormAndMeaningAreComplainedOfTogether) {
  EXPECT_EQ(complaints_of(plane + "[forces]\nx = true\nz = 1\ny = \"q\"\n"),
            "8:5+4 expected an expression, found a boolean\n"
            "9:1+1 unknown coordinate 'z'\n"
            "10:6+1 unknown name 'q'\n");
}

TEST(Draft, AStatementCanBeChanged) {
  Draft draft = read_draft_text(plane + "[initial]\nx = 1\n", "model.toml").value();
  draft.parameters[0].value = Formula(Expr(5));
  draft.initial->values.push_back({"y", {}, Formula(3 * expr::coordinate("x"))});
  const Model model = assemble(draft).value();
  EXPECT_TRUE(same(model.parameters[0].expr, Expr(5)));
  EXPECT_TRUE(same(model.initial.q[1].expr, Expr(3)));
  const std::string written = to_toml(draft).value();
  EXPECT_NE(written.find("m = 5\n"), std::string::npos) << written;
  EXPECT_NE(written.find("y = \"3*x\"\n"), std::string::npos) << written;
  EXPECT_EQ(facts_of(read_model_text(written, "again.toml").value()), facts_of(model));
}

TEST(Draft, ARenamedNameIsRenamedInTexts) {
  Draft draft = read_draft_text(everything, "everything.toml").value();
  ASSERT_TRUE(rename(draft, Part::coordinate, "x", "ξ"));
  ASSERT_TRUE(rename(draft, Part::body, "disk", "wheel"));
  ASSERT_TRUE(rename(draft, Part::joint, "pin", "nail"));
  ASSERT_TRUE(rename(draft, Part::let, "up", "high"));
  ASSERT_FALSE(rename(draft, Part::let, "nobody", "n"));
  const auto model = assemble(draft);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(model->coordinates[0], "ξ");
  ASSERT_TRUE(rename(draft, Part::coordinate, "ξ", "x"));
  ASSERT_TRUE(rename(draft, Part::body, "wheel", "disk"));
  ASSERT_TRUE(rename(draft, Part::joint, "nail", "pin"));
  ASSERT_TRUE(rename(draft, Part::let, "high", "up"));
  EXPECT_EQ(facts_of(assemble(draft).value()),
            facts_of(read_model_text(everything, "everything.toml").value()));
}

TEST(Draft, WhatIsSharedIsWrittenOnce) {
  Draft draft = read_draft_text(plane, "model.toml").value();
  const Expr x = expr::coordinate("x");
  Expr e = x;
  for (int i = 0; i < 60; ++i) e = sin(e * e + x) / (2 + e);  // 3^60 symbols as a tree
  draft.outputs.push_back({"deep", {}, Formula(e)});
  draft.outputs.push_back({"deeper", {}, Formula(cos(e) + e)});
  const std::string text = to_toml(draft).value();
  EXPECT_LT(text.size(), 20'000U);
  const auto read = read_model_text(text, "deep.toml");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_TRUE(same(read->outputs[0].expr, e));
  EXPECT_TRUE(same(read->outputs[1].expr, cos(e) + e));
}

TEST(Draft, MultipliersOfAConstraintBetweenVectorsAreThoseOfItsComponents) {
  const std::string loop = R"toml(coordinates = ["x", "y", "z"]
[let]
p = ["x", "y", "z"]
a = [0, 0, 1]
[energy]
kinetic = "dot(p', p')/2"
[[constraint]]
name = "loop"
equation = "p = a"
[initial]
z = 1
)toml";
  const Model model = read_model_text(loop + "mu = { \"loop.y\" = 2 }\n", "model.toml").value();
  ASSERT_EQ(model.initial.mu.size(), 1U);
  EXPECT_EQ(model.initial.mu[0].name, "loop.y");
  EXPECT_EQ(complaints_of(loop + "mu = { loop = 2 }\n"),
            "12:8+4 'loop' stands for several rows, each with its own multiplier: name them, as in "
            "'loop.x'\n");
}

TEST(FreeInitialValues, WhatIsSaidInTermsOfThemFollows) {
  const Model model = read_model_text(plane + R"([let]
d = "2*x"
[initial]
x = 1
y = "d + x'"
"y'" = "x"
)",
                                      "model.toml")
                          .value();
  const std::vector<std::string> names = {"x", "x'"};
  const Model freed = with_free_initial_values(model, names);
  const Expr x = expr::parameter("x_start"), v = expr::parameter("x_rate_start");
  ASSERT_EQ(freed.parameters.size(), 4U);
  EXPECT_EQ(freed.parameters[2].name, "x_start");
  EXPECT_TRUE(same(freed.parameters[2].expr, Expr(1)));
  EXPECT_TRUE(same(freed.parameters[3].expr, Expr(0)));
  EXPECT_TRUE(same(freed.initial.q[0].expr, x));
  EXPECT_TRUE(same(freed.initial.v[0].expr, v));
  EXPECT_TRUE(same(freed.initial.q[1].expr, 2 * x + v));
  EXPECT_TRUE(same(freed.initial.v[1].expr, x));
  EXPECT_TRUE(validate(freed).empty());
  const std::vector<std::string> more = {"y"};
  const Model both = with_free_initial_values(freed, more);
  EXPECT_TRUE(same(both.parameters[4].expr, 2 * x + v));
  EXPECT_TRUE(same(both.initial.v[1].expr, x));
}

TEST(FreeInitialValues, KeepWhatWasChangedInTheModel) {
  Model model = read_model_text(plane + R"([initial]
x = 1
y = "x"
"y'" = 7
adjust = "nearest"
hold = ["x"]
)",
                                "model.toml")
                    .value();
  model.name = "another";
  model.kinetic->expr *= 2;
  model.initial.v[1].expr = 8;
  model.simulation.rtol = 1e-3;
  const std::vector<std::string> names = {"x", "x'"};
  const Model freed = with_free_initial_values(model, names);
  EXPECT_EQ(freed.name, "another");
  EXPECT_TRUE(same(freed.kinetic->expr, model.kinetic->expr));
  EXPECT_EQ(freed.simulation.rtol, 1e-3);
  EXPECT_TRUE(same(freed.initial.v[1].expr, Expr(8)));
  EXPECT_TRUE(same(freed.initial.q[1].expr, expr::parameter("x_start")));
  EXPECT_EQ(freed.initial.hold, (std::vector<std::string>{"x", "x'"}));
}

TEST(FreeInitialValues, AQuaternionGoesOnFromItsDefault) {
  const Model model = read_model_text(R"(coordinates = ["e0", "e1", "e2", "e3", "z"]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[initial]
z = "3*e0 + e1"
)",
                                      "model.toml")
                          .value();
  const std::vector<std::string> names = {"e1"};
  const Model freed = with_free_initial_values(model, names);
  EXPECT_TRUE(same(freed.initial.q[0].expr, Expr(1)));
  EXPECT_TRUE(same(freed.initial.q[4].expr, 3 + expr::parameter("e1_start")));
}

}  // namespace
}  // namespace dalembert::model::draft_test
