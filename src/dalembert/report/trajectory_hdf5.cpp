#include "dalembert/report/trajectory_hdf5.hpp"

namespace dalembert::report {

namespace {

study::Hdf5TableInfo info(const motion::Motion& motion) {
  study::Hdf5TableInfo result{"trajectory", "one row a sample", {}, {}};
  for (Column& column : trajectory_columns(motion)) result.columns.push_back(column.name);
  result.attributes = {{"program", "dalembert " DALEMBERT_VERSION},
                       {"model", motion.model().name},
                       {"method", std::string(motion::to_string(motion.method()))}};
  return result;
}

}  // namespace

TrajectoryTable::TrajectoryTable(const std::filesystem::path& path, const motion::Motion& motion)
    : layout_(motion), row_(layout_.size()), table_(path, info(motion)) {}

bool TrajectoryTable::write(const motion::Sample& sample) {
  layout_.fill(sample, row_);
  return table_.add(row_);
}

}  // namespace dalembert::report
