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

ProgressBar::ProgressBar(double duration, bool enabled)
    : duration_(duration), enabled_(enabled && ::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::update(double t) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (elapsed < first_after || std::chrono::duration<double>(now - last_).count() < redraw_after)
    return;
  last_ = now;
  drawn_ = true;
  const double part = std::clamp(t / duration_, 0.0, 1.0);
  const int filled = static_cast<int>(part * bar_width);
  std::string bar;
  for (int i = 0; i < bar_width; ++i) bar += i < filled ? "█" : "░";
  fmt::print(stderr, "\r\x1b[K{} {:3.0f} %  t = {:.4g} of {:.4g} s  {:.3g} s/s  {:.0f} s left", bar,
             100 * part, t, duration_, t / elapsed, part > 0 ? elapsed * (1 - part) / part : 0.0);
  std::fflush(stderr);
}

}  // namespace dalembert::cli
