/// Compiled models: their names, their parameters, and everything at one state.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/state/conditions.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/state/turns.hpp"
#include "dalembert/model/energy_of_bodies.hpp"
#include "dalembert/model/view_checks.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/json.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

namespace {

using Document = nb::typed<nb::dict, nb::str, nb::any>;
using DoubleArray = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Settings = std::map<std::string, std::string>;

model::Result<motion::Motion, model::ModelError> with_settings(const motion::Motion& motion,
                                                               const Settings& settings) {
  const model::Model& model = motion.model();
  auto parameters = model::parameter_values(model, settings);
  if (!parameters) return model::Failure{std::move(parameters).error()};
  if (auto wrong = model::check_bodies(model, *parameters); !wrong.empty())
    return model::Failure{model::ModelError{model.source, std::move(wrong)}};
  if (auto wrong = model::check_drawing(model, *parameters); !wrong.empty())
    return model::Failure{model::ModelError{model.source, std::move(wrong)}};
  return motion.with_parameters(*std::move(parameters));
}

/// The initial state as `eval` takes it: adjusted where the model says so and it can be.
model::Result<motion::State, model::ModelError> start_of(const motion::Motion& motion) {
  if (motion.model().initial.adjust != model::Adjust::none) {
    if (auto start = motion::initial_state(motion)) return start->state;
  }
  return motion.written_initial_state();
}

template <class T>
nb::object array(const T* data, std::size_t rows, std::optional<std::size_t> columns = {}) {
  const std::size_t size = rows * columns.value_or(1);
  T* copy = new T[size];
  const nb::capsule owner(copy, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
  std::copy_n(data, size, copy);
  if (columns) return nb::cast(nb::ndarray<nb::numpy, T>(copy, {rows, *columns}, owner));
  return nb::cast(nb::ndarray<nb::numpy, T>(copy, {rows}, owner));
}

nb::object array(const Eigen::VectorXd& x) {
  return array(x.data(), static_cast<std::size_t>(x.size()));
}
nb::object array(const std::vector<double>& x) {
  return array(x.data(), x.size());
}
nb::object array(const std::vector<bool>& x) {
  std::unique_ptr<bool[]> flags(new bool[x.size()]);
  std::copy(x.begin(), x.end(), flags.get());
  return array(flags.get(), x.size());
}
nb::object array(const Eigen::MatrixXd& x) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = x;
  return array(by_rows.data(), static_cast<std::size_t>(x.rows()),
               static_cast<std::size_t>(x.cols()));
}

/// Why there is no acceleration, at the place in the model, as `eval` says it.
[[noreturn]] void refuse(const motion::Motion& motion, const motion::State& state,
                         const motion::Acceleration& r) {
  const model::Model& model = motion.model();
  switch (r.status) {
    case motion::Status::mass_not_finite:
    case motion::Status::constraints_not_finite:
    case motion::Status::force_not_finite:
      raise({model.source, {motion::explain_not_finite(motion, state, "at this state")}});
    case motion::Status::friction_undetermined:
      raise(model::error_in(model, r.problem, model.frictions[r.friction].where));
    case motion::Status::formulation_failed:
      raise(model::error_in(model, r.problem, model.simulation.method_where));
    default:
      raise(model::error_in(model, r.problem,
                            model.kinetic ? model.kinetic->where : model::Location{}));
  }
}

Document evaluate(const motion::Motion& motion, const motion::State& state) {
  if (motion.coordinates() + motion.constraints() > motion::most_shown) {
    throw nb::value_error(
        fmt::format("{} coordinates and {} constraints are too many to show with their matrices "
                    "(at most {} together); acceleration and forces have no such limit",
                    motion.coordinates(), motion.constraints(), motion::most_shown)
            .c_str());
  }
  std::optional<model::Diagnostic> broken;
  motion::Acceleration r;
  motion::Residuals residuals;
  std::string json;
  {
    const InterpreterFree free;
    motion::ConditionWatch conditions(motion);
    broken = conditions.broken(state.t, state.q, state.v, true);
    if (!broken) {
      r = motion.acceleration(state.t, state.q, state.v, state.mu);
      residuals = motion.residuals(state.t, state.q, state.v);
      if (r.status == motion::Status::ok)
        json = report::evaluation_json(motion, state, r, residuals);
    }
  }
  if (broken) raise({motion.model().source, {*broken}});
  if (r.status != motion::Status::ok) refuse(motion, state, r);
  Document result;
  result["t"] = state.t;
  result["q"] = array(state.q);
  result["v"] = array(state.v);
  result["acceleration"] = array(r.qdd);
  result["applied"] = array(r.Q);
  result["ideal"] = array(r.ideal);
  result["nonideal"] = array(r.nonideal);
  result["unconstrained"] = array(r.unconstrained);
  result["violation"] = array(r.violation);
  result["multipliers"] = array(r.multipliers);
  result["reactions"] = array(r.reactions);
  result["unique"] = array(r.unique);
  result["conflicting"] = array(r.conflicting);
  result["normal_forces"] = array(r.normal_forces);
  result["friction_assured"] = r.friction_assured;
  result["mu"] = array(r.mu);
  result["mu_rate"] = array(r.mu_rate);
  result["mass_matrix"] = array(r.M);
  result["constraint_matrix"] = array(r.A);
  result["b"] = array(r.b);
  result["C"] = array(r.C);
  result["rank"] = r.rank;
  result["residual"] = r.residual;
  result["residuals"] = array(residuals.residual);
  result["rates"] = array(residuals.rate);
  result["consistent"] = r.consistent;
  result["mass_singular"] = r.mass_singular;
  result["json"] = json;
  return result;
}

}  // namespace

