#include "dalembert/report/document/document_formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "dalembert/report/document/document_parts.hpp"

namespace dalembert::report {

namespace {

constexpr double aligned_share = 0.33;
constexpr double sign_width = 1.5;   ///< em, of a sign before a term
constexpr double short_group = 0.4;  ///< of the width: so short a parenthesis is not broken
constexpr double short_line = 0.25;  ///< of the width: so short a line is not left behind

struct Relation {
  std::string_view sign, latex;
};
constexpr std::array relations = {
    Relation{"=", "="},
    Relation{"≡", "\\equiv"},
    Relation{"≠", "\\neq"},
    Relation{"≈", "\\approx"},
    Relation{"<", "<"},
    Relation{">", ">"},
    Relation{"≤", "\\leq"},
    Relation{"≥", "\\geq"},
    Relation{"∝", "\\propto"},
    Relation{"∈", "\\in"},
    Relation{"→", "\\to"},
    Relation{"↦", "\\mapsto"},
    Relation{"⇒", "\\Rightarrow"},
    Relation{"⟹", "\\Rightarrow"},
    Relation{"⇔", "\\Leftrightarrow"},
    Relation{"∼", "\\sim"},
    Relation{"~", "\\sim"},
    Relation{"≪", "\\ll"},
    Relation{"≫", "\\gg"},
    Relation{"⊥", "\\perp"},
    Relation{":=", "\\mathrel{:=}"},
    Relation{"≔", "\\mathrel{:=}"},
};

struct Break {
  std::size_t position;  ///< of the sign
  int depth;             ///< 0 before a relation, 1 before + and -, 2 before a product; and
                         ///< `parenthesis` more for each around it
};
constexpr int parenthesis = 3;

using Measure = double (*)(std::string_view);

enum class Script { text, latex };

/// The sign at the start of `rest`, which follows a space: 0 for a relation, 1 for + and -, 2 for
/// the sign between a fraction and a parenthesis that `unfolded` writes.
int sign_depth(std::string_view rest, Script script) {
  const std::string_view sign = rest.substr(0, rest.find(' '));
  if (sign.size() == rest.size()) return -1;
  if (sign == "+" || sign == "-") return 1;
  if (rest.starts_with("\\cdot \\left(")) return 2;
  const bool relation = std::any_of(relations.begin(), relations.end(), [&](const Relation& r) {
    return sign == (script == Script::text ? r.sign : r.latex);
  });
  return relation ? 0 : -1;
}

std::string_view command_at(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
  return text.substr(0, std::max<std::size_t>(end, std::min<std::size_t>(2, text.size())));
}

/// The places for breaks. Parentheses less than `smallest` wide have none.
std::vector<Break> breaks_of(std::string_view text, Script script, Measure measure,
                             double smallest) {
  std::vector<Break> result;
  std::vector<std::size_t> open;  // where the parentheses begin
  int groups = 0;                 // of braces and environments, in which there is no break
  const auto close = [&](std::size_t end) {
    if (open.empty()) return;
    const std::size_t begin = open.back();
    open.pop_back();
    if (result.empty() || result.back().position < begin) return;
    if (measure(text.substr(begin, end - begin)) >= smallest) return;
    while (!result.empty() && result.back().position >= begin) result.pop_back();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && script == Script::latex) {
      const std::string_view command = command_at(text.substr(i));
      if (command == "\\begin") ++groups;
      if (command == "\\end") --groups;
      if (command == "\\left" && groups <= 0) open.push_back(i);
      if (command == "\\right" && groups <= 0) close(i);
      i += command.size() - 1;
      const bool delimiter = command == "\\left" || command == "\\right";
      if (delimiter && i + 1 < text.size() && text[i + 1] != '\\') ++i;
    } else if (c == '{' && script == Script::latex) {
      ++groups;
    } else if (c == '}' && script == Script::latex) {
      --groups;
    } else if ((c == '(' || c == '[') && groups <= 0) {
      open.push_back(i);
    } else if ((c == ')' || c == ']') && groups <= 0) {
      close(i);
    } else if (c == ' ' && i > 0 && groups <= 0) {
      const int sign = sign_depth(text.substr(i + 1), script);
      if (sign >= 0) result.push_back({i + 1, parenthesis * static_cast<int>(open.size()) + sign});
    }
  }
  return result;
}

/// Fills lines from left to right: a piece goes on the line if it fits, else on the next if it
/// fits there and leaves no stub behind, else it is broken at its own shallowest signs.
class Filler {
 public:
  Filler(std::string_view text, Script script, Measure measure, double width, double used)
      : text_(text),
        breaks_(breaks_of(text, script, measure, short_group * width)),
        measure_(measure),
        width_(width),
        used_(used) {}

