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

/// The loop: through a lane of the engine as long as that can vouch, then step by step with ranks
/// decided at each.
class Rk8Motion {
 public:
  explicit Rk8Motion(SimulationCore& core)
      : core_(core),
        summary_(core.summary()),
        stepper_(core.size()),
        crossing_(core),
        controller_({.max_step = core.options().max_step}),
        end_(core.options().duration),
        longest_(core.options().max_step) {}

  void integrate();

 private:
  /// What became of an attempt.
  struct Tried {
    double error;            ///< in units of the tolerance: above 1 the step is rejected
    double drift = 0;        ///< before projection
    bool projected = true;   ///< whether the state could be brought onto the constraints
    bool misplaced = false;  ///< the step is to be planned anew: something else lies in it
  };

  bool begin();
  bool lead_out();
  bool take_step();
  Tried try_step(double t_new);
  bool end_step(double from, double t_new, double behind, double drift);
  auto sampler(double from, double length);
  /// y' as the plan wants it.
  auto derivative() {
    return [this](double t, std::span<const double> y, std::span<double> dydt) {
      return plan_.near ? core_.projected_derivative(t, y, dydt) : core_.derivative(t, y, dydt);
    };
  }

  SimulationCore& core_;
  Summary& summary_;
  Rk8 stepper_;
  SingularCrossing crossing_;
  StepController controller_;
  StiffnessDetector stiffness_;
  double end_, longest_;
  double h_ = 0;  ///< of the next step, unless something stands in its way
  Plan plan_{0};
};

/// Gives the states of samples within the step.
auto Rk8Motion::sampler(double from, double length) {
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
bool Rk8Motion::lead_out() {
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

/// To where the loop begins; false if the motion is over.
bool Rk8Motion::begin() {
  bool knows_step_ends = false;
  const ModelFlow* flow = nullptr;
  const bool singular = crossing_.starts_singular();
  if (!singular) flow = core_.motion().flow();
  // Numbers must not depend on how many were asked for: the tape from the beginning. In a lane
  // only where it may have to be left, near a singular configuration.
  if (flow == nullptr || !flow->flow.positions.outputs.empty()) core_.evaluator().prefer_tape();
  if (singular) {
    if (!lead_out()) return false;
  } else if (flow != nullptr) {
    SingleLane lane(core_, crossing_, *flow);
    if (lane.run() == SingleLane::Ending::over) return false;
    knows_step_ends = lane.knows_step_ends();
    core_.evaluator().prefer_tape();
    // The watch may have looked elsewhere since the core decided here.
    if (!core_.begin_from(core_.t(), core_.y())) return false;
  } else if (!core_.begin() || !core_.give_start()) {
    return false;
  }
  if (!knows_step_ends && !core_.find_step_ends()) return false;
  crossing_.arrive();
  stepper_.start(core_.t(), core_.y(), core_.dydt());
  const auto f = derivative();
  if (end_ > core_.t())
    h_ = stepper_.initial_step(f, core_.tolerance(), std::min(end_ - core_.t(), longest_));
  return true;
}

/// The step of the plan to t_new; its projected end, if it is good, stands in the core.
Rk8Motion::Tried Rk8Motion::try_step(double t_new) {
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
bool Rk8Motion::end_step(double from, double t_new, double behind, double drift) {
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
bool Rk8Motion::take_step() {
  const double t = core_.t();
  const StepEnd step_end = core_.step_end();
  plan_ = plan_step(h_, longest_, step_end.before - t, crossing_.distance(h_));
  core_.allow_rounding(plan_.near ? plan_.closest * crossing_.clearance() : SimulationCore::none);
  core_.forget_failure();
  const double t_new = plan_.last ? step_end.before : t + plan_.length;
  const Tried tried = try_step(t_new);
  if (tried.misplaced) {
    ++summary_.rejected;
    return true;
  }
  const auto [accepted, h_next] = controller_.decide(plan_.length, tried.error);
  if (!accepted) {
    ++summary_.rejected;
    h_ = h_next;
    if (!step_underflow(t, h_next)) return true;
    core_.give_up(tried.projected);
    return false;
  }
  if (!end_step(t, t_new, plan_.last ? step_end.behind : t_new, tried.drift)) return false;
  // A step that had to end early tells nothing against longer ones.
  h_ = plan_.near || plan_.length < h_ ? std::max(h_, h_next) : h_next;
  return true;
}

void Rk8Motion::integrate() {
  if (!begin()) return;
  while (core_.t() < end_) {
    if (!core_.may_go_on()) return;
    if (crossing_.lost()) {
      core_.give_up_at_singular(crossing_.clearance());
      return;
    }
    if (!take_step()) return;
  }
  summary_.complete = true;
}

}  // namespace

void integrate_rk8(SimulationCore& core) {
  Rk8Motion(core).integrate();
}

}  // namespace dalembert::motion
