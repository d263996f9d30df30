/// Derivations, checks and what they prove.

#include "python/bindings/common.hpp"

namespace dalembert::python {

void bind_derivations(nb::module_& /*m*/) {}

}  // namespace dalembert::python
