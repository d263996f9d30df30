#pragma once
/// A packed system as a functional mock-up unit: FMI 2.0 or 3.0, model exchange and co-simulation
/// in one archive, with sources and, where there is a compiler, the library for Linux on x86-64.

#include <cstdint>
#include <string>

#include "dalembert/packing/c_project.hpp"

namespace dalembert::packing {

enum class Fmi : std::uint8_t { two = 2, three = 3 };

/// The files of the archive that say what the model is: modelDescription.xml, sources/.
Files fmu_sources(const PackedSystem& system, Fmi version);

struct FmuArchive {
  std::string bytes;
  bool has_binary = false;
  std::string note;  ///< why there is no binary, a clause
};

/// The archive. Calls the compiler, if there is one. `reference`: results to compare with
/// (reference.hpp), which travel as the layered standard fmi-ls-ref provides.
FmuArchive fmu_archive(const PackedSystem& system, Fmi version, const std::string& reference);

}  // namespace dalembert::packing
