#include "python/bindings/study_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/motion/limits.hpp"

namespace dalembert::python {

namespace {

constexpr double most_samples = 1e9;

[[noreturn]] void refuse(const std::string& sentence) {
  throw nb::value_error(sentence.c_str());
}

/// Options by the names they have in Python.
[[noreturn]] void raise_in_python_words(model::ModelError error) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"--vary", "vary"}, {"--stat", "statistics"}, {"--set", "parameters"}};
  for (model::Diagnostic& d : error.diagnostics) {
    for (const auto& [option, word] : words) {
      for (std::size_t at = d.message.find(option); at != std::string::npos;
           at = d.message.find(option, at + word.size())) {
        d.message.replace(at, option.size(), word);
      }
    }
  }
  raise(error);
}

/// Reads the numbers among the wishes.
class Numbers {
 public:
  explicit Numbers(const study::Plan& plan) : plan_(plan) {
    for (const auto& parameter : plan.motion().model().parameters) {
      if (!model::is_internal(parameter)) names_.push_back(parameter.name);
    }
  }

  /// Keeps `target` where nothing is asked for.
  void read(const char* option, const std::optional<std::string>& text, double low, double high,
            bool whole, const char* wanted, double& target) const {
    if (!text) return;
    const auto parsed = expr::parse(
        *text, [this](std::string_view name, int primes) { return meaning(name, primes); });
    if (!parsed) refuse(fmt::format("{} '{}': {}", option, *text, parsed.error().message));
    if (plan_.varies(*parsed)) {
      refuse(fmt::format("{} '{}': depends on what varies, but it is the same for all runs", option,
                         *text));
    }
    const motion::Motion& motion = plan_.motion();
    const double value = model::evaluate(*parsed, motion.model(), motion.parameters());
    if (!(value >= low && value <= high) || (whole && value != std::floor(value)))
      refuse(fmt::format("{} is {}: it must be {}", option, *text, wanted));
    target = value;
  }

 private:
  expr::Result<expr::Expr, std::string> meaning(std::string_view name, int primes) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end() && primes == 0) return expr::parameter(name);
    const std::string meant = expr::did_you_mean(name, names_);
    return expr::Failure{
        fmt::format("unknown name '{}'{}", name,
                    meant.empty() ? "; numbers and parameters may be used here" : meant)};
  }

  const study::Plan& plan_;
  std::vector<std::string> names_;
};

void check_times(const std::vector<double>& times, double duration) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!(times[i] >= 0 && times[i] <= duration)) {
      refuse(fmt::format("times[{}] is {}: samples are taken from 0 to the duration, {}", i,
                         times[i], duration));
    }
    if (i > 0 && !(times[i] > times[i - 1])) {
      refuse(
          fmt::format("times[{}] is {} after {}: times must increase", i, times[i], times[i - 1]));
    }
  }
}

motion::Integrator integrator_of(const std::string& name) {
  if (const auto integrator = motion::integrator_from_string(name)) return *integrator;
  const auto known = model::known_integrators();
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string meant = expr::did_you_mean(name, names);
  refuse(fmt::format(
      "no integrator '{}'{}", name,
      meant.empty() ? fmt::format("; there are {}", fmt::join(names, " and ")) : meant));
}

motion::SimulationOptions simulation_of(const Wishes& wishes, const study::Plan& plan) {
  const motion::Motion& motion = plan.motion();
  motion::SimulationOptions options = motion::simulation_options(motion);
  constexpr double tiny = std::numeric_limits<double>::min();
  constexpr double huge = std::numeric_limits<double>::max();
  const Numbers numbers(plan);
  double samples = static_cast<double>(options.samples);
  numbers.read("duration", wishes.duration, tiny, huge, false, "positive", options.duration);
  numbers.read("samples", wishes.samples, 2, most_samples, true,
               "a whole number from 2 to 1000000000", samples);
  numbers.read("rtol", wishes.rtol, tiny, 1 - 1e-9, false, "between 0 and 1", options.rtol);
  numbers.read("atol", wishes.atol, tiny, huge, false, "positive", options.atol);
  options.samples = static_cast<long>(samples);
  if (wishes.integrator) options.integrator = integrator_of(*wishes.integrator);
  const std::size_t size = motion.coordinates() + motion.constraints();
  if (options.integrator == motion::Integrator::bdf && size > motion::most_on_full_matrices) {
    refuse(fmt::format(
        "the integrator bdf works on full matrices, for up to {} coordinates and constraints "
        "together, and this model has {}; rk8 serves any number",
        motion::most_on_full_matrices, size));
  }
  if (wishes.duration || wishes.samples) options.times.clear();
  if (!wishes.times.empty()) {
    options.times = wishes.times;
    if (!wishes.duration) options.duration = wishes.times.back();
  } else if (!wishes.duration && plan.duration_varies()) {
    raise(model::error_in(
        motion.model(),
        "the duration depends on what varies, but all runs take the same time: give duration",
        motion.model().simulation.duration.where));
  }
  if (!(std::isfinite(options.duration) && options.duration > 0)) {
    raise(model::error_in(motion.model(),
                          fmt::format("the duration must be positive, not {}", options.duration),
                          motion.model().simulation.duration.where));
  }
  check_times(wishes.times, options.duration);
  return options;
}

std::uint64_t runs_of(const Wishes& wishes, const study::Plan& plan) {
  if (!wishes.runs) {
    for (const study::Variation& variation : plan.variations()) {
      if (!study::is_random(variation)) continue;
      refuse(fmt::format("runs is needed: '{}' is drawn at random, so there is no end to it",
                         variation.name));
    }
    return study::grid_size(plan.variations());
  }
  double runs = 0;
  Numbers(plan).read("runs", wishes.runs, 1, static_cast<double>(study::most_runs), true,
                     "a whole number from 1 to 1000000000", runs);
  return static_cast<std::uint64_t>(runs);
}

}  // namespace

study::Study make_study(const PyModel& model, const std::map<std::string, std::string>& settings,
                        const std::optional<std::string>& method,
                        const std::vector<std::string>& vary, std::uint64_t seed,
                        const Wishes& wishes, const std::vector<std::string>& statistics) {
  std::atomic<bool> ignored = false;
  std::optional<model::Result<study::Plan, model::ModelError>> plan;
  if (run_interruptibly(ignored, [&] {
        plan.emplace(study::make_plan(*model.model, {settings, method, vary, seed}));
      }))
    throw nb::python_error();
  if (!*plan) raise_in_python_words(plan->error());
  const std::uint64_t runs = runs_of(wishes, **plan);
  auto simulation = simulation_of(wishes, **plan);
  auto wanted = study::read_statistics((*plan)->motion(), statistics);
  if (!wanted) raise_in_python_words(wanted.error());
  return {**std::move(plan),
          runs,
          std::move(simulation),
          *std::move(wanted),
          wishes.samples.has_value() || !wishes.times.empty(),
          settings,
          "dalembert " DALEMBERT_VERSION};
}

}  // namespace dalembert::python
