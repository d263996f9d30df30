#pragma once
/// All that decides the results of a study: the same study, the same numbers to the last bit,
/// whatever computes them and however often it was interrupted.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/motion/simulate.hpp"
#include "dalembert/study/plan.hpp"
#include "dalembert/study/run_sensitivities.hpp"
#include "dalembert/study/statistic.hpp"
#include "dalembert/study/storage/journal.hpp"

namespace dalembert::study {

struct Study {
  Plan plan;
  std::uint64_t runs = 0;
  motion::SimulationOptions simulation;  ///< the same for all runs
  std::vector<Statistic> statistics;
  bool keep_samples = false;
  std::map<std::string, std::string> settings;      ///< as in --set
  std::string program;                              ///< name and version
  std::map<std::string, std::string> initial = {};  ///< as in --at
  /// What derivatives of the runs are by; none if they are not asked for.
  std::shared_ptr<const RunSensitivities> sensitivities = nullptr;
};

/// Whether runs are sampled at all: to keep the samples, or for statistics.
inline bool is_sampled(const Study& study) {
  return study.keep_samples || !std::ranges::all_of(study.statistics, &Statistic::of_derivative);
}

/// How many samples are taken of a run, and when.
std::uint64_t sample_count(const Study& study);
double sample_time(const Study& study, std::uint64_t k);

/// What is written to study.json: a JSON text ending in a newline, the model in full in it.
std::string manifest(const Study& study);

/// The same without the place of the model file: equal for equal studies.
std::string identity(const Study& study);

/// In what two manifests differ, in words that begin with "it"; nothing if they are of one study.
/// Where the model file lies does not matter, what stands in it does.
std::optional<std::string> difference(const std::string& there, const std::string& here);

JournalShape journal_shape(const Study& study);

}  // namespace dalembert::study
