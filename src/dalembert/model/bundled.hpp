#pragma once
/// The models that come with the program, inside it: the files of `models/`, in alphabetical order.

#include <span>
#include <string_view>

namespace dalembert::model {

struct BundledModel {
  std::string_view name;  ///< of the file, without ".toml"
  std::string_view text;
};

std::span<const BundledModel> bundled_models();

}  // namespace dalembert::model
