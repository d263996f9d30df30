#pragma once
/// The forces that make a constrained system accelerate as given: u along some coordinates, with
///
///     M a = Q + C + S u + A^T lambda,     A a = b.
///
/// With the columns of Z a basis of the directions that A allows, Z^T S u = Z^T (M a - Q - C): u of
/// minimum norm where several serve, as where reactions can take a part.

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::study {

struct InverseDynamics {
  Eigen::VectorXd u;      ///< one for each coordinate asked for
  Eigen::VectorXd ideal;  ///< A^T lambda, n
  bool unique = true;     ///< whether u is the only answer
  std::string problem;    ///< why there is none; then u and ideal are not numbers
};

/// `along`: coordinates by index. C must not depend on the constraint force: then how much of it
/// reactions bear decides C, and the problem says so. Allocates. O(n^3).
InverseDynamics inverse_dynamics(const flow::Motion& motion, const flow::State& state,
                                 std::span<const double> acceleration,
                                 std::span<const std::size_t> along);

}  // namespace dalembert::study
