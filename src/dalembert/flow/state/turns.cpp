#include "dalembert/flow/state/turns.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/values.hpp"

namespace dalembert::flow {

namespace {

// Half a turn away from its reference an angle jumps. A reference is at most `leash` behind, and a
// step turns by no more than `stride`, with what is left for its stages.
constexpr double leash = 1, stride = 1.5;

std::size_t parameter_number(const model::Model& model, const std::string& name) {
  const auto found = std::ranges::find(model.parameters, name, &model::Named::name);
  return static_cast<std::size_t>(found - model.parameters.begin());
}

}  // namespace

std::vector<std::string> hinges_that_count(const Motion& motion) {
  const mechanics::Equations& eq = motion.equations();
  std::vector<expr::Expr> used;
  for (const auto* entries : {&eq.M, &eq.A}) {
    for (const mechanics::Entry& entry : *entries) used.push_back(entry.value);
  }
  for (const auto* list : {&eq.Q, &eq.b, &eq.C})
    used.insert(used.end(), list->begin(), list->end());
  for (const model::Friction& friction : motion.model().frictions)
    used.insert(used.end(), friction.direction.begin(), friction.direction.end());
  const std::vector<expr::Expr> symbols = expr::symbols(used);
  std::vector<std::string> names;
  for (const model::Joint& joint : motion.model().joints) {
    const auto is_it = [&](const expr::Expr& s) { return s.symbol().name == joint.near; };
    if (!joint.near.empty() && std::ranges::any_of(symbols, is_it)) names.push_back(joint.name);
  }
  return names;
}

TurnCounter::TurnCounter(const Motion& motion) {
  std::vector<expr::Expr> outputs, rates;
  for (const model::Joint& joint : motion.model().joints) {
    if (joint.near.empty()) continue;
    outputs.push_back(joint.position.front());
    rates.push_back(joint.rate.front());
    places_.push_back(parameter_number(motion.model(), joint.near));
  }
  if (outputs.empty()) return;
  outputs.insert(outputs.end(), rates.begin(), rates.end());
  const mechanics::Equations& eq = motion.equations();
  kernel_ = codegen::make_kernel(codegen::make_tape(outputs, state_symbols(eq), eq.parameters));
  parameters_ = motion.parameters();
  workspace_ = kernel_.workspace(parameters_);
  inputs_.resize(kernel_.inputs());
  out_.resize(outputs.size());
  angles_.assign(rates.size(), 0.0);
  rates_.assign(rates.size(), 0.0);
}

void TurnCounter::look(double t, std::span<const double> q, std::span<const double> v) {
  inputs_[0] = t;
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(q.size()));
  kernel_.evaluate(workspace_, inputs_, out_);
  if (!started_) return;
  const std::size_t count = angles_.size();
  for (std::size_t i = 0; i < count; ++i) {
    constexpr double turn = 2 * std::numbers::pi;
    const double expected = angles_[i] + (t - t_) * (rates_[i] + out_[count + i]) / 2;
    const double turns = std::round((expected - out_[i]) / turn);
    if (std::isfinite(turns)) out_[i] += turn * turns;
  }
}

bool TurnCounter::count(double t, std::span<const double> q, std::span<const double> v) {
  if (empty()) return false;
  look(t, q, v);
  started_ = true;
  t_ = t;
  const std::size_t count = angles_.size();
  bool moved = false;
  for (std::size_t i = 0; i < count; ++i) {
    angles_[i] = out_[i];
    rates_[i] = out_[count + i];
    if (!(std::abs(angles_[i] - parameters_[places_[i]]) > leash)) continue;
    parameters_[places_[i]] = angles_[i];
    moved = true;
  }
  if (moved) kernel_.bind(workspace_, 0, parameters_);
  return moved;
}

bool TurnCounter::is_too_far(double t, std::span<const double> q, std::span<const double> v) {
  if (empty()) return false;
  look(t, q, v);
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    if (std::abs(out_[i] - angles_[i]) > stride) return true;
  }
  return false;
}

double TurnCounter::longest_step() const {
  double fastest = 0;
  for (const double rate : rates_) fastest = std::max(fastest, std::abs(rate));
  return fastest > 0 ? stride / fastest : std::numeric_limits<double>::infinity();
}

RecordedTurns::RecordedTurns(const Motion& motion) : parameters_(motion.parameters()) {
  for (const model::Joint& joint : motion.model().joints) {
    if (joint.near.empty()) continue;
    const auto& outputs = motion.outputs();
    const auto found = std::ranges::find(outputs, joint.name + ".angle", &model::Named::name);
    if (found == outputs.end()) continue;  // by a method without reactions
    places_.push_back({parameter_number(motion.model(), joint.near),
                       static_cast<std::size_t>(found - outputs.begin())});
  }
}

const std::vector<double>& RecordedTurns::parameters(std::span<const double> outputs) {
  for (const Place& place : places_) {
    if (std::isfinite(outputs[place.output])) parameters_[place.parameter] = outputs[place.output];
  }
  return parameters_;
}

}  // namespace dalembert::flow
