#include <algorithm>
#include <limits>

#include "dalembert/motion/simulation_core.hpp"
#include "dalembert/motion/single_lane.hpp"
#include "dalembert/motion/singular_crossing.hpp"
#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

namespace {

constexpr double hopeless = std::numeric_limits<double>::infinity();
// Errors to reject a step with that is accurate but may not be taken: they shorten it to a third,
// and to three fifths.
constexpr double refused = 1e9;
constexpr double ends_badly = 25;

/// What the next step is to be.
struct Plan {
  double length;
  bool last = false;   ///< it ends where a step must
  bool near = false;   ///< of a singular configuration
  bool leap = false;   ///< over it
  double closest = 1;  ///< how close a stage comes to it, as a part of the distance
};

/// A step of length h, or a little longer where it then ends with the `rest` but not longer than
/// `longest`, unless it comes near a singular configuration at the time `distance` from
/// here: then a step that ends well before it, or leaps over it. A leap may lead beyond the end.
Plan plan_step(double h, double longest, double rest, double distance) {
  constexpr double middle = SingularCrossing::middle;
  Plan plan{h};
  if (distance < (1 + middle) * h) {
    plan.near = true;
    const bool close = distance <= 1.1 * middle * h;
    plan.leap = close && rest > 0.6 * distance;
    plan.length = plan.leap ? distance / middle
                  : close   ? rest
                            : std::min(h, distance - 0.8 * middle * h);
    plan.closest = (middle - 1.0 / 3.0) / middle;
    if (plan.leap) return plan;
  }
  plan.last = 1.01 * plan.length >= rest && rest <= longest;
  if (plan.last) plan.length = rest;
  plan.closest = 1 - plan.length / distance;
  return plan;
}

}  // namespace

void integrate_rk8(SimulationCore& core) {
  Plan plan{0};
  const auto derivative = [&](double t, std::span<const double> y, std::span<double> dydt) {
    return plan.near ? core.projected_derivative(t, y, dydt) : core.derivative(t, y, dydt);
  };
  Summary& summary = core.summary();
  Rk8 stepper(core.size());
  SingularCrossing crossing(core);
  StepController controller({.max_step = core.options().max_step});
  StiffnessDetector stiffness;
  const std::size_t mechanical = core.work();  // work feeds nothing back
  const double end = core.options().duration;

  const auto sampler = [&](bool leap, double from, double length) {
    return [&core, &stepper, &crossing, leap, from, length](double time, std::span<double> y) {
      if (leap && crossing.covers(time)) {
        crossing.sample(time, y);
        return true;
      }
      const double theta = std::clamp((time - from) / length, 0.0, 1.0);
      stepper.interpolate(theta, y);
      if (!leap && core.options().doubts)
        stepper.interpolate_slope(theta, core.pulses().expect(length));
      return false;
    };
  };

  bool begun = false, knows_step_ends = false;
  const bool singular = crossing.starts_singular();
  if (const ModelFlow* flow = singular ? nullptr : core.motion().flow()) {
    SingleLane lane(core, crossing, *flow);
    if (lane.run() == SingleLane::Ending::over) return;
    knows_step_ends = lane.knows_step_ends();
    // The watch may have looked elsewhere since the core decided here.
    if (!core.begin_from(core.t(), core.y())) return;
    begun = true;
  }
  if (singular) {
    const double start = core.t();
    plan.near = true;
    if (!crossing.lead_out(stepper, derivative)) {
      core.give_up_at_start(crossing.start_rank());
      return;
    }
    const double t = core.t();
    if (!core.accept(t, t, 0, sampler(true, t, stepper.t_new() - t))) return;
    core.note_passage(start, summary.rank - crossing.rank_lost());
    plan.near = false;
    core.allow_rounding(SimulationCore::none);
  } else if (!begun && (!core.begin() || !core.give_start())) {
    return;
  }
  if (!knows_step_ends && !core.find_step_ends()) return;
  crossing.arrive();
  stepper.start(core.t(), core.y(), core.dydt());
  const double longest = core.options().max_step;
  double h = end > core.t() ? stepper.initial_step(derivative, core.tolerance(),
                                                   std::min(end - core.t(), longest))
                            : 0;
  while (core.t() < end) {
    if (!core.may_go_on()) return;
    if (crossing.lost()) {
      core.give_up_at_singular(crossing.clearance());
      return;
    }
    const double t = core.t();
    const StepEnd step_end = core.step_end();
    plan = plan_step(h, longest, step_end.before - t, crossing.distance(h));
    core.allow_rounding(plan.near ? plan.closest * crossing.clearance() : SimulationCore::none);
    core.forget_failure();
    double error = stepper.attempt(derivative, plan.length, core.tolerance());
    const double t_new = plan.last ? step_end.before : stepper.t_new();
    const double behind = plan.last ? step_end.behind : t_new;
    double drift = 0;
    bool projected = true;
    const bool dense = plan.leap || core.sampled(t_new);
    if (error <= 1 && dense && !stepper.prepare_dense(derivative)) error = hopeless;
    if (error <= 1) {
      std::copy(stepper.y_new().begin(), stepper.y_new().end(), core.y().begin());
      projected = core.bring_onto_constraints(t_new, core.y(), &drift);
      error = projected ? std::max(error, core.correction(stepper.y(), stepper.y_new(), core.y()))
                        : hopeless;
    }
    if (error <= 1 && !plan.near && crossing.overlooked(stepper.y(), plan.length)) {
      ++summary.rejected;
      continue;
    }
    if (error <= 1 && plan.leap) {
      const auto verdict = crossing.examine(stepper, plan.length);
      if (verdict == SingularCrossing::Verdict::misplaced) {
        ++summary.rejected;
        continue;
      }
      if (verdict == SingularCrossing::Verdict::refused) error = refused;
    } else if (error <= 1 && crossing.too_close(t_new)) {
      error = ends_badly;
    }
    if (error <= 1 && core.loses_turns(t_new)) error = ends_badly;
    const auto [accepted, h_next] = controller.decide(plan.length, error);
    if (!accepted) {
      ++summary.rejected;
      if (step_underflow(t, h_next)) {
        core.give_up(projected);
        return;
      }
      h = h_next;
      continue;
    }
    const int rank_there = summary.rank - crossing.rank_lost();
    if (!core.accept(t_new, behind, drift, sampler(plan.leap, t, plan.length))) return;
    if (plan.leap) {
      if (crossing.t_singular() <= end) core.note_passage(crossing.t_singular(), rank_there);
    } else if (behind == t_new && stiffness.add(stepper.stiffness(core.y(), core.dydt(), mechanical,
                                                                  core.tolerance()))) {
      core.note_stiffness(t_new);
    }
    crossing.arrive();
    stepper.start(core.t(), core.y(), core.dydt());
    // A step that had to end early tells nothing against longer ones.
    h = plan.near || plan.length < h ? std::max(h, h_next) : h_next;
  }
  summary.complete = true;
}

}  // namespace dalembert::motion
