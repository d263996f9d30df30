/// One motion, recorded: where it starts, how it is integrated, and who may stop it.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/state/assembly.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/motion/simulate.hpp"
#include "python/bindings/recording.hpp"
#include "python/bindings/refusal.hpp"

namespace dalembert::python {

namespace {

constexpr std::chrono::milliseconds progress_every(100);

/// The options of the model, replaced by those given, as `dalembert run` does it.
motion::SimulationOptions options_for(const motion::SimulationRequest& request,
                                      const motion::Motion& motion) {
  auto options = motion::requested_options(request, motion);
  if (!options) {
    raise_refusal(options.error(), motion, [&](motion::Option option) -> std::string {
      switch (option) {
        case motion::Option::from:
          return fmt::format("{}", request.from.value_or(0));
        case motion::Option::duration:
          return fmt::format("{}", request.duration.value_or(0));
        case motion::Option::samples:
          return fmt::format("{}", request.samples.value_or(0));
        case motion::Option::rtol:
          return fmt::format("{}", request.rtol.value_or(0));
        case motion::Option::atol:
          return fmt::format("{}", request.atol.value_or(0));
        case motion::Option::max_steps:
          return fmt::format("{}", request.max_steps.value_or(0));
        case motion::Option::max_step:
          return fmt::format("{}", request.max_step.value_or(0));
        case motion::Option::integrator:
          return request.integrator.value_or("");
        case motion::Option::precision:
          return request.precision.value_or("");
        case motion::Option::times:
          return "";
      }
      return "";
    });
  }
  return *std::move(options);
}

std::optional<model::Adjust> adjust_from(const std::optional<std::string>& word) {
  if (!word) return std::nullopt;
  const std::vector<std::string> known{"none", "nearest", "velocity"};
  for (const model::Adjust adjust :
       {model::Adjust::none, model::Adjust::nearest, model::Adjust::velocity}) {
    if (known[static_cast<std::size_t>(adjust)] == *word) return adjust;
  }
  const std::string meant = expr::did_you_mean(*word, known);
  refuse(fmt::format("adjust '{}': no such adjustment{}", *word,
                     meant.empty() ? "; there are none, nearest and velocity" : meant));
}

using GivenNumbers = std::vector<std::pair<std::string, double>>;

/// Why a motion has no start.
struct NoStart {
  model::ModelError error;
  bool no_positions = false;  ///< none were found that satisfy the constraints
};

/// Whether positions near those of the start satisfy the constraints.
bool has_positions(const motion::Motion& motion, const motion::Start& start) {
  motion::Assembly assembly(motion, start);
  const double residual = assembly.residual();
  if (!std::isfinite(residual) || residual <= motion::initial_tolerance) return true;
  motion::State nearest = start.state;
  motion::Evaluator metric(motion);
  return metric.decide_rank(nearest.t, nearest.q, nearest.v) != motion::Status::ok ||
         assembly.find_positions(nearest);
}

/// The state to start from, or why there is none. Needs no interpreter.
model::Result<motion::InitialState, NoStart> find_start(const motion::Motion& motion,
                                                        const motion::GivenValues& given,
                                                        std::optional<model::Adjust> adjust,
                                                        double from = 0) {
  auto start = motion::written_start(motion, given);
  if (!start) return model::Failure{NoStart{std::move(start).error()}};
  start->state.t = from;
  if (adjust) start->adjust = *adjust;
  auto found = motion::initial_state(motion, *start);
  if (!found) return model::Failure{NoStart{found.error(), !has_positions(motion, *start)}};
  return *std::move(found);
}

/// Raises ModelError, whose `no_positions` says whether other positions may help.
[[noreturn]] void raise_no_start(const NoStart& problem) {
  try {
    raise(problem.error);
  } catch (nb::python_error& error) {
    error.value().attr("no_positions") = problem.no_positions;
    throw;
  }
}

/// The motion itself, or where bdf needs full matrices and it was compiled for sparse ones,
/// compiled again as `dalembert run --integrator bdf` would.
motion::Motion for_integrator(const motion::Motion& motion, motion::Integrator integrator) {
  if (integrator != motion::Integrator::bdf || !motion::Evaluator(motion).solution().is_sparse())
    return motion;
  model::Model model = motion.model();
  model.simulation.integrator = motion::to_string(integrator);
  auto result = motion::compile(std::move(model));
  if (!result) throw std::runtime_error(to_string(result.error()));
  return result->with_parameters(motion.parameters());
}

/// Calls progress(t, duration) now and then; notes what came of it.
class ProgressCall {
 public:
  ProgressCall(nb::object progress, double duration)
      : progress_(std::move(progress)), duration_(duration) {}

