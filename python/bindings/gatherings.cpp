/// Studies whose runs are done elsewhere: what workers send back is a small journal, which is
/// checked, put into tables or added to the journal of a folder.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <csignal>
#include <cstring>
#include <memory>

#include "dalembert/report/output_file.hpp"
#include "dalembert/report/sweep.hpp"
#include "dalembert/study/parts/arithmetic.hpp"
#include "dalembert/study/parts/rebuilt.hpp"
#include "dalembert/study/storage/folder.hpp"
#include "dalembert/study/storage/results.hpp"
#include "dalembert/study/sweep.hpp"
#include "python/bindings/refusal.hpp"
#include "python/bindings/sweep_tables.hpp"

namespace dalembert::python {

namespace {

using Runs = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

[[noreturn]] void raise_os_error(const std::string& text) {
  PyErr_SetString(PyExc_OSError, text.c_str());
  throw nb::python_error();
}

/// The runs of a study that are done, and where what became of them goes.
class Gathering {
 public:
  /// In `folder`, whose journal grows; or in memory, where `folder` is empty.
  Gathering(const study::Study& study, const std::string& folder, bool resume) : study_(study) {
    if (folder.empty()) {
      given_.assign(study.runs, false);
      over_.assign(study.runs, false);
      return;
    }
    std::signal(SIGXFSZ, SIG_IGN);  // writing then fails with an error, which is raised
    std::error_code ignored;
    const bool there =
        std::filesystem::exists(std::filesystem::path(folder) / "study.json", ignored);
    auto opened = resume && there ? study::Folder::resume(folder, study)
                                  : study::Folder::create(folder, study);
    if (!opened) refuse(opened.error());
    folder_ = std::make_unique<study::Folder>(*std::move(opened));
    journal_ = std::make_unique<study::JournalWriter>(folder_->journal(), folder_->journal_name(),
                                                      folder_->journal_size());
    given_ = folder_->finished();
    over_ = given_;
    done_ = folder_->finished_count();
  }

  std::uint64_t done() const { return done_; }

  /// The next runs, at most so many, that are neither over nor handed out.
  std::vector<std::uint64_t> next(std::uint64_t count) {
    std::vector<std::uint64_t> runs;
    for (; next_ < study_.runs && runs.size() < count; ++next_) {
      if (!given_[next_]) runs.push_back(next_);
    }
    for (const std::uint64_t run : runs) given_[run] = true;
    return runs;
  }

  /// Takes what a worker sends of runs that it was given: all of them, each once, or nothing at all
  /// is taken. Returns how many were not known yet.
  std::uint64_t add(const nb::bytes& bytes, const Runs& runs) {
    const std::string text(bytes.c_str(), bytes.size());  // aligned, which bytes need not be
    const study::JournalShape shape = study::journal_shape(study_);
    std::size_t found = 0;
    bool fits = true;
    const auto extent = study::scan_journal(text, shape,
                                            [&](std::uint64_t, const study::RunRecord& record) {
                                              fits = fits && found < runs.size() &&
                                                     runs.data()[found] == record.run;
                                              ++found;
                                            },
                                            {});
    if (!extent || extent->end != text.size() || extent->damaged > 0 || !fits ||
        found != runs.size()) {
      refuse("a worker sent something other than the runs it was given");
    }
    std::uint64_t fresh = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!over_[runs.data()[i]]) ++fresh;
    }
    if (fresh == 0) return 0;
    if (journal_ && !journal_->append(std::string_view(text).substr(study::journal_header_size)))
      raise_os_error(
          fmt::format("{}; {} of {} runs are done and kept: make room, and sweep again "
                      "with resume=True",
                      *journal_->error(), done_, study_.runs));
    for (std::size_t i = 0; i < runs.size(); ++i) over_[runs.data()[i]] = true;
    done_ += fresh;
    return fresh;
  }

  void sync() {
    if (journal_ && !journal_->sync()) raise_os_error(*journal_->error());
  }

  /// results.h5, results.csv of a small study, summary.json.
  void write(double seconds, std::uint64_t now) {
    const auto results = open();
    study::SweepOutcome outcome;
    outcome.complete = true;
    outcome.seconds = seconds;
    outcome.done = now;
    const study::Digest digest = study::digest(*results);
    auto problem = study::write_hdf5(*results, folder_->path() / "results.h5");
    if (!problem && study_.runs <= report::small_study) {
      report::OutputFile csv(folder_->path() / "results.csv");
      if (!report::write_sweep_csv(csv, *results) || !csv.commit()) problem = csv.error();
    }
    if (!problem) {
      report::OutputFile summary(folder_->path() / "summary.json");
      summary.write(report::sweep_json(study_, outcome, done_ - now, &digest));
      if (!summary.commit()) problem = summary.error();
    }
    if (problem) {
      raise_os_error(
          fmt::format("{}; all runs are done and kept: sweep again with resume=True", *problem));
    }
  }

