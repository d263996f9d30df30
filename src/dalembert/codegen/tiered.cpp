#include "dalembert/codegen/tiered.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "dalembert/codegen/chunks.hpp"
#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/codegen/series_kernel.hpp"

namespace dalembert::codegen {

namespace {

// Nanoseconds, measured on a 2-core Zen 4 (docs/decisions/machine-code.md); a factor of two either
// way changes little.
constexpr double load_cost = 20e6;       ///< libLLVM, once a process
constexpr double quick_cost = 4e3;       ///< to compile an operation
constexpr double good_cost = 14e3;       ///< to compile it well
constexpr std::size_t long_tape = 3000;  ///< operations from which on quick code comes first
/// To run an operation.
double interpreted_cost(int lanes) {
  return 1.2 + 0.3 * (lanes - 1);
}
double quick_code_cost(int lanes) {
  return 0.25 + 0.035 * (lanes - 1);
}

/// What a program and the thread that compiles for it share.
struct Shared {
  /// Makes machine code; null if there is none, or `stop` came true.
  std::function<std::shared_ptr<const Program>(Level, const std::atomic<bool>& stop)> make;
  /// Those before the current one are kept: a thread may still be in them. Only the compiling
  /// thread touches this once the program runs.
  std::array<std::shared_ptr<const Program>, 3> programs;
  std::atomic<const Program*> current = nullptr;
  std::atomic<bool> stop = false;     ///< the program is gone
  std::atomic<bool> pending = false;  ///< a job for it is queued or under way
};

struct Job {
  std::shared_ptr<Shared> shared;
  Level level;
};

/// The thread in the background, started with the first job.
///
/// A process that forks copies memory, not threads: no job is under way and nothing is locked while
/// it does, and the child starts a thread of its own when a program reports there.
class Compiler {
 public:
  void add(Job job) {
    const std::lock_guard lock(mutex_);
    if (finished_ || !start()) return;
    job.shared->pending = true;
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }

  /// Sees to it that somebody works at what is queued.
  void wake() {
    const std::lock_guard lock(mutex_);
    if (!finished_ && !jobs_.empty()) start();
  }

  void finish() {
    if (process_ != getpid()) return;  // a child has no such thread
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
      jobs_.clear();
      if (running_ != nullptr) running_->stop = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  void before_fork() {
    std::unique_lock lock(mutex_);
    held_ = true;
    interrupted_ = running_ != nullptr && !running_->stop.exchange(true);
    changed_.wait(lock, [this] { return running_ == nullptr; });
    lock.release();  // until the fork is over
  }
  void after_fork_in_parent() {
    held_ = false;
    changed_.notify_all();
    mutex_.unlock();
  }
  void after_fork_in_child() {
    held_ = false;
    // These still speak of a thread that is not here.
    new (&thread_) std::thread;
    new (&changed_) std::condition_variable;
    mutex_.unlock();
  }

 private:
  /// False if no more threads are to be had: kernels then stay as they are.
  bool start() {
    if (thread_.joinable()) return true;
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {
      return false;
    }
    process_ = getpid();
    return true;
  }

  void work() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // they are for those who wait for them
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return finished_ || (!held_ && !jobs_.empty()); });
      if (finished_) return;
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      running_ = job.shared;
      lock.unlock();
      const bool done = compile(job);
      lock.lock();
      if (interrupted_) job.shared->stop = false;
      if (interrupted_ && !done) {
        jobs_.push_front(job);
      } else {
        job.shared->pending = false;
      }
      interrupted_ = false;
      running_ = nullptr;
      changed_.notify_all();
    }
  }

  /// False if there is no code.
  static bool compile(const Job& job);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::shared_ptr<Shared> running_;
  bool finished_ = false;
  bool held_ = false;         ///< for a fork: no job is begun
  bool interrupted_ = false;  ///< the job under way, for a fork
  std::thread thread_;
  pid_t process_ = -1;  ///< whose thread it is
};

/// Never destroyed, so that no thread finds it gone.
Compiler& compiler() {
  static auto* const one = [] {
    auto* const made = new Compiler;
    pthread_atfork([] { compiler().before_fork(); }, [] { compiler().after_fork_in_parent(); },
                   [] { compiler().after_fork_in_child(); });
    return made;
  }();
  return *one;
}

/// When a process ends, LLVM's static objects go, some of them made while it compiles: the thread
/// must be gone before the first of them. What belongs to the main thread is destroyed before
/// anything static.
struct Finisher {
  bool armed = false;
  ~Finisher() {
    if (armed) compiler().finish();
  }
};
thread_local Finisher finisher;
[[maybe_unused]] const bool is_armed = finisher.armed = gettid() == getpid();

