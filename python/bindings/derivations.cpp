/// Derivations, checks and what they prove.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/mechanics/formulations/linear_system.hpp"
#include "dalembert/report/check.hpp"
#include "dalembert/report/derivation/derivation.hpp"
#include "dalembert/report/derivation/words.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

namespace {

using mechanics::Formulation;
using mechanics::FormulationInfo;
using Settings = std::map<std::string, std::string>;
// As the stub shows them.
using Equalities = nb::typed<nb::list, Equality>;
using AnyTuple = nb::typed<nb::tuple, nb::any, nb::ellipsis>;
using AnyTuples = nb::typed<nb::list, AnyTuple>;
using AnyDict = nb::typed<nb::dict, nb::str, nb::any>;
using AnyDicts = nb::typed<nb::list, AnyDict>;

/// Work whose answer is an error or a value: what `work` returns.
template <class Work>
using Answer = decltype(std::declval<Work>()());

/// Does algebra that may take long: Ctrl-C ends it, and so does an effort that is spent.
template <class Work>
Answer<Work> with_effort(const std::optional<double>& most, const Work& work) {
  std::atomic<bool> stop = false;
  std::optional<Answer<Work>> answer;
  const bool interrupted = run_interruptibly(stop, [&] {
    try {
      const expr::Effort until_stopped(stop);
      std::optional<expr::Effort> bound;
      if (most) bound.emplace(*most);
      answer.emplace(work());
    } catch (const expr::Effort::Spent&) {
      answer.reset();
    }
  });
  if (interrupted) throw nb::python_error();
  if (!answer) {
    const nb::object type = nb::module_::import_("dalembert.derivation").attr("EffortSpent");
    const std::string sentence = fmt::format(
        "the equations are not derived with an effort of {:g}; allow more, or leave effort out",
        most.value_or(0));
    PyErr_SetString(type.ptr(), sentence.c_str());
    throw nb::python_error();
  }
  return *std::move(answer);
}

/// A formulation by its name; null for all of them.
const FormulationInfo* formulation_named(const std::optional<std::string>& name) {
  if (!name || *name == "all") return nullptr;
  if (const FormulationInfo* info = mechanics::find_formulation(*name)) return info;
  std::vector<std::string> known;
  for (const auto& f : mechanics::formulations()) known.emplace_back(f.name);
  const std::string meant = expr::did_you_mean(*name, known);
  throw nb::value_error(
      fmt::format("no formulation '{}'{}", *name,
                  meant.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : meant)
          .c_str());
}

model::Result<motion::Motion, model::ModelError> compiled(const PyModel& model,
                                                          const Settings& settings) {
  motion::CompileOptions options;
  options.settings = settings;
  options.method = "m-inverse";
  return motion::compile(*model.model, options);
}

struct Part {
  const FormulationInfo* info;
  expr::Result<Formulation, std::string> formulation;
};

/// A model in one formulation or in all. `setting` points into `motion`.
struct Derived {
  motion::Motion motion;
  mechanics::Setting setting;
  std::vector<Part> parts;
  NamesPointer names;
  std::optional<double> effort;

  Expression of(const expr::Expr& e) const { return {e, names}; }

