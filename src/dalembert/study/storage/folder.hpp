#pragma once
/// The directory of a study:
///
///     study.json      what is studied: written once, before anything else
///     runs.journal    what became of each run: grows while the study goes on
///     results.h5      all results, written when the last run is over; so are
///     results.csv, summary.json
///
/// One process at a time works in it. Nothing in it is ever removed or replaced but what the same
/// study wrote.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/study/parts/part.hpp"
#include "dalembert/study/storage/journal.hpp"
#include "dalembert/study/storage/memory_map.hpp"
#include "dalembert/study/study.hpp"

namespace dalembert::study {

class Folder {
 public:
  /// A new study, in a directory that is empty or is created.
  /// With `shard` other than the whole, of that alone, which shard.json then says.
  static expr::Result<Folder, std::string> create(const std::filesystem::path& path,
                                                  const Study& study, const Shard& shard = {});
  /// Goes on with a study, which must be the same. A torn end of its journal is cut off; runs
  /// whose entries are damaged are done again.
  static expr::Result<Folder, std::string> resume(const std::filesystem::path& path,
                                                  const Study& study, const Shard& shard = {});
  ~Folder();
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept = delete;
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string journal_name() const { return (path_ / "runs.journal").string(); }
  int journal() const { return journal_; }
  std::uint64_t journal_size() const { return journal_size_; }  ///< when it was opened
  std::uint64_t cut_off() const { return cut_off_; }            ///< bytes of a torn end
  std::uint64_t damaged() const { return damaged_; }  ///< bytes before that which do not hold

  /// Which runs were over when the journal was opened.
  const std::vector<bool>& finished() const { return finished_; }
  std::uint64_t finished_count() const { return finished_count_; }

 private:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}
  std::optional<std::string> lock();
  std::optional<std::string> begin_journal(const JournalShape& shape);
  std::optional<std::string> write_file(std::string_view name, const std::string& text);
  std::optional<std::string> read_journal(const JournalShape& shape, std::uint64_t runs);
  void remove_leftovers() const;

  std::filesystem::path path_;
  int journal_ = -1;
  std::uint64_t journal_size_ = 0, cut_off_ = 0, damaged_ = 0;
  std::vector<bool> finished_;
  std::uint64_t finished_count_ = 0;
};

}  // namespace dalembert::study
