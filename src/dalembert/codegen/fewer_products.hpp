#pragma once
/// The same rates by fewer products. In a series (codegen/series.hpp) every product, quotient or
/// function of what varies is a sum over all orders, while a factor of parameters or a sum costs no
/// more than it does in f. So a tape is written anew before its series is made:
///
///   * Sums and products are multiplied out to sums of monomials, c x^i y^j / z, as far as a limit
///     on their number allows; c of constants and parameters alone, x, y, z inputs, functions, or
///     sums that stay as they are.
///   * The pair of factors found in most monomials becomes a value of its own, again and again: a
///     reciprocal joins a factor, x (1 / z) is x / z.
///   * A factor common to several terms of a sum is taken out.
///
/// What is best differs from tape to tape: several limits and orders of these are tried, and the
/// cheapest tape is taken, by the cost of its series. Values differ from those of f by rounding.

#include "dalembert/codegen/series.hpp"

namespace dalembert::codegen {

/// Of an order of the series: 1 a sum of products, half of it for a square, and a tenth for each
/// operation.
double series_cost(const Series& series);

/// `f`: t y -> y' (as many as y), and whatever else, which is computed as it was. Long tapes are
/// given back as they are.
Tape fewer_products(const Tape& f);

/// The series of the cheapest form of f.
Series make_short_series(const Tape& f, bool exact = false);

}  // namespace dalembert::codegen
