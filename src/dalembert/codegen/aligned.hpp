#pragma once
/// Vectors of numbers that begin on a cache line, as SIMD code wants them.

#include <cstddef>
#include <new>
#include <vector>

namespace dalembert::codegen {

inline constexpr std::size_t alignment = 64;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{alignment}));
  }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, std::align_val_t{alignment}); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

using AlignedVector = std::vector<double, AlignedAllocator<double>>;

}  // namespace dalembert::codegen
