#include "dalembert/model/toml/literal.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace dalembert::model {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::size_t line_break(std::string_view text, std::size_t i) {
  if (text.substr(i, 1) == "\n") return 1;
  return text.substr(i, 2) == "\r\n" ? 2 : 0;
}

/// Bytes that UTF-8 takes for the code point written in hexadecimal digits.
std::size_t encoded_size(std::string_view digits) {
  unsigned long code = 0;
  for (const char c : digits) {
    const bool decimal = c >= '0' && c <= '9';
    code = code * 16 + static_cast<unsigned long>(decimal ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/// How a literal is read on: bytes of source, and the bytes of content they write.
struct Piece {
  std::size_t source = 0;
  std::size_t content = 0;
};

Piece escape_at(std::string_view text, std::size_t i, bool multi_line) {
  const char kind = i + 1 < text.size() ? text[i + 1] : '\0';
  if (kind == 'u') return {6, encoded_size(text.substr(i + 2, 4))};
  if (kind == 'U') return {10, encoded_size(text.substr(i + 2, 8))};
  if (multi_line &&
      is_blank(kind)) {  // a backslash at the end of a line eats the blanks that follow
    std::size_t end = i + 1;
    while (end < text.size() && is_blank(text[end])) ++end;
    return {end - i, 0};
  }
  return {2, 1};
}

}  // namespace

std::vector<std::size_t> content_offsets(std::string_view text, std::size_t literal,
                                         std::size_t size) {
  std::vector<std::size_t> offsets;
  if (literal >= text.size()) return offsets;
  const char quote = text[literal];
  if (quote != '"' && quote != '\'') return offsets;
  const bool multi_line = text.substr(literal, 3) == std::string(3, quote);
  std::size_t i = literal + (multi_line ? 3 : 1);
  if (multi_line) i += line_break(text, i);
  offsets.reserve(size + 1);
  while (offsets.size() < size && i < text.size()) {
    Piece piece{1, 1};
    if (quote == '"' && text[i] == '\\') {
      piece = escape_at(text, i, multi_line);
    } else if (const std::size_t length = line_break(text, i); length > 0) {
      piece = {length, 1};
    }
    offsets.insert(offsets.end(), piece.content, i);
    i += piece.source;
  }
  if (offsets.size() != size) return {};
  offsets.push_back(std::min(i, text.size()));
  return offsets;
}

std::string_view bare_literal(std::string_view text, std::size_t offset) {
  constexpr std::string_view delimiters = " \t\r\n,]}#=";
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  return rest.substr(0, rest.find_first_of(delimiters));
}

std::optional<expr::Rational> exact_number(std::string_view literal) {
  std::string digits;
  std::copy_if(literal.begin(), literal.end(), std::back_inserter(digits),
               [](char c) { return c != '_'; });
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  std::optional<expr::Rational> value;
  const std::string_view prefix = std::string_view(digits).substr(0, 2);
  const int base = prefix == "0x" ? 16 : prefix == "0o" ? 8 : prefix == "0b" ? 2 : 10;
  if (base == 10) {
    value = expr::rational_from_decimal(digits);
  } else {
    mpz_class integer;
    if (integer.set_str(digits.substr(2), base) == 0) value = expr::Rational(integer);
  }
  if (value && negative) *value = -*value;
  return value;
}

namespace {

/// The end of the string literal at `i`; the end of the text when it is never closed.
std::size_t string_end(std::string_view text, std::size_t i) {
  const char quote = text[i];
  const std::string triple(3, quote);
  const bool multi_line = text.substr(i, 3) == triple;
  for (i += multi_line ? 3 : 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (!multi_line && (text[i] == quote || text[i] == '\n')) {
      return i + 1;
    } else if (multi_line && text.substr(i, 3) == triple) {
      i += 3;
      for (int extra = 0; extra < 2 && i < text.size() && text[i] == quote; ++extra) ++i;
      return i;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> find_key_too_deep(std::string_view text) {
  int dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '"' || c == '\'') {
      i = string_end(text, i);
    } else {
      const bool in_key = c == ' ' || c == '\t' || c == '_' || c == '-' || (c >= '0' && c <= '9') ||
                          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (c == '.') {
        if (++dots == longest_key) return i;
      } else if (!in_key) {
        dots = 0;
      }
      ++i;
    }
  }
  return std::nullopt;
}

}  // namespace dalembert::model
