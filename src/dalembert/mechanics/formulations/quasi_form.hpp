#pragma once
/// What the equations in quasi-velocities share: the kinetic energy by u, and Lagrange's operator
/// on the constrained one,
///
///     d/dt dT*/du_r - dT*/dtheta_r,     dT*/dtheta_r = sum_i dT*/dq_i Phi_ir   (G5.144),   r <= n
///     - k.
///
/// Internal to the folder.

#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::mechanics {

struct QuasiForm {
  QuasiVelocities w;
  std::vector<Expr> velocities;  ///< n: q' = Phi_I u_I + Phi_t
  Matrix Z;                      ///< Phi_I, n x r
  Expr T_star;                   ///< constrained: u_j = 0 for the constraints
  std::vector<Expr> left;        ///< r: the operator above
  std::vector<Expr> forces;      ///< r: Q_r, C included
  std::vector<Expr> momenta_q;   ///< n: dT/dq_i' of the unconstrained T, on the constraints
  std::vector<Expr> momenta_u;   ///< n: dT*/du_j of the unconstrained T*, on the constraints
};

Result<QuasiForm, std::string> quasi_form(const Setting& s, std::string_view method);

/// Theta (T.2), n x r: d(dq_i)/dt - d(q_i') = sum_r Theta_ir dtheta_r if variation and derivative
/// commute for the theta. Needs derivatives of Phi only.
Matrix transpositions(const Setting& s, const QuasiForm& form);
Step transposition_step(const Setting& s, const Matrix& Theta);
/// dT*/du_j, all n.
Step momentum_step(const Setting& s, const QuasiForm& form);

/// The formulation's frame: unknowns u_r', velocities, accelerations, Z, choices and, if asked for,
/// the first steps.
Formulation quasi_formulation(const Setting& s, const QuasiForm& form, std::string method);
/// Adds left_r = Q_r as the equations of motion, and the step that is their law.
void finish(const Setting& s, const QuasiForm& form, Formulation& f, const std::vector<Expr>& left);

}  // namespace dalembert::mechanics
