#include "dalembert/packing/archive.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace dalembert::packing {

namespace {

/// CRC-32 of zip: the polynomial 0xedb88320, reflected.
std::uint32_t crc32(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xedb88320U ^ (value >> 1) : value >> 1;
      entries[i] = value;
    }
    return entries;
  }();
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xffU] ^ (crc >> 8);
  return ~crc;
}

/// Numbers of `size` bytes, the lowest first.
void put(std::string& to, std::uint32_t value, int size) {
  for (int i = 0; i < size; ++i) to += static_cast<char>((value >> (8 * i)) & 0xffU);
}

constexpr std::uint32_t zip_version = 20, utf8_names = 0x800, first_day = (1 << 5) | 1;

/// What the header of a file and its entry in the directory say alike.
void put_common(std::string& to, const std::string& path, std::string_view content) {
  put(to, zip_version, 2);
  put(to, utf8_names, 2);
  put(to, 0, 2);  // stored
  put(to, 0, 2);  // midnight
  put(to, first_day, 2);
  put(to, crc32(content), 4);
  put(to, static_cast<std::uint32_t>(content.size()), 4);
  put(to, static_cast<std::uint32_t>(content.size()), 4);
  put(to, static_cast<std::uint32_t>(path.size()), 2);
  put(to, 0, 2);  // nothing extra
}

}  // namespace

std::string zip_archive(const std::map<std::string, std::string>& files) {
  std::string archive, directory;
  for (const auto& [path, content] : files) {
    if (archive.size() + content.size() > std::numeric_limits<std::uint32_t>::max() / 2)
      throw std::length_error("an archive of more than 2 GiB");
    const auto offset = static_cast<std::uint32_t>(archive.size());
    put(archive, 0x04034b50, 4);
    put_common(archive, path, content);
    archive += path;
    archive += content;
    put(directory, 0x02014b50, 4);
    put(directory, (3 << 8) | zip_version, 2);  // by Unix
    put_common(directory, path, content);
    put(directory, 0, 2);                    // no comment
    put(directory, 0, 2);                    // the first disk
    put(directory, 0, 2);                    // no hint about the content
    put(directory, 0100644U << 16, 4);       // a plain file
    put(directory, offset, 4);
    directory += path;
  }
  const auto begin = static_cast<std::uint32_t>(archive.size());
  archive += directory;
  put(archive, 0x06054b50, 4);
  put(archive, 0, 4);  // one disk
  put(archive, static_cast<std::uint32_t>(files.size()), 2);
  put(archive, static_cast<std::uint32_t>(files.size()), 2);
  put(archive, static_cast<std::uint32_t>(directory.size()), 4);
  put(archive, begin, 4);
  put(archive, 0, 2);  // no comment
  return archive;
}

}  // namespace dalembert::packing
