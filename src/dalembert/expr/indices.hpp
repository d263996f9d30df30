#pragma once
/// Indices in texts: names with an index, ranges, and sums over one.
///
///   indexed := name '[' item {',' item} ']' {'}     th[i-1]', k[i, j]
///   range   := [name '='] index '..' index           i = 1..6
///   sum     := 'sum' '(' range {',' range} ',' expression ')'
///   index   := whole numbers and index variables with + - * and parentheses
///
/// `th[3]` is another spelling of the name `th3`, `k[1, 2]` of `k1_2`. A text with indices is
/// written out before it is parsed: sum(i = 1..3, th[i]) becomes ((th1)+(th2)+(th3)), and every
/// byte of that knows the bytes of the text that it stands for. The last number of a range belongs
/// to it; `1..0` is empty, and a sum over it is 0.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/expr/parse.hpp"

namespace dalembert::expr {

/// What index variables stand for.
using Indices = std::vector<std::pair<std::string, long>>;

inline constexpr long longest_range = 10'000;

struct IndexRange {
  std::string name = {};  ///< of the variable; empty: none
  long first = 1, last = 0;
  long size() const { return last - first + 1; }
};

/// One place between the brackets of a name.
struct IndexItem {
  /// `variable`: the name of an index that nothing is known of, in `range.name`.
  enum class Form : std::uint8_t { value, range, variable };

  Form form = Form::value;
  IndexRange range = {};  ///< of a value, from it to it
};

/// A name as lists and keys say it; without items it has no brackets.
struct IndexedName {
  std::string base = {};
  std::vector<IndexItem> items = {};
  int primes = 0;
};

/// Whether a text is a name with something in brackets behind it, as far as its first characters
/// show.
bool has_index(std::string_view text);

/// The name that an indexed one spells: th3, k1_2. Indices must not be negative.
std::string indexed_name(std::string_view base, std::span<const long> indices);

/// A title with the values of its indices, "rod [i]" as "rod 3"; what is no index stays.
std::string titled(std::string_view title, const Indices& known);

/// th1' for th[1]'; any other text as it is.
std::string spelt_out(std::string_view name);

Result<IndexedName, ParseError> parse_indexed_name(std::string_view text, const Indices& known);

/// With or without the name of a variable.
Result<IndexRange, ParseError> parse_range(std::string_view text, const Indices& known);

/// A text with its indices written out.
struct WrittenOut {
  std::string text = {};
  std::vector<std::uint32_t> begins = {}, ends = {};  ///< per byte, the bytes it stands for
  std::size_t size = 0;                               ///< of the text it was made of

  /// Bytes [begin, end) of `text` as bytes of the other one.
  std::pair<std::size_t, std::size_t> origin(std::size_t begin, std::size_t end) const;
};

/// What a text is written out by.
struct IndexRules {
  /// Why a name has no such index; nothing if it has.
  std::function<std::optional<std::string>(std::string_view base, std::span<const long> indices)>
      objection;
  /// Why a name cannot be that of an index; nothing if it can.
  std::function<std::optional<std::string>(std::string_view name)> variable_objection;
  /// Characters that may still be read and written; shared by all texts of a model.
  std::size_t* budget = nullptr;
};

/// Fails where an index is wrong, or the budget is spent. What else is wrong with the text is left
/// in it for the parser to find.
Result<WrittenOut, ParseError> write_out(std::string_view text, const Indices& known,
                                         const IndexRules& rules);

}  // namespace dalembert::expr
