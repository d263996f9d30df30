#pragma once
/// Equilibria and steady motions near a state: accelerations of the independent velocities are
/// made zero by the method of Levenberg and Marquardt in a chart of the constraints, with exact
/// derivatives,
///
///     min |W a_I(q_I, v_I)|^2,     (J^T W^2 J + mu D) ds = -J^T W^2 a_I,     mu -> 0,
///
/// which steps along the rows of J only: where solutions form families, as with cyclic coordinates,
/// it goes to one nearby.

#include <string>

#include "dalembert/expr/result.hpp"
#include "dalembert/study/linear/linearise.hpp"

namespace dalembert::study {

struct Equilibrium {
  State state;
  Steadiness steadiness = Steadiness::equilibrium;
};

/// Tried in turn: velocities as they are in `guess`, those that cannot be steady (of coordinates
/// on which the accelerations depend) set to zero; then all of the others free; then rest. Fails
/// with a sentence that says what was left. `guess` lies on the constraints.
expr::Result<Equilibrium, std::string> find_equilibrium(const Motion& motion, const State& guess);

}  // namespace dalembert::study
