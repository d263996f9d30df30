#pragma once
/// Shards of one study put together: the journal that one process would have written, in another
/// order, and so the same results to the last bit.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/study/parts/part.hpp"
#include "dalembert/study/storage/folder.hpp"

namespace dalembert::study {

/// Folders of shards, read only, and what all of them say they are of.
class Shards {
 public:
  /// Each directory is that of a shard, or holds those of several ("shard-2-of-4"). Fails, naming
  /// the folder, where one is none, is still being written, or is of another study, of another
  /// version of the program or in other arithmetic than the first.
  static expr::Result<Shards, std::string> open(const std::vector<std::filesystem::path>& given);
  ~Shards();
  Shards(Shards&& other) noexcept;
  Shards& operator=(Shards&&) = delete;

  /// study.json of the first, and where it stands.
  const std::string& manifest() const;
  const std::filesystem::path& manifest_path() const;

  /// Reads all journals. Fails where runs are missing, saying which shards they belong to, and
  /// where two folders have other numbers for the same run. Memory: a bit a run.
  std::optional<std::string> check(const Study& study);
  std::uint64_t twice() const { return twice_; }  ///< runs found more than once, with equal bits

  /// Adds the runs that `folder` does not have to its journal. False where `stop` came true.
  expr::Result<bool, std::string> copy_to(const Study& study, const Folder& folder,
                                          const std::atomic<bool>& stop) const;

 private:
  struct Source;
  Shards();
  std::optional<std::string> compare_twins(const Study& study,
                                           const std::vector<std::uint64_t>& twins) const;
  std::string missing(const Study& study, std::uint64_t found,
                      const std::vector<bool>& there) const;

  std::vector<Source> sources_;
  std::uint64_t twice_ = 0;
};

}  // namespace dalembert::study
