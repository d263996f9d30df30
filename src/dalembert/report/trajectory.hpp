#pragma once
/// trajectory.csv: one row a sample, streamed as the motion goes.
///
/// Columns: t, positions, velocities x', accelerations x'', ideal.x ..., nonideal.x ...,
/// constraint.NAME (and constraint.NAME' for a position constraint), energy.kinetic,
/// energy.potential, work.applied, work.ideal, work.nonideal, [work.other where explicit time or a
/// varying M changes the energy], [mu.NAME by the method `vakonomic`], the model's outputs, the
/// reactions of its joints (NAME.fx ...). M q'' = Q + ideal + nonideal. Numbers are the shortest
/// that read back to the same double.

#include <string>
#include <vector>

#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/output_file.hpp"

namespace dalembert::report {

std::vector<std::string> trajectory_columns(const motion::Motion& motion);

class TrajectoryWriter {
 public:
  TrajectoryWriter(OutputFile& file, const motion::Motion& motion);

  /// False once writing has failed; the file knows why.
  bool write(const motion::Sample& sample);

 private:
  OutputFile& file_;
  std::vector<bool> has_rate_;
  bool has_other_work_;
  std::string row_;
};

}  // namespace dalembert::report
