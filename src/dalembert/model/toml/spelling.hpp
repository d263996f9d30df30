#pragma once
/// Names and texts as TOML spells them.

#include <string>
#include <string_view>

namespace dalembert::model {

/// In quotes, with escapes for what cannot stand between them.
std::string toml_string(std::string_view text);

/// A key: in quotes where it has other letters than those of ASCII, digits and '_'.
std::string toml_key(std::string_view name);

}  // namespace dalembert::model
