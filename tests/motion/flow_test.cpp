#include "dalembert/flow/tapes/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>

#include "../model_files.hpp"
#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/machine.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/tapes/solution_tape.hpp"

namespace dalembert::motion::flow_test {
namespace {

struct Case {
  Motion motion;
  State start;
  Flow flow;
};

Motion motion_of(const std::string& text) {
  auto model = model::read_model_text(text, "test");
  EXPECT_TRUE(model) << to_string(model.error());
  auto motion = compile(*std::move(model));
  EXPECT_TRUE(motion) << to_string(motion.error());
  return *motion;
}

std::vector<std::pair<std::string, Case>> bundled_cases() {
  std::vector<std::pair<std::string, Case>> cases;
  for (const auto& file : model_files()) {
    auto model = model::read_model(file);
    CompileOptions options;
    options.method = "m-inverse";
    auto motion = compile(*std::move(model), options);
    if (motion->instants() != nullptr) continue;  // whose forces no flow has
    auto start = initial_state(*motion);
    auto flow = make_flow(*motion, start->state);
    if (!flow) continue;
    cases.push_back({file.stem(), {*motion, start->state, *std::move(flow)}});
  }
  return cases;
}

std::vector<double> evaluated(const codegen::Tape& tape, const Motion& motion, double t,
                              std::span<const double> x, std::span<const double> y = {}) {
  const codegen::Kernel kernel = codegen::interpreted(tape);
  codegen::Workspace workspace = kernel.workspace(motion.parameters());
  std::vector<double> inputs{t}, outputs(kernel.outputs());
  inputs.insert(inputs.end(), x.begin(), x.end());
  inputs.insert(inputs.end(), y.begin(), y.end());
  EXPECT_EQ(inputs.size(), kernel.inputs());
  kernel.evaluate(workspace, inputs, outputs);
  return outputs;
}

std::vector<double> start_of(const Case& c) {
  std::vector<double> y(c.start.q);
  for (const double u : evaluated(c.flow.rates, c.motion, 0, c.start.q, c.start.v)) y.push_back(u);
  return y;
}

/// Off the constraints redundant ones contradict each other, and the answer is a compromise of
/// Fundamental's; there states are compared on the constraints.
bool settle(const Case& c, double t, std::span<double> q, std::span<double> v) {
  if (c.motion.acceleration(0, c.start.q, c.start.v).rank ==
      static_cast<int>(c.motion.constraints()))
    return true;
  Projector projector(c.motion);
  return projector.nearest_positions(t, q, v).converged &&
         projector.nearest_velocities(t, q, v).converged;
}

double size_of(std::span<const double> x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

void expect_close(std::span<const double> x, const Eigen::VectorXd& expected, double scale,
                  const std::string& what) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], expected[static_cast<Eigen::Index>(i)], 1e-11 * scale) << what << ' ' << i;
  }
}

