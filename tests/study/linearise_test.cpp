// Linearisation on the constraints against the literature, closed forms and differences of motions.
#include "dalembert/study/linear/linearise.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/study/linear/equilibrium.hpp"

namespace dalembert::study::linearise_test {
namespace {

using Complex = std::complex<double>;

flow::Motion compiled(const std::string& text,
                      const std::map<std::string, std::string>& settings = {}) {
  flow::CompileOptions options;
  options.settings = settings;
  return flow::compile(model::read_model_text(text, "model.toml").value(), options).value();
}

flow::Motion bundled(const std::string& name, const std::map<std::string, std::string>& set = {}) {
  flow::CompileOptions options;
  options.settings = set;
  return flow::compile(
             model::read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value(),
             options)
      .value();
}

flow::State start_of(const flow::Motion& motion, const flow::GivenValues& given = {}) {
  return flow::initial_state(motion, flow::written_start(motion, given).value()).value().state;
}

std::vector<Complex> nonzero(const Spectrum& spectrum) {
  std::vector<Complex> list;
  for (const Complex& z : spectrum.values) {
    if (z != 0.0) list.push_back(z);
  }
  return list;
}

/// The eigenvalues of the benchmark bicycle at speed v, from the linear equations of Meijaard,
/// Papadopoulos, Ruina and Schwab with its parameters (rows of lean'' and steer'').
std::vector<Complex> benchmark(double v) {
  Eigen::Matrix4d A;
  A << 0, 0, 1, 0, 0, 0, 0, 1, 9.48977444677355, -0.891197738059089 * v * v - 0.571523173729245,
      -0.105522449805691 * v, -0.330515398992311 * v, 11.7194768719633,
      -1.97171508499972 * v * v + 30.9087533932407, 3.67680523332152 * v, -3.08486552743311 * v;
  const Eigen::Vector4cd values = Eigen::EigenSolver<Eigen::Matrix4d>(A).eigenvalues();
  return {values.begin(), values.end()};
}

/// The model's bicycle, upright at a speed.
class Bicycle {
 public:
  Spectrum at(double v) {
    std::vector<double> parameters = motion_.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (motion_.model().parameters[i].name == "v") parameters[i] = v;
    }
    const flow::Motion motion = motion_.with_parameters(parameters);
    const flow::State state = start_of(motion, {{{"lean'", 0.0}}, {}});
    system_.bind(motion);
    EXPECT_TRUE(system_.look(state)) << system_.problem();
    EXPECT_NE(steadiness_of(motion, system_, state), Steadiness::moving);
    return calc_spectrum(system_.calc_A(), system_.calc_A_rounding());
  }

 private:
  flow::Motion motion_ = bundled("bicycle");
  LocalSystem system_{motion_, {}, false};
};

double root_of(const auto& f, double low, double high) {
  const bool rising = f(high) > 0;
  for (int i = 0; i < 44; ++i) {
    const double middle = (low + high) / 2;
    ((f(middle) > 0) == rising ? high : low) = middle;
  }
  return (low + high) / 2;
}

TEST(Linearise, BicycleHasTheEigenvaluesOfTheBenchmark) {
  Bicycle bicycle;
  for (const double v : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0}) {
    const Spectrum spectrum = bicycle.at(v);
    ASSERT_EQ(spectrum.values.size(), 10) << v;  // 7 coordinates, 3 velocities
    const std::vector<Complex> found = nonzero(spectrum);
    ASSERT_EQ(found.size(), 4u) << v;
    for (const Complex& expected : benchmark(v)) {
      double nearest = 1;
      for (const Complex& z : found) nearest = std::min(nearest, std::abs(z - expected));
      EXPECT_LE(nearest, 1e-11 * std::max(1.0, std::abs(expected))) << v << ": " << expected;
    }
  }
}

