#pragma once
/// The whole solution of the fundamental equation at a state as one tape, for motions small enough
/// (flow/tapes/eliminated_system.hpp):
///
///     t q v -> q'' ideal nonideal (n each), power of the applied, ideal, non-ideal and other
///     forces, doubt
///
/// It holds where doubt <= 1, and where the constraints `rows` are the independent ones.

#include <optional>
#include <vector>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

struct SolutionTape {
  codegen::Tape tape;
  std::vector<std::size_t> rows;  ///< in order
};

/// None where short_equations gives none. What is made depends on `rows`, not on the state
/// otherwise.
std::optional<SolutionTape> solution_tape(const Motion& motion, const State& start,
                                          std::optional<std::vector<std::size_t>> rows = {});

}  // namespace dalembert::flow
