// Many runs at once: each has the bits it would have by itself, and the motion it has elsewhere.
#include "dalembert/study/ensemble.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <set>
#include <stdexcept>

#include "../model_files.hpp"
#include "../motion/allocation_counter.hpp"
#include "ensemble_runs.hpp"

namespace dalembert::study::ensemble_test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

EnsembleOptions options_for(double duration, int lanes = 8, int threads = 1) {
  EnsembleOptions options;
  options.simulation.duration = duration;
  options.simulation.samples = 11;
  options.lanes = lanes;
  options.threads = threads;
  options.engine = codegen::Engine::interpreter;
  return options;
}

/// The harmonic oscillator at frequencies of one's choice.
Prepare at_frequency(std::function<double(std::size_t)> frequency) {
  return [frequency = std::move(frequency)](std::size_t i) {
    return study::Run{{frequency(i)}, {0, {1}, {0}}, {}};
  };
}

class Widths : public testing::TestWithParam<std::string> {};

TEST_P(Widths, LanesThreadsAndOrderChangeNoBit) {
  const motion::Motion motion = bundled(GetParam());
  const Prepare prepare = varied(motion, 0, 0.03);
  const std::vector<std::size_t> runs = numbers(19);
  const Records reference = collect(motion, runs, prepare, options_for(1.5, 1), true);
  ASSERT_EQ(reference.size(), runs.size());
  for (const auto& [run, record] : reference) {
    EXPECT_TRUE(record.outcome.complete) << record.outcome.reason;
    EXPECT_FALSE(record.outcome.alone);
    EXPECT_EQ(record.rows.size(), 11u);
  }
  std::vector<std::size_t> shuffled = runs;
  for (std::size_t i = 0; i < shuffled.size(); ++i) shuffled[i] = i * 7 % runs.size();
  for (const int lanes : {1, 4, 8}) {
    for (const int threads : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << lanes << " lanes, " << threads << " threads");
      const EnsembleOptions options = options_for(1.5, lanes, threads);
      expect_same_bits(reference, collect(motion, runs, prepare, options, true));
      expect_same_bits(reference, collect(motion, shuffled, prepare, options, true));
    }
  }
  for (const codegen::Engine engine : {codegen::Engine::automatic, codegen::Engine::machine}) {
    EnsembleOptions options = options_for(1.5, 8, 2);
    options.engine = engine;
    expect_same_bits(reference, collect(motion, runs, prepare, options, true));
  }
}

INSTANTIATE_TEST_SUITE_P(Ensemble, Widths,
                         testing::Values("rolling_disk", "pendulum", "appell_hamel",
                                         "double_pendulum", "rotating_wire"),
                         [](const auto& name) { return name.param; });

TEST(Ensemble, SamplesDoNotChangeTheMotion) {
  const motion::Motion motion = bundled("pendulum");
  const Prepare prepare = varied(motion, 1, 0.05);
  const auto runs = numbers(9);
  Records with = collect(motion, runs, prepare, options_for(3), true);
  for (auto& [run, record] : with) record.rows.clear();
  expect_same_bits(with, collect(motion, runs, prepare, options_for(3), false));
}

