#pragma once
/// What people and programs read of a study.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/report/output_file.hpp"
#include "dalembert/study/storage/results.hpp"
#include "dalembert/study/sweep.hpp"

namespace dalembert::report {

/// Up to so many runs, results.csv is written unasked.
inline constexpr std::uint64_t small_study = 10'000;

/// results.csv: one row a run, with what varies, `status` (complete or failed), `reason`, `t`,
/// final positions and velocities, steps, rejected, largest_residual, energy_change, statistics.
/// False once writing has failed; the file knows why.
bool write_sweep_csv(OutputFile& file, const study::Results& results);

/// summary.json, also `sweep --json`. Without a digest: of a study that was interrupted. `before`
/// is the number of runs done by earlier commands.
std::string sweep_json(const study::Study& study, const study::SweepOutcome& outcome,
                       std::uint64_t before, const study::Digest* digest);

/// The report of a finished study, up to and without "wrote ...". The rank is that of the
/// constraints at the start of a run, if one can start.
std::string sweep_text(const study::Study& study, const study::SweepOutcome& outcome,
                       const study::Digest& digest, std::optional<int> rank);

}  // namespace dalembert::report
