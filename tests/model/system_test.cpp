// Models built by programs, and what validation finds in them.
#include <dalembert/expr/print.hpp>
#include <dalembert/model/system.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "complaints_of.hpp"
#include "facts_of.hpp"

namespace dalembert::model::system_test {
namespace {

std::string found(const Model& model) {
  return complaint_lines(validate(model));
}

TEST(System, BuildsTheSameModelAsAFile) {
  System s("dumbbell");
  const auto [x, y, phi] = s.coordinates("x", "y", "phi");
  const Expr m = s.parameter("m", 1.0);
  const Expr l = s.parameter("l", 1);
  s.kinetic(m * (pow(dot(x), 2) + pow(dot(y), 2)) + m * pow(l, 2) * pow(dot(phi), 2) / 2 +
            m * l * dot(phi) * (-dot(x) * sin(phi) + dot(y) * cos(phi)));
  s.constrain("knife edge", dot(y) * cos(phi) == dot(x) * sin(phi));
  s.quasi_velocity("u1", dot(x) * cos(phi) + dot(y) * sin(phi)).quasi_velocity("u2", dot(phi));
  s.independent({phi, x});
  s.initial(phi, 0.25).initial(dot(x), -cos(phi) / 2).initial(dot(y), -sin(phi) / 2);
  s.initial(dot(phi), 1.25);
  const Model built = s.model();
  EXPECT_EQ(found(built), "");
  const Model read = read_model(DALEMBERT_MODELS "/dumbbell.toml").value();
  EXPECT_TRUE(same(built.kinetic->expr, read.kinetic->expr));
  EXPECT_TRUE(same(built.constraints[0].residual, read.constraints[0].residual));
  EXPECT_TRUE(same(built.quasi_velocities[0].expr, read.quasi_velocities[0].expr));
  EXPECT_EQ(built.independent, read.independent);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same(built.initial.q[i].expr, read.initial.q[i].expr));
    EXPECT_TRUE(same(built.initial.v[i].expr, read.initial.v[i].expr));
  }
}

TEST(System, ForcesAndVirtualWorkAddUp) {
  System s("a");
  const Expr x = s.coordinate("x");
  s.kinetic(pow(dot(x), 2))
      .force(x, 1)
      .force(x, x)
      .virtual_work(x, System::ideal(x))
      .virtual_work(x, 2);
  s.output("r", System::nonideal(x)).description("d").adjust(Adjust::nearest);
  const Model model = s.model();
  EXPECT_EQ(found(model), "");
  EXPECT_TRUE(same(model.forces[0].expr, 1 + x));
  EXPECT_TRUE(same(model.virtual_work[0].expr, 2 + expr::ideal_force("x")));
  EXPECT_EQ(model.initial.adjust, Adjust::nearest);
}

TEST(System, RefusesWhatIsNotOneOfItsCoordinates) {
  System s("a");
  const Expr x = s.coordinate("x");
  EXPECT_THROW(s.force(expr::coordinate("z"), 1), std::invalid_argument);
  EXPECT_THROW(s.force(dot(x), 1), std::invalid_argument);
  EXPECT_THROW(s.virtual_work(x + 1, 1), std::invalid_argument);
  EXPECT_THROW(s.initial(dot(dot(x)), 1), std::invalid_argument);
  EXPECT_THROW(s.independent({expr::parameter("x")}), std::invalid_argument);
  EXPECT_THROW(System::ideal(2 * x), std::invalid_argument);
  try {
    s.force(expr::coordinate("z"), 1);
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "'z' is not a coordinate of the system 'a'");
  }
}

TEST(System, UnnamedConstraintsAreNumbered) {
  System s("a");
  const Expr x = s.coordinate("x");
  s.kinetic(pow(dot(x), 2)).constrain("", x == 1).constrain("", dot(x) == 0, 2.5);
  EXPECT_EQ(s.model().constraints[1].name, "constraint 2");
  EXPECT_EQ(s.model().constraints[1].weight, 2.5);
  EXPECT_EQ(found(s.model()), "");
}

TEST(Validate, FindsWrongNames) {
  System s("a");
  s.coordinate("x");
  s.coordinate("t");
  s.parameter("x", 1);
  s.parameter("a b", 1);
  s.kinetic(0);
  EXPECT_NE(found(s.model()).find("program: 'x' is already the name of a coordinate (line "),
            std::string::npos);
  s.remove(Part::parameter, "x");
  EXPECT_EQ(
      found(s.model()),
      "program: 't' has a meaning of its own and cannot be the name of a coordinate\n"
      "program: 'a b' cannot be the name of a parameter: a name is a letter or '_', then letters, "
      "digits and '_'\n");
}

