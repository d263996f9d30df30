#include "dalembert/study/linear/sensitivities.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/study/linear/instant_sensitivities.hpp"
#include "dalembert/study/linear/jumps_as_events.hpp"
#include "dalembert/study/linear/start_rates.hpp"
#include "dalembert/study/linear/variational_integration.hpp"

namespace dalembert::study {

namespace {

using Eigen::Index;

void run_through_instants(const Motion& motion, const motion::SimulationOptions& options,
                          const Eigen::MatrixXd& starts, std::vector<std::size_t> theta,
                          const flow::State& start, Sensitivities& result) {
  const auto jumps = [&](const model::Event& event) {
    return stands_for_jump(motion.model(), event);
  };
  if (options.event_rows && std::ranges::any_of(motion.model().events, jumps)) {
    result.reason =
        "rows on both sides of events cannot be distinguished from those of jumps in the equations";
    return;
  }
  for (const std::size_t i : motion.model().discretes) {
    if (std::ranges::find(theta, i) == theta.end()) theta.push_back(i);
  }
  const Index p = starts.rows() - 2 * static_cast<Index>(motion.coordinates());
  Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(std::ssize(theta), starts.cols());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (static_cast<Index>(theta[i]) < p)  // else a discrete that stands for a jump
      rates.row(static_cast<Index>(i)) = starts.row(static_cast<Index>(theta[i]));
  }
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < motion.outputs().size(); ++i) {
    const bool own = i < motion.model().outputs.size();
    const std::string& name = motion.outputs()[i].name;
    if (!own && !name.starts_with(model::reaction_prefix)) continue;
    outputs.push_back(i);
    if (!own) result.quantities.push_back(name);
  }
  const auto kernels =
      flow::make_instant_derivative_kernels(motion, std::move(theta), std::move(outputs));
  integrate_through_instants(motion, options, kernels, start,
                             starts.bottomRows(2 * static_cast<Index>(motion.coordinates())), rates,
                             result);
}

}  // namespace

expr::Result<ParameterRates, std::string> parameter_rates(
    const Motion& motion, const std::map<std::string, std::string>& settings,
    const std::vector<std::string>& names) {
  const auto p = std::ssize(motion.parameters());
  Eigen::MatrixXd all(p, std::ssize(names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (parameter_index(motion, names[i]) == motion.parameters().size()) {
      std::vector<std::string> known;
      for (const model::Named& one : motion.model().parameters) {
        if (!model::is_internal(one)) known.push_back(one.name);
      }
      return expr::Failure{
          fmt::format("unknown parameter '{}'{}", names[i], expr::did_you_mean(names[i], known))};
    }
    auto column = StartMap(motion, settings, {}, true).derivative(names[i]);
    if (!column) return expr::Failure{column.error()};
    all.col(static_cast<Index>(i)) = *column;
  }
  ParameterRates result;
  for (Index i = 0; i < p; ++i) {
    if (all.row(i).cwiseAbs().sum() > 0) result.parameters.push_back(static_cast<std::size_t>(i));
  }
  result.rates.resize(std::ssize(result.parameters), all.cols());
  for (std::size_t i = 0; i < result.parameters.size(); ++i)
    result.rates.row(static_cast<Index>(i)) = all.row(static_cast<Index>(result.parameters[i]));
  return result;
}

std::optional<std::string> objection_to_name(const Motion& motion, const std::string& name) {
  std::vector<std::string> known;
  for (const model::Named& one : motion.model().parameters) {
    if (!model::is_internal(one)) known.push_back(one.name);
  }
  for (const std::string& coordinate : motion.model().coordinates) {
    known.push_back(coordinate);
    known.push_back(coordinate + "'");
  }
  if (std::ranges::find(known, name) != known.end()) return std::nullopt;
  return fmt::format("'{}' is neither a parameter nor an initial value{}", name,
                     expr::did_you_mean(name, known));
}

std::optional<std::string> objection_to_sensitivities(const Motion& motion) {
  if (model::has_instants(motion.model())) return std::nullopt;
  return linearisation_objection(motion);
}

namespace {

std::vector<std::string> quantities_of(const Motion& motion) {
  std::vector<std::string> list;
  for (const char* primes : {"", "'", "''"}) {
    for (const std::string& name : motion.model().coordinates) list.push_back(name + primes);
  }
  for (const model::Named& output : motion.model().outputs) list.push_back(output.name);
  return list;
}

std::vector<std::string> columns_of(const std::vector<std::string>& quantities,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> list;
  for (const std::string& quantity : quantities) {
    for (const std::string& name : names)
      list.push_back(fmt::format("d({})/d({})", quantity, name));
  }
  return list;
}

}  // namespace

std::vector<std::string> sensitivity_columns(const Motion& motion,
                                             const std::vector<std::string>& names) {
  return columns_of(quantities_of(motion), names);
}

std::vector<std::string> Sensitivities::columns() const {
  return columns_of(quantities, names);
}

const flow::DerivativeKernels& SensitivityKernels::by(const Motion& motion,
                                                      const std::vector<std::size_t>& parameters) {
  const std::lock_guard lock(mutex_);
  auto& kernels = made_[parameters];
  if (!kernels) {
    kernels = std::make_unique<const flow::DerivativeKernels>(
        flow::make_derivative_kernels(motion, parameters, true));
  }
  return *kernels;
}

expr::Result<VariedStart, std::string> varied_start(const Motion& motion,
                                                    const SensitivityRequest& request) {
  const auto p = std::ssize(motion.parameters());
  const auto n = static_cast<Index>(motion.coordinates());
  VariedStart varied;
  varied.rates.resize(p + 2 * n, std::ssize(request.names));
  const StartMap map(motion, request.settings, request.given);
  for (std::size_t i = 0; i < request.names.size(); ++i) {
    if (auto unknown = objection_to_name(motion, request.names[i])) return expr::Failure{*unknown};
    auto column = map.derivative(request.names[i]);
    if (!column)
      return expr::Failure{fmt::format("the start near this value of '{}' cannot be found: {}",
                                       request.names[i], column.error())};
    varied.rates.col(static_cast<Index>(i)) = *column;
  }
  for (Index i = 0; i < p; ++i) {
    if (varied.rates.row(i).cwiseAbs().sum() > 0)
      varied.parameters.push_back(static_cast<std::size_t>(i));
  }
  const auto written = flow::written_start(motion, request.given);
  if (!written) return expr::Failure{to_string(written.error())};
  auto start = flow::initial_state(motion, *written);
  if (!start) return expr::Failure{to_string(start.error())};
  varied.start = std::move(start->state);
  return varied;
}

namespace {

/// To second order: d^2 p/ds dr of all parameters, then d^2 x_0/ds dr, a column for each pair.
expr::Result<Eigen::MatrixXd, std::string> second_start(const Motion& motion,
                                                        const SensitivityRequest& request) {
  const StartMap map(motion, request.settings, request.given);
  const auto pairs = pairs_of(std::ssize(request.names));
  Eigen::MatrixXd all(
      std::ssize(motion.parameters()) + 2 * static_cast<Index>(motion.coordinates()),
      std::ssize(pairs));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto column = map.second(request.names[static_cast<std::size_t>(pairs[k].first)],
                                   request.names[static_cast<std::size_t>(pairs[k].second)]);
    if (!column) return expr::Failure{column.error()};
    all.col(static_cast<Index>(k)) = *column;
  }
  return all;
}

}  // namespace

