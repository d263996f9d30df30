#include "dalembert/study/linear/linearise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "dalembert/expr/graph.hpp"

namespace dalembert::study {

namespace {

using Eigen::Index;

std::string short_number(double x) {
  return fmt::format("{:.6g}", x);
}

/// In units of the model, each second; less is what a projection leaves of zero.
constexpr double least_speed = 1e-13;

double largest_speed(const State& state) {
  double largest = 0;
  for (const double v : state.v) largest = std::max(largest, std::abs(v));
  return largest;
}

bool has_time(const Motion& motion) {
  const auto& eq = motion.equations();
  std::vector<expr::Expr> roots = eq.Q;
  roots.insert(roots.end(), eq.b.begin(), eq.b.end());
  const auto C = mechanics::full_C(eq);
  roots.insert(roots.end(), C.begin(), C.end());
  for (const auto* entries : {&eq.M, &eq.A}) {
    for (const auto& entry : *entries) roots.push_back(entry.value);
  }
  for (const auto& row : eq.constraints) roots.push_back(row.residual);
  for (const expr::Expr& s : expr::symbols(roots)) {
    if (s.symbol().kind == expr::SymbolKind::time) return true;
  }
  return false;
}

/// The first acceleration that does not count as zero, largest first; nothing if none does.
std::optional<std::string> unsteady(const Motion& motion, const LocalSystem& system,
                                    double tolerance) {
  const Eigen::VectorXd a = system.calc_acceleration(), limit = system.calc_steady_limit(tolerance);
  double worst = 1;
  std::optional<std::string> found;
  for (Index i = 0; i < a.size(); ++i) {
    const double part = std::abs(a[i]) / std::max(limit[i], 1e-300);
    if (!(part > worst)) continue;
    worst = part;
    const auto coordinate =
        static_cast<std::size_t>(system.chart().independent_v()[static_cast<std::size_t>(i)]);
    found = fmt::format("{}'' = {}", motion.model().coordinates[coordinate], short_number(a[i]));
  }
  return found;
}

/// Traces of A, A^2, A^3: they change where eigenvalues do.
std::array<double, 3> traces(const Eigen::MatrixXd& A) {
  const Eigen::MatrixXd square = A * A;
  return {A.trace(), square.trace(), (square * A).trace()};
}

}  // namespace

std::vector<std::string> inputs_of(const model::Model& model) {
  std::vector<std::string> names;
  for (const std::size_t i : model.inputs) names.push_back(model.parameters[i].name);
  return names;
}

Steadiness steadiness_of(const Motion& motion, LocalSystem& system, const State& state,
                         std::string* why, bool* varies) {
  const auto say = [&](std::string text) {
    if (why != nullptr) *why = std::move(text);
    return Steadiness::moving;
  };
  if (varies != nullptr) *varies = false;
  if (const auto culprit = unsteady(motion, system, steady_tolerance)) return say(*culprit);
  const double speed = largest_speed(state);
  const bool rest = speed <= least_speed, timed = has_time(motion);
  if (rest && !timed) return Steadiness::equilibrium;

  // Followed along the path on which the independent velocities stay as they are: three radians, or
  // metres, of the fastest coordinate; three seconds at rest.
  constexpr int steps = 24, stops = 3;
  constexpr double way = 3, tolerance = 1e-6;
  const double h = way / (rest ? 1 : speed) / steps;
  const auto at_first = traces(system.calc_A());
  const double size = system.calc_A().norm();
  const flow::Chart chart = system.chart();
  State at = state;
  const auto moved = [&](const State& from, const std::vector<double>& rate, double by) {
    State to = from;
    to.t += by;
    for (std::size_t i = 0; i < to.q.size(); ++i) to.q[i] += by * rate[i];
    return chart.complete(system.derivatives(), to) ? std::optional(std::move(to)) : std::nullopt;
  };
  Steadiness found = rest ? Steadiness::equilibrium : Steadiness::steady_motion;
  for (int step = 1; step <= steps; ++step) {
    const auto k2 = moved(at, at.v, h / 2);
    const auto k3 = k2 ? moved(at, k2->v, h / 2) : std::nullopt;
    const auto k4 = k3 ? moved(at, k3->v, h) : std::nullopt;
    if (!k4) {
      found = say("its coordinates cannot continue at these velocities");
      break;
    }
    std::vector<double> mean(at.v.size());
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] = (at.v[i] + 2 * k2->v[i] + 2 * k3->v[i] + k4->v[i]) / 6;
    auto next = moved(at, mean, h);
    if (!next) {
      found = say("its coordinates cannot continue at these velocities");
      break;
    }
    at = std::move(*next);
    if (step % (steps / stops) != 0) continue;
    if (!system.look(at, true)) {
      found = say(system.problem());
      break;
    }
    if (const auto culprit = unsteady(motion, system, tolerance)) {
      found = say(fmt::format("{} at t = {}", *culprit, short_number(at.t)));
      break;
    }
    const auto now = traces(system.calc_A());
    double power = 1;
    for (std::size_t i = 0; i < now.size(); ++i) {
      power *= size;
      if (varies != nullptr && std::abs(now[i] - at_first[i]) > tolerance * power) *varies = true;
    }
  }
  system.look(state);
  return found;
}

