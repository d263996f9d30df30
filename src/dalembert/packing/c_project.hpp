#pragma once
/// A packed system as C99: NAME.c and NAME.h, without allocation and global data, on libm alone;
/// beside them an example, a Makefile and a CMakeLists.txt.

#include <map>
#include <string>

#include "dalembert/packing/system.hpp"

namespace dalembert::packing {

/// Texts by the names of files.
using Files = std::map<std::string, std::string>;

/// NAME.c and NAME.h. O(operations).
Files c_sources(const PackedSystem& system);

/// With main.c, Makefile and CMakeLists.txt.
Files c_project(const PackedSystem& system);

/// The names by which parameters, states and samples are known in code, in their order.
std::vector<std::string> parameter_identifiers(const PackedSystem& system);
std::vector<std::string> identifiers(const std::vector<std::string>& names);

}  // namespace dalembert::packing
