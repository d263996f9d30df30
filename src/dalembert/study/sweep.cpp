#include "dalembert/study/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "dalembert/study/ensemble.hpp"

namespace dalembert::study {

namespace {

constexpr std::size_t batch_size = 262144;      // runs handed over at once
constexpr std::size_t block_bytes = 64u << 10;  // of samples, before they go to the journal

/// Takes an entry of the journal. False: it could not be kept.
using AppendEntry = std::function<bool(std::size_t run, std::string_view entry)>;

/// What is gathered of a run under way.
struct Progress {
  std::vector<double> rows;  ///< not in the journal yet
  std::uint64_t first = 0;   ///< number of the first of them
  std::uint64_t count = 0;   ///< rows in all
};

/// Receives the samples and the ends of a batch of runs. Calls for one run come one after the
/// other, so its own entries need no lock.
class Batch {
 public:
  Batch(const Study& study, const AppendEntry& append, std::span<const std::size_t> runs,
        const std::atomic<bool>* stop)
      : study_(study),
        append_(append),
        runs_(runs),
        stop_(stop),
        columns_(sample_columns(study.plan.motion()).size()),
        accumulators_(runs.size() * study.statistics.size()),
        progress_(is_sampled(study) ? runs.size() : 0) {}

  bool on_sample(std::size_t run, const EnsembleSample& sample) {
    const std::size_t slot = slot_of(run);
    Progress& progress = progress_[slot];
    thread_local std::vector<double> row;
    row.resize(columns_);
    write_row(sample, row);
    for (std::size_t j = 0; j < study_.statistics.size(); ++j) {
      const Statistic& statistic = study_.statistics[j];
      if (!statistic.of_derivative)
        accumulator(slot, j).add(statistic.reduction, row[statistic.column]);
    }
    ++progress.count;
    if (!study_.keep_samples) return true;
    progress.rows.insert(progress.rows.end(), row.begin(), row.end());
    if (progress.rows.size() * sizeof(double) < block_bytes) return true;
    return write_samples(run, progress);
  }

  bool on_finished(std::size_t run, const Outcome& outcome) {
    const std::size_t slot = slot_of(run);
    const std::size_t n = study_.plan.motion().coordinates();
    thread_local std::vector<double> numbers;
    numbers.assign(2 * n + study_.statistics.size(), std::numeric_limits<double>::quiet_NaN());
    if (outcome.q.size() == n) std::copy(outcome.q.begin(), outcome.q.end(), numbers.begin());
    if (outcome.v.size() == n)
      std::copy(outcome.v.begin(), outcome.v.end(), numbers.begin() + static_cast<long>(n));
    if (outcome.complete) {
      for (std::size_t j = 0; j < study_.statistics.size(); ++j) {
        const Statistic& statistic = study_.statistics[j];
        if (statistic.of_derivative) continue;
        numbers[2 * n + j] = outcome.statistics.empty()
                                 ? accumulator(slot, j).result(statistic.reduction)
                                 : outcome.statistics[j];
      }
    }
    std::string lost;  // why derivatives are
    if (outcome.complete && study_.sensitivities) {
      lost = study_.sensitivities->fill(study_.plan, run, study_.simulation, stop_,
                                        study_.statistics, std::span(numbers).subspan(2 * n));
      if (stop_ != nullptr && *stop_) return false;
    }
    RunRecord record;
    record.run = run;
    record.complete = outcome.complete;
    record.alone = outcome.alone;
    record.steps = static_cast<std::uint64_t>(outcome.steps);
    record.rejected = static_cast<std::uint64_t>(outcome.rejected);
    record.t = outcome.t;
    record.largest_residual = outcome.largest_residual;
    record.energy_change = outcome.energy_change;
    record.q = std::span(numbers).first(n);
    record.v = std::span(numbers).subspan(n, n);
    record.statistics = std::span(numbers).subspan(2 * n);
    record.reason = outcome.complete ? lost : outcome.reason;
    if (study_.keep_samples) {
      Progress& progress = progress_[slot];
      record.rows = progress.count;
      if (!progress.rows.empty() && !write_samples(run, progress)) return false;
      progress.rows = {};
    }
    thread_local std::string entry;
    entry.clear();
    append_entry(entry, record);
    return append_(run, entry);
  }

