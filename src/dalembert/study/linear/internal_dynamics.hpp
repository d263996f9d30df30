#pragma once
/// What a system does beside the constraints that its inputs enforce, its internal dynamics:
/// whether it stays near rest when the reference stands still. If it does not, the inputs that keep
/// the constraints grow without bound along almost every motion.
///
/// Explicit time in servo constraints is held at the state's, the equilibrium or steady motion near
/// the state is looked for, and the motion linearised there.

#include <Eigen/Core>
#include <cstdint>
#include <string>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::study {

using flow::Motion;
using flow::State;

struct InternalDynamics {
  enum class Verdict : std::uint8_t {
    none,       ///< the constraints leave nothing free
    stable,     ///< all eigenvalues have negative real parts
    unstable,   ///< one has a positive one
    open,       ///< some lie on the imaginary axis, none beyond
    not_judged  ///< see `reason`
  };
  Verdict verdict = Verdict::none;
  Eigen::VectorXcd eigenvalues = {};  ///< of all states that are free, by falling real part
  std::string reason = {};            ///< a sentence
};

/// Of a motion whose model has servo constraints. Derives and compiles the model with its
/// reference at rest.
InternalDynamics find_internal_dynamics(const Motion& motion, const State& state);

}  // namespace dalembert::study
