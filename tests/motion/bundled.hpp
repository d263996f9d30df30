#pragma once
/// The models of models/, compiled, for tests that go over all of them.

#include <string>
#include <vector>

#include "dalembert/model/bundled.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/motion.hpp"

namespace dalembert::motion {

inline Motion compile_bundled(const std::string& name, const CompileOptions& options = {}) {
  return compile(model::read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value(),
                 options)
      .value();
}

inline std::vector<std::string> bundled_names() {
  std::vector<std::string> names;
  for (const model::BundledModel& bundled : model::bundled_models())
    names.emplace_back(bundled.name);
  return names;
}

}  // namespace dalembert::motion
