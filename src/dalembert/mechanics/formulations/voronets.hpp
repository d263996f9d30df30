#pragma once
/// The curvature of linear velocity constraints, q_D' = B q_I' + B_t: Voronets' coefficients. With
/// the vector fields X_I = d_I + sum_D B_DI d_D and X_t = d_t + sum_D B_Dt d_D that span the
/// directions the constraints allow in (q, t),
///
///     [X_J, X_I] = sum_D beta^D_IJ d_D,      [X_t, X_I] = sum_D beta^D_I d_D,
///
/// so that they vanish exactly when the constraints are integrable (Frobenius).

#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

struct Curvature {
  std::vector<Matrix> beta;               ///< k times r x r
  std::vector<std::vector<Expr>> beta_t;  ///< k times r
};

/// The constraints must be linear.
Curvature curvature(const Setting& s);

}  // namespace dalembert::mechanics
