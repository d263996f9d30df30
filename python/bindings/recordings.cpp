/// What was recorded, for Python: arrays, files, the page, forces of single constraints.

#include "python/bindings/recording.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <typeinfo>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/tape.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/state/turns.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/output_file.hpp"
#include "dalembert/report/page/page.hpp"

namespace dalembert::python {

namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// What the machine has at all, in bytes; more would be promised and then not be there.
double physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(pages) * static_cast<double>(size);
}

/// Does the work for every row, and raises what Ctrl-C does.
void for_each_row(const Table& table, const std::function<void(std::span<const double>)>& work) {
  std::atomic<bool> stop = false;
  const bool interrupted = run_interruptibly(stop, [&] {
    for (std::size_t i = 0; i < table.rows() && !stop; ++i) work(table.row(i));
  });
  if (interrupted) throw nb::python_error();
}

/// Solves the equations at every row and lets `write` note something of it in a row of `width`.
template <class Write>
nb::object at_rows(const Recording& self, std::size_t width, const Write& write) {
  if (model::has_instants(self.of.motion.model())) {
    throw nb::value_error(
        "of a motion with events, contacts or friction that sticks a row does not say which of "
        "them hold: write outputs with s.reaction(...), and see forces.ideal and forces.nonideal");
  }
  const report::TrajectoryRow layout(self.of.motion);
  const auto result = std::make_shared<Table>(self.table->rows(), width);
  motion::Evaluator evaluator(self.of.motion);
  motion::RecordedTurns turns(self.of.motion);
  std::vector<double> residuals;
  for_each_row(*self.table, [&](std::span<const double> row) {
    const motion::Sample sample = layout.read(row, residuals);
    const std::span<double> place = result->add();
    if (!turns.empty())
      evaluator.bind(self.of.motion.with_parameters(turns.parameters(sample.outputs)));
    if (evaluator.decide(sample.t, sample.q, sample.v, sample.mu) == motion::Status::ok) {
      write(evaluator, place);
    } else {
      std::ranges::fill(place, std::numeric_limits<double>::quiet_NaN());
    }
  });
  return array_of(result);
}

/// By the method `vakonomic` there are no multipliers of constraint forces.
Eigen::VectorXd multipliers_of(const motion::Motion& motion, motion::Evaluator& evaluator) {
  Eigen::VectorXd result = evaluator.solution().calc_multipliers();
  if (!motion::is_mechanical(motion.method()))
    result.setConstant(std::numeric_limits<double>::quiet_NaN());
  return result;
}

nb::object multipliers(const Recording& self) {
  return at_rows(self, self.of.motion.constraints(),
                 [&](motion::Evaluator& evaluator, std::span<double> place) {
                   const Eigen::VectorXd lambda = multipliers_of(self.of.motion, evaluator);
                   std::copy(lambda.begin(), lambda.end(), place.begin());
                 });
}

nb::object applied(const Recording& self) {
  return at_rows(self, self.of.motion.coordinates(),
                 [](motion::Evaluator& evaluator, std::span<double> place) {
                   std::copy(evaluator.Q().begin(), evaluator.Q().end(), place.begin());
                 });
}

/// A_j^T lambda_j.
nb::object share(const Recording& self, std::size_t constraint) {
  const auto& entries = self.of.motion.equations().A;
  return at_rows(self, self.of.motion.coordinates(),
                 [&](motion::Evaluator& evaluator, std::span<double> place) {
                   const double lambda = multipliers_of(
                       self.of.motion, evaluator)[static_cast<Eigen::Index>(constraint)];
                   const std::span<const double> A = evaluator.A_values();
                   std::ranges::fill(place, 0.0);
                   for (std::size_t k = 0; k < entries.size(); ++k) {
                     if (entries[k].row == constraint) place[entries[k].column] = A[k] * lambda;
                   }
                 });
}

