#pragma once
/// Where numbers stand in the registers of a program that runs a series.

#include "dalembert/codegen/series.hpp"

namespace dalembert::codegen {

/// Places: registers begin like those of the tape `order`, and every place holds W numbers, one a
/// lane. A kept series s stands at kept + s stride, order after order.
struct SeriesLayout {
  static constexpr std::uint32_t most_order = 32;
  /// From a series to the next. Odd, so that series do not meet in the cache.
  static constexpr std::uint32_t stride = most_order + 1;

  explicit SeriesLayout(const Series& series)
      : inputs(series.order.first_input()),
        kept(static_cast<std::uint32_t>(series.order.registers())) {
    coefficients = kept + series.kept * stride;
    counts = coefficients + series.size * stride;
    reciprocals = counts + stride;
    order = reciprocals + stride;
    size = order + 1;
  }

  std::uint32_t inputs;  ///< of `order`
  std::uint32_t kept;
  std::uint32_t coefficients;  ///< y_i of order k at + i stride + k
  std::uint32_t counts;        ///< k at + k
  std::uint32_t reciprocals;   ///< 1/k at + k
  std::uint32_t order;         ///< p: coefficients up to it are wanted; in the first lane
  std::uint32_t size;          ///< of all
};

}  // namespace dalembert::codegen
