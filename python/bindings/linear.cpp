/// Linearisation, equilibria, derivatives at states, inverse dynamics and sensitivities.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <limits>

#include "dalembert/motion/request.hpp"
#include "dalembert/report/linearisation.hpp"
#include "dalembert/study/linear/equilibrium.hpp"
#include "dalembert/study/linear/gradient.hpp"
#include "dalembert/study/linear/inverse_dynamics.hpp"
#include "dalembert/study/linear/linearise.hpp"
#include "dalembert/study/linear/sensitivities.hpp"
#include "python/bindings/numbers.hpp"

namespace dalembert::python {

namespace {

using Eigen::Index;

template <class Matrix>
auto flat(const Matrix& matrix) {
  std::vector<typename Matrix::Scalar> list;
  list.reserve(static_cast<std::size_t>(matrix.size()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) list.push_back(matrix(i, j));
  }
  return list;
}

const char* word_of(study::Steadiness steadiness) {
  switch (steadiness) {
    case study::Steadiness::equilibrium:
      return "equilibrium";
    case study::Steadiness::steady_motion:
      return "steady motion";
    case study::Steadiness::moving:
      return "not steady";
  }
  return "";
}

template <class T>
T value_or_refuse(expr::Result<T, std::string> result) {
  if (!result) throw nb::value_error(result.error().c_str());
  return *std::move(result);
}

nb::dict linearise(const PyMotion& self, double t, std::vector<double> q, std::vector<double> v,
                   std::vector<std::string> inputs, bool any_state) {
  auto found = [&] {
    const InterpreterFree free;
    return study::linearise(self.motion, {t, std::move(q), std::move(v)},
                            {std::move(inputs), any_state});
  }();
  const study::Linearisation linear = value_or_refuse(std::move(found));
  nb::dict result;
  result["kind"] = word_of(linear.steadiness);
  result["varies"] = linear.varies;
  result["states"] = linear.states;
  result["inputs"] = linear.inputs;
  result["outputs"] = linear.outputs;
  result["A"] = flat(linear.A);
  result["B"] = flat(linear.B);
  result["C"] = flat(linear.C);
  result["D"] = flat(linear.D);
  result["eigenvalues"] = flat(linear.spectrum.values);
  result["conditions"] = flat(linear.spectrum.conditions);
  result["modes"] = flat(linear.spectrum.modes);
  result["notes"] = report::linearisation_notes(linear);
  result["text"] = report::linearisation_text(self.motion, linear);
  return result;
}

nb::tuple find_equilibrium(const PyMotion& self, double t, std::vector<double> q,
                           std::vector<double> v) {
  auto found = [&] {
    const InterpreterFree free;
    return study::find_equilibrium(self.motion, {t, std::move(q), std::move(v)});
  }();
  if (!found)
    throw nb::value_error(("no equilibrium found near this state: " + found.error()).c_str());
  return nb::make_tuple(found->state.t, found->state.q, found->state.v, word_of(found->steadiness));
}

/// Derivatives at any number of states; immutable, for any number of threads.
struct PyDerivatives {
  PyDerivatives(const PyMotion& of, const std::map<std::string, std::string>& settings,
                const std::vector<std::string>& names)
      : motion(of.motion) {
    auto rates = study::parameter_rates(motion, settings, names);
    if (!rates) throw nb::value_error(rates.error().c_str());
    chain = rates->rates;
    const InterpreterFree free;
    kernels = flow::make_derivative_kernels(motion, rates->parameters, true);
  }

  std::size_t n() const { return motion.coordinates(); }
  std::size_t columns() const { return 2 * n() + static_cast<std::size_t>(chain.cols()); }

