#include "dalembert/study/study.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dalembert/model/draft.hpp"

namespace dalembert::study {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_shown = 80;  // characters of a value in a sentence

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json samples_of(const Study& study) {
  if (!is_sampled(study) && !study.sensitivities) return nullptr;
  Json samples;
  samples["kept"] = study.keep_samples;
  if (study.simulation.times.empty()) {
    samples["count"] = study.simulation.samples;
  } else {
    samples["times"] = study.simulation.times;
  }
  return samples;
}

Json document_of(const Study& study) {
  const motion::Motion& motion = study.plan.motion();
  const auto& source = motion.model().source;
  const std::string text = model::text_of(motion.model());
  Json document;
  document["format"] = 1;
  document["program"] = study.program;
  document["model"] = {{"name", motion.model().name},
                       {"file", source ? source->path : ""},
                       {"checksum", fmt::format("{:016x}", checksum(text))},
                       {"text", text}};
  document["set"] = Json::object();
  for (const auto& [name, value] : study.settings) document["set"][name] = value;
  for (const auto& [name, value] : study.initial) document["at"][name] = value;
  document["vary"] = Json::array();
  for (const Variation& variation : study.plan.variations())
    document["vary"].push_back(to_string(variation));
  document["runs"] = study.runs;
  document["seed"] = study.plan.seed();
  document["method"] = motion::to_string(motion.method());
  document["integrator"] = motion::to_string(study.simulation.integrator);
  document["duration"] = study.simulation.duration;
  document["rtol"] = study.simulation.rtol;
  document["atol"] = study.simulation.atol;
  if (std::isfinite(study.simulation.max_step)) document["max_step"] = study.simulation.max_step;
  document["statistics"] = Json::array();
  for (const Statistic& statistic : study.statistics) {
    if (!statistic.implied) document["statistics"].push_back(statistic.name);
  }
  if (study.sensitivities) document["sensitivity"] = study.sensitivities->names();
  document["samples"] = samples_of(study);
  return document;
}

/// Without what may differ between two manifests of one study.
Json essence(Json document) {
  if (document.contains("model") && document["model"].is_object()) document["model"].erase("file");
  return document;
}

std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= longest_shown ? text : text.substr(0, longest_shown) + "...";
}

}  // namespace

std::uint64_t sample_count(const Study& study) {
  const motion::SimulationOptions& options = study.simulation;
  return options.times.empty() ? static_cast<std::uint64_t>(options.samples) : options.times.size();
}

double sample_time(const Study& study, std::uint64_t k) {
  const motion::SimulationOptions& options = study.simulation;
  if (!options.times.empty()) return options.times[k];
  const std::uint64_t last = sample_count(study) - 1;
  return k == last ? options.duration
                   : options.duration * static_cast<double>(k) / static_cast<double>(last);
}

std::string manifest(const Study& study) {
  return text_of(document_of(study));
}

std::string identity(const Study& study) {
  return text_of(essence(document_of(study)));
}

std::optional<std::string> difference(const std::string& there, const std::string& here) {
  const Json theirs = essence(Json::parse(there, nullptr, false));
  const Json ours = essence(Json::parse(here));
  if (!theirs.is_object()) return "it is not a JSON document";
  std::string text;
  const auto compare = [&](const std::string& key, const Json& other, const Json& value) {
    if (other == value) return;
    text += text.empty() ? "it has " : ", ";
    text += key == "model" ? "another model"
                           : fmt::format("{} {} instead of {}", key, shown(other), shown(value));
  };
  for (const auto& [key, value] : ours.items())
    compare(key, theirs.contains(key) ? theirs[key] : Json(), value);
  for (const auto& [key, other] : theirs.items()) {
    if (!ours.contains(key)) compare(key, other, Json());
  }
  if (text.empty()) return std::nullopt;
  return text;
}

JournalShape journal_shape(const Study& study) {
  const motion::Motion& motion = study.plan.motion();
  return {checksum(identity(study)), motion.coordinates(), study.statistics.size(),
          study.keep_samples ? sample_columns(motion).size() : std::size_t{0}};
}

}  // namespace dalembert::study
