#pragma once
/// The constrained motion of a model as an ordinary differential equation whose right-hand side is
/// one tape, elimination included, so that it can run in SIMD lanes.
///
///     y = (q, v):  v = q',                       v' = q'' of the fundamental equation
///     y = (q, u):  q' = T(q,t) u + g(q,t),       n - k quasi-velocities u, so that velocity
///                                                constraints hold by construction
///
/// The second, `reduced`, is taken where all constraints are nonholonomic and linear in the
/// velocities, and its tape is the cheaper one.
///
/// Tapes for m constraints of which as many are independent as at the start. Each gives `doubt`:
/// what it computed can be trusted where doubt <= 1 (every pivot, and the residual of A q'' = b,
/// within its limit); above, or where it is not a number, the rank-revealing path must be asked.

#include <optional>
#include <string>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/tapes/short_equations.hpp"

namespace dalembert::flow {

struct Flow {
  std::size_t n = 0;     ///< coordinates
  std::size_t size = 0;  ///< of y: n + velocities, or quasi-velocities
  bool reduced = false;  ///< y = (q, u)
  std::string form;      ///< how the equations were written: "m-inverse", "suslov" ...
  /// t y -> y' (size), doubt, doubt on the constraints: the second counts the rows taken for
  /// dependent too, which fit only there, and is to be asked at the start of a step.
  codegen::Tape derivative;
  codegen::Tape rates;  ///< t q v -> u (size - n), to get y from a state; v itself if not reduced
  /// t q v -> dq (n), largest scaled residual, doubt: q += dq is a step of Newton's towards the
  /// position constraints in the kinetic metric. No outputs: nothing to project.
  codegen::Tape positions;
  /// t q v -> dv (n), largest scaled rate, doubt: likewise v += dv. Of a reduced flow to measure
  /// only.
  codegen::Tape velocities;
  /// t y -> v q'' ideal nonideal (n each) kinetic potential h, Motion::outputs, diagonal of M (n),
  /// doubt
  codegen::Tape sample;
  std::vector<std::size_t> recorded;  ///< which of Motion::outputs samples have: all, see FlowScope
  /// t y -> power of the applied, ideal, non-ideal and other forces, doubt
  codegen::Tape powers;
  /// t q -> doubt: above 1, or not a number, where a condition of the model (model::Condition) does
  /// not hold. No outputs: there are none.
  codegen::Tape conditions;
  /// t q v -> n numbers for each independent constraint on positions: its row of A in the kinetic
  /// metric, less its part along those before it (EliminatedSystem::heights). They vanish together
  /// where the constraint becomes dependent on those.
  codegen::Tape heights;
};

/// 2 where a condition does not hold, else 0, of t q: Flow::conditions. No outputs: there are none.
codegen::Tape conditions_tape(const std::vector<model::Condition>& conditions,
                              const mechanics::Equations& eq);

/// Whether a constraint has a function of t alone that may jump, or whose derivative may.
/// Velocities jump with it, and who goes on behind it must ask whether the state still fits.
bool constraints_may_jump(const mechanics::Equations& eq);

/// None where the mass matrix is singular, the constraints are contradictory, the system is too
/// large for straight code, a constraint may jump in t, joints have friction, an output contains a
/// multiplier that is not unique, or the method is another than m-inverse; `start` tells which
/// constraints are independent. `scope` lets more in.
std::optional<Flow> make_flow(const Motion& motion, const State& start,
                              const FlowScope& scope = {});

}  // namespace dalembert::flow
