#include "dalembert/cli/view/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace dalembert::cli {

namespace {

using expr::Failure;
using nlohmann::json;

/// A request is an object of texts, numbers and objects of numbers.
constexpr int deepest = 2;

/// How deep brackets nest outside of strings; counting ends above `deepest`.
int depth_of(std::string_view text) {
  int depth = 0;
  int largest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size() && largest <= deepest; ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      largest = std::max(largest, ++depth);
    } else if (!in_string && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return largest;
}

expr::Result<json, std::string> read_object(std::string_view body) {
  if (depth_of(body) > deepest) return Failure<std::string>{"the JSON is nested too deeply"};
  try {
    json read = json::parse(body);
    if (!read.is_object()) return Failure<std::string>{"the request must be a JSON object"};
    return read;
  } catch (const json::exception& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at ...": the name in brackets helps nobody.
    if (const std::size_t end = what.find("] "); what.starts_with('[') && end != std::string::npos)
      what.erase(0, end + 2);
    return Failure{"this is not JSON: " + what};
  }
}

/// Reads one value after the other; the first that is wrong is remembered.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {}

  void text(const char* key, std::string& target) {
    const json* value = find(key);
    if (value == nullptr || !value->is_string())
      return fail(fmt::format("\"{}\" must be given, and be a text", key));
    target = value->get_ref<const std::string&>();
  }

  void text(const char* key, std::optional<std::string>& target) {
    if (const json* value = find(key)) {
      if (!value->is_string()) return fail(fmt::format("\"{}\" must be a text", key));
      target = value->get_ref<const std::string&>();
    }
  }

  void flag(const char* key, bool& target) {
    if (const json* value = find(key)) {
      if (!value->is_boolean()) return fail(fmt::format("\"{}\" must be true or false", key));
      target = value->get<bool>();
    }
  }

  void number(const char* key, std::optional<double>& target) {
    if (const json* value = find(key)) {
      if (!is_finite(*value)) return fail(fmt::format("\"{}\" must be a finite number", key));
      target = value->get<double>();
    }
  }

  void numbers(const char* key, std::map<std::string, double>& target) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_object()) return fail(fmt::format("\"{}\" must be an object of numbers", key));
    for (const auto& [name, entry] : value->items()) {
      if (!is_finite(entry))
        return fail(fmt::format("\"{}\" of \"{}\" must be a finite number", name, key));
      target[name] = entry.get<double>();
    }
  }

  /// What is wrong, also if there is a key that nobody has asked for.
  std::optional<std::string> problem() {
    if (problem_ || seen_ == object_.size()) return problem_;
    return "the request has a key that is not known";
  }

 private:
  const json* find(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) return nullptr;
    ++seen_;
    return &*found;
  }
  static bool is_finite(const json& value) {
    return value.is_number() && std::isfinite(value.get<double>());
  }
  void fail(std::string message) {
    if (!problem_) problem_ = std::move(message);
  }

  const json& object_;
  std::size_t seen_ = 0;
  std::optional<std::string> problem_;
};

}  // namespace

expr::Result<SimulateRequest, std::string> read_simulate_request(std::string_view body) {
  const auto object = read_object(body);
  if (!object) return Failure{object.error()};
  SimulateRequest request;
  Fields fields(*object);
  fields.text("text", request.text);
  fields.numbers("parameters", request.parameters);
  fields.numbers("initial", request.initial);
  fields.number("duration", request.duration);
  fields.number("samples", request.samples);
  fields.number("rtol", request.rtol);
  fields.number("atol", request.atol);
  fields.text("method", request.method);
  fields.text("integrator", request.integrator);
  fields.flag("equations", request.equations);
  if (const auto problem = fields.problem()) return Failure{*problem};
  return request;
}

expr::Result<SaveRequest, std::string> read_save_request(std::string_view body) {
  const auto object = read_object(body);
  if (!object) return Failure{object.error()};
  SaveRequest request;
  Fields fields(*object);
  fields.text("text", request.text);
  fields.flag("replace", request.replace);
  if (const auto problem = fields.problem()) return Failure{*problem};
  return request;
}

}  // namespace dalembert::cli
