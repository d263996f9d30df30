/// The right-hand side of y' = f(t, y), y = (q, v), for integrators of others: as a function of
/// arrays, and as functions of C with a pointer to what they work with. These need no interpreter,
/// and any number of threads may call them at once.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "python/bindings/numbers.hpp"

namespace dalembert::python {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr const char* component_signature = "double (int, double *, void *)";
constexpr const char* signature = "int (double, const double *, double *, void *)";

/// What the functions of C are given as `data`.
struct Rhs {
  std::shared_ptr<const study::Accelerations> accelerations;
  std::size_t n = 0;
  std::size_t mu = 0;         ///< m for the method vakonomic, whose state is (q, v, mu); else 0
  std::size_t component = 0;  ///< the coordinate of which component() gives the acceleration

  std::size_t size() const { return 2 * n + mu; }

  bool evaluate(double t, const double* y, double* dydt) const {
    bool solved = false;
    if (mu == 0) {
      solved = accelerations->solve_one(t, y, y + n, dydt + n);
    } else {
      const study::StateRows state{1, {&t, 0}, {y, 0}, {y + n, 0}, {y + 2 * n, 0}};
      solved = accelerations
                   ->solve(state, {.acceleration = dydt + n, .mu_rate = dydt + 2 * n}, {1, nullptr})
                   .count == 0;
    }
    if (solved) {
      std::copy_n(y + n, n, dydt);
    } else {
      std::fill_n(dydt, size(), not_a_number);
    }
    return solved;
  }
};

extern "C" {

int dalembert_rhs(double t, const double* y, double* dydt, void* data) {
  const auto* rhs = static_cast<const Rhs*>(data);
  try {
    return rhs->evaluate(t, y, dydt) ? 0 : 1;
  } catch (...) {
    std::fill_n(dydt, rhs->size(), not_a_number);
    return 2;
  }
}

/// The acceleration of one coordinate, of x = (t, q, v).
double dalembert_component(int count, double* x, void* data) {
  const auto* rhs = static_cast<const Rhs*>(data);
  if (count < 0 || static_cast<std::size_t>(count) != 1 + rhs->size()) return not_a_number;
  try {
    thread_local std::vector<double> dydt;
    dydt.resize(rhs->size());
    return rhs->evaluate(x[0], x + 1, dydt.data()) ? dydt[rhs->n + rhs->component] : not_a_number;
  } catch (...) {
    return not_a_number;
  }
}

}  // extern "C"

/// A capsule of a function of C, with its signature for a name and its data for a context, which it
/// keeps.
template <class Function>
nb::object capsule_of(Function* function, const char* name, const Rhs& data) {
  nb::object capsule =
      nb::steal(PyCapsule_New(reinterpret_cast<void*>(function), name, [](PyObject* object) {
        delete static_cast<Rhs*>(PyCapsule_GetContext(object));
      }));
  if (!capsule.is_valid()) throw nb::python_error();
  if (PyCapsule_SetContext(capsule.ptr(), new Rhs(data)) != 0) throw nb::python_error();
  return capsule;
}

}  // namespace

void bind_rhs(nb::module_& m) {
  nb::class_<Rhs>(m, "Rhs")
      .def(nb::new_([](PyStates& states) {
        const motion::Motion& motion = states.motion();
        const InterpreterFree free;
        const bool mechanical = motion::is_mechanical(motion.method());
        return new Rhs{states.accelerations(), motion.coordinates(),
                       mechanical ? 0 : motion.constraints()};
      }))
      .def_prop_ro("size", &Rhs::size)
      .def_prop_ro("address",
                   [](const Rhs&) { return reinterpret_cast<std::uintptr_t>(&dalembert_rhs); })
      .def_prop_ro("data", [](const Rhs& self) { return reinterpret_cast<std::uintptr_t>(&self); })
      .def_prop_ro_static("signature", [](nb::handle) { return signature; })
      .def_prop_ro_static("component_signature", [](nb::handle) { return component_signature; })
      .def(
          "evaluate",
          [](const Rhs& self, double t, const Array<const double, 1>& y,
             const Array<double, 1>& dydt) {
            if (y.shape(0) != self.size() || dydt.shape(0) != self.size())
              throw std::invalid_argument("y and y' have another size than the state");
            const InterpreterFree free;
            return self.evaluate(t, y.data(), dydt.data());
          },
          nb::arg("t"), nb::arg("y").noconvert(), nb::arg("dydt").noconvert())
      .def("capsule", [](const Rhs& self) { return capsule_of(&dalembert_rhs, signature, self); })
      .def("component_capsule", [](const Rhs& self, std::size_t coordinate) {
        if (coordinate >= self.n) throw nb::index_error("no such coordinate");
        Rhs data = self;
        data.component = coordinate;
        return capsule_of(&dalembert_component, component_signature, data);
      });
}

}  // namespace dalembert::python
