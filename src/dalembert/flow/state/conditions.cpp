#include "dalembert/flow/state/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/flow/values.hpp"

namespace dalembert::flow {

ConditionWatch::ConditionWatch(const Motion& motion)
    : conditions_(motion.model().conditions), n_(motion.coordinates()) {
  if (conditions_.empty()) return;
  std::vector<expr::Expr> outputs;
  for (const model::Condition& condition : conditions_) outputs.push_back(condition.value);
  const mechanics::Equations& eq = motion.equations();
  kernel_ = codegen::make_kernel(codegen::make_tape(outputs, state_symbols(eq), eq.parameters));
  workspace_ = kernel_.workspace(motion.parameters());
  inputs_.resize(1 + 2 * n_);
  values_.resize(conditions_.size());
}

void ConditionWatch::bind(const Motion& motion) {
  if (!conditions_.empty()) kernel_.bind(workspace_, 0, motion.parameters());
}

std::optional<model::Diagnostic> ConditionWatch::broken(double t, std::span<const double> q,
                                                        std::span<const double> v,
                                                        bool numbers_only) {
  if (conditions_.empty()) return std::nullopt;
  inputs_[0] = t;
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  kernel_.evaluate(workspace_, inputs_, values_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const model::Condition& condition = conditions_[i];
    if (values_[i] > 0 || (!condition.strict && values_[i] == 0)) continue;
    if (numbers_only && !condition.number) continue;
    return model::Diagnostic{condition.number
                                 ? fmt::format("{}, and is {:.6g}", condition.message, values_[i])
                                 : condition.message,
                             condition.where};
  }
  return std::nullopt;
}

}  // namespace dalembert::flow
