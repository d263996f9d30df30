#pragma once
/// Angles without jumps. atan2 has one at half a turn, which the angle of a hinge does not: where
/// the coordinates contain the angle, as th - ph, that is the angle, whatever its size.

#include <optional>

#include "dalembert/expr/expr.hpp"

namespace dalembert::model {

using expr::Expr;

/// A smooth function whose sine and cosine are y and x, up to one factor, for all values of their
/// symbols: a combination, with rational coefficients, of the angles whose sines and cosines x and
/// y are made of, and a constant. Proven by exact algebra; nothing where there is none, as in
/// components of a quaternion.
std::optional<Expr> smooth_angle(const Expr& y, const Expr& x);

/// The angle with sine y and cosine x, up to one positive factor, that is nearest to `near`: within
/// half a turn of it, and smooth there.
Expr angle_near(const Expr& y, const Expr& x, const Expr& near);

}  // namespace dalembert::model
