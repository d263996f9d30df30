#include "dalembert/model/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace dalembert::model {

ModelError whole_file(const std::string& path, std::string message) {
  return {std::make_shared<const Source>(Source{path, {}}), {{std::move(message), {}}}};
}

expr::Result<std::string, ModelError> read_text_file(const std::string& path, std::size_t most) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (status.type() == fs::file_type::not_found)
    return expr::Failure{whole_file(path, "no such file")};
  if (fs::is_directory(status)) return expr::Failure{whole_file(path, "is a directory")};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file && !file.eof())) {
    const int reason = errno;
    return expr::Failure{whole_file(
        path,
        fmt::format("cannot be read: {}", reason == 0 ? "unknown reason" : std::strerror(reason)))};
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace dalembert::model