  const Formulation& formulation(std::size_t i) const {
    if (i >= parts.size() || !parts[i].formulation)
      throw nb::index_error("no formulation of this number");
    return *parts[i].formulation;
  }
};
using DerivedPointer = std::shared_ptr<const Derived>;

DerivedPointer derive(const PyModel& model, const Settings& settings,
                      const std::optional<std::string>& method,
                      const std::optional<double>& effort) {
  using Outcome = model::Result<DerivedPointer, model::ModelError>;
  const FormulationInfo* only = formulation_named(method);
  return value_or_raise(with_effort(effort, [&]() -> Outcome {
    auto motion = compiled(model, settings);
    if (!motion) return model::Failure{motion.error()};
    const auto start = motion::initial_state(*motion);
    const auto written = motion->written_initial_state();
    if (!written) return model::Failure{written.error()};
    auto setting = report::setting_near(*motion, start ? start->state : *written);
    if (!setting) return model::Failure{model::error_in(motion->model(), setting.error())};
    std::vector<Part> parts;
    for (const FormulationInfo& info : mechanics::formulations()) {
      if (only == nullptr || only == &info) parts.push_back({&info, info.derive(*setting)});
    }
    if (only != nullptr && !parts.front().formulation)
      return model::Failure{model::error_in(motion->model(), parts.front().formulation.error())};
    return std::make_shared<const Derived>(*std::move(motion), *std::move(setting),
                                           std::move(parts), model.names, effort);
  }));
}

/// Of one formulation, or of all that there are where there are several.
std::string rendered(const Derived& self, const std::optional<std::size_t>& i,
                     const std::string& format) {
  return with_effort(self.effort, [&]() -> std::string {
    const report::Document document = i ? report::derivation(self.setting, self.formulation(*i))
                                        : report::derivation_of_all(self.setting);
    if (format == "markdown") return report::to_markdown(document);
    if (format == "latex") return report::to_latex(document);
    if (format == "html") return report::to_html(document);
    return report::to_text(document);
  });
}

/// Of the formulation of this name, or of all where it is empty.
std::string json_of(const Derived& self, const std::string& method) {
  for (const Part& part : self.parts) {
    if (part.info->name == method && part.formulation)
      return report::derivation_json(self.setting, *part.info, *part.formulation);
  }
  return report::derivation_json(self.setting);
}

/// The equations alone, long ones broken into lines; where one is too long to read it says that it
/// goes on.
std::string equations_markdown(const Formulation& f) {
  report::Display display;
  for (const auto& equation : f.equations)
    display.lines.push_back({report::math(equation.left), "=", report::math(equation.right)});
  report::Document document;
  document.blocks.emplace_back(std::move(display));
  return report::to_markdown(document);
}

/// A formula as (left side as text, as LaTeX, right side or None, number).
nb::tuple formula_tuple(const Derived& self, const report::StepLine& line) {
  nb::object right = nb::none();
  if (line.right) right = nb::cast(self.of(*line.right));
  return nb::make_tuple(line.left.text, line.left.latex, right, line.number);
}

AnyTuples steps_of(const Derived& self, std::size_t i) {
  nb::list steps;
  const Formulation& f = self.formulation(i);
  for (const mechanics::Step& step : f.steps) {
    const report::StepText text = report::step_text(f, step);
    nb::list formulas;
    for (const report::StepLine& line : text.lines) formulas.append(formula_tuple(self, line));
    steps.append(nb::make_tuple(text.title, text.number, text.sentence, formulas));
  }
  return steps;
}

/// Each as (of, equation).
AnyTuples equations_of(const Derived& self, std::size_t i) {
  nb::list equations;
  for (const mechanics::PrintedEquation& e : self.formulation(i).equations)
    equations.append(nb::make_tuple(e.name, Equality{self.of(e.left), self.of(e.right)}));
  return equations;
}

/// unknown = expression, or None where they are too long to read.
std::optional<Equalities> accelerations_of(const Derived& self, std::size_t i) {
  const Formulation& f = self.formulation(i);
  const auto solved = with_effort(self.effort, [&] { return mechanics::solved(f, self.setting); });
  if (!solved) return std::nullopt;
  nb::list equations;
  for (std::size_t j = 0; j < solved->size(); ++j)
    equations.append(Equality{self.of(f.unknowns[j]), self.of((*solved)[j])});
  return equations;
}

/// u = ... for the velocities that are the formulation's own.
Equalities rates_of(const Derived& self, std::size_t i) {
  const Formulation& f = self.formulation(i);
  nb::list rates;
  for (std::size_t j = 0; j < f.rates_from_velocities.size(); ++j)
    rates.append(Equality{self.of(f.rates[j]), self.of(f.rates_from_velocities[j])});
  return rates;
}

AnyDicts comparison(const Derived& self) {
  const auto agreements =
      with_effort(self.effort, [&] { return mechanics::compare_formulations(self.setting); });
  nb::list rows;
  for (const mechanics::Agreement& a : agreements) {
    nb::dict row;
    row["method"] = a.method;
    row["mechanical"] = a.mechanical;
    if (!a.ruled_out.empty()) {
      row["agrees"] = nb::none();
      row["ruled_out"] = a.ruled_out;
    } else if (a.given_up) {
      row["agrees"] = nb::none();
    } else {
      row["agrees"] = a.result.holds;
      row["how"] = a.result.how == mechanics::How::proof ? "proof" : "numeric";
      row["error"] = a.result.error;
      if (!a.result.holds) row["failed"] = a.result.failed;
    }
    rows.append(row);
  }
  return rows;
}

struct Checked {
  std::string text, json;
  std::optional<model::ModelError> problem;  ///< why there is no start, if there is none
};

/// What the command `check` does.
model::Result<Checked, model::ModelError> checked(const PyModel& model, const Settings& settings,
                                                  const std::string& method) {
  const auto motion = compiled(model, settings);
  if (!motion) return model::Failure{motion.error()};
  const auto written = motion->written_initial_state();
  if (!written) return model::Failure{written.error()};
  const motion::Residuals residuals = motion->residuals(written->t, written->q, written->v);
  double largest = 0;
  for (std::size_t j = 0; j < motion->constraints(); ++j)
    largest = std::max({largest, residuals.scaled[j], residuals.scaled_rate[j]});
  const auto start = motion::initial_state(*motion);
  const bool consistent = largest <= motion::initial_tolerance || static_cast<bool>(start);
  if (!start && consistent) return model::Failure{start.error()};
  report::CheckReport report = report::check(*motion, start ? start->state : *written, method);
  report.adjusted = start && start->adjusted;
  report.consistent = consistent;
  report.residual = largest;
  Checked result{report::check_text(report), report::check_json(report), std::nullopt};
  if (!start) result.problem = start.error();
  return result;
}

AnyTuple check(const PyModel& model, const Settings& settings,
               const std::optional<std::string>& method, const std::optional<double>& effort) {
  const FormulationInfo* only = formulation_named(method);
  const std::string name(only != nullptr ? only->name : "");
  Checked result =
      value_or_raise(with_effort(effort, [&] { return checked(model, settings, name); }));
  std::optional<std::string> problem;
  if (result.problem) problem = model::to_string(*result.problem);
  return nb::make_tuple(result.text, result.json, problem);
}

nb::list expressions(const std::vector<expr::Expr>& list, const NamesPointer& names) {
  nb::list result;
  for (const expr::Expr& e : list) result.append(Expression{e, names});
  return result;
}

/// Rows of a matrix given by entries.
nb::list matrix(std::size_t rows, std::size_t columns, const std::vector<mechanics::Entry>& entries,
                bool symmetric, const NamesPointer& names) {
  std::vector<std::vector<expr::Expr>> full(rows, std::vector<expr::Expr>(columns));
  for (const mechanics::Entry& entry : entries) {
    full[entry.row][entry.column] = entry.value;
    if (symmetric) full[entry.column][entry.row] = entry.value;
  }
  nb::list result;
  for (const auto& row : full) result.append(expressions(row, names));
  return result;
}

/// M, Q, A, b, C and the energies, as a dictionary.
AnyDict equation_parts(const PyModel& model, const mechanics::Equations& eq) {
  constexpr std::size_t most_entries = 4'000'000;
  const std::size_t n = model.model->coordinates.size(), m = model.model->constraints.size();
  if (n * (n + m) > most_entries) {
    throw nb::value_error(fmt::format("M and A have {} entries; as lists of expressions {} at most "
                                      "are given",
                                      n * (n + m), most_entries)
                              .c_str());
  }
  std::vector<std::string> constraints;
  for (const auto& constraint : model.model->constraints) constraints.push_back(constraint.name);
  const NamesPointer& names = model.names;
  nb::dict parts;
  parts["coordinates"] = model.model->coordinates;
  parts["constraints"] = constraints;
  parts["M"] = matrix(n, n, eq.M, true, names);
  parts["Q"] = expressions(eq.Q, names);
  parts["A"] = matrix(m, n, eq.A, false, names);
  parts["b"] = expressions(eq.b, names);
  parts["C"] = expressions(mechanics::full_C(eq), names);
  parts["kinetic"] = Expression{eq.kinetic, names};
  parts["potential"] = Expression{eq.potential, names};
  return parts;
}

}  // namespace

