#include "dalembert/flow/state/initial_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/instants/start.hpp"
#include "dalembert/flow/places.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/state/assembly.hpp"
#include "dalembert/flow/state/conditions.hpp"
#include "dalembert/flow/state/gimbal.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/model/assembly/free_initial.hpp"
#include "dalembert/model/energy_of_bodies.hpp"
#include "dalembert/model/view_checks.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using expr::Op;
using model::Diagnostic;
using model::Failure;

constexpr std::size_t shown_characters = 120;

/// What is wrong with the innermost subexpression that is not finite.
std::string describe(const Expr& culprit, const expr::Values& values) {
  std::string what = expr::to_text(culprit, shown_characters);
  std::string cause = "is not finite";
  if (culprit.is(Op::power) && expr::evaluate(culprit.args()[0], values) == 0) {
    cause = "divides by zero";
  } else if (culprit.is(Op::sec) || culprit.is(Op::csc) || culprit.is(Op::cot)) {
    cause = "divides by zero";
  } else if (culprit.is(Op::sqrt) || culprit.is(Op::log) || culprit.is(Op::log10) ||
             culprit.is(Op::acosh) || culprit.is(Op::atanh)) {
    const double x = expr::evaluate(culprit.args()[0], values);
    const bool logarithm = culprit.is(Op::log) || culprit.is(Op::log10);
    cause = logarithm && x == 0 ? "is the logarithm of zero"
                                : fmt::format("takes the argument {:.6g}", x);
  }
  if (culprit.is(Op::table)) {
    const std::span<const double> nodes = culprit.table()->nodes();
    cause = fmt::format("is asked for at {:.6g}, and table '{}' goes from {:.6g} to {:.6g}",
                        expr::evaluate(culprit.args()[0], values), culprit.table()->name(),
                        nodes.front(), nodes.back());
  }
  std::string at;
  for (const Expr& s : expr::symbols(std::span(&culprit, 1))) {
    if (at.size() > shown_characters) break;
    at +=
        fmt::format("{}{} = {:.6g}", at.empty() ? "" : ", ", expr::to_text(s), values(s.symbol()));
  }
  return at.empty() ? fmt::format("{} {}", what, cause)
                    : fmt::format("{} {} ({})", what, cause, at);
}

/// The expressions the author wrote, each with a name to complain of.
struct Written {
  std::string name;
  model::Located what;
};

std::vector<Written> written_expressions(const model::Model& m) {
  std::vector<Written> result;
  if (m.kinetic) result.push_back({"the kinetic energy", *m.kinetic});
  if (m.potential) result.push_back({"the potential energy", *m.potential});
  if (m.dissipation) result.push_back({"the dissipation", *m.dissipation});
  for (const auto& row : m.mass_matrix) {
    for (const auto& entry : row) result.push_back({"the mass matrix", entry});
  }
  for (std::size_t i = 0; i < m.forces.size(); ++i) {
    result.push_back({fmt::format("the force along {}", m.coordinates[i]), m.forces[i]});
  }
  for (const auto& constraint : m.constraints) {
    result.push_back(
        {fmt::format("constraint '{}'", constraint.name), {constraint.residual, constraint.where}});
  }
  for (std::size_t i = 0; i < m.virtual_work.size(); ++i) {
    result.push_back(
        {fmt::format("the virtual work along {}", m.coordinates[i]), m.virtual_work[i]});
  }
  for (const model::Friction& friction : m.frictions) {
    const std::string name = fmt::format("the friction of joint '{}'", friction.joint);
    for (const auto* part : {&friction.normal, &friction.direction}) {
      for (const Expr& e : *part) result.push_back({name, {e, friction.where}});
    }
  }
  return result;
}

/// A number of [initial]; one that is not finite joins what is wrong.
double finite_value(const model::Model& m, const std::vector<double>& parameters,
                    const model::Located& initial, const std::string& name,
                    std::vector<Diagnostic>& wrong) {
  const double x = model::evaluate(initial.expr, m, parameters);
  if (!std::isfinite(x))
    wrong.push_back({fmt::format("the initial value of {} is not finite", name), initial.where});
  return x;
}

