#pragma once
/// Values of the ring as people write them. Internal to the room.

#include <functional>

#include "dalembert/expr/algebra_ring.hpp"

namespace dalembert::expr::algebra {

struct Style {
  /// Whether terms are collected by powers of this symbol.
  std::function<bool(const Expr&)> collects;
  /// How the argument of a sine is written.
  std::function<Expr(const Expr&)> argument;
};

/// A sum over products of the collected symbols. Each coefficient is a product of irreducible
/// factors or a sum over functions with factored coefficients, whichever is shorter; in each of
/// these the identities of sines and cosines are used where they make it shorter. Terms with the
/// same denominator stand over one line. The result depends on the value only, up to the choice of
/// base angles.
Expr display(const Ring& ring, const Value& v, const Style& style);

/// How much there is to read in an expression as text: symbols, numbers, powers and functions, and
/// parentheses inside parentheses.
double reading_cost(const Expr& e);

}  // namespace dalembert::expr::algebra
