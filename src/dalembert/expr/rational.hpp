#pragma once
/// Exact rational numbers of any size (GMP), and their conversions to and from what people and
/// machines write.

#include <gmpxx.h>

#include <optional>
#include <string_view>

namespace dalembert::expr {

using Rational = mpq_class;

/// The exact value of a decimal literal: `12`, `0.1` (one tenth), `2.5e-3`, `.5`. Nothing for
/// anything else, and nothing when the decimal exponent is beyond ±10000, where no double could
/// hold the value.
std::optional<Rational> rational_from_decimal(std::string_view text);

/// The rational a person means by a finite double: the shortest decimal that rounds to it (0.1
/// gives one tenth, not its binary neighbour). Converting back gives the same double. Throws
/// std::invalid_argument if x is not finite.
Rational rational_from_double(double x);

/// The double nearest to r, ties to even; infinite when r is beyond the range.
double to_double(const Rational& r);

}  // namespace dalembert::expr
