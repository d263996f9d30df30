#include "dalembert/report/document/document_parts.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace dalembert::report {

namespace {

constexpr char32_t replacement = 0xfffd;

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(char32_t c, const std::array<Range, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& r) { return c >= r.first && c <= r.last; });
}

// Marks set on the letter before them, and characters without an appearance.
constexpr std::array no_width = {
    Range{0x0300, 0x036f}, Range{0x0483, 0x0489}, Range{0x0591, 0x05bd}, Range{0x064b, 0x065f},
    Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff}, Range{0x200b, 0x200f}, Range{0x202a, 0x202e},
    Range{0x2060, 0x2064}, Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f},
    Range{0xfeff, 0xfeff},
};
constexpr std::array double_width = {
    Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0xa4cf},
    Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
    Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f},
    Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd},
};
// Beyond ASCII: spaces, punctuation, arrows, mathematical and other signs. No letters.
constexpr std::array signs = {
    Range{0x00a0, 0x00a9},   Range{0x00ab, 0x00b1}, Range{0x00b4, 0x00b4}, Range{0x00b6, 0x00b8},
    Range{0x00bb, 0x00bb},   Range{0x00bf, 0x00bf}, Range{0x00d7, 0x00d7}, Range{0x00f7, 0x00f7},
    Range{0x2000, 0x206f},   Range{0x2190, 0x2bff}, Range{0x3000, 0x3004}, Range{0xfffd, 0xfffd},
    Range{0x1f000, 0x1faff},
};

/// Direction marks can turn the reading order of a whole line, so they count as control characters.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || c == 0x2028 || c == 0x2029;
}

char32_t lower(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c >= 0xc0 && c <= 0xde && c != 0xd7) return c + 32;
  if (c >= 0x391 && c <= 0x3a9 && c != 0x3a2) return c + 32;
  if (c >= 0x410 && c <= 0x42f) return c + 32;
  return c;
}

std::string anchor(std::string_view title) {
  std::string result;
  while (!title.empty()) {
    const char32_t c = lower(take_character(title));
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (c == ' ') {
      result += '-';
    } else if (word || (c >= 0x80 && !within(c, signs))) {
      append_utf8(result, c);
    }
  }
  return result;
}

}  // namespace

char32_t take_character(std::string_view& text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  char32_t c = length < 2 ? lead : lead & (0x7fU >> length);
  bool valid = length > 0 && length <= text.size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xc0U) == 0x80U;
    c = (c << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (!valid || c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
    text.remove_prefix(1);
    return replacement;
  }
  text.remove_prefix(length);
  return c;
}

void append_utf8(std::string& to, char32_t c) {
  const auto put = [&to](char32_t byte) { to += static_cast<char>(byte); };
  const auto follow = [&](unsigned shift) { put(0x80U | ((c >> shift) & 0x3fU)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0U | (c >> 6U));
    follow(0);
  } else if (c < 0x10000) {
    put(0xe0U | (c >> 12U));
    follow(6);
    follow(0);
  } else {
    put(0xf0U | (c >> 18U));
    follow(12);
    follow(6);
    follow(0);
  }
}

std::string mended(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c == '\n' || (c == '\r' && (text.empty() || text.front() != '\n'))) {
      result += '\n';
    } else if (c == '\t') {
      result += "    ";
    } else if (!is_control(c)) {
      append_utf8(result, c);
    }
  }
  return result;
}

std::string one_line(std::string_view text) {
  std::string result = mended(text);
  std::replace(result.begin(), result.end(), '\n', ' ');
  return result;
}

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : mended(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::size_t columns(std::string_view text) {
  std::size_t result = 0;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c < 0x300) {
      ++result;
    } else if (!within(c, no_width)) {
      result += within(c, double_width) ? 2 : 1;
    }
  }
  return result;
}

std::string plain(const Runs& runs) {
  std::string result;
  for (const Run& run : runs) {
    const auto* math = std::get_if<Math>(&run);
    result += one_line(math != nullptr ? math->text : std::get<std::string>(run));
  }
  return result;
}

std::vector<std::string> anchors(const Document& document) {
  std::vector<std::string> result;
  std::set<std::string> taken = {anchor(one_line(document.title))};
  for (const Block& block : document.blocks) {
    const auto* heading = std::get_if<Heading>(&block);
    if (heading == nullptr) continue;
    const std::string name = anchor(one_line(heading->title));
    std::string unique = name;
    for (int k = 1; unique.empty() || taken.contains(unique); ++k)
      unique = name + "-" + std::to_string(k);
    taken.insert(unique);
    result.push_back(unique);
  }
  return result;
}

std::size_t column_count(const Table& table) {
  std::size_t result = table.header.size();
  for (const auto& row : table.rows) result = std::max(result, row.size());
  return result;
}

}  // namespace dalembert::report
