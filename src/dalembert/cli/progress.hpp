#pragma once
/// A progress bar on standard error, for work of more than a second on a terminal: simulated time,
/// rate, time left.

#include <chrono>

namespace dalembert::cli {

class ProgressBar {
 public:
  ProgressBar(double duration, bool enabled);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void update(double t);

 private:
  using Clock = std::chrono::steady_clock;
  double duration_;
  bool enabled_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace dalembert::cli
