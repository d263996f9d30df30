#include "dalembert/cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stop_token>
#include <string>

#include "dalembert/report/layout.hpp"

namespace dalembert::cli {

namespace {

using namespace std::chrono_literals;

constexpr double first_after = 1.0;   // s
constexpr double redraw_after = 0.1;  // s
constexpr std::size_t widest_bar = 30;
constexpr std::size_t usual_columns = 80;
constexpr const char* wiped = "\r\x1b[K";

volatile std::sig_atomic_t is_drawn = 0;  // something to wipe out

bool on_terminal(bool enabled) {
  return enabled && ::isatty(STDERR_FILENO) == 1;
}

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : usual_columns;
}

/// Over what was there, and not wider than the terminal: a line that wraps cannot be wiped out.
void draw(const std::string& line) {
  is_drawn = !line.empty();
  fmt::print(stderr, "{}{}", wiped, line);
  std::fflush(stderr);
}

void wipe() {
  draw("");
}

}  // namespace

void end_at_once(int signal) {
  // Only what a handler of signals may call.
  const auto write = [](const char* text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
  };
  if (is_drawn != 0) write(wiped);
  if (signal == SIGINT) write("interrupted\n");
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds > 1e7) return "a long time";
  const auto s = static_cast<long>(std::lround(std::max(seconds, 0.0)));
  if (s < 100) return fmt::format("{} s", s);
  if (s < 6000) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

ProgressBar::ProgressBar(double total, bool enabled, Counted counted, double before)
    : total_(total), before_(before), enabled_(on_terminal(enabled)), counted_(counted) {}

ProgressBar::~ProgressBar() {
  if (drawn_) wipe();
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
  const std::string state =
      counted_ == Counted::seconds
          ? fmt::format("t = {:.6g} of {:.6g} s  {:.3g} s/s", done, total_, rate)
          : fmt::format("{:.0f} of {:.0f} runs  {:.3g} runs/s", done, total_, rate);
  const std::string left = rate > 0 ? duration_text((total_ - done) / rate) : "a long time";
  const std::string text = fmt::format("{:3.0f} %  {}  {} left", 100 * part, state, left);
  const std::size_t columns = terminal_columns();
  const std::size_t taken = report::width(text) + 2;
  const std::size_t width = columns > taken ? std::min(columns - taken, widest_bar) : 0;
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(width));
  std::string bar;
  for (std::size_t i = 0; i < width; ++i) bar += i < filled ? "█" : "░";
  draw(width > 0 ? bar + " " + text : text.substr(0, columns - 1));
}

void Waiting::tell(const std::string& what) {
  const std::lock_guard lock(what_->mutex);
  what_->text = what;
}

Waiting::Waiting(std::string what, bool enabled) : what_(std::make_shared<What>()) {
  what_->text = std::move(what);
  if (!on_terminal(enabled)) return;
  thread_ = std::jthread([what = what_](const std::stop_token& ended) {
    static constexpr const char* signs[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
    std::mutex mutex;
    std::condition_variable_any wakes;
    std::unique_lock lock(mutex);
    const auto start = std::chrono::steady_clock::now();
    const auto sleep = [&](auto time) {
      wakes.wait_for(lock, ended, time, [] { return false; });
      return !ended.stop_requested();
    };
    bool drawn = false;
    for (std::size_t i = 0; sleep(i == 0 ? 1000ms : 100ms); ++i, drawn = true) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      std::string text;
      {
        const std::lock_guard reading(what->mutex);
        text = fmt::format("{}  {}", what->text, duration_text(std::floor(elapsed.count())));
      }
      if (report::width(text) + 3 <= terminal_columns())
        draw(fmt::format("{} {}", signs[i % std::size(signs)], text));
    }
    if (drawn) wipe();
  });
}

}  // namespace dalembert::cli