// The tapes eliminate in another order, and by the square of what Fundamental factors: 1e-11 of the
// largest force or acceleration is what pivots above their limits allow.
/// Returns whether the tapes trusted themselves, so that there was something to compare.
bool expect_agreement(const Case& c, const std::vector<double>& y, double t,
                      const std::string& name) {
  const std::size_t n = c.flow.n;
  const std::vector<double> sample = evaluated(c.flow.sample, c.motion, t, y);
  const std::span<const double> q = std::span(y).first(n);
  const std::span<const double> v = std::span(sample).first(n);
  const std::vector<double> rate = evaluated(c.flow.derivative, c.motion, t, y);
  if (!(rate[c.flow.size] <= 1) || !(sample.back() <= 1)) return false;
  EXPECT_LE(rate[c.flow.size + 1], 1) << name;
  const Acceleration a = c.motion.acceleration(t, q, v);
  EXPECT_EQ(a.status, Status::ok) << name;
  if (a.status != Status::ok) return true;
  const double scale =
      std::max({1.0, a.qdd.lpNorm<Eigen::Infinity>(), a.unconstrained.lpNorm<Eigen::Infinity>()});
  const double forces =
      std::max({1.0, a.Q.lpNorm<Eigen::Infinity>(), a.ideal.lpNorm<Eigen::Infinity>(),
                a.C.lpNorm<Eigen::Infinity>()});
  expect_close(std::span(sample).subspan(n, n), a.qdd, scale, name + " q''");
  expect_close(std::span(sample).subspan(2 * n, n), a.ideal, forces, name + " ideal");
  expect_close(std::span(sample).subspan(3 * n, n), a.nonideal, forces, name + " nonideal");
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(rate[i], v[i]) << name;
  // u' along the motion, by differences of u(q, v): the rates of order 4 from four states on it.
  const auto u_at = [&](double h) {
    std::vector<double> q_h(q.begin(), q.end()), v_h(v.begin(), v.end());
    for (std::size_t i = 0; i < n; ++i) {
      q_h[i] += h * (v[i] + h / 2 * a.qdd[static_cast<Eigen::Index>(i)]);
      v_h[i] += h * a.qdd[static_cast<Eigen::Index>(i)];
    }
    return evaluated(c.flow.rates, c.motion, t + h, q_h, v_h);
  };
  const double h = 1e-3 / std::sqrt(scale);
  const auto at_1 = u_at(h), at_2 = u_at(2 * h), back_1 = u_at(-h), back_2 = u_at(-2 * h);
  const auto here = u_at(0);
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_NEAR(here[i], y[n + i], 1e-13 * (1 + std::abs(y[n + i]))) << name;
    const double slope = (8 * (at_1[i] - back_1[i]) - (at_2[i] - back_2[i])) / (12 * h);
    EXPECT_NEAR(rate[n + i], slope, 1e-7 * scale) << name << ' ' << i;
  }
  if (!c.flow.reduced) expect_close(std::span(rate).subspan(n, n), a.qdd, scale, name + " y'");
  if (c.flow.reduced) {
    const Residuals residuals = c.motion.residuals(t, q, v);
    EXPECT_LE(size_of(residuals.scaled_rate), 1e-14) << name;
  }
  return true;
}

TEST(Flow, GivesTheAccelerationsAndForcesOfTheFundamentalEquation) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> around(-0.5, 0.5);
  std::size_t reduced = 0;
  const auto cases = bundled_cases();
  ASSERT_GE(cases.size(), 10u);
  for (const auto& [name, c] : cases) {
    if (c.flow.reduced) ++reduced;
    int trusted = 0;
    for (int i = 0; i < 50; ++i) {
      std::vector<double> y = start_of(c);
      if (i > 0) {
        for (double& x : y) x += around(random);
      }
      const double t = i == 0 ? 0.0 : 1 + around(random);
      const std::size_t n = c.flow.n;
      if (!c.flow.reduced && !settle(c, t, std::span(y).first(n), std::span(y).subspan(n)))
        continue;
      trusted += expect_agreement(c, y, t, name) ? 1 : 0;
    }
    EXPECT_GE(trusted, 25) << name;
    // Written out for a generic state, the car's directions are in doubt where it stands straight:
    // there the evaluator takes over.
    if (name == "car_with_trailer") continue;
    const std::vector<double> y = start_of(c);
    EXPECT_LE(evaluated(c.flow.derivative, c.motion, 0, y).back(), 1) << name;
    EXPECT_LE(evaluated(c.flow.sample, c.motion, 0, y).back(), 1) << name;
  }
  EXPECT_GE(reduced, 2u);
}

