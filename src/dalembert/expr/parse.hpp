#pragma once
/// From text to expressions, with exact positions of what is wrong.
///
///   expression := ['+'|'-'] term { ('+'|'-') term }        term  := factor { ('*'|'/') factor }
///   factor     := ('+'|'-') factor | power                 power := primary [ '^' factor ] (binds
///   to the right) primary    := number | name {'} | name '.' name {'} | function '(' expression
///   {',' expression} ')' | '(' ... ')'
///
/// so `-x^2` is -(x²) and `x'^2` is (x')². Juxtaposition is not multiplication.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/result.hpp"

namespace dalembert::expr {

/// What is wrong with a text, and where: bytes [begin, end) of it.
struct ParseError {
  std::string message;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Tells what a name stands for. `name` may be dotted (`ideal.x`); `primes` counts the ' behind it.
/// The failure is the sentence to show.
using Resolve = std::function<Result<Expr, std::string>(std::string_view name, int primes)>;

inline constexpr int nesting_limit = 500;  ///< of parentheses, powers and signs

Result<Expr, ParseError> parse(std::string_view text, const Resolve& resolve);

/// `lhs = rhs`, exactly one `=`.
Result<Equation, ParseError> parse_equation(std::string_view text, const Resolve& resolve);

/// Resolves every plain name to a parameter, primed or `t` accordingly when listed: for tests and
/// round trips.
Resolve resolve_symbols(std::vector<std::string> coordinates);

/// A name may start with a letter (of any alphabet) or `_` and go on with letters, digits and `_`.
bool is_name(std::string_view text);

/// Names that mean something to the parser: `t`, `pi`, functions, and the words the model language
/// keeps.
bool is_reserved(std::string_view name);

/// Length of a UTF-8 character at the start of text, 0 if it is malformed.
std::size_t utf8_length(std::string_view text);

}  // namespace dalembert::expr
