#pragma once
/// The system's C compiler, asked to make a shared library.

#include <filesystem>
#include <string>

#include "dalembert/model/model.hpp"
#include "dalembert/packing/c_project.hpp"

namespace dalembert::packing {

/// The compiler's name: the environment variable CC, else cc. Empty where none is found in PATH.
std::string c_compiler();

/// The bytes of a shared library made of the .c files among `sources`, with ISO C, -O2 and hidden
/// names, for any processor of this kind; or what the compiler said. Works in a folder of its own
/// below the system's folder for temporary files, which is gone afterwards.
model::Result<std::string, std::string> shared_library(const std::string& compiler,
                                                       const Files& sources);

}  // namespace dalembert::packing
