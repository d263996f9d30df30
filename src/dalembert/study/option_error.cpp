#include "dalembert/study/option_error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/model/complaints.hpp"

namespace dalembert::study {

namespace {

constexpr std::size_t longest_shown = 60;  // characters before the place, and behind it

/// The last characters of a text, with "..." when there are more.
std::string last_part(std::string_view text) {
  std::size_t characters = 0;
  std::size_t begin = text.size();
  while (begin > 0 && characters < longest_shown) {
    --begin;
    if ((static_cast<unsigned char>(text[begin]) & 0xc0) != 0x80) ++characters;
  }
  return (begin > 0 ? "..." : "") + std::string(text.substr(begin));
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

model::Diagnostic option_error(const std::string& option, const std::string& text,
                               std::size_t begin, std::size_t end, const std::string& message) {
  begin = std::min(begin, text.size());
  end = std::clamp(end, begin, text.size());
  const std::string before = last_part(std::string_view(text).substr(0, begin));
  const std::string after =
      model::shortened(std::string_view(text).substr(begin), 2 * longest_shown);
  const std::size_t marked = std::clamp<std::size_t>(
      count_characters(std::string_view(text).substr(begin, end - begin)), 1, 2 * longest_shown);
  return {fmt::format("{} '{}': {}", option, model::shortened(text, longest_shown), message),
          {},
          {fmt::format("    {}{}", before, after),
           fmt::format("    {}{}", std::string(count_characters(before), ' '),
                       std::string(marked, '^'))}};
}

}  // namespace dalembert::study
