#include "dalembert/study/storage/memory_map.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace dalembert::study {

namespace {

expr::Failure<std::string> failure(const char* doing, const std::string& name, int reason) {
  return {fmt::format("cannot {} '{}': {}", doing, name, std::strerror(reason))};
}

}  // namespace

MemoryMap::~MemoryMap() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

MemoryMap::MemoryMap(MemoryMap&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

expr::Result<MemoryMap, std::string> MemoryMap::content(int file, const std::string& name) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return failure("read", name, errno);
  MemoryMap map;
  if (status.st_size == 0) return map;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) return failure("read", name, errno);
  map.data_ = data;
  map.size_ = size;
  return map;
}

expr::Result<MemoryMap, std::string> MemoryMap::scratch(const std::filesystem::path& directory,
                                                        std::size_t bytes) {
  std::string name = (directory / ".scratch.XXXXXX").string();
  const auto no_room = [&](int reason) {
    return expr::Failure{fmt::format("no room for {} bytes in '{}': {}", bytes, directory.string(),
                                     std::strerror(reason))};
  };
  const int file = ::mkstemp(name.data());
  if (file < 0) return no_room(errno);
  ::unlink(name.c_str());
  MemoryMap map;
  const int refused = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  void* data = refused != 0 ? MAP_FAILED
                            : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int reason = refused != 0 ? refused : errno;
  ::close(file);
  if (data == MAP_FAILED) return no_room(reason);
  map.data_ = data;
  map.size_ = bytes;
  return map;
}

}  // namespace dalembert::study