void bind_motions(nb::module_& m) {
  nb::class_<PyMotion>(m, "Motion")
      .def_prop_ro("name", [](const PyMotion& self) { return self.motion.model().name; })
      .def_prop_ro("coordinates",
                   [](const PyMotion& self) { return self.motion.model().coordinates; })
      .def_prop_ro("constraints",
                   [](const PyMotion& self) { return self.motion.constraint_names(); })
      .def_prop_ro("outputs",
                   [](const PyMotion& self) {
                     std::vector<std::string> names;
                     for (const model::Named& output : self.motion.outputs())
                       names.push_back(output.name);
                     return names;
                   })
      .def_prop_ro(
          "own_outputs", [](const PyMotion& self) { return self.motion.model().outputs.size(); },
          "How many of the outputs the model states itself.")
      .def_prop_ro(
          "method",
          [](const PyMotion& self) { return std::string(to_string(self.motion.method())); })
      .def_prop_ro(
          "needs_mu",
          [](const PyMotion& self) { return !motion::is_mechanical(self.motion.method()); })
      .def_prop_ro("hinges_that_count",
                   [](const PyMotion& self) { return motion::hinges_that_count(self.motion); })
      .def_prop_ro(
          "duration",
          [](const PyMotion& self) { return motion::simulation_options(self.motion).duration; },
          "As the model says it, in seconds.")
      .def_prop_ro(
          "touches",
          [](const PyMotion& self) {
            const model::Model& model = self.motion.model();
            return !model.contacts.empty() || !model.dry_frictions.empty();
          },
          "Whether there are contacts or friction that sticks.")
      .def_prop_ro("parameters",
                   [](const PyMotion& self) {
                     nb::typed<nb::dict, nb::str, double> values;
                     for (std::size_t i = 0; i < self.motion.parameters().size(); ++i) {
                       const model::Named& parameter = self.motion.model().parameters[i];
                       if (!model::is_internal(parameter))
                         values[parameter.name.c_str()] = self.motion.parameters()[i];
                     }
                     return values;
                   })
      .def(
          "with_settings",
          [](const PyMotion& self, const Settings& settings) {
            return PyMotion{value_or_raise(with_settings(self.motion, settings)), self.names};
          },
          nb::arg("settings"),
          "The same system with other parameters than the model's, as in `--set`; nothing is "
          "derived or compiled again.")
      .def("initial_state",
           [](const PyMotion& self) {
             auto start = [&] {
               const InterpreterFree free;
               return start_of(self.motion);
             }();
             const motion::State state = value_or_raise(std::move(start));
             const auto vector = [](const std::vector<double>& x) {
               return nb::cast<DoubleArray>(array(x));
             };
             return std::make_tuple(state.t, vector(state.q), vector(state.v), vector(state.mu));
           })
      .def(
          "evaluate",
          [](const PyMotion& self, double t, std::vector<double> q, std::vector<double> v,
             std::vector<double> mu) {
            return evaluate(self.motion, {t, std::move(q), std::move(v), std::move(mu)});
          },
          nb::arg("t"), nb::arg("q"), nb::arg("v"), nb::arg("mu"));
  m.def(
      "compile",
      [](const PyModel& model, const Settings& settings, const std::optional<std::string>& method) {
        motion::CompileOptions options;
        options.settings = settings;
        options.method = method;
        auto result = [&] {
          const InterpreterFree free;
          return motion::compile(*model.model, options);
        }();
        return PyMotion{value_or_raise(std::move(result)), model.names};
      },
      nb::arg("model"), nb::arg("settings"), nb::arg("method").none());
}

}  // namespace dalembert::python
