#pragma once
/// What lanes do for runs whose steps are taken on a device (study/ensemble_device.hpp): find where
/// and how they start, and look at where they end. One lane, in one thread.

#include <algorithm>
#include <cmath>
#include <vector>

#include "dalembert/motion/lanes.hpp"
#include "dalembert/study/ensemble.hpp"
#include "dalembert/study/statistic.hpp"
#include "dalembert/study/study.hpp"

namespace dalembert::study {

/// Of a run between its start in a lane and its end there.
struct BegunRun {
  motion::LaneRun run;
  double h_start = 0;
  bool here = false;                ///< its steps are taken on the device
  long samples = 0;                 ///< so many were taken at the start
  std::vector<double> rows;         ///< of them, if samples are kept
  std::vector<Accumulator> sums;    ///< else
  std::vector<flow::StepEnd> ends;  ///< where forces have kinks in t; else none
  std::size_t piece = 0;            ///< the step end that the run is on the way to
  std::vector<double> results;      ///< its state on the device, once it is over there
};

class DeviceGate final : public motion::LaneClient {
 public:
  DeviceGate(const Study& study, const motion::LaneFlow& flow)
      : study_(study),
        columns_(sample_columns(study.plan.motion()).size()),
        row_(columns_),
        sample_(flow.sample, study.plan.motion().parameters()),
        lanes_(study.plan.motion(), flow, study.simulation, is_sampled(study), *this) {}

  /// False where the run is not for the device: it cannot start, is over already, or no tape
  /// vouches for its start. Then what its first step is stands in lanes().
  bool begin(BegunRun& begun) {
    begun_ = &begun;
    waiting_ = true;
    began_ = false;
    begun.sums.assign(study_.keep_samples ? 0 : study_.statistics.size(), {});
    lanes_.run();
    if (began_) {
      begun.h_start = lanes_.start_energy(0);
      if (!study_.plan.motion().time_kinks().empty()) begun.ends = lanes_.step_ends(0).all();
    }
    const bool here = began_ && (begun.samples > 0 || !is_sampled(study_));
    began_ = false;
    return here;
  }
  const motion::Lanes& lanes() const { return lanes_; }

  /// What became of a run; null where the tape does not vouch for the end.
  const Outcome* finish(const BegunRun& begun, const motion::Lanes::Landing& end) {
    told_ = false;
    lanes_.land(0, begun.run, end);
    return told_ ? &outcome_ : nullptr;
  }

  /// The columns of samples of which only t and y are known, one after the other; false where the
  /// tape does not vouch for one. Each of `states` has 1 + `size` numbers.
  bool observe(BegunRun& begun, std::span<const double> states, std::size_t size) {
    const std::size_t n = study_.plan.motion().coordinates(), last = sample_.out.size() - 1;
    sample_.bind(0, begun.run.parameters);
    for (std::size_t at = 0; at < states.size(); at += 1 + size) {
      std::ranges::copy(states.subspan(at, 1 + size), sample_.in);
      sample_.run();
      const auto value = [&](std::size_t i) { return *sample_.out[i]; };
      if (!(value(last) <= 1 && std::isfinite(value(4 * n)) && std::isfinite(value(4 * n + 1)) &&
            std::isfinite(value(4 * n + 2))))
        return false;
      const auto seen = states.subspan(at, 1 + n);
      begun.rows.insert(begun.rows.end(), seen.begin(), seen.end());
      for (std::size_t i = 0; i < last - n; ++i) {
        if (i != 4 * n + 2) begun.rows.push_back(value(i));  // h is no column
      }
    }
    return true;
  }

  // One run is begun at a time, and its first step is for the device.
  bool stopped() const override { return began_; }
  bool next(motion::LaneRun& run) override {
    if (!waiting_) return false;
    run = begun_->run;
    waiting_ = false;
    return true;
  }
  bool begins(const motion::Lanes& /*lanes*/, std::size_t /*lane*/) override {
    began_ = true;
    return true;
  }
  void sample(const motion::Lanes&, std::size_t, const motion::LaneSample& s) override {
    write_row({s.t, s.q, s.v, s.qdd, s.ideal, s.nonideal, s.kinetic, s.potential, s.outputs}, row_);
    ++begun_->samples;
    if (study_.keep_samples) begun_->rows.insert(begun_->rows.end(), row_.begin(), row_.end());
    for (std::size_t j = 0; j < begun_->sums.size(); ++j) {
      const Statistic& statistic = study_.statistics[j];
      begun_->sums[j].add(statistic.reduction, row_[statistic.column]);
    }
  }
  void end(const motion::Lanes&, std::size_t, const motion::LaneEnd& end) override {
    if (began_) {  // at its start: not for the device
      began_ = false;
      return;
    }
    told_ = true;
    outcome_.complete = true;
    outcome_.t = end.t;
    outcome_.q.assign(end.q.begin(), end.q.end());
    outcome_.v.assign(end.v.begin(), end.v.end());
    outcome_.steps = end.steps;
    outcome_.rejected = end.rejected;
    outcome_.largest_residual = end.largest_residual;
    outcome_.energy_change = end.energy_change;
  }
  bool carry(motion::Lanes&, std::size_t, motion::LanePlace&) override {
    began_ = false;
    return false;
  }

 private:
  const Study& study_;
  const std::size_t columns_;
  BegunRun* begun_ = nullptr;
  bool waiting_ = false, began_ = false, told_ = false;
  std::vector<double> row_;
  motion::LaneKernel sample_;
  Outcome outcome_;
  motion::Lanes lanes_;
};

}  // namespace dalembert::study
