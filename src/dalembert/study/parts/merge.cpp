#include "dalembert/study/parts/merge.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

namespace dalembert::study {

namespace {

namespace fs = std::filesystem;
using expr::Failure;

constexpr std::size_t most_told = 10;  // shards in a sentence

expr::Result<std::string, std::string> text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof())
    return Failure{fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno))};
  return text;
}

/// The folders of shards that a directory stands for: those in it, or itself.
std::vector<fs::path> folders_of(const fs::path& path) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (is_folder_name(entry.path().filename().string()) && entry.is_directory(error))
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  if (found.empty()) found.push_back(path);
  return found;
}

/// A run as it is compared: the bits of all its numbers, and of the rows of its samples.
struct Print {
  std::size_t source = 0;
  std::uint64_t offset = 0;
  std::uint64_t samples = 0;
};

std::uint64_t bits_of(double x) {
  return std::isnan(x) ? 0x7ff8000000000000U : std::bit_cast<std::uint64_t>(x);
}

std::uint64_t print_of_row(std::uint64_t row, std::span<const double> numbers) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ row;
  for (const double x : numbers) {
    hash = (hash ^ bits_of(x)) * 0x100000001b3U;
    hash ^= hash >> 29;
  }
  return hash;
}

/// The first number in which two ends of a run differ, "x: 1.5 instead of 1.25"; nothing if they
/// are the same bit by bit.
std::optional<std::string> first_difference(const Study& study, const RunRecord& here,
                                            const RunRecord& there) {
  const auto differ = [](const std::string& name, double a,
                         double b) -> std::optional<std::string> {
    if (bits_of(a) == bits_of(b)) return std::nullopt;
    return fmt::format("{} is {} and {}", name, a, b);
  };
  if (here.complete != there.complete || here.reason != there.reason)
    return "it is complete in one and failed, or for another reason, in the other";
  const std::vector<std::string>& coordinates = study.plan.motion().model().coordinates;
  if (auto text = differ("t", here.t, there.t)) return text;
  for (std::size_t i = 0; i < here.q.size(); ++i) {
    if (auto text = differ(coordinates[i], here.q[i], there.q[i])) return text;
  }
  for (std::size_t i = 0; i < here.v.size(); ++i) {
    if (auto text = differ(coordinates[i] + "'", here.v[i], there.v[i])) return text;
  }
  for (std::size_t j = 0; j < here.statistics.size(); ++j) {
    if (auto text = differ(study.statistics[j].name, here.statistics[j], there.statistics[j]))
      return text;
  }
  if (auto text = differ("energy_change", here.energy_change, there.energy_change)) return text;
  if (auto text = differ("largest_residual", here.largest_residual, there.largest_residual))
    return text;
  if (here.steps != there.steps || here.rejected != there.rejected || here.alone != there.alone ||
      here.rows != there.rows)
    return fmt::format("it took {} steps and {}", here.steps, there.steps);
  return std::nullopt;
}

}  // namespace

struct Shards::Source {
  fs::path path;
  std::string manifest;
  std::unique_ptr<const Part> part;  ///< none: a study that was not divided
  MemoryMap journal;
  int file = -1;
  std::uint64_t found = 0;  ///< runs that are over
  Shard shard() const { return part ? part->shard : Shard{}; }
};

Shards::Shards() = default;
Shards::Shards(Shards&& other) noexcept = default;
Shards::~Shards() {
  for (const Source& source : sources_) {
    if (source.file >= 0) ::close(source.file);
  }
}

const std::string& Shards::manifest() const {
  return sources_.front().manifest;
}

const fs::path& Shards::manifest_path() const {
  return sources_.front().path;
}

