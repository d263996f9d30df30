#include "python/bindings/study_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/suggest.hpp"
#include "python/bindings/refusal.hpp"

namespace dalembert::python {

namespace {

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

  /// The value of an option, where something is asked for.
  std::optional<double> read(const char* option, const std::optional<std::string>& text) const {
    if (!text) return std::nullopt;
    const auto parsed = expr::parse(
        *text, [this](std::string_view name, int primes) { return meaning(name, primes); });
    if (!parsed) refuse(fmt::format("{} '{}': {}", option, *text, parsed.error().message));
    if (plan_.varies(*parsed)) {
      refuse(fmt::format("{} '{}': depends on what varies, but it is the same for all runs", option,
                         *text));
    }
    const motion::Motion& motion = plan_.motion();
    return model::evaluate(*parsed, motion.model(), motion.parameters());
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

motion::SimulationOptions simulation_of(const Wishes& wishes, const study::Plan& plan) {
  const motion::Motion& motion = plan.motion();
  const Numbers numbers(plan);
  motion::SimulationRequest request;
  request.duration = numbers.read("duration", wishes.duration);
  request.samples = numbers.read("samples", wishes.samples);
  request.rtol = numbers.read("rtol", wishes.rtol);
  request.atol = numbers.read("atol", wishes.atol);
  request.max_step = numbers.read("max_step", wishes.max_step);
  request.integrator = wishes.integrator;
  request.many = true;
  if (!wishes.times.empty()) request.times = wishes.times;
  if (!wishes.duration && !request.times && plan.duration_varies()) {
    raise(model::error_in(
        motion.model(),
        "the duration depends on what varies, but all runs take the same time: give duration",
        motion.model().simulation.duration.where));
  }
  auto options = motion::requested_options(request, motion);
  if (!options) {
    raise_refusal(options.error(), motion, [&](motion::Option option) {
      const auto& text = option == motion::Option::duration   ? wishes.duration
                         : option == motion::Option::samples  ? wishes.samples
                         : option == motion::Option::rtol     ? wishes.rtol
                         : option == motion::Option::atol     ? wishes.atol
                         : option == motion::Option::max_step ? wishes.max_step
                                                              : wishes.integrator;
      return text.value_or("");
    });
  }
  return *std::move(options);
}

std::uint64_t runs_of(const Wishes& wishes, const study::Plan& plan) {
  if (!wishes.runs) {
    for (const study::Variation& variation : plan.variations()) {
      if (!study::is_random(variation)) continue;
      refuse(fmt::format(
          "runs is needed: '{}' is drawn at random, so nothing else says how many there are",
          variation.name));
    }
    return study::grid_size(plan.variations());
  }
  const auto runs = *Numbers(plan).read("runs", wishes.runs);
  if (!(runs >= 1 && runs <= static_cast<double>(study::most_runs)) || runs != std::floor(runs)) {
    refuse(fmt::format("runs {}: must be a whole number from 1 to {}", *wishes.runs,
                       study::most_runs));
  }
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
