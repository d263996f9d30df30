#pragma once
/// What a folder says about itself that holds a shard of a study: which one, computed in which
/// arithmetic and where. It stands in shard.json, beside the study.json that all shards share.

#include <optional>
#include <string>

#include "dalembert/study/parts/arithmetic.hpp"
#include "dalembert/study/parts/shard.hpp"

namespace dalembert::study {

struct Part {
  Shard shard;
  Arithmetic arithmetic;
  std::string host;  ///< name of the machine
};

inline constexpr const char* part_file = "shard.json";

/// A shard as this machine computes it.
Part part_here(const Shard& shard);

std::string to_json(const Part& part);
/// Nothing if the text is not that of a shard.json.
std::optional<Part> read_part(const std::string& text);

}  // namespace dalembert::study
