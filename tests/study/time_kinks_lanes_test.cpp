// Runs in lanes end their steps where a single run does, and take the same steps.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dalembert/model/model.hpp"
#include "dalembert/motion/simulate.hpp"
#include "ensemble_runs.hpp"

namespace dalembert::study::time_kinks_lanes_test {
namespace {

motion::Motion compiled(const std::string& text) {
  return motion::compile(model::read_model_text(text, "test.toml").value()).value();
}

const char* const pushed = R"(
name = "pushed"
coordinates = ["x"]
[parameters]
t1 = 3.3
[energy]
kinetic = "x'^2/2"
[forces]
x = "FORCE"
[simulation]
duration = 30
samples = 31
)";

motion::Motion pushed_by(const std::string& force) {
  std::string text = pushed;
  text.replace(text.find("FORCE"), 5, force);
  return compiled(text);
}

/// Run i begins its pulse at 3 + i/3.
Prepare moved(const motion::Motion& motion) {
  return [&motion](std::size_t run) {
    return Run{{3 + static_cast<double>(run) / 3}, motion::initial_state(motion).value().state, ""};
  };
}

TEST(LanesAndTime, AShortForceIsIntegratedRightInEveryLane) {
  for (const char* force : {"max(0, 1 - abs(t - t1)/0.2)", "(sign(t - t1) - sign(t - t1 - 0.2))/2",
                            "exp(-((t - t1)/0.1128379167095513)^2)"}) {
    const motion::Motion motion = pushed_by(force);
    for (const int lanes : {1, 4, 8}) {
      for (const bool samples : {false, true}) {
        EnsembleOptions options;
        options.simulation = motion::simulation_options(motion);
        options.lanes = lanes;
        const Records records = collect(motion, numbers(40), moved(motion), options, samples);
        for (const auto& [run, record] : records) {
          ASSERT_TRUE(record.outcome.complete) << record.outcome.reason;
          EXPECT_FALSE(record.outcome.alone);
          EXPECT_NEAR(record.outcome.v[0], 0.2, 1e-8) << force << " in run " << run;
          if (samples) {
            ASSERT_EQ(record.rows.size(), 31U);
            EXPECT_EQ(record.rows.back().t, 30);
            EXPECT_NEAR(record.rows.back().values[1], 0.2, 1e-8);
          }
        }
      }
    }
  }
}

TEST(LanesAndTime, AnOscillatorTakesTheStepsOfASingleRun) {
  const motion::Motion motion = compiled(R"(
name = "oscillator"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
x = 1
[simulation]
duration = 100
samples = 2
)");
  const motion::State start = motion::initial_state(motion).value().state;
  const auto prepare = [&](std::size_t) { return study::Run{{}, start, ""}; };
  EnsembleOptions options;
  options.simulation = motion::simulation_options(motion);
  const Outcome lane = collect(motion, numbers(1), prepare, options, false).at(0).outcome;
  double v = 0;
  const motion::Summary alone =
      simulate(motion, start, options.simulation, [&](const motion::Sample& sample) {
        v = sample.v[0];
        return true;
      });
  EXPECT_EQ(lane.steps, alone.steps);
  EXPECT_EQ(lane.rejected, alone.rejected);
  // The same steps: what remains between the two is the rounding of some 1e3 stages.
  EXPECT_NEAR(lane.v[0], v, 1e-12);
}

TEST(LanesAndTime, NoStepIsLongerThanAllowed) {
  const motion::Motion motion = pushed_by("1");
  EnsembleOptions options;
  options.simulation = motion::simulation_options(motion);
  EXPECT_LT(collect(motion, numbers(1), moved(motion), options, false).at(0).outcome.steps, 50);
  options.simulation.max_step = 0.25;
  EXPECT_GE(collect(motion, numbers(1), moved(motion), options, false).at(0).outcome.steps, 120);
}

}  // namespace
}  // namespace dalembert::study::time_kinks_lanes_test
