#pragma once
/// The start of a run, where there is nothing to adjust in it: initial values, and constraint
/// residuals as a tape of these. What motion::initial_state does in tens of
/// microseconds, as much as a short run takes, this does in one, for most runs.

#include <optional>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::study {

class QuickStart {
 public:
  explicit QuickStart(const motion::Motion& motion);

  /// The initial values, if they are finite and satisfy each constraint so well that
  /// motion::initial_state leaves every bit as it is: to `rounding` of its scale. Nothing
  /// otherwise, and by the method `vakonomic`: then motion::initial_state decides. Whether the
  /// equations can be solved there is left to whoever runs them.
  std::optional<motion::State> operator()(const std::vector<double>& parameters) const;

  static constexpr double rounding = 0x1p-52;

 private:
  std::size_t n_;
  bool usable_;
  motion::Motion motion_;
  std::vector<double> constant_;     ///< q v, as far as they depend on nothing
  std::vector<std::size_t> others_;  ///< those that do not
  codegen::Kernel checks_;  ///< t q v -> residual and scale for each level of each constraint
};

}  // namespace dalembert::study
