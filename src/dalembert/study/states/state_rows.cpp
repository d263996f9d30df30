#include "dalembert/study/states/state_rows.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "dalembert/study/pool.hpp"

namespace dalembert::study {

namespace {

constexpr std::size_t part_size = 512;
constexpr double worth_a_thread = 1e5;  // nanoseconds: to start one takes about a third of that

std::size_t wanted(std::size_t count, const Sharing& sharing, double nanoseconds) {
  if (sharing.threads > 0) return static_cast<std::size_t>(sharing.threads);
  const double paying = static_cast<double>(count) * nanoseconds / worth_a_thread;
  if (paying < 2) return 1;
  const auto cores = static_cast<double>(std::thread::hardware_concurrency());
  return static_cast<std::size_t>(std::min(paying, cores));
}

}  // namespace

std::size_t thread_number() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t own = next++;
  return own;
}

void share(std::size_t count, const Sharing& sharing, double nanoseconds,
           const std::function<void(std::size_t begin, std::size_t end)>& part) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> abandoned{false};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      while (!abandoned && (sharing.stop == nullptr || !*sharing.stop)) {
        const std::size_t begin = next.fetch_add(part_size, std::memory_order_relaxed);
        if (begin >= count) return;
        part(begin, std::min(begin + part_size, count));
      }
    } catch (...) {
      abandoned = true;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const std::size_t parts = (count + part_size - 1) / part_size;
  const std::size_t threads =
      count < least_shared ? 1
                           : std::clamp(wanted(count, sharing, nanoseconds), std::size_t{1}, parts);
  {
    std::vector<std::jthread> others;
    others.reserve(threads - 1);
    for (bool refused = false; !refused && others.size() + 1 < threads;) {
      try {
        others.emplace_back(work);
      } catch (const std::system_error&) {
        refused = true;  // fewer threads than asked for: slower, not different
      }
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dalembert::study
