#include <cmath>
#include <limits>

#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/state/turns.hpp"
#include "dalembert/study/ensemble_flow.hpp"

namespace dalembert::study {

namespace {

/// h at a state; not a number where the equations have no solution.
double h_at(motion::Evaluator& evaluator, double t, std::span<const double> q,
            std::span<const double> v, std::span<const double> mu) {
  if (evaluator.decide(t, q, v, mu) != motion::Status::ok)
    return std::numeric_limits<double>::quiet_NaN();
  evaluator.observe();
  return evaluator.h();
}

}  // namespace

void run_alone(const EnsembleWork& work, std::size_t number, const Run& run, long delivered) {
  Outcome outcome;
  outcome.alone = true;
  outcome.t = run.start.t;
  outcome.q = run.start.q;
  outcome.v = run.start.v;
  if (!run.problem.empty()) {
    outcome.alone = false;
    outcome.reason = run.problem;
    work.on_finished(number, outcome);
    return;
  }
  const motion::Motion motion = work.motion.with_parameters(run.parameters);
  motion::SimulationOptions options = work.options.simulation;
  options.doubts = false;
  if (work.options.stop != nullptr) options.stop = work.options.stop;
  if (!work.on_sample) {
    options.times.clear();
    options.samples = 2;
  }
  std::vector<double> mu = run.start.mu;
  motion::RecordedTurns turns(motion);
  long seen = 0;
  double t_seen = run.start.t;
  const auto observer = [&](const motion::Sample& sample) {
    if (work.on_sample && seen >= delivered) {
      work.on_sample(number, {sample.t, sample.q, sample.v, sample.qdd, sample.ideal,
                              sample.nonideal, sample.kinetic, sample.potential, sample.outputs});
    }
    ++seen;
    t_seen = sample.t;
    outcome.q.assign(sample.q.begin(), sample.q.end());
    outcome.v.assign(sample.v.begin(), sample.v.end());
    mu.assign(sample.mu.begin(), sample.mu.end());
    if (!turns.empty()) turns.parameters(sample.outputs);
    return !work.stopped();
  };
  const motion::Summary summary = motion::simulate(motion, run.start, options, observer);
  if (!summary.complete && work.stopped()) return;
  outcome.complete = summary.complete;
  outcome.reason = summary.reason;
  outcome.t = summary.t;
  outcome.steps = summary.steps;
  outcome.rejected = summary.rejected;
  outcome.largest_residual = summary.largest_residual;
  if (t_seen == summary.t) {
    motion::Evaluator evaluator(motion);
    const double h_start = h_at(evaluator, run.start.t, run.start.q, run.start.v, run.start.mu);
    if (!turns.empty()) evaluator.bind(motion.with_parameters(turns.parameters()));
    outcome.energy_change = h_at(evaluator, t_seen, outcome.q, outcome.v, mu) - h_start;
  } else {
    // The state where it gave up is not told.
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    outcome.q.assign(outcome.q.size(), unknown);
    outcome.v.assign(outcome.v.size(), unknown);
    outcome.energy_change = unknown;
  }
  work.on_finished(number, outcome);
}

}  // namespace dalembert::study
