#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "dalembert/cli/at.hpp"
#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/run_files.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/motion/request.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/output_file.hpp"
#include "dalembert/report/terminal.hpp"

namespace dalembert::cli {

namespace {

std::string flag_of(motion::Option option) {
  return option == motion::Option::max_step ? "--max-step"
                                            : fmt::format("--{}", motion::to_string(option));
}

}  // namespace

std::optional<motion::SimulationOptions> options_for(const RunOptions& given,
                                                     const motion::Motion& motion) {
  using motion::Option;
  motion::SimulationRequest request;
  request.integrator = given.integrator;
  const auto text_of = [&](Option option) -> const std::optional<std::string>& {
    return option == Option::duration   ? given.duration
           : option == Option::samples  ? given.samples
           : option == Option::rtol     ? given.rtol
           : option == Option::atol     ? given.atol
           : option == Option::max_step ? given.max_step
                                        : given.integrator;
  };
  for (const auto& [option, target] :
       {std::pair{Option::duration, &request.duration},
        std::pair{Option::samples, &request.samples}, std::pair{Option::rtol, &request.rtol},
        std::pair{Option::atol, &request.atol}, std::pair{Option::max_step, &request.max_step}}) {
    const auto& text = text_of(option);
    if (!text) continue;
    *target = number_option(flag_of(option), *text, motion);
    if (!*target) return std::nullopt;
  }
  auto options = motion::requested_options(request, motion);
  if (options) return *std::move(options);
  const motion::Refusal& refusal = options.error();
  if (refusal.stands_alone) {
    complain(model::error_in(motion.model(), refusal.sentence, refusal.where));
  } else {
    complain(fmt::format("{} {}: {}", flag_of(refusal.option), text_of(refusal.option).value_or(""),
                         refusal.sentence));
  }
  return std::nullopt;
}

namespace {

std::filesystem::path output_directory(const RunOptions& options) {
  if (options.out) return *options.out;
  return std::filesystem::path("out") / stem_of(options.model);
}

/// Where the model starts, with some of its initial values replaced.
model::Result<motion::InitialState, model::ModelError> start_of(const motion::Motion& motion,
                                                                const motion::GivenValues& values) {
  const auto written = motion::written_start(motion, values);
  if (!written) return model::Failure{written.error()};
  return motion::initial_state(motion, *written);
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
  const auto values = given_values(given.at, *motion);
  if (!values) return bad_input;
  const bool shown = shows_progress(given);
  const auto start = [&] {
    const Waiting waiting("finding the initial state", shown);
    return start_of(*motion, *values);
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
  options->event_rows = given.event_rows;
  options->stop = &stop_at_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // writing then fails with an error, which is reported
  const auto rows =
      options->times.empty() ? options->samples : static_cast<long>(options->times.size());
  report::Sparklines plots(*motion, rows);
  RunFiles files(directory, *motion, start->state, rows, *formats, given.report);
  if (const auto problem = files.error()) {
    complain(*problem);
    return bad_input;
  }

  motion::Summary summary;
  const motion::SampleTimes due{*options};
  long plotted = 0;
  {
    ProgressBar bar(options->duration, shown);
    summary = motion::simulate(
        *motion, start->state, *options,
        [&](const motion::Sample& sample) {
          if (plotted < due.count() && sample.t >= due[plotted]) {  // no row of an event
            plots.add(sample);
            ++plotted;
          }
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
