#pragma once
/// Characters beyond ASCII in LaTeX. They stand in the file as they are; the preamble says what
/// each one that occurs means, so that pdflatex meets no character it does not know.

#include <string>
#include <string_view>

namespace dalembert::report {

/// The definitions for every such character in `body`: Greek letters and mathematical signs by
/// their commands, accented Latin letters left to LaTeX, and whatever pdflatex has no letter for by
/// its code, "U+0436". lualatex looks for the last kind in its fonts.
std::string character_definitions(std::string_view body);

/// The text in ASCII for the bookmarks of a PDF: "φ" becomes "phi", what has no name its code.
std::string in_ascii(std::string_view text);

}  // namespace dalembert::report