/// mu of each constraint: as given, as the model says, 0 for a constraint on positions.
std::vector<double> written_mu(const Motion& motion, const GivenValues& given,
                               std::vector<Diagnostic>& wrong) {
  const model::Model& m = motion.model();
  std::vector<double> result;
  for (std::size_t j = 0; j < motion.constraints(); ++j) {
    const std::string& name = m.constraints[j].name;
    const auto first = std::find_if(given.mu.begin(), given.mu.end(),
                                    [&](const auto& mu) { return mu.first == name; });
    const auto written = std::find_if(m.initial.mu.begin(), m.initial.mu.end(),
                                      [&](const model::Named& mu) { return mu.name == name; });
    if (first != given.mu.end()) {
      result.push_back(first->second);
      if (!std::isfinite(first->second))
        wrong.push_back({fmt::format("the initial value of mu of '{}' is not finite", name)});
    } else if (written != m.initial.mu.end()) {
      result.push_back(finite_value(m, motion.parameters(), {written->expr, written->where},
                                    fmt::format("mu of '{}'", name), wrong));
    } else if (motion.equations().constraints[j].level == model::Level::position) {
      result.push_back(0);
    } else {
      wrong.push_back(
          {fmt::format("method {} needs an initial value of mu for '{}', as in mu = {{ \"{}\" = "
                       "0.1 }} in [initial]",
                       to_string(motion.method()), name, name),
           m.initial.where});
    }
  }
  return result;
}

/// The state as lines of a model file.
std::vector<std::string> state_lines(const Motion& motion, const State& state) {
  std::vector<std::string> lines;
  const auto& names = motion.model().coordinates;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back(fmt::format("    {} = {:.15g}", names[i], state.q[i]));
  for (std::size_t i = 0; i < names.size(); ++i) {
    lines.push_back(fmt::format("    \"{}'\" = {:.15g}", names[i], state.v[i]));
  }
  return lines;
}

void add_largest_change(const std::vector<std::string>& names, std::string_view primes,
                        const std::vector<double>& from, const std::vector<double>& to,
                        std::vector<Change>& changes) {
  std::size_t most = 0;
  for (std::size_t i = 1; i < from.size(); ++i) {
    if (std::abs(to[i] - from[i]) > std::abs(to[most] - from[most])) most = i;
  }
  if (to[most] != from[most])
    changes.push_back({names[most] + std::string(primes), from[most], to[most]});
}

/// The errors for an inconsistent state that may not be adjusted: each broken constraint, then the
/// way out.
ModelError broken_error(const Motion& motion, const Start& start, const State& nearest,
                        bool positions_too) {
  const State& given = start.state;
  Projector projector(motion);
  projector.measure(given.t, given.q, given.v);
  const auto& constraints = motion.model().constraints;
  ModelError error{motion.model().source, {}};
  for (std::size_t j = 0; j < constraints.size(); ++j) {
    const bool position_level = motion.equations().constraints[j].level == model::Level::position;
    if (projector.scaled_residual(j) > initial_tolerance) {
      error.diagnostics.push_back(
          {fmt::format("the initial state breaks constraint '{}': residual {:.6g}",
                       constraints[j].name, projector.residuals()[j]),
           constraints[j].where});
    } else if (projector.scaled_rate(j) > initial_tolerance) {
      error.diagnostics.push_back(
          {fmt::format(
               "the initial velocities break constraint '{}': {} {:.6g}", constraints[j].name,
               position_level ? "the rate of its residual is" : "residual", projector.rates()[j]),
           constraints[j].where});
    }
  }
  const bool may_not_move = start.adjust == model::Adjust::velocity && positions_too;
  std::vector<std::string> details = state_lines(motion, nearest);
  details.emplace_back(
      may_not_move ? "  write these values, or set adjust = \"nearest\" so that positions may be "
                     "adjusted too"
                   : "  write these values, or set adjust = \"nearest\" in [initial] to use them");
  details.emplace_back("  to keep values as written, name them in hold = [...] beside it");
  error.diagnostics.push_back({"the nearest consistent state (in the kinetic-energy metric) is",
                               motion.model().initial.where, std::move(details)});
  return error;
}

/// The errors for a start in penetration: each contact, then the way out.
ModelError penetration_error(const Motion& motion, const Penetration& penetration) {
  const model::Model& m = motion.model();
  ModelError error{m.source, {}};
  bool known = true;
  for (const Penetration::At& at : penetration.contacts) {
    const std::string& name = m.contacts[at.contact].name;
    known = known && std::isfinite(at.gap);
    error.diagnostics.push_back(
        {std::isfinite(at.gap)
             ? fmt::format("the motion starts in penetration: the gap of contact '{}' is {:.6g}",
                           name, at.gap)
             : fmt::format("at the start, the gap of contact '{}' is not a finite number", name),
         m.contacts[at.contact].gap.where});
  }
  if (!known) return error;
  if (!penetration.nearest) {
    error.diagnostics.push_back({"no state without penetration was found nearby", m.initial.where});
    return error;
  }
  std::vector<std::string> details = state_lines(motion, *penetration.nearest);
  details.emplace_back(
      "  write these values, or set adjust = \"nearest\" in [initial] to use them");
  error.diagnostics.push_back(
      {"the nearest state without penetration (in the kinetic-energy metric) is", m.initial.where,
       std::move(details)});
  return error;
}

