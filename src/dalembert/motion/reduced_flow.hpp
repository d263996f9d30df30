#pragma once
/// The motion in coordinates and some of the velocities, y = (q, u): the constraints, linear in the
/// velocities, A v = a(q,t), are solved for the velocities left out,
///
///     v_D = A_D^-1 (a - A_I u) = e - E u,      q''_D = A_D^-1 (b - A_I u') = g - E u',
///     T = [1; -E]:   T^T M T u' = T^T (Q + C - M [0; g]),
///
/// which is Maggi's equation written out into a tape. Only where A_D can be eliminated with pivots
/// that no motion can make vanish: numbers and parameters.

#include <optional>
#include <vector>

#include "dalembert/codegen/tape_builder.hpp"
#include "dalembert/motion/motion.hpp"

namespace dalembert::motion {

struct Reduction {
  std::vector<std::size_t> independent;  ///< n - k coordinates, in the order of the model
  std::vector<std::size_t> dependent;    ///< k, dependent[j] solved for by rows[j]
  std::vector<std::size_t> rows;         ///< k constraints in the order of elimination
  std::vector<expr::Expr> inputs;        ///< t, q, velocities of `independent`
  codegen::Tape derivative;              ///< t q u -> q' u' doubt
};

/// None where constraints are not all nonholonomic and linear in the velocities, where no such
/// pivots are found, or where the tape is not shorter than `rival`.
std::optional<Reduction> reduce(const Motion& motion, const State& start,
                                const std::vector<std::size_t>& rows, const codegen::Tape& rival);

/// Defines the dependent velocities in a tape whose inputs are those of the reduction.
void define_velocities(codegen::TapeBuilder& tape, const mechanics::Equations& eq,
                       const Reduction& reduction);

}  // namespace dalembert::motion