// Both integrate with the same method, tolerance and rules; over so short a time neither is off by
// more than a few hundred tolerances of each quantity's size.
TEST(Ensemble, AgreesWithSimulateOnEveryModel) {
  // Quaternions, full rank only beside redundant rows, stiffness: no straight code vouches for
  // these.
  const std::set<std::string> alone = {
      "ball_on_turntable", "bricard",          "car_with_trailer", "chain",     "four_bar",
      "rattleback",        "stewart_platform", "stiff_shaft",      "two_masses"};
  // Steps over the instants at which it is singular or meets one, as the last digits have it.
  const std::string either = "parallelogram";
  for (const auto& file : model_files()) {
    SCOPED_TRACE(file.stem());
    const motion::Motion motion = bundled(file.stem());
    EnsembleOptions options = options_for(1.5);
    const motion::State start = motion::initial_state(motion).value().state;
    const auto prepare = [&](std::size_t) { return study::Run{motion.parameters(), start, {}}; };
    const Records records = collect(motion, numbers(3), prepare, options, true);
    expect_same_bits(records.at(0), records.at(2));
    const Record& record = records.at(0);
    ASSERT_TRUE(record.outcome.complete) << record.outcome.reason;
    if (file.stem() != either) {
      EXPECT_EQ(record.outcome.alone,
                motion.instants() != nullptr || alone.contains(file.stem().string()));
    }
    EXPECT_LE(record.outcome.largest_residual, 1e-11);

    std::vector<Row> rows;
    const auto summary =
        motion::simulate(motion, start, options.simulation, [&](const motion::Sample& s) {
          Row row{s.t, {}};
          for (const auto part : {s.q, s.v, s.qdd, s.ideal, s.nonideal})
            row.values.insert(row.values.end(), part.begin(), part.end());
          row.values.insert(row.values.end(), {s.kinetic, s.potential});
          row.values.insert(row.values.end(), s.outputs.begin(), s.outputs.end());
          rows.push_back(std::move(row));
          return true;
        });
    ASSERT_TRUE(summary.complete) << summary.reason;
    ASSERT_EQ(record.rows.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(record.rows[i].t, rows[i].t);
      ASSERT_EQ(record.rows[i].values.size(), rows[i].values.size());
      double size = 1;
      for (const double value : rows[i].values) size = std::max(size, std::abs(value));
      for (std::size_t k = 0; k < rows[i].values.size(); ++k)
        EXPECT_NEAR(record.rows[i].values[k], rows[i].values[k], 1e-6 * size) << i << ", " << k;
    }
    double work =
        summary.work_applied + summary.work_ideal + summary.work_nonideal + summary.work_other;
    for (std::size_t k = 0; k < motion.outputs().size(); ++k) {
      const std::size_t from_end = motion.outputs().size() - k;
      if (motion.instants() != nullptr && motion.outputs()[k].name == "work.impact")
        work += rows.back().values[rows.back().values.size() - from_end];
    }
    EXPECT_NEAR(record.outcome.energy_change, work, 1e-6 * std::max(1.0, summary.energy_scale));
    for (std::size_t i = 0; i < record.outcome.q.size(); ++i) {
      EXPECT_EQ(record.outcome.q[i], record.rows.back().values[i]);
      EXPECT_EQ(record.outcome.v[i], record.rows.back().values[record.outcome.q.size() + i]);
    }
  }
}

TEST(Ensemble, OscillatorsOfAllFrequenciesFollowTheCosine) {
  const motion::Motion motion = motion::compile(oscillator().model()).value();
  const auto w = [](std::size_t i) { return 0.25 * static_cast<double>(1 + i * i); };
  EnsembleOptions options = options_for(3);
  options.simulation.times = {0, 0.1, 1.7, 2.999, 3};
  const Records records = collect(motion, numbers(30), at_frequency(w), options, true);
  ASSERT_EQ(records.size(), 30u);
  for (const auto& [i, record] : records) {
    ASSERT_TRUE(record.outcome.complete);
    EXPECT_FALSE(record.outcome.alone);
    ASSERT_EQ(record.rows.size(), 5u);
    // The phase error grows with the number of turns.
    const double tolerance = 1e-9 * (10 + 100 * w(i));
    for (const Row& row : record.rows) {
      EXPECT_NEAR(row.values[0], std::cos(w(i) * row.t), tolerance);
      EXPECT_NEAR(row.values[1], -w(i) * std::sin(w(i) * row.t), w(i) * tolerance);
      EXPECT_NEAR(row.values[2], -w(i) * w(i) * row.values[0], 1e-9 * w(i) * w(i));
    }
    EXPECT_NEAR(record.outcome.energy_change, 0, w(i) * w(i) * tolerance);
  }
}

// Runs of very different length: lanes are refilled at very different times.
TEST(Ensemble, RunsHaveTheBitsTheyHaveByThemselves) {
  const motion::Motion motion = motion::compile(oscillator().model()).value();
  const Prepare prepare =
      at_frequency([](std::size_t i) { return i % 5 == 0 ? 200.0 + static_cast<double>(i) : 0.5; });
  const EnsembleOptions options = options_for(2);
  const Records together = collect(motion, numbers(31), prepare, options, true);
  for (const auto& [i, record] : together) {
    SCOPED_TRACE(i);
    const std::size_t alone[] = {i};
    expect_same_bits(record, collect(motion, alone, prepare, options, true).at(i));
  }
  EXPECT_GT(together.at(0).outcome.steps, 20 * together.at(1).outcome.steps);
}