/// What keeps the motion from starting at a state, if anything.
std::optional<ModelError> mechanics_problem(const Motion& motion, const State& state) {
  const model::Model& m = motion.model();
  Evaluator evaluator(motion);
  switch (evaluator.decide(state.t, state.q, state.v, state.mu)) {
    case Status::ok:
      break;
    case Status::mass_not_finite:
    case Status::constraints_not_finite:
    case Status::force_not_finite:
      return ModelError{m.source, {explain_not_finite(motion, state, "at the initial state")}};
    case Status::friction_undetermined:
      return model::error_in(m, "at the initial state, " + evaluator.explain_failure(),
                             m.frictions[evaluator.friction()->culprit()].where);
    case Status::formulation_failed:
      return model::error_in(m, evaluator.explain_failure(),
                             formulation_place(m, evaluator.explain_failure()));
    default: {
      GimbalWatch gimbals(motion);
      gimbals.look(state.t, state.q, state.v);
      return model::error_in(m, evaluator.explain_failure() + gimbal_hint(gimbals.here()),
                             mass_place(m));
    }
  }
  evaluator.observe();
  if (!std::isfinite(evaluator.h()) || !std::isfinite(evaluator.kinetic()) ||
      !std::isfinite(evaluator.potential())) {
    return ModelError{m.source, {explain_not_finite(motion, state, "at the initial state")}};
  }
  if (motion.method() != Method::weighted && evaluator.contradictory()) {
    model::Location where;
    for (std::size_t j = 0; j < m.constraints.size(); ++j) {
      if (evaluator.solution().conflicting(static_cast<int>(j))) where = m.constraints[j].where;
    }
    return model::error_in(
        m,
        fmt::format("at the initial state, {} (the method `weighted` gives a compromise)",
                    evaluator.explain_contradiction()),
        where);
  }
  return std::nullopt;
}

/// What is wrong with parameters or start before any equation is asked.
std::optional<ModelError> objection_to(const Motion& motion, const Start& start) {
  const model::Model& m = motion.model();
  // A Motion may have been given other parameters since it was compiled.
  if (auto wrong = model::check_bodies(m, motion.parameters()); !wrong.empty())
    return ModelError{m.source, std::move(wrong)};
  if (auto wrong = model::check_drawing(m, motion.parameters()); !wrong.empty())
    return ModelError{m.source, std::move(wrong)};
  for (const auto& quaternion : m.quaternions) {
    const bool zero = std::all_of(quaternion.begin(), quaternion.end(),
                                  [&](std::size_t i) { return start.state.q[i] == 0; });
    if (!zero) continue;
    return model::error_in(
        m,
        fmt::format("the quaternion of '{}', '{}', '{}' and '{}' is zero at the start, which "
                    "describes no rotation: 1, 0, 0, 0 leaves a body unturned",
                    m.coordinates[quaternion[0]], m.coordinates[quaternion[1]],
                    m.coordinates[quaternion[2]], m.coordinates[quaternion[3]]),
        m.initial.where);
  }
  return std::nullopt;
}

}  // namespace

Diagnostic explain_not_finite(const Motion& motion, const State& state, const std::string& where) {
  const expr::Values values = values_at(motion.model(), motion.parameters(), state);
  for (const Written& written : written_expressions(motion.model())) {
    if (const auto culprit = expr::first_not_finite(written.what.expr, values)) {
      return {
          fmt::format("{} is not finite {}: {}", written.name, where, describe(*culprit, values)),
          written.what.where};
    }
  }
  const auto& eq = motion.equations();
  const auto complaint = [&](const std::string& name, const Expr& e) -> std::optional<std::string> {
    const auto culprit = expr::first_not_finite(e, values);
    if (!culprit) return std::nullopt;
    return fmt::format("{} is not finite {}: {}", name, where, describe(*culprit, values));
  };
  const model::Model& m = motion.model();
  for (const auto& entry : eq.M) {
    if (const auto found = complaint("the mass matrix", entry.value))
      return {*found, mass_place(m)};
  }
  for (const Expr& e : eq.Q) {
    if (const auto found = complaint("a generalized force", e))
      return {*found, force_place(m, values)};
  }
  const auto row = [&](std::size_t j, const Expr& e) -> std::optional<Diagnostic> {
    const auto found =
        complaint(fmt::format("the derivative of constraint '{}'", eq.constraints[j].name), e);
    if (!found) return std::nullopt;
    return Diagnostic{*found, m.constraints[j].where};
  };
  for (const auto& entry : eq.A) {
    if (auto found = row(entry.row, entry.value)) return *std::move(found);
  }
  for (std::size_t j = 0; j < eq.b.size(); ++j) {
    if (auto found = row(j, eq.b[j])) return *std::move(found);
  }
  return {fmt::format("the equations of motion are not finite {}", where), mass_place(m)};
}

