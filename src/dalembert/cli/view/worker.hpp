#pragma once
/// The thread that computes what a page asks for: one motion at a time, always the latest.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "dalembert/cli/view/job.hpp"
#include "dalembert/cli/view/workbench.hpp"

namespace dalembert::cli {

class Worker {
 public:
  explicit Worker(Workbench bench);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Cancels what is under way. A model that is being derived or compiled cannot be left before
  /// that is done; its page is told at once all the same.
  std::shared_ptr<Job> start(SimulateRequest request);

  /// Cancels and waits; false if the work has not come to an end in this time. No `start` after it.
  bool end(std::chrono::milliseconds patience);

 private:
  void work();
  void cancel_all();  ///< with the mutex held

  Workbench bench_;  ///< of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Job> waiting_, current_;
  bool ending_ = false, idle_ = true;
  std::thread thread_;
};

}  // namespace dalembert::cli
