#include "dalembert/study/storage/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "dalembert/study/storage/fresh_file.hpp"

namespace dalembert::study {

namespace {

namespace fs = std::filesystem;
using expr::Failure;

constexpr std::string_view manifest_name = "study.json";
constexpr std::string_view journal_file = "runs.journal";

std::string problem(const char* doing, const fs::path& path, int reason = errno) {
  return fmt::format("cannot {} '{}': {}", doing, path.string(), std::strerror(reason));
}

bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(path, ignored));
}

/// Files under a name they do not keep, left by a program of ours that was killed: .NAME.partial or
/// .NAME.PROCESS.partial, and .scratch.XXXXXX of mkstemp.
bool is_leftover(const fs::path& path) {
  std::string name = path.filename().string();
  if (!is_plain_file(path)) return false;
  const std::string_view scratch = ".scratch.";
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (name.starts_with(scratch))
    return name.size() == scratch.size() + 6 && std::all_of(name.end() - 6, name.end(), letter);
  for (const char* final :
       {"study.json", "shard.json", "results.h5", "results.csv", "summary.json"}) {
    const std::string begin = fmt::format(".{}.", final), end = "partial";
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    std::string_view process = std::string_view(name).substr(begin.size());
    process.remove_suffix(end.size());
    if (process.empty()) return true;
    if (!process.ends_with('.') || process.size() == 1) continue;
    process.remove_suffix(1);
    return process.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
}

/// A journal that was begun and holds no run.
bool is_empty_journal(const fs::path& path) {
  std::error_code error;
  if (path.filename() != journal_file || !is_plain_file(path) ||
      fs::file_size(path, error) > journal_header_size)
    return false;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return text.empty() || is_journal(text);
}

/// Why a new study may not be put into a directory, if it may not.
std::optional<std::string> objection(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return std::nullopt;
  if (!fs::is_directory(status)) return problem("use", path, ENOTDIR);
  if (fs::exists(path / manifest_name, error)) {
    return fmt::format(
        "'{}' holds a study already; continue it with --resume, or give another directory with "
        "--out",
        path.string());
  }
  fs::directory_iterator entries(path, error);
  if (error) return problem("read", path, error.value());
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (is_empty_journal(entry.path()) || is_leftover(entry.path())) continue;
    if (name == part_file || (is_folder_name(name) && entry.is_directory(error))) continue;
    return fmt::format(
        "'{}' holds other files ('{}'); a study needs a directory of its own, new or empty: give "
        "one with --out",
        path.string(), name);
  }
  return std::nullopt;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Brings the names in a directory to the disk. Some file systems cannot; then they do it
/// themselves in time.
void sync_directory(const fs::path& path) {
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace

Folder::~Folder() {
  if (journal_ >= 0) ::close(journal_);
}

Folder::Folder(Folder&& other) noexcept
    : path_(std::move(other.path_)),
      journal_(std::exchange(other.journal_, -1)),
      journal_size_(other.journal_size_),
      cut_off_(other.cut_off_),
      damaged_(other.damaged_),
      finished_(std::move(other.finished_)),
      finished_count_(other.finished_count_) {}

namespace {

/// What a study's folder says of itself does not fit to the shard that is asked for, in a sentence;
/// nothing if it does.
std::optional<std::string> wrong_part(const fs::path& path, const Shard& shard) {
  std::error_code error;
  const fs::path name = path / part_file;
  Part part;
  const bool is_part = fs::exists(name, error);
  if (is_part) {
    std::ifstream file(name, std::ios::binary);
    auto said = read_part({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    if (!said) return fmt::format("'{}' is damaged; nothing was touched", name.string());
    part = *std::move(said);
  }
  const Shard there = part.shard;
  if (there != shard) {
    const auto said_of = [](const Shard& s) {
      return s.whole() ? std::string("the whole study")
                       : fmt::format("shard {} of {}", s.number, s.of);
    };
    return fmt::format("'{}' is for {}, not for {}; nothing was touched", path.string(),
                       said_of(there), said_of(shard));
  }
  if (is_part && part.arithmetic.probe != arithmetic().probe) {
    return fmt::format(
        "'{}' was begun in different arithmetic ({} on {}) from this machine's ({}): the last bits "
        "would differ; nothing was touched",
        path.string(), part.arithmetic.name, part.host, arithmetic().name);
  }
  return std::nullopt;
}

}  // namespace

expr::Result<Folder, std::string> Folder::create(const fs::path& path, const Study& study,
                                                 const Shard& shard) {
  if (auto reason = objection(path)) return Failure{*std::move(reason)};
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return Failure{
        fmt::format("cannot create the directory '{}': {}", path.string(), error.message())};
  Folder folder(path);
  if (auto reason = folder.lock()) return Failure{*std::move(reason)};
  if (auto reason = objection(path)) return Failure{*std::move(reason)};
  folder.remove_leftovers();
  if (auto reason = folder.begin_journal(journal_shape(study))) return Failure{*std::move(reason)};
  if (shard.whole()) {
    fs::remove(path / part_file, error);
  } else if (auto reason = folder.write_file(part_file, to_json(part_here(shard)))) {
    return Failure{*std::move(reason)};
  }
  if (auto reason = folder.write_file(manifest_name, manifest(study)))
    return Failure{*std::move(reason)};
  folder.finished_.assign(study.runs, false);
  return folder;
}

expr::Result<Folder, std::string> Folder::resume(const fs::path& path, const Study& study,
                                                 const Shard& shard) {
  std::error_code error;
  const fs::path manifest_path = path / manifest_name;
  if (!fs::exists(manifest_path, error)) {
    return Failure{fmt::format("'{}' holds no study to resume: there is no '{}'", path.string(),
                               manifest_path.string())};
  }
  if (!fs::is_regular_file(manifest_path, error))
    return Failure{fmt::format("'{}' is no file", manifest_path.string())};
  std::ifstream file(manifest_path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof()) return Failure{problem("read", manifest_path)};
  if (const auto differs = difference(text, manifest(study))) {
    return Failure{fmt::format("'{}' is another study: {}; nothing was touched",
                               manifest_path.string(), *differs)};
  }
  if (auto reason = wrong_part(path, shard)) return Failure{*std::move(reason)};
  Folder folder(path);
  if (auto reason = folder.lock()) return Failure{*std::move(reason)};
  if (auto reason = folder.read_journal(journal_shape(study), study.runs))
    return Failure{*std::move(reason)};
  folder.remove_leftovers();
  return folder;
}

std::optional<std::string> Folder::lock() {
  const fs::path name = path_ / journal_file;
  journal_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (journal_ < 0) return problem("open", name);
  if (!is_plain_file(name)) return fmt::format("'{}' is no file", name.string());
  if (::flock(journal_, LOCK_EX | LOCK_NB) == 0) return std::nullopt;
  if (errno == EWOULDBLOCK)
    return fmt::format("another process is at work in '{}'", path_.string());
  return problem("lock", name);
}

std::optional<std::string> Folder::begin_journal(const JournalShape& shape) {
  const std::string header = journal_header(shape);
  if (::ftruncate(journal_, 0) != 0 || ::lseek(journal_, 0, SEEK_SET) != 0 ||
      !write_all(journal_, header) || ::fsync(journal_) != 0) {
    return problem("write", journal_name());
  }
  journal_size_ = header.size();
  return std::nullopt;
}

std::optional<std::string> Folder::write_file(std::string_view own, const std::string& text) {
  const fs::path name = path_ / own;
  const fs::path partial = path_ / fmt::format(".{}.partial", own);
  const int file = open_fresh(partial);
  if (file < 0) return problem("write", name);
  const bool written = write_all(file, text) && ::fsync(file) == 0;
  int reason = errno;
  const bool closed = ::close(file) == 0;
  if (written && !closed) reason = errno;
  if (!written || !closed || ::rename(partial.c_str(), name.c_str()) != 0) {
    if (written && closed) reason = errno;
    ::unlink(partial.c_str());
    return problem("write", name, reason);
  }
  sync_directory(path_);
  return std::nullopt;
}

std::optional<std::string> Folder::read_journal(const JournalShape& shape, std::uint64_t runs) {
  auto map = MemoryMap::content(journal_, journal_name());
  if (!map) return map.error();
  finished_.assign(runs, false);
  const std::string_view text = map->text();
  if (text.size() < journal_header_size) return begin_journal(shape);
  const auto extent = scan_journal(text, shape,
                                   [&](std::uint64_t, const RunRecord& record) {
                                     if (record.run >= runs || finished_[record.run]) return;
                                     finished_[record.run] = true;
                                     ++finished_count_;
                                   },
                                   {});
  if (!extent) {
    return fmt::format(
        "'{}' is not the journal of this study, or its beginning is damaged; nothing was touched",
        journal_name());
  }
  journal_size_ = extent->end;
  damaged_ = extent->damaged;
  cut_off_ = text.size() - extent->end;
  if (cut_off_ > 0 && ::ftruncate(journal_, static_cast<off_t>(extent->end)) != 0)
    return problem("write", journal_name());
  return std::nullopt;
}

void Folder::remove_leftovers() const {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    if (is_leftover(entry.path())) found.push_back(entry.path());
  }
  for (const fs::path& path : found) fs::remove(path, ignored);
}

}  // namespace dalembert::study
