#pragma once
/// The equations of motion as the page shows them: the derivation of the method in use, unless that
/// would take longer than a reader of the motion wants to wait. Not for the public.

#include <string>

#include "dalembert/motion/motion.hpp"

namespace dalembert::report {

struct PageEquations {
  std::string html;  ///< blocks of report/document.hpp
  std::string note;  ///< why there are none, in a sentence; else empty
};

/// `state`: where coordinates and pivots are chosen, if there is a choice.
PageEquations page_equations(const motion::Motion& motion, const motion::State& state);

}  // namespace dalembert::report
