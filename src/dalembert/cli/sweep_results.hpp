#pragma once
/// The end of `sweep` and `merge`: what all runs together came to.

#include "dalembert/cli/commands.hpp"
#include "dalembert/study/storage/folder.hpp"
#include "dalembert/study/sweep.hpp"

namespace dalembert::cli {

/// Writes results.h5, summary.json and, for a small study or where `csv` asks for it, results.csv,
/// and prints the report. `before`: runs done by earlier commands. The exit status.
int write_results(const study::Study& study, const study::Folder& folder,
                  const study::SweepOutcome& outcome, std::uint64_t before,
                  const CommonOptions& given, bool csv);

}  // namespace dalembert::cli
