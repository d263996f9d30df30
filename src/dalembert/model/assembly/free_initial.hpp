#pragma once
/// Why initial values cannot be made free.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::model {

/// What is wrong if these are given beside what the model says, as it would be in the file: some of
/// the rates that follow from a body's angular velocity but not all, or an angular velocity
/// ("disk.wx") that does not go with the rates that are said. Free without such.
std::optional<ModelError> objection_to_free(const Model& model, std::span<const std::string> names);

/// "disk.wx", "disk.wy" and "disk.wz" of every body and frame that has an orientation.
std::vector<std::string> spin_names(const Model& model);

}  // namespace dalembert::model
