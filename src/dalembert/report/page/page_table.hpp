#pragma once
/// Rows of a table whose length may not be known, in a memory that is bounded: all of them, or the
/// smallest and the largest value of each column in stretches of equally many rows. Not for the
/// public.

#include <cstddef>
#include <span>
#include <vector>

namespace dalembert::report {

class PageTable {
 public:
  /// `expected` rows will come, about; at most `most` (at least 4) are kept. The first column is
  /// time.
  PageTable(std::size_t columns, std::size_t expected, std::size_t most);

  /// A row of `columns` numbers. Allocates nothing unless more rows come than expected.
  void add(std::span<const double> row);

  std::size_t columns() const { return columns_; }
  std::size_t total() const { return total_; }  ///< rows that came
  std::size_t rows() const { return rows_; }    ///< rows that are kept
  /// 0: all rows are kept. k: each k rows have become two, which have the smallest and the largest
  /// value of each column in order of occurrence, at the times of the first and the last of them;
  /// so has what is left over at the end, unless it is a single row. What is not a number counts
  /// only where there is nothing else.
  std::size_t thinned() const { return stretch_ == 1 ? 0 : stretch_; }
  double at(std::size_t row, std::size_t column) const { return values_[row * columns_ + column]; }

  /// Appends column after column to `values`.
  void append_columns(std::vector<double>& values) const;

 private:
  std::span<double> row(std::size_t i) { return {values_.data() + i * columns_, columns_}; }
  void fold(std::span<const double> row, std::span<double> first, std::span<double> last) const;
  void coarsen();

  std::size_t columns_, most_;
  std::size_t stretch_ = 1;     ///< rows that become two
  std::size_t in_stretch_ = 0;  ///< rows in the last one, if stretch_ > 1
  std::size_t rows_ = 0, total_ = 0;
  std::vector<double> values_;  ///< row by row
};

}  // namespace dalembert::report
