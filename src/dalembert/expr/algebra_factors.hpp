#pragma once
/// Products and sums as people write them: one sign in front, common factors before a sum. Internal
/// to the room.

#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr::algebra {

/// Π list, with one minus sign taken into the sum where that makes the product read better.
Expr signed_product(const std::vector<Expr>& list);

/// The factors that all terms of a sum share, then the sum of what is left of them.
std::vector<Expr> with_common_factors(const std::vector<Expr>& list);

}  // namespace dalembert::expr::algebra
