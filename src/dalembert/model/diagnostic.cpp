#include "dalembert/model/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "dalembert/expr/characters.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/text_index.hpp"

namespace dalembert::model {

namespace {

constexpr std::size_t most_shown = 20;
constexpr std::size_t window = 100;           // characters of a quoted line
constexpr std::size_t longest_message = 500;  // characters

/// The characters of a text, one string each; what a terminal cannot show as one column is
/// replaced.
std::vector<std::string> printable(std::string_view text) {
  std::vector<std::string> characters;
  while (!text.empty()) {
    const std::size_t length = expr::utf8_length(text.substr(0, 4));
    const bool hidden =
        length > 0 && text.front() != '\t' && expr::is_hidden(expr::decode(text.substr(0, length)));
    characters.emplace_back(length == 0 || hidden ? "?" : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return characters;
}

std::string one_line(std::string_view text) {
  const std::string cut = shortened(text, longest_message);
  return fmt::format("{}", fmt::join(printable(cut), ""));
}

std::string_view line_of(std::string_view text, int number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Bytes taken by the first characters of a text.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
  std::size_t bytes = 0;
  for (; characters > 0 && bytes < text.size(); --characters) {
    bytes += std::max<std::size_t>(1, expr::utf8_length(text.substr(bytes, 4)));
  }
  return bytes;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); i += bytes_of(text.substr(i), 1)) ++count;
  return count;
}

/// The line of a place, cut to what fits on a screen, and the line that marks the place.
std::pair<std::string, std::string> cut_line(std::string_view text, const Location& where) {
  const std::string_view whole = line_of(text, where.line);
  const std::size_t size = count_characters(whole);
  const std::size_t place = std::min(static_cast<std::size_t>(std::max(where.column, 1)) - 1, size);
  const auto marked = static_cast<std::size_t>(std::max(where.length, 1));
  std::size_t begin = 0;
  std::size_t end = size;
  if (size > window) {
    const std::size_t before = marked < window ? (window - marked) / 2 : 0;
    begin = std::min(place - std::min(place, before), size - window);
    end = begin + window;
  }
  const std::string_view rest = whole.substr(bytes_of(whole, begin));
  const std::vector<std::string> line = printable(rest.substr(0, bytes_of(rest, end - begin)));
  std::string shown = begin > 0 ? "..." : "";
  std::string carets(shown.size(), ' ');
  for (std::size_t i = begin; i < place; ++i) carets += line[i - begin] == "\t" ? "\t" : " ";
  carets.append(std::max<std::size_t>(1, std::min(marked, end - place)), '^');
  shown += fmt::format("{}{}", fmt::join(line, ""), end < size ? "..." : "");
  return {shown, carets};
}

}  // namespace

std::vector<std::string> quoted(std::string_view text, std::size_t begin, std::size_t end) {
  const auto [shown, carets] = cut_line(text, TextIndex(text).location(begin, end));
  return {"      | " + shown, "      | " + carets};
}

std::string to_string(const ModelError& error) {
  std::string text;
  std::size_t shown = 0;
  for (const Diagnostic& diagnostic : error.diagnostics) {
    if (shown++ == most_shown) break;
    const Location& where = diagnostic.where;
    const bool in_source = error.source && where.program == nullptr;
    if (where.program != nullptr)
      text += fmt::format("{}:{}: ", one_line(where.program), where.line);
    if (in_source) text += one_line(error.source->path) + ":";
    if (in_source && where.line > 0) text += fmt::format("{}:{}:", where.line, where.column);
    if (in_source) text += " ";
    text += "error: " + one_line(diagnostic.message) + "\n";
    if (in_source && where.line > 0) {
      const auto [line, carets] = cut_line(error.source->text, where);
      text += fmt::format("{:>5} | {}\n      | {}\n", where.line, line, carets);
    }
    for (const std::string& line : diagnostic.details) text += one_line(line) + "\n";
  }
  if (error.diagnostics.size() > most_shown) {
    text += fmt::format("and {} more\n", error.diagnostics.size() - most_shown);
  }
  return text;
}

}  // namespace dalembert::model