expr::Result<Shards, std::string> Shards::open(const std::vector<fs::path>& given) {
  Shards shards;
  std::set<fs::path> seen;
  std::error_code error;
  for (const fs::path& directory : given) {
    if (!fs::is_directory(directory, error))
      return Failure{fmt::format("'{}' is no directory", directory.string())};
    for (const fs::path& path : folders_of(directory)) {
      if (!seen.insert(fs::weakly_canonical(path, error)).second)
        return Failure{fmt::format("'{}' is given twice", path.string())};
      Source source;
      source.path = path;
      if (!fs::exists(path / "study.json", error)) {
        return Failure{fmt::format("'{}' holds no shard of a study: there is no '{}'",
                                   path.string(), (path / "study.json").string())};
      }
      auto manifest = text_of(path / "study.json");
      if (!manifest) return Failure{manifest.error()};
      source.manifest = *std::move(manifest);
      if (fs::exists(path / part_file, error)) {
        const auto text = text_of(path / part_file);
        if (!text) return Failure{text.error()};
        auto part = read_part(*text);
        if (!part) return Failure{fmt::format("'{}' is damaged", (path / part_file).string())};
        source.part = std::make_unique<const Part>(*std::move(part));
      }
      shards.sources_.push_back(std::move(source));
    }
  }
  const Source& first = shards.sources_.front();
  const Source* computed = nullptr;  // the first that says in which arithmetic
  for (Source& source : shards.sources_) {
    if (const auto differs = difference(source.manifest, first.manifest)) {
      return Failure{fmt::format("'{}' is of another study than '{}': {}", source.path.string(),
                                 first.path.string(), *differs)};
    }
    if (source.part) {
      if (computed == nullptr) computed = &source;
      const Part &mine = *source.part, &other = *computed->part;
      if (mine.arithmetic.probe != other.arithmetic.probe) {
        return Failure{
            fmt::format("'{}' was computed in different arithmetic ({} on {}) from '{}' ({} on "
                        "{}): their last bits do not belong to one study",
                        source.path.string(), mine.arithmetic.name, mine.host,
                        computed->path.string(), other.arithmetic.name, other.host)};
      }
    }
    const fs::path name = source.path / "runs.journal";
    source.file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (source.file < 0)
      return Failure{fmt::format("cannot open '{}': {}", name.string(), std::strerror(errno))};
    if (::flock(source.file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      return Failure{fmt::format("another process is at work in '{}'; wait for its end",
                                 source.path.string())};
    }
    auto content = MemoryMap::content(source.file, name.string());
    if (!content) return Failure{content.error()};
    source.journal = *std::move(content);
  }
  return shards;
}

std::optional<std::string> Shards::check(const Study& study) {
  const JournalShape shape = journal_shape(study);
  std::vector<bool> there(study.runs, false);
  std::vector<std::uint64_t> twins;
  std::uint64_t found = 0;
  for (Source& source : sources_) {
    const auto extent = scan_journal(source.journal.text(), shape,
                                     [&](std::uint64_t, const RunRecord& record) {
                                       if (record.run >= study.runs) return;
                                       ++source.found;
                                       if (there[record.run]) {
                                         twins.push_back(record.run);
                                         return;
                                       }
                                       there[record.run] = true;
                                       ++found;
                                     },
                                     {});
    if (!extent) {
      return fmt::format("'{}' is not the journal of this study, or its beginning is damaged",
                         (source.path / "runs.journal").string());
    }
  }
  std::ranges::sort(twins);
  twins.erase(std::ranges::unique(twins).begin(), twins.end());
  twice_ = twins.size();
  if (!twins.empty()) {
    if (auto differs = compare_twins(study, twins)) return differs;
  }
  if (found < study.runs) return missing(study, found, there);
  return std::nullopt;
}

/// Two passes over each journal: how many rows each run has is known at its end only.
std::optional<std::string> Shards::compare_twins(const Study& study,
                                                 const std::vector<std::uint64_t>& twins) const {
  const JournalShape shape = journal_shape(study);
  std::unordered_map<std::uint64_t, Print> prints;
  std::optional<std::string> problem;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const std::string_view text = sources_[s].journal.text();
    const auto is_twin = [&](std::uint64_t run) { return std::ranges::binary_search(twins, run); };
    struct Rows {
      std::uint64_t seen = 0, sum = 0;
    };
    std::unordered_map<std::uint64_t, Rows> rows;
    scan_journal(
        text, shape,
        [&](std::uint64_t offset, const RunRecord& record) {
          if (problem || !is_twin(record.run)) return;
          const Print mine{s, offset, rows[record.run].sum};
          rows.erase(record.run);
          const auto [place, added] = prints.try_emplace(record.run, mine);
          if (added) return;
          const Print& other = place->second;
          const Source& source = sources_[other.source];
          auto differs =
              first_difference(study, run_at(source.journal.text(), other.offset, shape), record);
          if (!differs && other.samples != mine.samples) differs = "its samples differ";
          if (!differs) return;
          problem = fmt::format(
              "run {} differs between '{}' and '{}': {}; one of the two was computed wrongly or "
              "damaged, and nothing says which",
              record.run, source.path.string(), sources_[s].path.string(), *differs);
        },
        [&](const SampleBlock& block) {
          if (!is_twin(block.run)) return;
          Rows& run = rows[block.run];
          const std::uint64_t count = block.rows.size() / shape.columns;
          for (std::uint64_t i = 0; i < count; ++i) {
            if (block.first + i < run.seen) continue;  // an attempt that was given up had it
            run.sum +=
                print_of_row(block.first + i, block.rows.subspan(i * shape.columns, shape.columns));
            run.seen = block.first + i + 1;
          }
        });
    if (problem) return problem;
  }
  return std::nullopt;
}