// The same solution with the powers, as Evaluator uses it: q'' and forces of Fundamental, and
// the work they do.
TEST(SolutionTape, GivesAccelerationsForcesAndPowers) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> around(-0.5, 0.5);
  for (const auto& [name, c] : bundled_cases()) {
    const auto solution = solution_tape(c.motion, c.start);
    ASSERT_TRUE(solution) << name;
    const std::size_t n = c.flow.n;
    int trusted = 0;
    for (int i = 0; i < 20; ++i) {
      std::vector<double> q = c.start.q, v = c.start.v;
      for (std::size_t k = 0; i > 0 && k < n; ++k) {
        q[k] += around(random);
        v[k] += around(random);
      }
      if (!settle(c, 0.5 * i, q, v)) continue;
      const std::vector<double> out = evaluated(solution->tape, c.motion, 0.5 * i, q, v);
      const Acceleration a = c.motion.acceleration(0.5 * i, q, v);
      if (!(out.back() <= 1) || a.status != Status::ok) continue;
      ++trusted;
      const double scale = std::max(
          {1.0, a.qdd.lpNorm<Eigen::Infinity>(), a.unconstrained.lpNorm<Eigen::Infinity>()});
      const double forces =
          std::max({1.0, a.Q.lpNorm<Eigen::Infinity>(), a.ideal.lpNorm<Eigen::Infinity>(),
                    a.C.lpNorm<Eigen::Infinity>()});
      expect_close(std::span(out).first(n), a.qdd, scale, name + " q''");
      expect_close(std::span(out).subspan(n, n), a.ideal, forces, name + " ideal");
      expect_close(std::span(out).subspan(2 * n, n), a.nonideal, forces, name + " nonideal");
      const Eigen::Map<const Eigen::VectorXd> speed(v.data(), static_cast<Eigen::Index>(n));
      const double power = 1e-11 * forces * (1 + speed.lpNorm<1>());
      EXPECT_NEAR(out[3 * n + 1], a.ideal.dot(speed), power) << name;
      EXPECT_NEAR(out[3 * n + 2], a.nonideal.dot(speed), power) << name;
    }
    EXPECT_GE(trusted, 5) << name;
  }
}

// An evaluator that may use the written-out solution gives what one that may not gives, and falls
// back where the tape has doubts.
TEST(SolutionTape, AnEvaluatorUsesItWhereItCan) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> around(-1e-4, 1e-4);
  for (const auto& [name, c] : bundled_cases()) {
    Evaluator plain(c.motion), hasty(c.motion);
    hasty.prefer_tape();
    ASSERT_EQ(plain.decide(0, c.start.q, c.start.v), Status::ok);
    ASSERT_EQ(hasty.decide(0, c.start.q, c.start.v), Status::ok);
    for (int i = 0; i < 5; ++i) {
      std::vector<double> q = c.start.q, v = c.start.v;
      for (double& x : q) x += around(random);
      for (double& x : v) x += around(random);
      ASSERT_EQ(plain.evaluate(0.1, q, v), Status::ok);
      ASSERT_EQ(hasty.evaluate(0.1, q, v), Status::ok);
      EXPECT_TRUE(hasty.solved_by_tape()) << name;
      EXPECT_FALSE(plain.solved_by_tape()) << name;
      const double scale = 1 + plain.acceleration().lpNorm<Eigen::Infinity>();
      const double forces =
          1 + plain.Q().lpNorm<Eigen::Infinity>() + plain.ideal().lpNorm<Eigen::Infinity>();
      EXPECT_LE((plain.acceleration() - hasty.acceleration()).lpNorm<Eigen::Infinity>(),
                1e-11 * scale)
          << name;
      EXPECT_LE((plain.ideal() - hasty.ideal()).lpNorm<Eigen::Infinity>(), 1e-11 * forces) << name;
      EXPECT_LE((plain.nonideal() - hasty.nonideal()).lpNorm<Eigen::Infinity>(), 1e-11 * forces)
          << name;
      const double power = 1e-10 * forces * (1 + size_of(v));
      EXPECT_NEAR(plain.applied_power(), hasty.applied_power(), power) << name;
      EXPECT_NEAR(plain.ideal_power(), hasty.ideal_power(), power) << name;
      EXPECT_NEAR(plain.nonideal_power(), hasty.nonideal_power(), power) << name;
      EXPECT_NEAR(plain.other_power(), hasty.other_power(), power) << name;
      plain.observe();
      hasty.observe();
      EXPECT_EQ(plain.kinetic(), hasty.kinetic()) << name;
    }
    const std::vector<double> lost(c.flow.n, std::nan(""));
    EXPECT_EQ(hasty.evaluate(0, lost, lost), plain.evaluate(0, lost, lost)) << name;
  }
}

