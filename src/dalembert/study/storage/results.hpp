#pragma once
/// The results of a study whose runs are all in its journal, in the order of the runs, though the
/// journal has them in the order in which they ended.

#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/study/storage/folder.hpp"
#include "dalembert/study/storage/journal.hpp"
#include "dalembert/study/storage/memory_map.hpp"
#include "dalembert/study/study.hpp"

namespace dalembert::study {

class Results {
 public:
  /// Reads the journal once. Keeps a place for each run, in a file without a name: memory is the
  /// system's to give and to take.
  static expr::Result<Results, std::string> open(const Study& study, const Folder& folder);

  const Study& study() const { return *study_; }
  std::uint64_t size() const { return study_->runs; }
  RunRecord run(std::uint64_t i) const;

  /// The samples that belong to finished runs, block by block, in the order of the journal.
  void for_each_block(const std::function<void(const SampleBlock&)>& receive) const;

 private:
  Results(const Study& study, MemoryMap journal, MemoryMap places)
      : study_(&study),
        shape_(journal_shape(study)),
        journal_(std::move(journal)),
        places_(std::move(places)) {}
  const std::uint64_t* places() const { return static_cast<const std::uint64_t*>(places_.data()); }

  const Study* study_;
  JournalShape shape_;
  MemoryMap journal_, places_;
};

/// Least, mean and largest of a quantity over the runs that are complete.
struct Spread {
  std::string name;
  double min = 0, mean = 0, max = 0;  ///< of the finite values; not numbers if there are none
  std::uint64_t finite = 0;
};

struct Failed {
  std::uint64_t run;
  std::string reason;
};

/// A study in short.
struct Digest {
  std::uint64_t complete = 0, failed = 0;
  std::uint64_t alone = 0;       ///< runs that left their lane
  std::uint64_t steps = 0;       ///< of all runs
  double largest_residual = 0;   ///< of complete runs
  std::vector<Failed> failures;  ///< the first few of them
  std::vector<Spread> spreads;  ///< of statistics and final coordinates; none if no run is complete
};

inline constexpr std::size_t most_failures_told = 10;

Digest digest(const Results& results);

/// Writes results.h5: under another name first, so that it is there in full or not at all. The same
/// bytes for the same study. Says what went wrong, if something did.
std::optional<std::string> write_hdf5(const Results& results, const std::filesystem::path& path);

}  // namespace dalembert::study
