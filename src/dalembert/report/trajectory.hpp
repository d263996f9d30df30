#pragma once
/// The table of a motion: one row a sample. trajectory.csv has it, streamed as the motion goes.
///
/// Columns: t, positions, velocities x', accelerations x'', ideal.x ..., nonideal.x ...,
/// constraint.NAME (and constraint.NAME' for a position constraint), energy.kinetic,
/// energy.potential, work.applied, work.ideal, work.nonideal, [work.other where explicit time or a
/// varying M changes the energy], [mu.NAME by the method `vakonomic`], the model's outputs, the
/// reactions of its joints (NAME.fx ...). M q'' = Q + ideal + nonideal. Numbers are the shortest
/// that read back to the same double; those of a run in extended precision have 21 digits.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/output_file.hpp"

namespace dalembert::report {

/// What the numbers of a column are.
enum class Group : std::uint8_t {
  time,
  position,
  velocity,
  acceleration,
  ideal,
  nonideal,
  residual,
  energy,
  work,
  multiplier,
  output,
  reaction,
  balance  ///< not in trajectory.csv; the page has it (page.hpp)
};
std::string_view to_string(Group group);  ///< "position", say

struct Column {
  std::string name;
  Group group;
};

std::vector<Column> trajectory_columns(const motion::Motion& motion);

/// The numbers of a sample in the order of the columns.
class TrajectoryRow {
 public:
  explicit TrajectoryRow(const motion::Motion& motion);

  std::size_t size() const { return size_; }
  /// `row` has `size()` places. A NaN has no sign.
  void fill(const motion::Sample& sample, std::span<double> row) const;
  void fill(const motion::ExtendedSample& sample, std::span<long double> row) const;
  /// The sample a row was filled from, its spans into the row, and into `residuals` for residuals
  /// and rates. What rows do not have, rates of constraints on velocities and work that is none, is
  /// 0.
  motion::Sample read(std::span<const double> row, std::vector<double>& residuals) const;
  motion::ExtendedSample read(std::span<const long double> row,
                              std::vector<long double>& residuals) const;

 private:
  std::vector<bool> has_rate_;
  bool has_other_work_;
  template <class AnySample, class Number>
  void write(const AnySample& sample, std::span<Number> row) const;
  template <class AnySample, class Number>
  AnySample read_any(std::span<const Number> row, std::vector<Number>& residuals) const;

  std::size_t n_, mu_;
  std::size_t size_;
};

class TrajectoryWriter {
 public:
  /// `further`: columns behind those of the motion.
  TrajectoryWriter(OutputFile& file, const motion::Motion& motion,
                   const std::vector<std::string>& further = {});

  /// False once writing has failed; the file knows why. Numbers of further columns that are not
  /// given are left blank.
  bool write(const motion::Sample& sample, std::span<const double> further = {});

 private:
  OutputFile& file_;
  TrajectoryRow layout_;
  std::vector<bool> unknown_;  ///< by column: a reaction that is not known, left blank
  std::size_t further_;
  /// By column: an output with multipliers, blank where these are not unique.
  std::vector<bool> of_multipliers_;
  std::vector<double> row_;
  std::vector<long double> extended_;  ///< likewise
  std::string text_;
};

}  // namespace dalembert::report