// Interpreter and machine code, one motion or several at a time: the same bits for every model.
TEST(Flow, ParametersAndRepeatedDivisionsAreNotInTheLoop) {
  // Operations, and divisions among them, in the loop of the derivative.
  const std::map<std::string, std::pair<std::size_t, long>> most{
      {"rolling_disk", {38, 1}}, {"double_pendulum", {27, 1}}, {"bicycle", {4300, 14}}};
  for (const auto& [name, limits] : most) {
    const Motion motion =
        *compile(*model::read_model(std::string(DALEMBERT_MODELS "/") + name + ".toml"));
    const Flow flow = make_flow(motion, initial_state(motion)->state).value();
    const auto loop = std::span(flow.derivative.code).subspan(flow.derivative.prologue);
    EXPECT_LE(loop.size(), limits.first) << name;
    EXPECT_LE(
        std::ranges::count(loop, codegen::Operation::divide, &codegen::Instruction::operation),
        limits.second)
        << name;
  }
}

TEST(Flow, EveryEngineAndWidthGivesTheSameBits) {
  ::setenv("DALEMBERT_CACHE", "off", 1);
  for (const auto& [name, c] : bundled_cases()) {
    const std::vector<double> y = start_of(c);
    for (const codegen::Tape* tape : {&c.flow.derivative, &c.flow.sample}) {
      const std::vector<double> reference = evaluated(*tape, c.motion, 0.25, y);
      for (const int lanes : {1, 4, 8}) {
        if (lanes > codegen::widest_lanes()) continue;
        for (const auto engine : {codegen::Engine::interpreter, codegen::Engine::machine}) {
          const codegen::Kernel kernel = codegen::make_kernel(*tape, {lanes, engine});
          if (codegen::machine() != nullptr) {
            EXPECT_EQ(kernel.engine(), engine);
          }
          codegen::Workspace workspace = kernel.workspace(c.motion.parameters());
          std::fill_n(kernel.input(workspace, 0), lanes, 0.25);
          for (std::size_t i = 0; i < y.size(); ++i)
            std::fill_n(kernel.input(workspace, 1 + i), lanes, y[i]);
          kernel.run(workspace);
          for (std::size_t i = 0; i < reference.size(); ++i) {
            for (int l = 0; l < lanes; ++l) {
              const double x = kernel.output(workspace, i)[l];
              if (std::isnan(reference[i]) && std::isnan(x)) continue;
              EXPECT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(reference[i]))
                  << name << ", " << lanes << " lanes, output " << i;
            }
          }
        }
      }
    }
  }
  ::unsetenv("DALEMBERT_CACHE");
}

// Both end on the constraints; where rows are redundant they get there by other rows, so that the
// ends differ by the square of the way, here 1e-10 times curvature over a scale of 1e-2 at most.
TEST(Flow, ProjectsAsTheProjectorDoes) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> around(-1e-5, 1e-5);
  for (const auto& [name, c] : bundled_cases()) {
    if (c.flow.positions.outputs.empty() && c.flow.velocities.outputs.empty()) continue;
    const std::size_t n = c.flow.n;
    Projector projector(c.motion);
    ASSERT_EQ(projector.decide(0, c.start.q, c.start.v), Status::ok);
    std::vector<double> q = c.start.q, v = c.start.v;
    for (double& x : q) x += around(random);
    for (double& x : v) x += around(random);
    for (const bool positions : {true, false}) {
      const codegen::Tape& tape = positions ? c.flow.positions : c.flow.velocities;
      if (tape.outputs.empty()) continue;
      std::vector<double>& x = positions ? q : v;
      std::vector<double> expected = x;
      projector.measure(0, q, v);
      const double before =
          positions ? projector.largest_scaled_residual() : projector.largest_scaled_rate();
      for (int i = 0; i < 6; ++i) {
        const std::vector<double> out = evaluated(tape, c.motion, 0, q, v);
        if (i == 0) {
          EXPECT_NEAR(out[n], before, 1e-12 + 1e-9 * before) << name;
        }
        EXPECT_LE(out[n + 1], 1) << name;
        for (std::size_t k = 0; k < n; ++k) x[k] += out[k];
      }
      if (positions) {
        projector.positions(0, expected, v);
      } else {
        projector.velocities(0, q, expected);
      }
      for (std::size_t k = 0; k < n; ++k)
        EXPECT_NEAR(x[k], expected[k], 1e-11 * (1 + size_of(expected))) << name;
      projector.measure(0, q, v);
      EXPECT_LE(positions ? projector.largest_scaled_residual() : projector.largest_scaled_rate(),
                1e-13)
          << name;
    }
  }
}