  bool wanted() const { return !progress_.is_none(); }
  /// False where the callable raised, the error is then set, or returned False.
  bool call(double t) {
    const InPython python;
    try {
      return !progress_(t, duration_).is(nb::bool_(false));
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
  }
  bool call_if_due(double t) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < progress_every) return true;
    last_ = now;
    return call(t);
  }

 private:
  nb::object progress_;
  double duration_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The Python error that is set, taken; None if none is.
nb::object take_error() {
  if (PyErr_Occurred() == nullptr) return nb::none();
  const nb::python_error error;
  return nb::borrow(error.value());
}

nb::tuple simulate(const PyMotion& self, const motion::SimulationRequest& request,
                   const motion::GivenValues& given, const std::optional<std::string>& adjust_word,
                   bool event_rows, const nb::object& progress) {
  const auto adjust = adjust_from(adjust_word);
  motion::SimulationOptions options = options_for(request, self.motion);
  options.event_rows = event_rows;
  const report::TrajectoryRow layout(self.motion);
  const auto rows =
      static_cast<std::size_t>(options.times.empty() ? options.samples : std::ssize(options.times));
  const auto table = std::make_shared<Table>(rows, layout.size());
  std::shared_ptr<ExtendedTable> extended;
  if (options.precision == motion::Precision::extended) {
    extended = std::make_shared<ExtendedTable>();
    extended->reserve(rows * layout.size());
  }

  std::atomic<bool> stop = false;
  std::atomic<double> reached = 0;
  options.stop = &stop;
  std::optional<NoStart> problem;
  motion::State start;
  motion::Summary summary;
  const auto work = [&] {
    const motion::Motion motion = for_integrator(self.motion, options.integrator);
    auto found = find_start(motion, given, adjust, options.from);
    if (!found) {
      problem = std::move(found).error();
      return;
    }
    summary = motion::simulate(
        motion, found->state, options,
        [&](const motion::Sample& sample) {
          layout.fill(sample, table->add());
          if (sample.extended != nullptr) {
            extended->resize(extended->size() + layout.size());
            layout.fill(*sample.extended, std::span(*extended).last(layout.size()));
          }
          return true;
        },
        [&](double t) { reached.store(t, std::memory_order_relaxed); });
    summary.adjusted = found->adjusted;
    summary.changes = found->changes;
    if (motion::is_mechanical(motion.method()))
      summary.unique_reactions = motion::calc_unique_reactions(motion, found->state);
    start = std::move(found->state);
  };
  ProgressCall call(progress, options.duration - options.from);
  std::function<bool()> meanwhile;
  if (call.wanted()) meanwhile = [&] { return call.call_if_due(reached.load()); };
  const bool stopped = run_interruptibly(stop, work, meanwhile);
  nb::object error = stopped ? take_error() : nb::none();
  if (problem) {
    if (!error.is_none()) {
      PyErr_SetObject(error.type().ptr(), error.ptr());
      throw nb::python_error();
    }
    raise_no_start(*problem);
  }
  if (!stopped && call.wanted() && !call.call(summary.t)) error = take_error();
  table->shrink();
  options.stop = nullptr;
  Recording recording{self,  std::move(options), std::move(start), std::move(summary),
                      table, std::move(extended)};
  return nb::make_tuple(std::move(recording), std::move(error), stopped);
}

/// The value of an expression of the model's parameters.
double number_of(const motion::Motion& motion, const std::string& what, const std::string& text) {
  std::vector<std::string> names;
  for (const auto& parameter : motion.model().parameters) {
    if (!model::is_internal(parameter)) names.push_back(parameter.name);
  }
  const auto parsed = expr::parse(
      text, [&](std::string_view name, int primes) -> expr::Result<expr::Expr, std::string> {
        if (primes == 0 && std::find(names.begin(), names.end(), name) != names.end())
          return expr::parameter(name);
        const std::string meant = expr::did_you_mean(name, names);
        return expr::Failure{
            fmt::format("unknown name '{}'{}", name,
                        meant.empty() ? "; numbers and parameters may be used here" : meant)};
      });
  if (!parsed) refuse(fmt::format("{} '{}': {}", what, text, parsed.error().message));
  const double value = model::evaluate(*parsed, motion.model(), motion.parameters());
  if (!std::isfinite(value)) refuse(fmt::format("{} '{}': not a finite number", what, text));
  return value;
}

}  // namespace

void bind_simulations(nb::module_& m) {
  bind_recordings(m);
  m.def(
      "number_of",
      [](const PyMotion& self, const std::string& what, const std::string& text) {
        return number_of(self.motion, what, text);
      },
      nb::arg("motion"), nb::arg("what"), nb::arg("text"),
      "The value of a text that is an expression of the parameters of the motion.");
  m.def(
      "name_of",
      [](const PyMotion& self, const Expression& key) {
        check_owner(key, self.names);
        return expr::to_text(key.e);
      },
      nb::arg("motion"), nb::arg("key"),
      "The text of an expression, which must be of the same system as the motion.");
  m.def(
      "initial_state",
      [](const PyMotion& self, const GivenNumbers& state, const GivenNumbers& mu,
         const std::optional<std::string>& adjust_word) {
        const auto adjust = adjust_from(adjust_word);
        auto found = [&] {
          const InterpreterFree free;
          return find_start(self.motion, {state, mu}, adjust);
        }();
        if (!found) raise_no_start(found.error());
        const motion::InitialState start = *std::move(found);
        nb::list changes;
        for (const motion::Change& change : start.changes)
          changes.append(nb::make_tuple(change.name, change.from, change.to));
        return nb::make_tuple(start.state.q, start.state.v, start.state.mu, start.adjusted,
                              changes);
      },
      nb::arg("motion"), nb::arg("state"), nb::arg("mu"), nb::arg("adjust").none(),
      "Positions, velocities, mu, whether they were adjusted, and the largest changes.");
  m.def(
      "simulate",
      [](const PyMotion& self, const GivenNumbers& state, const GivenNumbers& mu,
         const std::optional<std::string>& adjust, const std::optional<double>& duration,
         const std::optional<double>& samples, const std::optional<std::vector<double>>& times,
         const std::optional<double>& rtol, const std::optional<double>& atol,
         const std::optional<std::string>& integrator, const std::optional<double>& max_steps,
         const std::optional<double>& max_step, const nb::object& progress, bool event_rows,
         const std::optional<double>& from, const std::optional<std::string>& precision) {
        motion::SimulationRequest request;
        request.from = from;
        request.duration = duration;
        request.samples = samples;
        request.rtol = rtol;
        request.atol = atol;
        request.max_steps = max_steps;
        request.max_step = max_step;
        request.times = times;
        request.integrator = integrator;
        request.precision = precision;
        return simulate(self, request, {state, mu}, adjust, event_rows, progress);
      },
      nb::arg("motion"), nb::arg("state"), nb::arg("mu"), nb::arg("adjust").none(),
      nb::arg("duration").none(), nb::arg("samples").none(), nb::arg("times").none(),
      nb::arg("rtol").none(), nb::arg("atol").none(), nb::arg("integrator").none(),
      nb::arg("max_steps").none(), nb::arg("max_step").none(), nb::arg("progress").none(),
      nb::arg("event_rows") = false, nb::arg("t0").none() = nb::none(),
      nb::arg("precision").none() = nb::none(),
      "What was recorded, the Python error that ended it or None, and whether it was stopped.");
}

}  // namespace dalembert::python
