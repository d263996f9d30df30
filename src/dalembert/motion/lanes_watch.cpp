// What the engine watches for between the ends of a step: singular configurations.
#include <algorithm>
#include <array>
#include <limits>

#include "dalembert/motion/lanes.hpp"
#include "dalembert/motion/steps/height_chords.hpp"

namespace dalembert::motion {

namespace {

// Where a step without stages is looked at on its way, as parts of it: a singular configuration
// lies an eighth of the step from one of them at most.
constexpr std::array<double, 3> looks_within{0.25, 0.5, 0.75};

}  // namespace

/// A step by series sees the tape's doubt at both ends; here on its way too.
void Lanes::watch_within() {
  for (const double part : looks_within) {
    find_within(part, nullptr);
    std::copy(time_.begin(), time_.end(), derivative_.in);
    std::copy_n(y_sample_.begin(), flow_.size * W_, derivative_.in + W_);
    derivative_.run();
    for (std::size_t l = 0; l < W_; ++l) {
      if (!(derivative_.out[flow_.size][l] <= 1))
        step_.error[l] = std::numeric_limits<double>::infinity();
    }
  }
}

/// The heights at a time and state of each lane.
void Lanes::find_heights(const double* t, const double* y, double* heights) {
  std::copy_n(t, W_, heights_.in);
  std::copy_n(y, flow_.size * W_, heights_.in + W_);
  heights_.run();
  for (std::size_t i = 0; i < heights_.out.size(); ++i)
    std::copy_n(heights_.out[i], W_, heights + i * W_);
}

/// A step in which a height may vanish is not for the lane, not even a shorter one after a
/// rejection: beside the constraints the motion is not smooth there. Heights that have turned far
/// are followed over quarters of the step.
void Lanes::watch_heights(const double* ends) {
  find_heights(t_new_.data(), ends, height_end_.data());
  for (std::size_t l = 0; l < W_; ++l) {
    asked_[l] = lanes_[l].active && turns_far(l) ? -1 : 0;
    if (lanes_[l].active && asked_[l] == 0 &&
        may_vanish(l, height_start_.data(), height_end_.data()))
      lanes_[l].out = true;
  }
  if (!any(asked_)) return;
  height_from_ = height_start_;
  for (std::size_t k = 0; k <= looks_within.size(); ++k) {
    const bool last = k == looks_within.size();
    if (!last) {
      find_within(looks_within[k], ends);
      find_heights(time_.data(), y_sample_.data(), height_to_.data());
    }
    const codegen::AlignedVector& to = last ? height_end_ : height_to_;
    for (std::size_t l = 0; l < W_; ++l) {
      if (asked_[l] != 0 && may_vanish(l, height_from_.data(), to.data())) lanes_[l].out = true;
    }
    height_from_ = to;
  }
}

/// The time and, near enough for heights, the state of each lane within its step: by series, or by
/// positions and velocities at both ends.
void Lanes::find_within(double part, const double* ends) {
  for (std::size_t l = 0; l < W_; ++l) time_[l] = step_.t[l] + part * step_.h[l];
  if (taylor_) {
    std::fill(theta_.begin(), theta_.end(), part);
    taylor_->interpolate(step_, theta_.data(), y_sample_.data());
    return;
  }
  const double rest = 1 - part;
  const double from = rest * rest * (1 + 2 * part), to = part * part * (3 - 2 * part);
  for (std::size_t i = 0; i < n_ * W_; ++i) {
    const double v = step_.y[n_ * W_ + i], v_end = ends[n_ * W_ + i];
    y_sample_[i] = from * step_.y[i] + to * ends[i] +
                   part * rest * step_.h[i % W_] * (rest * v - part * v_end);
    y_sample_[n_ * W_ + i] = rest * v + part * v_end;
  }
}

/// Whether a height of a lane has turned so far over its step that it may have vanished between.
bool Lanes::turns_far(std::size_t l) const {
  for (std::size_t first = 0; first < heights_.out.size(); first += n_) {
    double a = 0, b = 0, ab = 0;
    for (std::size_t i = first; i < first + n_; ++i) {
      const double before = height_start_[i * W_ + l], now = height_end_[i * W_ + l];
      a += before * before;
      b += now * now;
      ab += before * now;
    }
    if (!(ab > 0 && ab * ab > farthest_turn * a * b)) return true;
  }
  return false;
}

/// With a and b a height at both ends of the chord, |a + s (b - a)|^2 has its least value at
/// s = a . (a - b) / |b - a|^2, or at an end.
bool Lanes::may_vanish(std::size_t l, const double* before, const double* now) const {
  for (std::size_t first = 0; first < heights_.out.size(); first += n_) {
    double a = 0, b = 0, ab = 0;
    for (std::size_t i = first * W_ + l; i < (first + n_) * W_; i += W_) {
      a += before[i] * before[i];
      b += now[i] * now[i];
      ab += before[i] * now[i];
    }
    const double way = a + b - 2 * ab;
    const double s = way > 0 ? (a - ab) / way : 0.0;
    const bool falls = s >= 1, rises = s <= 0;
    const double least = falls ? b : rises ? a : a - s * (a - ab);
    const double limit = falls   ? least_height * least_height * a
                         : rises ? 0
                                 : least_chord * least_chord * std::min(a, b);
    if (!(least > limit)) return true;
  }
  return false;
}

}  // namespace dalembert::motion
