#include "dalembert/cli/view/job.hpp"

namespace dalembert::cli {

void Job::put(std::optional<std::string>& place, std::string line, bool last) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  place = std::move(line);
  if (last) finished_ = true;
  arrived_.notify_one();
}

void Job::progress(std::string line) {
  put(progress_, std::move(line), false);
}

void Job::document(std::string line) {
  put(document_, std::move(line), false);
}

void Job::finish(std::string line) {
  put(last_, std::move(line), true);
}

void Job::cancel() {
  stopped_ = true;
  put(last_, R"({"cancelled":true})", true);
}

std::optional<std::string> Job::next(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto something = [this] { return progress_ || document_ || last_; };
  arrived_.wait_for(lock, patience, [&] { return something() || finished_; });
  if (!something()) {
    if (finished_) return std::nullopt;
    return std::string();
  }
  std::string text;
  for (std::optional<std::string>* place : {&progress_, &document_, &last_}) {
    if (!*place) continue;
    text += **place;
    text += '\n';
    place->reset();
  }
  return text;
}

}  // namespace dalembert::cli
