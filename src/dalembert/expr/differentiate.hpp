#pragma once
/// Derivatives of the shared graph, node by node and memoised: their size is a small multiple of
/// the graph's, never of the tree's. Where a function has a kink the derivative is the one-sided
/// mean: sign'(x) = 0, |x|' = sign(x), and min, max split the derivative in halves where both
/// arguments are equal.

#include <functional>
#include <span>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

/// ∂e/∂x for a symbol x. For many x use `gradient`. O(nodes).
Expr differentiate(const Expr& e, const Expr& x);

/// All ∂e/∂x_i at once, by one sweep from e down to the symbols (reverse mode): the results
/// together share O(nodes).
std::vector<Expr> gradient(const Expr& e, std::span<const Expr> symbols);

/// The rates of several expressions when each symbol s moves at `rate(s)`: Σ (∂e/∂s)·rate(s), by
/// one sweep from the symbols up (forward mode), shared between the roots. O(nodes).
std::vector<Expr> directional(std::span<const Expr> roots,
                              const std::function<Expr(const Symbol&)>& rate);

/// de/dt: coordinates become velocities, velocities accelerations, explicit time is included.
/// Throws std::invalid_argument if e contains a constraint force (`ideal.x`), which has no rate.
Expr time_derivative(const Expr& e);
inline Expr dot(const Expr& e) {
  return time_derivative(e);
}

}  // namespace dalembert::expr
