#pragma once
/// Whether a motion starts in a singular configuration of its position constraints.

#include <optional>

#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/projection.hpp"

namespace dalembert::flow {

/// The rank of the position constraints at a start in a singular configuration: along its
/// velocities they have a higher one. None elsewhere, and where it cannot be told. Evaluates more
/// than once only where rows are dependent at the start; allocates.
std::optional<int> singular_start_rank(const Motion& motion, Evaluator& evaluator,
                                       Projector& projector, const State& start);

}  // namespace dalembert::flow
