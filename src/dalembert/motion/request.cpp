#include "dalembert/motion/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "dalembert/expr/suggest.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/tapes/extended_flow.hpp"
#include "dalembert/motion/extended_run.hpp"
#include "dalembert/solve/entry_solver.hpp"

namespace dalembert::motion {

namespace {

using Refused = std::optional<Refusal>;

/// A whole number within bounds, put where it belongs.
Refused take(Option option, const std::optional<double>& given, long least, long most,
             long& target) {
  if (!given) return std::nullopt;
  const double x = *given;
  if (!(x >= static_cast<double>(least) && x <= static_cast<double>(most)) || x != std::floor(x))
    return Refusal{option, fmt::format("must be a whole number from {} to {}", least, most)};
  target = static_cast<long>(x);
  return std::nullopt;
}

/// A positive number below `most`.
Refused take(Option option, const std::optional<double>& given, double most, double& target) {
  if (!given) return std::nullopt;
  if (!model::is_between(*given, most))
    return Refusal{option, std::isfinite(most) ? "must be between 0 and 1" : "must be positive"};
  target = *given;
  return std::nullopt;
}

/// The end counts from the start, and so many of the model's times are left.
Refused take_from(const SimulationRequest& request, SimulationOptions& options) {
  if (!request.from) return std::nullopt;
  if (!std::isfinite(*request.from)) return Refusal{Option::from, "must be finite"};
  options.from = *request.from;
  if (request.duration || options.times.empty()) {
    options.duration += options.from;
    return std::nullopt;
  }
  std::erase_if(options.times, [&](double t) { return t < options.from; });
  if (options.times.empty() || options.duration <= options.from)
    return Refusal{Option::from, fmt::format("is not before the last of the model's times, {}",
                                             options.duration)};
  return std::nullopt;
}

Refused take_times(const SimulationRequest& request, SimulationOptions& options) {
  if (request.duration || request.samples) options.times.clear();
  if (!request.times) return std::nullopt;
  const auto refused = [](std::string sentence) {
    return Refusal{Option::times, std::move(sentence), true};
  };
  const std::vector<double>& times = *request.times;
  if (request.samples) return refused("give samples or times, not both");
  if (times.empty()) return refused("times must not be empty");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]))
      return refused(fmt::format("times[{}] is not a finite number", i));
    if (request.from && times[i] < *request.from)
      return refused(
          fmt::format("times[{}] is {}, before the start at {}", i, times[i], *request.from));
    if ((!request.from && times[i] < 0) || (i > 0 && times[i] <= times[i - 1])) {
      return refused(fmt::format("times must not be negative and must increase: times[{}] is {}{}",
                                 i, times[i], i > 0 ? fmt::format(" after {}", times[i - 1]) : ""));
    }
  }
  if (!request.duration && times.back() == options.from)
    return refused(options.from == 0 ? "the last of the times must be positive"
                                     : "the last of the times must be after the start");
  if (request.duration && options.duration < times.back()) {
    return refused(fmt::format("the last of the times, {}, is beyond the duration, {}",
                               times.back(), options.duration));
  }
  options.times = times;
  if (!request.duration) options.duration = times.back();
  return std::nullopt;
}

Refused take_integrator(const std::optional<std::string>& given, const Motion& motion,
                        Integrator& target) {
  if (given) {
    const auto integrator = integrator_from_string(*given);
    if (!integrator) {
      const auto known = model::known_integrators();
      const std::vector<std::string> names(known.begin(), known.end());
      const std::string meant = expr::did_you_mean(*given, names);
      const auto others = std::span(names).first(names.size() - 1);
      const std::string all =
          fmt::format("; there are {} and {}", fmt::join(others, ", "), names.back());
      return Refusal{Option::integrator,
                     fmt::format("no integrator '{}'{}", *given, meant.empty() ? all : meant)};
    }
    target = *integrator;
  }
  if (motion.instants() != nullptr && target == Integrator::taylor)
    return Refusal{
        Option::integrator,
        "motions with events, contacts and friction that sticks are integrated by rk8 or "
        "bdf, and not by taylor",
        true, true, given ? model::Location{} : motion.model().simulation.integrator_where};
  const std::size_t size = motion.coordinates() + motion.constraints();
  if (target != Integrator::bdf || size <= most_on_full_matrices) return std::nullopt;
  return Refusal{Option::integrator,
                 fmt::format("integrator bdf works on full matrices, for up to {} coordinates and "
                             "constraints together, and this model has {}; rk8 has no such limit",
                             most_on_full_matrices, size),
                 true, true,
                 given ? model::Location{} : motion.model().simulation.integrator_where};
}

