#include "dalembert/study/quick_start.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/expr/graph.hpp"
#include "dalembert/solve/method.hpp"

namespace dalembert::study {

QuickStart::QuickStart(const motion::Motion& motion)
    : n_(motion.coordinates()),
      usable_(motion::is_mechanical(motion.method()) && motion.model().conditions.empty()) {
  const model::Initial& initial = motion.model().initial;
  const mechanics::Equations& equations = motion.equations();
  std::vector<expr::Expr> outputs;
  expr::ExprMap start{{expr::time(), expr::Expr(0)}};
  for (std::size_t i = 0; i < n_; ++i) {
    start.emplace(equations.q[i], initial.q[i].expr);
    start.emplace(equations.v[i], initial.v[i].expr);
  }
  for (const model::Located& q : initial.q) outputs.push_back(q.expr);
  for (const model::Located& v : initial.v) outputs.push_back(v.expr);
  std::vector<expr::Expr> checks;
  for (const mechanics::ConstraintRow& row : equations.constraints) {
    if (row.level == model::Level::position) checks.insert(checks.end(), {row.residual, row.scale});
    if (row.level != model::Level::acceleration)
      checks.insert(checks.end(), {row.rate, row.rate_scale});
  }
  for (expr::Expr& check : expr::substitute(checks, start)) outputs.push_back(std::move(check));
  kernel_ = codegen::interpreted(codegen::make_tape(outputs, {}, equations.parameters));
}

std::optional<motion::State> QuickStart::operator()(std::span<const double> parameters) const {
  if (!usable_) return std::nullopt;
  const codegen::Workspace workspace = kernel_.workspace(parameters);
  const auto value = [&](std::size_t i) { return *kernel_.output(workspace, i); };
  for (std::size_t i = 2 * n_; i < kernel_.outputs(); i += 2) {
    if (!(std::abs(value(i)) <= rounding * value(i + 1))) return std::nullopt;
  }
  motion::State state;
  for (std::size_t i = 0; i < n_; ++i) state.q.push_back(value(i));
  for (std::size_t i = n_; i < 2 * n_; ++i) state.v.push_back(value(i));
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(state.q.begin(), state.q.end(), finite) ||
      !std::all_of(state.v.begin(), state.v.end(), finite))
    return std::nullopt;
  return state;
}

}  // namespace dalembert::study
