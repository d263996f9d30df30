#pragma once
/// Expressions whose functions have arguments in one form, so that equal ones are the same node.
/// Internal to the room.

#include <functional>
#include <span>
#include <vector>

#include "dalembert/expr/algebra_ring.hpp"

namespace dalembert::expr::algebra {

/// How the value of an argument is written.
using Writer = std::function<Expr(const Ring&, const Value&)>;

/// The roots with the arguments of all functions rewritten, innermost first. Arguments whose
/// algebra grows beyond `terms` stay as they are.
std::vector<Expr> with_canonical_arguments(std::span<const Expr> roots, Mode mode,
                                           std::size_t terms, const Writer& write);

}  // namespace dalembert::expr::algebra
