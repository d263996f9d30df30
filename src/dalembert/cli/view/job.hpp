#pragma once
/// One motion that a page has asked for, between the thread that computes it and the one that
/// sends it: lines of JSON, of which the page gets the newest, however slowly it reads.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "dalembert/cli/view/request.hpp"

namespace dalembert::cli {

class Job {
 public:
  explicit Job(SimulateRequest request) : request_(std::move(request)) {}

  const SimulateRequest& request() const { return request_; }
  /// Set when nobody waits for the motion any more.
  const std::atomic<bool>& stopped() const { return stopped_; }

  /// Lines without their end. One that is not yet sent is replaced by the next of its kind; after
  /// `finish` or `cancel` they are dropped.
  void progress(std::string line);
  void document(std::string line);
  /// The last line, sent after the document that waits, if one does.
  void finish(std::string line);
  /// A later request takes its place, or the page is gone: stops the work and ends the answer.
  void cancel();

  /// What to send next, each line with its end; empty if nothing came in this time. Nothing once
  /// all is sent.
  std::optional<std::string> next(std::chrono::milliseconds patience);

 private:
  void put(std::optional<std::string>& place, std::string line, bool last);

  const SimulateRequest request_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::optional<std::string> progress_, document_, last_;
  bool finished_ = false;
};

}  // namespace dalembert::cli
