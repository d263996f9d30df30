// A file appears whole or not at all.
#include "dalembert/report/output_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace dalembert::report::output_file_test {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("dalembert_report_" + std::to_string(::getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string read(const char* name) const {
    std::ifstream file(directory_ / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }

  fs::path directory_;
};

TEST_F(OutputFileTest, AppearsWithCommitAndNotBefore) {
  OutputFile file(directory_ / "a.csv");
  ASSERT_TRUE(file.write("one\n"));
  EXPECT_FALSE(fs::exists(directory_ / "a.csv"));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(read("a.csv"), "one\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, IsGoneWithoutCommit) {
  {
    OutputFile(directory_ / "a.csv").write("half");
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFileTest, ReplacesWhatWasThereOnlyWhenWhole) {
  std::ofstream(directory_ / "a.csv") << "old";
  {
    OutputFile(directory_ / "a.csv").write("new");
  }
  EXPECT_EQ(read("a.csv"), "old");
  OutputFile file(directory_ / "a.csv");
  file.write("new");
  file.commit();
  EXPECT_EQ(read("a.csv"), "new");
}

TEST_F(OutputFileTest, SaysWhyItCannotBeOpened) {
  OutputFile file(directory_ / "missing" / "a.csv");
  EXPECT_FALSE(file.write("x"));
  EXPECT_FALSE(file.commit());
  ASSERT_TRUE(file.error());
  EXPECT_NE(file.error()->find("cannot open '"), std::string::npos);
  EXPECT_NE(file.error()->find("No such file or directory"), std::string::npos);
}

TEST_F(OutputFileTest, DirectoryInTheWayIsAnErrorThatLeavesNothingBehind) {
  fs::create_directory(directory_ / "a.csv");
  OutputFile file(directory_ / "a.csv");
  file.write("x");
  EXPECT_FALSE(file.commit());
  EXPECT_TRUE(file.error());
  EXPECT_EQ(files(), 1u);
}

TEST(MakeDirectory, SaysWhyNot) {
  EXPECT_FALSE(make_directory(fs::temp_directory_path()));
  const auto problem = make_directory("/dev/null/inside");
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("cannot create the directory '/dev/null/inside'"), std::string::npos);
}

}  // namespace
}  // namespace dalembert::report::output_file_test
