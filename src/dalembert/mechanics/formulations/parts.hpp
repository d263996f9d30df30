#pragma once
/// What the formulations have in common when they derive and when they print. Internal to the
/// folder.

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/mechanics/formulations/formulation.hpp"

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

/// "x", "\phi" and the like for symbols and expressions in hand-written notation.
Notation written(const Expr& e);
/// prefix + symbol + suffix in both scripts.
Notation around(const Notation& before, const Expr& e, const Notation& after);
/// dF/dx as a fraction.
Notation partial(const std::string& F_text, const std::string& F_latex, const Expr& x);

/// left = tidied right; C of the model put in.
Formula show(const Setting& s, Notation left, const Expr& right, std::string number = {});
/// A formula without a right side, written out by hand.
Formula state(std::string text, std::string latex, std::string number = {});

/// left = right tidied, what is common to all accelerations on the left and never zero (sec, csc)
/// divided out. `accelerations`: the unknowns of the left side.
PrintedEquation print_equation(const Setting& s, std::string name, const Expr& left,
                               const Expr& right, const std::vector<Expr>& accelerations,
                               std::vector<std::string>& remarks);

/// The equations of motion left_r = right_r of r unknowns as the residuals and, if asked for, the
/// printed equations of f; `names` are what they belong to.
void set_equations(const Setting& s, Formulation& f, const std::vector<Expr>& left,
                   const std::vector<Expr>& right, const std::vector<std::string>& names);

/// The remark on which constraints were left out, and on the choice of coordinates.
void remark_on_reduction(const Setting& s, Formulation& f);
void remark_on_split(const Setting& s, Formulation& f);
void remark_on_quasi_velocities(const Setting& s, const QuasiVelocities& w, Formulation& f);

/// The steps that several formulations begin with.
Step split_step(const Setting& s);
Step quasi_velocity_step(const Setting& s, const QuasiVelocities& w);
Step force_step(const Setting& s, const std::vector<Expr>& forces,
                const std::vector<Notation>& names, std::string number, std::string sentence);

/// "x, y and phi".
std::string listed(const std::vector<std::string>& names);

}  // namespace dalembert::mechanics