TEST(Linearise, BicycleHasThePublishedWeaveAndCapsizeSpeeds) {
  Bicycle bicycle;
  const auto weave = [&](double v) {
    double real = -1e9;
    for (const Complex& z : nonzero(bicycle.at(v))) {
      if (z.imag() > 1) real = z.real();
    }
    return real;
  };
  const auto capsize = [&](double v) {
    double real = -1e9;
    for (const Complex& z : bicycle.at(v).values) {
      if (z != 0.0 && z.imag() == 0) real = std::max(real, z.real());
    }
    return real;
  };
  EXPECT_NEAR(root_of(weave, 4, 5), 4.29238253634111, 5e-12);
  EXPECT_NEAR(root_of(capsize, 5.9, 6.1), 6.02426201538837, 5e-12);
}

const char* const upright_disk = R"toml(name = "Disk"
coordinates = ["phi", "theta", "psi", "x", "y"]
[parameters]
m = 1
r = 1
g = 1
spin = "sqrt(g/(3*r))"
[let]
xc = "x - r*sin(phi)*cos(theta)"
yc = "y + r*cos(phi)*cos(theta)"
zc = "r*sin(theta)"
[energy]
kinetic = "m*(xc'^2 + yc'^2 + zc'^2)/2 + m*r^2*((phi'*sin(theta))^2 + theta'^2)/8 + m*r^2*(phi'*cos(theta) + psi')^2/4"
potential = "m*g*zc"
[[constraint]]
name = "rolling x"
equation = "x' = -r*psi'*cos(phi)"
[[constraint]]
name = "rolling y"
equation = "y' = -r*psi'*sin(phi)"
[independent]
coordinates = ["phi", "theta", "psi"]
[initial]
theta = "pi/2"
"psi'" = "spin"
"x'" = "-r*spin"
)toml";

TEST(Linearise, DiskRollingUprightAtItsCriticalSpinHasOnlyZeros) {
  const flow::Motion motion = compiled(upright_disk);
  const Linearisation linear = linearise(motion, start_of(motion)).value();
  EXPECT_EQ(linear.steadiness, Steadiness::steady_motion);
  EXPECT_FALSE(linear.varies);
  EXPECT_EQ(linear.states,
            (std::vector<std::string>{"phi", "theta", "psi", "x", "y", "phi'", "theta'", "psi'"}));
  ASSERT_EQ(linear.spectrum.values.size(), 8);
  for (const Complex& z : linear.spectrum.values) EXPECT_EQ(z, 0.0);
}

/// Beside the critical spin: lambda^2 = (4 g/(5 r)) (1 - 3 r spin^2/g), Greenwood, Advanced
/// Dynamics, section 5.3 (small motions of the thin disk).
TEST(Linearise, DiskRollingUprightWobblesOrFalls) {
  for (const double spin : {0.2, 0.5, 0.7, 2.0}) {
    const flow::Motion motion = compiled(upright_disk, {{"spin", std::to_string(spin)}});
    const Linearisation linear = linearise(motion, start_of(motion)).value();
    const Complex expected = std::sqrt(Complex(4.0 / 5 * (1 - 3 * spin * spin)));
    const std::vector<Complex> found = nonzero(linear.spectrum);
    ASSERT_EQ(found.size(), 2u) << spin;
    EXPECT_LE(std::abs(found[0] * found[0] - expected * expected), 1e-13) << spin;
    EXPECT_LE(std::abs(found[0] + found[1]), 1e-13) << spin;
  }
}

std::string pendulum(const std::string& rods, const std::string& initial) {
  return R"toml(name = "Pendulum"
coordinates = ["x", "y"]
[parameters]
m = 2
l = 0.7
g = 9.81
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
)toml" + rods +
         "[initial]\n" + initial;
}
const std::string rod = "[[constraint]]\nname = \"rod\"\nequation = \"x^2 + y^2 = l^2\"\n";
const std::string second_rod =
    "[[constraint]]\nname = \"second\"\nequation = \"sqrt(x^2 + y^2) = l\"\n";

