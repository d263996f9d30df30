#pragma once
/// Compiled objects on disk, found by what they were compiled from. One file a key, named by its
/// digest:
///
///   "dalembert object 1\n" padded to 32 bytes | digest of the key | digest of the rest |
///   number of objects, 8 bytes | length of each, 8 bytes | the objects
///
/// A file is believed only if it is the user's own, nobody else may write to it or its folder, and
/// both digests are right; else it counts as absent and is replaced. Files appear whole, by
/// renaming, so that any number of processes may read and write at once. When all together exceed a
/// limit, those unused for longest go. Nothing here fails: what cannot be kept is compiled again.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/machine.hpp"

namespace dalembert::codegen {

struct ObjectCache {
  std::filesystem::path folder;       ///< empty: nothing is found and nothing kept
  std::uintmax_t limit = 256U << 20;  ///< bytes

  std::optional<Objects> find(std::string_view key) const;
  void keep(std::string_view key, const Objects& objects) const;
};

/// In $DALEMBERT_CACHE, else $XDG_CACHE_HOME/dalembert, else ~/.cache/dalembert; none if
/// DALEMBERT_CACHE=off or there is no home.
ObjectCache object_cache();

}  // namespace dalembert::codegen