  /// The first state without an answer, or their number.
  std::size_t evaluate(const Numbers& t, const Numbers& q, const Numbers& v,
                       const Array<double, 3>& acceleration, const Array<double, 3>& ideal,
                       const Array<double, 3>& nonideal, const Array<double, 3>& outputs) const {
    const std::size_t count = acceleration.shape(0);
    const study::Rows ts = rows_of(t, count, 1, "t"), qs = rows_of(q, count, n(), "q"),
                      vs = rows_of(v, count, n(), "v");
    const std::size_t size = n() * columns();
    const InterpreterFree free;
    flow::Derivatives derivatives(motion, kernels);
    std::size_t failed = count;
    for (std::size_t i = 0; i < count; ++i) {
      const double* at_q = qs.data + i * qs.stride;
      const double* at_v = vs.data + i * vs.stride;
      const bool solved =
          derivatives.decide(ts.data[i * ts.stride], {at_q, n()}, {at_v, n()}) == flow::Status::ok;
      if (!solved) failed = std::min(failed, i);
      write(derivatives.acceleration_z(), solved, acceleration.data() + i * size);
      write(derivatives.ideal_z(), solved, ideal.data() + i * size);
      write(derivatives.nonideal_z(), solved, nonideal.data() + i * size);
      write(derivatives.outputs_z(), solved,
            outputs.data() + i * kernels.outputs.size() * columns());
    }
    return failed;
  }

  /// The columns of q and v, then those of the names.
  void write(const Eigen::MatrixXd& of_z, bool solved, double* out) const {
    const auto state = static_cast<Index>(2 * n());
    Eigen::MatrixXd all(of_z.rows(), static_cast<Index>(columns()));
    all.leftCols(state) = of_z.leftCols(state);
    all.rightCols(chain.cols()) = of_z.rightCols(chain.rows()) * chain;
    if (!solved) all.setConstant(std::numeric_limits<double>::quiet_NaN());
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        out, all.rows(), all.cols()) = all;
  }

