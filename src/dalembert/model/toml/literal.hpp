#pragma once
/// TOML literals as they stand in the source: what wrote each byte of a string, and the exact value
/// of a number.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "dalembert/expr/rational.hpp"

namespace dalembert::model {

/// For each byte of the string whose literal begins at `literal`, and for its end, the offset in
/// `text` of the character or escape that wrote it. Knows all four kinds of strings. Empty when the
/// literal does not write `size` bytes.
std::vector<std::size_t> content_offsets(std::string_view text, std::size_t literal,
                                         std::size_t size);

/// The unquoted literal (a number, say) that begins at an offset.
std::string_view bare_literal(std::string_view text, std::size_t offset);

/// The exact value of a TOML number: decimal, hexadecimal, octal or binary, with underscores.
/// Nothing for `inf` and `nan`.
std::optional<expr::Rational> exact_number(std::string_view literal);

inline constexpr int longest_key = 8;  ///< parts of a dotted key

/// Where a dotted key has more than `longest_key` parts, if anywhere. Tables are nested by dots,
/// and taken apart by recursion, so their depth must be known to be small before they are built.
std::optional<std::size_t> find_key_too_deep(std::string_view text);

}  // namespace dalembert::model
