#pragma once
/// A series ready to run, for one motion or for W at once, one in each lane: by the interpreter,
/// order by order, or by machine code, a loop over the orders. Both give the same bits, whatever W:
/// the sums are
///
///     P = x_2 y_(k-2) + ... + x_(k-2) y_2, then + x_1 y_(k-1), then + x_(k-1) y_1 if k > 2,
///
/// each product added with one rounding, those first that are known first.

#include <memory>
#include <span>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/series_layout.hpp"

namespace dalembert::codegen {

/// Registers of one motion, or W. One a thread.
struct SeriesWorkspace {
  Workspace start;
  Workspace orders;
};

class SeriesKernel {
 public:
  SeriesKernel() = default;
  explicit SeriesKernel(Series series, const KernelOptions& options = {});

  const Series& series() const { return *series_; }
  int lanes() const { return start_.lanes(); }
  Engine engine() const { return orders_->engine(); }  ///< who runs the orders from 1 on now

  SeriesWorkspace workspace(std::span<const double> parameters) const;
  void bind(SeriesWorkspace& workspace, int lane, std::span<const double> parameters) const;

  /// Where to put t and y: input i of lane l at [i W + l].
  double* input(SeriesWorkspace& workspace) const { return start_.input(workspace.start, 0); }
  /// Order 0 and 1: output i of f stands at output(i) then. O(operations).
  void begin(SeriesWorkspace& workspace) const;
  const double* output(const SeriesWorkspace& workspace, std::size_t i) const {
    return start_.output(workspace.start, i);
  }
  /// The orders up to p, 2 <= p <= SeriesLayout::most_order, after `begin`.
  void run(SeriesWorkspace& workspace, std::uint32_t p) const;
  /// W numbers: the coefficient of order k of y_i.
  const double* coefficient(const SeriesWorkspace& workspace, std::size_t i,
                            std::uint32_t k) const {
    return workspace.orders.registers.data() +
           (layout_->coefficients + i * SeriesLayout::stride + k) *
               static_cast<std::size_t>(start_.lanes());
  }

  /// The same of watched output j of f, 1 <= k < p; none where it has order 0 alone.
  const double* watched(const SeriesWorkspace& workspace, std::size_t j, std::uint32_t k) const {
    const std::uint32_t series = series_->watched[j];
    if (series == Series::no_series) return nullptr;
    return workspace.orders.registers.data() +
           (layout_->kept + std::size_t{series} * SeriesLayout::stride + k) *
               static_cast<std::size_t>(start_.lanes());
  }

 private:
  std::shared_ptr<const Series> series_;
  std::shared_ptr<const SeriesLayout> layout_;
  Kernel start_;
  Kernel order_;  ///< binds parameters
  std::shared_ptr<const Program> orders_;
};

/// The loop over orders, by the interpreter; a long tape by machine code of it as soon as that is
/// ready.
std::shared_ptr<const Program> series_interpreter(const Series& series, int lanes);

}  // namespace dalembert::codegen