/// After `take_integrator` and the tolerances. In extended precision the integrator is taylor.
Refused take_precision(const SimulationRequest& request, const Motion& motion,
                       SimulationOptions& options) {
  if (request.precision) {
    const auto precision = precision_from_string(*request.precision);
    if (!precision) {
      const auto known = model::known_precisions();
      const std::string meant = expr::did_you_mean(
          *request.precision, std::vector<std::string>(known.begin(), known.end()));
      return Refusal{Option::precision,
                     fmt::format("no precision '{}'{}", *request.precision,
                                 meant.empty() ? "; there are double and extended" : meant)};
    }
    options.precision = *precision;
  }
  if (options.precision != Precision::extended) return std::nullopt;
  const model::Simulation& said = motion.model().simulation;
  const model::Location where = request.precision ? model::Location{} : said.precision_where;
  const auto refused = [](std::string why, model::Location at) {
    return Refusal{Option::precision, "precision extended: " + std::move(why), true, true, at};
  };
  if (request.many) return refused("it is for single runs; sweeps compute in doubles", where);
  // rk8 that nobody chose gives way.
  const bool chosen = request.integrator || said.integrator_where.line > 0;
  if (options.integrator == Integrator::bdf || (options.integrator == Integrator::rk8 && chosen)) {
    return refused(fmt::format("it uses taylor, not {}", to_string(options.integrator)),
                   request.integrator ? model::Location{} : said.integrator_where);
  }
  if (options.rtol < least_extended_rtol)
    return refused(fmt::format("rtol {:g} is below what its rounding allows, {:g}", options.rtol,
                               least_extended_rtol),
                   where);
  options.integrator = Integrator::taylor;
  if (!request.atol && said.atol == SimulationOptions{}.atol)
    options.atol = std::min(options.atol, extended_atol(options.rtol));
  const auto start = initial_state(motion);
  if (!start) return std::nullopt;  // who asks for the start is told
  const auto flow = make_extended_flow(motion, start->state);
  if (!flow) return refused(flow.error(), where);
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Option option) {
  switch (option) {
    case Option::from:
      return "from";
    case Option::duration:
      return "duration";
    case Option::samples:
      return "samples";
    case Option::times:
      return "times";
    case Option::rtol:
      return "rtol";
    case Option::atol:
      return "atol";
    case Option::integrator:
      return "integrator";
    case Option::precision:
      return "precision";
    case Option::max_steps:
      return "max_steps";
    case Option::max_step:
      return "max_step";
  }
  return {};
}

Result<SimulationOptions, Refusal> requested_options(const SimulationRequest& request,
                                                     const Motion& motion) {
  SimulationOptions options = simulation_options(motion);
  Refused refused = take(Option::duration, request.duration, HUGE_VAL, options.duration);
  if (!refused) refused = take_from(request, options);
  if (!refused)
    refused = take(Option::samples, request.samples, 2, request.most_samples, options.samples);
  if (!refused) refused = take(Option::rtol, request.rtol, 1, options.rtol);
  if (!refused) refused = take(Option::atol, request.atol, HUGE_VAL, options.atol);
  if (!refused) {
    refused =
        take(Option::max_steps, request.max_steps, 1, model::largest_steps, options.max_steps);
  }
  if (!refused) refused = take(Option::max_step, request.max_step, HUGE_VAL, options.max_step);
  if (!refused) refused = take_times(request, options);
  if (!refused) refused = take_integrator(request.integrator, motion, options.integrator);
  if (!refused) refused = take_precision(request, motion, options);
  if (!refused && !model::is_between(options.duration - options.from, HUGE_VAL)) {
    refused = Refusal{
        Option::duration,
        fmt::format("the duration must be positive, not {}", options.duration - options.from), true,
        true, motion.model().simulation.duration.where};
  }
  if (refused) return expr::Failure{*std::move(refused)};
  return options;
}

}  // namespace dalembert::motion
