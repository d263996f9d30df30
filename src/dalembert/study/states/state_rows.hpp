#pragma once
/// Many states of one motion as rows of numbers, and work on them shared by threads.

#include <atomic>
#include <cstddef>
#include <functional>

namespace dalembert::study {

/// Row i begins at data + i stride; its entries lie side by side. Stride 0: one row for all.
struct Rows {
  const double* data = nullptr;
  std::size_t stride = 0;

  const double* row(std::size_t i) const { return data + i * stride; }
};

/// N states: t (1 entry a row), q and v (n), and for the method `vakonomic` mu (m).
struct StateRows {
  std::size_t count = 0;
  Rows t, q, v, mu = {};
};

/// Who works on many states, and until when.
struct Sharing {
  int threads = 0;                          ///< 0: one a core, but no more than pay
  const std::atomic<bool>* stop = nullptr;  ///< set by another thread: leave the rest undone
};

/// Below so many states one thread does all, however many are asked for.
inline constexpr std::size_t least_shared = 2000;

/// Calls part(begin, end) for parts of 0 ... count that together are all of it, from several
/// threads where there are enough states: by itself it takes no more than have 0.1 ms of work each,
/// at so many nanoseconds a state. Every part but the last begins and ends at a multiple of 8. The
/// first exception of a part is thrown, after the parts under way.
void share(std::size_t count, const Sharing& sharing, double nanoseconds,
           const std::function<void(std::size_t begin, std::size_t end)>& part);

}  // namespace dalembert::study
