#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dalembert/cli/at.hpp"
#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/flow/places.hpp"
#include "dalembert/flow/state/conditions.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/remarks.hpp"
#include "dalembert/report/terminal.hpp"
#include "dalembert/solve/names.hpp"

namespace dalembert::cli {

namespace {

/// Applies "t=0,x=1,x'=2" to a state, for `vakonomic` also "mu.NAME=0.1". False, after a complaint,
/// if that cannot be done.
bool apply_at(const std::vector<std::string>& at, const motion::Motion& motion,
              motion::State& state) {
  std::vector<std::string> known{"t"};
  std::vector<double*> targets{&state.t};
  for (std::size_t i = 0; i < motion.coordinates(); ++i) {
    known.push_back(motion.model().coordinates[i]);
    targets.push_back(&state.q[i]);
    known.push_back(motion.model().coordinates[i] + "'");
    targets.push_back(&state.v[i]);
  }
  const auto first_multiplier = std::ssize(known);
  for (std::size_t j = 0; j < state.mu.size(); ++j) {
    known.push_back("mu." + motion.model().constraints[j].name);
    targets.push_back(&state.mu[j]);
  }
  std::vector<std::string> further{"t"};
  further.insert(further.end(), known.begin() + first_multiplier, known.end());
  const auto assignments = assignments_of(at, motion.model(), further);
  if (!assignments) return false;
  for (const Assignment& assignment : *assignments) {
    const auto value = value_of(assignment, motion.model(), motion.parameters());
    if (!value) return false;
    const auto found = std::find(known.begin(), known.end(), assignment.name);
    *targets[static_cast<std::size_t>(found - known.begin())] = *value;
  }
  return true;
}

/// The state to evaluate: the model's initial one, adjusted where the model says so, changed by
/// --at.
std::optional<motion::State> state_for(const EvalOptions& options, const motion::Motion& motion) {
  motion::State state;
  if (motion.model().initial.adjust == model::Adjust::none) {
    auto written = motion.written_initial_state();
    if (!written) {
      complain(written.error());
      return std::nullopt;
    }
    state = *std::move(written);
  } else {
    auto start = [&] {
      const Waiting waiting("finding the initial state", shows_progress(options));
      return motion::initial_state(motion);
    }();
    auto written = motion.written_initial_state();
    if (!start && !(!options.at.empty() && written)) {
      complain(start.error());
      return std::nullopt;
    }
    state = start ? start->state : *std::move(written);
  }
  if (!apply_at(options.at, motion, state)) return std::nullopt;
  return state;
}

}  // namespace

int evaluate(const EvalOptions& options) {
  const auto motion = compile_for(options);
  if (!motion) return bad_input;
  const std::size_t size = motion->coordinates() + motion->constraints();
  if (size > motion::most_shown && (options.json || !options.quiet)) {
    complain(fmt::format(
        "{} coordinates and {} constraints are too many to show with their matrices (at most {} "
        "together); `dalembert run` writes accelerations and constraint forces of any number",
        motion->coordinates(), motion->constraints(), motion::most_shown));
    return bad_input;
  }
  const auto state = state_for(options, *motion);
  if (!state) return bad_input;
  motion::ConditionWatch conditions(*motion);
  if (const auto broken = conditions.broken(state->t, state->q, state->v, true)) {
    complain(model::ModelError{motion->model().source, {*broken}});
    return bad_input;
  }

  const motion::Acceleration r = motion->acceleration(state->t, state->q, state->v, state->mu);
  const motion::Residuals residuals = motion->residuals(state->t, state->q, state->v);
  switch (r.status) {
    case motion::Status::ok:
      break;
    case motion::Status::mass_not_finite:
    case motion::Status::constraints_not_finite:
    case motion::Status::force_not_finite:
      complain(model::ModelError{motion->model().source,
                                 {motion::explain_not_finite(*motion, *state, "at this state")}});
      return bad_input;
    case motion::Status::friction_undetermined:
      complain(
          model::error_in(motion->model(), r.problem, motion->model().frictions[r.friction].where));
      return bad_input;
    case motion::Status::formulation_failed:
      complain(model::error_in(motion->model(), r.problem,
                               motion::formulation_place(motion->model(), r.problem)));
      return bad_input;
    default:
      complain(model::error_in(motion->model(), r.problem, motion::mass_place(motion->model())));
      return bad_input;
  }
  if (!r.consistent && motion->method() != motion::Method::weighted &&
      report::on_constraints(residuals)) {
    complain(motion::explain_conflict(r.conflicting, motion->constraint_names()) +
             " (the method `weighted` gives a compromise)");
    return bad_input;
  }
  for (const report::Remark& remark : report::remarks(*motion, *state, r, residuals)) {
    if (remark.label == "note") print_aside(fmt::format("note: {}\n", remark.text));
  }
  for (std::size_t j = 0; j < motion->constraints(); ++j) {
    if (std::isfinite(residuals.residual[j]) && std::isfinite(residuals.rate[j]) &&
        std::isfinite(r.residual))
      continue;
    complain(fmt::format("constraint '{}' is not finite at this state",
                         motion->model().constraints[j].name));
    return bad_input;
  }
  const bool stuck = motion->instants() != nullptr && !r.problem.empty();
  if (stuck) print_aside(fmt::format("note: {}\n", r.problem));
  if (options.quiet && !options.json) return done;
  if (options.json) {
    std::fputs(report::evaluation_json(*motion, *state, r, residuals).c_str(), stdout);
  } else {
    print(report::evaluation_text(*motion, *state, r, residuals));
  }
  return done;
}

}  // namespace dalembert::cli
