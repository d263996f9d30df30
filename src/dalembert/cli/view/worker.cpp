#include "dalembert/cli/view/worker.hpp"

#include "dalembert/cli/view/simulate.hpp"

namespace dalembert::cli {

Worker::Worker(Workbench bench) : bench_(std::move(bench)), thread_([this] { work(); }) {}

Worker::~Worker() {
  end({});
  thread_.join();
}

void Worker::cancel_all() {
  for (const auto& job : {waiting_, current_}) {
    if (job) job->cancel();
  }
}

std::shared_ptr<Job> Worker::start(SimulateRequest request) {
  auto job = std::make_shared<Job>(std::move(request));
  const std::lock_guard lock(mutex_);
  cancel_all();
  if (ending_) {
    job->cancel();
  } else {
    waiting_ = job;
    changed_.notify_all();
  }
  return job;
}

bool Worker::end(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  ending_ = true;
  cancel_all();
  changed_.notify_all();
  return changed_.wait_for(lock, patience, [this] { return idle_; });
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || waiting_; });
    if (ending_) return;
    current_ = std::exchange(waiting_, nullptr);
    const std::shared_ptr<Job> job = current_;
    idle_ = false;
    lock.unlock();
    simulate_for_page(*job, bench_);
    lock.lock();
    idle_ = true;
    current_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace dalembert::cli
