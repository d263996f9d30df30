#include "dalembert/study/parts/part.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <charconv>
#include <nlohmann/json.hpp>

namespace dalembert::study {

Part part_here(const Shard& shard) {
  utsname system{};
  return {shard, arithmetic(), ::uname(&system) == 0 ? system.nodename : "unknown"};
}

std::string to_json(const Part& part) {
  nlohmann::ordered_json document;
  document["shard"] = part.shard.number;
  document["of"] = part.shard.of;
  document["arithmetic"] = {{"name", part.arithmetic.name},
                            {"probe", fmt::format("{:016x}", part.arithmetic.probe)}};
  document["host"] = part.host;
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<Part> read_part(const std::string& text) {
  const auto document = nlohmann::json::parse(text, nullptr, false);
  const auto object = [](const nlohmann::json& parent, const char* key) {
    const auto found = parent.is_object() ? parent.find(key) : parent.end();
    return parent.is_object() && found != parent.end() ? *found : nlohmann::json();
  };
  const nlohmann::json number = object(document, "shard"), of = object(document, "of");
  const nlohmann::json computed = object(document, "arithmetic");
  const nlohmann::json name = object(computed, "name"), probe = object(computed, "probe");
  const nlohmann::json host = object(document, "host");
  if (!number.is_number_unsigned() || !of.is_number_unsigned() || !name.is_string() ||
      !probe.is_string() || !host.is_string())
    return std::nullopt;
  std::optional<Part> read(std::in_place);
  Part& part = *read;
  part.shard = {number.get<std::uint64_t>(), of.get<std::uint64_t>()};
  part.arithmetic.name = name.get<std::string>();
  part.host = host.get<std::string>();
  const std::string digits = probe.get<std::string>();
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), part.arithmetic.probe, 16);
  const bool fits =
      part.shard.number >= 1 && part.shard.number <= part.shard.of && part.shard.of <= most_shards;
  if (error != std::errc() || end != digits.data() + digits.size() || !fits) return std::nullopt;
  return read;
}

}  // namespace dalembert::study