TEST(Ensemble, RunsThatFailDoNotDisturbTheirNeighbours) {
  const motion::Motion motion = bundled("pendulum");
  const Prepare good = varied(motion, 2, 0.1);
  const Prepare mixed = [&](std::size_t i) {
    study::Run run = good(i);
    if (i % 6 == 1) run.parameters[2] = not_a_number;
    if (i % 6 == 2) run.problem = "it has no start";
    if (i % 6 == 3) run.parameters[0] = 0;  // no mass: M is singular
    if (i % 6 == 4) run.start.q = {0, 0};   // the constraint has no gradient there
    if (i % 6 == 5) run.start.v = {not_a_number, 0};
    return run;
  };
  const Records reference = collect(motion, numbers(24), good, options_for(1), true);
  for (const int lanes : {1, 8}) {
    const Records records = collect(motion, numbers(24), mixed, options_for(1, lanes, 2), true);
    ASSERT_EQ(records.size(), 24u);
    for (const auto& [i, record] : records) {
      SCOPED_TRACE(i);
      if (i % 6 == 0) {
        expect_same_bits(reference.at(i), record);
      } else {
        EXPECT_FALSE(record.outcome.complete);
        EXPECT_FALSE(record.outcome.reason.empty());
        EXPECT_EQ(record.outcome.alone, i % 6 != 2);
      }
    }
    EXPECT_EQ(records.at(2).outcome.reason, "it has no start");
  }
}

TEST(Ensemble, StepsHaveALimit) {
  const motion::Motion motion = motion::compile(oscillator().model()).value();
  const Prepare prepare = at_frequency([](std::size_t i) { return i == 3 ? 500.0 : 1.0; });
  EnsembleOptions options = options_for(5);
  options.simulation.max_steps = 300;
  const Records records = collect(motion, numbers(9), prepare, options, false);
  for (const auto& [i, record] : records) {
    EXPECT_EQ(record.outcome.complete, i != 3);
    EXPECT_FALSE(record.outcome.alone);
  }
  const Outcome& stopped = records.at(3).outcome;
  EXPECT_EQ(stopped.steps + stopped.rejected, 300);
  EXPECT_NE(stopped.reason.find("the limit of 300 steps was reached"), std::string::npos);
  EXPECT_GT(stopped.t, 0);
  EXPECT_LT(stopped.t, 5);
  EXPECT_NEAR(stopped.q[0], std::cos(500 * stopped.t), 1e-5);
}

// x'' = x^3 / 2 from x = 1, x' = 1/2: x = 2 / (2 - t) has no value from t = 2 on.
TEST(Ensemble, AMotionThatEndsIsReportedWithItsReason) {
  model::System s("escape");
  const auto x = s.coordinate("x");
  const auto a = s.parameter("a", 1);
  s.kinetic(expr::pow(expr::dot(x), 2) / 2).potential(-a * expr::pow(x, 4) / 8);
  const motion::Motion motion = motion::compile(s.model()).value();
  const auto prepare = [](std::size_t i) {
    return study::Run{{i % 2 == 0 ? 1.0 : -1.0}, {0, {1}, {0.5}}, {}};
  };
  const Records records = collect(motion, numbers(10), prepare, options_for(3), true);
  for (const auto& [i, record] : records) {
    SCOPED_TRACE(i);
    EXPECT_EQ(record.outcome.complete, i % 2 == 1);
    if (record.outcome.complete) continue;
    EXPECT_TRUE(record.outcome.alone);
    EXPECT_NE(record.outcome.reason.find("cannot be continued beyond"), std::string::npos)
        << record.outcome.reason;
    EXPECT_NEAR(record.outcome.t, 2, 1e-3);
    // Samples that were made before it left its lane are not made again.
    ASSERT_EQ(record.rows.size(), 7u);
    for (const Row& row : record.rows) {
      EXPECT_NEAR(row.values[0] * (2 - row.t), 2, 1e-6);
    }
  }
}

TEST(Ensemble, WithoutAFlowRunsGoAlone) {
  const motion::Motion motion = bundled("two_masses");  // its mass matrix is singular
  const Prepare prepare = varied(motion, 0, 0.1);
  const Records one = collect(motion, numbers(7), prepare, options_for(1), true);
  for (const auto& [i, record] : one) {
    EXPECT_TRUE(record.outcome.complete) << record.outcome.reason;
    EXPECT_TRUE(record.outcome.alone);
    EXPECT_EQ(record.rows.size(), 11u);
  }
  expect_same_bits(one, collect(motion, numbers(7), prepare, options_for(1, 8, 3), true));
}

