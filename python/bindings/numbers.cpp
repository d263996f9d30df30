/// Numbers: accelerations, forces and matrices of many states. Shapes and names are the business of
/// python/dalembert/numbers.py: here arrays are of two dimensions, one row a state, and one row may
/// stand for all.

#include "python/bindings/numbers.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>

namespace dalembert::python {

namespace {

using expr::Expr;

std::vector<Expr> expressions_of(const std::string& name, const mechanics::Equations& eq) {
  const std::size_t n = eq.q.size(), m = eq.b.size();
  std::vector<Expr> result;
  if (name == "mass_matrix") {
    result.assign(n * n, Expr(0));
    for (const mechanics::Entry& entry : eq.M)
      result[entry.row * n + entry.column] = result[entry.column * n + entry.row] = entry.value;
  } else if (name == "constraint_matrix") {
    result.assign(m * n, Expr(0));
    for (const mechanics::Entry& entry : eq.A) result[entry.row * n + entry.column] = entry.value;
  } else if (name == "b") {
    result = eq.b;
  } else if (name == "energy") {
    result = {eq.kinetic, eq.potential};
  } else if (name == "residuals") {
    const auto is_equation = [](const mechanics::ConstraintRow& row) {
      return row.level == model::Level::acceleration;
    };
    for (const auto& row : eq.constraints)
      result.push_back(is_equation(row) ? Expr(0) : row.residual);
    for (const auto& row : eq.constraints) result.push_back(is_equation(row) ? Expr(0) : row.rate);
  } else {
    throw std::invalid_argument(fmt::format("no function of the state '{}'", name));
  }
  return result;
}

using Results = std::optional<Array<double, 2>>;

double* results_of(const Results& results, std::size_t count, std::size_t size, const char* name) {
  if (!results) return nullptr;
  if (results->shape(0) != count || results->shape(1) != size) {
    throw std::invalid_argument(fmt::format("{} has the shape ({}, {}), expected ({}, {})", name,
                                            results->shape(0), results->shape(1), count, size));
  }
  return results->data();
}

study::StateRows state_rows(const PyStates& states, std::size_t count, const Numbers& t,
                            const Numbers& q, const Numbers& v, const std::optional<Numbers>& mu) {
  study::StateRows rows{count, rows_of(t, count, 1, "t"), rows_of(q, count, states.n(), "q"),
                        rows_of(v, count, states.n(), "v")};
  if (mu) {
    rows.mu = rows_of(*mu, count, states.m(), "mu");
  } else if (!motion::is_mechanical(states.motion().method())) {
    throw std::invalid_argument("the method vakonomic needs mu");
  }
  return rows;
}

}  // namespace

std::shared_ptr<const study::Accelerations> PyStates::accelerations() {
  const std::lock_guard lock(mutex_);
  if (!accelerations_) {
    accelerations_ =
        origin_ ? std::make_shared<const study::Accelerations>(*origin_->accelerations(), motion_)
                : std::make_shared<const study::Accelerations>(motion_);
  }
  return accelerations_;
}

std::shared_ptr<const study::StateFunction> PyStates::function(const std::string& name) {
  const std::lock_guard lock(mutex_);
  auto& made = functions_[name];
  if (!made) {
    made = origin_ ? std::make_shared<const study::StateFunction>(*origin_->function(name), motion_)
                   : std::make_shared<const study::StateFunction>(
                         motion_, expressions_of(name, motion_.equations()));
  }
  return made;
}

study::Rows rows_of(const Numbers& numbers, std::size_t count, std::size_t size, const char* name) {
  if (numbers.shape(1) != size || (numbers.shape(0) != count && numbers.shape(0) != 1)) {
    throw std::invalid_argument(fmt::format("{} has the shape ({}, {}), expected ({}, {})", name,
                                            numbers.shape(0), numbers.shape(1), count, size));
  }
  return {numbers.data(), numbers.shape(0) == 1 ? 0 : size};
}

void work_on_states(std::size_t count, int threads,
                    const std::function<void(const study::Sharing&)>& work) {
  if (count < study::least_shared) {
    const InterpreterFree free;
    work({threads, nullptr});
    return;
  }
  std::atomic<bool> stop{false};
  if (run_interruptibly(stop, [&] { work({threads, &stop}); })) throw nb::python_error();
}

void bind_numbers(nb::module_& m) {
  nb::class_<PyStates>(m, "States")
      .def(nb::new_(
          [](const PyMotion& motion) { return std::make_shared<PyStates>(motion.motion); }))
      .def("with_motion",
           [](const std::shared_ptr<PyStates>& self, const PyMotion& motion) {
             return std::make_shared<PyStates>(motion.motion, PyStates::origin_of(self));
           })
      .def(
          "written_out",
          [](PyStates& self) {
            const InterpreterFree free;
            return self.accelerations()->written_out();
          },
          "Whether states are solved in SIMD lanes where that can vouch for the answer.")
      .def(
          "solve_one",
          [](PyStates& self, double t, const Array<const double, 1>& q,
             const Array<const double, 1>& v, const Array<double, 1>& acceleration) {
            if (q.shape(0) != self.n() || v.shape(0) != self.n() ||
                acceleration.shape(0) != self.n() || !motion::is_mechanical(self.motion().method()))
              return false;
            const InterpreterFree free;
            return self.accelerations()->solve_one(t, q.data(), v.data(), acceleration.data());
          },
          nb::arg("t"), nb::arg("q").noconvert(), nb::arg("v").noconvert(),
          nb::arg("acceleration").noconvert(),
          "False where there is no acceleration, or the arrays are of another size.")
      .def(
          "solve",
          [](PyStates& self, std::size_t count, const Numbers& t, const Numbers& q,
             const Numbers& v, const std::optional<Numbers>& mu, const Results& acceleration,
             const Results& applied, const Results& ideal, const Results& nonideal,
             const Results& multipliers, const Results& reactions,
             const std::optional<Array<std::uint8_t, 2>>& unique, const Results& mu_rate,
             const Results& outputs, int threads) {
            const study::StateRows states = state_rows(self, count, t, q, v, mu);
            const std::size_t n = self.n(), rows = self.m();
            study::SolvedRows results;
            results.acceleration = results_of(acceleration, count, n, "acceleration");
            results.applied = results_of(applied, count, n, "applied");
            results.ideal = results_of(ideal, count, n, "ideal");
            results.nonideal = results_of(nonideal, count, n, "nonideal");
            results.multipliers = results_of(multipliers, count, rows, "multipliers");
            results.reactions = results_of(reactions, count, rows, "reactions");
            results.mu_rate = results_of(mu_rate, count, rows, "mu_rate");
            results.outputs =
                results_of(outputs, count, 3 + self.motion().outputs().size(), "outputs");
            if (unique) {
              if (unique->shape(0) != count || unique->shape(1) != rows)
                throw std::invalid_argument("unique does not have the shape of the multipliers");
              results.unique = unique->data();
            }
            study::Failures failures;
            work_on_states(count, threads, [&](const study::Sharing& sharing) {
              failures = self.accelerations()->solve(states, results, sharing);
            });
            return std::make_tuple(failures.count, failures.first, failures.problem);
          },
          nb::arg("count"), nb::arg("t").noconvert(), nb::arg("q").noconvert(),
          nb::arg("v").noconvert(), nb::arg("mu").none() = nb::none(), nb::kw_only(),
          nb::arg("acceleration").none() = nb::none(), nb::arg("applied").none() = nb::none(),
          nb::arg("ideal").none() = nb::none(), nb::arg("nonideal").none() = nb::none(),
          nb::arg("multipliers").none() = nb::none(), nb::arg("reactions").none() = nb::none(),
          nb::arg("unique").none() = nb::none(), nb::arg("mu_rate").none() = nb::none(),
          nb::arg("outputs").none() = nb::none(), nb::arg("threads") = 0)
      .def(
          "function",
          [](PyStates& self, const std::string& name, std::size_t count, const Numbers& t,
             const Numbers& q, const Numbers& v, const Array<double, 2>& results, int threads) {
            const study::StateRows states{count, rows_of(t, count, 1, "t"),
                                          rows_of(q, count, self.n(), "q"),
                                          rows_of(v, count, self.n(), "v")};
            work_on_states(count, threads, [&](const study::Sharing& sharing) {
              const auto function = self.function(name);
              if (results.shape(0) != count || results.shape(1) != function->outputs())
                throw std::invalid_argument("the results do not have the shape of the function");
              function->evaluate(states, results.data(), sharing);
            });
          },
          nb::arg("name"), nb::arg("count"), nb::arg("t").noconvert(), nb::arg("q").noconvert(),
          nb::arg("v").noconvert(), nb::arg("results").noconvert(), nb::arg("threads") = 0);
  bind_rhs(m);
  bind_fundamental(m);
  bind_linear(m);
}

}  // namespace dalembert::python
