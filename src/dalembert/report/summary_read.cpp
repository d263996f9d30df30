#include <limits>
#include <nlohmann/json.hpp>

#include "dalembert/report/json.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

/// What is not a number is null in JSON.
double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

motion::Summary summary_of(Json document) {  // what it does not have is null
  const auto number = [&](const char* key) { return number_of(document[key]); };
  const auto count = [&](const char* key) { return document.value(key, 0L); };
  motion::Summary s;
  s.adjusted = document.value("adjusted", false);
  for (const Json& change : document["largest_changes"])
    s.changes.push_back({change.at("name"), change.at("from"), change.at("to")});
  s.complete = document.value("complete", false);
  s.reason = document.value("reason", "");
  s.t = number("t");
  s.samples = count("rows");
  s.steps = count("steps");
  s.taylor_steps = document.value("taylor_steps", 0L);
  if (const auto chosen = document.find("chosen"); chosen != document.end()) {
    s.chosen = motion::integrator_from_string(chosen->at("integrator").get<std::string>());
    s.choice = chosen->at("reason").get<std::string>();
  }
  s.rejected = count("rejected");
  s.evaluations = count("evaluations");
  s.jacobians = count("jacobians");
  if (const Json& gimbal = document["gimbal"]; !gimbal.is_null()) {
    motion::GimbalApproach approach;
    gimbal.at("body").get_to(approach.body);
    gimbal.at("axes").get_to(approach.axes);
    gimbal.at("t").get_to(approach.t);
    gimbal.at("determinant").get_to(approach.determinant);
    s.gimbal = approach;
  }
  if (const Json& stiff = document["stiff"]; !stiff.is_null())
    s.stiff = motion::Stiffness{stiff.at("t"), stiff.at("steps")};
  s.seconds = number("seconds");
  s.largest_residual = number("largest_residual");
  s.largest_drift = number("largest_drift");
  s.balance_error = number("balance_error_absolute");
  s.energy_scale = number("energy_scale");
  const Json& work = document["work"];
  s.work_applied = number_of(work.at("applied"));
  s.work_ideal = number_of(work.at("ideal"));
  s.work_nonideal = number_of(work.at("nonideal"));
  s.work_other = number_of(work.at("other"));
  if (document.contains("events")) {
    s.has_instants = true;
    for (const auto& [name, kinds] : document["events"].items()) {
      for (const auto& [kind, times] : kinds.items()) s.event_counts[name][kind] = times;
    }
    s.energy_lost = number("energy_lost");
  }
  for (const Json& output : document["not_finite"])
    s.not_finite.push_back({output.at("output"), output.at("t")});
  if (document.contains("reactions")) {
    for (const Json& reaction : document["reactions"])
      s.unique_reactions.push_back(reaction.at("unique"));
  }
  if (document.contains("friction_not_assured") && !document["friction_not_assured"].is_null())
    s.friction_not_assured = document["friction_not_assured"].get<double>();
  for (const Json& doubt : document["doubts"]) s.doubts.push_back(doubt);
  s.rank = document.value("rank", 0);
  s.rank_change_count = count("rank_change_count");
  for (const Json& change : document["rank_changes"])
    s.rank_changes.push_back({change.at("t"), change.at("from"), change.at("to")});
  s.passage_count = count("passage_count");
  for (const Json& passage : document["passages"])
    s.passages.push_back({passage.at("t"), passage.at("rank"), passage.at("rank_there")});
  s.switch_count = count("coordinate_switch_count");
  for (const Json& change : document["coordinate_switches"]) {
    s.switches.push_back({.t = change.at("t"),
                          .from = change.at("from"),
                          .to = change.at("to"),
                          .quasi_velocities = change.at("what") == "quasi-velocities"});
  }
  return s;
}

}  // namespace

std::optional<motion::Summary> read_summary(std::string_view json) {
  try {
    return summary_of(Json::parse(json));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace dalembert::report
