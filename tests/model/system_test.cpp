// Models built by programs, and what validation finds in them.
#include <dalembert/model/system.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "complaints_of.hpp"

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
  s.coordinate("x");
  s.coordinate("t");
  s.parameter("x", 1);
  s.parameter("a b", 1);
  s.kinetic(0);
  EXPECT_EQ(
      found(s.model()),
      "0:0+0 'x' is already the name of a coordinate\n"
      "0:0+0 't' has a meaning of its own and cannot be the name of a coordinate\n"
      "0:0+0 'x' is already the name of a coordinate\n"
      "0:0+0 'a b' cannot be the name of a parameter: a name is a letter or '_', then letters, "
      "digits and '_'\n");
}

TEST(Validate, FindsWhatDoesNotBelongToTheSystem) {
  System s("a");
  const Expr x = s.coordinate("x");
  s.parameter("p", expr::parameter("q"));
  s.parameter("q", 1);
  s.kinetic(pow(dot(x), 2) * expr::parameter("m")).potential(expr::coordinate("z") * dot(x));
  s.output("f", System::ideal(expr::coordinate("w"))).output("f", x).output("x", x);
  s.constrain("c", x == System::ideal(x)).constrain("c", x == 0, -1).mu("d", x);
  EXPECT_EQ(
      found(s.model()),
      "0:0+0 parameter 'p' uses 'q', which does not come before it\n"
      "0:0+0 unknown parameter 'm' in the kinetic energy\n"
      "0:0+0 velocity x' cannot stand here: the potential energy depends on positions and time "
      "only; a force that depends on velocities goes into [forces] or the dissipation\n"
      "0:0+0 constraint 'c' occurs twice\n"
      "0:0+0 constraint 'c': its weight must be positive and finite\n"
      "0:0+0 constraint 'c': 'ideal.x' may be used in [virtual_work], [outputs] and arrows of "
      "[view] only\n"
      "0:0+0 mu: unknown constraint 'd'\n"
      "0:0+0 coordinate x cannot stand here: a multiplier depends on parameters only\n"
      "0:0+0 'f' is the name of an output already\n"
      "0:0+0 'x' is a coordinate and cannot be the name of an output too\n"
      "0:0+0 output 'f': unknown coordinate 'w' in an output\n");
}

TEST(Validate, FindsInitialValuesInACircle) {
  System s("a");
  const auto [x, y] = s.coordinates("x", "y");
  s.kinetic(pow(dot(x), 2)).initial(x, y + 1).initial(y, 2 * x);
  EXPECT_EQ(found(s.model()),
            "0:0+0 initial value of x: coordinate y cannot stand here: an initial value depends on "
            "parameters only\n"
            "0:0+0 initial value of y: coordinate x cannot stand here: an initial value depends on "
            "parameters only\n");
}

TEST(Validate, FindsSizesThatDisagree) {
  System s("a");
  const auto [x, y] = s.coordinates("x", "y");
  s.mass_matrix({{1, x}, {y, 1}});
  Model model = s.model();
  model.forces.pop_back();
  model.initial.v.clear();
  model.independent = {"x", "x", "z"};
  EXPECT_EQ(found(model),
            "0:0+0 mass_matrix is not symmetric: row 2, column 1 differs from row 1, column 2\n"
            "0:0+0 forces has 1 components instead of 2\n"
            "0:0+0 independent: coordinate 'x' is named twice\n"
            "0:0+0 independent: unknown coordinate 'z'\n"
            "0:0+0 there are 0 initial velocities instead of 2\n");
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
  EXPECT_EQ(found(s.model()),
            "0:0+0 coordinate x cannot stand here: the duration depends on parameters only\n"
            "0:0+0 samples must be a whole number from 2 to 1000000000\n"
            "0:0+0 times must not be negative and must increase\n"
            "0:0+0 rtol must lie between 0 and 1\n"
            "0:0+0 atol must be positive and finite\n"
            "0:0+0 rank_tolerance must lie between 0 and 1\n"
            "0:0+0 max_steps must be a whole number from 1 to 1000000000000000\n"
            "0:0+0 unknown method 'magic'\n"
            "0:0+0 unknown integrator 'euler'\n");
}

}  // namespace
}  // namespace dalembert::model::system_test
