#pragma once
/// A file that appears whole or not at all: written beside its place under another name, and moved
/// there by `commit`.

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert::report {

class OutputFile {
 public:
  OutputFile() = default;
  /// Opens PATH's partner for writing; what went wrong is in error().
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// False, and error() says why, once anything has failed; further writes do nothing.
  bool write(std::string_view text);
  /// Brings all to the system and closes: what is left to do is to give the file its name.
  bool complete();
  /// Completes, and gives the file its name.
  bool commit();
  const std::optional<std::string>& error() const { return error_; }

 private:
  bool fail(std::string_view doing);
  void discard();

  std::filesystem::path path_, partial_;
  std::FILE* file_ = nullptr;
  bool is_complete_ = false;
  std::optional<std::string> error_;
};

/// Creates a directory and its parents. The message says why it could not be done.
std::optional<std::string> make_directory(const std::filesystem::path& directory);

struct NamedText {
  std::string name;
  std::string_view text;
};
/// Writes files into a directory that is made if need be: all of them, or none. What went wrong, if
/// something did.
std::optional<std::string> write_files(const std::filesystem::path& directory,
                                       const std::vector<NamedText>& texts);

}  // namespace dalembert::report
