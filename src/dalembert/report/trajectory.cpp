#include "dalembert/report/trajectory.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "dalembert/report/csv.hpp"

namespace dalembert::report {

namespace {

bool has_other_work(const motion::Motion& motion) {
  return !motion.equations().other_power.is_zero();
}

}  // namespace

std::vector<std::string> trajectory_columns(const motion::Motion& motion) {
  const auto& model = motion.model();
  std::vector<std::string> columns{"t"};
  for (const char* primes : {"", "'", "''"}) {
    for (const auto& name : model.coordinates) columns.push_back(name + primes);
  }
  for (const char* prefix : {"ideal.", "nonideal."}) {
    for (const auto& name : model.coordinates) columns.push_back(prefix + name);
  }
  for (const auto& row : motion.equations().constraints) {
    columns.push_back("constraint." + row.name);
    if (row.level == model::Level::position) columns.push_back("constraint." + row.name + "'");
  }
  for (const char* name :
       {"energy.kinetic", "energy.potential", "work.applied", "work.ideal", "work.nonideal"}) {
    columns.emplace_back(name);
  }
  if (has_other_work(motion)) columns.emplace_back("work.other");
  if (!motion::is_mechanical(motion.method())) {
    for (const auto& row : motion.equations().constraints) columns.push_back("mu." + row.name);
  }
  for (const auto& output : motion.outputs()) columns.push_back(output.name);
  return columns;
}

TrajectoryWriter::TrajectoryWriter(OutputFile& file, const motion::Motion& motion)
    : file_(file), has_other_work_(has_other_work(motion)) {
  for (const auto& row : motion.equations().constraints)
    has_rate_.push_back(row.level == model::Level::position);
  std::string header;
  for (const std::string& column : trajectory_columns(motion))
    header += (header.empty() ? "" : ",") + csv_field(column);
  file_.write(header + "\n");
}

bool TrajectoryWriter::write(const motion::Sample& s) {
  row_.clear();
  // A NaN is written without the sign some operations give it.
  const auto add = [this](double value) {
    const double x = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    fmt::format_to(std::back_inserter(row_), "{}{}", row_.empty() ? "" : ",", x);
  };
  add(s.t);
  for (const auto& values : {s.q, s.v, s.qdd, s.ideal, s.nonideal}) {
    for (const double x : values) add(x);
  }
  for (std::size_t j = 0; j < has_rate_.size(); ++j) {
    add(s.residuals[j]);
    if (has_rate_[j]) add(s.rates[j]);
  }
  for (const double x : {s.kinetic, s.potential, s.work_applied, s.work_ideal, s.work_nonideal})
    add(x);
  if (has_other_work_) add(s.work_other);
  for (const double x : s.mu) add(x);
  for (const double x : s.outputs) add(x);
  row_ += '\n';
  return file_.write(row_);
}

}  // namespace dalembert::report
