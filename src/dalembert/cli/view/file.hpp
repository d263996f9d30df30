#pragma once
/// The model that `view` was started with: where its text came from, and the only place where a
/// page may write.

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "dalembert/model/model.hpp"

namespace dalembert::cli {

class ViewFile {
 public:
  /// A file, or a model that comes with the program. A file with errors in it is opened as well,
  /// as a page is a place to mend them; one that is no text is not.
  static model::Result<ViewFile, model::ModelError> open(const std::string& name);

  const std::string& name() const { return name_; }  ///< as on the command line
  const std::string& text() const { return text_; }  ///< as it was when opened
  /// Whether it was a regular file when it was opened.
  bool can_save() const { return target_.has_value(); }

  enum class Saved { yes, changed, no };
  struct Outcome {
    Saved saved = Saved::no;
    std::string problem = {};  ///< in a sentence, unless saved
  };
  /// Writes the file whole or not at all, with the permissions it has. Another program that has
  /// written to it meanwhile is respected unless `replace`: the outcome is then `changed`. Not for
  /// two threads at once.
  Outcome save(const std::string& text, bool replace);

 private:
  /// What tells one writing of a file from the next.
  struct Version {
    ino_t inode = 0;
    off_t size = 0;
    timespec written = {};
    mode_t mode = 0;
  };
  static std::optional<Version> version_of(const std::filesystem::path& path);
  static bool same(const Version& a, const Version& b);

  std::string name_, text_;
  std::optional<std::filesystem::path> target_;  ///< links followed
  std::optional<Version> version_;
};

}  // namespace dalembert::cli
