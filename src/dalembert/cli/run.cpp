#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "dalembert/cli/at.hpp"
#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/inputs.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/run_files.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/motion/request.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/events.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/output_file.hpp"
#include "dalembert/report/terminal.hpp"
#include "dalembert/study/linear/sensitivities.hpp"

namespace dalembert::cli {

namespace {

std::string flag_of(motion::Option option) {
  return option == motion::Option::max_step ? "--max-step"
                                            : fmt::format("--{}", motion::to_string(option));
}

}  // namespace

std::optional<motion::SimulationOptions> options_for(const RunOptions& given,
                                                     const motion::Motion& motion, bool many) {
  using motion::Option;
  motion::SimulationRequest request;
  request.integrator = given.integrator;
  request.precision = given.precision;
  request.many = many;
  const auto text_of = [&](Option option) -> const std::optional<std::string>& {
    return option == Option::from        ? given.from
           : option == Option::duration  ? given.duration
           : option == Option::samples   ? given.samples
           : option == Option::rtol      ? given.rtol
           : option == Option::atol      ? given.atol
           : option == Option::max_step  ? given.max_step
           : option == Option::precision ? given.precision
                                         : given.integrator;
  };
  for (const auto& [option, target] :
       {std::pair{Option::from, &request.from}, std::pair{Option::duration, &request.duration},
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
                                                                const motion::GivenValues& values,
                                                                double from) {
  auto written = motion::written_start(motion, values);
  if (!written) return model::Failure{written.error()};
  written->state.t = from;
  return motion::initial_state(motion, *written);
}

/// What goes in doubles only, in a run in extended precision.
std::optional<std::string> objection_to_extended(const RunOptions& given, const Formats& formats) {
  if (formats.hdf5) return "--format: HDF5 files hold doubles, and trajectory.csv holds more";
  if (given.resume) return "--resume: a motion that continues from a table starts from doubles";
  if (!given.sensitivity.empty())
    return "--sensitivity: variational equations are solved in doubles";
  return std::nullopt;
}

/// The names of --sensitivity, each once, in the order given.
std::vector<std::string> sensitivity_names(const RunOptions& given) {
  std::vector<std::string> names;
  for (const std::string& list : given.sensitivity) {
    for (std::size_t from = 0; from <= list.size();) {
      const std::size_t comma = std::min(list.find(',', from), list.size());
      std::string name = list.substr(from, comma - from);
      name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
      name.erase(name.find_last_not_of(" \t") + 1);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
      from = comma + 1;
    }
  }
  return names;
}

/// The sensitivities that are asked for; none where they are not. Complains, and `wrong` is true,
/// where they cannot be had.
std::optional<study::Sensitivities> sensitivities_for(
    const RunOptions& given, const Formats& formats, const motion::Motion& motion,
    const motion::SimulationOptions& options, const motion::GivenValues& values, bool& wrong) {
  if (given.sensitivity.empty()) return std::nullopt;
  wrong = true;
  if (formats.hdf5) {
    complain("--sensitivity: its columns are those of trajectory.csv; leave out --format");
    return std::nullopt;
  }
  if (given.resume || given.from || given.input) {
    complain(fmt::format(
        "--sensitivity: variational equations start where the model does and follow no courses of "
        "inputs yet; leave out {}",
        given.resume ? "--resume"
        : given.from ? "--from"
                     : "--input"));
    return std::nullopt;
  }
  if (options.integrator == motion::Integrator::bdf) {
    complain(
        "--sensitivity: variational equations are integrated by rk8, which this model replaces by "
        "bdf; give --integrator rk8 if the motion is not stiff");
    return std::nullopt;
  }
  const auto settings = settings_of(given);
  if (!settings) return std::nullopt;
  study::SensitivityRequest request{sensitivity_names(given), *settings, values};
  auto found = study::sensitivities(motion, options, request);
  if (!found) {
    complain("--sensitivity: " + found.error());
    return std::nullopt;
  }
  wrong = false;
  return *std::move(found);
}

/// events.csv, with how much later each row comes by what sensitivities were asked for.
std::string events_text(const motion::Summary& summary,
                        const std::optional<study::Sensitivities>& sensitivities) {
  report::FurtherColumns further;
  if (sensitivities) {
    for (const std::string& name : sensitivities->names)
      further.names.push_back(fmt::format("d(t)/d({})", name));
    for (std::size_t i = 0; i < summary.events.size(); ++i) {
      std::vector<double> values(further.names.size(), std::numeric_limits<double>::quiet_NaN());
      if (i < sensitivities->events.size()) {
        const study::EventSensitivity& one = sensitivities->events[i];
        if (one.name == summary.events[i].name && one.kind == summary.events[i].kind)
          values = one.by;
      }
      further.rows.push_back(std::move(values));
    }
  }
  return report::events_csv(summary.events, further);
}

/// The discrete values at the last row that was written, so that a motion can go on from there.
class Discretes {
 public:
  /// Has the motion tell of its instants, if there are discrete values. The options must outlive
  /// it.
  Discretes(const motion::Motion& motion, motion::SimulationOptions& options) {
    for (const std::size_t i : motion.model().discretes) now_.push_back(motion.parameters()[i]);
    at_row_ = now_;
    if (now_.empty()) return;
    options.on_start = options.on_instant = [this](const motion::Instant& instant) {
      now_ = instant.discretes_after;
    };
  }
  void note_row() { at_row_ = now_; }
  std::span<const double> at_last_row() const { return at_row_; }

 private:
  std::vector<double> now_, at_row_;
};

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
  if (given.hold && !given.input) {
    complain("--hold needs --input");
    return bad_input;
  }
  if (given.resume && (given.from || !given.at.empty())) {
    complain("--resume starts where the stored motion ended; --from and --at say something else");
    return bad_input;
  }
  auto motion = compile_for(given, {given.integrator, given.input, given.hold, given.multipliers});
  if (!motion) return bad_input;
  const std::filesystem::path directory = output_directory(given);
  RunOptions asked = given;
  std::optional<StoredEnd> stored;
  if (given.resume) {
    stored = stored_end(directory, *motion);
    if (!stored) return bad_input;
    asked.from = fmt::format("{}", stored->t);
    std::vector<double> parameters = motion->parameters();
    for (const auto& [i, value] : stored->discretes) parameters[i] = value;
    if (!stored->discretes.empty()) motion = motion->with_parameters(std::move(parameters));
  }
  auto options = options_for(asked, *motion);
  if (!options) return bad_input;
  if (options->precision == motion::Precision::extended) {
    if (const auto objection = objection_to_extended(given, *formats)) {
      complain("precision extended: " + *objection);
      return bad_input;
    }
  }
  auto values = given_values(given.at, *motion);
  if (!values) return bad_input;
  if (stored) values->state = stored->state;
  const bool shown = shows_progress(given);
  const auto start = [&] {
    const Waiting waiting("finding the initial state", shown);
    return start_of(*motion, *values, options->from);
  }();
  if (!start) {
    complain(start.error());
    return bad_input;
  }

  options->event_rows = given.event_rows;
  bool wrong = false;
  const auto sensitivities = [&] {
    const Waiting waiting("solving the variational equations", shown && !given.sensitivity.empty());
    return sensitivities_for(given, *formats, *motion, *options, *values, wrong);
  }();
  if (wrong) return bad_input;

  if (const auto problem = report::make_directory(directory)) {
    complain(*problem);
    return bad_input;
  }
  options->stop = &stop_at_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // writing then fails with an error, which is reported
  const auto rows =
      options->times.empty() ? options->samples : static_cast<long>(options->times.size());
  report::Sparklines plots(*motion, rows);
  RunFiles files(directory, *motion, start->state, rows, *formats, given.report,
                 sensitivities ? sensitivities->columns() : std::vector<std::string>{},
                 stored ? stored->rows : std::string());
  if (const auto problem = files.error()) {
    complain(*problem);
    return bad_input;
  }

  motion::Summary summary;
  Discretes discretes(*motion, *options);
  std::size_t sample_count = 0;
  const motion::SampleTimes due{*options};
  long plotted = 0;
  {
    ProgressBar bar(options->duration, shown);
    summary = motion::simulate(
        *motion, start->state, *options,
        [&](const motion::Sample& sample) {
          discretes.note_row();
          if (plotted < due.count() && sample.t >= due[plotted]) {  // no row of an event
            plots.add(sample);
            ++plotted;
          }
          const std::size_t row = sample_count++;
          if (!sensitivities || row >= sensitivities->t.size()) return files.write(sample);
          return files.write(sample, sensitivities->row(row));
        },
        [&bar](double t) { bar.update(t); });
  }
  summary.adjusted = start->adjusted;
  if (motion::is_mechanical(motion->method()))
    summary.unique_reactions = motion::calc_unique_reactions(*motion, start->state);
  summary.changes = start->changes;
  if (stored) {  // of all rows of events.csv
    for (const auto& [name, kinds] : stored->event_counts) {
      for (const auto& [kind, times] : kinds) summary.event_counts[name][kind] += times;
    }
    summary.energy_lost += stored->energy_lost;
  }
  const std::string document =
      report::summary_json(*motion, *options, summary, discretes.at_last_row());
  const auto problem = [&] {
    const Waiting waiting("writing the report", shown);
    std::string events = events_text(summary, sensitivities);
    if (stored) events.insert(events.find('\n') + 1, stored->events);
    return files.finish(*motion, *options, summary, document, events);
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
  if (!summary.complete) complain(summary.reason);
  if (sensitivities && !sensitivities->complete)
    complain("the columns of --sensitivity are not complete: " + sensitivities->reason);
  return summary.complete && (!sensitivities || sensitivities->complete) ? done : gave_up;
}

}  // namespace dalembert::cli