TEST(Linearise, PendulumWithOneRodOrTwoSwingsAtTheRootOfGOverL) {
  for (const std::string& rods : {rod, rod + second_rod,
                                  second_rod + rod + rod.substr(0, 15) + "name = \"third\"\n" +
                                      "equation = \"3*x^2 + 3*y^2 = 3*l^2\"\n"}) {
    const flow::Motion hanging = compiled(pendulum(rods, "y = \"-l\"\n"));
    const Linearisation down = linearise(hanging, start_of(hanging)).value();
    EXPECT_EQ(down.steadiness, Steadiness::equilibrium);
    EXPECT_EQ(down.states, (std::vector<std::string>{"x", "x'"}));
    ASSERT_EQ(down.spectrum.values.size(), 2);
    EXPECT_NEAR(std::abs(down.spectrum.values[0] - Complex(0, std::sqrt(9.81 / 0.7))), 0, 1e-14);
    EXPECT_NEAR(down.spectrum.conditions[0], (9.81 / 0.7 + 1) / (2 * std::sqrt(9.81 / 0.7)), 1e-12);

    const flow::Motion standing = compiled(pendulum(rods, "y = \"l\"\n"));
    const Linearisation up = linearise(standing, start_of(standing)).value();
    EXPECT_NEAR(up.spectrum.values[0].real(), std::sqrt(9.81 / 0.7), 1e-14);
    EXPECT_NEAR(up.spectrum.values[1].real(), -std::sqrt(9.81 / 0.7), 1e-14);
  }
}

TEST(Linearise, EquilibriumIsFoundFromAnywhereNear) {
  const flow::Motion motion =
      compiled(pendulum(rod,
                        "x = \"l*sin(0.8)\"\ny = \"-l*cos(0.8)\"\n\"x'\" = \"cos(0.8)\"\n"
                        "\"y'\" = \"sin(0.8)\"\n"));
  const auto refused = linearise(motion, start_of(motion));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().substr(0, 38), "the motion is not steady there: y'' = ");
  const Equilibrium found = find_equilibrium(motion, start_of(motion)).value();
  EXPECT_EQ(found.steadiness, Steadiness::equilibrium);
  EXPECT_NEAR(found.state.q[0], 0, 1e-12);
  EXPECT_NEAR(found.state.q[1], -0.7, 1e-12);
}

TEST(Linearise, WhereThereIsNoEquilibriumItIsSaid) {
  const flow::Motion motion = compiled(R"toml(name = "Falling"
coordinates = ["z"]
[energy]
kinetic = "z'^2/2"
potential = "9.81*z"
)toml");
  const auto found = find_equilibrium(motion, start_of(motion));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), "the search ends where z'' = -9.81 is left");
}

/// A pendulum that turns on a cone at a constant rate: it stands where cos(theta) = g/(l w^2).
TEST(Linearise, SteadyTurningOfAConicalPendulumIsFoundAndOscillatesAsKnown) {
  const flow::Motion motion = compiled(R"toml(name = "Conical pendulum"
coordinates = ["theta", "phi"]
[parameters]
l = 1.5
g = 9.81
[energy]
kinetic = "l^2*(theta'^2 + sin(theta)^2*phi'^2)/2"
potential = "-g*l*cos(theta)"
[initial]
theta = 0.9
"phi'" = 3.2
"theta'" = 0.1
)toml");
  const Equilibrium found = find_equilibrium(motion, start_of(motion)).value();
  EXPECT_EQ(found.steadiness, Steadiness::steady_motion);
  const double w = 3.2, cosine = 9.81 / (1.5 * w * w);
  EXPECT_NEAR(found.state.v[1], w, 1e-15);
  EXPECT_NEAR(std::cos(found.state.q[0]), cosine, 1e-12);
  const Linearisation linear = linearise(motion, found.state).value();
  // Small oscillations about the cone: omega^2 = w^2 (1 + 3 cos^2 theta).
  const std::vector<Complex> values = nonzero(linear.spectrum);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_NEAR(values[0].imag(), w * std::sqrt(1 + 3 * cosine * cosine), 1e-11);
  EXPECT_NEAR(values[0].real(), 0, 1e-12);
  EXPECT_EQ(std::ranges::count(linear.spectrum.zeros, ZeroKind::ignored), 1);
}

