#pragma once
/// A part of a study that one process does on its own: shard I of N has runs I - 1, I - 1 + N,
/// I - 1 + 2 N, ... Neighbours on a grid cost alike, so that all shards take about as long.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dalembert/expr/result.hpp"
#include "dalembert/model/diagnostic.hpp"

namespace dalembert::study {

struct Shard {
  std::uint64_t number = 1, of = 1;  ///< 1 <= number <= of

  bool whole() const { return of == 1; }
  /// How many of so many runs are in it.
  std::uint64_t count(std::uint64_t runs) const {
    return runs < number ? 0 : (runs - number) / of + 1;
  }
  bool has(std::uint64_t run) const { return run % of == number - 1; }
  bool operator==(const Shard&) const = default;
};

inline constexpr std::uint64_t most_shards = 1'000'000;

/// "2/4".
std::string to_string(const Shard& shard);

/// The folder of a shard in that of its study: "shard-02-of-16".
std::string folder_name(const Shard& shard);
bool is_folder_name(const std::string& name);

/// The value of a variable of the environment, if it is set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// --shard I/N, or --shard auto: from what Slurm, Grid Engine or LSF tell a task of an array, or
/// else Open MPI, an MPI of the MPICH family or srun one of several processes.
expr::Result<Shard, model::Diagnostic> read_shard(const std::string& text,
                                                  const Environment& environment);

}  // namespace dalembert::study
