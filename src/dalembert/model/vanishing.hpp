#pragma once
/// Whether an expression of geometry is zero whatever the coordinates, parameters and time. What is
/// taken for zero without being so would be lost in silence, so that doubt says no.

#include <span>

#include "dalembert/expr/expr.hpp"

namespace dalembert::model {

using expr::Expr;

enum class Vanishing {
  no,        ///< it does not, or nothing tells that it does
  always,    ///< by exact algebra, or but for the rounding of the decimals that it is made of
  almost,    ///< within 1e-6 of its parts and beyond their rounding: numbers given with few digits
  one_sided  ///< by exact algebra where `side` is not negative, as |sin x| - sin x is
};

struct Vanished {
  Vanishing how = Vanishing::no;
  Expr side = 0;  ///< one_sided only
};

/// `parts` are what e is a sum or difference of, which tell its scale; without any its own terms
/// do. Rounding is told by numbers at arbitrary places, 1e-12 of the scale, and is believed only of
/// quotients of polynomials, sines, cosines and square roots: what is small in many places may be
/// large in others for min, max, abs, exp and the like.
Vanished vanishing(const Expr& e, std::span<const Expr> parts = {});

/// Shorthand for `always`.
bool is_identically_zero(const Expr& e);

}  // namespace dalembert::model
