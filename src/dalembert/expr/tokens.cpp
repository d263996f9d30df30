#include "dalembert/expr/tokens.hpp"

#include <fmt/format.h>

#include "dalembert/expr/characters.hpp"

namespace dalembert::expr {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Letters beyond ASCII: everything from U+00AA on but signs, punctuation, spaces, symbols and what
/// does not show.
bool is_wide_letter(char32_t c) {
  if (is_hidden(c)) return false;
  if (c < 0xaa || c == 0xd7 || c == 0xf7) return false;
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;
  if (c >= 0x2000 && c <= 0x2bff)
    return (c >= 0x2080 && c <= 0x209c) || (c >= 0x2100 && c <= 0x214f);
  if (c >= 0x3000 && c <= 0x3004) return false;
  if (c >= 0xe000 && c <= 0xf8ff) return false;
  return c < 0xfe00 || c > 0xffff;
}

/// What a character from a word processor was probably meant to be.
std::string_view ascii_lookalike(char32_t c) {
  switch (c) {
    case 0x2212:
    case 0x2013:
    case 0x2014:
      return "-";
    case 0xb7:
    case 0xd7:
    case 0x22c5:
    case 0x2217:
      return "*";
    case 0xf7:
    case 0x2215:
      return "/";
    case 0x2032:
    case 0x2019:
    case 0xb4:
    case '`':
      return "'";
    case 0x2033:
    case 0x201d:
    case '"':
      return "''";
    case 0xb2:
      return "^2";
    case 0xb3:
      return "^3";
    case '[':
    case '{':
      return "(";
    case ']':
    case '}':
      return ")";
    default:
      return {};
  }
}

/// Bytes of a condition that is none here, at the start of a text; 0 if there is none.
std::size_t condition_size(std::string_view text) {
  for (const std::string_view sign : {"!=", "≠", "≪", "≫", "?", "&&"}) {
    if (text.starts_with(sign)) return sign.size();
  }
  return 0;
}

class Scanner {
 public:
  Scanner(std::string_view text, std::size_t from) : text_(text) {
    token_.end = from;
    advance();
  }
  const Token& token() const { return token_; }

 private:
  void advance() {
    std::size_t i = token_.end;
    while (i < text_.size() &&
           (text_[i] == ' ' || text_[i] == '\t' || text_[i] == '\n' || text_[i] == '\r'))
      ++i;
    token_.begin = i;
    token_.end = i;
    if (i == text_.size()) {
      token_.kind = TokenKind::end;
      return;
    }
    const char c = text_[i];
    if (is_digit(c) || (c == '.' && i + 1 < text_.size() && is_digit(text_[i + 1]))) {
      scan_number();
      return;
    }
    if (scan_name() || scan_quoted()) return;
    token_.end = i + 1;
    switch (c) {
      case '+':
        token_.kind = TokenKind::plus;
        return;
      case '-':
        token_.kind = TokenKind::minus;
        return;
      case '*':
        if (text_.substr(i, 2) == "**")
          fail("'**' is not an operator; a power is written with '^'", i, i + 2);
        token_.kind = TokenKind::times;
        return;
      case '/':
        token_.kind = TokenKind::divide;
        return;
      case '^':
        token_.kind = TokenKind::power;
        return;
      case '(':
        token_.kind = TokenKind::open;
        return;
      case ')':
        token_.kind = TokenKind::close;
        return;
      case ',':
        token_.kind = TokenKind::comma;
        return;
      case '.':
        token_.kind = TokenKind::dot;
        return;
      case '\'':
        token_.kind = TokenKind::prime;
        return;
      case '=':
        token_.kind = TokenKind::equals;
        return;
      case '<':
      case '>': {
        const bool or_equal = text_.substr(i + 1, 1) == "=";
        if (text_.substr(i, 2) == "<>") condition(i, 2);
        if (or_equal) token_.end = i + 2;
        token_.kind = c == '<' ? (or_equal ? TokenKind::less_equal : TokenKind::less)
                               : (or_equal ? TokenKind::greater_equal : TokenKind::greater);
        return;
      }
      default:
        break;
    }
    const bool at_most = text_.substr(i).starts_with("≤");
    if (!at_most && !text_.substr(i).starts_with("≥")) bad_character(i);
    token_.kind = at_most ? TokenKind::less_equal : TokenKind::greater_equal;
    token_.end = i + std::string_view("≤").size();
  }

