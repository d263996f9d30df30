#include "dalembert/study/carried_run.hpp"

#include <algorithm>

#include "dalembert/motion/instants/run.hpp"

namespace dalembert::study {

namespace {

motion::SimulationOptions options_of(const EnsembleWork& work) {
  motion::SimulationOptions options = work.options.simulation;
  options.doubts = false;
  if (work.options.stop != nullptr) options.stop = work.options.stop;
  if (!work.on_sample) {
    options.times.clear();
    options.samples = 2;
  }
  return options;
}

}  // namespace

CarriedRun::CarriedRun(const EnsembleWork& work, std::size_t number,
                       const std::vector<double>& parameters, const motion::State& start)
    : work_(work),
      number_(number),
      options_(options_of(work)),
      observer_([this](const motion::Sample& s) {
        if (work_.on_sample)
          work_.on_sample(number_, {s.t, s.q, s.v, s.qdd, s.ideal, s.nonideal, s.kinetic,
                                    s.potential, s.outputs});
        t_seen_ = s.t;
        seen_.assign(s.q.begin(), s.q.end());
        seen_.insert(seen_.end(), s.v.begin(), s.v.end());
        seen_.insert(seen_.end(), s.mu.begin(), s.mu.end());
        return !work_.stopped();
      }),
      core_(work.motion.with_parameters(parameters), start, options_, observer_, progress_),
      stepper_(core_) {}

void CarriedRun::integrate() {
  if (options_.integrator == motion::Integrator::bdf) {
    motion::integrate_bdf(core_);
  } else {
    stepper_.integrate();
  }
  report(0);
}

bool CarriedRun::carry(motion::Lanes& lanes, std::size_t lane, motion::LanePlace& place) {
  // Without receivers of samples lanes make none, not even at the start.
  if (!work_.on_sample && place.begun) place.samples = std::max(place.samples, 1L);
  if (stepper_.carry(lanes, lane, place)) return true;
  report(lanes.largest_residual(lane));
  return false;
}

void CarriedRun::report(double largest_residual) {
  if (!core_.summary().complete && work_.stopped()) return;
  // A leap over a singular configuration may lead beyond the end; the last sample stands at it.
  const bool leapt = core_.summary().complete && t_seen_ == options_.duration;
  if (leapt) std::ranges::copy(seen_, core_.y().begin());
  const std::span<const double> y = core_.y();
  Outcome outcome;
  outcome.alone = true;
  outcome.q.assign(core_.q(y).begin(), core_.q(y).end());
  outcome.v.assign(core_.v(y).begin(), core_.v(y).end());
  outcome.energy_change = core_.find_energy_change(leapt ? t_seen_ : core_.t(), y);
  const motion::Summary summary = core_.finish(0);
  outcome.complete = summary.complete;
  outcome.reason = summary.reason;
  outcome.t = summary.t;
  outcome.steps = summary.steps;
  outcome.rejected = summary.rejected;
  outcome.largest_residual = std::max(largest_residual, summary.largest_residual);
  work_.on_finished(number_, outcome);
}

void run_with_instants(const EnsembleWork& work, std::size_t number,
                       const std::vector<double>& parameters, const motion::State& start) {
  const motion::SimulationOptions options = options_of(work);
  const motion::Observer observer = [&](const motion::Sample& s) {
    if (work.on_sample)
      work.on_sample(number, {s.t, s.q, s.v, s.qdd, s.ideal, s.nonideal, s.kinetic, s.potential,
                              s.outputs});
    return !work.stopped();
  };
  const motion::Progress progress;
  motion::InstantRun run(work.motion.with_parameters(parameters), start, options, observer,
                         progress);
  run.run();
  if (!run.summary().complete && work.stopped()) return;
  Outcome outcome;
  outcome.alone = true;
  outcome.q.assign(run.q().begin(), run.q().end());
  outcome.v.assign(run.v().begin(), run.v().end());
  outcome.energy_change = run.find_energy_change();
  const motion::Summary summary = run.finish(0);
  outcome.complete = summary.complete;
  outcome.reason = summary.reason;
  outcome.t = summary.t;
  outcome.steps = summary.steps;
  outcome.rejected = summary.rejected;
  outcome.largest_residual = summary.largest_residual;
  work.on_finished(number, outcome);
}

}  // namespace dalembert::study
