#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>

#include "dalembert/cli/at.hpp"
#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/cli/sweep_results.hpp"
#include "dalembert/report/sweep.hpp"
#include "dalembert/study/storage/folder.hpp"
#include "dalembert/study/sweep.hpp"

namespace dalembert::cli {

namespace {

constexpr int most_threads = 1024;

/// A whole number in digits, or nothing.
std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

/// Options that need no model. False, after a complaint, if one is wrong.
bool read_plain_options(const SweepOptions& given, std::uint64_t& seed,
                        study::SweepOptions& options) {
  if (given.seed) {
    const auto value = whole_number(*given.seed);
    if (!value) {
      complain(fmt::format("--seed {}: must be a whole number from 0 to 18446744073709551615",
                           *given.seed));
      return false;
    }
    seed = *value;
  }
  if (given.threads) {
    const auto value = whole_number(*given.threads);
    if (!value || *value < 1 || *value > most_threads) {
      complain(fmt::format("--threads {}: must be a whole number from 1 to {}", *given.threads,
                           most_threads));
      return false;
    }
    options.threads = static_cast<int>(*value);
  }
  if (given.lanes) {
    const auto value = whole_number(*given.lanes);
    if (!value || (*value != 1 && *value != 4 && *value != 8)) {
      complain(fmt::format("--lanes {}: must be 1, 4 or 8", *given.lanes));
      return false;
    }
    options.lanes = static_cast<int>(*value);
  }
  if (given.device && !study::device_from_string(*given.device)) {
    complain(fmt::format("--device {}: must be cpu, gpu or auto", *given.device));
    return false;
  }
  if (given.shard) {
    const auto shard = study::read_shard(*given.shard, environment);
    if (!shard) {
      complain(model::ModelError{nullptr, {shard.error()}});
      return false;
    }
    options.shard = *shard;
  }
  return true;
}

/// The number of runs, or nothing after a complaint.
std::optional<std::uint64_t> runs_for(const SweepOptions& given, const study::Plan& plan) {
  if (!given.runs) {
    for (const study::Variation& variation : plan.variations()) {
      if (!study::is_random(variation)) continue;
      complain(fmt::format(
          "--runs is needed: '{}' is drawn at random, so nothing else says how many there are",
          variation.name));
      return std::nullopt;
    }
    return study::grid_size(plan.variations());
  }
  const auto value = number_option("--runs", *given.runs, plan.motion());
  if (!value) return std::nullopt;
  if (!(*value >= 1 && *value <= static_cast<double>(study::most_runs)) ||
      *value != std::floor(*value)) {
    complain(fmt::format("--runs {}: must be a whole number from 1 to {}", *given.runs,
                         study::most_runs));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*value);
}

/// Numbers that belong to the study must not depend on what varies in it. False, after a complaint,
/// if one does, or is no expression.
bool same_for_all(const SweepOptions& given, const study::Plan& plan) {
  const std::pair<const char*, const std::optional<std::string>*> options[] = {
      {"--runs", &given.runs}, {"--duration", &given.duration}, {"--samples", &given.samples},
      {"--rtol", &given.rtol}, {"--atol", &given.atol},         {"--max-step", &given.max_step}};
  for (const auto& [option, text] : options) {
    if (!*text) continue;
    const auto e = expression_option(option, **text, plan.motion().model());
    if (!e) return false;
    if (!plan.varies(*e)) continue;
    complain(
        fmt::format("{} '{}': depends on what varies, but it is the same for all runs of a study",
                    option, **text));
    return false;
  }
  return true;
}

/// What the command asks for, or nothing after a complaint.
std::optional<study::Study> study_for(const SweepOptions& given, std::uint64_t seed) {
  auto settings = settings_of(given);
  if (!settings) return std::nullopt;
  const auto model = [&] {
    const Waiting waiting("reading the model", shows_progress(given));
    return find_model(given.model);
  }();
  if (!model) {
    complain(model.error());
    return std::nullopt;
  }
  const auto assignments = assignments_of(given.at, *model, {});
  if (!assignments) return std::nullopt;
  std::vector<std::pair<std::string, expr::Expr>> initial;
  std::map<std::string, std::string> at;
  for (const Assignment& assignment : *assignments) {
    initial.emplace_back(assignment.name, assignment.value);
    at.emplace(assignment.name, assignment.text);
  }
  auto plan = [&] {
    const Waiting waiting("deriving and compiling the equations", shows_progress(given));
    return study::make_plan(*model, {*settings, given.method, given.vary, seed, initial});
  }();
  if (!plan) {
    complain(plan.error());
    return std::nullopt;
  }
  if (!same_for_all(given, *plan)) return std::nullopt;
  const auto runs = runs_for(given, *plan);
  if (!runs) return std::nullopt;
  auto simulation = options_for(given, plan->motion(), true);
  if (!simulation) return std::nullopt;
  if (!given.duration && plan->duration_varies()) {
    complain(model::error_in(plan->motion().model(),
                             "the duration depends on what varies, but all runs of a study take "
                             "the same time: give --duration",
                             plan->motion().model().simulation.duration.where));
    return std::nullopt;
  }
  auto statistics = study::read_statistics(plan->motion(), given.statistics);
  if (!statistics) {
    complain(statistics.error());
    return std::nullopt;
  }
  return study::Study{*std::move(plan),
                      *runs,
                      *std::move(simulation),
                      *std::move(statistics),
                      given.samples.has_value(),
                      *std::move(settings),
                      "dalembert " DALEMBERT_VERSION,
                      std::move(at)};
}

/// The graphics processor that --device asks for, if there is one; a line says why `auto` has none.
/// False, after a complaint, where `gpu` cannot be had.
bool find_device(const SweepOptions& given, const study::Study& study,
                 std::unique_ptr<study::DeviceEnsemble>& device) {
  const auto wanted = study::device_from_string(given.device.value_or("cpu"));
  if (wanted == study::Device::cpu) return true;
  auto made = study::DeviceEnsemble::make(study);
  if (made) {
    device = *std::move(made);
  } else if (wanted == study::Device::gpu) {
    complain(fmt::format("--device gpu: {}", made.error()));
    return false;
  } else if (!given.quiet) {
    print_aside(fmt::format("note: {}; the CPU does all the work\n", made.error()));
  }
  return true;
}

/// Where the study goes. Shards have folders of their own in it.
std::filesystem::path directory_for(const SweepOptions& given) {
  if (given.out) return *given.out;
  return std::filesystem::path("out") / (stem_of(given.model) + "-sweep");
}

/// What is said of a shard that is done.
void tell_of_shard(const SweepOptions& given, const study::Study& study,
                   const study::SweepOutcome& outcome, std::uint64_t before,
                   const study::Shard& shard) {
  if (given.json) std::fputs(report::sweep_json(study, outcome, before, nullptr).c_str(), stdout);
  if (given.json || given.quiet) return;
  print(fmt::format(
      "shard {} of {}: {} of {} runs are done, in '{}'\nwhen all shards are: "
      "dalembert merge {}\n",
      shard.number, shard.of, before + outcome.done, study.runs,
      (directory_for(given) / study::folder_name(shard)).string(), directory_for(given).string()));
}

}  // namespace

int sweep(const SweepOptions& given) {
  std::uint64_t seed = 0;
  study::SweepOptions options;
  if (!read_plain_options(given, seed, options)) return bad_input;
  const auto study = study_for(given, seed);
  if (!study) return bad_input;

  std::unique_ptr<study::DeviceEnsemble> device;
  if (!find_device(given, *study, device)) return bad_input;
  options.device = device.get();

  std::signal(SIGXFSZ, SIG_IGN);  // writing then fails with an error, which is reported
  const study::Shard& shard = options.shard;
  std::filesystem::path directory = directory_for(given);
  if (given.shard) directory /= study::folder_name(shard);
  const std::uint64_t total = shard.count(study->runs);
  const auto folder = given.resume ? study::Folder::resume(directory, *study, shard)
                                   : study::Folder::create(directory, *study, shard);
  if (!folder) {
    complain(folder.error());
    return bad_input;
  }
  if (folder->cut_off() > 0 && !given.quiet) {
    print_aside(
        fmt::format("note: the last {} bytes of '{}' were torn when the study was interrupted; "
                    "they are cut off, and the run is repeated\n",
                    folder->cut_off(), folder->journal_name()));
  }
  if (folder->damaged() > 0 && !given.quiet) {
    print_aside(fmt::format("note: {} bytes of '{}' are damaged; the runs in them are repeated\n",
                            folder->damaged(), folder->journal_name()));
  }

  options.stop = &stop_at_signals();
  const std::uint64_t before = folder->finished_count();
  study::SweepOutcome outcome;
  {
    ProgressBar bar(static_cast<double>(total), shows_progress(given), Counted::runs,
                    static_cast<double>(before));
    std::mutex drawing;
    options.progress = [&](std::uint64_t done) {
      const std::unique_lock lock(drawing, std::try_to_lock);
      if (lock) bar.update(static_cast<double>(before + done));
    };
    outcome = study::sweep(*study, *folder, options);
  }
  handle_signals(end_at_once);
  if (device && !given.quiet && !given.json && outcome.done > 0) {
    print_aside(fmt::format("note: {} runs on {}, in {:.2g} s of its time; {} by the CPU\n",
                            device->done(), device->name(), device->seconds(), device->left()));
  }
  if (outcome.error) {
    complain(
        fmt::format("{}; {} of {} runs are done and kept: make room, and continue with --resume",
                    *outcome.error, before + outcome.done, total));
    return bad_input;
  }
  if (!outcome.complete) {
    if (given.json)
      std::fputs(report::sweep_json(*study, outcome, before, nullptr).c_str(), stdout);
    complain(
        fmt::format("interrupted after {} of {} runs; the same command with --resume continues",
                    before + outcome.done, total));
    return gave_up;
  }

  if (given.shard) {
    tell_of_shard(given, *study, outcome, before, shard);
    return done;
  }
  return write_results(*study, *folder, outcome, before, given, given.csv);
}

}  // namespace dalembert::cli
