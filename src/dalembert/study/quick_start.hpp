#pragma once
/// The start of a run, where there is nothing to adjust in it: initial values and constraint
/// residuals as one tape of the parameters. What motion::initial_state does in tens of
/// microseconds, as much as a short run takes, this does in one, for most runs.

#include <optional>
#include <span>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::study {

class QuickStart {
 public:
  explicit QuickStart(const motion::Motion& motion);

  /// The initial values, if they are finite and satisfy each constraint to rounding: by no more
  /// than `rounding` of its scale. Nothing otherwise, and by the method `vakonomic`: then
  /// motion::initial_state decides. Whether the equations can be solved there is left to whoever
  /// runs them.
  std::optional<motion::State> operator()(std::span<const double> parameters) const;

  static constexpr double rounding = 4 * 0x1p-52;

 private:
  std::size_t n_;
  bool usable_;
  codegen::Kernel kernel_;  ///< -> q, v, then residual and scale for each level of each constraint
};

}  // namespace dalembert::study
