// Compiled objects on disk: found again, and never believed when anything about them is wrong.
#include "dalembert/codegen/object_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/codegen/sha256.hpp"
#include "random_tape.hpp"

namespace dalembert::codegen::object_cache_test {
namespace {

namespace fs = std::filesystem;

TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

class ObjectCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "dalembert-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = name;
    cache_.folder = base_ / "cache";
  }
  void TearDown() override {
    fs::permissions(base_, fs::perms::owner_all);
    fs::remove_all(base_);
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> result;
    for (const auto& entry : fs::directory_iterator(cache_.folder)) result.push_back(entry.path());
    return result;
  }

  fs::path base_;
  ObjectCache cache_;
  const Objects objects_{"first object", std::string("\0second\n", 8), ""};
};

TEST_F(ObjectCacheTest, WhatIsKeptIsFoundByItsKeyAlone) {
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  cache_.keep("key", objects_);
  EXPECT_EQ(cache_.find("key"), objects_);
  EXPECT_EQ(cache_.find("another key"), std::nullopt);
  cache_.keep("another key", {"x"});
  EXPECT_EQ(cache_.find("key"), objects_);
  EXPECT_EQ(cache_.find("another key"), Objects{"x"});
}

TEST_F(ObjectCacheTest, FolderAndFilesAreTheUsersAlone) {
  cache_.keep("key", objects_);
  struct stat status{};
  ASSERT_EQ(stat(cache_.folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
  ASSERT_EQ(files().size(), 1U);
  ASSERT_EQ(stat(files()[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(ObjectCacheTest, DamageAtAnyPlaceIsNoticedAndMended) {
  cache_.keep("key", objects_);
  const fs::path path = files()[0];
  const std::string whole = read(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write(path, damaged);
    ASSERT_EQ(cache_.find("key"), std::nullopt) << "byte " << at;
  }
  cache_.keep("key", objects_);
  EXPECT_EQ(cache_.find("key"), objects_);
}

TEST_F(ObjectCacheTest, TruncatedAndLengthenedFilesAreNotBelieved) {
  cache_.keep("key", objects_);
  const fs::path path = files()[0];
  const std::string whole = read(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(path, whole.substr(0, size));
    ASSERT_EQ(cache_.find("key"), std::nullopt) << size << " bytes";
  }
  write(path, whole + "x");
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(ObjectCacheTest, FileOfAnotherKeyIsNotBelieved) {
  cache_.keep("key", objects_);
  const fs::path path = files()[0];
  cache_.keep("another key", {"other"});
  for (const fs::path& other : files())
    if (other != path) fs::copy_file(other, path, fs::copy_options::overwrite_existing);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(ObjectCacheTest, WhatOthersMayWriteIsNotBelieved) {
  cache_.keep("key", objects_);
  const fs::path path = files()[0];
  ASSERT_EQ(chmod(path.c_str(), 0620), 0);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(cache_.find("key"), objects_);
  ASSERT_EQ(chmod(cache_.folder.c_str(), 0777), 0);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(ObjectCacheTest, LinksAreNotFollowed) {
  cache_.keep("key", objects_);
  const fs::path path = files()[0];
  fs::rename(path, base_ / "elsewhere");
  fs::create_symlink(base_ / "elsewhere", path);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(ObjectCacheTest, APipeIsNotWaitedFor) {
  cache_.keep("key", objects_);
  const fs::path file = files().at(0);
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(ObjectCacheTest, FolderThatCannotBeMadeIsDoneWithout) {
  write(base_ / "file", "not a folder");
  cache_.folder = base_ / "file" / "cache";
  cache_.keep("key", objects_);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  cache_.folder = base_ / "file";
  cache_.keep("key", objects_);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  EXPECT_EQ(read(base_ / "file"), "not a folder");
  cache_.folder = "/proc/dalembert";  // where not even the superuser may
  cache_.keep("key", objects_);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(ObjectCacheTest, FolderThatCannotBeWrittenIsDoneWithout) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may write anywhere";
  cache_.keep("key", objects_);
  ASSERT_EQ(chmod(cache_.folder.c_str(), 0500), 0);
  cache_.keep("another key", objects_);
  EXPECT_EQ(cache_.find("another key"), std::nullopt);
  EXPECT_EQ(cache_.find("key"), objects_);
  ASSERT_EQ(chmod(cache_.folder.c_str(), 0700), 0);
}

TEST_F(ObjectCacheTest, WithoutAFolderNothingIsKept) {
  cache_.folder.clear();
  cache_.keep("key", objects_);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(ObjectCacheTest, WhatWasUnusedForLongestGoesFirst) {
  cache_.limit = 5000;
  const Objects kilobyte{std::string(1000, 'x')};
  std::vector<fs::path> order;
  for (const char* key : {"1", "2", "3", "4"}) {
    cache_.keep(key, kilobyte);
    for (const fs::path& path : files()) {
      if (std::ranges::find(order, path) != order.end()) continue;
      // As if it had been written long ago, the first before the others.
      fs::last_write_time(
          path, fs::file_time_type::clock::now() - std::chrono::minutes(60 - 10 * order.size()));
      order.push_back(path);
    }
  }
  EXPECT_EQ(cache_.find("1"), kilobyte);  // used just now
  cache_.keep("5", kilobyte);             // more than the limit: down to three quarters of it
  EXPECT_EQ(cache_.find("2"), std::nullopt);
  EXPECT_EQ(cache_.find("3"), std::nullopt);
  EXPECT_EQ(cache_.find("1"), kilobyte);
  EXPECT_EQ(cache_.find("4"), kilobyte);
  EXPECT_EQ(cache_.find("5"), kilobyte);
  cache_.keep("too large", {std::string(6000, 'x')});
  EXPECT_EQ(cache_.find("too large"), std::nullopt);
  EXPECT_EQ(cache_.find("1"), kilobyte);
}

TEST_F(ObjectCacheTest, WhatAKilledWriterLeftIsRemoved) {
  cache_.keep("key", objects_);
  write(cache_.folder / ".new-abandoned", "half");
  write(cache_.folder / ".new-recent", "half");
  fs::last_write_time(cache_.folder / ".new-abandoned",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache_.keep("another key", objects_);
  EXPECT_FALSE(fs::exists(cache_.folder / ".new-abandoned"));
  EXPECT_TRUE(fs::exists(cache_.folder / ".new-recent"));
}

TEST_F(ObjectCacheTest, ManyProcessesAtOnceSeeWholeFilesOrNone) {
  cache_.limit = 200000;  // so that they also remove each other's
  const auto content = [](int key) {
    return Objects{
        std::string(static_cast<std::size_t>(5000 + 100 * key), static_cast<char>('a' + key))};
  };
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid > 0) {
      children.push_back(pid);
      continue;
    }
    Random random(static_cast<std::uint64_t>(child));
    for (int repeat = 0; repeat < 150; ++repeat) {
      const int key = static_cast<int>(below(random, 26));
      cache_.keep(std::to_string(key), content(key));
      const int other = static_cast<int>(below(random, 26));
      const auto found = cache_.find(std::to_string(other));
      if (found && *found != content(other)) _exit(1);
    }
    _exit(0);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const fs::path& path : files()) EXPECT_EQ(path.extension(), ".object");
}

TEST(ObjectCachePlace, FollowsTheEnvironment) {
  setenv("HOME", "/home/ada", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("DALEMBERT_CACHE");
  EXPECT_EQ(object_cache().folder, "/home/ada/.cache/dalembert");
  setenv("XDG_CACHE_HOME", "/var/ada", 1);
  EXPECT_EQ(object_cache().folder, "/var/ada/dalembert");
  setenv("XDG_CACHE_HOME", "relative", 1);  // which the standard forbids
  EXPECT_EQ(object_cache().folder, "/home/ada/.cache/dalembert");
  setenv("DALEMBERT_CACHE", "/tmp/kernels", 1);
  EXPECT_EQ(object_cache().folder, "/tmp/kernels");
  setenv("DALEMBERT_CACHE", "off", 1);
  EXPECT_TRUE(object_cache().folder.empty());
}

class KernelCache : public ObjectCacheTest {
 protected:
  void SetUp() override {
    ObjectCacheTest::SetUp();
    if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
    setenv("DALEMBERT_CACHE", cache_.folder.c_str(), 1);
  }

  static std::vector<double> evaluate(const Tape& tape, int lanes = 1, Level level = Level::good) {
    const std::atomic<bool> stop = false;
    const Kernel kernel(std::make_shared<const Tape>(tape),
                        machine_program(tape, lanes, level, stop), lanes);
    Workspace workspace = kernel.workspace(std::vector{0.5, 1.5, -0.25});
    std::vector<double> out(kernel.outputs() * static_cast<std::size_t>(lanes));
    kernel.evaluate(workspace,
                    std::vector(kernel.inputs() * static_cast<std::size_t>(lanes), 0.375), out);
    return out;
  }
};

TEST_F(KernelCache, SameTapeIsCompiledOnceAndRunsTheSame) {
  Random random(4);
  const Tape tape = random_tape(random, 10, 3000, false);
  const auto first = evaluate(tape);
  ASSERT_EQ(files().size(), 1U);
  const auto written = fs::last_write_time(files()[0]);
  fs::last_write_time(files()[0], written - std::chrono::hours(1));
  const auto again = evaluate(tape);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_GT(fs::last_write_time(files()[0]), written - std::chrono::minutes(1)) << "not used";
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(same_bits(first[i], again[i]));
}

TEST_F(KernelCache, EverythingTheCodeDependsOnIsPartOfTheKey) {
  Random random(4);
  Tape tape = random_tape(random, 10, 50, false);
  std::size_t count = 0;
  const auto expect_another = [&](const char* what) { EXPECT_EQ(files().size(), ++count) << what; };
  evaluate(tape);
  expect_another("first");
  evaluate(tape, 1, Level::quick);
  expect_another("level");
  if (widest_lanes() >= 4) {
    evaluate(tape, 4);
    expect_another("lanes");
  }
  tape.constants[0] += 1;
  evaluate(tape);
  expect_another("constant");
  tape.outputs.pop_back();
  evaluate(tape);
  expect_another("outputs");
  tape.code.back().operation = Operation::max;
  evaluate(tape);
  expect_another("operation");
  tape.code.back() = {Operation::multiply_add, 0, 0, 1};
  evaluate(tape);
  expect_another("fused operation");
  tape.code.back().c = 2;
  evaluate(tape);
  expect_another("third operand");
  --tape.prologue;
  evaluate(tape);
  expect_another("prologue");
}

TEST_F(KernelCache, DamagedFileIsCompiledAnewAndReplaced) {
  Random random(4);
  const Tape tape = random_tape(random, 10, 200, false);
  const auto right = evaluate(tape);
  const fs::path path = files()[0];
  const std::string whole = read(path);
  for (const std::size_t at : {std::size_t{0}, std::size_t{40}, std::size_t{70}, std::size_t{100},
                               whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write(path, damaged);
    const auto values = evaluate(tape);
    for (std::size_t i = 0; i < right.size(); ++i) EXPECT_TRUE(same_bits(values[i], right[i]));
    EXPECT_EQ(read(path), whole) << "damaged at " << at;
  }
}

TEST_F(KernelCache, WhatIsNoCodeIsNotLinked) {
  Random random(4);
  const Tape tape = random_tape(random, 10, 200, false);
  const std::atomic<bool> stop = false;
  const auto objects = machine()->compile(tape, 1, Level::good, stop);
  ASSERT_TRUE(objects);
  std::vector<const void*> functions;
  for (auto f = Operation::sin; f <= Operation::power;
       f = static_cast<Operation>(static_cast<int>(f) + 1))
    functions.push_back(function_address(f, 1));
  functions.push_back(reinterpret_cast<const void*>(sincos_of_four()));
  EXPECT_NE(machine()->link(*objects, functions), nullptr);
  EXPECT_EQ(machine()->link({"no object at all"}, functions), nullptr);
  EXPECT_EQ(machine()->link({objects->front().substr(0, objects->front().size() / 2)}, functions),
            nullptr);
  EXPECT_EQ(machine()->link({}, functions), nullptr);
}

}  // namespace
}  // namespace dalembert::codegen::object_cache_test
