// The same request gives the same bits by `simulate` and by an ensemble, whatever its lanes,
// threads and engine: over all models, and over random parameters and starts of each.
#include <gtest/gtest.h>

#include <cmath>

#include "../model_files.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/simulate.hpp"
#include "ensemble_runs.hpp"

namespace dalembert::study {
namespace {

constexpr std::size_t variations = 3;

motion::SimulationOptions request_of(const motion::Motion& motion) {
  motion::SimulationOptions options = motion::simulation_options(motion);
  options.duration = std::min(options.duration, 2.0);
  options.times.clear();
  options.samples = 23;
  return options;
}

/// As the model says; then every parameter a little larger and smaller, by parts that differ.
Prepare somewhat_varied(const motion::Motion& motion) {
  return [&motion](std::size_t number) {
    study::Run run;
    run.parameters = motion.parameters();
    for (std::size_t k = 0; k < run.parameters.size(); ++k) {
      const double part = std::sin(1.0 + static_cast<double>(7 * k));
      run.parameters[k] *= 1 + 0.01 * static_cast<double>(number) * part;
    }
    const auto initial = motion::initial_state(motion.with_parameters(run.parameters));
    if (initial) {
      run.start = initial->state;
    } else {
      run.problem = "no start";
    }
    return run;
  };
}

/// What an ensemble would tell of the run.
Record by_itself(const motion::Motion& motion, const study::Run& run,
                 const motion::SimulationOptions& options) {
  Record record;
  const auto keep = [&](const motion::Sample& s) {
    Row row{s.t, {}};
    for (const auto part : {s.q, s.v, s.qdd, s.ideal, s.nonideal})
      row.values.insert(row.values.end(), part.begin(), part.end());
    row.values.insert(row.values.end(), {s.kinetic, s.potential});
    row.values.insert(row.values.end(), s.outputs.begin(), s.outputs.end());
    record.rows.push_back(std::move(row));
    return true;
  };
  const motion::Summary summary =
      motion::simulate(motion.with_parameters(run.parameters), run.start, options, keep);
  record.outcome.complete = summary.complete;
  record.outcome.t = summary.t;
  record.outcome.steps = summary.steps;
  record.outcome.rejected = summary.rejected;
  return record;
}

class OneEngine : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(OneEngine, RunAndEnsembleHaveTheSameBits) {
  const motion::Motion motion = motion::compile(model::read_model(GetParam()).value()).value();
  const motion::SimulationOptions request = request_of(motion);
  const Prepare prepare = somewhat_varied(motion);
  for (const int lanes : {1, 8}) {
    EnsembleOptions options;
    options.simulation = request;
    options.lanes = lanes;
    options.threads = lanes == 1 ? 1 : 2;
    options.engine = lanes == 1 ? codegen::Engine::interpreter : codegen::Engine::automatic;
    const Records records = collect(motion, numbers(variations), prepare, options, true);
    for (const auto& [number, record] : records) {
      SCOPED_TRACE(testing::Message() << "run " << number << ", " << lanes << " lanes");
      const study::Run run = prepare(number);
      if (!run.problem.empty()) continue;
      const Record alone = by_itself(motion, run, request);
      EXPECT_EQ(record.outcome.complete, alone.outcome.complete) << record.outcome.reason;
      EXPECT_EQ(record.outcome.t, alone.outcome.t);
      EXPECT_EQ(record.outcome.steps, alone.outcome.steps);
      EXPECT_EQ(record.outcome.rejected, alone.outcome.rejected);
      ASSERT_EQ(record.rows.size(), alone.rows.size());
      for (std::size_t i = 0; i < alone.rows.size(); ++i) {
        const std::vector<double>&a = record.rows[i].values, &b = alone.rows[i].values;
        ASSERT_EQ(a.size(), b.size());
        ASSERT_EQ(record.rows[i].t, alone.rows[i].t);
        for (std::size_t k = 0; k < a.size(); ++k)
          ASSERT_EQ(std::memcmp(&a[k], &b[k], sizeof(double)), 0)
              << "row " << i << ", value " << k << ": " << a[k] << " and " << b[k];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OneEngine, testing::ValuesIn(model_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace dalembert::study
