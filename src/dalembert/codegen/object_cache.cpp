#include "dalembert/codegen/object_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "dalembert/codegen/sha256.hpp"

namespace dalembert::codegen {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view title("dalembert object 1\n\0\0\0\0\0\0\0\0\0\0\0\0\0", 32);
constexpr std::string_view extension = ".object";
constexpr std::string_view temporary = ".new-";

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  int operator*() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Whether nobody but this user can have written there.
bool is_ours(int descriptor, mode_t type, struct stat& status) {
  return fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == type &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

File open_folder(const fs::path& folder) {
  struct stat status{};
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || is_ours(descriptor, S_IFDIR, status)) return File(descriptor);
  close(descriptor);
  return File(-1);
}

std::string file_name(const Digest& key) {
  return to_hex(key) + std::string(extension);
}

std::string_view view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

void append_number(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// The next 8 bytes of `text`, taken from it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  if (text.size() < sizeof number) return std::nullopt;
  std::memcpy(&number, text.data(), sizeof number);
  text.remove_prefix(sizeof number);
  return number;
}

std::string pack(const Digest& key, const Objects& objects) {
  std::string body;
  append_number(body, objects.size());
  for (const std::string& object : objects) append_number(body, object.size());
  for (const std::string& object : objects) body += object;
  std::string file(title);
  file += view(key);
  file += view(sha256(body));
  return file + body;
}

std::optional<Objects> unpack(const Digest& key, std::string_view file) {
  constexpr std::size_t head = title.size() + 2 * sizeof(Digest);
  if (file.size() < head || !file.starts_with(title)) return std::nullopt;
  std::string_view body = file.substr(head);
  if (file.substr(title.size(), sizeof key) != view(key) ||
      file.substr(title.size() + sizeof key, sizeof key) != view(sha256(body)))
    return std::nullopt;
  // What follows was written by `pack`; the checks cost nothing.
  const std::optional<std::uint64_t> count = take_number(body);
  if (!count || *count > body.size() / sizeof(std::uint64_t)) return std::nullopt;
  std::vector<std::uint64_t> sizes(*count);
  for (std::uint64_t& size : sizes) size = take_number(body).value_or(0);
  Objects objects;
  for (const std::uint64_t size : sizes) {
    if (size > body.size()) return std::nullopt;
    objects.emplace_back(body.substr(0, size));
    body.remove_prefix(size);
  }
  return objects;
}

std::optional<std::string> read_all(int descriptor, std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t at = 0; at < size;) {
    const ssize_t got = read(descriptor, text.data() + at, size - at);
    if (got <= 0) return std::nullopt;
    at += static_cast<std::size_t>(got);
  }
  return text;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(descriptor, text.data(), text.size());
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// Removes what was unused for longest until a quarter of the limit is free, and what a writer that
/// was killed has left behind.
void shrink(const fs::path& folder, std::uintmax_t limit) {
  struct Entry {
    fs::path path;
    std::uintmax_t size;
    fs::file_time_type used;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::error_code vanished;  // another process may have been here
    const std::string name = it->path().filename().string();
    const auto used = it->last_write_time(vanished);
    const std::uintmax_t size = vanished ? 0 : it->file_size(vanished);
    if (vanished) continue;
    if (name.starts_with(temporary) && now - used > std::chrono::hours(1)) {
      fs::remove(it->path(), vanished);
    } else if (name.ends_with(extension)) {
      entries.push_back({it->path(), size, used});
      total += size;
    }
  }
  if (total <= limit) return;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= limit / 4 * 3) return;
    fs::remove(entry.path, error);
    total -= entry.size;
  }
}

}  // namespace

std::optional<Objects> ObjectCache::find(std::string_view key) const {
  if (folder.empty()) return std::nullopt;
  const File directory = open_folder(folder);
  if (!directory) return std::nullopt;
  const Digest digest = sha256(key);
  const File file(openat(*directory, file_name(digest).c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file || !is_ours(*file, S_IFREG, status) ||
      static_cast<std::uintmax_t>(status.st_size) > limit)
    return std::nullopt;
  const auto text = read_all(*file, static_cast<std::size_t>(status.st_size));
  if (!text) return std::nullopt;
  std::optional<Objects> objects = unpack(digest, *text);
  if (objects) futimens(*file, nullptr);  // used now
  return objects;
}

void ObjectCache::keep(std::string_view key, const Objects& objects) const {
  if (folder.empty()) return;
  std::error_code error;
  if (fs::create_directories(folder.parent_path(), error); error) return;
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return;
  const File directory = open_folder(folder);
  if (!directory) return;
  const Digest digest = sha256(key);
  const std::string packed = pack(digest, objects);
  if (packed.size() > limit) return;
  std::string name = (folder / (std::string(temporary) + "XXXXXX")).string();
  const File file(mkostemp(name.data(), O_CLOEXEC));  // readable and writable by its owner only
  if (!file) return;
  const bool written = write_all(*file, packed);
  if (!written || rename(name.c_str(), (folder / file_name(digest)).c_str()) != 0) {
    unlink(name.c_str());
    return;
  }
  shrink(folder, limit);
}

ObjectCache object_cache() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  ObjectCache cache;
  if (const fs::path given = variable("DALEMBERT_CACHE"); !given.empty()) {
    std::error_code error;
    if (given != "off") cache.folder = fs::absolute(given, error);
  } else if (const fs::path caches = variable("XDG_CACHE_HOME"); caches.is_absolute()) {
    cache.folder = caches / "dalembert";
  } else if (const fs::path home = variable("HOME"); home.is_absolute()) {
    cache.folder = home / ".cache" / "dalembert";
  }
  return cache;
}

}  // namespace dalembert::codegen
