#pragma once
/// What the renderers of `document.hpp` share: text as characters, the width of characters on a
/// terminal, and the names of sections in links.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/report/document/document.hpp"

namespace dalembert::report {

/// Takes the first character off `text` and returns its code point. Bytes that are not UTF-8 are
/// taken one at a time as U+FFFD. `text` must not be empty.
char32_t take_character(std::string_view& text);

void append_utf8(std::string& to, char32_t character);

/// The text in valid UTF-8 without control characters: line ends (also those of Windows) stay, a
/// tab becomes four spaces.
std::string mended(std::string_view text);

/// The same on one line, for titles and sentences.
std::string one_line(std::string_view text);

/// The text, mended, for HTML: between tags, or in an attribute with quotes.
std::string html_text(std::string_view text);

/// Columns the text takes on a terminal: an accent none, a Chinese letter two.
std::size_t columns(std::string_view text);

/// What the runs say in plain text, formulas as typed.
std::string plain(const Runs& runs);

/// The anchor of every heading, in order: the title as GitHub writes it in links, with "-1", "-2",
/// ... where a title returns.
std::vector<std::string> anchors(const Document& document);

/// Columns of the longest row; shorter ones end in empty cells.
std::size_t column_count(const Table& table);

}  // namespace dalembert::report
