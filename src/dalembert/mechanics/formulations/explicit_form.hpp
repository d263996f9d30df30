#pragma once
/// What the three explicit equations of Udwadia, Kalaba and others share: one way to show their
/// result,
///
///     q'' = M^-1 (Q + Q_ideal + Q_nonideal),
///     Q_ideal = A^T S^-1 (b - A M^-1 Q),    Q_nonideal = C - A^T S^-1 A M^-1 C,     S = A M^-1
///     A^T,
///
/// of independent constraints, and the stand-in M + A^T A, Q + A^T b where M is singular (theory
/// 9). Internal to the folder.

#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::mechanics {

/// M and Q, or M + A^T A and Q + A^T b where M is singular at the reference state.
struct Regular {
  Matrix M;
  std::vector<Expr> Q;
  bool augmented = false;
};
Regular regular(const Setting& s);

/// Fields every explicit form has: method, Z, choices.
Formulation explicit_formulation(const Setting& s, const Regular& regular, std::string method);

/// The steps that show M, Q, A, b, C and, where short enough to read, S, the two constraint forces
/// and the accelerations (U01.17 is such a result).
void show_result(const Setting& s, const Regular& regular, Formulation& f);

/// Unknowns by name, "a1", "a2", ...; added to f.unknowns.
std::vector<Expr> unknowns(Formulation& f, const std::string& name, std::size_t count);

}  // namespace dalembert::mechanics