  motion::Motion motion;
  Eigen::MatrixXd chain;
  flow::DerivativeKernels kernels;
};

/// The first problem with its state, or none.
std::optional<std::pair<std::size_t, std::string>> inverse_dynamics(
    const PyMotion& self, const Numbers& t, const Numbers& q, const Numbers& v, const Numbers& a,
    const std::vector<std::size_t>& along, const Array<double, 2>& u,
    const Array<double, 2>& ideal) {
  const std::size_t n = self.motion.coordinates(), count = u.shape(0);
  const study::Rows ts = rows_of(t, count, 1, "t"), qs = rows_of(q, count, n, "q"),
                    vs = rows_of(v, count, n, "v"), as = rows_of(a, count, n, "a");
  const InterpreterFree free;
  std::optional<std::pair<std::size_t, std::string>> problem;
  for (std::size_t i = 0; i < count; ++i) {
    const double *at_q = qs.data + i * qs.stride, *at_v = vs.data + i * vs.stride;
    const auto found = study::inverse_dynamics(
        self.motion, {ts.data[i * ts.stride], {at_q, at_q + n}, {at_v, at_v + n}},
        {as.data + i * as.stride, n}, along);
    if (!found.problem.empty() && !problem) problem = {i, found.problem};
    std::copy(found.u.begin(), found.u.end(), u.data() + i * along.size());
    std::copy(found.ideal.begin(), found.ideal.end(), ideal.data() + i * n);
  }
  return problem;
}

/// What is asked for, for variational and adjoint equations, which rk8 solves in doubles.
motion::SimulationOptions variational_options(const motion::SimulationRequest& request,
                                              const PyMotion& self) {
  auto options = motion::requested_options(request, self.motion);
  if (!options) throw nb::value_error(options.error().sentence.c_str());
  if (options->integrator == motion::Integrator::bdf) options->integrator = motion::Integrator::rk8;
  if (options->precision == motion::Precision::extended)
    throw nb::value_error("precision extended: variational equations are solved in doubles");
  return *std::move(options);
}

nb::dict sensitivities(const PyMotion& self, const std::vector<std::string>& names,
                       const std::map<std::string, std::string>& settings,
                       const std::vector<std::pair<std::string, double>>& state,
                       std::optional<double> duration, std::optional<double> samples,
                       std::optional<std::vector<double>> times, std::optional<double> rtol,
                       std::optional<double> atol, int order) {
  motion::SimulationRequest request;
  request.duration = duration;
  request.samples = samples;
  request.times = std::move(times);
  request.rtol = rtol;
  request.atol = atol;
  motion::SimulationOptions options = variational_options(request, self);
  expr::Result<study::Sensitivities, std::string> found = study::Sensitivities{};
  std::atomic<bool> stop = false;
  options.stop = &stop;
  const bool interrupted = run_interruptibly(stop, [&] {
    found = study::sensitivities(self.motion, options, {names, settings, {state, {}}, order});
  });
  if (interrupted) throw nb::python_error();
  const study::Sensitivities result = value_or_refuse(std::move(found));
  nb::dict all;
  all["t"] = result.t;
  all["quantities"] = result.quantities;
  all["values"] = result.values;
  all["states"] = result.states;
  all["complete"] = result.complete;
  all["reason"] = result.reason;
  nb::list events;
  for (const study::EventSensitivity& one : result.events) {
    nb::dict row;
    row["t"] = one.t;
    row["name"] = one.name;
    row["kind"] = one.kind;
    row["by"] = one.by;
    events.append(row);
  }
  all["events"] = events;
  std::vector<double> second;  // samples x states x names x names
  const std::size_t states = 2 * self.motion.coordinates(), k = names.size();
  for (std::size_t i = 0; order == 2 && i < result.t.size() * states; ++i) {
    for (std::size_t s = 0; s < k * k; ++s)
      second.push_back(result.second_by(i / states, i % states, s / k, s % k));
  }
  all["second"] = second;
  return all;
}

nb::dict gradient(const PyMotion& self, const std::string& of,
                  const std::vector<std::string>& names,
                  const std::map<std::string, std::string>& settings,
                  const std::vector<std::pair<std::string, double>>& state,
                  std::optional<double> duration, std::optional<double> rtol,
                  std::optional<double> atol) {
  motion::SimulationRequest request;
  request.duration = duration;
  request.rtol = rtol;
  request.atol = atol;
  motion::SimulationOptions options = variational_options(request, self);
  model::Result<study::Gradient, model::ModelError> found = study::Gradient{};
  std::atomic<bool> stop = false;
  options.stop = &stop;
  const bool interrupted = run_interruptibly(stop, [&] {
    found = study::gradient(self.motion, options, {of, names, settings, {state, {}}});
  });
  if (interrupted) throw nb::python_error();
  if (!found) raise(found.error());
  nb::dict all;
  all["t"] = found->t;
  all["value"] = found->value;
  all["by"] = found->by;
  all["steps"] = found->steps;
  all["bytes"] = found->bytes;
  all["complete"] = found->complete;
  all["reason"] = found->reason;
  return all;
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("linearise", &linearise, nb::arg("motion"), nb::arg("t"), nb::arg("q"), nb::arg("v"),
        nb::arg("inputs"), nb::arg("any_state"));
  m.def("find_equilibrium", &find_equilibrium, nb::arg("motion"), nb::arg("t"), nb::arg("q"),
        nb::arg("v"));
  m.def("inverse_dynamics", &inverse_dynamics, nb::arg("motion"), nb::arg("t").noconvert(),
        nb::arg("q").noconvert(), nb::arg("v").noconvert(), nb::arg("a").noconvert(),
        nb::arg("along"), nb::arg("u").noconvert(), nb::arg("ideal").noconvert());
  m.def("sensitivities", &sensitivities, nb::arg("motion"), nb::arg("names"), nb::arg("settings"),
        nb::arg("state"), nb::arg("duration").none(), nb::arg("samples").none(),
        nb::arg("times").none(), nb::arg("rtol").none(), nb::arg("atol").none(), nb::arg("order"));
  m.def("gradient", &gradient, nb::arg("motion"), nb::arg("of"), nb::arg("names"),
        nb::arg("settings"), nb::arg("state"), nb::arg("duration").none(), nb::arg("rtol").none(),
        nb::arg("atol").none());
  nb::class_<PyDerivatives>(m, "Derivatives")
      .def(nb::init<const PyMotion&, const std::map<std::string, std::string>&,
                    const std::vector<std::string>&>(),
           nb::arg("motion"), nb::arg("settings"), nb::arg("names"))
      .def("evaluate", &PyDerivatives::evaluate, nb::arg("t").noconvert(), nb::arg("q").noconvert(),
           nb::arg("v").noconvert(), nb::arg("acceleration").noconvert(),
           nb::arg("ideal").noconvert(), nb::arg("nonideal").noconvert(),
           nb::arg("outputs").noconvert());
}

}  // namespace dalembert::python