TEST(Ensemble, ProjectionKeepsTheConstraints) {
  const motion::Motion motion = bundled("pendulum");
  const Prepare prepare = varied(motion, 2, 0.1);
  const auto residual = [&](model::Project project) {
    EnsembleOptions options = options_for(10);
    options.simulation.project = project;
    options.simulation.rtol = 1e-6;
    double largest = 0;
    for (const auto& [i, record] : collect(motion, numbers(5), prepare, options, false)) {
      EXPECT_TRUE(record.outcome.complete);
      largest = std::max(largest, record.outcome.largest_residual);
    }
    return largest;
  };
  const double both = residual(model::Project::both);
  EXPECT_LE(both, 1e-12);
  EXPECT_GT(residual(model::Project::velocity), 100 * both);
  EXPECT_GT(residual(model::Project::none), 100 * both);
}

TEST(Ensemble, StopsWhenTold) {
  const motion::Motion motion = motion::compile(oscillator().model()).value();
  const Prepare prepare = at_frequency([](std::size_t) { return 1.0; });
  for (const int threads : {1, 3}) {
    std::atomic<bool> stop = false;
    std::atomic<int> finished = 0;
    EnsembleOptions options = options_for(20, 4, threads);
    options.stop = &stop;
    const auto on_finished = [&](std::size_t, const Outcome& outcome) {
      EXPECT_TRUE(outcome.complete);
      if (++finished == 5) stop = true;
    };
    run_ensemble(motion, numbers(100000), prepare, {}, on_finished, options);
    EXPECT_GE(finished, 5);
    EXPECT_LT(finished, 100);
    const int before = finished;
    run_ensemble(motion, numbers(100), prepare, {}, on_finished, options);
    EXPECT_EQ(finished, before);
  }
}

TEST(Ensemble, ExceptionsReachTheCaller) {
  const motion::Motion motion = motion::compile(oscillator().model()).value();
  for (const int threads : {1, 4}) {
    const auto prepare = [](std::size_t i) -> study::Run {
      if (i == 37) throw std::runtime_error("run 37");
      return {{1.0}, {0, {1}, {0}}, {}};
    };
    EXPECT_THROW(run_ensemble(
                     motion, numbers(1000), prepare, {}, [](std::size_t, const Outcome&) {},
                     options_for(1, 8, threads)),
                 std::runtime_error);
    const auto wrong_size = [](std::size_t) -> study::Run {
      return {{1.0}, {0, {1, 2}, {0, 0}}, {}};
    };
    EXPECT_THROW(run_ensemble(
                     motion, numbers(3), wrong_size, {}, [](std::size_t, const Outcome&) {},
                     options_for(1, 8, threads)),
                 std::invalid_argument);
  }
}

TEST(Ensemble, NothingToDoIsDone) {
  const motion::Motion motion = motion::compile(oscillator().model()).value();
  const Prepare prepare = at_frequency([](std::size_t) { return 1.0; });
  EXPECT_TRUE(collect(motion, {}, prepare, options_for(1), true).empty());
  EnsembleOptions options = options_for(0);
  options.simulation.times = {0};
  const Records records = collect(motion, numbers(3), prepare, options, true);
  for (const auto& [i, record] : records) {
    EXPECT_TRUE(record.outcome.complete);
    EXPECT_EQ(record.outcome.q, std::vector<double>{1});
    EXPECT_EQ(record.rows.size(), 1u);
    EXPECT_EQ(record.outcome.steps, 0);
  }
}

// A longer motion takes more steps and no more memory.
TEST(Ensemble, StepsDoNotAllocate) {
  const motion::Motion motion = bundled("pendulum");
  const Prepare prepare = varied(motion, 2, 0.1);
  const auto allocations = [&](double duration) {
    EnsembleOptions options = options_for(duration);
    long steps = 0;
    const long before = allocations_so_far();
    run_ensemble(
        motion, numbers(8), prepare, [](std::size_t, const EnsembleSample&) {},
        [&](std::size_t, const Outcome& outcome) { steps += outcome.steps; }, options);
    return std::pair(allocations_so_far() - before, steps);
  };
  allocations(1);  // what is made once in a program is made here
  const auto [few, short_steps] = allocations(1);
  const auto [many, long_steps] = allocations(20);
  EXPECT_GT(long_steps, 10 * short_steps);
  EXPECT_EQ(few, many);
}

}  // namespace
}  // namespace dalembert::study::ensemble_test
