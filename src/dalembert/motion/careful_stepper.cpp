#include "dalembert/motion/careful_stepper.hpp"

#include <algorithm>
#include <limits>

namespace dalembert::motion {

namespace {

constexpr double hopeless = std::numeric_limits<double>::infinity();
// Errors to reject a step with that is accurate but may not be taken: they shorten it to a third,
// and to three fifths.
constexpr double refused = 1e9;
constexpr double ends_badly = 25;

}  // namespace

/// A step of length h, or a little longer where it then ends with the `rest` but not longer than
/// `longest`, unless it comes near a singular configuration at the time `distance` from
/// here: then a step that ends well before it, or leaps over it. A leap may lead beyond the end.
CarefulStepper::Plan CarefulStepper::plan_step(double h, double longest, double rest,
                                               double distance) {
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

CarefulStepper::CarefulStepper(SimulationCore& core)
    : core_(core),
      summary_(core.summary()),
      stepper_(core.size()),
      crossing_(core),
      controller_({.max_step = core.options().max_step}),
      end_(core.options().duration),
      longest_(core.options().max_step) {}

/// Gives the states of samples within the step.
auto CarefulStepper::sampler(double from, double length) {
  return [this, from, length](double time, std::span<double> y) {
    if (plan_.leap && crossing_.covers(time)) {
      crossing_.sample(time, y);
      return true;
    }
    const double theta = std::clamp((time - from) / length, 0.0, 1.0);
    stepper_.interpolate(theta, y);
    if (!plan_.leap && core_.options().doubts)
      stepper_.interpolate_slope(theta, core_.pulses().expect(length));
    return false;
  };
}

/// Out of a singular configuration at the start.
bool CarefulStepper::lead_out() {
  const double start = core_.t();
  plan_.near = true;
  const auto f = derivative();
  if (!crossing_.lead_out(stepper_, f)) {
    core_.give_up_at_start(crossing_.start_rank());
    return false;
  }
  const double t = core_.t();
  plan_.leap = true;
  if (!core_.accept(t, t, 0, sampler(t, stepper_.t_new() - t))) return false;
  core_.note_passage(start, summary_.rank - crossing_.rank_lost());
  plan_ = Plan{0};
  core_.allow_rounding(SimulationCore::none);
  return true;
}

/// From the start of the motion to where the first step begins; false if the motion is over.
bool CarefulStepper::begin() {
  begun_ = true;
  core_.evaluator().prefer_tape();  // numbers must not depend on how many were asked for
  if (crossing_.starts_singular()) {
    if (!lead_out()) return false;
  } else if (!core_.begin() || !core_.give_start()) {
    return false;
  }
  if (!core_.find_step_ends()) return false;
  crossing_.arrive();
  crossing_.remember_start();
  start_stepping(0);
  return true;
}

bool CarefulStepper::begin_in_lane() {
  begun_ = true;
  // Its steps may have to be taken here. The tape is made before the first.
  if (core_.projector().tells_heights()) core_.evaluator().prefer_tape();
  if (!core_.begin()) return false;
  crossing_.arrive();
  crossing_.remember_start();
  return true;
}

/// From where the core stands, decided; a length of 0 is not known yet.
void CarefulStepper::start_stepping(double h) {
  controller_ = StepController({.max_step = longest_});
  stiffness_ = {};
  plan_ = Plan{0};
  stepper_.start(core_.t(), core_.y(), core_.dydt());
  h_ = h;
  const auto f = derivative();
  if (!(h > 0) && end_ > core_.t())
    h_ = stepper_.initial_step(f, core_.tolerance(), std::min(end_ - core_.t(), longest_));
}

/// Step after step until a lane can go on; false if the motion is over before.
template <class Vouches>
bool CarefulStepper::go_on(const Vouches& vouches) {
  while (core_.t() < end_) {
    if (!core_.may_go_on()) return false;
    if (crossing_.lost()) {
      core_.give_up_at_singular(crossing_.clearance());
      return false;
    }
    const long steps = summary_.steps;
    if (!take_step()) return false;
    if (summary_.steps > steps && core_.t() < end_ && vouches()) return true;
  }
  summary_.complete = true;
  return false;
}

bool CarefulStepper::carry(Lanes& lanes, std::size_t lane, LanePlace& place) {
  if (!place.begun) {
    if (!begin()) return false;
  } else {
    if (!begun_ && !begin_in_lane()) return false;
    core_.evaluator().prefer_tape();
    core_.take_step_ends(lanes.step_ends(lane));
    if (!core_.take_over(place)) return false;
    crossing_.restart();
    crossing_.arrive();
    start_stepping(place.h);
  }
  const auto vouches = [&] {
    return !crossing_.approaches(h_) &&
           lanes.vouches(lane, core_.t(), core_.q(core_.y()), core_.v(core_.y()));
  };
  if (!go_on(vouches)) return false;
  core_.hand_back(place);
  place.h = h_;
  return true;
}

/// The step of the plan to t_new; its projected end, if it is good, stands in the core.
CarefulStepper::Tried CarefulStepper::try_step(double t_new) {
  const auto f = derivative();
  Tried tried{stepper_.attempt(f, plan_.length, core_.tolerance())};
  const bool dense = plan_.leap || core_.sampled(t_new);
  if (tried.error <= 1 && dense && !stepper_.prepare_dense(f)) tried.error = hopeless;
  if (tried.error <= 1) {
    std::copy(stepper_.y_new().begin(), stepper_.y_new().end(), core_.y().begin());
    tried.projected = core_.bring_onto_constraints(t_new, core_.y(), &tried.drift);
    tried.error =
        tried.projected
            ? std::max(tried.error, core_.correction(stepper_.y(), stepper_.y_new(), core_.y()))
            : hopeless;
  }
  if (!(tried.error <= 1)) return tried;
  if (!plan_.near && crossing_.overlooked(stepper_.y(), plan_.length)) {
    tried.misplaced = true;
    return tried;
  }
  if (plan_.leap) {
    const auto verdict = crossing_.examine(stepper_, plan_.length);
    tried.misplaced = verdict == SingularCrossing::Verdict::misplaced;
    if (verdict == SingularCrossing::Verdict::refused) tried.error = refused;
  } else if (crossing_.too_close(t_new)) {
    tried.error = ends_badly;
  }
  if (tried.error <= 1 && !tried.misplaced && core_.loses_turns(t_new)) tried.error = ends_badly;
  return tried;
}

/// False if the motion ends with it.
bool CarefulStepper::end_step(double from, double t_new, double behind, double drift) {
  const int rank_there = summary_.rank - crossing_.rank_lost();
  if (!core_.accept(t_new, behind, drift, sampler(from, plan_.length))) return false;
  if (plan_.leap) {
    if (crossing_.t_singular() <= end_) core_.note_passage(crossing_.t_singular(), rank_there);
  } else if (behind == t_new &&
             // Work feeds nothing back.
             stiffness_.add(
                 stepper_.stiffness(core_.y(), core_.dydt(), core_.work(), core_.tolerance()))) {
    core_.note_stiffness(t_new);
  }
  crossing_.arrive();
  stepper_.start(core_.t(), core_.y(), core_.dydt());
  return true;
}

/// Tries a step, and takes it if it is good; false if the motion is over.
bool CarefulStepper::take_step() {
  const double t = core_.t();
  const StepEnd step_end = core_.step_end();
  plan_ = plan_step(h_, longest_, step_end.before - t, crossing_.distance(h_));
  core_.allow_rounding(plan_.near ? plan_.closest * crossing_.clearance() : SimulationCore::none);
  core_.forget_failure();
  const double t_new = plan_.last ? step_end.before : t + plan_.length;
  const Tried tried = try_step(t_new);
  if (tried.misplaced) {
    std::ranges::copy(stepper_.y(), core_.y().begin());
    ++summary_.rejected;
    return true;
  }
  const auto [accepted, h_next] = controller_.decide(plan_.length, tried.error);
  if (!accepted) {
    ++summary_.rejected;
    h_ = h_next;
    const bool hopeful = !step_underflow(t, h_next);
    if (!hopeful) core_.give_up(tried.projected);
    std::ranges::copy(stepper_.y(), core_.y().begin());
    return hopeful;
  }
  if (!end_step(t, t_new, plan_.last ? step_end.behind : t_new, tried.drift)) return false;
  // A step that had to end early tells nothing against longer ones.
  h_ = plan_.near || plan_.length < h_ ? std::max(h_, h_next) : h_next;
  return true;
}

void CarefulStepper::integrate() {
  if (begin()) go_on([] { return false; });
}

}  // namespace dalembert::motion