TEST(Validate, FindsWhatDoesNotBelongToTheSystem) {
  System s("a");
  const Expr x = s.coordinate("x");
  s.parameter("p", expr::parameter("q"));
  s.parameter("q", 1);
  s.kinetic(pow(dot(x), 2) * expr::parameter("m")).potential(expr::coordinate("z") * dot(x));
  s.output("f", System::ideal(expr::coordinate("w")));
  s.output("x", x);
  s.constrain("c", x == System::ideal(x)).constrain("d", x == 0, -1);
  s.mu("e", 1).mu("c", x);
  EXPECT_EQ(
      found(s.model()),
      "program: unknown parameter 'm' in the kinetic energy\n"
      "program: velocity x' cannot stand here: the potential energy depends on positions and time "
      "only; a force that depends on velocities goes into [forces] or the dissipation\n"
      "program: output 'f': unknown coordinate 'w' in an output\n"
      "program: 'x' is a coordinate and cannot be the name of an output too\n"
      "program: a weight must be positive\n"
      "program: constraint 'c': 'ideal.x' may be used in [virtual_work], [outputs] and arrows of "
      "[view] only\n"
      "program: unknown constraint 'e'\n"
      "program: coordinate x cannot stand here: a multiplier depends on parameters only\n");
}

TEST(Validate, FindsInitialValuesInACircle) {
  System s("a");
  const auto [x, y] = s.coordinates("x", "y");
  s.kinetic(pow(dot(x), 2)).initial(x, y + 1).initial(y, 2 * x);
  EXPECT_EQ(found(s.model()), "program: the initial value of x depends on itself: x -> y -> x\n");
}

TEST(Validate, TellsTheLineOfTheProgram) {
  System s("a");
  s.coordinate("x");
  const int line = __LINE__ + 1;
  s.kinetic(expr::parameter("m"));
  const auto model = assemble(s.draft());
  ASSERT_FALSE(model);
  EXPECT_EQ(to_string(model.error()), std::string(__FILE__) + ":" + std::to_string(line) +
                                          ": error: unknown parameter 'm' in the kinetic energy\n");
}

TEST(Validate, FindsSizesThatDisagree) {
  System s("a");
  const auto [x, y] = s.coordinates("x", "y");
  s.mass_matrix({{1, x}, {y, 1}});
  Model model = s.model();
  model.forces.pop_back();
  model.initial.v.clear();
  model.independent = {"x", "x", "z"};
  EXPECT_EQ(
      found(model),
      "0:0+0 forces has 1 components instead of 2\n"
      "0:0+0 independent: coordinate 'x' is named twice\n"
      "0:0+0 independent: unknown coordinate 'z'\n"
      "0:0+0 there are 0 initial velocities instead of 2\n"
      "program: mass_matrix is not symmetric: row 2, column 1 differs from row 1, column 2\n");
  EXPECT_EQ(found(Model{}),
            "0:0+0 no coordinates: a system needs at least one\n"
            "0:0+0 no kinetic energy: give [energy] kinetic or mass_matrix\n");
}

TEST(Validate, FindsSettingsOutOfRange) {
  System s("a");
  const Expr x = s.coordinate("x");
  s.kinetic(pow(dot(x), 2));
  Simulation& simulation = s.simulation();
  simulation.duration.expr = x;
  simulation.samples = 1;
  simulation.times = {0, 2, 1};
  simulation.rtol = std::nan("");
  simulation.atol = INFINITY;
  simulation.rank_tolerance = 0;
  simulation.max_steps = 0;
  simulation.method = "magic";
  simulation.integrator = "euler";
  simulation.precision = "half";
  EXPECT_EQ(found(s.model()),
            "0:0+0 coordinate x cannot stand here: the duration depends on parameters only\n"
            "0:0+0 samples must be a whole number from 2 to 1000000000\n"
            "0:0+0 times must not be negative and must increase\n"
            "0:0+0 rtol must lie between 0 and 1\n"
            "0:0+0 atol must be positive and finite\n"
            "0:0+0 rank_tolerance must lie between 0 and 1\n"
            "0:0+0 max_steps must be a whole number from 1 to 1000000000000000\n"
            "0:0+0 unknown method 'magic'\n"
            "0:0+0 unknown integrator 'euler'\n"
            "0:0+0 unknown precision 'half'\n");
}

