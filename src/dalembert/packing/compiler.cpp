#include "dalembert/packing/compiler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

extern char** environ;

namespace dalembert::packing {

namespace {

namespace fs = std::filesystem;

/// A folder that is gone with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "dalembert-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The exit status of a program run with both outputs to a file; -1 if it could not be run.
int run(const std::vector<std::string>& words, const fs::path& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string c_compiler() {
  const char* chosen = std::getenv("CC");
  std::string name = chosen != nullptr && *chosen != '\0' ? chosen : "cc";
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(fs::path(folder) / name)) return name;
  }
  return "";
}

model::Result<std::string, std::string> shared_library(const std::string& compiler,
                                                       const Files& sources) {
  const TemporaryFolder folder;
  if (folder.path().empty())
    return model::Failure{std::string("no folder for temporary files can be made")};
  std::vector<std::string> words = {compiler,
                                    "-std=c99",
                                    "-O2",
                                    "-ffp-contract=off",
                                    "-fPIC",
                                    "-fvisibility=hidden",
                                    "-shared",
                                    "-o",
                                    (folder.path() / "library.so").string()};
  for (const auto& [name, text] : sources) {
    const fs::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    if (name.ends_with(".c")) words.push_back(path.string());
  }
  words.emplace_back("-lm");
  const int status = run(words, folder.path() / "said.txt");
  std::string library = read(folder.path() / "library.so");
  if (status == 0 && !library.empty()) return library;
  std::string said = read(folder.path() / "said.txt");
  said = said.substr(0, said.find('\n'));
  return model::Failure{said.empty() ? fmt::format("{} ended with status {}", compiler, status)
                                     : said};
}

}  // namespace dalembert::packing
