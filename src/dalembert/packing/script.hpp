#pragma once
/// A packed system as one file of Python with NumPy, or of JavaScript: y' and everything else at a
/// state, and the projection onto the constraints. Sums of products are rounded twice there, so
/// numbers differ from the program's by rounding.

#include <string>

#include "dalembert/codegen/source.hpp"
#include "dalembert/packing/system.hpp"

namespace dalembert::packing {

/// Or why there is none: a function that the language lacks.
model::Result<std::string, std::string> script_of(const PackedSystem& system,
                                                  codegen::Language language);

}  // namespace dalembert::packing
