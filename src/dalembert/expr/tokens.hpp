#pragma once
/// The words of an expression: numbers, names, signs. For the parser alone.

#include <cstddef>
#include <string>
#include <string_view>

#include "dalembert/expr/parse.hpp"

namespace dalembert::expr {

enum class TokenKind {
  end,
  number,
  name,
  prime,
  plus,
  minus,
  times,
  divide,
  power,
  open,
  close,
  comma,
  dot,
  equals,
  less,
  less_equal,
  greater,
  greater_equal
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Signals the first error out of the descent; caught in the entry points of the parser, never seen
/// outside.
struct Stop {
  ParseError error;
};

[[noreturn]] void fail(std::string message, std::size_t begin, std::size_t end);

/// The token that begins at or behind a place in a text; fails on characters that are none.
Token next_token(std::string_view text, std::size_t from);

}  // namespace dalembert::expr
