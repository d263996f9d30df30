#pragma once
/// Files as memory, so that what a study keeps may be larger than the machine's memory.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/expr/result.hpp"

namespace dalembert::study {

class MemoryMap {
 public:
  MemoryMap() = default;
  ~MemoryMap();
  MemoryMap(MemoryMap&& other) noexcept;
  MemoryMap& operator=(MemoryMap&& other) noexcept;
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;

  /// The content of an open file, to read.
  static expr::Result<MemoryMap, std::string> content(int file, const std::string& name);
  /// Zeros to write to, kept in a file of this directory that has no name and goes with the map.
  /// Its space is taken at once, so that a full disk is told here.
  static expr::Result<MemoryMap, std::string> scratch(const std::filesystem::path& directory,
                                                      std::size_t bytes);

  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }
  void* data() { return data_; }
  const void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dalembert::study
