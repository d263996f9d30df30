#pragma once
/// Does the runs of a study that are not in its journal yet.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "dalembert/study/ensemble_device.hpp"
#include "dalembert/study/storage/folder.hpp"
#include "dalembert/study/study.hpp"

namespace dalembert::study {

struct SweepOptions {
  int threads = 0;                    ///< 0: one a core
  int lanes = 0;                      ///< 0: as many as the machine computes at once
  DeviceEnsemble* device = nullptr;   ///< takes the steps where it can, if there is one
  Shard shard;                        ///< runs of this shard only
  std::atomic<bool>* stop = nullptr;  ///< set from elsewhere to end soon; set here if writing fails
  std::function<void(std::uint64_t)> progress;  ///< runs done by this call; from many threads
};

struct SweepOutcome {
  std::uint64_t done = 0;            ///< runs done now
  bool complete = false;             ///< whether all runs of the study, or of the shard, are done
  std::optional<std::string> error;  ///< why writing failed
  double seconds = 0;
};

/// Memory: a bit a run, and what the runs under way need. Samples that are kept go to the journal
/// in blocks.
SweepOutcome sweep(const Study& study, const Folder& folder, const SweepOptions& options);

/// Does some runs of a study, in increasing order of their numbers, and returns them as a journal
/// that holds nothing else, sorted by run: the same bytes for the same runs, whoever does them.
/// What `stop` has interrupted is not in it.
std::string entries_of(const Study& study, std::span<const std::size_t> runs,
                       const SweepOptions& options);

}  // namespace dalembert::study
