// Steps by Taylor series that end at kinks and jumps in the state, against closed forms.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "dalembert/codegen/switches.hpp"
#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/motion/steps/kinks.hpp"

namespace dalembert::motion::kinks_test {
namespace {

using std::numbers::pi;
using std::numbers::sqrt2;
using std::numbers::sqrt3;

Motion moved_by(const std::string& force, const std::string& x, const std::string& v) {
  return compile(model::read_model_text(R"(
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[forces]
x = ")" + force + R"("
[initial]
x = ")" + x + R"("
"x'" = ")" + v + "\"\n",
                                        "kinks.toml")
                     .value())
      .value();
}

struct Ending {
  Summary summary;
  double x = 0, v = 0;
};

Ending run(const Motion& motion, double duration, double rtol = 1e-11) {
  SimulationOptions options;
  options.integrator = Integrator::taylor;
  options.rtol = rtol;
  options.atol = rtol / 10;
  options.duration = duration;
  options.samples = 17;
  Ending ending;
  ending.summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& sample) {
        ending.x = sample.q[0];
        ending.v = sample.v[0];
        return true;
      });
  EXPECT_TRUE(ending.summary.complete) << ending.summary.reason;
  return ending;
}

/// All steps by series, and where they lead to. Errors of some 1e-12 a step grow with time.
void expect_end(const char* force, const char* x, const char* v, double t, double x_end,
                double v_end) {
  SCOPED_TRACE(force);
  const Ending end = run(moved_by(force, x, v), t);
  EXPECT_EQ(end.summary.taylor_steps, end.summary.steps);
  EXPECT_NEAR(end.x, x_end, 1e-9);
  EXPECT_NEAR(end.v, v_end, 1e-9);
}

TEST(Kinks, TheFirstZeroOfAPolynomial) {
  std::vector<double> scratch(first_zero_scratch(6));
  const auto zero = [&](std::vector<double> c, double h) { return first_zero(c, h, scratch); };
  EXPECT_NEAR(zero({1, -3}, 1).value(), 1.0 / 3, 1e-15);
  EXPECT_FALSE(zero({1, -3}, 0.3));
  // (1 - t)(2 - t)(3 - t): the first of three, and none before.
  EXPECT_NEAR(zero({6, -11, 6, -1}, 10).value(), 1, 1e-14);
  EXPECT_FALSE(zero({6, -11, 6, -1}, 0.999));
  // (t - 1/2)^2 + e, close to two zeros and with two.
  EXPECT_FALSE(zero({0.25 + 1e-9, -1, 1}, 1));
  EXPECT_NEAR(zero({0.25 - 1e-10, -1, 1}, 1).value(), 0.5 - 1e-5, 1e-9);
  // (1/3 - t)^3 touches nothing and goes through.
  EXPECT_NEAR(zero({1.0 / 27, -1.0 / 3, 1, -1}, 1).value(), 1.0 / 3, 1e-4);
  // t (1/4 - t): the zero where it begins is passed over.
  EXPECT_NEAR(zero({0, 0.25, -1}, 1).value(), 0.25, 1e-15);
  EXPECT_FALSE(zero({0, 0, 0, 0, 0, 0, 0}, 1));
}

TEST(Kinks, JumpsAtTheSignOfACoordinate) {
  // From 1/2 at rest it falls to 0 in 1 and rises as long beyond.
  expect_end("-sign(x)", "1/2", "0", 40, 0.5, 0);
  expect_end("1 - 2*step(x)", "1/2", "0", 41, 0, -1);
}

TEST(Kinks, ForcesByCases) {
  // Springs of stiffness 1 and 4: half periods of pi and pi/2.
  expect_end("if(x < 0, -4*x, -x)", "0", "1", 15 * pi, 0, 1);
  expect_end("-min(x, 4*x)", "0", "1", 15 * pi + pi, 0, -1);
  // As a spring up to 1, then as a weight: v^2 = 4 - 1 there, and sqrt(3) on to where it turns.
  expect_end("-clamp(x, -1, 1)", "0", "2", 6 * 4 * (pi / 6 + sqrt3), 0, 2);
  expect_end("-max(-1, min(1, x))", "0", "2", 3 * (pi / 6 + sqrt3), -2.5, 0);
  // |x| > 1 pulls inwards, |x| < 1 outwards: between 1/2 and 3/2 in 4.
  expect_end("-sign(abs(x) - 1)", "1/2", "0", 41, 1, 1);
}

