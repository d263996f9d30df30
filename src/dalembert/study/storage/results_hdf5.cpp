// results.h5. Its space is asked for before it is begun, as the library does not survive a disk
// that fills up (hdf5_file.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dalembert/study/storage/hdf5_file.hpp"
#include "dalembert/study/storage/results.hpp"

namespace dalembert::study {

namespace {

constexpr std::uint64_t block_runs = 8192;          // written at once
constexpr std::uint64_t chunk_bytes = 256u << 10;   // of samples, about
constexpr std::uint64_t overhead_bytes = 1u << 20;  // of the format itself, more than it takes

/// A column of one number a run, or of a few that belong together.
struct Column {
  std::string name;
  std::string description;
  std::vector<std::string> parts;  ///< names of the numbers; empty: one number without a name
  std::function<void(std::uint64_t run, const RunRecord&, double* out)> fill;
  hid_t dataset = -1;
  std::vector<double> block = {};
  std::size_t width() const { return parts.empty() ? 1 : parts.size(); }
};

struct Counter {
  std::string name;
  std::string description;
  std::function<std::uint64_t(std::uint64_t run, const RunRecord&)> value;
  hid_t dataset = -1;
  std::vector<std::uint64_t> block = {};
};

void copy(std::span<const double> from, double* to) {
  std::copy(from.begin(), from.end(), to);
}

std::vector<Column> columns_of(const Study& study) {
  const std::vector<std::string>& q = study.plan.motion().model().coordinates;
  std::vector<std::string> varied;
  std::vector<std::string> v;
  std::vector<std::string> statistics;
  for (const Variation& variation : study.plan.variations()) varied.push_back(variation.name);
  for (const std::string& name : q) v.push_back(fmt::format("{}'", name));
  for (const Statistic& statistic : study.statistics) statistics.push_back(statistic.name);
  const std::size_t width = varied.size();
  std::vector<Column> columns;
  columns.push_back({"varied", "what varies, one column each", std::move(varied),
                     [&study, width](std::uint64_t run, const RunRecord&, double* out) {
                       study.plan.values(run, {out, width});
                     }});
  columns.push_back({"final_t",
                     "how far the run came, s",
                     {},
                     [](std::uint64_t, const RunRecord& r, double* out) { *out = r.t; }});
  columns.push_back({"final_q", "positions at final_t", q,
                     [](std::uint64_t, const RunRecord& r, double* out) { copy(r.q, out); }});
  columns.push_back({"final_v", "velocities at final_t", std::move(v),
                     [](std::uint64_t, const RunRecord& r, double* out) { copy(r.v, out); }});
  columns.push_back(
      {"largest_residual",
       "of the constraints, scaled, after projection",
       {},
       [](std::uint64_t, const RunRecord& r, double* out) { *out = r.largest_residual; }});
  columns.push_back(
      {"energy_change",
       "h(final_t) - h(0), energy",
       {},
       [](std::uint64_t, const RunRecord& r, double* out) { *out = r.energy_change; }});
  if (!statistics.empty()) {
    columns.push_back(
        {"statistics", "over the samples; not a number if the run failed", std::move(statistics),
         [](std::uint64_t, const RunRecord& r, double* out) { copy(r.statistics, out); }});
  }
  return columns;
}

std::vector<Counter> counters_of() {
  return {
      {"run", "number of the run", [](std::uint64_t run, const RunRecord&) { return run; }},
      {"status", "0 complete, 1 failed",
       [](std::uint64_t, const RunRecord& r) { return std::uint64_t{r.complete ? 0U : 1U}; }},
      {"alone", "1 if the run left its lane and was done by the general solver",
       [](std::uint64_t, const RunRecord& r) { return std::uint64_t{r.alone ? 1U : 0U}; }},
      {"steps", "accepted steps", [](std::uint64_t, const RunRecord& r) { return r.steps; }},
      {"rejected", "rejected steps", [](std::uint64_t, const RunRecord& r) { return r.rejected; }}};
}

class Writer {
 public:
  Writer(const Results& results, Hdf5File& file)
      : results_(results), study_(results.study()), file_(file) {}

