#include "dalembert/report/document/katex.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "dalembert/report/document/embed.hpp"
#include "dalembert/report/page/base64.hpp"

// DALEMBERT_KATEX is the folder of KaTeX's files.
#define DALEMBERT_EMBED_FONT(name, file) \
  DALEMBERT_EMBED(name, DALEMBERT_KATEX "/fonts/KaTeX_" file ".woff2")

DALEMBERT_EMBED(script, DALEMBERT_KATEX "/katex.min.js")
DALEMBERT_EMBED(style, DALEMBERT_KATEX "/katex.min.css")
DALEMBERT_EMBED_FONT(ams, "AMS-Regular")
DALEMBERT_EMBED_FONT(calligraphic, "Caligraphic-Regular")
DALEMBERT_EMBED_FONT(main_bold, "Main-Bold")
DALEMBERT_EMBED_FONT(main_italic, "Main-Italic")
DALEMBERT_EMBED_FONT(main_regular, "Main-Regular")
DALEMBERT_EMBED_FONT(math_bold, "Math-BoldItalic")
DALEMBERT_EMBED_FONT(math_italic, "Math-Italic")
DALEMBERT_EMBED_FONT(script_regular, "Script-Regular")
DALEMBERT_EMBED_FONT(size1, "Size1-Regular")
DALEMBERT_EMBED_FONT(size2, "Size2-Regular")
DALEMBERT_EMBED_FONT(size3, "Size3-Regular")
DALEMBERT_EMBED_FONT(size4, "Size4-Regular")
DALEMBERT_EMBED_FONT(typewriter, "Typewriter-Regular")

namespace dalembert::report {

namespace {

struct Font {
  std::string_view name;  ///< of the file, as the style names it
  std::string_view (*data)();
  std::array<std::string_view, 4> commands = {};  ///< one must occur; none: always needed
};

constexpr std::array fonts = {
    Font{"KaTeX_Main-Regular", embedded_main_regular},
    Font{"KaTeX_Math-Italic", embedded_math_italic},
    Font{"KaTeX_Size1-Regular", embedded_size1},
    Font{"KaTeX_Size2-Regular", embedded_size2},
    Font{"KaTeX_Size3-Regular", embedded_size3},
    Font{"KaTeX_Size4-Regular", embedded_size4},
    Font{"KaTeX_AMS-Regular", embedded_ams},
    Font{"KaTeX_Caligraphic-Regular", embedded_calligraphic, {"\\mathcal", "\\cal"}},
    Font{"KaTeX_Main-Bold", embedded_main_bold, {"\\mathbf", "\\textbf", "\\bold", "\\bm"}},
    Font{"KaTeX_Main-Italic", embedded_main_italic, {"\\mathit", "\\textit", "\\emph"}},
    Font{"KaTeX_Math-BoldItalic", embedded_math_bold, {"\\bold", "\\bm"}},
    Font{"KaTeX_Script-Regular", embedded_script_regular, {"\\mathscr"}},
    Font{"KaTeX_Typewriter-Regular", embedded_typewriter, {"\\mathtt", "\\texttt"}},
};

bool is_needed(const Font& font, std::string_view formulas) {
  if (font.commands.front().empty()) return true;
  return std::any_of(font.commands.begin(), font.commands.end(), [&](std::string_view command) {
    return !command.empty() && formulas.find(command) != std::string_view::npos;
  });
}

/// One @font-face rule of the style with its font inside; empty if the font is not needed.
std::string font_face(std::string_view rule, std::string_view formulas) {
  for (const Font& font : fonts) {
    const std::string file = std::string(font.name) + ".woff2)";
    if (rule.find(file) == std::string_view::npos || !is_needed(font, formulas)) continue;
    const std::size_t source = rule.find("src:");
    const std::size_t rest = rule.find_first_of(";}", source);
    if (source == std::string_view::npos || rest == std::string_view::npos) continue;
    std::string result(rule.substr(0, source));
    result += "src:url(data:font/woff2;base64,";
    append_base64(result, font.data());
    result += ") format('woff2')";
    return result += rule.substr(rest);
  }
  return {};
}

}  // namespace

std::string_view katex_script() {
  return embedded_script();
}

std::string katex_style(std::string_view formulas) {
  constexpr std::string_view face = "@font-face{";
  std::string result;
  for (std::string_view rest = embedded_style(); !rest.empty();) {
    const std::size_t begin = std::min(rest.find(face), rest.size());
    result += rest.substr(0, begin);
    rest.remove_prefix(begin);
    const std::size_t end = std::min(rest.find('}'), rest.size() - 1);
    if (rest.empty()) break;
    result += font_face(rest.substr(0, end + 1), formulas);
    rest.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace dalembert::report
