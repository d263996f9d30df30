#pragma once
/// Where a run takes from files what the model leaves open: the courses of inputs, and the state in
/// which an earlier run ended.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/model/draft.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::cli {

/// The model whose inputs follow the columns of a file, by name; complains and returns nothing
/// where that cannot be. Between rows they are linear, or with `hold` as in the row before.
std::optional<model::Model> with_input_file(const model::Model& model, const std::string& path,
                                            bool hold);

/// The last row of DIRECTORY/trajectory.csv, with what summary.json says of it.
struct StoredEnd {
  double t = 0;
  std::vector<std::pair<std::string, double>> state;  ///< "x", "x'"
  std::string rows;                                   ///< all of them, as text
  std::string events;                                 ///< those of events.csv, likewise
  /// By index among the parameters, as they were at that row.
  std::vector<std::pair<std::size_t, double>> discretes;
  std::map<std::string, std::map<std::string, long>> event_counts;  ///< as Summary has them
  double energy_lost = 0;                                           ///< likewise
};
/// Complains and returns nothing where there is none with the columns of this motion.
std::optional<StoredEnd> stored_end(const std::filesystem::path& directory,
                                    const motion::Motion& motion);

}  // namespace dalembert::cli
