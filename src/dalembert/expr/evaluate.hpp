#pragma once
/// The value of an expression in double precision, for few evaluations: parameters, initial values,
/// explanations. Motions use a tape instead.

#include <functional>
#include <optional>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

using Values = std::function<double(const Symbol&)>;

/// The value of one operation on the values of its operands, as every evaluator of the program
/// computes it.
double evaluate_operation(const Expr& e, std::span<const double> args);

/// NaN and infinities come out as arithmetic gives them. O(nodes).
double evaluate(const Expr& e, const Values& values);

/// The innermost subexpression that is not finite though all its operands are, if there is one: the
/// culprit to show.
std::optional<Expr> first_not_finite(const Expr& e, const Values& values);

}  // namespace dalembert::expr
