#pragma once
/// Which constraints are independent, and which coordinates follow from which: of m constraints k
/// are independent (`rows`); the others are redundant and left out. The k constraints determine the
/// rates of k dependent coordinates D from those of the r = n - k independent ones I.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/mechanics/equations.hpp"

namespace dalembert::mechanics {

/// The entries of A in the row of a constraint.
std::span<const Entry> row_of_A(const Equations& eq, std::size_t constraint);

/// How the constraints of a model were split.
struct Split {
  /// Why the model's own choice was not taken: it names too many or too few, or they do not
  /// determine the others at the state.
  enum class Refusal : std::uint8_t { none, count, singular };

  std::vector<std::size_t> rows;         ///< k independent constraints, in the order of the model
  std::vector<std::size_t> redundant;    ///< the others
  std::vector<std::size_t> dependent;    ///< k coordinates, in the order of the model
  std::vector<std::size_t> independent;  ///< r = n - k coordinates; in the model's wish's order
  bool wished = false;                   ///< the model's own choice of [independent] was taken
  Refusal refusal = Refusal::none;       ///< none also where the model has no choice of its own
};

/// Rows and coordinates by elimination with complete pivoting of A at `values`, rows scaled to unit
/// length, columns by 1/sqrt(M_jj); earlier rows are preferred among those that serve. `rank`: as
/// many rows as that, else those with pivots above `tolerance`. The model's own [independent] is
/// taken where it can be, unless `own_choice`.
Split split_coordinates(const model::Model& model, const Equations& eq, const expr::Values& values,
                        std::optional<std::size_t> rank = {}, bool own_choice = false,
                        double tolerance = 1e-8);

}  // namespace dalembert::mechanics
