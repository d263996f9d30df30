#pragma once
/// Time of one call of something short, on the clock of the machine.
///
/// A call may take nanoseconds or seconds. calibrate() finds how many calls make up the wanted
/// slice of time, and warms caches and branch predictors by the way; time_slice() then times that
/// many calls and divides. Medians and quartiles over slices are the business of who collects them
/// (benches/stats.py), for slices of two programs alternate.

#include <chrono>
#include <functional>

namespace dalembert::bench {

/// The compiler must believe that `value` is read, and all memory with it.
template <typename T>
inline void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

inline double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Seconds a call, over `calls` of them.
inline double time_slice(const std::function<void()>& work, long calls) {
  const double start = seconds_now();
  for (long i = 0; i < calls; ++i) work();
  return (seconds_now() - start) / static_cast<double>(calls);
}

/// How many calls take about `seconds`, at least one.
inline long calibrate(const std::function<void()>& work, double seconds) {
  long calls = 1;
  for (;;) {
    const double each = time_slice(work, calls);
    const double wanted = each > 0 ? seconds / each : 1e9;
    if (wanted <= 1) return 1;
    if (wanted <= 2 * static_cast<double>(calls)) return static_cast<long>(wanted);
    calls = wanted >= 10 * static_cast<double>(calls) ? 10 * calls : static_cast<long>(wanted);
  }
}

}  // namespace dalembert::bench
