#pragma once
/// Long formulas in short lines. A sum may be broken before its signs, best outside all
/// parentheses, and before a relation sign better than before + and -.

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/report/document/document.hpp"

namespace dalembert::report {

/// A formula as typed, in lines of at most `width` columns where its sums allow it; the first line
/// may be shorter by `used` columns. The lines after the first begin with the sign.
std::vector<std::string> break_text(std::string_view formula, std::size_t width,
                                    std::size_t used = 0);

/// The same for LaTeX, with widths in em as `latex_width` guesses them. A break inside
/// \left( ... \right) closes and opens the invisible halves \right. and \left. it needs, and a
/// fraction too wide for a line becomes a product.
std::vector<std::string> break_latex(std::string_view formula, double width, double used = 0);

/// The terms of a formula one by one, in LaTeX that stands alone; for pages whose width the reader
/// chooses. A term wider than `widest` em is itself broken, if it can be.
std::vector<std::string> latex_terms(std::string_view formula, double widest);

/// How wide the formula will be, in em: a guess, right within a fifth for what we print.
double latex_width(std::string_view formula);

/// "≡" as \equiv; "" stays empty. Signs without a command of their own are set as text.
std::string latex_relation(std::string_view sign);

/// A relation with only one side is all right side.
Display::Line normal_line(Display::Line line);

/// Whether the left sides are short enough to stand in a column of their own, for lines of `width`
/// em; if not, the lines start at the margin.
bool has_aligned_relations(const std::vector<Display::Line>& lines, double width);

}  // namespace dalembert::report
