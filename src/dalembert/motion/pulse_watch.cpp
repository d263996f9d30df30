#include "dalembert/motion/pulse_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dalembert::motion {

namespace {

constexpr double beyond_tolerance = 1e5;

}  // namespace

void PulseWatch::look(double t, std::span<const double> qdd, std::span<const double> y,
                      const Tolerance& tolerance) {
  const double length = std::exchange(length_, 0);
  if (length == 0 || missed_) return;
  double difference = 0, scale = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    difference = std::max(difference, std::abs(qdd[i] - slope_[n_ + i]));
    scale = std::max(scale, tolerance.scale(n_ + i, y[n_ + i], y[n_ + i]));
  }
  if (length * difference > beyond_tolerance * scale) missed_ = {t, length};
}

std::string PulseWatch::doubt() const {
  if (!missed_) return {};
  return fmt::format(
      "at t = {:.6g} a force acts that the step around it, of {:.2g} s, was computed without: what "
      "is shorter than a step may have been missed; limit the steps by max_step",
      missed_->t, missed_->length);
}

}  // namespace dalembert::motion