 private:
  std::size_t slot_of(std::size_t run) const {
    const std::size_t offset = run - runs_.front();
    if (offset < runs_.size() && runs_[offset] == run) return offset;
    return static_cast<std::size_t>(std::lower_bound(runs_.begin(), runs_.end(), run) -
                                    runs_.begin());
  }

  Accumulator& accumulator(std::size_t slot, std::size_t j) {
    return accumulators_[slot * study_.statistics.size() + j];
  }

  bool write_samples(std::size_t run, Progress& progress) {
    thread_local std::string entry;
    entry.clear();
    append_entry(entry, SampleBlock{run, progress.first, progress.rows});
    progress.first = progress.count;
    progress.rows.clear();
    return append_(run, entry);
  }

  const Study& study_;
  const AppendEntry& append_;
  std::span<const std::size_t> runs_;
  const std::atomic<bool>* stop_;
  std::size_t columns_;
  std::vector<Accumulator> accumulators_;
  std::vector<Progress> progress_;
};

void do_runs(const Study& study, std::span<const std::size_t> runs, const EnsembleOptions& ensemble,
             DeviceEnsemble* device, const AppendEntry& append,
             const std::function<void()>& on_end) {
  Batch batch(study, append, runs, ensemble.stop);
  const Prepare prepare = [&](std::size_t run) { return study.plan.prepare(run); };
  OnSample on_sample;
  if (is_sampled(study)) {
    on_sample = [&](std::size_t run, const EnsembleSample& sample) {
      batch.on_sample(run, sample);
    };
  }
  const OnFinished on_finished = [&](std::size_t run, const Outcome& outcome) {
    if (batch.on_finished(run, outcome) && on_end) on_end();
  };
  if (device != nullptr) {
    device->run(runs, prepare, on_sample, on_finished, ensemble);
  } else {
    run_ensemble(study.plan.motion(), runs, prepare, on_sample, on_finished, ensemble);
  }
}

}  // namespace

std::string entries_of(const Study& study, std::span<const std::size_t> runs,
                       const SweepOptions& options) {
  EnsembleOptions ensemble;
  ensemble.simulation = study.simulation;
  ensemble.threads = options.threads;
  ensemble.lanes = options.lanes;
  ensemble.stop = options.stop;
  std::vector<std::string> texts(runs.size());
  const auto append = [&](std::size_t run, std::string_view entry) {
    texts[static_cast<std::size_t>(std::ranges::lower_bound(runs, run) - runs.begin())] += entry;
    return true;
  };
  do_runs(study, runs, ensemble, options.device, append, {});
  std::string text = journal_header(journal_shape(study));
  for (const std::string& entries : texts) text += entries;
  return text;
}

SweepOutcome sweep(const Study& study, const Folder& folder, const SweepOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  JournalWriter journal(folder.journal(), folder.journal_name(), folder.journal_size());
  std::atomic<bool> own_stop = false;
  std::atomic<bool>& stop = options.stop != nullptr ? *options.stop : own_stop;
  std::atomic<std::uint64_t> done = 0;

  EnsembleOptions ensemble;
  ensemble.simulation = study.simulation;
  ensemble.threads = options.threads;
  ensemble.lanes = options.lanes;
  ensemble.stop = &stop;
  const AppendEntry append = [&](std::size_t, std::string_view entry) {
    if (journal.append(entry)) return true;
    stop = true;
    return false;
  };
  const auto tell = [&] {
    const std::uint64_t count = ++done;
    if (options.progress) options.progress(count);
  };

  std::vector<std::size_t> runs;
  const Shard& shard = options.shard;
  std::uint64_t next = shard.number - 1;
  while (!stop) {
    runs.clear();
    for (; next < study.runs && runs.size() < batch_size; next += shard.of) {
      if (!folder.finished()[next]) runs.push_back(next);
    }
    if (runs.empty()) break;
    do_runs(study, runs, ensemble, options.device, append, tell);
  }
  journal.sync();
  SweepOutcome outcome;
  outcome.done = done;
  outcome.error = journal.error();
  outcome.complete = !outcome.error && folder.finished_count() + done == shard.count(study.runs);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace dalembert::study
