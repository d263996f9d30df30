#include "dalembert/motion/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/steps/taylor.hpp"

namespace dalembert::motion {

namespace {

constexpr double clear = 3;       // times the work of the other: no trial is needed
constexpr double loosest = 1e-7;  // rtol from which on rk8 is taken
// What a single run does beside at each step, fitted to processor times
// (docs/decisions/integrators.md): what is decided and projected at its end, in runs of f and of
// the projection; and the work of forces, from powers at eight points at once, which take as long
// as at two by themselves: twice for the stages of rk8, thrice by Gauss's rule over a step by
// series and both its halves.
constexpr double decisions = 5;
constexpr double eight_powers = 2;
constexpr double rk8_powers = 2, taylor_powers = 3;
constexpr long rk8_trial = 24, taylor_trial = 12;
constexpr double skipped = 0.34;  // of the trial: first steps are short whatever follows

/// In operations as fast as an addition.
double work_of(const codegen::Tape& tape) {
  double work = 0;
  for (std::size_t i = tape.prologue; i < tape.code.size(); ++i) {
    const codegen::Operation operation = tape.code[i].operation;
    work += codegen::is_elementary(operation)                                                  ? 12
            : operation == codegen::Operation::divide || operation == codegen::Operation::sqrt ? 4
                                                                                               : 1;
  }
  return work;
}

/// Of a step by either, `powers` sets of powers included.
double common_work(const ModelFlow& flow, double powers) {
  const double projection =
      flow.flow.reduced ? 0 : work_of(flow.flow.positions) + work_of(flow.flow.velocities);
  return decisions * (work_of(flow.flow.derivative) + projection) +
         powers * eight_powers * work_of(flow.flow.powers);
}

double rk8_step_work(const ModelFlow& model) {
  constexpr double sums = 110;  // of stages and errors, an entry of y
  const LaneFlow& flow = model.one_lane;
  return 12 * work_of(flow.derivative.tape()) + sums * static_cast<double>(flow.size) +
         common_work(model, rk8_powers);
}

double taylor_step_work(const ModelFlow& model, double rtol) {
  const LaneFlow& flow = model.one_lane;
  const codegen::Series& series = taylor_series(flow, rtol);
  const double p = taylor_order(rtol), size = static_cast<double>(flow.size);
  // Both polynomials, of the end and of its slope, and the norms.
  return work_of(series.start) + work_of(flow.derivative.tape()) + p * work_of(series.order) +
         p * p / 2 * static_cast<double>(series.pairs.size()) + size * (3 * p + 20) +
         common_work(model, taylor_powers);
}

/// The mean length of the steps of a trial, the first left out; 0 if it led nowhere.
double trial_length(const Motion& motion, const State& start, SimulationOptions options,
                    Integrator integrator, long steps) {
  options.integrator = integrator;
  options.max_steps = steps;
  options.times.clear();
  options.samples = 2;
  options.doubts = false;
  options.stop = nullptr;
  std::vector<double> ends;
  ends.reserve(static_cast<std::size_t>(steps) + 1);
  const auto all = [](const Sample&) { return true; };
  simulate(motion, start, options, all, [&](double t) { ends.push_back(t); });
  if (ends.empty()) return 0;
  const auto from = static_cast<std::size_t>(skipped * static_cast<double>(ends.size()));
  const double begin = from == 0 ? 0.0 : ends[from - 1];
  return (ends.back() - begin) / static_cast<double>(ends.size() - from);
}

}  // namespace

IntegratorChoice choose_integrator(const Motion& motion, const SimulationOptions& options) {
  if (model::has_instants(motion.model()))
    return {Integrator::rk8, "events, contacts and friction that sticks need rk8"};
  if (options.rtol >= loosest)
    return {Integrator::rk8, fmt::format("series gain little from rtol {:g} upwards", loosest)};
  const ModelFlow* flow = motion.flow();
  if (flow == nullptr) return {Integrator::rk8, "no tape vouches for this motion"};
  // Steps of rk8 in place of one by series: 2 at 1e-9, 4 at 1e-12.
  const double expected = std::pow(2.0, (-std::log10(options.rtol) - 6) / 3);
  const double of_step = taylor_step_work(*flow, options.rtol) / rk8_step_work(*flow);
  const auto decide = [](double ratio, const char* how) {
    const Integrator integrator = ratio < 1 ? Integrator::taylor : Integrator::rk8;
    return IntegratorChoice{
        integrator, fmt::format("by {} series take {:.2g} times the work of rk8", how, ratio)};
  };
  const double guess = of_step / expected;
  if (guess > clear || guess < 1 / clear) return decide(guess, "count");
  const Motion own = motion.as_compiled();
  const auto start = initial_state(own);
  if (!start) return {Integrator::rk8, "the model has no start for a trial"};
  const double h_rk8 = trial_length(own, start->state, options, Integrator::rk8, rk8_trial);
  const double h = trial_length(own, start->state, options, Integrator::taylor, taylor_trial);
  if (!(h > 0 && h_rk8 > 0)) return decide(guess, "count");
  return decide(of_step * h_rk8 / h, "trial");
}

SimulationOptions with_choice(const Motion& motion, SimulationOptions options) {
  if (options.integrator == Integrator::automatic)
    options.integrator = choose_integrator(motion, options).integrator;
  return options;
}

}  // namespace dalembert::motion