std::string Shards::missing(const Study& study, std::uint64_t found,
                            const std::vector<bool>& there) const {
  const std::uint64_t lost = study.runs - found;
  for (const Source& source : sources_) {
    const std::uint64_t all = source.shard().count(study.runs);
    if (source.found >= all) continue;
    return fmt::format(
        "'{}' holds {} of the {} runs of shard {}: its sweep is not over; continue it with --shard "
        "{} --resume",
        source.path.string(), source.found, all, to_string(source.shard()),
        to_string(source.shard()));
  }
  const std::uint64_t of = sources_.front().shard().of;
  const bool alike =
      std::ranges::all_of(sources_, [&](const Source& s) { return s.shard().of == of; });
  if (!alike) {
    const auto first = std::ranges::find(there, false) - there.begin();
    return fmt::format("{} of {} runs are in none of the shards; the first is run {}", lost,
                       study.runs, first);
  }
  std::set<std::uint64_t> numbers;
  for (const Source& source : sources_) numbers.insert(source.shard().number);
  std::string list;
  std::uint64_t count = 0;
  for (std::uint64_t i = 1; i <= of; ++i) {
    if (numbers.contains(i) || Shard{i, of}.count(study.runs) == 0) continue;
    if (++count <= most_told) list += fmt::format("{}{}", list.empty() ? "" : ", ", i);
  }
  if (count > most_told) list += fmt::format(" and {} more", count - most_told);
  return fmt::format("{} {} of {} {} missing: {} of {} runs", count == 1 ? "shard" : "shards", list,
                     of, count == 1 ? "is" : "are", lost, study.runs);
}

expr::Result<bool, std::string> Shards::copy_to(const Study& study, const Folder& folder,
                                                const std::atomic<bool>& stop) const {
  const JournalShape shape = journal_shape(study);
  JournalWriter journal(folder.journal(), folder.journal_name(), folder.journal_size());
  std::vector<bool> there = folder.finished();
  std::string entry;
  for (const Source& source : sources_) {
    std::vector<bool> mine = there;  // what another folder has brought
    bool fine = true;
    const auto add = [&](const auto& what) {
      if (!fine || stop || what.run >= study.runs || mine[what.run]) return;
      entry.clear();
      append_entry(entry, what);
      fine = journal.append(entry);
    };
    scan_journal(
        source.journal.text(), shape,
        [&](std::uint64_t, const RunRecord& record) {
          add(record);
          if (record.run < study.runs) there[record.run] = true;
        },
        [&](const SampleBlock& block) { add(block); });
    if (!fine) break;
    if (stop) break;
  }
  journal.sync();
  if (auto error = journal.error()) return Failure{*std::move(error)};
  return !stop;
}

}  // namespace dalembert::study