  /// Fills tables with what the folder has: all runs that are over.
  std::map<std::uint64_t, std::string> read(const Tables& tables) {
    const auto map = study::MemoryMap::content(folder_->journal(), folder_->journal_name());
    if (!map) raise_os_error(map.error());
    return fill(study_, tables, map->text());
  }

 private:
  expr::Result<study::Results, std::string> open() const {
    auto results = study::Results::open(study_, *folder_);
    if (!results) raise_os_error(results.error());
    return results;
  }

  const study::Study& study_;
  std::unique_ptr<study::Folder> folder_;
  std::unique_ptr<study::JournalWriter> journal_;
  std::vector<bool> given_, over_;
  std::uint64_t next_ = 0, done_ = 0;
};

/// The runs of a study as a journal of their own, and whether Ctrl-C came between.
nb::bytes entries(const study::Study& study, const Runs& runs, int threads, int lanes) {
  const std::vector<std::size_t> numbers(runs.data(), runs.data() + runs.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= study.runs || (i > 0 && numbers[i] <= numbers[i - 1]))
      refuse("runs must be numbers of the study, and increase");
  }
  std::atomic<bool> stop = false;
  study::SweepOptions options;
  options.threads = threads;
  options.lanes = lanes;
  options.stop = &stop;
  std::string text;
  if (run_interruptibly(stop, [&] { text = study::entries_of(study, numbers, options); }))
    throw nb::python_error();
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_gatherings(nb::module_& m) {
  m.def(
      "study_of",
      [](const std::string& manifest) {
        std::atomic<bool> ignored = false;
        std::optional<expr::Result<study::Study, std::string>> study;
        if (run_interruptibly(
                ignored, [&] { study.emplace(study::study_from_manifest(manifest, "a study")); }))
          throw nb::python_error();
        if (!*study) refuse(study->error());
        return std::make_unique<study::Study>(**std::move(study));
      },
      nb::arg("manifest"), "The study that a manifest describes.");
  m.def("entries_of", &entries, nb::arg("study"), nb::arg("runs"), nb::arg("threads"),
        nb::arg("lanes"));
  m.def("arithmetic", [] {
    const study::Arithmetic& a = study::arithmetic();
    return nb::make_tuple(a.name, a.probe);
  });
  m.def(
      "fill_tables",
      [](const study::Study& study, const nb::bytes& bytes, const TableArrays& arrays) {
        const Tables tables = tables_of(study, arrays);
        const std::string text(bytes.c_str(), bytes.size());
        return fill(study, tables, text);
      },
      nb::arg("study"), nb::arg("text"), nb::arg("tables"));
  m.def(
      "fill_rest",
      [](const study::Study& study, const TableArrays& arrays) {
        fill_rest(study, tables_of(study, arrays));
      },
      nb::arg("study"), nb::arg("tables"));
  nb::class_<Gathering>(m, "Gathering")
      .def(nb::init<const study::Study&, const std::string&, bool>(), nb::arg("study"),
           nb::arg("folder"), nb::arg("resume"), nb::keep_alive<1, 2>())
      .def_prop_ro("done", &Gathering::done)
      .def(
          "next",
          [](Gathering& self, std::uint64_t count) {
            auto* runs = new std::vector<std::uint64_t>(self.next(count));
            const nb::capsule owner(
                runs, [](void* p) noexcept { delete static_cast<std::vector<std::uint64_t>*>(p); });
            return nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>(runs->data(), {runs->size()},
                                                                      owner);
          },
          nb::arg("count"))
      .def("add", &Gathering::add, nb::arg("text"), nb::arg("runs"))
      .def("sync", &Gathering::sync)
      .def("write", &Gathering::write, nb::arg("seconds"), nb::arg("now"))
      .def(
          "read",
          [](Gathering& self, const study::Study& study, const TableArrays& arrays) {
            return self.read(tables_of(study, arrays));
          },
          nb::arg("study"), nb::arg("tables"));
}

}  // namespace dalembert::python
