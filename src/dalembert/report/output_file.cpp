#include "dalembert/report/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace dalembert::report {

namespace {

/// A new file, never one that is there: a link at its place would lead elsewhere. What a process
/// that was killed has left makes way.
std::FILE* create(const std::filesystem::path& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int file = ::open(path.c_str(), flags, 0666);
  if (file < 0 && errno == EEXIST && ::unlink(path.c_str()) == 0)
    file = ::open(path.c_str(), flags, 0666);
  return file < 0 ? nullptr : ::fdopen(file, "wb");
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  partial_ =
      path_.parent_path() / fmt::format(".{}.{}.partial", path_.filename().string(), ::getpid());
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    errno = EISDIR;
    fail("open");
    return;
  }
  file_ = create(partial_);
  if (file_ == nullptr) fail("open");
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::move(other.partial_)),
      file_(std::exchange(other.file_, nullptr)),
      error_(std::move(other.error_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(partial_, other.partial_);
  std::swap(file_, other.file_);
  std::swap(error_, other.error_);
  return *this;
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::discard() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  file_ = nullptr;
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

bool OutputFile::fail(std::string_view doing) {
  if (!error_)
    error_ = fmt::format("cannot {} '{}': {}", doing, path_.string(), std::strerror(errno));
  discard();
  return false;
}

bool OutputFile::write(std::string_view text) {
  if (file_ == nullptr) return false;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) return fail("write");
  return true;
}

bool OutputFile::commit() {
  if (file_ == nullptr) return false;
  if (std::fflush(file_) != 0) return fail("write");
  std::FILE* closing = std::exchange(file_, nullptr);
  if (std::fclose(closing) != 0 || std::rename(partial_.c_str(), path_.c_str()) != 0) {
    fail("write");
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
    return false;
  }
  return true;
}

std::optional<std::string> make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && !std::filesystem::is_directory(directory, error))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    return fmt::format("cannot create the directory '{}': {}", directory.string(), error.message());
  return std::nullopt;
}

}  // namespace dalembert::report