  std::vector<std::string> lines() {
    fill(0, text_.size(), 0, breaks_.size());
    if (!line_.empty() || lines_.empty()) end_line();
    return std::move(lines_);
  }

 private:
  void fill(std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
    const std::string_view piece = text_.substr(begin, end - begin);
    const double width = measure_(piece.substr(0, piece.find_last_not_of(' ') + 1));
    if (used_ + width <= width_) return append(piece);
    const bool hardly_begun = used_ < short_line * width_ && first != last;
    if (width <= width_ && !line_.empty() && !hardly_begun) {
      end_line();
      return append(piece);
    }
    if (!line_.empty() && (first == last || used_ > width_ / 2)) end_line();
    if (first == last) return append(piece);
    const int shallowest =
        std::min_element(breaks_.begin() + static_cast<std::ptrdiff_t>(first),
                         breaks_.begin() + static_cast<std::ptrdiff_t>(last),
                         [](const Break& a, const Break& b) { return a.depth < b.depth; })
            ->depth;
    for (std::size_t i = first; i < last; ++i) {
      if (breaks_[i].depth != shallowest) continue;
      fill(begin, breaks_[i].position, first, i);
      begin = breaks_[i].position;
      first = i + 1;
    }
    fill(begin, end, first, last);
  }

  void append(std::string_view piece) {
    line_ += piece;
    used_ += measure_(piece);
  }

  void end_line() {
    while (line_.ends_with(' ') && !line_.ends_with("\\ ")) line_.pop_back();
    lines_.push_back(std::exchange(line_, {}));
    used_ = 0;
  }

