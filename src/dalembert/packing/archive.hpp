#pragma once
/// A zip archive (APPNOTE.TXT of PKWARE) of stored files, in memory: the same bytes for the same
/// files, whenever and wherever it is made. See docs/decisions/export.md.

#include <map>
#include <string>

namespace dalembert::packing {

/// `files`: contents by path, with `/`. All files carry the first day of zip's calendar, 1980-01-01.
/// Below 4 GiB in all. O(bytes).
std::string zip_archive(const std::map<std::string, std::string>& files);

}  // namespace dalembert::packing