/// An expression of what a row begins with: t, q, q', q'', ideal and non-ideal forces.
nb::object values_of(const Recording& self, const Expression& expression) {
  const mechanics::Equations& eq = self.of.motion.equations();
  std::vector<expr::Expr> inputs = motion::state_symbols(eq);
  for (const expr::Expr& q : eq.q) inputs.push_back(expr::coordinate(q.symbol().name, 2));
  for (const expr::Expr& q : eq.q) inputs.push_back(expr::ideal_force(q.symbol().name));
  for (const expr::Expr& q : eq.q) inputs.push_back(expr::nonideal_force(q.symbol().name));
  for (const expr::Expr& s : expr::symbols(std::span(&expression.e, 1))) {
    const auto is_it = [&](const expr::Expr& known) { return expr::same(known, s); };
    if (std::ranges::none_of(inputs, is_it) && std::ranges::none_of(eq.parameters, is_it)) {
      throw nb::value_error(
          fmt::format("{} is not recorded: {} has coordinates, their derivatives up to the second, "
                      "parameters, t, and forces ideal.x and nonideal.x",
                      expr::to_text(s), self.of.motion.model().name)
              .c_str());
    }
  }
  for (const std::size_t i : self.of.motion.model().discretes) {
    const model::Named& discrete = self.of.motion.model().parameters[i];
    if (expr::find_symbol(expression.e, [&](const expr::Symbol& s) {
          return s.kind == expr::SymbolKind::parameter && s.name == discrete.name;
        })) {
      throw nb::value_error(fmt::format("{} is changed by events and not recorded: make an output "
                                        "of it, s.outputs(...)",
                                        discrete.name)
                                .c_str());
    }
  }
  const codegen::Kernel kernel =
      codegen::interpreted(codegen::make_tape(std::vector{expression.e}, inputs, eq.parameters));
  codegen::Workspace workspace = kernel.workspace(self.of.motion.parameters());
  const report::TrajectoryRow layout(self.of.motion);
  motion::RecordedTurns turns(self.of.motion);
  std::vector<double> residuals;
  const auto result = std::make_shared<Table>(self.table->rows(), 1);
  for_each_row(*self.table, [&](std::span<const double> row) {
    if (!turns.empty())
      kernel.bind(workspace, 0, turns.parameters(layout.read(row, residuals).outputs));
    kernel.evaluate(workspace, row.first(inputs.size()), result->add());
  });
  return array_of(result);
}

/// What went wrong, or nothing.
std::optional<std::string> written_to(const std::filesystem::path& path, const Recording& self) {
  const InterpreterFree free;
  report::OutputFile file(path);
  report::TrajectoryWriter writer(file, self.of.motion);
  const report::TrajectoryRow layout(self.of.motion);
  std::vector<double> residuals;
  std::vector<long double> extended_residuals;
  for (std::size_t i = 0; i < self.table->rows(); ++i) {
    motion::Sample sample = layout.read(self.table->row(i), residuals);
    motion::ExtendedSample extended;
    if (self.extended) {
      extended = layout.read(std::span(*self.extended).subspan(i * layout.size(), layout.size()),
                             extended_residuals);
      sample.extended = &extended;
    }
    if (!writer.write(sample)) break;
  }
  if (!file.error()) static_cast<void>(file.commit());
  if (file.error()) return std::string(*file.error());
  return {};
}

/// The path is one of the file system: any bytes but 0.
void write_csv(const Recording& self, const nb::bytes& path) {
  const auto problem = written_to(std::string(path.c_str(), path.size()), self);
  if (!problem) return;
  const nb::object sentence = nb::steal(
      PyUnicode_DecodeFSDefaultAndSize(problem->c_str(), static_cast<Py_ssize_t>(problem->size())));
  if (sentence.is_valid()) PyErr_SetObject(PyExc_OSError, sentence.ptr());
  throw nb::python_error();
}

std::string page(const Recording& self) {
  const InterpreterFree free;
  const Table& table = *self.table;
  report::PageRecorder recorder(self.of.motion, static_cast<long>(table.rows()));
  recorder.set_start(self.start);
  const report::TrajectoryRow layout(self.of.motion);
  std::vector<double> residuals;
  for (std::size_t i = 0; i < table.rows(); ++i) recorder.add(layout.read(table.row(i), residuals));
  return report::page_html(report::page_data(self.of.motion, self.options, self.summary, recorder));
}

/// Everything but the table, in plain values, from which `restore` makes the same recording.
nb::dict state_of(const Recording& self) {
  const motion::Motion& motion = self.of.motion;
  const motion::SimulationOptions& options = self.options;
  nb::dict state;
  state["text"] = model::text_of(motion.model());
  state["file"] = motion.model().source ? motion.model().source->path : motion.model().name;
  state["method"] = std::string(motion::to_string(motion.method()));
  state["parameters"] = motion.parameters();
  state["names"] = self.of.names ? nb::make_tuple(self.of.names->system, self.of.names->id)
                                 : nb::make_tuple("", "");
  state["options"] = nb::make_tuple(
      options.duration, options.times, options.samples, options.rtol, options.atol,
      options.max_steps, std::string(motion::to_string(options.integrator)), options.max_step);
  if (self.extended) {
    state["extended"] = nb::bytes(reinterpret_cast<const char*>(self.extended->data()),
                                  self.extended->size() * sizeof(long double));
  }
  state["start"] = nb::make_tuple(self.start.q, self.start.v, self.start.mu);
  state["summary"] = report::summary_json(motion, options, self.summary);
  if (self.summary.has_instants) {
    nb::list events;
    for (const motion::EventRow& row : self.summary.events)
      events.append(nb::make_tuple(row.t, row.name, row.kind, row.impulse, row.rate_before,
                                   row.rate_after, row.energy));
    state["events"] = events;
    state["event_rows"] = options.event_rows;
  }
  return state;
}

