#include "dalembert/study/storage/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::study {

expr::Result<Results, std::string> Results::open(const Study& study, const Folder& folder) {
  auto journal = MemoryMap::content(folder.journal(), folder.journal_name());
  if (!journal) return expr::Failure{journal.error()};
  auto places = MemoryMap::scratch(folder.path(), study.runs * sizeof(std::uint64_t));
  if (!places) return expr::Failure{places.error()};
  Results results(study, *std::move(journal), *std::move(places));
  auto* place = static_cast<std::uint64_t*>(results.places_.data());
  std::uint64_t found = 0;
  scan_journal(results.journal_.text(), results.shape_,
               [&](std::uint64_t offset, const RunRecord& record) {
                 if (record.run >= study.runs || place[record.run] != 0) return;
                 place[record.run] = offset;
                 ++found;
               },
               {});
  if (found != study.runs) {
    return expr::Failure{fmt::format("'{}' holds {} of {} runs: it was changed by someone else",
                                     folder.journal_name(), found, study.runs)};
  }
  return results;
}

RunRecord Results::run(std::uint64_t i) const {
  return run_at(journal_.text(), places()[i], shape_);
}

void Results::for_each_block(const std::function<void(const SampleBlock&)>& receive) const {
  scan_journal(journal_.text(), shape_, {}, [&](const SampleBlock& block) {
    if (block.run >= size()) return;
    // A block from an attempt that was given up may reach beyond the end of the run.
    const std::uint64_t rows = run(block.run).rows;
    if (block.first >= rows) return;
    const std::uint64_t count =
        std::min<std::uint64_t>(block.rows.size() / shape_.columns, rows - block.first);
    receive({block.run, block.first, block.rows.first(count * shape_.columns)});
  });
}

Digest digest(const Results& results) {
  const Study& study = results.study();
  Digest digest;
  for (const Statistic& statistic : study.statistics) digest.spreads.push_back({statistic.name});
  for (const std::string& name : study.plan.motion().model().coordinates)
    digest.spreads.push_back({"final " + name});
  for (std::uint64_t i = 0; i < results.size(); ++i) {
    const RunRecord run = results.run(i);
    digest.steps += run.steps;
    digest.alone += run.alone ? 1 : 0;
    if (!run.complete) {
      ++digest.failed;
      if (digest.failures.size() < most_failures_told)
        digest.failures.push_back({i, std::string(run.reason)});
      continue;
    }
    digest.largest_residual = std::max(digest.largest_residual, run.largest_residual);
    ++digest.complete;
    const auto add = [](Spread& spread, double x) {
      if (!std::isfinite(x)) return;
      const bool first = spread.finite++ == 0;
      spread.min = first ? x : std::min(spread.min, x);
      spread.max = first ? x : std::max(spread.max, x);
      spread.mean += x;
    };
    const std::size_t statistics = study.statistics.size();
    for (std::size_t j = 0; j < statistics; ++j) add(digest.spreads[j], run.statistics[j]);
    for (std::size_t j = 0; j < run.q.size(); ++j) add(digest.spreads[statistics + j], run.q[j]);
  }
  for (Spread& spread : digest.spreads) {
    spread.mean /= static_cast<double>(spread.finite);
    if (spread.finite == 0) spread.min = spread.max = std::numeric_limits<double>::quiet_NaN();
  }
  if (digest.complete == 0) digest.spreads.clear();
  return digest;
}

}  // namespace dalembert::study
