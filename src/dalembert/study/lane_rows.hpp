#pragma once
/// States in rows, as others keep them, to and from lanes, as kernels want them: of W rows, entry i
/// of row l stands at [l stride + i] there and at [i W + l] here.
///
/// `taint` (W) tells the rows in which every number is finite: 0 times each number is added to it,
/// so that it stays 0 for these and is not a number for the others.

#include <cstddef>

namespace dalembert::study {

/// For one W and one instruction set. Lanes and taint are 64-byte aligned, rows need not be.
struct LaneRows {
  /// lanes[i W + l] = row[l stride + i] for i < count.
  void (*load)(const double* row, std::size_t stride, std::size_t count, double* lanes,
               double* taint);
  /// row[l stride + i] = lanes[i][l] for i < count.
  void (*store)(const double* const* lanes, std::size_t count, double* row, std::size_t stride,
                double* taint);
  /// Bit l: whether lane l has numbers that are not finite, or a doubt above 1 or not a number.
  unsigned (*refused)(const double* taint, const double* doubt);
};

/// For 1, 4 or 8 lanes, with the widest instructions this machine has; throws std::invalid_argument
/// for another number.
const LaneRows& lane_rows(int lanes);

}  // namespace dalembert::study
