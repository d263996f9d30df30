#include "dalembert/codegen/machine.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace dalembert::codegen {

namespace {

/// Where the library may be, the likeliest first.
std::vector<std::filesystem::path> candidates() {
  if (const char* given = std::getenv("DALEMBERT_MACHINE"); given != nullptr && *given != '\0') {
    if (std::string_view(given) == "off") return {};
    return {given};
  }
  std::vector<std::filesystem::path> result;
  std::error_code error;
  // Where this code is part of a library, as in the Python package: beside that, before anything
  // that may lie around the interpreter.
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&machine), &here) != 0 && here.dli_fname != nullptr) {
    const std::filesystem::path library(here.dli_fname);
    if (library.has_parent_path()) result.push_back(library.parent_path() / DALEMBERT_MACHINE_NAME);
  }
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::filesystem::path folder = program.parent_path();
    result.push_back(folder / DALEMBERT_MACHINE_NAME);
    result.push_back(folder.parent_path() / DALEMBERT_MACHINE_LIBDIR / DALEMBERT_MACHINE_NAME);
  }
  for (const std::string_view folder : {DALEMBERT_MACHINE_INSTALLED, DALEMBERT_MACHINE_BUILT})
    if (!folder.empty()) result.push_back(std::filesystem::path(folder) / DALEMBERT_MACHINE_NAME);
  return result;
}

const Machine* load() {
  for (const std::filesystem::path& path : candidates()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    // Never unloaded: code it made may run until the process ends.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    const auto entry = reinterpret_cast<MachineEntry>(dlsym(library, "dalembert_machine"));
    const Machine* machine = entry == nullptr ? nullptr : entry(machine_interface);
    if (machine != nullptr) return machine;
  }
  return nullptr;
}

}  // namespace

const Machine* machine() {
  static const Machine* const loaded = load();
  return loaded;
}

}  // namespace dalembert::codegen
