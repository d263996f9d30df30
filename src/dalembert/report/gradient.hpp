#pragma once
/// The gradient of what a motion ends with, for people and in summary.json.

#include <string>

#include "dalembert/study/linear/gradient.hpp"

namespace dalembert::report {

/// A line for the value, one for each name.
std::string gradient_text(const study::Gradient& gradient);

/// summary.json with `gradient`: of, t, value, by (an object), steps, bytes, complete, reason.
std::string with_gradient(const std::string& summary, const study::Gradient& gradient);

}  // namespace dalembert::report
