#pragma once
/// A progress bar on standard error, for work of more than a second on a terminal: how much is
/// done, rate, time left.

#include <chrono>

namespace dalembert::cli {

enum class Counted { seconds, runs };

class ProgressBar {
 public:
  /// `before`: how much of the total was done before, and does not count for the rate.
  ProgressBar(double total, bool enabled, Counted counted = Counted::seconds, double before = 0);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Not from two threads at once.
  void update(double done);

 private:
  using Clock = std::chrono::steady_clock;
  double total_, before_;
  bool enabled_, drawn_ = false;
  Counted counted_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace dalembert::cli
