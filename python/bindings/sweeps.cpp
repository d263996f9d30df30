/// Many motions: a study in memory. Its numbers are those of the command `sweep`, to the last bit.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>

#include "dalembert/expr/print.hpp"
#include "dalembert/study/ensemble_device.hpp"
#include "python/bindings/refusal.hpp"
#include "python/bindings/study_request.hpp"
#include "python/bindings/sweep_tables.hpp"

namespace dalembert::python {

namespace {

constexpr std::size_t batch_size = 262144;  // runs handed over at once
constexpr std::chrono::milliseconds tell_every(100);
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Calls a Python function now and then, in the thread that holds the interpreter.
class Teller {
 public:
  Teller(const nb::object& function, std::uint64_t runs, const std::atomic<std::uint64_t>& done)
      : function_(function), runs_(runs), done_(done) {}

  bool wanted() const { return !function_.is_none(); }

  /// False where the function raised: the Python error is then set.
  bool tell_if_due() {
    const auto now = std::chrono::steady_clock::now();
    const std::uint64_t done = done_;
    if (now < next_ || done == told_) return true;
    next_ = now + tell_every;
    told_ = done;
    const InPython python;
    try {
      function_(done, runs_);
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
    return true;
  }

 private:
  const nb::object& function_;
  const std::uint64_t runs_;
  const std::atomic<std::uint64_t>& done_;
  std::uint64_t told_ = 0;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + tell_every;
};

/// Receives samples and ends of runs. Calls for one run come one after the other and write to its
/// own rows, so they need no lock.
class Receiver {
 public:
  Receiver(const study::Study& study, const Tables& tables)
      : study_(study),
        tables_(tables),
        n_(study.plan.motion().coordinates()),
        columns_(study::sample_columns(study.plan.motion()).size()),
        rows_(study.keep_samples ? study::sample_count(study) : 0) {}

  void begin(std::span<const std::size_t> runs) {
    first_ = runs.front();
    accumulators_.assign(runs.size() * study_.statistics.size(), {});
    counts_.assign(runs.size(), 0);
  }

  void on_sample(std::size_t run, const study::EnsembleSample& sample) {
    thread_local std::vector<double> row;
    row.resize(columns_);
    study::write_row(sample, row);
    study::Accumulator* sums = accumulators_of(run);
    for (std::size_t j = 0; j < study_.statistics.size(); ++j) {
      const study::Statistic& statistic = study_.statistics[j];
      if (!statistic.of_derivative) sums[j].add(statistic.reduction, row[statistic.column]);
    }
    std::size_t& count = counts_[run - first_];
    if (count < rows_)
      std::copy(row.begin(), row.end(), tables_.samples.data() + (run * rows_ + count) * columns_);
    ++count;
  }

  /// False where `stop` came before all of the run was known.
  bool on_finished(std::size_t run, const study::Outcome& outcome,
                   const study::EnsembleOptions& options) {
    std::string reason = outcome.reason;
    if (outcome.q.size() == n_)
      std::copy(outcome.q.begin(), outcome.q.end(), tables_.q.data() + run * n_);
    if (outcome.v.size() == n_)
      std::copy(outcome.v.begin(), outcome.v.end(), tables_.v.data() + run * n_);
    if (outcome.complete) {
      const study::Accumulator* sums = accumulators_of(run);
      double* place = tables_.statistics.data() + run * study_.statistics.size();
      for (std::size_t j = 0; j < study_.statistics.size(); ++j)
        place[j] = outcome.statistics.empty() ? sums[j].result(study_.statistics[j].reduction)
                                              : outcome.statistics[j];
      if (study_.sensitivities) {
        reason = study_.sensitivities->fill(study_.plan, run, options.simulation, options.stop,
                                            study_.statistics, {place, study_.statistics.size()});
        if (*options.stop) return false;
      }
    }
    tables_.t.data()[run] = outcome.t;
    tables_.alone.data()[run] = outcome.alone ? 1 : 0;
    tables_.steps.data()[run] = outcome.steps;
    tables_.rejected.data()[run] = outcome.rejected;
    tables_.residual.data()[run] = outcome.largest_residual;
    tables_.energy_change.data()[run] = outcome.energy_change;
    tables_.state.data()[run] = outcome.complete ? 1 : 2;
    if (outcome.complete && reason.empty()) return true;
    const std::lock_guard lock(mutex_);
    reasons_.emplace(run, reason);
    return true;
  }

