#pragma once
/// States in rows, as others keep them, to and from lanes, as kernels want them: of W rows, entry i
/// of row l stands at [l stride + i] there and at [i W + l] here.
///
/// `taint` (W) tells the rows in which every number is finite: it is the sum of 0 times each
/// number, so 0 for these and not a number for the others.

#include <cstddef>
#include <span>

namespace dalembert::study {

/// W rows of numbers: `count` of each, from row[l stride] on.
struct RowPart {
  const double* row;
  std::size_t stride;
  std::size_t count;
};

/// For one W and one instruction set. Lanes and taint are 64-byte aligned, rows need not be.
struct LaneRows {
  /// lanes[i W + l] = row[l stride + i] for i < count, part after part; taint is set.
  void (*load)(std::span<const RowPart> parts, double* lanes, double* taint);
  /// row[l stride + i] = lanes[i][l] for i < count; taint is added to.
  void (*store)(const double* const* lanes, std::size_t count, double* row, std::size_t stride,
                double* taint);
  /// Bit l: whether lane l has numbers that are not finite, or a doubt above 1 or not a number.
  unsigned (*refused)(const double* taint, const double* doubt);
};

/// For 1, 4 or 8 lanes, with the widest instructions this machine has; throws std::invalid_argument
/// for another number.
const LaneRows& lane_rows(int lanes);

}  // namespace dalembert::study
