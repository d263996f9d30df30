// A file under a name that others know is a new one.
#include "dalembert/study/storage/fresh_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace dalembert::study::fresh_file_test {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(FreshFile, ALinkInItsPlaceIsReplacedAndNotFollowed) {
  const fs::path folder =
      fs::temp_directory_path() / ("dalembert_fresh_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "precious") << "do not touch";
  std::ofstream(folder / "left") << "of a process that was killed";
  fs::create_symlink(folder / "precious", folder / "link");
  fs::create_symlink(folder / "nowhere", folder / "dangling");
  fs::create_hard_link(folder / "precious", folder / "same");
  for (const char* name : {"link", "dangling", "same", "left", "new"}) {
    const int file = open_fresh(folder / name);
    ASSERT_GE(file, 0) << name;
    EXPECT_EQ(::write(file, "new", 3), 3);
    ::close(file);
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder / name))) << name;
    EXPECT_EQ(content(folder / name), "new");
  }
  EXPECT_EQ(content(folder / "precious"), "do not touch");
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
  fs::create_directory(folder / "directory");
  EXPECT_LT(open_fresh(folder / "directory"), 0);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace dalembert::study::fresh_file_test
