#pragma once
/// What kind of constraints a model has: level, linearity, time dependence, and, exactly, whether
/// they are integrable.
///
/// Constraints linear in the velocities are forms  omega_j = sum_i Psi_ji dq_i + Psi_jt dt. A form
/// is exact if d_k Psi_i = d_i Psi_k and d_t Psi_i = d_i Psi_t (G5.25): its velocity form is the
/// rate of a function. The set is integrable (Frobenius) if the directions X_I = d_I + sum_D B_DI
/// d_D, X_t = d_t + sum_D B_Dt d_D that it allows in (q, t) are closed under brackets, that is if
/// Voronets' coefficients vanish identically. In any case, close these directions under brackets:
/// what is left outside the closure, k - rank of its part along the dependent coordinates, is the
/// number of holonomic combinations among the constraints, and a constraint is one of them if its
/// form vanishes on the closure. Tested jointly and for all q and t, never at a point (theory 2).

#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/mechanics/equations.hpp"

namespace dalembert::mechanics {

struct ConstraintClass {
  std::string name;
  Level level = Level::position;
  bool linear = true;      ///< in velocities (of level acceleration: in accelerations, always)
  bool rheonomic = false;  ///< time occurs in it
  bool catastatic = true;  ///< no term without velocities in its velocity form
  /// Whether it is, together with the others, the rate of a constraint on positions; nothing where
  /// that is not decided: not linear, of level acceleration, or beyond the algebra.
  std::optional<bool> integrable;
  bool exact = false;  ///< its form as written is exact
  /// Of level velocity, where one was found: a function whose differential is a multiple of the
  /// form, so that it is constant on the motion. The form itself if that is exact.
  std::optional<Expr> integral;
  /// A constraint on positions, or one that is integrable.
  bool holonomic() const { return integrable.value_or(false); }
};

/// A combination of constraints, with functions of (q, t) as weights, that is holonomic though no
/// constraint in it need be: rate = 0, linear in the velocities, is that of a constraint on
/// positions.
struct HolonomicCombination {
  Expr rate;
  std::optional<Expr> integral = {};  ///< constant on the motion, where one was found
};

struct Classification {
  std::vector<ConstraintClass> constraints;  ///< m, in the order of the model
  std::size_t linear_rank = 0;  ///< independent constraints among those linear in the velocities
  std::optional<std::size_t> holonomic_combinations;  ///< of those; nothing if not decided
  /// Those of them that are no combinations of constraints which are holonomic themselves.
  std::vector<HolonomicCombination> combinations = {};
  std::vector<std::size_t> growth;  ///< dimension of the allowed directions in (q, t), then of
                                    ///< their closure, step by step
  std::string not_decided;          ///< why, if something is not
};

/// `given`: a state that satisfies the constraints. The rank is judged at a generic one near it, on
/// the positions that the constraints allow, and what vanishes there counts as zero. What takes
/// more effort than there is patience for each constraint, and for all together, is not decided.
Classification classify(const model::Model& model, const Equations& eq, const expr::Values& given,
                        const expr::Patience& patience = {});

/// A function F with dF/dx_i = slopes_i for all i, found term by term and checked; nothing if none
/// was found.
std::optional<Expr> potential(const std::vector<Expr>& slopes, const std::vector<Expr>& x);

/// A function F with dF = mu sum slopes_i dx_i for some mu(x) that is not zero, found and checked
/// likewise: with the slope of some x_k divided out, d log mu = sum_i d(slopes_i)/dx_k dx_i is
/// tried, which is right wherever its right side has a potential.
std::optional<Expr> first_integral(const std::vector<Expr>& slopes, const std::vector<Expr>& x);

}  // namespace dalembert::mechanics
