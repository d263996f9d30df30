#pragma once
/// The parts of a run's tape (motion/steps/run_tape.hpp) that are loops: corrections towards the
/// constraints, the watch for singular configurations, samples.

#include <optional>
#include <utility>
#include <vector>

#include "dalembert/motion/steps/run_tape.hpp"
#include "dalembert/motion/steps/tape_sheet.hpp"

namespace dalembert::motion {

/// An attempt of a step, as it stands on the sheet.
struct RunStep {
  using Register = TapeSheet::Register;
  Register t, h, t_new;
  Register behind;     ///< where the next begins, if it is accepted
  Register candidate;  ///< not negative where its error is small enough so far
  TapeSheet::Row y, y_new;
  std::vector<TapeSheet::Row> stages;
};

/// As LaneProjector::project.
class CorrectionWriter {
 public:
  using Register = TapeSheet::Register;
  using Row = TapeSheet::Row;
  CorrectionWriter(TapeSheet& sheet, const Flow& flow, model::Project project);

  bool needed() const { return positions_ || velocities_; }
  /// Where `guard` is not negative: y projected, and the largest scaled residual left, above
  /// projection_tolerance where the projection failed. Elsewhere y, and 0.
  std::pair<Row, Register> project(Register t, const Row& y, Register guard);

 private:
  Register correct(TapeSheet::Source& level, Register t, Row& y, std::size_t first, Register guard);

  TapeSheet& sheet_;
  std::size_t n_;
  bool reduced_;
  std::optional<TapeSheet::Source> positions_, velocities_;
};

/// As Lanes::watch_heights.
class HeightWriter {
 public:
  using Register = TapeSheet::Register;
  using Row = TapeSheet::Row;
  HeightWriter(TapeSheet& sheet, TapeSheet::Source& heights, std::size_t n)
      : sheet_(sheet), heights_(heights), n_(n) {}

  /// The heights at the end of a step. Demands that none vanishes within it.
  Row watch(const RunStep& step, const Row& y_end, const Row& start);

 private:
  Register vanishing(const Row& before, const Row& now);
  Register turning(const Row& before, const Row& now);
  Row within(const RunStep& step, const Row& y_end, Register part);

  TapeSheet& sheet_;
  TapeSheet::Source& heights_;
  std::size_t n_;
};

/// As Lanes::prepare_samples and emit_samples.
class SampleWriter {
 public:
  using Register = TapeSheet::Register;
  using Row = TapeSheet::Row;
  SampleWriter(TapeSheet& sheet, const Flow& flow, const SimulationOptions& options,
               const RunSampling& sampling, const RunTapeLayout& layout,
               CorrectionWriter& corrections);

  /// The continuous output, where samples fall within the step.
  void prepare(const RunStep& step);
  /// The largest residual, the number of the next sample, and the sums, with the samples up to the
  /// end of the step if it is accepted.
  Row take(const RunStep& step, Register accepted, const Row& y_end, Register residual);

 private:
  Register time(Register number);
  Register pending(Register number, Register until);
  Row stage(const Row& inputs, Row& trouble);
  Row interpolate(const RunStep& step, Register theta);
  Row observe(const Row& place, Register& trouble);
  Register gather(const RunSum& sum, Register value, Register x);

  TapeSheet& sheet_;
  const Flow& flow_;
  const SimulationOptions& options_;
  const RunSampling& sampling_;
  RunTapeLayout layout_;
  CorrectionWriter& corrections_;
  TapeSheet::Source derivative_, sample_;
  Row dense_;  ///< seven of each entry of y
};

}  // namespace dalembert::motion
