#pragma once
/// What the formulations have in common when they derive and when they tell. Internal to the
/// folder.

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/mechanics/formulations/formulation.hpp"
#include "dalembert/mechanics/formulations/quasi_velocities.hpp"

namespace dalembert::mechanics {

/// Of solving for accelerations and constraint forces to show them: what takes longer, half a
/// second, comes out too long to read.
inline constexpr double most_effort_to_solve = 2e6;

/// d/dt of several expressions along a motion on which q moves at `velocities` (n), each auxiliary
/// and each velocity s at `rates.at(s)` (0 if not there), and time at 1.
std::vector<Expr> along(std::span<const Expr> list, const Setting& s,
                        const std::vector<Expr>& velocities, const expr::ExprMap& rates);

/// Lagrange's left sides d/dt dT/dq_i' - dT/dq_i by differentiation of T, accelerations q''.
std::vector<Expr> lagrange_left(const Setting& s);

/// The directions q_I'' leaves: Z = [1; B] in the order of the coordinates, n x r.
Matrix split_directions(const Setting& s);
/// q'' = Z a + (0; z) for given accelerations a (r) of the independent coordinates.
std::vector<Expr> split_accelerations(const Setting& s, const std::vector<Expr>& a);

/// q' on linear constraints by q_I' (n): q_I' as they are, q_D' = B q_I' + B_t.
std::vector<Expr> split_velocities(const Setting& s);

/// The differentiated constraints as the last k equations of a formulation whose first n are along
/// the coordinates and whose unknowns begin with q''; and the certificate: Z^T of the first, 1 for
/// the others.
void complete_by_constraints(const Setting& s, Formulation& f);

/// The frame of a formulation in the free accelerations q_I'', constraints put in.
Formulation by_free_accelerations(const Setting& s);

/// q' on the constraints, Phi_I u + Phi_t (n), from the first r columns of Phi.
std::vector<Expr> constrained_velocities(const Setting& s, const QuasiVelocities& w);
/// The first r columns of Phi.
Matrix free_columns(const Setting& s, const QuasiVelocities& w);
/// sum_i (Q^a_i + C_i) Z_ir with the velocities replaced by `velocities` if there are any: r.
std::vector<Expr> projected_forces(const Setting& s, const Matrix& Z,
                                   const std::vector<Expr>& velocities);
/// e with q' replaced by `velocities` (n).
Expr with_velocities(const Setting& s, const Expr& e, const std::vector<Expr>& velocities);
std::vector<Expr> with_velocities(const Setting& s, const std::vector<Expr>& list,
                                  const std::vector<Expr>& velocities);

/// Short form for people, collected by velocities, accelerations and auxiliaries.
Expr tidy(const Expr& e);

/// An index that counts, from 0 on here, from 1 on for the reader.
Expr ordinal(std::size_t i);
/// A fact whose value is tidied, C of the model put in.
Fact fact(const Setting& s, Quantity quantity, std::vector<Expr> indices, const Expr& value);

/// left = right tidied, what is common to all accelerations on the left and never zero (sec, csc)
/// divided out. `accelerations`: the unknowns of the left side.
PrintedEquation print_equation(const Setting& s, std::string name, const Expr& left,
                               const Expr& right, const std::vector<Expr>& accelerations,
                               std::vector<Choice>& choices);

/// The equations of motion left_r = right_r of r unknowns as the residuals and, if asked for, the
/// printed equations of f; `names` are what they belong to.
void set_equations(const Setting& s, Formulation& f, const std::vector<Expr>& left,
                   const std::vector<Expr>& right, const std::vector<std::string>& names);

/// Which constraints were left out, if any; that coordinates were split; which quasi-velocities
/// were taken, if not the model's.
void note_reduction(const Setting& s, Formulation& f);
void note_split(Formulation& f);
void note_quasi_velocities(const Setting& s, const QuasiVelocities& w, Formulation& f);

/// The steps that several formulations begin with.
Step split_step(const Setting& s);
Step quasi_velocity_step(const Setting& s, const QuasiVelocities& w);
}  // namespace dalembert::mechanics
