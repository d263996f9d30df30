#include <fmt/format.h>

#include <csignal>
#include <filesystem>

#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/cli/sweep_results.hpp"
#include "dalembert/study/parts/merge.hpp"
#include "dalembert/study/parts/rebuilt.hpp"

namespace dalembert::cli {

namespace {

namespace fs = std::filesystem;

/// Where the results go: --out, or the one directory whose shards are merged.
std::optional<fs::path> target_of(const MergeOptions& given) {
  if (given.out) return *given.out;
  if (given.directories.size() == 1 &&
      !study::is_folder_name(
          (fs::path(given.directories.front()) / "").parent_path().filename().string()))
    return given.directories.front();
  // Shards side by side belong to the folder that they are in.
  fs::path common;
  for (const std::string& directory : given.directories) {
    const fs::path path = (fs::path(directory) / "").parent_path();
    fs::path parent = path.parent_path();
    if (parent.empty()) parent = ".";
    if (!study::is_folder_name(path.filename().string()) || (!common.empty() && common != parent)) {
      complain("where to write? Give --out DIR; shards side by side (DIR/shard-...) need none");
      return std::nullopt;
    }
    common = parent;
  }
  return common;
}

}  // namespace

int merge(const MergeOptions& given) {
  const auto target = target_of(given);
  if (!target) return bad_input;
  auto shards = study::Shards::open({given.directories.begin(), given.directories.end()});
  if (!shards) {
    complain(shards.error());
    return bad_input;
  }
  const auto study = [&] {
    const Waiting waiting("deriving and compiling the equations", shows_progress(given));
    return study::study_from_manifest(shards->manifest(),
                                      (shards->manifest_path() / "study.json").string());
  }();
  if (!study) {
    complain(study.error());
    return bad_input;
  }
  if (const auto problem = shards->check(*study)) {
    complain(fmt::format("{}; nothing was written", *problem));
    return bad_input;
  }
  if (shards->twice() > 0 && !given.quiet) {
    print_aside(fmt::format("note: {} runs were done more than once, with the same bits\n",
                            shards->twice()));
  }

  std::signal(SIGXFSZ, SIG_IGN);  // writing then fails with an error, which is reported
  std::error_code ignored;
  const bool begun = fs::exists(*target / "study.json", ignored);
  auto folder =
      begun ? study::Folder::resume(*target, *study) : study::Folder::create(*target, *study);
  if (!folder) {
    complain(folder.error());
    return bad_input;
  }
  const auto copied = shards->copy_to(*study, *folder, stop_at_signals());
  handle_signals(end_at_once);
  if (!copied) {
    complain(fmt::format("{}; make room, and merge again", copied.error()));
    return bad_input;
  }
  if (!*copied) {
    complain("interrupted; repeat the command to continue");
    return gave_up;
  }
  study::SweepOutcome outcome;
  outcome.complete = true;
  return write_results(*study, *folder, outcome, study->runs, given, given.csv);
}

}  // namespace dalembert::cli
