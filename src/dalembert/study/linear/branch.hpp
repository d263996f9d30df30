#pragma once
/// A branch of equilibria or steady motions along a parameter p: with the velocities that the
/// model's initial values give at p, the curve of
///
///     a_I(q_N, p) = 0,     q_N the independent coordinates that accelerations depend on,
///
/// is followed by its arc length (Keller's method), so that folds are no obstacle: a step along the
/// tangent, Newton's steps across it. Where the number of eigenvalues with positive real parts, or
/// the direction in p, changes between two points, the place is found by bisection of the arc.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/study/linear/equilibrium.hpp"

namespace dalembert::study {

struct BranchRequest {
  std::string along;  ///< a parameter
  double from = 0, to = 1;
  int points = 51;  ///< about as many, if the branch does not turn back
  std::map<std::string, std::string> settings = {};
  flow::GivenValues given = {};
};

struct BranchPoint {
  /// "start", "regular", "end"; "fold": p turns back; "hopf": a pair of eigenvalues crosses the
  /// imaginary axis; "crossing": a real eigenvalue passes zero, where branches may meet.
  std::string kind;
  double parameter = 0;
  State state;
  Steadiness steadiness = Steadiness::equilibrium;
  int unstable = 0;  ///< eigenvalues with a positive real part
  Eigen::VectorXcd eigenvalues;
};

struct Branch {
  std::vector<BranchPoint> points;
  bool complete = false;  ///< it left [from, to]
  std::string reason;     ///< why it did not
};

/// Fails with a sentence where there is no such parameter, or no equilibrium near the start at
/// `from`.
expr::Result<Branch, std::string> follow_branch(const Motion& motion, const BranchRequest& request);

}  // namespace dalembert::study