  std::string_view text_;
  std::vector<Break> breaks_;
  Measure measure_;
  double width_;
  double used_;
  std::string line_;
  std::vector<std::string> lines_;
};

/// Gives every line the invisible delimiters that make it a formula of its own.
void close_lines(std::vector<std::string>& lines) {
  std::size_t open = 0;
  for (std::string& line : lines) {
    std::string before;
    for (std::size_t i = 0; i < open; ++i) before += "\\left. ";
    if (open > 0) before += "{} ";  // the sign after it stays a sign between two terms
    for (std::size_t i = 0; i < line.size();) {
      if (line[i] != '\\') {
        ++i;
        continue;
      }
      const std::string_view command = command_at(std::string_view(line).substr(i));
      if (command == "\\left") ++open;
      if (command == "\\right" && open > 0) --open;
      i += command.size();
    }
    line = before + line;
    for (std::size_t i = 0; i < open; ++i) line += " \\right.";
  }
}

/// The length of the group in braces at the start of `text`, or of all of it if it does not end.
std::size_t group_length(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// Walks LaTeX and adds up widths.
class Ruler {
 public:
  explicit Ruler(std::string_view text) : text_(text) {}

  double width() {
    double total = 0;
    while (!text_.empty()) total += atom();
    return total;
  }

 private:
  static constexpr int deepest = 64;

  /// What stands between braces, or the next character or command.
  std::string_view argument() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    if (text_.empty()) return {};
    if (text_.front() == '\\') return take(command_at(text_).size());
    if (text_.front() != '{') return take(1);
    std::string_view inside = take(group_length(text_)).substr(1);
    if (inside.ends_with('}')) inside.remove_suffix(1);
    return inside;
  }

  std::string_view take(std::size_t n) {
    const std::string_view result = text_.substr(0, n);
    text_.remove_prefix(std::min(n, text_.size()));
    return result;
  }

  double inside(std::string_view text) const {
    if (depth_ == deepest) return 0.5 * static_cast<double>(text.size());
    Ruler ruler(text);
    ruler.depth_ = depth_ + 1;
    return ruler.width();
  }

  double atom() {
    const char c = text_.front();
    if (c == '\\') return command();
    if (c == '{') return inside(argument());
    if (c == '^' || c == '_') {
      text_.remove_prefix(1);
      const double script = 0.7 * inside(argument());
      const char other = c == '^' ? '_' : '^';
      if (!text_.starts_with(other)) return script;
      text_.remove_prefix(1);
      return std::max(script, 0.7 * inside(argument()));  // one above the other
    }
    take_character(text_);
    if (c == ' ' || c == '}' || c == '&') return 0;
    if (c == '+' || c == '-') return 1.22;
    if (c == '=' || c == '<' || c == '>') return 1.33;
    if (std::string_view("()[],.|").find(c) != std::string_view::npos) return 0.4;
    if (c == 'm' || c == 'w' || (c >= 'A' && c <= 'Z')) return 0.8;
    return c >= '0' && c <= '9' ? 0.5 : 0.57;
  }

  double command() {
    const std::string_view name = take(command_at(text_).size());
    if (name == "\\frac" || name == "\\dfrac" || name == "\\tfrac") {
      const double above = inside(argument());
      return 0.24 + std::max(above, inside(argument()));
    }
    if (name == "\\sqrt") return 0.95 + inside(argument());
    if (name == "\\overset" || name == "\\underset") {
      argument();
      return inside(argument());
    }
    if (name == "\\left" || name == "\\right") {
      const std::string_view delimiter = argument();
      return delimiter == "." ? 0.12 : 0.55;
    }
    if (name == "\\text" || name == "\\mathrm" || name == "\\operatorname" || name == "\\texttt")
      return 0.17 + 0.5 * static_cast<double>(columns(argument()));
    if (name == "\\begin" || name == "\\end") {
      argument();
      return 0.6;
    }
    if (name == "\\," || name == "\\:" || name == "\\;" || name == "\\ ") return 0.25;
    if (name == "\\!" || name == "\\\\") return 0;
    if (name == "\\quad" || name == "\\int") return 1;
    if (name == "\\sum" || name == "\\prod") return 1.6;
    if (name == "\\qquad") return 2;
    if (name == "\\cdot" || name == "\\times" || name == "\\pm") return 0.72;
    constexpr std::array<std::string_view, 16> words = {
        "\\sin",  "\\cos", "\\tan", "\\cot",    "\\sec",    "\\csc",    "\\sinh", "\\cosh",
        "\\tanh", "\\ln",  "\\exp", "\\arcsin", "\\arccos", "\\arctan", "\\det",  "\\max"};
    if (std::find(words.begin(), words.end(), name) != words.end())
      return 0.17 + 0.47 * static_cast<double>(name.size() - 1);
    if (std::any_of(relations.begin(), relations.end(),
                    [name](const Relation& r) { return r.latex == name; }))
      return 1.5;
    if (name.ends_with("ot") || name.starts_with("\\math") || name == "\\boldsymbol")
      return inside(argument());  // \dot, \ddot, ..., \mathbf
    return name == "\\displaystyle" ? 0 : 0.58;
  }

  std::string_view text_;
  int depth_ = 0;
};

std::string in_parentheses(const std::string& formula) {
  return "\\left(" + formula + "\\right)";
}

/// Fractions too wide for a line as products, whose sums can be broken: (a + b)/c as 1/c (a + b).
std::string unfolded(std::string_view formula, double width) {
  constexpr std::string_view fraction = "\\frac{";
  std::string result;
  while (!formula.empty()) {
    if (formula.front() == '{') {
      const std::size_t length = group_length(formula);
      result += formula.substr(0, length);
      formula.remove_prefix(length);
      continue;
    }
    if (formula.front() != '\\') {
      result += formula.front();
      formula.remove_prefix(1);
      continue;
    }
    const std::size_t above = fraction.size() - 1;
    const std::size_t below =
        formula.starts_with(fraction) ? above + group_length(formula.substr(above)) : 0;
    if (below == 0 || below >= formula.size() || formula[below] != '{') {
      const std::size_t length = command_at(formula).size();
      result += formula.substr(0, length);
      formula.remove_prefix(length);
      continue;
    }
    const std::size_t length = below + group_length(formula.substr(below));
    const std::string_view whole = formula.substr(0, length);
    formula.remove_prefix(length);
    if (latex_width(whole) <= width || !whole.ends_with('}')) {
      result += whole;
      continue;
    }
    const std::string_view bottom = whole.substr(below + 1, length - below - 2);
    std::string top = unfolded(whole.substr(above + 1, below - above - 2), width);
    const auto sums = breaks_of(top, Script::latex, latex_width, width);
    const bool is_sum =
        std::any_of(sums.begin(), sums.end(), [](const Break& b) { return b.depth <= 1; });
    std::string factor = "1";  // stays above the line
    if (is_sum || top.starts_with('-')) {
      top = in_parentheses(top);
    } else if (const std::size_t sum = top.find(" \\left("); sum < top.find_first_of("{([\\")) {
      factor = top.substr(0, sum);
      top.erase(0, sum + 1);
    }
    if (latex_width(bottom) <= width) {
      const bool wide = latex_width(bottom) > short_group * width;
      const bool sign = wide || !top.starts_with("\\left(");
      result += "\\frac{" + factor + "}{" + std::string(bottom) + (sign ? "} \\cdot " : "} ") + top;
    } else {
      if (factor != "1") result += factor + " ";
      result += top + " " + in_parentheses(unfolded(bottom, width)) + "^{-1}";
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> break_text(std::string_view formula, std::size_t width, std::size_t used) {
  return Filler(
             formula, Script::text,
             [](std::string_view piece) { return static_cast<double>(columns(piece)); },
             static_cast<double>(width), static_cast<double>(used))
      .lines();
}

std::vector<std::string> break_latex(std::string_view formula, double width, double used) {
  const std::string text = unfolded(formula, width - sign_width);
  auto lines = Filler(text, Script::latex, latex_width, width, used).lines();
  close_lines(lines);
  return lines;
}

std::vector<std::string> latex_terms(std::string_view formula, double widest) {
  const std::string text = unfolded(formula, widest - sign_width);
  formula = text;
  std::vector<std::string> result;
  const auto add = [&](std::string_view term) {
    for (std::string& line : Filler(term, Script::latex, latex_width, widest, 0).lines())
      result.push_back(std::move(line));
  };
  std::size_t begin = 0;
  for (const Break& at : breaks_of(formula, Script::latex, latex_width, widest)) {
    if (at.depth > 1) continue;
    add(formula.substr(begin, at.position - begin));
    begin = at.position;
  }
  add(formula.substr(begin));
  close_lines(result);
  return result;
}

double latex_width(std::string_view formula) {
  return Ruler(formula).width();
}

std::string latex_relation(std::string_view sign) {
  if (sign.empty()) return {};
  for (const Relation& relation : relations) {
    if (relation.sign == sign) return std::string(relation.latex);
  }
  std::string text;
  for (const char c : one_line(sign)) {
    if (c == '\\' || c == '^' || c == '~') continue;
    if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return fmt::format("\\mathrel{{\\text{{{}}}}}", text);
}

Display::Line normal_line(Display::Line line) {
  const bool no_right = line.right.text.empty() && line.right.latex.empty();
  if (no_right && line.relation.empty()) std::swap(line.left, line.right);
  return line;
}

bool has_aligned_relations(const std::vector<Display::Line>& lines, double width) {
  return std::all_of(lines.begin(), lines.end(), [width](const Display::Line& line) {
    return latex_width(line.left.latex) <= aligned_share * width;
  });
}

}  // namespace dalembert::report