  [[noreturn]] void bad_character(std::size_t i) const {
    const std::size_t length = utf8_length(text_.substr(i));
    const auto byte = static_cast<unsigned char>(text_[i]);
    if (length == 0) fail(fmt::format("byte 0x{:02x} is not UTF-8", byte), i, i + 1);
    if (byte < 0x20 || byte == 0x7f)
      fail(fmt::format("control character 0x{:02x}", byte), i, i + 1);
    const std::string_view character = text_.substr(i, length);
    if (is_hidden(decode(character)))
      fail(fmt::format("{} is a character that does not show; remove it", *first_hidden(character)),
           i, i + length);
    if (const std::size_t size = condition_size(text_.substr(i)); size > 0) condition(i, size);
    if (character == "|") fail("unexpected '|'; a magnitude is written abs(x)", i, i + 1);
    const std::string_view meant = ascii_lookalike(decode(character));
    if (meant.empty()) fail(fmt::format("unexpected character '{}'", character), i, i + length);
    fail(fmt::format("unexpected character '{}'; did you mean {}?", character,
                     meant.find('\'') == std::string_view::npos ? fmt::format("'{}'", meant)
                                                                : fmt::format("\"{}\"", meant)),
         i, i + length);
  }

  [[noreturn]] void condition(std::size_t i, std::size_t size) const {
    fail(fmt::format(
             "'{}' is not a condition here; write cases as if(x < y, a, b), with <, <=, > or >=",
             text_.substr(i, size)),
         i, i + size);
  }

  void scan_number() {
    std::size_t i = token_.begin;
    while (i < text_.size() && (is_digit(text_[i]) || text_[i] == '.')) ++i;
    if (i < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
      std::size_t j = i + 1;
      if (j < text_.size() && (text_[j] == '+' || text_[j] == '-')) ++j;
      if (j < text_.size() && is_digit(text_[j])) {
        while (j < text_.size() && is_digit(text_[j])) ++j;
        i = j;
      }
    }
    token_.kind = TokenKind::number;
    token_.end = i;
  }

  bool scan_name() {
    std::size_t i = token_.begin;
    while (i < text_.size()) {
      if (is_ascii_letter(text_[i]) || (i > token_.begin && is_digit(text_[i]))) {
        ++i;
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(i));
      if (length < 2 || !is_wide_letter(decode(text_.substr(i, length)))) break;
      i += length;
    }
    if (i == token_.begin) return false;
    token_.kind = TokenKind::name;
    token_.end = i;
    return true;
  }

  /// A title behind a dot: lambda."left rod".
  bool scan_quoted() {
    const std::size_t i = token_.begin;
    if (i == 0 || text_[i] != '"' || text_[i - 1] != '.') return false;
    const std::size_t end = text_.find('"', i + 1);
    if (end == std::string_view::npos) fail("'\"' is never closed", i, i + 1);
    token_.kind = TokenKind::name;
    token_.end = end + 1;
    return true;
  }

  std::string_view text_;
  Token token_;
};

}  // namespace

void fail(std::string message, std::size_t begin, std::size_t end) {
  throw Stop{{std::move(message), begin, end}};
}

Token next_token(std::string_view text, std::size_t from) {
  return Scanner(text, from).token();
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xc2 && byte(0) <= 0xdf) return follows(1) ? 2 : 0;
  if ((byte(0) & 0xf0) == 0xe0) {
    if (!follows(1) || !follows(2)) return 0;
    if (byte(0) == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
    if (byte(0) == 0xed && byte(1) >= 0xa0) return 0;  // surrogate
    return 3;
  }
  if (byte(0) >= 0xf0 && byte(0) <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (byte(0) == 0xf0 && byte(1) < 0x90) return 0;
    if (byte(0) == 0xf4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

std::string_view without_quotes(std::string_view name) {
  return name.size() > 1 && name.front() == '"' ? name.substr(1, name.size() - 2) : name;
}

std::string title_text(std::string_view title) {
  return is_name(title) ? std::string(title) : fmt::format("\"{}\"", title);
}

bool is_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (is_ascii_letter(text[i]) || (i > 0 && is_digit(text[i]))) {
      ++i;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (length < 2 || !is_wide_letter(decode(text.substr(i, length)))) return false;
    i += length;
  }
  return !text.empty();
}

}  // namespace dalembert::expr
