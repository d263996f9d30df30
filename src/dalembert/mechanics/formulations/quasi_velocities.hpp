#pragma once
/// Quasi-velocities, and names for the symbols that a formulation adds.

#include <string>
#include <vector>

#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

/// Names that neither the model nor its quasi-velocities bear: the first of `stems` that is free
/// with 1, ..., count behind it.
std::vector<std::string> free_names(const model::Model& model,
                                    const std::vector<std::string>& stems, std::size_t count);

/// Quasi-velocities u_j = Psi_j q' + Psi_jt, j = 1..n, the last k being the constraints; q' = Phi u
/// + Phi_t. (G5.43, 50, 51, 61-65)
struct QuasiVelocities {
  std::vector<Expr> u;       ///< n symbols
  std::vector<Expr> u_rate;  ///< n symbols
  Matrix Psi;                ///< n x n
  std::vector<Expr> Psi_t;   ///< n
  Matrix Phi;                ///< n x n
  std::vector<Expr> Phi_t;   ///< n
  bool from_model = false;   ///< else u_r = q_I'
};

/// The model's quasi-velocities, or q_I' where it has none (or they do not serve at the reference
/// state). The constraints must be linear. Fails in one line.
Result<QuasiVelocities, std::string> quasi_velocities(const Setting& setting);

}  // namespace dalembert::mechanics
