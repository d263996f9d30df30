#pragma once
/// Characters of a text, and those that must not reach a person unseen.

#include <optional>
#include <string>
#include <string_view>

namespace dalembert::expr {

/// The character that a text of whole UTF-8 characters begins with.
char32_t decode(std::string_view character);

/// Whether a character does not show, or changes how others do: controls (a terminal obeys them),
/// marks of the direction of writing (they reorder what stands around them), and what has no width.
bool is_hidden(char32_t c);

/// The first hidden character of a text as "U+202E", or byte that is no UTF-8 as "byte 0xff"; those
/// in `allowed` do not count.
std::optional<std::string> first_hidden(std::string_view text, std::string_view allowed = "");

/// A text that a terminal shows as it is: hidden characters but tabs and ends of lines are written
/// <U+202E>, bytes that are no UTF-8 <0xff>.
std::string visible(std::string_view text);

}  // namespace dalembert::expr
