#pragma once
/// What a person waiting sees on standard error, if that is a terminal, of work that takes more
/// than a second. It is wiped out when the work is done.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace dalembert::cli {

enum class Counted { seconds, runs };

/// How much is done, rate, time left.
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

/// What is being done and for how long already, of work that cannot tell how much is left. Nothing
/// else may be written to standard error meanwhile.
class Waiting {
 public:
  Waiting(std::string what, bool enabled);
  /// What is being done from now on.
  void tell(const std::string& what);
  ~Waiting() = default;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  struct What {
    std::mutex mutex;
    std::string text;
  };
  std::shared_ptr<What> what_;
  std::jthread thread_;
};

/// For a signal that ends the program: takes what is drawn off the terminal, says "interrupted",
/// and ends as whoever started the program expects of that signal. Not where files are being
/// written.
void end_at_once(int signal);

/// "8 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace dalembert::cli