/// Two pendulums on a cart, one of them turned by a quaternion, as a program says it.
System cart() {
  System s("cart");
  const auto [x, a] = s.coordinates("x", "a");
  const auto [e0, e1, e2, e3] = s.coordinates("e0", "e1", "e2", "e3");
  const Expr m = s.parameter("m", 0.5), l = s.parameter("l", m / 3);
  s.gravity({0, 0, -9.81});
  s.frame("deck", {x, 0, 0}, turn_about({0, Expr(3) / 5, Expr(4) / 5}, Expr(1) / 7));
  BodySpec rod;
  rod.name = "rod";
  rod.mass = m;
  rod.inertia = Matrix::diagonal({0, m * l * l / 12, m * l * l / 12});
  rod.orientation = turn_by_axes("yx", std::vector<Expr>{a, expr::time()});
  rod.center = {l / 2, 0, 0};
  rod.frame = "deck";
  const Body first = s.body(rod);
  BodySpec ball;
  ball.name = "ball";
  ball.mass = 2 * m;
  ball.inertia = Matrix::diagonal({m, m, 2 * m});
  ball.position = {0, 0, x};
  ball.quaternion = {e0, e1, e2, e3};
  s.body(ball);
  s.particle("weight", 1, {0, 0, 1}, "deck");
  s.shape("ball", {.kind = SolidKind::sphere, .radius = l});
  SpringSpec spring;
  spring.bodies = {s.body_index("ball"), s.body_index("rod")};
  spring.points[1] = Vector{l, 0, 0};
  spring.stiffness = Located{30};
  spring.rest = Located{l};
  s.spring(spring);
  PointForceSpec push;
  push.body = s.body_index("rod");
  push.force = Vector{0, dot(a), 0};
  s.point_force(push);
  s.kinetic(pow(dot(x), 2) * (1 + pow(l, 2)));
  s.force(x, -dot(x)).force(x, m).virtual_work(a, -System::ideal(a) * dot(a));
  s.constrain("", System::point(first, {l, 0, 0}).x == x + sin(expr::time()), 2.5);
  s.initial(a, x + 1).initial(x, l / 2).adjust(Adjust::nearest).hold(x);
  s.mu("constraint 1", m);
  s.output("height", System::point(first, {l, 0, 0}).z).independent({x, a});
  s.simulation().rtol = 1e-7;
  s.simulation().times = {0, 0.5, 1.25};
  s.view().points.push_back({.name = "tip", .at = System::point(first, {l, 0, 0})});
  return s;
}

TEST(System, IsWrittenAsAFileOfTheSameMeaning) {
  const System s = cart();
  ASSERT_EQ(found(s.model()), "");
  const std::string text = to_toml(s.draft()).value();
  const auto read = read_model_text(text, "cart.toml");
  ASSERT_TRUE(read) << to_string(read.error()) << text;
  Model built = s.model();
  // A file groups bodies by their kind.
  const auto kind_order = [](const Body& a, const Body& b) {
    const auto rank = [](BodyKind kind) {
      return kind == BodyKind::particle ? 0 : kind == BodyKind::body ? 1 : 2;
    };
    return rank(a.kind) < rank(b.kind);
  };
  std::stable_sort(built.bodies.begin(), built.bodies.end(), kind_order);
  built.loads.clear();
  Model again = *read;
  again.loads.clear();
  EXPECT_EQ(facts_of(again), facts_of(built)) << text;
}

TEST(System, WhatAFileCannotSayIsTold) {
  System s("a");
  const Expr x = s.coordinate("x");
  Turn turn;
  turn.rotation = Matrix{{{{cos(x), sin(x), 0}, {-sin(x), cos(x), 0}, {0, 0, 1}}}};
  s.frame("f", {}, turn);
  const auto text = to_toml(s.draft());
  ASSERT_FALSE(text);
  EXPECT_EQ(complaint_lines(text.error().diagnostics),
            "program: the orientation of 'f' cannot be written: the program computed it, and a "
            "file can only state axes and angles\n");
}

