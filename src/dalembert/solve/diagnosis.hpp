#pragma once

/// What the numerics of M q'' = Q + Q_ideal + Q_nonideal, A q'' = b can object to, and the evidence
/// for it.

#include <Eigen/Core>
#include <string_view>

#include "dalembert/solve/rooms.hpp"

namespace dalembert::solve {

enum class Status {
  ok,
  size_mismatch,           ///< only from the free functions: the arrays do not fit together
  weights_not_positive,    ///< not one positive finite weight a row
  mass_not_finite,         ///< M has a NaN or an infinity
  mass_asymmetric,         ///< M differs from its transpose
  mass_indefinite,         ///< some motion has negative kinetic energy: v^T M v < 0
  mass_undetermined,       ///< rank [M; A] < n: neither inertia nor constraints fix q''
  constraints_not_finite,  ///< A or b has a NaN or an infinity
  force_not_finite,        ///< Q or C has a NaN or an infinity
  result_not_finite,       ///< overflow, or a row held as independent has become dependent
  result_inaccurate,       ///< rounding leaves too little of the solution, or hides a row
  /// Only from an Evaluator: the friction of joints leaves their reactions no value, or more than
  /// one (flow/friction.hpp).
  friction_undetermined,
  formulation_failed  ///< only from an Evaluator: the formulation asked for has no solution here
};

std::string_view to_string(Status status);  ///< "ok", "mass-indefinite", ...

/// Filled by the call that returned a status other than ok.
struct Diagnosis {
  Status status = Status::ok;
  char symbol = ' ';      ///< the array at fault: M, A, b, Q, C, or w for the weights; else ' '
  int row = -1;           ///< the entry at fault
  int column = -1;        ///< -1 for vectors
  double value = 0;       ///< the entry at fault
  double eigenvalue = 0;  ///< v^T M v if mass_indefinite; v^T (M + A^T W A) v if mass_undetermined
  /// v (n). mass_indefinite: scaled to v^T diag|M| v = 1, so that eigenvalue is the most negative
  /// one of M scaled to unit diagonal. mass_undetermined: M v = 0 and A v = 0 but for rounding;
  /// largest component 1.
  Eigen::VectorXd direction;
};

}  // namespace dalembert::solve