  /// Samples of runs that were broken off are none.
  void forget_unfinished() {
    const std::size_t size = rows_ * columns_;
    const std::size_t end = first_ + counts_.size();  // of those that were begun
    for (std::size_t run = first_; size > 0 && run < end; ++run) {
      if (tables_.state.data()[run] == 0)
        std::fill_n(tables_.samples.data() + run * size, size, not_a_number);
    }
  }

  const std::map<std::uint64_t, std::string>& reasons() const { return reasons_; }

 private:
  study::Accumulator* accumulators_of(std::size_t run) {
    return accumulators_.data() + (run - first_) * study_.statistics.size();
  }

  const study::Study& study_;
  const Tables& tables_;
  const std::size_t n_, columns_, rows_;
  std::size_t first_ = 0;
  std::vector<study::Accumulator> accumulators_;
  std::vector<std::size_t> counts_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> reasons_;
};

/// Does all runs. Returns whether Ctrl-C ended it, and why runs failed, by number.
std::pair<bool, std::map<std::uint64_t, std::string>> run_study(const study::Study& study,
                                                                const Tables& tables, int threads,
                                                                int lanes,
                                                                study::DeviceEnsemble* device,
                                                                const nb::object& progress) {
  check_sizes(study, tables);
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> done = 0;
  study::EnsembleOptions options;
  options.simulation = study.simulation;
  options.threads = threads;
  options.lanes = lanes;
  options.stop = &stop;
  Receiver receiver(study, tables);
  Teller teller(progress, study.runs, done);
  std::function<bool()> meanwhile;
  if (teller.wanted()) meanwhile = [&] { return teller.tell_if_due(); };
  const study::Prepare prepare = [&](std::size_t run) { return study.plan.prepare(run); };
  study::OnSample on_sample;
  if (study::is_sampled(study)) {
    on_sample = [&](std::size_t run, const study::EnsembleSample& sample) {
      receiver.on_sample(run, sample);
    };
  }
  const study::OnFinished on_finished = [&](std::size_t run, const study::Outcome& outcome) {
    if (receiver.on_finished(run, outcome, options)) ++done;
  };
  const auto work = [&] {
    const std::size_t k = study.plan.variations().size();
    for (std::uint64_t run = 0; run < study.runs && !stop; ++run)
      study.plan.values(run, {tables.values.data() + run * k, k});
    std::vector<std::size_t> runs;
    for (std::uint64_t next = 0; next < study.runs && !stop;) {
      runs.clear();
      for (; next < study.runs && runs.size() < batch_size; ++next) runs.push_back(next);
      receiver.begin(runs);
      if (device != nullptr) {
        device->run(runs, prepare, on_sample, on_finished, options);
      } else {
        study::run_ensemble(study.plan.motion(), runs, prepare, on_sample, on_finished, options);
      }
    }
    if (done < study.runs) receiver.forget_unfinished();
  };
  const bool interrupted = run_interruptibly(stop, work, meanwhile);
  if (interrupted) {
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) throw nb::python_error();
    PyErr_Clear();
  }
  return {interrupted, receiver.reasons()};
}

/// The name of a symbol as a study knows it: "m", "theta", "theta'".
std::string symbol_name(const Expression& e, const NamesPointer& names) {
  check_owner(e, names);
  if (!e.e.is(expr::Op::symbol))
    refuse(fmt::format("a parameter, a coordinate or a velocity is needed, not '{}'",
                       expr::to_text(e.e, 60)));
  return expr::to_text(e.e);
}

std::vector<double> sample_times(const study::Study& study) {
  std::vector<double> times(study::sample_count(study));
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = study::sample_time(study, k);
  return times;
}

}  // namespace

void bind_sweeps(nb::module_& m) {
  using study::Study;
  nb::class_<study::DeviceEnsemble>(m, "Device")
      .def_prop_ro("name", &study::DeviceEnsemble::name)
      .def_prop_ro("done", &study::DeviceEnsemble::done)
      .def_prop_ro("left", &study::DeviceEnsemble::left)
      .def_prop_ro("seconds", &study::DeviceEnsemble::seconds);
  m.def(
      "device_for",
      [](const Study& study) {
        auto made = study::DeviceEnsemble::make(study);
        if (!made) refuse(made.error());
        return *std::move(made);
      },
      nb::arg("study"), nb::keep_alive<0, 1>());
  nb::class_<Study>(m, "Study")
      .def(
          "__init__",
          [](Study* self, const PyModel& model, const std::map<std::string, std::string>& settings,
             const std::optional<std::string>& method, const std::vector<std::string>& vary,
             std::uint64_t seed, const std::vector<std::string>& statistics,
             const std::vector<std::string>& sensitivity, std::optional<std::string> runs,
             std::optional<std::string> duration, std::optional<std::string> samples,
             std::vector<double> times, std::optional<std::string> rtol,
             std::optional<std::string> atol, std::optional<std::string> max_step,
             std::optional<std::string> integrator) {
            const Wishes wishes{std::move(runs),       std::move(duration), std::move(samples),
                                std::move(rtol),       std::move(atol),     std::move(max_step),
                                std::move(integrator), std::move(times)};
            new (self) Study(
                make_study(model, settings, method, vary, seed, wishes, statistics, sensitivity));
          },
          nb::arg("model"), nb::arg("settings"), nb::arg("method").none(), nb::arg("vary"),
          nb::arg("seed"), nb::arg("statistics"), nb::arg("sensitivity"), nb::arg("runs").none(),
          nb::arg("duration").none(), nb::arg("samples").none(), nb::arg("times"),
          nb::arg("rtol").none(), nb::arg("atol").none(), nb::arg("max_step").none(),
          nb::arg("integrator").none())
      .def_ro("runs", &Study::runs)
      .def_ro("keep_samples", &Study::keep_samples)
      .def_prop_ro("name", [](const Study& self) { return self.plan.motion().model().name; })
      .def_prop_ro("coordinates",
                   [](const Study& self) { return self.plan.motion().model().coordinates; })
      .def_prop_ro("columns",
                   [](const Study& self) { return study::sample_columns(self.plan.motion()); })
      .def_prop_ro("statistics",
                   [](const Study& self) {
                     std::vector<std::string> names;
                     for (const auto& statistic : self.statistics) names.push_back(statistic.name);
                     return names;
                   })
      .def_prop_ro(
          "varied",
          [](const Study& self) {
            std::vector<std::pair<std::string, std::uint64_t>> result;
            for (const auto& v : self.plan.variations())
              result.emplace_back(v.name, study::is_random(v) ? 0 : v.count);
            return result;
          },
          "Names, each with the number of its values; 0 where it is drawn at random.")
      .def_prop_ro("sample_count", [](const Study& self) { return study::sample_count(self); })
      .def_prop_ro("sample_times", [](const Study& self) { return sample_times(self); })
      .def_prop_ro("manifest", [](const Study& self) { return study::identity(self); })
      .def(
          "run",
          [](const Study& self, const Array2& values, const Array1<double>& t, const Array2& q,
             const Array2& v, const Array1<std::uint8_t>& state, const Array1<std::uint8_t>& alone,
             const Array1<std::int64_t>& steps, const Array1<std::int64_t>& rejected,
             const Array1<double>& residual, const Array1<double>& energy_change,
             const Array2& statistics, const Array3& samples, int threads, int lanes,
             study::DeviceEnsemble* device, const nb::object& progress) {
            const Tables tables{values,     t,      q,        v,        state,
                                alone,      steps,  rejected, residual, energy_change,
                                statistics, samples};
            return run_study(self, tables, threads, lanes, device, progress);
          },
          nb::arg("values"), nb::arg("t"), nb::arg("q"), nb::arg("v"), nb::arg("state"),
          nb::arg("alone"), nb::arg("steps"), nb::arg("rejected"), nb::arg("residual"),
          nb::arg("energy_change"), nb::arg("statistics"), nb::arg("samples"), nb::arg("threads"),
          nb::arg("lanes"), nb::arg("device").none(), nb::arg("progress").none());
  m.def(
      "model_of",
      [](const PyMotion& self) {
        return PyModel{std::make_shared<const model::Model>(self.motion.model()), self.names};
      },
      nb::arg("motion"));
  m.def("symbol_name", &symbol_name, nb::arg("expression"), nb::arg("names").none());
  m.def(
      "text_of",
      [](const Expression& e, const NamesPointer& names) {
        check_owner(e, names);
        return expr::to_text(e.e);
      },
      nb::arg("expression"), nb::arg("names").none());
}

}  // namespace dalembert::python