TEST(System, SayingAThingAgainReplacesItInItsPlace) {
  System s("a");
  const auto [x, y] = s.coordinates("x", "y");
  for (int run = 1; run <= 2; ++run) {
    EXPECT_TRUE(same(s.coordinate("x"), x));
    const Expr m = s.parameter("m", run);
    s.parameter("k", 3);
    s.kinetic(m * (pow(dot(x), 2) + pow(dot(y), 2))).constrain("line", x == run * y);
    s.output("o", x).output("p", run * x).quasi_velocity("u", dot(x));
    s.initial(x, run).mu("line", run).hold(x).adjust(Adjust::nearest);
    s.particle("bob", run, {x, 0, 0});
  }
  const Model model = s.model();
  EXPECT_EQ(found(model), "");
  EXPECT_EQ(model.coordinates, (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(model.parameters.size(), 2U);
  EXPECT_EQ(model.parameters[0].name, "m");
  EXPECT_TRUE(same(model.parameters[0].expr, Expr(2)));
  ASSERT_EQ(model.constraints.size(), 1U);
  EXPECT_TRUE(same(model.constraints[0].residual, x - 2 * y));
  ASSERT_EQ(model.outputs.size(), 2U);
  EXPECT_TRUE(same(model.outputs[1].expr, 2 * x));
  ASSERT_EQ(model.bodies.size(), 1U);
  EXPECT_TRUE(same(model.bodies[0].mass, Expr(2)));
  EXPECT_TRUE(same(model.initial.q[0].expr, Expr(2)));
  ASSERT_EQ(model.initial.mu.size(), 1U);
}

TEST(System, StatementsAreRemovedAndReadBack) {
  System s("a");
  const Expr x = s.coordinate("x");
  s.kinetic(pow(dot(x), 2)).constrain("", x == 1).constrain("", dot(x) == 0);
  s.force(x, 1).force(x, 2);
  s.remove(Part::constraint, "constraint 1");
  ASSERT_EQ(s.draft().constraints.size(), 1U);
  EXPECT_EQ(s.draft().constraints[0].name->text, "constraint 2");
  s.constrain("", dot(x) == 5);
  EXPECT_EQ(s.draft().constraints[1].name->text, "constraint 3");
  s.remove(Part::force, "x");
  EXPECT_TRUE(s.model().forces[0].expr.is_zero());
  EXPECT_THROW(s.remove(Part::force, "x"), std::invalid_argument);
  EXPECT_THROW(s.rename(Part::parameter, "m", "n"), std::invalid_argument);
}

TEST(System, ARenamedConstraintKeepsItsMultiplier) {
  System s("a");
  const Expr x = s.coordinate("x");
  s.kinetic(pow(dot(x), 2)).constrain("rod", x == 1).constrain("rod 2", dot(x) == 0);
  s.output("sum", System::multiplier("rod") + System::multiplier("rod 2"));
  s.rename(Part::constraint, "rod", "left rod");
  EXPECT_EQ(to_text(s.model().outputs[0].expr), "lambda.\"left rod\" + lambda.\"rod 2\"");
  auto read = read_draft_text(
      "[[constraint]]\nname = \"loop\"\n[outputs]\nf = \"lambda.loop.x\"\n"
      "g = 'lambda.\"loop.z\"/lambda.loops'",
      "a.toml");
  ASSERT_TRUE(read);
  ASSERT_TRUE(rename(*read, Part::constraint, "loop", "ring"));
  EXPECT_EQ(read->outputs[1].value.text, "lambda.\"ring.z\"/lambda.loops");
}

TEST(System, ARenamedNameIsRenamedWhereItIsUsed) {
  System s = cart();
  s.rename(Part::coordinate, "x", "shift").rename(Part::parameter, "l", "length");
  s.rename(Part::body, "deck", "wagon").rename(Part::constraint, "constraint 1", "swing");
  const Model renamed = s.model();
  EXPECT_EQ(found(renamed), "");
  System back = s;
  back.rename(Part::coordinate, "shift", "x").rename(Part::parameter, "length", "l");
  back.rename(Part::body, "wagon", "deck").rename(Part::constraint, "swing", "constraint 1");
  EXPECT_EQ(facts_of(back.model()), facts_of(cart().model()));
  EXPECT_NE(facts_of(renamed), facts_of(cart().model()));
  const std::string text = to_toml(s.draft()).value();
  EXPECT_EQ(text.find("\"x\""), std::string::npos) << text;
}

}  // namespace
}  // namespace dalembert::model::system_test
