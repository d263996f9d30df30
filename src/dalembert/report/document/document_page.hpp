#pragma once
/// How an HTML document looks and comes to life: its style and the script that hands the formulas
/// to KaTeX.

#include <string_view>

namespace dalembert::report {

std::string_view page_style();

/// Renders every element of class "math"; those of class "display" in display style. A formula
/// that cannot be rendered stays readable as source, in an element of class "katex-error".
std::string_view page_script();

}  // namespace dalembert::report
