#pragma once
/// Taylor coefficients of the solution of y' = f(t, y), from the tape of f.
///
///     y(t + h) = sum y_k h^k,     (k + 1) y_(k+1) = f_k,
///
/// f_k the coefficient of order k of f along the solution. It follows from those of the operations
/// of the tape, each from those before it. With P(x, y) = sum x_j y_(k-j) over j = 1 ... k-1, ^x_j
/// = j x_j and k >= 1,
///
///     z = x y         z_k = x_0 y_k + x_k y_0 + P(x, y)
///     z = x / y       z_k = (x_k - y_k z_0 - P(y, z)) / y_0
///     z = sqrt(x)     z_k = (x_k - P(z, z)) / (2 z_0)
///     z = exp(x)      z_k = x_k z_0 + P(^x, z) / k
///     z = log(x)      z_k = (x_k - P(^z, x) / k) / x_0
///     s, c = sin, cos s_k = x_k c_0 + P(^x, c) / k,   c_k = -(x_k s_0 + P(^x, s) / k)
///     z = x^a         z_k = (a (x_k z_0 + P(^x, z) / k) - P(^z, x) / k) / x_0
///
/// and so on for every operation; what is linear in series costs as much as it does in f. All that
/// depends on the order is therefore a list of sums P and one straight tape, the same for all
/// orders from 1 on: a run of it for each order, with sums between. |x|, min, max, `choose` take
/// the side on which order 0 stands, sign and floor are constant: right as long as no argument
/// changes sides.
///
/// x / k is x times the reciprocal of k, rounded: a third is always a little too small, and over
/// millions of steps that adds up. An exact series divides.
///
/// Cost for p orders: p runs of the tape, and p^2 / 2 multiplications a pair.

#include <cstdint>
#include <vector>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

/// P(a, b) of two series that are kept.
struct SeriesPair {
  std::uint32_t a;
  std::uint32_t b;
  bool operator==(const SeriesPair&) const = default;
};

struct Series {
  std::uint32_t size = 0;   ///< of y
  std::uint32_t kept = 0;   ///< series whose coefficients occur in sums
  std::uint32_t later = 0;  ///< values of order 0 that later orders need
  /// t y -> the outputs of f, then the `later` values
  Tape start;
  /// k 1/k t_k y_k (size), the `later` values, P of each pair -> f_k (size), the kept series' order
  /// k
  Tape order;
  std::vector<SeriesPair> pairs;
  /// Which kept series are the watched outputs of f; `no_series`: of order 0 alone.
  std::vector<std::uint32_t> watched = {};
  bool exact = false;  ///< divides by k

  static constexpr std::uint32_t no_series = UINT32_MAX;

  // Inputs of `order`.
  static constexpr std::uint32_t k_input = 0;
  static constexpr std::uint32_t reciprocal_input = 1;
  static constexpr std::uint32_t t_input = 2;
  static constexpr std::uint32_t y_input = 3;
  std::uint32_t later_input() const { return y_input + size; }
  std::uint32_t pair_input() const { return later_input() + later; }
};

/// `f`: t y -> y' (as many as y), and whatever else; the coefficients of the last `watched` outputs
/// are kept, up to order p - 1. O(operations).
Series make_series(const Tape& f, std::size_t watched = 0, bool exact = false);

/// Whether one of the first `outputs` of f has a kink or a jump in y: where |x|, sign, min, max,
/// floor or `choose` is asked about more than t and parameters. No coefficient tells of one that a
/// step crosses and comes back from. O(operations). `in_time`: or in t.
bool has_kinks(const Tape& f, std::size_t outputs, bool in_time = false);

}  // namespace dalembert::codegen
