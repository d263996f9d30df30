#pragma once
/// From text to expressions, with exact positions of what is wrong.
///
///   expression := ['+'|'-'] term { ('+'|'-') term }
///   term       := factor { ('*'|'/') factor }
///   factor     := ('+'|'-') factor | power
///   power      := primary [ '^' factor ]                         (binds to the right)
///   primary    := number | name {'} | name '.' (name {'} | '"' title '"') | vector [ '.'
///   ('x'|'y'|'z') ]
///               | function '(' expression {',' expression} ')' | '(' expression ')'
///   vector     := name {'} | 'point' '(' name ',' expression ',' expression ',' expression ')' {'}
///               | 'cross' '(' expression ',' expression ')' | '(' expression ')'
///
/// so `-x^2` is -(x²) and `x'^2` is (x')². Juxtaposition is not multiplication. Where a scope knows
/// vectors, sums of them, their multiples, `dot`, `cross` and `norm` are expressions too.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/result.hpp"
#include "dalembert/expr/table.hpp"
#include "dalembert/expr/vector.hpp"

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

/// What names stand for where some stand for vectors. `vector` and `point` may be empty.
struct Scope {
  Resolve scalar;
  /// A name whose value is a vector, `primes` times differentiated; nothing if it is none.
  std::function<std::optional<Result<Vector, std::string>>(std::string_view name, int primes)>
      vector = {};
  /// The point of a body at `place` in its axes, `primes` times differentiated.
  std::function<Result<Vector, std::string>(std::string_view body, const Vector& place, int primes)>
      point = {};
  /// The table of a name, F in F(s); null where there is none.
  std::function<std::shared_ptr<const Table>(std::string_view name)> table = {};
  /// The names of all tables, for suggestions.
  std::vector<std::string> tables = {};
};

using Value = std::variant<Expr, Vector>;

inline constexpr int nesting_limit = 500;  ///< of parentheses, powers and signs

Result<Expr, ParseError> parse(std::string_view text, const Resolve& resolve);

/// The names in a text as far as it can be read, in their order, without what stands behind a dot
/// and without functions that are called: all that an expression can refer to.
std::vector<std::string_view> names_in(std::string_view text);

/// A text with one name in place of another, as far as it can be read: where it stands by itself or
/// before a dot, and behind `ideal.` and `nonideal.`.
std::string renamed(std::string_view text, std::string_view from, std::string_view to);

/// A text with other titles behind `lambda.` and `reaction.`, as far as it can be read. `rename`
/// answers with the new title, or with what it was given.
std::string with_titles(std::string_view text,
                        const std::function<std::string(std::string_view title)>& rename);

/// `lhs = rhs`, exactly one `=`.
Result<Equation, ParseError> parse_equation(std::string_view text, const Resolve& resolve);

/// A number or a vector.
Result<Value, ParseError> parse_value(std::string_view text, const Scope& scope);

/// One equation, or three where both sides are vectors.
Result<std::vector<Equation>, ParseError> parse_equations(std::string_view text,
                                                          const Scope& scope);

/// Resolves every plain name to a parameter, primed or `t` accordingly when listed: for tests and
/// round trips.
Resolve resolve_symbols(std::vector<std::string> coordinates);

/// A name may start with a letter (of any alphabet) or `_` and go on with letters, digits and `_`.
bool is_name(std::string_view text);

/// Names that mean something to the parser: `t`, `pi`, functions, and the words the model language
/// keeps.
bool is_reserved(std::string_view name);

/// What stands between the quotes of a title behind a dot; a plain name as it is.
std::string_view without_quotes(std::string_view name);

/// A title as it stands behind a dot: in quotes where it is no name.
std::string title_text(std::string_view title);

/// Length of a UTF-8 character at the start of text, 0 if it is malformed.
std::size_t utf8_length(std::string_view text);

}  // namespace dalembert::expr
