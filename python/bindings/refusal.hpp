#pragma once
/// Options of simulations that cannot be had, in the words of Python.

#include <fmt/format.h>

#include "dalembert/motion/request.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

/// Raises ValueError.
[[noreturn]] inline void refuse(const std::string& sentence) {
  throw nb::value_error(sentence.c_str());
}

/// Raises ValueError, or ModelError where the model itself says what cannot be. `value_of` gives
/// the value of an option as it was asked for.
template <class ValueOf>
[[noreturn]] void raise_refusal(const motion::Refusal& refusal, const motion::Motion& motion,
                                const ValueOf& value_of) {
  if (refusal.of_model) raise(model::error_in(motion.model(), refusal.sentence, refusal.where));
  if (refusal.stands_alone) refuse(refusal.sentence);
  refuse(fmt::format("{} {}: {}", motion::to_string(refusal.option), value_of(refusal.option),
                     refusal.sentence));
}

}  // namespace dalembert::python
