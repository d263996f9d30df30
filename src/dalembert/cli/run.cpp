#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/run_files.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/motion/initial_state.hpp"
#include "dalembert/motion/limits.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/output_file.hpp"
#include "dalembert/report/terminal.hpp"

namespace dalembert::cli {

namespace {

constexpr double most_samples = 1e9;

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
  interrupted = true;
}

}  // namespace

std::optional<motion::SimulationOptions> options_for(const RunOptions& given,
                                                     const motion::Motion& motion) {
  motion::SimulationOptions options = motion::simulation_options(motion);
  const auto number = [&](const char* name, const std::optional<std::string>& text, double low,
                          double high, const char* wanted, auto& target) {
    if (!text) return true;
    const auto value = number_option(name, *text, motion);
    if (!value) return false;
    if (!(*value >= low && *value <= high)) {
      complain(fmt::format("{} {}: must be {}", name, *text, wanted));
      return false;
    }
    target = static_cast<std::remove_reference_t<decltype(target)>>(*value);
    return true;
  };
  constexpr double tiny = std::numeric_limits<double>::min();
  constexpr double huge = std::numeric_limits<double>::max();
  double samples = static_cast<double>(options.samples);
  if (!number("--duration", given.duration, tiny, huge, "positive", options.duration) ||
      !number("--samples", given.samples, 2, most_samples, "a whole number from 2 to 1000000000",
              samples) ||
      !number("--rtol", given.rtol, tiny, 1 - 1e-9, "between 0 and 1", options.rtol) ||
      !number("--atol", given.atol, tiny, huge, "positive", options.atol)) {
    return std::nullopt;
  }
  if (samples != std::floor(samples)) {
    complain(
        fmt::format("--samples {}: must be a whole number from 2 to 1000000000", *given.samples));
    return std::nullopt;
  }
  options.samples = static_cast<long>(samples);
  if (given.integrator) {
    const auto integrator = motion::integrator_from_string(*given.integrator);
    if (!integrator) {
      const auto known = model::known_integrators();
      const std::vector<std::string> names(known.begin(), known.end());
      const std::string meant = expr::did_you_mean(*given.integrator, names);
      complain(fmt::format(
          "--integrator {0}: no integrator '{0}'{1}", *given.integrator,
          meant.empty() ? fmt::format("; there are {}", fmt::join(names, " and ")) : meant));
      return std::nullopt;
    }
    options.integrator = *integrator;
  }
  const std::size_t size = motion.coordinates() + motion.constraints();
  if (options.integrator == motion::Integrator::bdf && size > motion::most_on_full_matrices) {
    complain(model::error_in(
        motion.model(),
        fmt::format("integrator bdf works on full matrices, for up to {} coordinates and "
                    "constraints together, and this model has {}; rk8 serves any number",
                    motion::most_on_full_matrices, size),
        given.integrator ? model::Location{} : motion.model().simulation.integrator_where));
    return std::nullopt;
  }
  if (given.duration || given.samples) options.times.clear();
  if (!(std::isfinite(options.duration) && options.duration > 0)) {
    complain(model::error_in(motion.model(),
                             fmt::format("the duration must be positive, not {}", options.duration),
                             motion.model().simulation.duration.where));
    return std::nullopt;
  }
  return options;
}

namespace {

std::filesystem::path output_directory(const RunOptions& options) {
  if (options.out) return *options.out;
  return std::filesystem::path("out") / stem_of(options.model);
}

/// Where the start went: that it did, and what moved most.
std::string start_text(const motion::InitialState& start) {
  std::string text = "  start         adjusted to the nearest state on the constraints";
  const char* separator = "; largest change: ";
  for (const motion::Change& change : start.changes) {
    text +=
        fmt::format("{}{} from {:.6g} to {:.6g}", separator, change.name, change.from, change.to);
    separator = ", ";
  }
  return text + "\n";
}

}  // namespace

int run(const RunOptions& given) {
  const auto formats = formats_from(given.format);
  if (!formats) return bad_input;
  const auto motion = compile_for(given, given.integrator);
  if (!motion) return bad_input;
  auto options = options_for(given, *motion);
  if (!options) return bad_input;
  const bool shown = shows_progress(given);
  const auto start = [&] {
    const Waiting waiting("finding the initial state", shown);
    return motion::initial_state(*motion);
  }();
  if (!start) {
    complain(start.error());
    return bad_input;
  }

  const std::filesystem::path directory = output_directory(given);
  if (const auto problem = report::make_directory(directory)) {
    complain(*problem);
    return bad_input;
  }
  options->stop = &interrupted;
  handle_signals(on_interrupt);
  std::signal(SIGXFSZ, SIG_IGN);  // writing then fails with an error, which is reported
  const auto rows =
      options->times.empty() ? options->samples : static_cast<long>(options->times.size());
  report::Sparklines plots(*motion, rows);
  RunFiles files(directory, *motion, rows, *formats, given.report);
  if (const auto problem = files.error()) {
    complain(*problem);
    return bad_input;
  }

  motion::Summary summary;
  {
    ProgressBar bar(options->duration, shown);
    summary = motion::simulate(
        *motion, start->state, *options,
        [&](const motion::Sample& sample) {
          plots.add(sample);
          return files.write(sample);
        },
        [&bar](double t) { bar.update(t); });
  }
  summary.adjusted = start->adjusted;
  if (motion::is_mechanical(motion->method()))
    summary.unique_reactions = motion::calc_unique_reactions(*motion, start->state);
  summary.changes = start->changes;
  const std::string document = report::summary_json(*motion, *options, summary);
  const auto problem = [&] {
    const Waiting waiting("writing the report", shown);
    return files.finish(*motion, *options, summary, document);
  }();
  if (problem) {
    complain(*problem);
    return bad_input;
  }

  if (given.json) {
    std::fputs(document.c_str(), stdout);
  } else if (!given.quiet) {
    std::string text = report::run_text(*motion, *options, summary, plots);
    if (start->adjusted) text += start_text(*start);
    text += fmt::format("wrote {}/: {}\n", directory.string(), files.text(summary));
    print(text);
  }
  if (summary.complete) return done;
  complain(summary.reason);
  return gave_up;
}

}  // namespace dalembert::cli