TEST(Kinks, StairsUpAndDown) {
  const double up =
      0.5 + (sqrt3 - 1) + (std::sqrt(7.0) - sqrt3) / 2 + (std::sqrt(13.0) - std::sqrt(7.0)) / 3;
  expect_end("floor(x)", "1/2", "1", up, 4, std::sqrt(13.0));
  // v^2 = 4 at 1, 2 at 2, 0 at 5/2: there it turns.
  const double top = 0.25 + (2 - sqrt2) + sqrt2 / 2;
  expect_end("-floor(x)", "1/2", "2", top, 2.5, 0);
  expect_end("-floor(x)", "1/2", "2", 2 * top, 0.5, -2);
}

/// Thrown at the spring so that it just touches: the spring is felt or not, as rounding decides,
/// and makes no difference.
TEST(Kinks, ATouch) {
  const Ending end = run(moved_by("1 + 100*max(0, -x)", "1", "-sqrt(2)"), 3);
  EXPECT_NEAR(end.x, (3 - sqrt2) * (3 - sqrt2) / 2, 1e-6);
}

TEST(Kinks, WhatRestsAtOneStaysThere) {
  for (const char* force : {"-sign(x)", "-sign(x')", "-abs(x)", "-max(0, x) - floor(x)"}) {
    const Ending end = run(moved_by(force, "0", "0"), 10);
    EXPECT_EQ(end.x, 0) << force;
    EXPECT_EQ(end.v, 0) << force;
    EXPECT_EQ(end.summary.taylor_steps, end.summary.steps) << force;
  }
}

/// At v = 0 both sides lead back: no step by series begins there, and the motion goes on without.
TEST(Kinks, WhereBothSidesLeadBackRk8GoesOn) {
  const Ending end = run(moved_by("-sign(x')/2", "0", "1"), 2.0001, 1e-6);
  EXPECT_NEAR(end.x, 1, 1e-6);
  EXPECT_NEAR(end.v, 0, 1e-6);
  EXPECT_LT(end.summary.taylor_steps, end.summary.steps);
}

/// The rates with levels are those without wherever the levels fit.
TEST(Kinks, LevelsThatFitChangeNothing) {
  const Motion motion = moved_by(
      "abs(x) + sign(x')*min(x, x') + max(x, 2) + floor(3*x) + if(x < x', 1, x)", "0", "1");
  const codegen::Tape& f = motion.flow()->flow.derivative;
  EXPECT_TRUE(codegen::has_kinks(f, 2));
  const codegen::SwitchedTape switched = codegen::make_switched(f, 2);
  EXPECT_FALSE(codegen::has_kinks(switched.tape, 2));
  const codegen::Kernel plain = codegen::interpreted(f), held = codegen::interpreted(switched.tape);
  std::vector<double> expected(plain.outputs()), found(held.outputs());
  for (const auto& [x, v] : {std::pair(0.3, -1.2), std::pair(-2.5, 0.7), std::pair(2.9, 3.1)}) {
    const std::array<double, 3> inputs{0, x, v};
    std::vector<double> parameters = motion.parameters();
    codegen::Workspace workspace = plain.workspace(parameters);
    plain.evaluate(workspace, inputs, expected);
    parameters.resize(switched.tape.parameters);
    workspace = held.workspace(parameters);
    held.evaluate(workspace, inputs, found);  // arguments of what asks about x and x' alone
    const std::size_t first = motion.parameters().size();
    for (std::size_t j = 0; j < switched.kinds.size(); ++j) {
      const double g = found[4 + j];
      parameters[first + j] = switched.kinds[j] == codegen::SwitchKind::whole ? std::floor(g)
                              : g < 0                                         ? -1
                                                                              : 1;
    }
    held.bind(workspace, 0, parameters);
    held.evaluate(workspace, inputs, found);
    EXPECT_EQ(found[0], expected[0]);
    EXPECT_EQ(found[1], expected[1]) << x << ' ' << v;
  }
}

}  // namespace
}  // namespace dalembert::motion::kinks_test
