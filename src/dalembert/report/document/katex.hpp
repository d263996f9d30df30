#pragma once
/// KaTeX, the typesetter of formulas in web pages, as part of this library: a page that carries it
/// needs no network. Its files are taken from the system when dalembert is built.

#include <string>
#include <string_view>

namespace dalembert::report {

/// The script; defines `katex`. Safe inside <script>.
std::string_view katex_script();

/// The style, with the fonts inside that the LaTeX in `formulas` can ask for (bold and script
/// letters only if a command for them occurs).
std::string katex_style(std::string_view formulas);

}  // namespace dalembert::report
