// Sensitivities against closed forms and against Richardson's extrapolation of motions.
#include "dalembert/study/linear/sensitivities.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "dalembert/study/linear/branch.hpp"
#include "dalembert/study/linear/inverse_dynamics.hpp"

namespace dalembert::study::sensitivities_test {
namespace {

flow::Motion compiled(const std::string& text,
                      const std::map<std::string, std::string>& settings = {}) {
  flow::CompileOptions options;
  options.settings = settings;
  return flow::compile(model::read_model_text(text, "model.toml").value(), options).value();
}

model::Model file(const std::string& name) {
  return model::read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value();
}

motion::SimulationOptions precise(double duration, long samples) {
  motion::SimulationOptions options;
  options.duration = duration;
  options.samples = samples;
  options.rtol = 1e-12;
  options.atol = 1e-13;
  return options;
}

double entry(const Sensitivities& found, std::size_t sample, const std::string& quantity,
             const std::string& name) {
  const auto row = static_cast<std::size_t>(std::ranges::find(found.quantities, quantity) -
                                            found.quantities.begin());
  const auto column =
      static_cast<std::size_t>(std::ranges::find(found.names, name) - found.names.begin());
  return found.row(sample)[row * found.names.size() + column];
}

TEST(Sensitivities, OfASpringAreThoseOfItsSolution) {
  const flow::Motion motion = compiled(R"toml(name = "Spring"
coordinates = ["x"]
[parameters]
c = 4
start = 0.5
half = "c/2"
[energy]
kinetic = "x'^2/2"
potential = "half*x^2"
[initial]
x = "start"
[outputs]
double = "2*x"
)toml");
  const Sensitivities found =
      sensitivities(motion, precise(3, 4), {{"c", "start", "x", "x'"}}).value();
  ASSERT_TRUE(found.complete) << found.reason;
  EXPECT_EQ(found.columns().front(), "d(x)/d(c)");
  for (std::size_t s = 0; s < found.t.size(); ++s) {
    const double t = found.t[s], w = 2;
    EXPECT_NEAR(entry(found, s, "x", "c"), -0.5 * t * std::sin(w * t) / (2 * w), 1e-10);
    EXPECT_NEAR(entry(found, s, "x", "start"), std::cos(w * t), 1e-10);
    EXPECT_NEAR(entry(found, s, "x", "x"), std::cos(w * t), 1e-10);
    EXPECT_NEAR(entry(found, s, "x", "x'"), std::sin(w * t) / w, 1e-10);
    EXPECT_NEAR(entry(found, s, "x''", "x'"), -w * std::sin(w * t), 1e-9);
    EXPECT_NEAR(entry(found, s, "double", "start"), 2 * std::cos(w * t), 1e-10);
  }
}

std::string text_of(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

/// The end of a motion, for differences.
std::vector<double> end_of(const model::Model& model, const std::string& name, double value,
                           bool parameter, double duration) {
  flow::CompileOptions options;
  flow::GivenValues given;
  if (parameter) {
    options.settings[name] = text_of(value);
  } else {
    given.state.emplace_back(name, value);
  }
  const flow::Motion motion = flow::compile(model, options).value();
  const auto start =
      flow::initial_state(motion, flow::written_start(motion, given).value()).value();
  std::vector<double> end;
  motion::SimulationOptions how = precise(duration, 2);
  motion::simulate(motion, start.state, how, [&](const motion::Sample& sample) {
    end.assign(sample.q.begin(), sample.q.end());
    end.insert(end.end(), sample.v.begin(), sample.v.end());
    end.insert(end.end(), sample.qdd.begin(), sample.qdd.end());
    return true;
  });
  return end;
}

void expect_differences(const std::string& model_name, const std::string& name, double value,
                        bool parameter, double duration) {
  const model::Model model = file(model_name);
  const flow::Motion motion = flow::compile(model).value();
  const Sensitivities found = sensitivities(motion, precise(duration, 2), {{name}}).value();
  ASSERT_TRUE(found.complete) << found.reason;
  std::vector<std::vector<double>> table;
  double h = 0.02;
  for (int i = 0; i < 4; ++i, h /= 2) {
    const auto above = end_of(model, name, value + h, parameter, duration),
               below = end_of(model, name, value - h, parameter, duration);
    std::vector<double> row(above.size());
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = (above[k] - below[k]) / (2 * h);
    double power = 1;
    for (auto& before : table) {
      power *= 4;
      std::vector<double> next = row;
      for (std::size_t k = 0; k < row.size(); ++k) next[k] += (row[k] - before[k]) / (power - 1);
      before = row;
      row = next;
    }
    table.push_back(row);
  }
  const std::vector<double>& expected = table.back();
  double size = 1;
  for (const double x : expected) size = std::max(size, std::abs(x));
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(found.row(1)[k], expected[k], 1e-9 * size)
        << model_name << " " << found.quantities[k] << " by " << name;
}

TEST(Sensitivities, OfConstrainedMotionsAgreeWithDifferences) {
  expect_differences("rolling_disk", "r", 0.5, true, 1);  // nonholonomic, the start follows r
  expect_differences("rolling_disk", "theta", 1.125, false, 1);
  expect_differences("pendulum", "g", 9.8125, true, 1);
  expect_differences("dumbbell", "l", 1, true, 1);
  expect_differences("coulomb_helix", "mu", 0.25, true, 0.5);  // C of the reaction
}

TEST(Sensitivities, StayTangentToTheConstraints) {
  const flow::Motion motion = flow::compile(file("pendulum")).value();
  const Sensitivities found = sensitivities(motion, precise(5, 51), {{"g"}}).value();
  for (std::size_t s = 0; s < found.t.size(); ++s) {
    const double* state = found.states.data() + 4 * s;
    EXPECT_NEAR(state[0] * found.row(s)[0] + state[1] * found.row(s)[1], 0, 1e-12) << found.t[s];
  }
}

TEST(Sensitivities, OfUnknownNamesAreRefused) {
  const flow::Motion motion = flow::compile(file("pendulum")).value();
  EXPECT_EQ(sensitivities(motion, precise(1, 2), {{"gg"}}).error(),
            "'gg' is neither a parameter nor an initial value; did you mean 'g'?");
}

TEST(InverseDynamics, GivesBackTheForcesOfAMotion) {
  const flow::Motion motion = flow::compile(file("pendulum")).value();
  const auto start = flow::initial_state(motion).value().state;
  const flow::Acceleration free = motion.acceleration(start.t, start.q, start.v);
  const std::vector<double> a(free.qdd.begin(), free.qdd.end());
  const std::vector<std::size_t> both{0, 1};
  const InverseDynamics rest = inverse_dynamics(motion, start, a, both);
  ASSERT_EQ(rest.problem, "");
  EXPECT_LE(rest.u.norm(), 1e-12 * free.Q.norm());
  EXPECT_LE((rest.ideal - free.ideal).norm(), 1e-12 * free.Q.norm());
  std::vector<double> broken = a;
  broken[0] += start.q[0];
  broken[1] += start.q[1];
  EXPECT_EQ(inverse_dynamics(motion, start, broken, both).problem.substr(0, 40),
            "the acceleration breaks the constraint '");
}

/// The bead on a hoop turned at w: theta = 0 loses its stability at w^2 = g/R.
TEST(Branch, FindsWhereTheBottomOfAHoopLosesItsStability) {
  const flow::Motion motion = compiled(R"toml(name = "Hoop"
coordinates = ["theta"]
[parameters]
g = 9.81
R = 0.4
w = 1
[energy]
kinetic = "R^2*(theta'^2 + w^2*sin(theta)^2)/2"
potential = "-g*R*cos(theta)"
[forces]
theta = "-0.01*theta'"
)toml");
  const Branch branch = follow_branch(motion, {"w", 1, 8, 30}).value();
  ASSERT_TRUE(branch.complete) << branch.reason;
  int special = 0;
  for (const BranchPoint& point : branch.points) {
    if (point.kind != "crossing") continue;
    ++special;
    EXPECT_NEAR(point.parameter, std::sqrt(9.81 / 0.4), 1e-7);
  }
  EXPECT_EQ(special, 1);
}

/// x'' = p - x^2: two equilibria that meet at p = 0.
TEST(Branch, TurnsRoundAFold) {
  const flow::Motion motion = compiled(R"toml(name = "Fold"
coordinates = ["x"]
[parameters]
p = 1
[energy]
kinetic = "x'^2/2"
[forces]
x = "p - x^2 - x'"
[initial]
x = 1
)toml");
  const Branch branch = follow_branch(motion, {"p", 1, -1, 41}).value();
  ASSERT_TRUE(branch.complete) << branch.reason;
  int folds = 0;
  for (const BranchPoint& point : branch.points) {
    if (point.kind != "fold") continue;
    ++folds;
    EXPECT_NEAR(point.parameter, 0, 1e-10);
  }
  EXPECT_EQ(folds, 1);
  EXPECT_NEAR(branch.points.back().parameter, 1, 1e-12);
  EXPECT_NEAR(branch.points.back().state.q[0], -1, 1e-10);
}

/// x'' = p x' - x' ^3 - x: a pair of eigenvalues crosses the axis at p = 0.
TEST(Branch, LocatesAHopfPoint) {
  const flow::Motion motion = compiled(R"toml(name = "Hopf"
coordinates = ["x"]
[parameters]
p = 0
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[forces]
x = "p*x' - x'^3"
)toml");
  const Branch branch = follow_branch(motion, {"p", -1, 0.7, 11}).value();
  int hopf = 0;
  for (const BranchPoint& point : branch.points) {
    if (point.kind != "hopf") continue;
    ++hopf;
    EXPECT_NEAR(point.parameter, 0, 1e-9);
  }
  EXPECT_EQ(hopf, 1);
}

}  // namespace
}  // namespace dalembert::study::sensitivities_test
