#include "allocation_counter.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};

std::atomic<long> bytes{0};

void count(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(static_cast<long>(size), std::memory_order_relaxed);
}

void* allocate_or_null(std::size_t size) {
#ifndef DALEMBERT_COUNTS_MALLOC
  count(size);
#endif
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate_or_null(std::size_t size, std::align_val_t alignment) {
  count(size);
  const auto unit = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(unit, size == 0 ? unit : (size + unit - 1) / unit * unit);
}

template <class... Alignment>
void* allocate(std::size_t size, Alignment... alignment) {
  void* const memory = allocate_or_null(size, alignment...);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace dalembert {

long allocations_so_far() {
  return allocations.load(std::memory_order_relaxed);
}

long allocated_bytes_so_far() {
  return bytes.load(std::memory_order_relaxed);
}

}  // namespace dalembert

#ifdef DALEMBERT_COUNTS_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* malloc(std::size_t size) noexcept {
  count(size);
  return __libc_malloc(size);
}
}
#endif

// All forms are replaced, so that none falls through to another allocator: a sanitizer's, say.
void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new[](std::size_t size) {
  return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t unit) {
  return allocate(size, unit);
}
void* operator new[](std::size_t size, std::align_val_t unit) {
  return allocate(size, unit);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate_or_null(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate_or_null(size);
}
void* operator new(std::size_t size, std::align_val_t unit, const std::nothrow_t&) noexcept {
  return allocate_or_null(size, unit);
}
void* operator new[](std::size_t size, std::align_val_t unit, const std::nothrow_t&) noexcept {
  return allocate_or_null(size, unit);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
