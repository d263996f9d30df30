#pragma once
/// The models of models/, compiled, for tests that go over all of them.

#include <string>
#include <vector>

#include "../model_files.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::motion {

inline Motion compile_bundled(const std::string& name, const CompileOptions& options = {}) {
  return compile(model::read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value(),
                 options)
      .value();
}

inline std::vector<std::string> bundled_names() {
  std::vector<std::string> names;
  for (const auto& file : model_files()) names.push_back(file.stem());
  return names;
}

}  // namespace dalembert::motion
