// Flows written by hand: what an ensemble makes of the doubts of a tape.
#include "dalembert/study/ensemble_flow.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/motion/steps/rk8.hpp"
#include "ensemble_runs.hpp"

namespace dalembert::study::ensemble_flow_test {
namespace {

using expr::Expr;

/// x'' = -w^2 x, with what it is in doubt about as a function of t, x, v and w.
struct Doubtful {
  Expr t = expr::time(), x = expr::coordinate("x0"), v = expr::coordinate("x0", 1),
       w = expr::parameter("w");

  motion::Flow flow(const Expr& doubt) const {
    const std::vector<Expr> inputs{t, x, v}, parameters{w};
    const Expr acceleration = -w * w * x;
    const Expr kinetic = v * v / 2, potential = w * w * x * x / 2;
    motion::Flow flow;
    flow.n = 1;
    flow.size = 2;
    flow.derivative =
        codegen::make_tape(std::vector<Expr>{v, acceleration, doubt, doubt}, inputs, parameters);
    flow.sample = codegen::make_tape(
        std::vector<Expr>{v, acceleration, 0, 0, kinetic, potential, kinetic + potential, 1, doubt},
        inputs, parameters);
    return flow;
  }
};

Records run(const motion::Flow& flow, std::size_t count, const Prepare& prepare, int lanes) {
  const motion::Motion motion = motion::compile(oscillator().model()).value();
  EnsembleOptions options;
  options.simulation.duration = 3;
  options.simulation.samples = 31;
  options.lanes = lanes;
  options.threads = 2;
  options.engine = codegen::Engine::interpreter;
  Recorder recorder;
  run_ensemble(motion, flow, {0, {1}, {0}}, numbers(count), prepare, recorder.on_sample(),
               recorder.on_finished(), options);
  return recorder.records();
}

Run oscillation(double w) {
  return {{w}, {0, {1}, {0}}, {}};
}

void expect_cosine(const Record& record, double w) {
  ASSERT_TRUE(record.outcome.complete) << record.outcome.reason;
  ASSERT_EQ(record.rows.size(), 31u);
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    EXPECT_NEAR(record.rows[i].t, 0.1 * static_cast<double>(i), 1e-15);
    EXPECT_NEAR(record.rows[i].values[0], std::cos(w * record.rows[i].t), 1e-7);
  }
}

TEST(EnsembleFlow, ARunInDoubtFromItsStartGoesAlone) {
  const Doubtful d;
  const motion::Flow flow = d.flow(d.w / 5);
  const auto w = [](std::size_t i) { return i % 3 == 0 ? 6.0 : 2.0; };
  for (const int lanes : {1, 4, 8}) {
    const Records records = run(flow, 13, [&](std::size_t i) { return oscillation(w(i)); }, lanes);
    ASSERT_EQ(records.size(), 13u);
    for (const auto& [i, record] : records) {
      EXPECT_EQ(record.outcome.alone, i % 3 == 0);
      expect_cosine(record, w(i));
    }
  }
}

// The samples made in the lane stand; those after them come from elsewhere, each once.
TEST(EnsembleFlow, ARunThatComesIntoDoubtGoesAlone) {
  const Doubtful d;
  const motion::Flow flow = d.flow(d.t * d.w / 4);
  const auto w = [](std::size_t i) { return i % 2 == 0 ? 3.0 : 1.0; };
  for (const int lanes : {1, 8}) {
    const Records records = run(flow, 9, [&](std::size_t i) { return oscillation(w(i)); }, lanes);
    ASSERT_EQ(records.size(), 9u);
    for (const auto& [i, record] : records) {
      EXPECT_EQ(record.outcome.alone, i % 2 == 0);
      expect_cosine(record, w(i));
      EXPECT_NEAR(record.outcome.energy_change, 0, 1e-7);
    }
  }
}

// Doubt in a short while around the time of a stage of the first step: another step avoids it.
TEST(EnsembleFlow, DoubtAtAStageShortensTheStep) {
  motion::Rk8 first(2);
  const auto f = [](double, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = y[1];
    dydt[1] = -16 * y[0];
    return true;
  };
  ASSERT_TRUE(first.start(0, std::vector<double>{1, 0}, f));
  const double h = first.initial_step(f, {1e-9, std::vector<double>{1e-12, 1e-12}, {}}, 3);
  const Doubtful d;
  const Expr off = (d.t - Expr(expr::Rational(h / 3))) / Expr(expr::Rational(1e-6 * h));
  const motion::Flow doubtful = d.flow(2 - off * off);
  const auto prepare = [](std::size_t) { return oscillation(4); };
  const Outcome sure = run(d.flow(0), 1, prepare, 1).at(0).outcome;
  for (const auto& [i, record] : run(doubtful, 5, prepare, 4)) {
    EXPECT_FALSE(record.outcome.alone);
    EXPECT_GT(record.outcome.rejected, sure.rejected);
    expect_cosine(record, 4);
  }
}

TEST(EnsembleFlow, TapesThatDoNotFitAreRefused) {
  const Doubtful d;
  motion::Flow flow = d.flow(0);
  flow.size = 3;
  EXPECT_THROW(run(flow, 1, [](std::size_t) { return oscillation(1); }, 1), std::invalid_argument);
}

}  // namespace
}  // namespace dalembert::study::ensemble_flow_test