  /// False, with errno as the system left it, if something could not be written.
  bool run() {
    return file_.create() && write_texts() && write_runs() &&
           (!study_.keep_samples || write_samples()) && file_.commit();
  }

 private:
  bool write_texts() {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t dataset = H5Dcreate2(file_.id(), "study", file_.text_type(), space, H5P_DEFAULT,
                                     file_.no_times(), H5P_DEFAULT);
    // Where the model lay is no part of the results.
    const std::string text = identity(study_);
    const char* pointer = text.c_str();
    return dataset >= 0 && file_.attribute(file_.id(), "program", {study_.program}, true) &&
           file_.attribute(file_.id(), "name", {study_.plan.motion().model().name}, true) &&
           file_.attribute(dataset, "description", {"what was studied, as in study.json"}, true) &&
           H5Dwrite(dataset, file_.text_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    static_cast<const void*>(&pointer)) >= 0 &&
           H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0;
  }

  bool write_runs() {
    std::vector<Counter> counters = counters_of();
    std::vector<Column> columns = columns_of(study_);
    const hsize_t runs = results_.size();
    for (Counter& counter : counters) {
      const bool small = counter.name == "status" || counter.name == "alone";
      counter.dataset =
          file_.dataset(counter.name, counter.description, small ? H5T_STD_U8LE : H5T_STD_U64LE,
                        {runs}, file_.no_times());
      if (counter.dataset < 0) return false;
    }
    const hid_t reasons =
        file_.dataset("reason", "why a run failed", file_.text_type(), {runs}, file_.no_times());
    if (reasons < 0) return false;
    for (Column& column : columns) {
      std::vector<hsize_t> sizes{runs};
      if (!column.parts.empty()) sizes.push_back(column.width());
      column.dataset =
          file_.dataset(column.name, column.description, H5T_IEEE_F64LE, sizes, file_.no_times());
      if (column.dataset < 0 || (!column.parts.empty() &&
                                 !file_.attribute(column.dataset, "columns", column.parts, false)))
        return false;
    }
    for (std::uint64_t first = 0; first < runs; first += block_runs) {
      if (!write_block(first, std::min<std::uint64_t>(block_runs, runs - first), counters, reasons,
                       columns))
        return false;
    }
    bool closed = H5Dclose(reasons) >= 0;
    for (const Counter& counter : counters) closed = H5Dclose(counter.dataset) >= 0 && closed;
    for (const Column& column : columns) closed = H5Dclose(column.dataset) >= 0 && closed;
    return closed;
  }

  bool write_block(std::uint64_t first, std::uint64_t count, std::vector<Counter>& counters,
                   hid_t reasons, std::vector<Column>& columns) {
    for (Counter& counter : counters) counter.block.resize(count);
    for (Column& column : columns) column.block.resize(count * column.width());
    std::vector<std::string> reason_texts(count);
    std::vector<const char*> reason_pointers(count, nullptr);
    for (std::uint64_t i = 0; i < count; ++i) {
      const RunRecord record = results_.run(first + i);
      for (Counter& counter : counters) counter.block[i] = counter.value(first + i, record);
      for (Column& column : columns)
        column.fill(first + i, record, column.block.data() + i * column.width());
      if (record.reason.empty()) continue;
      reason_texts[i] = record.reason;
      reason_pointers[i] = reason_texts[i].c_str();
    }
    for (const Counter& counter : counters) {
      if (!Hdf5File::write_rows(counter.dataset, H5T_NATIVE_UINT64, first, count, 1, false,
                                counter.block.data()))
        return false;
    }
    for (const Column& column : columns) {
      if (!Hdf5File::write_rows(column.dataset, H5T_NATIVE_DOUBLE, first, count, column.width(),
                                !column.parts.empty(), column.block.data()))
        return false;
    }
    return Hdf5File::write_rows(reasons, file_.text_type(), first, count, 1, false,
                                static_cast<const void*>(reason_pointers.data()));
  }

