#pragma once
/// The rows of one motion, kept: what NumPy views share, and what files and pages are made from.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/trajectory.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

/// Rows of doubles, one after the other. Pages of memory that no row has reached yet cost nothing.
class Table {
 public:
  /// Throws std::bad_alloc where the memory of the machine could not hold so many rows.
  Table(std::size_t most_rows, std::size_t width);

  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  std::span<const double> row(std::size_t i) const { return {data_.get() + i * width_, width_}; }
  const double* data() const { return data_.get(); }
  /// The next row, to be filled. Beyond `most_rows` the table grows: rows and views are then
  /// elsewhere.
  std::span<double> add();
  /// Gives back what has not been used. Views made before are then invalid.
  void shrink();

 private:
  struct Free {
    void operator()(double* data) const { std::free(data); }
  };
  std::unique_ptr<double, Free> data_;
  std::size_t rows_ = 0, most_, width_;
};

/// The same rows one after the other, in extended precision.
using ExtendedTable = std::vector<long double>;

/// One motion that has ended, or has been ended.
struct Recording {
  PyMotion of;
  motion::SimulationOptions options;
  motion::State start;
  motion::Summary summary;
  std::shared_ptr<const Table> table;                  ///< columns as in trajectory.csv
  std::shared_ptr<const ExtendedTable> extended = {};  ///< of a run in this precision
};

/// A NumPy array, read-only, that keeps the table alive.
nb::object array_of(const std::shared_ptr<const Table>& table);

void bind_recordings(nb::module_& m);

}  // namespace dalembert::python
