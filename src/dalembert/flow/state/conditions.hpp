#pragma once
/// The conditions of a model (model::Condition) at a state: radii and lengths that must be
/// positive, joints that must stand the right way round.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

class ConditionWatch {
 public:
  explicit ConditionWatch(const Motion& motion);

  void bind(const Motion& motion);

  /// The first condition that a state breaks, with the value found; nothing if it breaks none.
  /// Those about numbers can be asked of a state that is not on the constraints yet.
  /// Allocates only for the words. O(conditions).
  std::optional<model::Diagnostic> broken(double t, std::span<const double> q,
                                          std::span<const double> v, bool numbers_only = false);

 private:
  std::vector<model::Condition> conditions_;
  codegen::Kernel kernel_;
  codegen::Workspace workspace_;
  std::vector<double> inputs_, values_;
  std::size_t n_ = 0;
};

}  // namespace dalembert::flow