expr::Result<Linearisation, std::string> linearise(const Motion& motion, const State& state,
                                                   const LinearisationOptions& options) {
  if (auto objection = linearisation_objection(motion)) return expr::Failure{*objection};
  std::vector<std::size_t> parameters;
  for (const std::string& name : options.inputs) {
    const auto& all = motion.model().parameters;
    const auto found =
        std::ranges::find_if(all, [&](const model::Named& one) { return one.name == name; });
    if (found == all.end()) throw std::invalid_argument("no parameter '" + name + "'");
    parameters.push_back(static_cast<std::size_t>(found - all.begin()));
  }
  LocalSystem system(motion, parameters, true);
  if (!system.look(state)) return expr::Failure{system.problem()};
  const flow::Derivatives& derivatives = system.derivatives();
  const Index state_columns = 2 * derivatives.n() + 1;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (Index j = 0; j < derivatives.m(); ++j) {
      const Index column = state_columns + static_cast<Index>(i);
      if (derivatives.residual_z()(j, column) == 0 && derivatives.rate_z()(j, column) == 0)
        continue;
      return expr::Failure{fmt::format(
          "input '{}' moves the constraint '{}': its rate would be an input too", options.inputs[i],
          motion.model().constraints[static_cast<std::size_t>(j)].name)};
    }
  }
  std::string why;
  Linearisation result;
  result.steadiness = steadiness_of(motion, system, state, &why, &result.varies);
  if (result.steadiness == Steadiness::moving && !options.any_state)
    return expr::Failure{
        fmt::format("the motion is not steady there: {}; linearisation needs an equilibrium or a "
                    "steady motion",
                    why)};
  result.point = state;
  result.depends_on_time = has_time(motion);
  for (std::size_t i = 0; i < state.v.size(); ++i) {
    if (std::abs(state.v[i]) > least_speed) result.moving.push_back(motion.model().coordinates[i]);
  }
  result.states = system.chart().names(motion);
  result.inputs = options.inputs;
  for (const model::Named& output : motion.model().outputs) result.outputs.push_back(output.name);
  result.A = system.calc_A();
  result.B = system.calc_B();
  result.C = system.calc_C();
  result.D = system.calc_D();
  result.spectrum = calc_spectrum(result.A, system.calc_A_rounding());
  const auto n = static_cast<Index>(motion.coordinates());
  result.position_rank = static_cast<int>(n - std::ssize(system.chart().independent_q()));
  result.velocity_rank = static_cast<int>(n - std::ssize(system.chart().independent_v()));
  result.kinks = flow::kinks_at(motion, state, motion.acceleration(state.t, state.q, state.v));
  return result;
}

}  // namespace dalembert::study
