#include "dalembert/flow/state/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/solve/names.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using model::Model;

constexpr int most_trials = 3;             // beside a start from which no direction leads on
constexpr std::size_t most_residuals = 6;  ///< that are shown

bool holds_velocity(const std::string& name) {
  return name.ends_with('\'');
}

/// The coordinates that are held at this order.
std::vector<std::size_t> held_indices(const Model& m, const std::vector<std::string>& hold,
                                      bool velocities) {
  std::vector<std::size_t> result;
  for (const std::string& name : hold) {
    if (holds_velocity(name) != velocities) continue;
    const std::string bare = velocities ? name.substr(0, name.size() - 1) : name;
    const auto found = std::find(m.coordinates.begin(), m.coordinates.end(), bare);
    result.push_back(static_cast<std::size_t>(found - m.coordinates.begin()));
  }
  return result;
}

std::string free_constraint_name(const Model& m, std::string name) {
  const auto taken = [&] {
    return std::any_of(m.constraints.begin(), m.constraints.end(),
                       [&](const model::Constraint& c) { return c.name == name; });
  };
  while (taken()) name += " (initial)";
  return name;
}

std::string free_parameter_name(const Model& m, std::string name) {
  const auto taken = [&] {
    return std::find(m.coordinates.begin(), m.coordinates.end(), name) != m.coordinates.end() ||
           std::any_of(m.parameters.begin(), m.parameters.end(),
                       [&](const model::Named& p) { return p.name == name; });
  };
  while (taken()) name += '_';
  return name;
}

/// The model with held values as constraints, and without what has no say in where it is: forces,
/// outputs, the method and what it needs. The values are parameters behind those of the model.
Model with_holds(const Motion& motion, const std::vector<std::string>& hold, bool velocities) {
  Model m = motion.model();
  m.potential.reset();
  m.dissipation.reset();
  m.forces.assign(m.coordinates.size(), {});
  m.virtual_work.assign(m.coordinates.size(), {});
  m.quasi_velocities.clear();
  m.independent.clear();
  m.outputs.clear();
  m.frictions.clear();
  m.reactions.clear();
  m.initial.mu.clear();
  m.initial.hold.clear();
  m.simulation.method = "m-inverse";
  m.simulation.integrator = "rk8";
  // Any values will do: who uses the motion brings theirs.
  for (std::size_t k = 0; k < m.parameters.size(); ++k)
    m.parameters[k].expr = Expr(motion.parameters()[k]);
  for (const std::size_t i : held_indices(m, hold, velocities)) {
    const model::Location where = (velocities ? m.initial.v : m.initial.q)[i].where;
    const std::string& name = m.coordinates[i];
    const std::string value = free_parameter_name(m, name + "_held");
    m.parameters.push_back({value, Expr(0), {}});
    m.constraints.push_back(
        {free_constraint_name(m, fmt::format("hold {}{}", name, velocities ? "'" : "")),
         expr::coordinate(name, velocities ? 1 : 0) - expr::parameter(value), 1, where});
  }
  return m;
}

Motion compiled(const Motion& motion, const std::vector<std::string>& hold, bool velocities) {
  auto result = compile(with_holds(motion, hold, velocities));
  if (!result) {
    throw std::logic_error("a model with held initial values is refused: " +
                           to_string(result.error()));
  }
  return *std::move(result);
}

/// What may be done about a start that cannot be brought onto the constraints, of which those
/// behind the first `original` hold a value; nothing if they contradict each other wherever it is.
std::string remedy(const Motion& motion, std::size_t original, const Projector::Obstacle& obstacle,
                   bool asked) {
  const auto& constraints = motion.model().constraints;
  std::vector<std::string> held;
  for (const std::size_t j : obstacle.constraints) {
    if (j < original) continue;
    const auto symbol = expr::find_symbol(constraints[j].residual, [](const expr::Symbol& s) {
      return s.kind == expr::SymbolKind::coordinate;
    });
    held.push_back(expr::to_text(*symbol));
  }
  if (held.empty() && obstacle.contradiction) return {};
  if (held.empty() && asked)
    return "  write other values in [initial]; name those that are known in hold = [...]; the "
           "others are found near the values written";
  if (held.empty())
    return "  write other values in [initial], or set adjust = \"nearest\", which searches "
           "farther, with hold = [...] for those that are known";
  return fmt::format("  write {} for {} in [initial], or leave {} out of hold = [...]",
                     held.size() == 1 ? "another value" : "other values", quoted_list(held),
                     held.size() == 1 ? "it" : "one of them");
}