bool Compiler::compile(const Job& job) {
  Shared& shared = *job.shared;
  if (shared.stop || machine() == nullptr) return false;
  // Should another thread end the process: after what LLVM has registered so far, so before it.
  static const int registered = std::atexit([] { compiler().finish(); });
  if (registered != 0) return false;
  auto program = shared.make(job.level, shared.stop);
  if (program == nullptr) return false;
  shared.current.store(program.get(), std::memory_order_release);
  shared.programs[job.level == Level::quick ? 1 : 2] = std::move(program);
  return true;
}

/// What is known of a program beforehand.
struct Costs {
  double compile;    ///< operations to compile
  double run;        ///< operations in a run
  bool quick_first;  ///< code comes quickly first, and well later
};

class Tiered final : public Program {
 public:
  Tiered(std::shared_ptr<const Program> first, decltype(Shared::make) make, const Costs& costs,
         int lanes)
      : shared_(std::make_shared<Shared>()), quick_first_(costs.quick_first) {
    const auto runs = [&](double cost, double cost_a_run) {
      return static_cast<std::uint64_t>(std::clamp(cost / cost_a_run, 1.0, 1e15));
    };
    first_runs_ = runs(load_cost + costs.compile * (quick_first_ ? quick_cost : good_cost),
                       costs.run * interpreted_cost(lanes));
    good_runs_ = runs(good_cost, quick_code_cost(lanes));
    shared_->programs[0] = std::move(first);
    shared_->current = shared_->programs[0].get();
    shared_->make = std::move(make);
  }
  Tiered(const Tiered&) = delete;
  Tiered& operator=(const Tiered&) = delete;
  ~Tiered() override { shared_->stop = true; }

  void run_prologue(double* registers) const override { current().run_prologue(registers); }
  void run(double* registers) const override { current().run(registers); }
  Engine engine() const override { return current().engine(); }

  std::uint32_t report(std::uint32_t runs) const override {
    if (stage_ == Stage::interpreted) {
      if (count(runs, first_runs_, Stage::interpreted, Stage::first_code))
        compiler().add({shared_, quick_first_ ? Level::quick : Level::good});
    } else if (stage_ == Stage::first_code && quick_first_ && engine() == Engine::machine) {
      if (count(runs, good_runs_, Stage::first_code, Stage::good_code))
        compiler().add({shared_, Level::good});
    }
    const Stage stage = stage_;
    const bool last = stage == (quick_first_ ? Stage::good_code : Stage::first_code);
    if (shared_->pending) {
      compiler().wake();
    } else if (last) {
      return UINT32_MAX;
    }
    const std::uint64_t wanted = stage == Stage::interpreted ? first_runs_ : good_runs_;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted / 16, 1, 1U << 30));
  }

 private:
  /// What has been asked for so far.
  enum class Stage : std::uint8_t { interpreted, first_code, good_code };

  const Program& current() const { return *shared_->current.load(std::memory_order_acquire); }

  /// Counts runs in a stage; true for the one caller with whom there have been enough.
  bool count(std::uint32_t runs, std::uint64_t enough, Stage stage, Stage next) const {
    if (runs_ += runs; runs_ < enough) return false;
    if (!stage_.compare_exchange_strong(stage, next)) return false;
    runs_ = 0;
    return true;
  }

  std::shared_ptr<Shared> shared_;
  bool quick_first_ = false;
  std::uint64_t first_runs_ = 0;  ///< interpreted ones until machine code is wanted
  std::uint64_t good_runs_ = 0;   ///< of quick code until good code is wanted
  mutable std::atomic<Stage> stage_ = Stage::interpreted;
  mutable std::atomic<std::uint64_t> runs_ = 0;  ///< in this stage
};

}  // namespace

std::shared_ptr<const Program> tiered(std::shared_ptr<const Tape> tape, int lanes) {
  const auto length = static_cast<double>(tape->code.size());
  const Costs costs{length, length, tape->code.size() >= long_tape};
  auto first = interpreter(*tape, lanes);
  return std::make_shared<const Tiered>(
      std::move(first),
      [tape = std::move(tape), lanes](Level level, const std::atomic<bool>& stop) {
        return machine_program(*tape, lanes, level, stop);
      },
      costs, lanes);
}

std::shared_ptr<const Program> tiered(std::shared_ptr<const Series> series, int lanes) {
  constexpr double typical_order = 16;
  const auto length = static_cast<double>(series->order.code.size());
  const auto pairs = static_cast<double>(series->pairs.size());
  const Costs costs{3 * (length + pairs), typical_order * (length + pairs * typical_order / 2),
                    false};
  auto first = series_interpreter(*series, lanes);
  if (series->order.code.size() - series->order.prologue > chunk_size) return first;
  return std::make_shared<const Tiered>(
      std::move(first),
      [series = std::move(series), lanes](Level level, const std::atomic<bool>&) {
        return machine_program(*series, lanes, level);
      },
      costs, lanes);
}

}  // namespace dalembert::codegen
