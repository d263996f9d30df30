#pragma once
/// Things to work with that one thread uses at a time, kept for whoever comes next. No locks: a
/// thread that finds none makes its own, and what finds no place on its return is given up.

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace dalembert::study {

/// A number of the calling thread, from 0 on.
std::size_t thread_number();

template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (Slot& slot : slots_) delete slot.item.load(std::memory_order_acquire);
  }

  /// Null where there is none.
  std::unique_ptr<T> take() {
    const std::size_t first = thread_number();
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      std::atomic<T*>& item = slots_[(first + k) % slots_.size()].item;
      if (item.load(std::memory_order_relaxed) == nullptr) continue;
      if (T* found = item.exchange(nullptr, std::memory_order_acquire))
        return std::unique_ptr<T>(found);
    }
    return nullptr;
  }

  void give(std::unique_ptr<T> x) {
    const std::size_t first = thread_number();
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      T* none = nullptr;
      if (slots_[(first + k) % slots_.size()].item.compare_exchange_strong(
              none, x.get(), std::memory_order_release, std::memory_order_relaxed)) {
        static_cast<void>(x.release());
        return;
      }
    }
  }

 private:
  struct alignas(64) Slot {
    std::atomic<T*> item{nullptr};
  };
  std::array<Slot, 32> slots_;
};

}  // namespace dalembert::study