template <class T>
T item(const nb::handle& tuple, std::size_t i) {
  return nb::cast<T>(tuple[i]);
}

using Numbers = std::vector<double>;

[[noreturn]] void not_a_state() {
  throw nb::value_error("this is not the state of a recording, or it is one of another model");
}

Recording restore(const nb::dict& state, const Rows& rows) {
  auto model = [text = nb::cast<std::string>(state["text"]),
                file = nb::cast<std::string>(state["file"])] {
    const InterpreterFree free;
    return model::read_model_text(text, file);
  }();
  motion::CompileOptions compile_options;
  compile_options.method = nb::cast<std::string>(state["method"]);
  auto compiled = [&, read = value_or_raise(std::move(model))]() mutable {
    const InterpreterFree free;
    return motion::compile(std::move(read), compile_options);
  }();
  const nb::object names = state["names"], given = state["options"], start = state["start"];
  const motion::Motion model_motion = value_or_raise(std::move(compiled));
  const auto parameters = nb::cast<Numbers>(state["parameters"]);
  if (parameters.size() != model_motion.parameters().size()) not_a_state();
  const motion::Motion motion = model_motion.with_parameters(parameters);
  motion::SimulationOptions options = motion::simulation_options(motion);
  options.duration = item<double>(given, 0);
  options.times = item<std::vector<double>>(given, 1);
  options.samples = item<long>(given, 2);
  options.rtol = item<double>(given, 3);
  options.atol = item<double>(given, 4);
  options.max_steps = item<long>(given, 5);
  options.integrator =
      motion::integrator_from_string(item<std::string>(given, 6)).value_or(motion::Integrator::rk8);
  if (nb::len(given) > 7) options.max_step = item<double>(given, 7);
  const std::size_t width = report::TrajectoryRow(motion).size();
  if (rows.shape(1) != width) {
    throw nb::value_error(fmt::format("{} columns were kept, and this version of dalembert records "
                                      "{} for this model",
                                      rows.shape(1), width)
                              .c_str());
  }
  const auto table = std::make_shared<Table>(rows.shape(0), width);
  for (std::size_t i = 0; i < rows.shape(0); ++i)
    std::copy_n(rows.data() + i * width, width, table->add().begin());
  motion::State from{0, item<Numbers>(start, 0), item<Numbers>(start, 1), item<Numbers>(start, 2)};
  const std::size_t n = motion.coordinates(), m = motion.constraints();
  if (from.q.size() != n || from.v.size() != n ||
      from.mu.size() != (motion::is_mechanical(motion.method()) ? 0 : m))
    not_a_state();
  auto summary = report::read_summary(nb::cast<std::string>(state["summary"]));
  if (!summary) not_a_state();
  if (state.contains("events")) {
    options.event_rows = nb::cast<bool>(state["event_rows"]);
    for (const nb::handle row : nb::cast<nb::list>(state["events"])) {
      summary->events.push_back({item<double>(row, 0), item<std::string>(row, 1),
                                 item<std::string>(row, 2), item<double>(row, 3),
                                 item<double>(row, 4), item<double>(row, 5), item<double>(row, 6)});
    }
  }
  std::shared_ptr<ExtendedTable> extended;
  options.precision = motion::Precision::standard;
  if (state.contains("extended")) {
    options.precision = motion::Precision::extended;
    const nb::bytes kept = nb::cast<nb::bytes>(state["extended"]);
    extended = std::make_shared<ExtendedTable>(rows.shape(0) * width);
    if (kept.size() != extended->size() * sizeof(long double)) not_a_state();
    std::memcpy(extended->data(), kept.c_str(), kept.size());
  }
  return {{motion, std::make_shared<Names>(
                       Names{item<std::string>(names, 1), item<std::string>(names, 0), {}})},
          std::move(options),
          std::move(from),
          *std::move(summary),
          table,
          std::move(extended)};
}

/// The same; what is not as `state_of` made it raises ValueError.
Recording checked_restore(const nb::object& state, const nb::object& rows) {
  Rows table;
  if (!nb::isinstance<nb::dict>(state) || !nb::try_cast(rows, table)) not_a_state();
  try {
    return restore(nb::borrow<nb::dict>(state), table);
  } catch (const std::bad_cast&) {
    not_a_state();
  }
}