TEST(Linearise, InputsAndOutputsOfAMassOnASpring) {
  const flow::Motion motion = compiled(R"toml(name = "Spring"
coordinates = ["x"]
[parameters]
m = 2
c = 8
d = 0.4
u = 0
[energy]
kinetic = "m*x'^2/2"
potential = "c*x^2/2"
[forces]
x = "u - d*x'"
[outputs]
position = "3*x"
felt = "x'' + u"
)toml");
  LinearisationOptions options;
  options.inputs = {"u"};
  const Linearisation linear = linearise(motion, start_of(motion), options).value();
  EXPECT_TRUE(linear.A.isApprox(Eigen::Matrix2d{{0, 1}, {-4, -0.2}}, 1e-15));
  EXPECT_TRUE(linear.B.isApprox(Eigen::Vector2d(0, 0.5), 1e-15));
  EXPECT_TRUE(linear.C.isApprox(Eigen::Matrix2d{{3, 0}, {-4, -0.2}}, 1e-15));
  EXPECT_TRUE(linear.D.isApprox(Eigen::Vector2d(0, 1.5), 1e-15));
}

/// A bead on a wire that turns, in coordinates of the fixed frame: A belongs to one instant.
TEST(Linearise, WhatChangesWithTimeIsSaidToBeOfOneInstant) {
  const flow::Motion motion = compiled(R"toml(name = "Mathieu"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "(1 + cos(t)/2)*x^2/2"
)toml");
  const Linearisation linear = linearise(motion, start_of(motion)).value();
  EXPECT_EQ(linear.steadiness, Steadiness::equilibrium);
  EXPECT_TRUE(linear.varies);
  EXPECT_TRUE(linear.depends_on_time);
}

/// The field of accelerations along the constraints, by differences: nonholonomic, redundant,
/// rheonomic, and with friction of the reaction.
TEST(Linearise, DerivativesOfRandomStatesAgreeWithDifferences) {
  for (const std::string name : {"dumbbell", "coulomb_helix", "rolling_disk", "slider_crank",
                                 "rotating_wire", "appell_hamel", "parallelogram"}) {
    const flow::Motion motion = bundled(name);
    const flow::State state = start_of(motion);
    LocalSystem system(motion, {}, false);
    ASSERT_TRUE(system.look(state)) << name << system.problem();
    const flow::Chart chart = system.chart();
    const Eigen::MatrixXd A = system.calc_A();
    const auto field = [&](Eigen::Index column, double by) {
      flow::State moved = state;
      const auto coordinates = std::ssize(chart.independent_q());
      if (column < coordinates) {
        moved
            .q[static_cast<std::size_t>(chart.independent_q()[static_cast<std::size_t>(column)])] +=
            by;
      } else {
        moved.v[static_cast<std::size_t>(
            chart.independent_v()[static_cast<std::size_t>(column - coordinates)])] += by;
      }
      EXPECT_TRUE(chart.complete(system.derivatives(), moved)) << name;
      const flow::Acceleration solved = motion.acceleration(moved.t, moved.q, moved.v);
      Eigen::VectorXd rates(chart.size());
      for (Eigen::Index i = 0; i < chart.size(); ++i)
        rates[i] =
            i < coordinates
                ? moved.v[static_cast<std::size_t>(
                      chart.independent_q()[static_cast<std::size_t>(i)])]
                : solved.qdd[chart.independent_v()[static_cast<std::size_t>(i - coordinates)]];
      return rates;
    };
    for (Eigen::Index j = 0; j < chart.size(); ++j) {
      const auto difference = [&](double h) {
        return Eigen::VectorXd((field(j, h) - field(j, -h)) / (2 * h));
      };
      const double h = 1e-3;
      const Eigen::VectorXd coarse = difference(h), fine = difference(h / 2),
                            finest = difference(h / 4);
      const Eigen::VectorXd first = fine + (fine - coarse) / 3,
                            second = finest + (finest - fine) / 3;
      const Eigen::VectorXd best = second + (second - first) / 15;
      EXPECT_LE((best - A.col(j)).cwiseAbs().maxCoeff(),
                1e-9 * std::max(1.0, A.cwiseAbs().maxCoeff()))
          << name << " column " << j;
    }
  }
}

}  // namespace
}  // namespace dalembert::study::linearise_test
