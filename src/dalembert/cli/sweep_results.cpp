#include "dalembert/cli/sweep_results.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "dalembert/report/output_file.hpp"
#include "dalembert/report/sweep.hpp"
#include "dalembert/study/storage/results.hpp"

namespace dalembert::cli {

namespace {

/// The rank of the constraints where a run starts, of the first that can.
std::optional<int> rank_at_start(const study::Study& study) {
  constexpr std::uint64_t most_tried = 100;
  for (std::uint64_t i = 0; i < std::min(study.runs, most_tried); ++i) {
    const study::Run run = study.plan.prepare(i);
    if (!run.problem.empty()) continue;
    const motion::Acceleration a =
        study.plan.motion()
            .with_parameters(run.parameters)
            .acceleration(run.start.t, run.start.q, run.start.v, run.start.mu);
    if (a.status == motion::Status::ok) return a.rank;
  }
  return std::nullopt;
}

/// Writes summary.json and, for a small study or if asked for, results.csv. What went wrong, if
/// something did.
std::optional<std::string> write_texts(const study::Results& results,
                                       const std::filesystem::path& directory, bool csv,
                                       const std::string& summary) {
  report::OutputFile summary_file(directory / "summary.json");
  summary_file.write(summary);
  if (csv) {
    report::OutputFile csv_file(directory / "results.csv");
    if (!report::write_sweep_csv(csv_file, results) || !csv_file.commit()) return csv_file.error();
  }
  summary_file.commit();
  return summary_file.error();
}

}  // namespace

int write_results(const study::Study& study, const study::Folder& folder,
                  const study::SweepOutcome& outcome, std::uint64_t before,
                  const CommonOptions& given, bool all_rows) {
  const std::filesystem::path& directory = folder.path();
  const auto results = study::Results::open(study, folder);
  if (!results) {
    complain(results.error());
    return bad_input;
  }
  const study::Digest digest = study::digest(*results);
  const std::string summary = report::sweep_json(study, outcome, before, &digest);
  const bool csv = all_rows || study.runs <= report::small_study;
  auto problem = study::write_hdf5(*results, directory / "results.h5");
  if (!problem) problem = write_texts(*results, directory, csv, summary);
  if (problem) {
    complain(
        fmt::format("{}; all runs are done and kept: --resume writes the results again", *problem));
    return bad_input;
  }

  if (given.json) {
    std::fputs(summary.c_str(), stdout);
  } else if (!given.quiet) {
    std::string text = report::sweep_text(study, outcome, digest, rank_at_start(study));
    text += fmt::format("wrote {}/: results.h5{}, summary.json\n", directory.string(),
                        csv ? ", results.csv" : "");
    print(text);
  }
  if (digest.complete > 0) return done;
  complain(fmt::format("every run failed; the first: {}", digest.failures.front().reason));
  return gave_up;
}

}  // namespace dalembert::cli
