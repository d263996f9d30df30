// What a model file says is what the model holds.
#include <dalembert/expr/differentiate.hpp>
#include <dalembert/expr/graph.hpp>
#include <dalembert/model/model.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../model_files.hpp"
#include "complaints_of.hpp"

namespace dalembert::model::read_model_test {
namespace {

using expr::coordinate;
using expr::parameter;
using expr::Rational;

Model good(const std::string& text) {
  return read_model_text(text, "model.toml").value();
}

Expr x(int order = 0) {
  return coordinate("x", order);
}
Expr y(int order = 0) {
  return coordinate("y", order);
}
const Expr m = parameter("m");
const Expr k = parameter("k");

#define EXPECT_SAME(a, b) EXPECT_TRUE(same(a, b))

TEST(ReadModel, AllModelsOfTheProgramAreGood) {
  int count = 0;
  for (const auto& file : model_files()) {
    const auto model = read_model(file.string());
    EXPECT_TRUE(model) << to_string(model.error());
    if (model) {
      EXPECT_EQ(complaint_lines(validate(*model)), "") << file;
      EXPECT_TRUE(parameter_values(*model)) << file;
    }
    ++count;
  }
  EXPECT_GE(count, 12);
}

TEST(ReadModel, TheExampleOfTheContractIsRead) {
  const Model model = good(R"toml(
name = "Dumbbell with a knife edge"
description = "Two equal particles on a rod; particle 1 may only move along the rod."
coordinates = ["x", "y", "phi"]

[parameters]                      # numbers, or expressions of other parameters
m = 1.0
l = 0.5
a0 = 0.25

[let]                             # named sub-expressions, in any order, of anything
v = "x'*cos(phi) + y'*sin(phi)"

[energy]                          # the unconstrained system, by its energies ...
kinetic   = "m*(x'^2 + y'^2) + m*l^2*phi'^2/2 + m*l*phi'*(y'*cos(phi) - x'*sin(phi))"
potential = "0"
dissipation = "0"                 # optional Rayleigh function

[forces]                          # applied generalized forces, added to what the energies give
phi = "-0.1*phi'"

[[constraint]]
name = "knife edge"
equation = "x'*sin(phi) = y'*cos(phi)"
weight = 1.0

[virtual_work]
x = "-a0*v*x'"

[quasi_velocities]
u1 = "x'*cos(phi) + y'*sin(phi)"
u2 = "phi'"

[independent]
coordinates = ["phi", "x"]

[initial]
x = 0
phi = 0.3
"x'" = "cos(0.3)"
"y'" = "sin(0.3)"
"phi'" = 2
mu = { "knife edge" = 0.1 }
adjust = "none"

[simulation]
duration = 10
samples = 501
rtol = 1e-9
atol = 1e-12
method = "m-inverse"
integrator = "rk8"
project = "both"

[outputs]
speed = "v"
)toml");
  EXPECT_EQ(model.name, "Dumbbell with a knife edge");
  EXPECT_EQ(model.coordinates, (std::vector<std::string>{"x", "y", "phi"}));
  const Expr phi = coordinate("phi");
  const Expr v = x(1) * cos(phi) + y(1) * sin(phi);
  EXPECT_SAME(model.forces[2].expr, Rational(-1, 10) * coordinate("phi", 1));
  EXPECT_TRUE(model.forces[0].expr.is_zero());
  ASSERT_EQ(model.constraints.size(), 1u);
  EXPECT_EQ(model.constraints[0].name, "knife edge");
  EXPECT_SAME(model.constraints[0].residual, x(1) * sin(phi) - y(1) * cos(phi));
  EXPECT_EQ(level(model.constraints[0]), Level::velocity);
  EXPECT_SAME(model.virtual_work[0].expr, -(parameter("a0") * v * x(1)));
  ASSERT_EQ(model.quasi_velocities.size(), 2u);
  EXPECT_EQ(model.quasi_velocities[1].name, "u2");
  EXPECT_EQ(model.independent, (std::vector<std::string>{"phi", "x"}));
  EXPECT_SAME(model.initial.q[2].expr, Expr(Rational(3, 10)));
  EXPECT_SAME(model.initial.v[0].expr, cos(Expr(Rational(3, 10))));
  ASSERT_EQ(model.initial.mu.size(), 1u);
  EXPECT_EQ(model.initial.mu[0].name, "knife edge");
  ASSERT_EQ(model.outputs.size(), 1u);
  EXPECT_SAME(model.outputs[0].expr, v);
  EXPECT_EQ(model.kinetic->where.line, 15);
  EXPECT_EQ(model.kinetic->where.column, 14);
}

TEST(ReadModel, NumbersStayExact) {
  const auto value = [](const std::string& literal) {
    return good(plane + "potential = " + literal + "\n").potential->expr.value();
  };
  EXPECT_EQ(value("0.1"), Rational(1, 10));
  EXPECT_EQ(value("-0.1"), Rational(-1, 10));
  EXPECT_EQ(value("+1_000.000_5"), Rational(2000001, 2000));
  EXPECT_EQ(value("9007199254740993"), Rational("9007199254740993"));
  EXPECT_EQ(value("0x1F"), 31);
  EXPECT_EQ(value("0o17"), 15);
  EXPECT_EQ(value("0b1_01"), 5);
  EXPECT_EQ(value("1e-3"), Rational(1, 1000));
  EXPECT_EQ(value("6.02E+2"), 602);
  EXPECT_EQ(value("0.1#c"), Rational(1, 10));
  EXPECT_EQ(value("\"0.1 + 1/5\""), Rational(3, 10));
  EXPECT_EQ(value("'1e-400'").get_den(), [] {
    mpz_class z;
    mpz_ui_pow_ui(z.get_mpz_t(), 10, 400);
    return z;
  }());
  const Model array = good("coordinates = [\"x\"]\nmass_matrix = [[0.1]]\n");
  EXPECT_EQ(array.mass_matrix[0][0].expr.value(), Rational(1, 10));
}

TEST(ReadModel, ParametersComeInTheOrderTheyNeedEachOther) {
  const Model model = good(
      "coordinates = [\"x\"]\n[parameters]\na = \"b + c\"\nb = \"2*c\"\nz = 1\nc = 3\n[energy]\n"
      "kinetic = \"a*x'^2\"\n");
  std::string order;
  for (const Named& p : model.parameters) order += p.name;
  EXPECT_EQ(order, "cbaz");
  EXPECT_EQ(*parameter_values(model), (std::vector<double>{3, 6, 9, 1}));
}

TEST(ReadModel, LetsMayStandInAnyOrder) {
  const Model model =
      good(plane + "potential = \"a\"\n[let]\na = \"b^2\"\nb = \"c + x\"\nc = \"k*y\"\n");
  EXPECT_SAME(model.potential->expr, pow(k * y() + x(), 2));
}

TEST(ReadModel, APrimeOnALetIsItsTimeDerivative) {
  const Model model = good(plane +
                           "[let]\nu = \"w'\"\nw = \"x*sin(y) + t^2\"\n"
                           "[outputs]\na = \"w'\"\nb = \"w''\"\nc = \"u'\"\nd = \"u\"\n");
  const Expr w = x() * sin(y()) + pow(expr::time(), 2);
  EXPECT_SAME(model.outputs[0].expr, dot(w));
  EXPECT_SAME(model.outputs[1].expr, dot(dot(w)));
  EXPECT_SAME(model.outputs[2].expr, model.outputs[1].expr);
  EXPECT_SAME(model.outputs[3].expr, model.outputs[0].expr);
}

TEST(ReadModel, AnOutputMayBearTheNameOfALetAndKeepsItsOrder) {
  const Model model = good(
      plane + "[let]\nz = \"x + y\"\na = \"x\"\n[outputs]\nz = \"z\"\na = \"a\"\nm2 = \"m\"\n");
  ASSERT_EQ(model.outputs.size(), 3u);
  EXPECT_EQ(model.outputs[0].name, "z");
  EXPECT_EQ(model.outputs[1].name, "a");
}

TEST(ReadModel, InitialValuesMayUseEachOtherParametersAndLets) {
  const Model model =
      good(plane +
           "[let]\nr = \"x^2 + t + y*m\"\ns = \"x^2 + t\"\n"
           "[initial]\nx = \"y + k\"\n\"y'\" = \"s'\"\n\"x'\" = \"r\"\ny = \"m^2\"\n");
  const Expr x0 = pow(m, 2) + k;
  const Expr r0 = pow(x0, 2) + pow(m, 2) * m;
  EXPECT_SAME(model.initial.q[0].expr, x0);
  EXPECT_SAME(model.initial.q[1].expr, pow(m, 2));
  EXPECT_SAME(model.initial.v[0].expr, r0);
  EXPECT_SAME(model.initial.v[1].expr, 2 * x0 * r0 + 1);
}

TEST(ReadModel, ACoordinateMayBeCalledMu) {
  const Model model = good(
      "coordinates = [\"mu\"]\n[energy]\nkinetic = \"mu'^2\"\n[[constraint]]\nname = \"c\"\n"
      "equation = \"mu = 1\"\n[initial]\nmu = 2\n");
  EXPECT_SAME(model.initial.q[0].expr, Expr(2));
  EXPECT_TRUE(model.initial.mu.empty());
}

TEST(ReadModel, ConstraintsWithoutANameAreNumbered) {
  const Model model =
      good(plane +
           "[[constraint]]\nequation = \"x = 0\"\n[[constraint]]\nname = \"b\"\n"
           "equation = \"x'' = y'\"\nweight = \"1/4\"\n[[constraint]]\nequation = \"y' = 0\"\n");
  ASSERT_EQ(model.constraints.size(), 3u);
  EXPECT_EQ(model.constraints[0].name, "constraint 1");
  EXPECT_EQ(level(model.constraints[0]), Level::position);
  EXPECT_EQ(model.constraints[1].weight, 0.25);
  EXPECT_EQ(level(model.constraints[1]), Level::acceleration);
  EXPECT_EQ(model.constraints[2].name, "constraint 3");
  EXPECT_EQ(level(model.constraints[2]), Level::velocity);
}

TEST(ReadModel, TheSimulationIsKept) {
  const Model model =
      good(plane +
           "[initial]\nadjust = \"velocity\"\n[simulation]\ntimes = [0, 0.5, \"2*pi\"]\n"
           "rtol = 1e-6\natol = \"1/1000\"\nmethod = \"gauss\"\nintegrator = \"bdf\"\n"
           "project = \"none\"\nrank_tolerance = 1e-6\nmax_steps = 1_000\n");
  EXPECT_EQ(model.initial.adjust, Adjust::velocity);
  EXPECT_EQ(model.simulation.times.size(), 3u);
  EXPECT_SAME(model.simulation.duration.expr, 2 * expr::pi());
  EXPECT_EQ(model.simulation.rtol, 1e-6);
  EXPECT_EQ(model.simulation.atol, 1e-3);
  EXPECT_EQ(model.simulation.method, "gauss");
  EXPECT_EQ(model.simulation.integrator, "bdf");
  EXPECT_EQ(model.simulation.project, Project::none);
  EXPECT_EQ(model.simulation.rank_tolerance, 1e-6);
  EXPECT_EQ(model.simulation.max_steps, 1000);
  const Model other = good(plane + "[simulation]\nduration = \"k + 1\"\nsamples = 11\n");
  EXPECT_SAME(other.simulation.duration.expr, k + 1);
  EXPECT_EQ(other.simulation.samples, 11);
}

TEST(ReadModel, AModelWithoutANameIsCalledAfterItsFile) {
  EXPECT_EQ(read_model_text(plane, "some/where/skate.toml").value().name, "skate");
}

TEST(ReadModel, InlineTablesAndDottedKeysAreTheSameAsTables) {
  const Model model = good(
      "coordinates = [\"x\"]\nenergy = { kinetic = \"x'^2\" }\nparameters.m = 2\n"
      "constraint = [{ equation = \"x = m\" }]\ninitial.\"x'\" = 3\n");
  EXPECT_SAME(model.constraints[0].residual, x() - m);
  EXPECT_SAME(model.initial.v[0].expr, Expr(3));
}

std::string whole_message(const std::string& path) {
  const auto model = read_model(path);
  return model ? "no error" : to_string(model.error());
}

TEST(ReadModel, FilesThatCannotBeReadAreNamed) {
  EXPECT_EQ(whole_message("dumbell.toml"), "dumbell.toml: error: no such file\n");
  EXPECT_EQ(whole_message(""), ": error: no such file\n");
  EXPECT_EQ(whole_message("/tmp"), "/tmp: error: is a directory\n");
  EXPECT_EQ(whole_message("/dev/zero"),
            "/dev/zero: error: too large: a model file has at most 8388608 bytes\n");
  EXPECT_EQ(whole_message(std::string(5000, 'a')).substr(500),
            "...: error: cannot be read: File name too long\n");
}

TEST(ReadModel, LetsThatAreVectorsAreFoundInOnePassWhateverTheirOrder) {
  // Looked at in the order written, again and again until nothing changes, this took minutes.
  constexpr int count = 20000;
  std::string text =
      "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"dot(v0, "
      "w)*x\"\n[let]\n";
  for (int i = 0; i < count; ++i)
    text += "v" + std::to_string(i) + " = \"v" + std::to_string(i + 1) + "\"\n";
  text += "v" + std::to_string(count) + " = [1, 2, 3]\nw = \"cross(u, v1) + x*u\"\n";
  // A member is no name that the let needs: x here is the coordinate's, of v the first component.
  text += "u = \"v0*a\"\na = \"v5.x\"\n";
  const Model model = good(text);
  EXPECT_TRUE(model.potential);
}

TEST(ReadModel, AFileOfTenMegabytesIsTooLarge) {
  const auto path = std::filesystem::temp_directory_path() / "dalembert_ten_megabytes.toml";
  std::ofstream(path) << std::string(10'000'000, '#');
  EXPECT_EQ(whole_message(path.string()),
            path.string() + ": error: too large: a model file has at most 8388608 bytes\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace dalembert::model::read_model_test
