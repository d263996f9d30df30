#include <algorithm>
#include <limits>

#include "dalembert/motion/rk8.hpp"
#include "dalembert/motion/simulation_core.hpp"

namespace dalembert::motion {

void integrate_rk8(SimulationCore& core) {
  const auto derivative = [&core](double t, std::span<const double> y, std::span<double> dydt) {
    return core.derivative(t, y, dydt);
  };
  constexpr double hopeless = std::numeric_limits<double>::infinity();
  Summary& summary = core.summary();
  Rk8 stepper(core.size());
  StepController controller;
  StiffnessDetector stiffness;
  const std::size_t mechanical = core.work();  // work feeds nothing back
  const double end = core.options().duration;

  if (!core.begin()) return;
  stepper.start(core.t(), core.y(), core.dydt());
  double h =
      end > core.t() ? stepper.initial_step(derivative, core.tolerance(), end - core.t()) : 0;
  while (core.t() < end) {
    if (!core.may_go_on()) return;
    const double t = core.t();
    const bool last = t + 1.01 * h >= end;
    if (last) h = end - t;
    core.forget_failure();
    double error = stepper.attempt(derivative, h, core.tolerance());
    const double t_new = last ? end : stepper.t_new();
    double drift = 0;
    bool projected = true;
    if (error <= 1 && core.sampled(t_new) && !stepper.prepare_dense(derivative)) error = hopeless;
    if (error <= 1) {
      std::copy(stepper.y_new().begin(), stepper.y_new().end(), core.y().begin());
      projected = core.bring_onto_constraints(t_new, core.y(), &drift);
      error = projected ? std::max(error, core.correction(stepper.y(), stepper.y_new(), core.y()))
                        : hopeless;
    }
    const auto [accepted, h_next] = controller.decide(h, error);
    if (!accepted) {
      ++summary.rejected;
      if (step_underflow(t, h_next)) {
        core.give_up(projected);
        return;
      }
      h = h_next;
      continue;
    }
    const auto interpolate = [&](double time, std::span<double> y) {
      stepper.interpolate(std::clamp((time - t) / h, 0.0, 1.0), y);
    };
    if (!core.accept(t_new, drift, interpolate)) return;
    if (stiffness.add(stepper.stiffness(core.y(), core.dydt(), mechanical, core.tolerance())))
      core.note_stiffness(t_new);
    stepper.start(core.t(), core.y(), core.dydt());
    h = h_next;
  }
  summary.complete = true;
}

}  // namespace dalembert::motion
