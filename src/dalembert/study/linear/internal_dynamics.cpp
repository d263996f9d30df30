#include "dalembert/study/linear/internal_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/study/linear/equilibrium.hpp"
#include "dalembert/study/linear/linearise.hpp"

namespace dalembert::study {

namespace {

using Verdict = InternalDynamics::Verdict;

/// The model as it was before its inputs had laws, the reference as it is at t, starting at rest.
model::Model at_rest(const Motion& motion, const State& state) {
  model::Model model = *motion.model().before_servos;
  const expr::ExprMap now{{expr::time(), expr::Expr(expr::Rational(state.t))}};
  for (model::Constraint& constraint : model.constraints) {
    if (!constraint.by.empty()) constraint.residual = expr::substitute(constraint.residual, now);
  }
  model.initial = {};
  model.initial.adjust = model::Adjust::nearest;
  for (const double q : state.q) {
    model.initial.q.push_back({expr::Expr(expr::Rational(q)), {}});
    model.initial.v.emplace_back();
  }
  model.events.clear();
  model.draft = nullptr;
  model.simulation.method = "m-inverse";
  return model;
}

/// The values that the motion's parameters have, for the model's own.
std::map<std::string, std::string> settings_of(const Motion& motion, const model::Model& model) {
  std::map<std::string, std::string> settings;
  const auto& names = motion.model().parameters;
  for (const model::Named& parameter : model.parameters) {
    const auto found = std::ranges::find(names, parameter.name, &model::Named::name);
    if (found == names.end() || model::is_internal(parameter)) continue;
    settings[parameter.name] = fmt::format(
        "{:.17g}", motion.parameters()[static_cast<std::size_t>(found - names.begin())]);
  }
  return settings;
}

InternalDynamics not_judged(std::string reason) {
  return {Verdict::not_judged, {}, std::move(reason)};
}

}  // namespace

InternalDynamics find_internal_dynamics(const Motion& motion, const State& state) {
  // Conditions on velocities leave positions that follow from them, stably or not.
  const bool on_positions = std::ranges::all_of(
      motion.model().constraints,
      [](const model::Constraint& c) { return model::level(c) == model::Level::position; });
  if (on_positions &&
      std::cmp_equal(motion.acceleration(state.t, state.q, state.v).rank, motion.coordinates()))
    return {};
  model::Model model = at_rest(motion, state);
  flow::CompileOptions options;
  options.settings = settings_of(motion, model);
  const auto still = flow::compile(std::move(model), options);
  if (!still)
    return not_judged("with the reference at rest, " + still.error().diagnostics[0].message);
  const auto start = flow::initial_state(*still);
  if (!start) return not_judged("no state was found that keeps the constraints at rest");
  const auto found = find_equilibrium(*still, start->state);
  if (!found)
    return not_judged("no equilibrium was found with the reference at rest: " + found.error());
  const auto linear = linearise(*still, found->state, {});
  if (!linear) return not_judged(linear.error());
  InternalDynamics result{Verdict::open, linear->spectrum.values, {}};
  if (result.eigenvalues.size() == 0) return {};
  const double least = 1e-9 * result.eigenvalues.cwiseAbs().maxCoeff();
  const double largest = result.eigenvalues.real().maxCoeff();
  if (largest > least) result.verdict = Verdict::unstable;
  if (largest < -least) result.verdict = Verdict::stable;
  return result;
}

}  // namespace dalembert::study
