#pragma once
/// What a derivation passes through, as facts: which quantity, at which indices, has which value.
/// Nothing here is said in words or typeset; `report` does that.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::mechanics {

using expr::Expr;

/// What a fact is about. Indices, in the order given here, are symbols (q a coordinate, v its
/// velocity, u a quasi-velocity) or numbers from 1 on (j, l of constraints, r of free directions).
enum class Quantity : std::uint8_t {
  symbol,                  ///< the index itself: a velocity, an acceleration, a multiplier
  zero_velocity,           ///< u: a quasi-velocity that the constraints keep at 0
  velocity_by_u,           ///< v: q' by the quasi-velocities
  variation,               ///< q: dq
  mass,                    ///< q, q: M
  force,                   ///< q or r: Q
  split_force,             ///< q: Q0 of an independent coordinate, the dependent ones put in
  slope,                   ///< j, q: A
  right_side,              ///< j: b
  compliance,              ///< j, l: S = A M^-1 A^T
  violation,               ///< j: e = b - A M^-1 Q
  ideal_force,             ///< q: Q_ideal
  nonideal_force,          ///< q: Q_nonideal
  kinetic_by_u,            ///< T* by the quasi-velocities
  kinetic_split,           ///< T0, the dependent velocities put in
  momentum,                ///< v: dT/dv
  momentum_by_u,           ///< u: dT*/du
  hamel,                   ///< number of a quasi-velocity, r, r: gamma
  hamel_of_time,           ///< number of a quasi-velocity, r: gamma
  voronets,                ///< dependent q, independent q, independent q: beta
  voronets_of_time,        ///< dependent q, independent q: beta
  transposition,           ///< q, v: d(dq)/dt - d(q')
  gauss_function,          ///< G
  energy_of_acceleration,  ///< S of Gibbs and Appell
  multiplier_sum,          ///< sum_j mu_j f_j
};

struct Fact {
  Quantity quantity;
  std::vector<Expr> indices;
  Expr value;
};

/// Which step of a derivation; what it lists are its facts.
enum class StepKind : std::uint8_t {
  law,                          ///< what the method sets up, in general symbols; no facts
  matrices,                     ///< M, Q, A, b where not zero
  constraint_forces,            ///< S, e, Q_ideal, Q_nonideal
  solved_accelerations,         ///< q'' = free + ideal + non-ideal part
  dependent_velocities,         ///< q_D' by q_I'
  quasi_velocities,             ///< u by q', q' by u
  virtual_displacements,        ///< dq = Z dw; nothing without constraints
  kinetic_energy_by_u,          ///< T*
  kinetic_energy_split,         ///< T0
  virtual_work_by_u,            ///< Q_r under dq = Phi dtheta
  virtual_work_split,           ///< Q0_I under dq_D = B dq_I
  momenta,                      ///< of the unconstrained T, on the constraints
  hamel_coefficients,           ///< those that are not zero
  voronets_coefficients,        ///< those that are not zero
  transpositions_of_all,        ///< (T.2): variations commute for the quasi-coordinates
  transpositions_of_dependent,  ///< (T.3): they commute for q_I; then the momenta of q_D
  allowed_accelerations,        ///< q_D'' by q_I''
  free_accelerations,           ///< q'' by the free ones
  gauss_function,
  energy_of_acceleration,
  augmented_lagrangian,
};

struct Step {
  StepKind kind;
  std::vector<Fact> facts = {};
};

// Choices that a derivation made, for the reader to know.

/// Constraints that are redundant beside the others (Split::redundant) were left out.
struct ConstraintsLeftOut {};
/// Coordinates were split into independent and dependent ones (Setting::split).
struct CoordinatesSplit {};
/// u_r = q_I' were taken for quasi-velocities.
struct QuasiVelocitiesTaken {
  std::vector<Expr> u;    ///< r of them, in the order of Split::independent
  bool model_had_others;  ///< which are singular at the reference state
};
/// The virtual displacements are those of the model's quasi-velocities.
struct DirectionsOfModel {};
/// M is singular; M + A^T A and Q + A^T b stand in for M and Q, unless that is singular too.
struct MassReplaced {
  bool singular_too;
};
/// An equation is printed multiplied by a factor that is never zero.
struct EquationMultiplied {
  std::string of;  ///< PrintedEquation::name
  Expr factor;
};
/// A multiplier belongs to a constraint of the model.
struct MultiplierBelongs {
  Expr multiplier;
  std::size_t constraint;
};

using Choice = std::variant<ConstraintsLeftOut, CoordinatesSplit, QuasiVelocitiesTaken,
                            DirectionsOfModel, MassReplaced, EquationMultiplied, MultiplierBelongs>;

}  // namespace dalembert::mechanics
