#include "python/bindings/sweep_tables.hpp"

#include <algorithm>
#include <limits>

#include "dalembert/study/storage/journal.hpp"
#include "python/bindings/refusal.hpp"

namespace dalembert::python {

void check_sizes(const study::Study& study, const Tables& tables) {
  const std::size_t runs = study.runs, n = study.plan.motion().coordinates();
  const auto is = [&](const Array2& a, std::size_t columns) {
    return a.shape(0) == runs && a.shape(1) == columns;
  };
  const bool kept = study.keep_samples;
  const bool fine =
      is(tables.values, study.plan.variations().size()) && is(tables.q, n) && is(tables.v, n) &&
      is(tables.statistics, study.statistics.size()) && tables.t.shape(0) == runs &&
      tables.state.shape(0) == runs && tables.alone.shape(0) == runs &&
      tables.steps.shape(0) == runs && tables.rejected.shape(0) == runs &&
      tables.residual.shape(0) == runs && tables.energy_change.shape(0) == runs &&
      tables.samples.shape(0) == (kept ? runs : 0) &&
      (!kept || (tables.samples.shape(1) == study::sample_count(study) &&
                 tables.samples.shape(2) == study::sample_columns(study.plan.motion()).size()));
  if (!fine) refuse("the tables are not of the sizes of the study");
}

Tables tables_of(const study::Study& study, const TableArrays& arrays) {
  const Tables tables = std::apply([](const auto&... array) { return Tables{array...}; }, arrays);
  check_sizes(study, tables);
  return tables;
}

std::map<std::uint64_t, std::string> fill(const study::Study& study, const Tables& tables,
                                          std::string_view journal) {
  std::map<std::uint64_t, std::string> reasons;
  const std::size_t n = study.plan.motion().coordinates(), k = study.plan.variations().size();
  const std::uint64_t rows = study.keep_samples ? study::sample_count(study) : 0;
  const std::size_t width = rows > 0 ? tables.samples.shape(2) : 0;
  const auto on_run = [&](std::uint64_t, const study::RunRecord& record) {
    const std::uint64_t run = record.run;
    if (run >= study.runs) return;
    study.plan.values(run, {tables.values.data() + run * k, k});
    std::ranges::copy(record.q, tables.q.data() + run * n);
    std::ranges::copy(record.v, tables.v.data() + run * n);
    std::ranges::copy(record.statistics, tables.statistics.data() + run * study.statistics.size());
    tables.t.data()[run] = record.t;
    tables.alone.data()[run] = record.alone ? 1 : 0;
    tables.steps.data()[run] = static_cast<std::int64_t>(record.steps);
    tables.rejected.data()[run] = static_cast<std::int64_t>(record.rejected);
    tables.residual.data()[run] = record.largest_residual;
    tables.energy_change.data()[run] = record.energy_change;
    tables.state.data()[run] = record.complete ? 1 : 2;
    if (!record.reason.empty()) reasons.emplace(run, record.reason);
  };
  const auto on_samples = [&](const study::SampleBlock& block) {
    if (block.run >= study.runs || rows == 0) return;
    const std::uint64_t count = block.rows.size() / width;
    if (block.first + count > rows) return;
    std::ranges::copy(block.rows, tables.samples.data() + (block.run * rows + block.first) * width);
  };
  study::scan_journal(journal, study::journal_shape(study), on_run, on_samples);
  return reasons;
}

void fill_rest(const study::Study& study, const Tables& tables) {
  const std::size_t k = study.plan.variations().size();
  const std::size_t size =
      study.keep_samples ? tables.samples.shape(1) * tables.samples.shape(2) : 0;
  for (std::uint64_t run = 0; run < study.runs; ++run) {
    if (tables.state.data()[run] != 0) continue;
    study.plan.values(run, {tables.values.data() + run * k, k});
    std::fill_n(tables.samples.data() + run * size, size, std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace dalembert::python
