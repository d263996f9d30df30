#pragma once
/// The equations of motion linearised at the initial state of a model, symbolically in its
/// parameters. With all derivatives at that state, accelerations a and multipliers lambda held,
///
///     R = Q + C + A^T lambda - M a,     h = b - A a,
///     Z^T M Z da_I = Z^T (R_q dq + R_v dv + R_u du) - Z^T M (0; A_D^-1 (h_q dq + h_v dv)),
///
/// where dq and dv are those changes that the constraints allow, by independent ones,
///
///     phi_q dq = 0,     psi_q dq + A dv = 0,      Z = (1; -A_D^-1 A_I).
///
/// The state must be an equilibrium or a point of a steady motion, which is not looked at here.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/mechanics/equations.hpp"
#include "dalembert/mechanics/matrix.hpp"

namespace dalembert::mechanics {

struct LinearEquations {
  std::vector<Expr> q, v;  ///< the state, expressions of parameters (n each)
  /// Coordinates whose changes are independent, and those whose rates are.
  std::vector<std::size_t> positions, velocities;
  std::vector<std::string> inputs;            ///< parameters
  Matrix inertia;                             ///< Z^T M Z, r x r
  Matrix by_position, by_velocity, by_input;  ///< of its right side
  /// The rates of the independent positions by independent positions and velocities: the rows of
  /// those that are not velocities of the state themselves.
  Matrix rate_by_position, rate_by_velocity;
};

/// Pivots are judged at `values`, the initial state in numbers. Nothing where they vanish, and
/// where the law of C depends on the ideal force or joints rub.
std::optional<LinearEquations> linear_equations(const model::Model& model, const Equations& eq,
                                                const expr::Values& values);

}  // namespace dalembert::mechanics
