/// One motion, recorded.

#include "python/bindings/common.hpp"

namespace dalembert::python {

void bind_simulations(nb::module_& /*m*/) {}

}  // namespace dalembert::python
