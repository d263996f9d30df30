#pragma once
/// What Suslov's and Voronets' equations share: the kinetic energy with the dependent velocities
/// put in, and Lagrange's operator on it,
///
///     d/dt dT0/dq_I' - dT0/dq_I - sum_D dT0/dq_D B_DI,       p_D = dT/dq_D' on the constraints.
///
/// Internal to the folder.

#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::mechanics {

struct SplitForm {
  std::vector<Expr> velocities;  ///< n: q_I' as they are, q_D' = phi_D(q, q_I', t)
  std::vector<Expr> phi;         ///< k: phi_D
  Expr T0;
  std::vector<Expr> momenta;  ///< k: p_D, from the unconstrained T
  std::vector<Expr> left;     ///< r: the operator above
  std::vector<Expr> forces;   ///< r: Q0_I, C included (G5.213)
  Matrix Z;
};

/// The constraints must be linear.
SplitForm split_form(const Setting& s, const std::vector<Expr>& accelerations);

/// The formulation's frame: unknowns q_I'', velocities, accelerations, Z, choices and, if asked
/// for, the first steps.
Formulation split_formulation(const Setting& s, const SplitForm& form, std::string method,
                              const std::vector<Expr>& accelerations);

/// The symbols q_I''.
std::vector<Expr> independent_accelerations(const Setting& s);
std::vector<std::string> independent_names(const Setting& s);

/// Why the split formulations do not serve this model; nothing if they do.
std::optional<std::string> split_objection(const Setting& s, std::string_view method);

}  // namespace dalembert::mechanics
