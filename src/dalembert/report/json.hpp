#pragma once
/// The JSON documents of the contract, as text ending in a newline. Numbers read back to the same
/// double; what is not a number (an unconstrained acceleration where M is singular) is null.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/motion/simulate.hpp"

namespace dalembert::report {

/// `eval --json`: one state with M, Q, A, b, accelerations, forces, and each constraint's share.
std::string evaluation_json(const motion::Motion& motion, const motion::State& state,
                            const motion::Acceleration& acceleration,
                            const motion::Residuals& residuals);

/// summary.json, also `run --json`; with `discretes`, the values of Model::discretes at the last
/// row, in that order.
std::string summary_json(const motion::Motion& motion, const motion::SimulationOptions& options,
                         const motion::Summary& summary, std::span<const double> discretes = {});

/// What summary_json said of a motion, so that one that was kept can be shown again; nothing where
/// the text is no such document.
std::optional<motion::Summary> read_summary(std::string_view json);

}  // namespace dalembert::report
