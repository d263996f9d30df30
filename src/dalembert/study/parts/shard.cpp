#include "dalembert/study/parts/shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "dalembert/study/option_error.hpp"

namespace dalembert::study {

namespace {

using ShardResult = expr::Result<Shard, model::Diagnostic>;

std::optional<std::uint64_t> digits_only(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// How a scheduler tells a task its place: its number, the first, the last and the distance between
/// two; or how many there are in place of the last.
struct Scheduler {
  const char* name;
  const char* number;
  const char* first;  ///< null: `origin`
  std::uint64_t origin;
  const char* last;   ///< null: `count` says it
  const char* step;   ///< null: 1
  const char* count;  ///< null: `last` says it
};

// The tasks of an array come first: each may have been started by a launcher of its own.
constexpr Scheduler schedulers[] = {
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", 0, "SLURM_ARRAY_TASK_MAX",
     "SLURM_ARRAY_TASK_STEP", nullptr},
    {"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", 1, "SGE_TASK_LAST", "SGE_TASK_STEPSIZE",
     nullptr},
    {"LSF", "LSB_JOBINDEX", nullptr, 1, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", nullptr},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", nullptr, 0, nullptr, nullptr, "OMPI_COMM_WORLD_SIZE"},
    {"MPI", "PMI_RANK", nullptr, 0, nullptr, nullptr, "PMI_SIZE"},
    {"srun", "SLURM_PROCID", nullptr, 0, nullptr, nullptr, "SLURM_NTASKS"},
};

ShardResult automatic(const std::string& text, const Environment& environment) {
  const auto failure = [&](const std::string& message) -> ShardResult {
    return expr::Failure{option_error("--shard", text, 0, text.size(), message)};
  };
  for (const Scheduler& scheduler : schedulers) {
    const auto given = environment(scheduler.number);
    // Grid Engine says "undefined" and LSF 0 to a job that is no array.
    if (!given || *given == "undefined" || (scheduler.origin == 1 && *given == "0")) continue;
    std::string wrong;
    const auto number_of = [&](const char* name, std::uint64_t otherwise, bool needed) {
      if (name == nullptr) return otherwise;
      const auto value = environment(name);
      if (!value && !needed) return otherwise;
      const auto number = value ? digits_only(*value) : std::nullopt;
      if (!number && wrong.empty()) {
        wrong = value ? fmt::format("{} is '{}', which is not a whole number", name, *value)
                      : fmt::format("{} is set, but {} is not", scheduler.number, name);
      }
      return number.value_or(otherwise);
    };
    const std::uint64_t id = number_of(scheduler.number, 0, true);
    const std::uint64_t first = number_of(scheduler.first, scheduler.origin, true);
    const std::uint64_t step = number_of(scheduler.step, 1, false);
    const std::uint64_t last = number_of(scheduler.last, 0, scheduler.last != nullptr);
    const std::uint64_t count = number_of(scheduler.count, 0, scheduler.count != nullptr);
    if (!wrong.empty()) return failure(fmt::format("{}: {}", scheduler.name, wrong));
    const bool array = scheduler.count == nullptr;
    const bool fits = step > 0 && id >= first && (id - first) % step == 0 &&
                      (array ? id <= last : id - first < count);
    const Shard shard{fits ? (id - first) / step + 1 : 0,
                      !array ? count : (fits ? (last - first) / step + 1 : 0)};
    if (!fits || shard.of > most_shards) {
      return failure(fmt::format("{}: {} = {} does not match the other variables", scheduler.name,
                                 scheduler.number, *given));
    }
    return shard;
  }
  return failure(
      "no task of an array and no process of MPI: none of SLURM_ARRAY_TASK_ID, SGE_TASK_ID, "
      "LSB_JOBINDEX, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID is set; give I/N, as in 2/4");
}

}  // namespace

std::string to_string(const Shard& shard) {
  return fmt::format("{}/{}", shard.number, shard.of);
}

std::string folder_name(const Shard& shard) {
  const std::string of = std::to_string(shard.of);
  return fmt::format("shard-{:0{}}-of-{}", shard.number, of.size(), of);
}

bool is_folder_name(const std::string& name) {
  constexpr std::string_view begin = "shard-", middle = "-of-";
  const std::size_t split = name.find(middle);
  if (!name.starts_with(begin) || split == std::string::npos) return false;
  const auto number =
      digits_only(std::string_view(name).substr(begin.size(), split - begin.size()));
  const auto of = digits_only(std::string_view(name).substr(split + middle.size()));
  return number && of && *number >= 1 && *number <= *of && name == folder_name({*number, *of});
}

ShardResult read_shard(const std::string& text, const Environment& environment) {
  if (text == "auto") return automatic(text, environment);
  const auto failure = [&](std::size_t begin, std::size_t end,
                           const std::string& message) -> ShardResult {
    return expr::Failure{option_error("--shard", text, begin, end, message)};
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    return failure(0, text.size(), "expected I/N, as in 2/4, or auto");
  const auto number = digits_only(std::string_view(text).substr(0, slash));
  const auto of = digits_only(std::string_view(text).substr(slash + 1));
  if (!of || *of < 1 || *of > most_shards) {
    return failure(slash + 1, text.size(),
                   fmt::format("N must be a whole number from 1 to {}", most_shards));
  }
  if (!number || *number < 1 || *number > *of) {
    return failure(
        0, slash,
        fmt::format("I must be a whole number from 1 to {}: shards are counted from 1", *of));
  }
  return Shard{*number, *of};
}

}  // namespace dalembert::study
