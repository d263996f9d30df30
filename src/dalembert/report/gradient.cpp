#include "dalembert/report/gradient.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace dalembert::report {

std::string gradient_text(const study::Gradient& gradient) {
  if (!gradient.complete) return {};
  std::string text =
      fmt::format("  {:<13} {} = {:.12g} at t = {:.6g}, by {} steps back\n", "gradient",
                  gradient.of, gradient.value, gradient.t, gradient.steps);
  for (std::size_t i = 0; i < gradient.names.size(); ++i)
    text += fmt::format("  {:<13} d/d({}) = {:.12g}\n", "", gradient.names[i], gradient.by[i]);
  return text;
}

std::string with_gradient(const std::string& summary, const study::Gradient& gradient) {
  using Json = nlohmann::ordered_json;
  Json document = Json::parse(summary);
  Json& entry = document["gradient"];
  entry["of"] = gradient.of;
  entry["t"] = gradient.t;
  entry["value"] = gradient.complete ? Json(gradient.value) : Json();
  entry["by"] = Json::object();
  for (std::size_t i = 0; i < gradient.names.size(); ++i)
    entry["by"][gradient.names[i]] = gradient.complete ? Json(gradient.by[i]) : Json();
  entry["steps"] = gradient.steps;
  entry["bytes"] = gradient.bytes;
  entry["complete"] = gradient.complete;
  if (!gradient.complete) entry["reason"] = gradient.reason;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dalembert::report
