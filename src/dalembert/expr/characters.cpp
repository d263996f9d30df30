#include "dalembert/expr/characters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dalembert/expr/parse.hpp"

namespace dalembert::expr {

namespace {

/// First and last of each range, in order: categories Cc and Cf of Unicode, separators of lines,
/// and letters that are drawn as nothing.
constexpr std::array<std::pair<char32_t, char32_t>, 24> hidden = {{
    {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},
    {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},
    {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
    {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd},
    {0x110cd, 0x110cd}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
}};

}  // namespace

char32_t decode(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(character[i]));
  };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return ((byte(0) & 0x1f) << 6) | (byte(1) & 0x3f);
    case 3:
      return ((byte(0) & 0x0f) << 12) | ((byte(1) & 0x3f) << 6) | (byte(2) & 0x3f);
    default:
      return ((byte(0) & 0x07) << 18) | ((byte(1) & 0x3f) << 12) | ((byte(2) & 0x3f) << 6) |
             (byte(3) & 0x3f);
  }
}

bool is_hidden(char32_t c) {
  const auto* range = std::lower_bound(
      hidden.begin(), hidden.end(), c,
      [](const std::pair<char32_t, char32_t>& r, char32_t wanted) { return r.second < wanted; });
  return range != hidden.end() && range->first <= c;
}

namespace {

/// Hands out the characters of a text: each, and whether it is UTF-8.
template <class Receive>
void for_each_character(std::string_view text, Receive receive) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text.substr(0, 4));
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (!receive(character, length > 0)) return;
    text.remove_prefix(character.size());
  }
}

}  // namespace

std::optional<std::string> first_hidden(std::string_view text, std::string_view allowed) {
  std::optional<std::string> found;
  for_each_character(text, [&](std::string_view c, bool good) {
    if (!good) {
      found = fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c.front()));
    } else if (is_hidden(decode(c)) && allowed.find(c) == std::string_view::npos) {
      found = fmt::format("U+{:04X}", static_cast<unsigned>(decode(c)));
    }
    return !found;
  });
  return found;
}

std::string visible(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](std::string_view c, bool good) {
    if (!good) {
      result += fmt::format("<0x{:02x}>", static_cast<unsigned char>(c.front()));
    } else if (is_hidden(decode(c)) && c != "\n" && c != "\t") {
      result += fmt::format("<U+{:04X}>", static_cast<unsigned>(decode(c)));
    } else {
      result += c;
    }
    return true;
  });
  return result;
}

}  // namespace dalembert::expr
