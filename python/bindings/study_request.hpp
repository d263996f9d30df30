#pragma once
/// A study as Python asks for it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/study/study.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

/// What is asked for, as text: numbers may be expressions of parameters that do not vary.
struct Wishes {
  std::optional<std::string> runs, duration, samples, rtol, atol, max_step, integrator;
  std::vector<double> times;  ///< none: as many samples as asked for
};

/// Compiles the model and reads the rest. Raises ModelError or ValueError in the words of Python.
study::Study make_study(const PyModel& model, const std::map<std::string, std::string>& settings,
                        const std::optional<std::string>& method,
                        const std::vector<std::string>& vary, std::uint64_t seed,
                        const Wishes& wishes, const std::vector<std::string>& statistics,
                        const std::vector<std::string>& sensitivity);

}  // namespace dalembert::python
