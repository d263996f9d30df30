#pragma once
/// The equations of motion as the page shows them: the derivation of the method in use, unless that
/// would take longer than a reader of the motion wants to wait. Not for the public.

#include <atomic>
#include <string>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::report {

struct PageEquations {
  std::string html;  ///< blocks of document.hpp; may be the model and its constraints alone
  std::string note;  ///< what is missing and why; else empty
};

/// `state`: where coordinates and pivots are chosen, if there is a choice. Where `stop` is or
/// becomes true there are none.
PageEquations page_equations(const motion::Motion& motion, const motion::State& state,
                             const std::atomic<bool>* stop = nullptr);

}  // namespace dalembert::report
