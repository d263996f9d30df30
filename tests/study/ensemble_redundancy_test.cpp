// Constraints that are redundant in one run of an ensemble and not in another.
#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/study/ensemble.hpp"
#include "ensemble_runs.hpp"

namespace dalembert::study::ensemble_redundancy_test {
namespace {

motion::Motion motion_of(const std::string& text) {
  auto model = model::read_model_text(text, "test");
  EXPECT_TRUE(model) << to_string(model.error());
  auto motion = motion::compile(*std::move(model));
  EXPECT_TRUE(motion) << to_string(motion.error());
  return *motion;
}

Prepare with_values(const motion::Motion& motion, std::vector<std::vector<double>> parameters) {
  return [motion, parameters = std::move(parameters)](std::size_t run) {
    const auto start = motion::initial_state(motion.with_parameters(parameters[run]));
    if (!start) return study::Run{parameters[run], {}, to_string(start.error())};
    return study::Run{parameters[run], start->state, {}};
  };
}

EnsembleOptions options_of(const motion::Motion& motion, int threads) {
  EnsembleOptions options;
  options.simulation = motion::simulation_options(motion);
  options.threads = threads;
  options.engine = codegen::Engine::interpreter;
  return options;
}

/// The second constraint repeats the first where p = 0, as in the model's own parameters.
struct Case {
  const char* name;
  const char* text;
};

class SometimesRedundant : public testing::TestWithParam<Case> {};

// Lanes keep the rows that are independent in the model as it stands. A run in which another row
// counts must be found out, whatever is projected, and be run with it: as simulate runs it.
TEST_P(SometimesRedundant, IsRunAsItIsByItself) {
  const motion::Motion motion = motion_of(GetParam().text);
  const std::vector<std::vector<double>> parameters{{0}, {1}, {0}, {0.5}};
  const Prepare prepare = with_values(motion, parameters);
  const Records records =
      collect(motion, numbers(parameters.size()), prepare, options_of(motion, 1), true);
  for (const auto& [run, record] : records) {
    const motion::Motion own = motion.with_parameters(parameters[run]);
    std::vector<double> q;
    const motion::Summary summary = motion::simulate(
        own, prepare(run).start, motion::simulation_options(own), [&](const motion::Sample& s) {
          q.assign(s.q.begin(), s.q.end());
          return true;
        });
    ASSERT_TRUE(summary.complete) << summary.reason;
    ASSERT_TRUE(record.outcome.complete) << record.outcome.reason;
    EXPECT_EQ(record.outcome.alone, parameters[run][0] != 0) << run;
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(record.outcome.q[i], q[i], 1e-7) << run;
  }
}

constexpr const char* velocities = R"toml(
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
[simulation]
duration = 2
)toml";

// The rows fit at the start, where z'' = y'', and come apart on the way.
constexpr const char* on_the_way = R"toml(
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
[simulation]
duration = 2
project = "none"
)toml";

constexpr const char* accelerations = R"toml(
coordinates = ["x", "y", "z"]
[parameters]
p = 0
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
[[constraint]]
name = "a"
equation = "x'' = 0"
[[constraint]]
name = "b"
equation = "x'' + p*z'' = p*2"
[initial]
"y'" = 1
[simulation]
duration = 2
)toml";

constexpr const char* unprojected = R"toml(
coordinates = ["x", "y", "z"]
[parameters]
p = 0
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "z + y"
[[constraint]]
name = "a"
equation = "x = y"
[[constraint]]
name = "b"
equation = "x = y + p*z"
[simulation]
duration = 2
project = "none"
)toml";

INSTANTIATE_TEST_SUITE_P(Ensemble, SometimesRedundant,
                         testing::Values(Case{"velocities", velocities},
                                         Case{"on_the_way", on_the_way},
                                         Case{"accelerations", accelerations},
                                         Case{"unprojected", unprojected}),
                         [](const auto& c) { return std::string(c.param.name); });

// Runs that go alone and long enough to take to the written-out solution: which rows are
// independent differs from run to run, and who is first must not matter.
TEST(Ensemble, LongRunsAloneDoNotDependOnEachOther) {
  const motion::Motion motion = motion_of(R"toml(
coordinates = ["x", "y", "z", "w"]
[parameters]
m = 0
p = 0
[energy]
kinetic = "m*x'^2/2 + y'^2/2*(1 + 0.1*sin(w)) + z'^2/2 + w'^2/2"
potential = "3*x^2 + y^2*(2 + sin(w)) + 2*z^2 + w^2 + w^4"
[forces]
w = "sin(3*t)*y"
[[constraint]]
name = "a"
equation = "x' = y'*cos(w)"
[[constraint]]
name = "b"
equation = "x' = y'*cos(w) + p*(z' - 0.3*w')"
[initial]
y = 0.4
"w'" = 1
"z'" = 0.3
"x'" = 0.5
adjust = "nearest"
[simulation]
duration = 400
samples = 2
)toml");
  const Prepare prepare = with_values(motion, {{1, 0}, {1, 1}});
  const std::vector<std::size_t> forwards{0, 1}, backwards{1, 0};
  const Records reference = collect(motion, forwards, prepare, options_of(motion, 1), false);
  for (const auto& [run, record] : reference) {
    EXPECT_TRUE(record.outcome.complete) << record.outcome.reason;
    EXPECT_TRUE(record.outcome.alone);
    EXPECT_GT(record.outcome.steps, 2000);
  }
  expect_same_bits(reference, collect(motion, backwards, prepare, options_of(motion, 1), false));
  expect_same_bits(reference, collect(motion, forwards, prepare, options_of(motion, 2), false));
}

}  // namespace
}  // namespace dalembert::study::ensemble_redundancy_test
