/// Any bytes as a request to `view`: lines of a head, then a body after the first empty line.
///   * The guard lets pass only who knows the token, names this server as its host, comes from no
///     other site, and sends no more than is allowed.
///   * A body is refused with a sentence or read; what is read has finite numbers, and written as
///     JSON again it is read as the same.

#include <cmath>
#include <nlohmann/json.hpp>

#include "dalembert/cli/view/guard.hpp"
#include "dalembert/cli/view/request.hpp"
#include "fuzz.hpp"

namespace dalembert::cli {
namespace {

using fuzz::require;
using nlohmann::json;

constexpr std::string_view token = "0123abcd";
constexpr int port = 8080;
constexpr std::size_t largest_body = 1000;

/// Cuts off the text up to the next of these characters, which is dropped.
std::string_view next(std::string_view& text, char end) {
  const std::size_t length = text.find(end);
  const std::string_view part = text.substr(0, length);
  text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
  return part;
}

/// METHOD TARGET, then one header a line.
RequestHead head_of(std::string_view& text) {
  RequestHead head;
  std::string_view first = next(text, '\n');
  head.method = next(first, ' ');
  head.target = first;
  for (std::string_view line = next(text, '\n'); !line.empty(); line = next(text, '\n')) {
    const std::string_view name = next(line, ':');
    const std::string value(line);
    if (name == "Host") head.host.push_back(value);
    if (name == "Origin") head.origin.push_back(value);
    if (name == "Sec-Fetch-Site") head.fetch_site.push_back(value);
    if (name == "Content-Type") head.content_type.push_back(value);
    if (name == "Content-Length") head.content_length.push_back(value);
    if (name == "Transfer-Encoding") head.has_transfer_encoding = true;
    if (name == "Content-Encoding") head.has_content_encoding = true;
  }
  return head;
}

void check_guard(const RequestHead& head) {
  const Judgement judgement = ViewGuard(std::string(token), port, largest_body).judge(head);
  const int status = judgement.status;
  require(status == 200 || (status >= 400 && status < 500), "a request passes or is refused");
  if (status != 200) return;
  require(judgement.address != Address::none, "what passes has an address");
  require(head.target.starts_with("/" + std::string(token) + "/"), "what passes knows the token");
  require(head.host.size() == 1 && head.host[0].ends_with(":8080"),
          "what passes is addressed to this server");
  require(head.origin.empty() || head.origin[0].ends_with(":8080"),
          "what passes comes from no other site");
  for (const std::string& length : head.content_length)
    require(std::strtoull(length.c_str(), nullptr, 10) <= largest_body,
            "what passes is not too long");
}

json json_of(const SimulateRequest& r) {
  json result = {{"text", r.text}, {"equations", r.equations}};
  if (!r.parameters.empty()) result["parameters"] = r.parameters;
  if (!r.initial.empty()) result["initial"] = r.initial;
  if (r.duration) result["duration"] = *r.duration;
  if (r.samples) result["samples"] = *r.samples;
  if (r.method) result["method"] = *r.method;
  return result;
}

void check_body(std::string_view body) {
  if (const auto save = read_save_request(body)) {
    const json again = {{"text", save->text}, {"replace", save->replace}};
    const auto read = read_save_request(again.dump());
    require(read && read->text == save->text && read->replace == save->replace,
            "a request written again is the same");
  } else {
    require(!save.error().empty(), "what is refused has a reason");
  }
  const auto request = read_simulate_request(body);
  if (!request) {
    require(!request.error().empty(), "what is refused has a reason");
    return;
  }
  for (const auto* numbers : {&request->parameters, &request->initial}) {
    for (const auto& [name, value] : *numbers) require(std::isfinite(value), "numbers are finite");
  }
  const json written = json_of(*request);
  const auto again = read_simulate_request(written.dump());
  require(again && json_of(*again) == written, "a request written again is the same");
}

}  // namespace
}  // namespace dalembert::cli

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalembert::cli;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_body(text);
  check_guard(head_of(text));
  check_body(text);
  return dalembert::fuzz::kept;
}
