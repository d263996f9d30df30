#include "dalembert/flow/instants/start.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/flow/instants/row_system.hpp"
#include "dalembert/flow/state/initial_state.hpp"

namespace dalembert::flow {

Penetration find_penetration(const Motion& motion, const State& state) {
  Penetration result;
  const InstantKernels& kernels = *motion.instants();
  if (kernels.contacts == 0) return result;
  RowSystem system(motion);
  const std::vector<double> no_acceleration;
  Modes modes(kernels.elements.size());
  /// Closes those that are penetrated; false if there are none.
  const auto close = [&](const State& at, double tolerance, bool note) {
    const RowSystem::Sight sight = system.look(at.t, at.q, at.v, no_acceleration);
    bool any = false;
    for (std::size_t i = 0; i < kernels.contacts; ++i) {
      const TouchElement& element = kernels.elements[i];
      const double gap = sight.gap(element), scale = sight.scales[element.gap - sight.first];
      if (gap >= -tolerance * scale || modes[i].closed()) continue;
      if (note) result.contacts.push_back({element.index, gap});
      modes[i].hold = Hold::smooth;
      any = true;
    }
    return any;
  };
  if (!close(state, initial_tolerance, true)) return result;
  for (const Penetration::At& at : result.contacts) {
    if (!std::isfinite(at.gap)) return result;
  }
  State nearest = state;
  do {
    if (!system.project_positions(nearest.t, nearest.q, nearest.v, modes, nullptr)) return result;
  } while (close(nearest, initial_tolerance, false));
  const Modes open(kernels.elements.size());
  if (system.project_velocities(nearest.t, nearest.q, nearest.v, open, nullptr))
    result.nearest = std::move(nearest);
  return result;
}

}  // namespace dalembert::flow
