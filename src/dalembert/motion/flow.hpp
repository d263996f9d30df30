#pragma once
/// The constrained motion of a model as an ordinary differential equation whose right-hand side is
/// one tape, elimination included, so that it can run in SIMD lanes.
///
///     y = (q, v):  v = q',          v' = q'' of the fundamental equation
///     y = (q, u):  q' = T(q,t) u + g(q,t),    u some of the velocities, the others following from
///                  the constraints; n - k of them, and velocity constraints hold by construction
///
/// The second, `reduced`, is taken where constraints are nonholonomic and linear in the velocities,
/// the velocities left out can be solved for everywhere, and its tape is shorter.
///
/// Tapes for m constraints of which the rows `rows` are independent. Each gives `doubt`: what it
/// computed can be trusted where doubt <= 1 (smallest pivot, and the residual of A q'' = b, each
/// against its limit); above, or where it is not a number, the rank-revealing path must be asked.

#include <optional>
#include <vector>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/motion/motion.hpp"

namespace dalembert::motion {

struct Flow {
  std::size_t n = 0;     ///< coordinates
  std::size_t size = 0;  ///< of y: n + u.size()
  bool reduced = false;  ///< y = (q, u)
  std::vector<std::uint32_t>
      u;  ///< the coordinates whose velocities follow q in y; all n of them if not reduced
  codegen::Tape derivative;  ///< t y -> y' (size) doubt
  codegen::Tape positions;  ///< t q v -> dq (n) largest scaled residual, doubt. Project by q += dq.
                            ///< No outputs: nothing to project
  codegen::Tape velocities;  ///< t q v -> dv (n) largest scaled rate, doubt. Likewise v += dv
  codegen::Tape sample;  ///< t y -> v q'' ideal nonideal (n each) kinetic potential h, outputs of
                         ///< the model, doubt
};

/// None where the mass matrix is singular, the constraints are contradictory, or the method is not
/// one that gives the mechanical motion; `start` tells which constraints are independent.
std::optional<Flow> make_flow(const Motion& motion, const State& start);

}  // namespace dalembert::motion
