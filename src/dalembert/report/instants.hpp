#pragma once
/// Events, contacts and friction that sticks, as `check` lists them and `eval` tells their state.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dalembert/flow/state/touch_states.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::report {

/// A label ("contacts", "friction", "events", or empty where it goes on) and what it says, a line
/// each.
struct InstantLine {
  std::string label, text;
};
std::vector<InstantLine> instant_lines(const model::Model& model);

/// The same as the keys "contacts", "frictions" and "events" of a document.
void add_instants(nlohmann::ordered_json& document, const model::Model& model);

/// A table of the states, with what is to be said of them below.
std::string touch_states_text(const flow::TouchStates& states);
/// As the keys "contacts" and "frictions", and "motion": "one", "impact" or "undecided".
void add_touch_states(nlohmann::ordered_json& document, const flow::TouchStates& states);

}  // namespace dalembert::report
