#pragma once
/// Where numbers stand in the registers of a program that runs a series.

#include "dalembert/codegen/series.hpp"

namespace dalembert::codegen {

/// Places: registers begin like those of the tape `order`, and every place holds W numbers, one a
/// lane.
///
/// In several lanes a kept series s stands at kept + s stride, order after order. In one lane what
/// the sums need stands pair by pair, `padded` of them an order: the series a of each pair at
/// ascending + k padded, the series b at descending + k padded, so that several sums are found at
/// once.
struct SeriesLayout {
  static constexpr std::uint32_t most_order = 32;
  /// From a series to the next. Odd, so that series do not meet in the cache.
  static constexpr std::uint32_t stride = most_order + 1;
  static constexpr std::uint32_t pack = 8;  ///< pairs that are found at once in one lane

  SeriesLayout(const Series& series, int lanes)
      : inputs(series.order.first_input()),
        padded((static_cast<std::uint32_t>(series.pairs.size()) + pack - 1) / pack * pack) {
    const bool one = lanes == 1;
    kept = (static_cast<std::uint32_t>(series.order.registers()) + pack - 1) / pack * pack;
    ascending = kept;
    descending = ascending + (one ? stride * padded : 0);
    coefficients = descending + (one ? stride * padded : series.kept * stride);
    counts = coefficients + series.size * stride;
    reciprocals = counts + stride;
    order = reciprocals + stride;
    size = order + 1;
  }

  std::uint32_t inputs;  ///< of `order`
  std::uint32_t padded;  ///< the number of pairs, or a few more
  std::uint32_t kept, ascending, descending;
  std::uint32_t coefficients;  ///< y_i of order k at + i stride + k
  std::uint32_t counts;        ///< k at + k
  std::uint32_t reciprocals;   ///< 1/k at + k
  std::uint32_t order;         ///< p: coefficients up to it are wanted; in the first lane
  std::uint32_t size;          ///< of all
};

}  // namespace dalembert::codegen
