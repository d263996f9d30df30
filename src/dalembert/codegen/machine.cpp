#include "dalembert/codegen/machine.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace dalembert::codegen {

namespace {

/// The file this code is part of: a library such as the Python package's, or else the program. What
/// the system knows of it counts, not the name by which it was started, which anybody may choose;
/// nothing where it is known by a relative name only.
std::filesystem::path own_file() {
  Dl_info here;
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&machine), &here, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0 ||
      map == nullptr)
    return {};
  std::error_code error;
  const bool is_program = map->l_name == nullptr || *map->l_name == '\0';
  const std::filesystem::path named = is_program ? "/proc/self/exe" : map->l_name;
  if (named.is_relative()) return {};
  std::filesystem::path file = std::filesystem::canonical(named, error);
  return error ? std::filesystem::path{} : file;
}

/// Where the library may be, the likeliest first.
std::vector<std::filesystem::path> candidates() {
  if (const char* given = std::getenv("DALEMBERT_MACHINE"); given != nullptr && *given != '\0') {
    if (std::string_view(given) == "off") return {};
    return {given};
  }
  std::vector<std::filesystem::path> result;
  if (const std::filesystem::path file = own_file(); !file.empty()) {
    const std::filesystem::path folder = file.parent_path();
    result.push_back(folder / DALEMBERT_MACHINE_NAME);
    result.push_back(folder.parent_path() / DALEMBERT_MACHINE_LIBDIR / DALEMBERT_MACHINE_NAME);
  }
  if (const std::string_view folder = DALEMBERT_MACHINE_INSTALLED; !folder.empty())
    result.push_back(std::filesystem::path(folder) / DALEMBERT_MACHINE_NAME);
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
