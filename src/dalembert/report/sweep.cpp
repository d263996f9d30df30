#include "dalembert/report/sweep.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "dalembert/motion/doubts.hpp"
#include "dalembert/report/csv.hpp"
#include "dalembert/report/layout.hpp"
#include "dalembert/report/terminal.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t failures_shown = 3;  // in the terminal
constexpr std::size_t flush_bytes = 1u << 20;
constexpr std::uint64_t starts_tried = 100;  // for one to judge friction by

double rate(const study::SweepOutcome& outcome) {
  return outcome.seconds > 0 ? static_cast<double>(outcome.done) / outcome.seconds : 0;
}

/// What a single run would say of its friction at the start: of the first run that can start, for
/// the law is the same in all of them.
std::vector<std::string> friction_warnings(const study::Study& study) {
  for (std::uint64_t i = 0; i < std::min(study.runs, starts_tried); ++i) {
    const study::Run run = study.plan.prepare(i);
    if (!run.problem.empty()) continue;
    return motion::friction_doubts(study.plan.motion().with_parameters(run.parameters), run.start,
                                   fmt::format("at the start of run {}", i), false);
  }
  return {};
}

std::string digits(double x) {
  return std::isnan(x) ? "-" : brief(x, 6);
}

}  // namespace

bool write_sweep_csv(OutputFile& file, const study::Results& results) {
  const study::Study& study = results.study();
  const auto& coordinates = study.plan.motion().model().coordinates;
  std::string text = "run";
  for (const auto& variation : study.plan.variations())
    text += "," + csv_field("vary." + variation.name);
  text += ",status,reason,t";
  for (const char* primes : {"", "'"}) {
    for (const auto& name : coordinates) text += "," + csv_field(name + primes);
  }
  text += ",steps,rejected,largest_residual,energy_change";
  for (const auto& statistic : study.statistics) text += "," + csv_field(statistic.name);
  text += "\n";
  // A NaN is written without the sign some operations give it.
  const auto add = [&text](double value) {
    fmt::format_to(std::back_inserter(text), ",{}",
                   std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  };
  std::vector<double> varied(study.plan.variations().size());
  for (std::uint64_t i = 0; i < results.size(); ++i) {
    const study::RunRecord run = results.run(i);
    fmt::format_to(std::back_inserter(text), "{}", i);
    study.plan.values(i, varied);
    for (const double x : varied) add(x);
    text += run.complete ? ",complete," : ",failed,";
    text += csv_field(run.reason);
    add(run.t);
    for (const auto& values : {run.q, run.v}) {
      for (const double x : values) add(x);
    }
    fmt::format_to(std::back_inserter(text), ",{},{}", run.steps, run.rejected);
    add(run.largest_residual);
    add(run.energy_change);
    for (const double x : run.statistics) add(x);
    text += '\n';
    if (text.size() < flush_bytes) continue;
    if (!file.write(text)) return false;
    text.clear();
  }
  return file.write(text);
}

std::string sweep_json(const study::Study& study, const study::SweepOutcome& outcome,
                       std::uint64_t before, const study::Digest* digest) {
  const motion::Motion& motion = study.plan.motion();
  Json document;
  document["name"] = motion.model().name;
  document["method"] = motion::to_string(motion.method());
  document["mechanical"] = motion::is_mechanical(motion.method());
  if (const auto note = motion::method_note(motion.method()); !note.empty())
    document["note"] = note;
  document["integrator"] = motion::to_string(study.simulation.integrator);
  document["rtol"] = study.simulation.rtol;
  document["atol"] = study.simulation.atol;
  document["max_step"] =
      std::isfinite(study.simulation.max_step) ? Json(study.simulation.max_step) : Json();
  document["duration"] = study.simulation.duration;
  document["vary"] = Json::array();
  for (const auto& variation : study.plan.variations())
    document["vary"].push_back(study::to_string(variation));
  document["seed"] = study.plan.seed();
  document["runs"] = study.runs;
  document["done"] = before + outcome.done;
  document["complete"] = outcome.complete;
  document["warnings"] = friction_warnings(study);
  document["done_now"] = outcome.done;
  document["seconds"] = outcome.seconds;
  document["runs_per_second"] = rate(outcome);
  if (digest != nullptr) {
    document["succeeded"] = digest->complete;
    document["failed"] = digest->failed;
    document["alone"] = digest->alone;
    document["steps"] = digest->steps;
    document["largest_residual"] = digest->largest_residual;
    document["failures"] = Json::array();
    for (const auto& failure : digest->failures)
      document["failures"].push_back({{"run", failure.run}, {"reason", failure.reason}});
    document["spread"] = Json::object();
    for (const auto& spread : digest->spreads) {
      document["spread"][spread.name] = {
          {"min", spread.min}, {"mean", spread.mean}, {"max", spread.max}};
      if (spread.finite < digest->complete)
        document["spread"][spread.name]["not_finite"] = digest->complete - spread.finite;
    }
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sweep_text(const study::Study& study, const study::SweepOutcome& outcome,
                       const study::Digest& digest, std::optional<int> rank) {
  const motion::Motion& motion = study.plan.motion();
  std::string text =
      rank ? headline(motion, *rank)
           : fmt::format("{} · {}", motion.model().name, count(motion.coordinates(), "coordinate"));
  text += fmt::format(
      "\n{} · {}, rtol {} · {} of {} s, {} in all\n", motion::to_string(motion.method()),
      motion::to_string(study.simulation.integrator), brief(study.simulation.rtol, 3),
      count(study.runs, "run"), brief(study.simulation.duration, 6), count(digest.steps, "step"));
  if (const auto note = motion::method_note(motion.method()); !note.empty())
    text += fmt::format("{}\n", note);
  const char* label = "vary";
  for (const auto& variation : study.plan.variations()) {
    std::string what = study::to_string(variation);
    if (what.size() > 80) what = what.substr(0, 80) + "...";
    text += fmt::format("  {:<13} {}\n", label, what);
    label = "";
  }
  text += fmt::format("  {:<13} {} complete, {} failed", "runs", digest.complete, digest.failed);
  if (outcome.done == 0) {
    text += " · none was left to do\n";
  } else {
    const std::string part =
        outcome.done < study.runs ? fmt::format("{} of them now, ", outcome.done) : "";
    text += fmt::format(" · {}in {} s, {} runs/s\n", part, brief(outcome.seconds, 2),
                        brief(rate(outcome), 3));
  }
  if (motion.constraints() > 0 && digest.complete > 0)
    text += fmt::format("  {:<13} worst residual {}\n", "constraints",
                        brief(digest.largest_residual, 2));
  if (!digest.spreads.empty()) {
    std::vector<std::vector<std::string>> rows{{"", "min", "mean", "max"}};
    for (const auto& spread : digest.spreads) {
      const std::string lost =
          spread.finite < digest.complete
              ? fmt::format(" ({} not finite)", digest.complete - spread.finite)
              : "";
      rows.push_back(
          {spread.name + lost, digits(spread.min), digits(spread.mean), digits(spread.max)});
    }
    text += table(rows, "  ");
  }
  for (const std::string& warning : friction_warnings(study))
    text += fmt::format("  {:<13} {}\n", "warning", warning);
  for (std::size_t i = 0; i < std::min(digest.failures.size(), failures_shown); ++i) {
    text += fmt::format("  {:<13} run {}: {}\n", i == 0 ? "failed" : "", digest.failures[i].run,
                        digest.failures[i].reason);
  }
  if (digest.failed > failures_shown)
    text += fmt::format("  {:<13} and {} more; all reasons are in the files\n", "",
                        digest.failed - failures_shown);
  return text;
}

}  // namespace dalembert::report