const char* kind_of(const expr::Symbol& symbol) {
  switch (symbol.kind) {
    case expr::SymbolKind::parameter:
      return "parameter";
    case expr::SymbolKind::coordinate:
      return "coordinate";
    case expr::SymbolKind::time:
      return "time";
    case expr::SymbolKind::ideal_force:
      return "ideal";
    case expr::SymbolKind::nonideal_force:
      return "nonideal";
    case expr::SymbolKind::multiplier:
      return "multiplier";
    default:
      return "auxiliary";
  }
}

}  // namespace

Table::Table(std::size_t most_rows, std::size_t width) : most_(most_rows), width_(width) {
  const double bytes = 8.0 * static_cast<double>(most_rows) * static_cast<double>(width);
  const double memory = physical_memory();
  if (bytes > memory) {
    PyErr_SetString(PyExc_MemoryError,
                    fmt::format("{} rows of {} numbers take {:.3g} GB, and the machine has {:.3g} "
                                "GB; ask for fewer samples",
                                most_rows, width, bytes / 1e9, memory / 1e9)
                        .c_str());
    throw nb::python_error();
  }
  data_.reset(static_cast<double*>(std::malloc(std::max<std::size_t>(most_rows * width * 8, 8))));
  if (!data_) throw std::bad_alloc();
}

std::span<double> Table::add() {
  if (rows_ == most_) {
    const std::size_t most = 2 * most_ + 16;
    double* const old = data_.release();
    void* const larger = std::realloc(old, most * width_ * sizeof(double));
    data_.reset(larger == nullptr ? old : static_cast<double*>(larger));
    if (larger == nullptr) throw std::bad_alloc();
    most_ = most;
  }
  return {data_.get() + width_ * rows_++, width_};
}

void Table::shrink() {
  double* const old = data_.release();
  void* const smaller =
      std::realloc(old, std::max<std::size_t>(rows_ * width_ * sizeof(double), 8));
  data_.reset(smaller == nullptr ? old : static_cast<double*>(smaller));
  if (smaller != nullptr) most_ = rows_;
}

nb::object array_of(const std::shared_ptr<const Table>& table) {
  using Owner = std::shared_ptr<const Table>;
  const nb::capsule owner(new Owner(table),
                          [](void* kept) noexcept { delete static_cast<Owner*>(kept); });
  return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<2>>(
      table->data(), {table->rows(), table->width()}, owner));
}

void bind_recordings(nb::module_& m) {
  nb::class_<Recording>(m, "Recording", "The rows of one motion and how they came about.")
      .def_prop_ro("array", [](const Recording& self) { return array_of(self.table); })
      .def_prop_ro("motion", [](const Recording& self) { return self.of; })
      .def_prop_ro("columns",
                   [](const Recording& self) {
                     nb::list columns;
                     for (const report::Column& column : report::trajectory_columns(self.of.motion))
                       columns.append(nb::make_tuple(column.name,
                                                     std::string(report::to_string(column.group))));
                     return columns;
                   })
      .def_prop_ro("coordinates",
                   [](const Recording& self) { return self.of.motion.model().coordinates; })
      .def_prop_ro("constraints",
                   [](const Recording& self) { return self.of.motion.constraint_names(); })
      .def_prop_ro("joints",
                   [](const Recording& self) {
                     std::vector<std::string> names;
                     for (const auto& joint : self.of.motion.model().joints)
                       names.push_back(joint.name);
                     return names;
                   })
      .def_prop_ro("name", [](const Recording& self) { return self.of.motion.model().name; })
      .def("state", &state_of)
      .def_static("restore", &checked_restore, nb::arg("state").none(), nb::arg("rows").none())
      .def("multipliers", &multipliers)
      .def("applied", &applied)
      .def("share", &share, nb::arg("constraint"))
      .def("values_of", &values_of, nb::arg("expression"))
      .def("write_csv", &write_csv, nb::arg("path"))
      .def("page", &page);
  m.def(
      "symbol_of",
      [](const Expression& expression) {
        const bool is_symbol = expression.e.is(expr::Op::symbol);
        return nb::make_tuple(is_symbol ? kind_of(expression.e.symbol()) : "",
                              is_symbol ? expr::to_text(expression.e) : "");
      },
      nb::arg("expression"), nb::sig("def symbol_of(expression: Expr) -> tuple[str, str]"),
      "What a symbol is, 'coordinate' (a rate too), 'parameter', 'time', 'ideal', 'nonideal',\n"
      "'multiplier' or 'auxiliary', and its text; two empty texts for what is no symbol.");
  m.def(
      "latex_of_name",
      [](const std::string& name, int primes) {
        return expr::to_latex(expr::coordinate(name, primes));
      },
      nb::arg("name"), nb::arg("primes"), "A coordinate or one of its derivatives as LaTeX.");
}

}  // namespace dalembert::python