/// `original`: the number of constraints without those that hold a value.
ModelError obstacle_error(const Motion& motion, std::size_t original,
                          const Projector::Obstacle& obstacle, const Projector& projector,
                          bool positions, bool asked) {
  const auto& constraints = motion.model().constraints;
  std::vector<std::string> names;
  std::string left;
  for (const std::size_t j : obstacle.constraints) {
    names.push_back(constraints[j].name);
    if (names.size() > most_residuals) continue;
    const double residual = positions ? projector.residuals()[j] : projector.rates()[j];
    left += fmt::format("{}{:.6g}", left.empty() ? "" : ", ", residual);
  }
  if (names.size() > most_residuals) left += ", ...";
  const std::string kind = positions ? "positions" : "velocities";
  std::string message;
  if (names.empty()) {
    message = fmt::format(
        "the search for {} near the initial state that satisfy the constraints did not finish: "
        "start closer",
        kind);
  } else if (names.size() == 1) {
    message = fmt::format(
        "no {} near the initial state satisfy constraint '{}': the search ended with residual {}",
        kind, names.front(), left);
  } else {
    message = fmt::format(
        "constraints {} {}: no {} {}satisfy them all; the best compromise leaves "
        "residuals {}",
        quoted_list(names), obstacle.contradiction ? "contradict each other" : "conflict", kind,
        obstacle.contradiction ? "" : "near the initial state ", left);
  }
  std::vector<std::string> details;
  for (const std::size_t j : obstacle.constraints) {
    if (projector.row_norm(j) == 0) {
      details.push_back(fmt::format(
          "  all derivatives of constraint '{}' vanish where the search ended, so no direction "
          "leads on: start elsewhere",
          constraints[j].name));
    }
  }
  const std::string advice = names.empty() ? "" : remedy(motion, original, obstacle, asked);
  if (!advice.empty()) details.push_back(advice);
  model::Location where;
  if (!names.empty()) {
    const bool many = names.size() > most_residuals;  // then the largest residual stands first
    where = constraints[many ? obstacle.constraints.front() : obstacle.constraints.back()].where;
  }
  return {
      motion.model().source,
      {{(asked ? "the start cannot be assembled: " : "") + message, where, std::move(details)}}};
}

}  // namespace

HeldMotions AssemblyLibrary::get(const Motion& motion, const Start& start) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = compiled_.try_emplace(start.hold);
  Compiled& held = found->second;
  if (is_new) {
    const auto velocities = std::count_if(start.hold.begin(), start.hold.end(), holds_velocity);
    if (velocities != std::ssize(start.hold)) held.positions = compiled(motion, start.hold, false);
    if (velocities != 0) held.velocities = compiled(motion, start.hold, true);
  }
  const auto at_values = [&](const std::optional<Motion>& original, bool velocities) {
    if (!original) return motion;
    std::vector<double> values = motion.parameters();
    for (const std::size_t i : held_indices(motion.model(), start.hold, velocities))
      values.push_back((velocities ? start.state.v : start.state.q)[i]);
    return original->with_parameters(std::move(values));
  };
  return {at_values(held.positions, false), at_values(held.velocities, true)};
}

std::shared_ptr<const Model> AssemblyLibrary::freed(const Model& model,
                                                    const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  if (const auto found = freed_.find(names); found != freed_.end()) return found->second;
  auto made = std::make_shared<const Model>(model::with_free_initial_values(model, names));
  return freed_.emplace(names, std::move(made)).first->second;
}

Assembly::Assembly(const Motion& motion, const Start& start)
    : written_(start.state),
      adjust_(start.adjust),
      constraints_(motion.constraints()),
      held_positions_(held_indices(motion.model(), start.hold, false)),
      held_velocities_(held_indices(motion.model(), start.hold, true)),
      motions_(motion.held_motions(start)),
      positions_(motions_.positions) {
  if (!start.hold.empty()) apart_.emplace(motions_.velocities);
}

double Assembly::residual() {
  positions_.measure(written_.t, written_.q, written_.v);
  return positions_.largest_scaled_residual();
}

double Assembly::rate(const Eigen::VectorXd& uncertainty) {
  velocities().measure(written_.t, written_.q, written_.v);
  return velocities().largest_scaled_rate(uncertainty);
}

void Assembly::restore_positions(State& state) const {
  for (const std::size_t i : held_positions_) state.q[i] = written_.q[i];
}

void Assembly::restore_velocities(State& state) const {
  for (const std::size_t i : held_velocities_) state.v[i] = written_.v[i];
}

bool Assembly::find_positions(State& state) {
  const std::vector<double> given = state.q;
  bool found = positions_.nearest_positions(state.t, state.q, state.v).converged;
  // A start on a symmetry of the constraints, a right angle to where it should be say, gives the
  // search no direction: from beside it there is one.
  const bool asked = adjust_ == model::Adjust::nearest;
  for (int trial = 1; asked && trial <= most_trials && !found; ++trial) {
    double sign = 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto step = static_cast<double>((7 * i + 3 * static_cast<std::size_t>(trial)) % 5 + 1);
      state.q[i] = given[i] + sign * 0.02 * trial * step * (1 + std::abs(given[i])) / 5;
      sign = -sign;
    }
    found = positions_.nearest_positions(state.t, state.q, state.v).converged;
  }
  if (!found) {
    // What is told belongs to the start as it was given.
    state.q = given;
    return positions_.nearest_positions(state.t, state.q, state.v).converged;
  }
  restore_positions(state);
  return true;
}

bool Assembly::find_velocities(State& state) {
  if (!velocities().nearest_velocities(state.t, state.q, state.v).converged) return false;
  restore_velocities(state);
  return true;
}

ModelError Assembly::explain_positions() {
  return obstacle_error(motions_.positions, constraints_, positions_.obstacle_to_positions(),
                        positions_, true, adjust_ == model::Adjust::nearest);
}

ModelError Assembly::explain_velocities() {
  return obstacle_error(motions_.velocities, constraints_, velocities().obstacle_to_velocities(),
                        velocities(), false, adjust_ == model::Adjust::nearest);
}

bool Assembly::polish(State& state, bool positions_too, const Eigen::VectorXd& uncertainty) {
  positions_.set_row_uncertainty(uncertainty);
  velocities().set_row_uncertainty(uncertainty);
  if (positions_.decide(state.t, state.q, state.v) != Status::ok ||
      velocities().decide(state.t, state.q, state.v) != Status::ok)
    return false;
  if (positions_too) {
    positions_.positions(state.t, state.q, state.v);
    restore_positions(state);
  }
  velocities().velocities(state.t, state.q, state.v);
  restore_velocities(state);
  return true;
}

}  // namespace dalembert::flow
