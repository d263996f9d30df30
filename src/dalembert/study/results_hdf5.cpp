// results.h5. The only door to the HDF5 library.
//
// The library does not survive a disk that fills up: closing a file whose last bytes cannot be
// written may crash. So the space is asked for before the file is begun, and should a write fail
// all the same, the file is left open, nothing is closed, at the end of the program neither, and
// what was written is unlinked.
#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "dalembert/study/results.hpp"

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
  for (const std::string& name : q) v.push_back(name + "'");
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
  Writer(const Results& results, std::string partial)
      : results_(results), study_(results.study()), partial_(std::move(partial)) {}

  /// False, with errno as the system left it, if something could not be written.
  bool run() {
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    errno = 0;
    return begin() && write_texts() && write_runs() && (!study_.keep_samples || write_samples()) &&
           end();
  }

 private:
  bool begin() {
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    no_times_ = H5Pcreate(H5P_DATASET_CREATE);
    text_type_ = H5Tcopy(H5T_C_S1);
    if (H5Pset_obj_track_times(creation, false) < 0 ||
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
        H5Pset_obj_track_times(no_times_, false) < 0 || H5Tset_size(text_type_, H5T_VARIABLE) < 0 ||
        H5Tset_cset(text_type_, H5T_CSET_UTF8) < 0) {
      return false;
    }
    file_ = H5Fcreate(partial_.c_str(), H5F_ACC_TRUNC, creation, access);
    return file_ >= 0 && H5Pclose(creation) >= 0 && H5Pclose(access) >= 0;
  }

  bool end() {
    return H5Pclose(no_times_) >= 0 && H5Tclose(text_type_) >= 0 &&
           H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0 && H5Fclose(file_) >= 0;
  }

  bool attribute(hid_t object, const char* name, const std::vector<std::string>& texts,
                 bool scalar) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    const hsize_t size = texts.size();
    const hid_t space = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr);
    const hid_t attribute = H5Acreate2(object, name, text_type_, space, H5P_DEFAULT, H5P_DEFAULT);
    return attribute >= 0 &&
           H5Awrite(attribute, text_type_, static_cast<const void*>(pointers.data())) >= 0 &&
           H5Aclose(attribute) >= 0 && H5Sclose(space) >= 0;
  }

  hid_t create(const std::string& name, const std::string& description, hid_t type,
               const std::vector<hsize_t>& sizes, hid_t properties) {
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset =
        H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (dataset < 0 || H5Sclose(space) < 0) return -1;
    return attribute(dataset, "description", {description}, true) ? dataset : -1;
  }

  bool write_texts() {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t dataset =
        H5Dcreate2(file_, "study", text_type_, space, H5P_DEFAULT, no_times_, H5P_DEFAULT);
    // Where the model lay is no part of the results.
    const std::string text = identity(study_);
    const char* pointer = text.c_str();
    return dataset >= 0 && attribute(file_, "program", {study_.program}, true) &&
           attribute(file_, "name", {study_.plan.motion().model().name}, true) &&
           attribute(dataset, "description", {"what was studied, as in study.json"}, true) &&
           H5Dwrite(dataset, text_type_, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    static_cast<const void*>(&pointer)) >= 0 &&
           H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0;
  }

  /// Writes rows [first, first + count) of a dataset of one or two dimensions.
  static bool write_rows(hid_t dataset, hid_t type, std::uint64_t first, std::uint64_t count,
                         std::size_t width, bool two_dimensions, const void* data) {
    const hsize_t start[2] = {first, 0};
    const hsize_t size[2] = {count, width};
    const int rank = two_dimensions ? 2 : 1;
    const hid_t there = H5Dget_space(dataset);
    const hid_t here = H5Screate_simple(rank, size, nullptr);
    return H5Sselect_hyperslab(there, H5S_SELECT_SET, start, nullptr, size, nullptr) >= 0 &&
           H5Dwrite(dataset, type, here, there, H5P_DEFAULT, data) >= 0 && H5Sclose(here) >= 0 &&
           H5Sclose(there) >= 0;
  }

  bool write_runs() {
    std::vector<Counter> counters = counters_of();
    std::vector<Column> columns = columns_of(study_);
    const hsize_t runs = results_.size();
    for (Counter& counter : counters) {
      const bool small = counter.name == "status" || counter.name == "alone";
      counter.dataset = create(counter.name, counter.description,
                               small ? H5T_STD_U8LE : H5T_STD_U64LE, {runs}, no_times_);
      if (counter.dataset < 0) return false;
    }
    const hid_t reasons = create("reason", "why a run failed", text_type_, {runs}, no_times_);
    if (reasons < 0) return false;
    for (Column& column : columns) {
      std::vector<hsize_t> sizes{runs};
      if (!column.parts.empty()) sizes.push_back(column.width());
      column.dataset = create(column.name, column.description, H5T_IEEE_F64LE, sizes, no_times_);
      if (column.dataset < 0 ||
          (!column.parts.empty() && !attribute(column.dataset, "columns", column.parts, false)))
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
      if (!write_rows(counter.dataset, H5T_NATIVE_UINT64, first, count, 1, false,
                      counter.block.data()))
        return false;
    }
    for (const Column& column : columns) {
      if (!write_rows(column.dataset, H5T_NATIVE_DOUBLE, first, count, column.width(),
                      !column.parts.empty(), column.block.data()))
        return false;
    }
    return write_rows(reasons, text_type_, first, count, 1, false,
                      static_cast<const void*>(reason_pointers.data()));
  }

  bool write_times(hsize_t rows) {
    const hid_t dataset =
        create("sample_times", "when samples were taken, s", H5T_IEEE_F64LE, {rows}, no_times_);
    if (dataset < 0) return false;
    std::vector<double> times;
    for (hsize_t first = 0; first < rows; first += block_runs) {
      times.clear();
      for (hsize_t k = first; k < std::min(rows, first + block_runs); ++k)
        times.push_back(sample_time(study_, k));
      if (!write_rows(dataset, H5T_NATIVE_DOUBLE, first, times.size(), 1, false, times.data()))
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
    const hid_t properties = H5Pcopy(no_times_);
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (H5Pset_chunk(properties, 3, chunk) < 0 ||
        H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) < 0 ||
        H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &none) < 0)
      return false;
    const hid_t samples =
        create("samples", "[run][sample][column]; not a number after the end of a failed run",
               H5T_IEEE_F64LE, {results_.size(), rows, width}, properties);
    if (samples < 0 || !attribute(samples, "columns", names, false)) return false;
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
  std::string partial_;
  hid_t file_ = -1, no_times_ = -1, text_type_ = -1;
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
  const auto problem = [&](int reason) {
    return fmt::format("cannot write '{}': {}", path.string(),
                       reason != 0 ? std::strerror(reason) : "the HDF5 library refuses");
  };
  {
    const auto space = MemoryMap::scratch(path.parent_path(), bytes_needed(results));
    if (!space) return fmt::format("cannot write '{}': {}", path.string(), space.error());
  }
  const std::string partial =
      (path.parent_path() / ("." + path.filename().string() + ".partial")).string();
  const bool written = Writer(results, partial).run();
  int reason = errno;
  if (written) {
    const int file = ::open(partial.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = file >= 0 && ::fsync(file) == 0;
    if (file >= 0) ::close(file);
    if (synced && ::rename(partial.c_str(), path.c_str()) == 0) return std::nullopt;
    reason = errno;
  }
  ::unlink(partial.c_str());
  return problem(reason);
}

}  // namespace dalembert::study
