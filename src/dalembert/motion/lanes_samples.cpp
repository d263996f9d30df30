// Samples of motions in lanes: the continuous output of a step, and what is observed there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/motion/lanes.hpp"

namespace dalembert::motion {

/// The continuous output, where samples fall within a step.
void Lanes::prepare_samples() {
  for (std::size_t l = 0; l < W_; ++l) {
    const Lane& lane = lanes_[l];
    asked_[l] =
        candidates_[l] != 0 && pending(lane, t_new_[l]) && times_[lane.next_sample] < t_new_[l] ? -1
                                                                                                : 0;
  }
  if (taylor_ || !any(asked_)) return;
  keep_stages();
  arithmetic_.prepare_dense(derivative_, step_);
  for (std::size_t l = 0; l < W_; ++l) {
    if (asked_[l] == 0 || step_.dense_valued[l] != 0) continue;
    step_.error[l] = std::numeric_limits<double>::infinity();
    candidates_[l] = 0;
  }
}

/// Chooses the next sample of each lane that has one in the step just accepted.
bool Lanes::ask_samples() {
  for (std::size_t l = 0; l < W_; ++l) {
    const Lane& lane = lanes_[l];
    const bool asked = accepted_[l] != 0 && !lane.out && pending(lane, behind_[l]);
    time_[l] = asked ? times_[lane.next_sample] : step_.t[l];
    theta_[l] = asked ? std::clamp((time_[l] - step_.t[l]) / step_.h[l], 0.0, 1.0) : 0.0;
    const bool at_end = asked && time_[l] >= t_new_[l];
    at_end_[l] = at_end ? -1 : 0;
    asked_[l] = asked ? -1 : 0;
  }
  return any(asked_);
}

/// Samples within the steps just accepted, each projected, to the receiver.
void Lanes::emit_samples() {
  while (ask_samples()) {
    interpolate_all(theta_.data(), y_sample_.data());
    arithmetic_.replace(flow_.size, at_end_.data(),
                        projector_.needed() ? y_end_rows_.data() : y_new_rows_.data(),
                        y_sample_.data());
    if (projector_.needed()) {
      for (std::size_t l = 0; l < W_; ++l) candidates_[l] = asked_[l] & ~at_end_[l];
      projector_.project(time_.data(), y_sample_.data(), candidates_.data());
    }
    std::copy(time_.begin(), time_.end(), sample_.in);
    std::copy_n(y_sample_.begin(), flow_.size * W_, sample_.in + W_);
    sample_.run();
    for (std::size_t l = 0; l < W_; ++l) {
      if (asked_[l] == 0) continue;
      Lane& lane = lanes_[l];
      if (projector_.needed() && candidates_[l] != 0) {
        lane.out = !projector_.converged(l);
        lane.largest_residual = std::max(lane.largest_residual, projector_.residual(l));
      }
      lane.out = lane.out || !observed_value(l);
      if (!lane.out) deliver(l);
    }
  }
}

bool Lanes::prepare_dense(std::size_t l) {
  if (taylor_) return true;
  keep_stages();
  arithmetic_.prepare_dense(derivative_, step_);
  return step_.dense_valued[l] != 0;
}

void Lanes::interpolate(double theta, std::span<double> y) const {
  interpolate_all(&theta, y.data());
}

void Lanes::interpolate_slope(double theta, std::span<double> slope) const {
  if (taylor_) {
    taylor_->interpolate_slope(step_, &theta, slope.data());
    return;
  }
  const double rest = 1 - theta;
  for (std::size_t i = 0; i < flow_.size; ++i) {
    const double* r = step_.dense.data() + i / lane_pack * 7 * lane_pack + i % lane_pack;
    double value = r[6 * lane_pack], rate = 0;
    for (std::size_t c = 6; c-- > 0;) {
      const bool by_theta = c % 2 == 1;
      rate = by_theta ? value + theta * rate : rest * rate - value;
      value = r[c * lane_pack] + (by_theta ? theta : rest) * value;
    }
    slope[i] = (value + theta * rate) / step_.h[0];
  }
}

void Lanes::evaluate(double t, const double* y, std::span<double> rates) const {
  derivative_.in[0] = t;
  std::copy_n(y, flow_.size, derivative_.in + 1);
  derivative_.run();
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = *derivative_.out[i];
}

void Lanes::find_rates(std::span<double> rates) const {
  evaluate(step_.t[0], step_.y.data(), rates);
}

void Lanes::find_rates_at_sample(double t, std::span<double> rates) const {
  evaluate(t, y_sample(), rates);
}

/// The sample tape at a state of one lane, whose entries lie `stride` apart.
void Lanes::observe(std::size_t l, double t, const double* y, std::size_t stride) {
  sample_.in[l] = t;
  for (std::size_t i = 0; i < flow_.size; ++i) sample_.in[(1 + i) * W_ + l] = y[i * stride];
  sample_.run();
}

/// Whether what was observed can be trusted. Outputs of the model may be anything.
bool Lanes::observed_value(std::size_t l) const {
  return sample_.out.back()[l] <= 1 && std::isfinite(sample_.out[4 * n_][l]) &&
         std::isfinite(sample_.out[4 * n_ + 1][l]) && std::isfinite(sampled_h(l));
}

/// Velocities that were taken apart into u and put together again differ from those of the start by
/// rounding: the first row shows what was given.
void Lanes::show_start(const State& start, double t, std::span<double> v) {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  double largest = 0;
  for (const double x : start.v) largest = std::max(largest, std::abs(x));
  if (t != start.t || !std::ranges::equal(v, start.v, [&](double a, double b) {
        return std::abs(a - b) <= rounding * largest;
      }))
    return;
  std::ranges::copy(start.v, v.begin());
}

/// What was observed, as the next sample of a lane.
void Lanes::deliver(std::size_t l) {
  Lane& lane = lanes_[l];
  for (std::size_t i = 0; i < n_; ++i) observed_[i] = sample_.in[(1 + i) * W_ + l];
  for (std::size_t i = 0; i < sample_.out.size(); ++i) observed_[n_ + i] = sample_.out[i][l];
  const auto part = [&](std::size_t i) { return std::span(observed_).subspan(i * n_, n_); };
  if (flow_.reduced && lane.steps == 0 && lane.next_sample == 0)
    show_start(lane.run.start, sample_.in[l], part(1));
  const double* energy = observed_.data() + 5 * n_;
  const std::size_t outputs = sample_.out.size() - (5 * n_ + 4);
  const LaneSample sample{sample_.in[l], part(0),   part(1),   part(2),   part(3),
                          part(4),       energy[0], energy[1], energy[2], {energy + 3, outputs}};
  ++lane.next_sample;
  client_.sample(*this, l, sample);
}

}  // namespace dalembert::motion
