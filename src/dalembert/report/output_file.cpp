#include "dalembert/report/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "dalembert/study/storage/fresh_file.hpp"

namespace dalembert::report {

namespace {

std::FILE* create(const std::filesystem::path& path) {
  const int file = study::open_fresh(path);
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
      is_complete_(std::exchange(other.is_complete_, false)),
      error_(std::move(other.error_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(partial_, other.partial_);
  std::swap(file_, other.file_);
  std::swap(is_complete_, other.is_complete_);
  std::swap(error_, other.error_);
  return *this;
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::discard() {
  if (file_ == nullptr && !is_complete_) return;
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  is_complete_ = false;
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

bool OutputFile::complete() {
  if (file_ == nullptr) return is_complete_;
  if (std::fflush(file_) != 0) return fail("write");
  is_complete_ = true;  // closed or not, the file is there to be removed
  if (std::fclose(std::exchange(file_, nullptr)) != 0) return fail("write");
  return true;
}

bool OutputFile::commit() {
  if (!complete()) return false;
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) return fail("write");
  is_complete_ = false;
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

std::optional<std::string> write_files(const std::filesystem::path& directory,
                                       const std::vector<NamedText>& texts) {
  if (auto problem = make_directory(directory)) return problem;
  std::vector<OutputFile> files;
  for (const NamedText& each : texts) {
    files.emplace_back(directory / each.name);
    files.back().write(each.text);
  }
  for (OutputFile& file : files) {
    if (!file.complete()) return file.error();
  }
  for (OutputFile& file : files) {
    if (!file.commit()) return file.error();
  }
  return std::nullopt;
}

}  // namespace dalembert::report
