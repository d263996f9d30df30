#pragma once
/// trajectory.h5: the table of trajectory.csv as the dataset `trajectory`, rows x columns, with the
/// names of its columns in the attribute `columns`; attributes of the file are `program`, `model`,
/// `method` and `complete` (1, or 0 for a motion that did not come to its end). Streamed; the file
/// appears whole or not at all.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/report/trajectory.hpp"
#include "dalembert/study/storage/hdf5_table.hpp"

namespace dalembert::report {

class TrajectoryTable {
 public:
  TrajectoryTable(const std::filesystem::path& path, const motion::Motion& motion);

  /// False once writing has failed; error() says why.
  bool write(const motion::Sample& sample);
  bool commit(bool complete) { return table_.commit("complete", complete ? 1 : 0); }
  const std::optional<std::string>& error() const { return table_.error(); }

 private:
  TrajectoryRow layout_;
  std::vector<double> row_;
  study::Hdf5Table table_;
};

}  // namespace dalembert::report
