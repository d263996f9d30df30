// How the motion is computed.
#include <cmath>

#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/validate.hpp"

namespace dalembert::model {

void Assembly::assemble_simulation() {
  const SimulationStatement& said = draft.simulation;
  Simulation& simulation = model.simulation;
  bool duration_known = said.duration.has_value();
  if (said.duration) {
    const std::optional<Expr> e = expression(said.duration->value, places::duration);
    duration_known = e.has_value();
    if (e) simulation.duration = {*e, said.duration->value.where};
  }
  if (said.samples) {
    if (const auto n = whole_number(said.samples->value, "samples", 2, largest_samples))
      simulation.samples = static_cast<int>(*n);
    if (said.times) complaints.add(said.times_key, "give samples or times, not both");
  }
  if (said.times) assemble_times(duration_known);
  const auto tolerance = [&](const std::optional<Definition>& number, double most, double& result) {
    if (!number) return;
    const std::optional<double> x = number_in(number->value, number->name);
    if (!x) return;
    if (is_between(*x, most)) {
      result = *x;
    } else {
      complaints.add(number->value.where, between_message(number->name, most));
    }
  };
  tolerance(said.rtol, 1, simulation.rtol);
  tolerance(said.atol, HUGE_VAL, simulation.atol);
  tolerance(said.rank_tolerance, 1, simulation.rank_tolerance);
  tolerance(said.max_step, HUGE_VAL, simulation.max_step);
  if (said.max_steps) {
    simulation.max_steps = whole_number(said.max_steps->value, "max_steps", 1, largest_steps)
                               .value_or(simulation.max_steps);
  }
  if (said.method) {
    simulation.method = said.method->text;
    simulation.method_where = said.method->where;
  }
  if (said.integrator) {
    simulation.integrator = said.integrator->text;
    simulation.integrator_where = said.integrator->where;
  }
  if (said.precision) {
    simulation.precision = said.precision->text;
    simulation.precision_where = said.precision->where;
  }
  if (said.project) simulation.project = *said.project;
  simulation.multipliers = said.multipliers.value_or(false);
}

void Assembly::assemble_times(bool duration_known) {
  const SimulationStatement& said = draft.simulation;
  if (said.times->empty()) {
    complaints.add(said.times_where, "times must not be empty");
    return;
  }
  std::vector<double> times;
  for (const Formula& item : *said.times) {
    const std::optional<double> t = number_in(item, "a time");
    if (!t) return;
    if (*t < 0 || (!times.empty() && *t <= times.back())) {
      complaints.add(item.where, "times must not be negative and must increase");
      return;
    }
    times.push_back(*t);
  }
  const Formula& end = said.times->back();
  const Expr last = *expression(end, places::number);
  if (times.back() == 0) {
    complaints.add(said.times_where, "the last of the times must be positive");
    return;
  }
  if (!duration_known) {
    model.simulation.duration = {last, end.where};
  } else if (!same(model.simulation.duration.expr, last)) {
    complaints.add(said.duration->where,
                   "with times, the duration is the last of them: leave it out");
    return;
  }
  model.simulation.times = std::move(times);
}

}  // namespace dalembert::model
