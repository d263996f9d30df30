/// Many motions.

#include "python/bindings/common.hpp"

namespace dalembert::python {

void bind_sweeps(nb::module_& /*m*/) {}

}  // namespace dalembert::python