  bool write_times(hsize_t rows) {
    const hid_t dataset = file_.dataset("sample_times", "when samples were taken, s",
                                        H5T_IEEE_F64LE, {rows}, file_.no_times());
    if (dataset < 0) return false;
    std::vector<double> times;
    for (hsize_t first = 0; first < rows; first += block_runs) {
      times.clear();
      for (hsize_t k = first; k < std::min(rows, first + block_runs); ++k)
        times.push_back(sample_time(study_, k));
      if (!Hdf5File::write_rows(dataset, H5T_NATIVE_DOUBLE, first, times.size(), 1, false,
                                times.data()))
        return false;
    }
    return H5Dclose(dataset) >= 0;
  }

  bool write_samples() {
    const hsize_t rows = sample_count(study_);
    if (!write_times(rows)) return false;
    const std::vector<std::string> names = sample_columns(study_.plan.motion());
    const hsize_t width = names.size();
    const hsize_t row_bytes = width * sizeof(double);
    const hsize_t chunk_rows = std::clamp<hsize_t>(chunk_bytes / row_bytes, 1, rows);
    const hsize_t chunk_runs =
        std::clamp<hsize_t>(chunk_bytes / (chunk_rows * row_bytes), 1, results_.size());
    const hsize_t chunk[3] = {chunk_runs, chunk_rows, width};
    // All space is taken at once, in order: the bytes do not depend on the order of writing.
    const hid_t properties = H5Pcopy(file_.no_times());
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (H5Pset_chunk(properties, 3, chunk) < 0 ||
        H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) < 0 ||
        H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &none) < 0)
      return false;
    const hid_t samples = file_.dataset(
        "samples", "[run][sample][column]; not a number after the end of a failed run",
        H5T_IEEE_F64LE, {results_.size(), rows, width}, properties);
    if (samples < 0 || !file_.attribute(samples, "columns", names, false)) return false;
    bool fine = true;
    const hid_t there = H5Dget_space(samples);
    results_.for_each_block([&](const SampleBlock& block) {
      const hsize_t count = block.rows.size() / width;
      const hsize_t start[3] = {block.run, block.first, 0};
      const hsize_t size[3] = {1, count, width};
      if (!fine || block.first + count > rows) return;
      const hid_t here = H5Screate_simple(3, size, nullptr);
      fine =
          H5Sselect_hyperslab(there, H5S_SELECT_SET, start, nullptr, size, nullptr) >= 0 &&
          H5Dwrite(samples, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, block.rows.data()) >= 0 &&
          H5Sclose(here) >= 0;
    });
    return fine && H5Sclose(there) >= 0 && H5Dclose(samples) >= 0 && H5Pclose(properties) >= 0;
  }

  const Results& results_;
  const Study& study_;
  Hdf5File& file_;
};

/// What the file will take, at most.
std::uint64_t bytes_needed(const Results& results) {
  const Study& study = results.study();
  std::uint64_t per_run = 3 * 8 + 2 + 16;
  for (const Column& column : columns_of(study)) per_run += 8 * column.width();
  std::uint64_t reasons = 0;
  for (std::uint64_t i = 0; i < results.size(); ++i)
    reasons += results.run(i).reason.empty() ? 0 : results.run(i).reason.size() + 32;
  const std::uint64_t samples =
      study.keep_samples ? sample_count(study) * (8 * sample_columns(study.plan.motion()).size())
                         : 0;
  return results.size() * (per_run + samples) + reasons * 5 / 4 + 2 * manifest(study).size() +
         2 * chunk_bytes + overhead_bytes;
}

}  // namespace

std::optional<std::string> write_hdf5(const Results& results, const std::filesystem::path& path) {
  {
    const auto space = MemoryMap::scratch(path.parent_path(), bytes_needed(results));
    if (!space) return fmt::format("cannot write '{}': {}", path.string(), space.error());
  }
  Hdf5File file(path, path.parent_path() / fmt::format(".{}.partial", path.filename().string()));
  if (Writer(results, file).run()) return std::nullopt;
  return file.problem();
}

}  // namespace dalembert::study