void bind_derivations(nb::module_& m) {
  nb::class_<Derived>(m, "Derived")
      .def_prop_ro("name", [](const Derived& self) { return self.motion.model().name; })
      .def_prop_ro(
          "parts",
          [](const Derived& self) -> AnyTuples {
            nb::list parts;
            for (const Part& part : self.parts) {
              std::optional<std::string> ruled_out;
              if (!part.formulation) ruled_out = part.formulation.error();
              parts.append(nb::make_tuple(std::string(part.info->name),
                                          std::string(report::title_of(part.info->name)),
                                          part.info->mechanical, ruled_out));
            }
            return parts;
          },
          "Each as (method, title, whether it is mechanics, why it is ruled out).")
      .def("remarks",
           [](const Derived& self, std::size_t i) {
             return report::formulation_remarks(self.setting, self.formulation(i));
           })
      .def("steps", &steps_of)
      .def("equations", &equations_of)
      .def("equations_markdown",
           [](const Derived& self, std::size_t i) {
             return equations_markdown(self.formulation(i));
           })
      .def("accelerations", &accelerations_of)
      .def("rates", &rates_of)
      .def("rendered", &rendered, nb::arg("i").none(), nb::arg("format"))
      .def("json",
           [](const Derived& self, const std::string& method) {
             return with_effort(self.effort, [&] { return json_of(self, method); });
           })
      .def("comparison", &comparison);
  m.def("derive", &derive, nb::arg("model"), nb::arg("settings"), nb::arg("method").none(),
        nb::arg("effort").none());
  m.def("check", &check, nb::arg("model"), nb::arg("settings"), nb::arg("method").none(),
        nb::arg("effort").none());
  m.def(
      "equations",
      [](const PyModel& model) {
        return equation_parts(
            model, with_effort(std::nullopt, [&] { return mechanics::lagrange(*model.model); }));
      },
      nb::arg("model"));
}

}  // namespace dalembert::python
