#include "dalembert/study/quick_start.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/solve/method.hpp"

namespace dalembert::study {

QuickStart::QuickStart(const motion::Motion& motion)
    : n_(motion.coordinates()),
      usable_(motion::is_mechanical(motion.method()) && motion.model().conditions.empty() &&
              motion.instants() == nullptr),
      motion_(motion) {
  const model::Initial& initial = motion.model().initial;
  const mechanics::Equations& equations = motion.equations();
  std::vector<expr::Expr> checks;
  for (std::size_t i = 0; i < 2 * n_; ++i) {
    const expr::Expr& value = (i < n_ ? initial.q[i] : initial.v[i - n_]).expr;
    const bool constant = expr::symbols(std::span(&value, 1)).empty();
    constant_.push_back(constant ? model::evaluate(value, motion.model(), motion.parameters()) : 0);
    if (!constant) others_.push_back(i);
  }
  for (const mechanics::ConstraintRow& row : equations.constraints) {
    if (row.level == model::Level::position) checks.insert(checks.end(), {row.residual, row.scale});
    if (row.level != model::Level::acceleration)
      checks.insert(checks.end(), {row.rate, row.rate_scale});
  }
  checks_ = codegen::interpreted(
      codegen::make_tape(checks, motion::state_symbols(equations), equations.parameters));
}

std::optional<motion::State> QuickStart::operator()(const std::vector<double>& parameters) const {
  if (!usable_) return std::nullopt;
  std::vector<double> inputs{0};
  inputs.insert(inputs.end(), constant_.begin(), constant_.end());
  const model::Model& model = motion_.model();
  for (const std::size_t i : others_) {
    const expr::Expr& value = (i < n_ ? model.initial.q[i] : model.initial.v[i - n_]).expr;
    inputs[1 + i] = model::evaluate(value, model, parameters);  // as initial_state does, to the bit
  }
  std::vector<double> checks(checks_.outputs());
  if (!checks.empty()) {
    codegen::Workspace workspace = checks_.workspace(parameters);
    checks_.evaluate(workspace, inputs, checks);
  }
  for (std::size_t i = 0; i < checks.size(); i += 2) {
    if (!(std::abs(checks[i]) <= rounding * checks[i + 1])) return std::nullopt;
  }
  motion::State state;
  const auto middle = inputs.begin() + 1 + static_cast<std::ptrdiff_t>(n_);
  state.q.assign(inputs.begin() + 1, middle);
  state.v.assign(middle, inputs.end());
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(state.q.begin(), state.q.end(), finite) ||
      !std::all_of(state.v.begin(), state.v.end(), finite))
    return std::nullopt;
  return state;
}

}  // namespace dalembert::study
