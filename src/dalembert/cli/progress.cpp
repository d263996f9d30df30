#include "dalembert/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace dalembert::cli {

namespace {

constexpr double first_after = 1.0;   // s
constexpr double redraw_after = 0.1;  // s
constexpr int bar_width = 30;

}  // namespace

ProgressBar::ProgressBar(double total, bool enabled, Counted counted, double before)
    : total_(total),
      before_(before),
      enabled_(enabled && ::isatty(STDERR_FILENO) == 1),
      counted_(counted) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::update(double done) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (elapsed < first_after || std::chrono::duration<double>(now - last_).count() < redraw_after)
    return;
  last_ = now;
  drawn_ = true;
  const double part = std::clamp(done / total_, 0.0, 1.0);
  const double rate = (done - before_) / elapsed;
  const int filled = static_cast<int>(part * bar_width);
  std::string bar;
  for (int i = 0; i < bar_width; ++i) bar += i < filled ? "█" : "░";
  const std::string state =
      counted_ == Counted::seconds
          ? fmt::format("t = {:.4g} of {:.4g} s  {:.3g} s/s", done, total_, rate)
          : fmt::format("{:.0f} of {:.0f} runs  {:.3g} runs/s", done, total_, rate);
  fmt::print(stderr, "\r\x1b[K{} {:3.0f} %  {}  {:.0f} s left", bar, 100 * part, state,
             rate > 0 ? (total_ - done) / rate : 0.0);
  std::fflush(stderr);
}

}  // namespace dalembert::cli