const char* const slider = R"toml(
coordinates = ["x", "y"]
[parameters]
k = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "wire"
equation = "k*y = x^2*(1 + x)"
[[constraint]]
name = "again"
equation = "2*k*y = 2*x^2*(1 + x)"
[initial]
"x'" = 0.5
)toml";

TEST(Flow, RedundantRowsAreLeftOut) {
  const Motion motion = motion_of(slider);
  const auto start = initial_state(motion);
  ASSERT_TRUE(start);
  const auto flow = make_flow(motion, start->state);
  ASSERT_TRUE(flow);
  expect_agreement({motion, start->state, *flow}, {0.25, 0.078125, 0.5, 0.34375}, 0, "slider");
}

// Rows that depend on others at the start, but not with other parameters: found out as soon as the
// motion leaves them.
TEST(Flow, RowsTakenForDependentAreWatched) {
  const Motion motion = motion_of(R"toml(
coordinates = ["x", "y", "z"]
[parameters]
p = 0
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "z + y"
[[constraint]]
name = "a"
equation = "x' = z*y'"
[[constraint]]
name = "b"
equation = "x' = z*y' + p*(z' - y')"
)toml");
  const auto flow = make_flow(motion, initial_state(motion)->state);
  ASSERT_TRUE(flow);
  EXPECT_FALSE(flow->reduced);
  const std::vector<double> y{0.1, 0.2, 0.3, 0.15, 0.5, 0.5};
  EXPECT_LE(evaluated(flow->derivative, motion, 0, y).back(), 1);
  const std::vector<double> out = evaluated(flow->derivative, motion.with_parameters({1}), 0, y);
  EXPECT_LE(out[out.size() - 2], 1);
  EXPECT_GT(out.back(), 1);
}

TEST(Flow, DoubtsWhatItCannotVouchFor) {
  const Motion motion = motion_of(slider);
  const auto start = initial_state(motion);
  const auto flow = make_flow(motion, start->state);
  ASSERT_TRUE(flow);
  // Without its factor k the row loses its hold: at k = 0 and x = 0 it vanishes.
  const Motion loose = motion.with_parameters({0});
  const std::vector<double> out =
      evaluated(flow->derivative, loose, 0, std::vector<double>(4, 0.0));
  EXPECT_FALSE(out.back() <= 1);
  const std::vector<double> lost(4, std::nan(""));
  EXPECT_FALSE(evaluated(flow->derivative, motion, 0, lost).back() <= 1);
}

TEST(Flow, NoneForASingularMassMatrixOrAnotherMethod) {
  const Motion massless = motion_of(R"toml(
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2"
potential = "x"
[[constraint]]
name = "tie"
equation = "x = y"
)toml");
  EXPECT_FALSE(make_flow(massless, initial_state(massless)->state));
  auto model = model::read_model_text(slider, "test");
  CompileOptions options;
  options.method = "multipliers";
  const auto other = compile(*std::move(model), options);
  EXPECT_FALSE(make_flow(*other, initial_state(*other)->state));
}

}  // namespace
}  // namespace dalembert::motion::flow_test
