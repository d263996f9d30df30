#pragma once
/// Files that are written under a name they do not keep. Whoever may write into the directory knows
/// these names, and may have put a link there that leads elsewhere: it is never followed.

#include <filesystem>

namespace dalembert::study {

/// Removes what a process that was killed has left under this name, or a link that stands there. A
/// file that is then created exclusively is new, or is not created.
void make_way(const std::filesystem::path& path);

/// A new file for writing, by its descriptor; -1 with errno if there can be none.
int open_fresh(const std::filesystem::path& path);

}  // namespace dalembert::study