Result<Start, ModelError> written_start(const Motion& motion, const GivenValues& given) {
  std::vector<std::string> names;
  std::vector<double> parameters = motion.parameters();
  for (const auto& [name, value] : given.state) {
    names.push_back(name);
    parameters.push_back(value);
  }
  const std::vector<std::string> known = motion.constraint_names();
  for (const auto& [name, value] : given.mu) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw std::invalid_argument("'" + name + "' is not a constraint of the model");
  }
  if (auto objection = model::objection_to_free(motion.model(), names))
    return Failure{*std::move(objection)};
  const auto freed = names.empty() ? nullptr : motion.freed_model(names);
  const model::Model& m = freed ? *freed : motion.model();
  std::vector<Diagnostic> wrong;
  Start start;
  for (std::size_t i = 0; i < motion.coordinates(); ++i) {
    const std::string& name = m.coordinates[i];
    start.state.q.push_back(finite_value(m, parameters, m.initial.q[i], name, wrong));
    start.state.v.push_back(finite_value(m, parameters, m.initial.v[i], name + "'", wrong));
  }
  if (!is_mechanical(motion.method())) start.state.mu = written_mu(motion, given, wrong);
  if (!wrong.empty()) return Failure{ModelError{m.source, std::move(wrong)}};
  start.adjust = m.initial.adjust;
  start.hold = m.initial.hold;
  return start;
}

Result<InitialState, ModelError> initial_state(const Motion& motion) {
  const auto start = written_start(motion);
  if (!start) return Failure{start.error()};
  return initial_state(motion, *start);
}

Result<InitialState, ModelError> initial_state(const Motion& motion, const Start& start) {
  const model::Model& m = motion.model();
  if (auto objection = objection_to(motion, start)) return Failure{*std::move(objection)};
  InitialState result{start.state};
  State& state = result.state;
  ConditionWatch conditions(motion);
  if (auto broken = conditions.broken(state.t, state.q, state.v, true)) {
    broken->message = "at the start, " + broken->message;
    return Failure{ModelError{m.source, {*std::move(broken)}}};
  }

  Assembly assembly(motion, start);
  const double residual = assembly.residual();
  Evaluator start_evaluator(motion);
  start_evaluator.decide_rank(state.t, state.q, state.v);
  const Eigen::VectorXd& uncertainty = start_evaluator.row_uncertainty();
  const double rate = assembly.rate(uncertainty);
  const bool positions_broken = residual > initial_tolerance;
  const bool velocities_broken = rate > initial_tolerance;
  if (!std::isfinite(residual) || !std::isfinite(rate)) {
    return Failure{
        ModelError{m.source, {explain_not_finite(motion, state, "at the initial state")}}};
  }
  if (positions_broken || velocities_broken) {
    // Only a mass matrix that is fit for a metric can tell what is nearest.
    if (start_evaluator.decide_rank(state.t, state.q, state.v) != Status::ok)
      return Failure{*mechanics_problem(motion, state)};
    State nearest = state;
    if (!assembly.find_positions(nearest)) return Failure{assembly.explain_positions()};
    if (!assembly.find_velocities(nearest)) return Failure{assembly.explain_velocities()};
    if (start.adjust == model::Adjust::none ||
        (start.adjust == model::Adjust::velocity && positions_broken)) {
      return Failure{broken_error(motion, start, nearest, positions_broken)};
    }
    state = nearest;
    result.adjusted = true;
  }
  if (auto broken = conditions.broken(state.t, state.q, state.v)) {
    broken->message = "at the start, " + broken->message;
    return Failure{ModelError{m.source, {*std::move(broken)}}};
  }
  if (auto problem = mechanics_problem(motion, state)) return Failure{*std::move(problem)};

  if (m.simulation.project != model::Project::none) {
    if (result.adjusted) start_evaluator.decide_rank(state.t, state.q, state.v);
    assembly.polish(state, m.simulation.project == model::Project::both, uncertainty);
  }
  if (motion.instants() != nullptr) {
    for (const model::Event& event : m.events) {
      if (!event.every) continue;
      const double period = model::evaluate(event.every->expr, m, motion.parameters());
      if (!(period > 0 && std::isfinite(period)))
        return Failure{
            model::error_in(m,
                            fmt::format("the period of event '{}' is {:.6g}; it must be positive",
                                        event.name, period),
                            event.every->where)};
    }
    Penetration penetration = find_penetration(motion, state);
    if (!penetration.contacts.empty()) {
      if (start.adjust != model::Adjust::nearest || !penetration.nearest)
        return Failure{penetration_error(motion, penetration)};
      state = *std::move(penetration.nearest);
      result.adjusted = true;
    }
  }
  if (result.adjusted) {
    add_largest_change(m.coordinates, "", start.state.q, state.q, result.changes);
    add_largest_change(m.coordinates, "'", start.state.v, state.v, result.changes);
  }
  return result;
}

}  // namespace dalembert::flow
