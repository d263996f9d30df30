#include "dalembert/study/storage/fresh_file.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace dalembert::study {

void make_way(const std::filesystem::path& path) {
  ::unlink(path.c_str());
}

int open_fresh(const std::filesystem::path& path) {
  make_way(path);
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

}  // namespace dalembert::study
