#pragma once
/// A motion linearised at an equilibrium or along a steady motion, in independent coordinates and
/// velocities s = (q_I, v_I) and inputs u (study/linear/local_system.hpp):
///
///     ds' = A ds + B du,     dy = C ds + D du.
///
/// In an equilibrium all velocities are zero. In a steady motion the independent velocities are
/// constant and the coordinates that move are cyclic: moved along, the system finds itself in the
/// same situation. It is followed for a while along its own path and asked again.

#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/study/linear/local_system.hpp"
#include "dalembert/study/linear/spectrum.hpp"

namespace dalembert::study {

enum class Steadiness { equilibrium, steady_motion, moving };

struct Linearisation {
  State point;
  Steadiness steadiness = Steadiness::equilibrium;
  /// Whether A changes along the motion: eigenvalues are then those of one instant.
  bool varies = false;
  /// Whether explicit time is why.
  bool depends_on_time = false;
  std::vector<std::string> moving;  ///< coordinates whose velocities are not zero
  std::vector<std::string> states, inputs, outputs;
  Eigen::MatrixXd A, B, C, D;
  Spectrum spectrum;
  int position_rank = 0, velocity_rank = 0;  ///< coordinates and velocities that depend on others
  std::vector<std::string> kinks;            ///< where derivatives are one-sided means
};

struct LinearisationOptions {
  std::vector<std::string> inputs;  ///< parameters, by name
  bool any_state = false;           ///< a state that is not steady will do
};

/// At a state on the constraints. Fails with a sentence that says why: the motion is not steady,
/// M is singular there, an input moves a constraint ...
/// Throws std::invalid_argument where an input is no parameter.
expr::Result<Linearisation, std::string> linearise(const Motion& motion, const State& state,
                                                   const LinearisationOptions& options = {});

/// Accelerations below this part of what their terms could make of them count as none.
inline constexpr double steady_tolerance = 1e-9;

/// How a state moves on. `system` has looked at it and is left where it was; `why` tells what is
/// not steady, if it is not null.
Steadiness steadiness_of(const Motion& motion, LocalSystem& system, const State& state,
                         std::string* why = nullptr, bool* varies = nullptr);

/// What readers call inputs: the model's, by name.
std::vector<std::string> inputs_of(const model::Model& model);

}  // namespace dalembert::study