Eigen::MatrixXd VariedStart::parameter_rates(const Eigen::MatrixXd& of_all) const {
  Eigen::MatrixXd rows(std::ssize(parameters), of_all.cols());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    rows.row(static_cast<Index>(i)) = of_all.row(static_cast<Index>(parameters[i]));
  return rows;
}

double Sensitivities::second_by(std::size_t sample, std::size_t quantity, std::size_t s,
                                std::size_t r) const {
  if (s > r) std::swap(s, r);
  const std::size_t k = names.size(), pairs = k * (k + 1) / 2;
  const std::size_t pair = s * k - s * (s + 1) / 2 + r;
  const std::size_t quantities_of_state = states.size() / t.size();
  return second[(sample * quantities_of_state + quantity) * pairs + pair];
}

expr::Result<Sensitivities, std::string> sensitivities(const Motion& motion,
                                                       const motion::SimulationOptions& options,
                                                       const SensitivityRequest& request,
                                                       SensitivityKernels* shared) {
  if (auto objection = objection_to_sensitivities(motion)) return expr::Failure{*objection};
  if (request.order != 1 && request.order != 2)
    return expr::Failure{
        fmt::format("derivatives of order 1 and 2 are known, not {}", request.order)};
  Sensitivities result;
  result.names = request.names;
  result.quantities = quantities_of(motion);
  auto varied = varied_start(motion, request);
  if (!varied) return expr::Failure{varied.error()};
  const Index states = 2 * static_cast<Index>(motion.coordinates());
  const auto jumping = with_jumps_as_events(motion, varied->start, varied->parameters);
  if (!jumping && model::has_instants(motion.model())) return expr::Failure{jumping.error()};
  if (jumping && model::has_instants(jumping->model())) {
    if (request.order == 2)
      return expr::Failure{
          "second derivatives are known of smooth motions only, and this model has events, "
          "contacts, friction that sticks, or equations that jump"};
    motion::SimulationOptions through = options;
    through.event_rows = options.event_rows && model::has_instants(motion.model());
    run_through_instants(*jumping, through, varied->rates, varied->parameters, varied->start,
                         result);
    return result;
  }
  SensitivityKernels own;
  const flow::DerivativeKernels& kernels =
      (shared != nullptr ? *shared : own).by(motion, varied->parameters);
  VariationalProblem problem{motion, options, kernels, varied->parameters,
                             varied->parameter_rates(varied->rates)};
  if (request.order == 1) {
    VariationalIntegration(problem, result)
        .run(varied->start, varied->rates.bottomRows(states), {});
    return result;
  }
  const auto curved = second_start(motion, request);
  if (!curved) return expr::Failure{curved.error()};
  const flow::SecondKernels second = flow::make_second_kernels(motion, varied->parameters);
  problem.second = &second;
  problem.P2 = varied->parameter_rates(*curved);
  VariationalIntegration(problem, result)
      .run(varied->start, varied->rates.bottomRows(states), curved->bottomRows(states));
  return result;
}

}  // namespace dalembert::study
