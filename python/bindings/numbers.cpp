/// Numbers: accelerations, forces and matrices of many states, the right-hand side for integrators of others.

#include "python/bindings/common.hpp"

namespace dalembert::python {

void bind_numbers(nb::module_& /*m*/) {}

}  // namespace dalembert::python
