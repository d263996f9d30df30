#pragma once
/// The files of models/, for tests that go over all of them.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace dalembert {

/// Mechanisms of bodies with large equations, too many for proofs in the time of a test.
inline const std::set<std::string>& large_models() {
  static const std::set<std::string> names = {"ball_on_turntable", "bicycle",   "bricard",
                                              "car_with_trailer",  "chain",     "four_bar",
                                              "rattleback",        "robot_arm", "stewart_platform"};
  return names;
}

/// All of them, in order; with sanitizers, ten times slower, not the large ones, which walk through
/// the same code.
inline std::vector<std::filesystem::path> model_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(DALEMBERT_MODELS)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
#ifdef DALEMBERT_SANITIZED
  std::erase_if(files, [](const auto& file) { return large_models().contains(file.stem()); });
#endif
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace dalembert
