#pragma once
/// Lists of names in sentences.

#include <span>
#include <string>

#include "dalembert/solve/rooms.hpp"

namespace dalembert::solve {

/// "'a'", "'a' and 'b'", "'a', 'b' and 'c'"; beyond six: "'a', ..., 'f' and 4 more".
std::string quoted_list(std::span<const std::string> names);

}  // namespace dalembert::solve
