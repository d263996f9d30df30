#include "dalembert/cli/view/file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "dalembert/cli/session.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/model/text_file.hpp"
#include "dalembert/report/output_file.hpp"

namespace dalembert::cli {

namespace {

namespace fs = std::filesystem;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = expr::utf8_length(text.substr(0, 4));
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// While it lives, files are created for their owner alone.
class PrivateFiles {
 public:
  PrivateFiles() : before_(::umask(S_IRWXG | S_IRWXO)) {}
  ~PrivateFiles() { ::umask(before_); }
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  mode_t before_;
};

}  // namespace

std::optional<ViewFile::Version> ViewFile::version_of(const fs::path& path) {
  struct stat found = {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return Version{found.st_ino, found.st_size, found.st_mtim, found.st_mode & ALLPERMS};
}

bool ViewFile::same(const Version& a, const Version& b) {
  return a.inode == b.inode && a.size == b.size && a.written.tv_sec == b.written.tv_sec &&
         a.written.tv_nsec == b.written.tv_nsec;
}

model::Result<ViewFile, model::ModelError> ViewFile::open(const std::string& name) {
  ViewFile file;
  file.name_ = name;
  std::error_code error;
  // Before it is read, so that what is written to it meanwhile is seen when it is saved.
  if (fs::is_regular_file(name, error)) {
    file.target_ = fs::canonical(name, error);
    if (error) file.target_ = fs::absolute(name);
    file.version_ = version_of(*file.target_);
  }
  const auto model = find_model(name);
  if (model) {
    file.text_ = model->source->text;
    return file;
  }
  const auto& source = model.error().source;
  if (!file.target_ || !source || !is_utf8(source->text) ||
      (source->text.empty() && file.version_ && file.version_->size > 0))
    return model::Failure{model.error()};
  file.text_ = source->text;
  return file;
}

ViewFile::Outcome ViewFile::save(const std::string& text, bool replace) {
  if (!target_)
    return {Saved::no,
            fmt::format("'{}' comes with the program and cannot be written; copy it to a file of "
                        "your own: dalembert view FILE",
                        name_)};
  if (text.size() > model::largest_model_file) {
    return {Saved::no,
            fmt::format("too large: a model file has at most {} bytes", model::largest_model_file)};
  }
  struct stat found = {};
  const bool exists = ::lstat(target_->c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode))
    return {Saved::no, fmt::format("cannot write '{}': it is no longer a regular file", name_)};
  if (exists && ::access(target_->c_str(), W_OK) != 0)
    return {Saved::no, fmt::format("cannot write '{}': {}", name_, std::strerror(errno))};
  const std::optional<Version> now = version_of(*target_);
  if (!replace && !(now && version_ && same(*now, *version_))) {
    return {Saved::changed,
            fmt::format("'{}' has been {} by another program since it was opened here", name_,
                        exists ? "changed" : "removed")};
  }
  const PrivateFiles until_it_has_its_permissions;
  report::OutputFile output(*target_);
  if (!output.write(text) || !output.commit())
    return {Saved::no, output.error().value_or(fmt::format("cannot write '{}'", name_))};
  // Another owner is kept where that is allowed.
  if (exists && (found.st_uid != ::geteuid() || found.st_gid != ::getegid()) &&
      ::chown(target_->c_str(), found.st_uid, found.st_gid) != 0)
    errno = 0;
  constexpr mode_t for_the_owner = S_IRUSR | S_IWUSR;
  ::chmod(target_->c_str(), exists     ? found.st_mode & ALLPERMS
                            : version_ ? version_->mode
                                       : for_the_owner);
  version_ = version_of(*target_);
  return {Saved::yes};
}

}  // namespace dalembert::cli
