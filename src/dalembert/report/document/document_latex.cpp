#include <fmt/format.h>

#include <algorithm>

#include "dalembert/report/document/document.hpp"
#include "dalembert/report/document/document_characters.hpp"
#include "dalembert/report/document/document_formula.hpp"
#include "dalembert/report/document/document_parts.hpp"

namespace dalembert::report {

namespace {

constexpr double line_width = 41;     ///< em of the page set up below
constexpr double formula_width = 38;  ///< em, without the indent
constexpr double continuation = 1.3;  ///< em, of the lines after the first
constexpr double roomy = 0.54;        ///< em a letter of text takes at most

constexpr std::string_view preamble = R"tex(\documentclass[11pt,a4paper,fleqn]{article}
\usepackage[a4paper,margin=2.5cm]{geometry}
\newif\ifunicodeengine
\ifdefined\directlua\unicodeenginetrue\fi
\ifdefined\XeTeXversion\unicodeenginetrue\fi
\ifunicodeengine\else
  \usepackage[utf8]{inputenc}
  \IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
  \DeclareTextCommandDefault{\k}[1]{\c{#1}}
\fi
\usepackage{textcomp}
\usepackage{amsmath,amssymb,array,longtable,graphicx}
\usepackage[hidelinks]{hyperref}
\setcounter{secnumdepth}{0}
\setcounter{tocdepth}{2}
\setlength{\mathindent}{2em}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6\baselineskip}
\setlength{\emergencystretch}{4em}
\setlength{\LTleft}{0pt}
\renewcommand{\arraystretch}{1.25}
\setlength{\jot}{5pt}
\allowdisplaybreaks
\AtBeginDocument{\abovedisplayskip=6pt plus 3pt\belowdisplayskip=\abovedisplayskip}
% A character and what it means.
\ifunicodeengine
  \newcommand{\definecharacter}[2]{\catcode"#1=\active
    \begingroup\lccode`\~="#1\lowercase{\endgroup\protected\def~}{#2}}
\else
  \newcommand{\definecharacter}[2]{\DeclareUnicodeCharacter{#1}{#2}}
\fi
\newcommand{\charactercode}[1]{\text{\normalfont\scriptsize U+#1}}
% A formula no wider than #1.
\newsavebox{\formulabox}
\newcommand{\fitted}[2]{\sbox{\formulabox}{$\displaystyle #2$}%
  \ifdim\wd\formulabox>#1\relax\resizebox{#1}{!}{\usebox{\formulabox}}\else\usebox{\formulabox}\fi}
% A line of a file, and a remark that must not be missed.
\newcommand{\codeline}[1]{\par\leavevmode\hangindent=4em\hangafter=1\relax\strut #1\strut}
\newenvironment{code}{\par\addvspace{0.6\baselineskip}\begingroup\parskip=0pt\raggedright
  \ttfamily\footnotesize}{\par\endgroup\addvspace{0.6\baselineskip}}
\newenvironment{notice}{\par\addvspace{0.8\baselineskip}\begingroup\hrule\nobreak\vskip0.5ex
  \noindent\textbf{Note.}\enspace\ignorespaces}
  {\par\nobreak\vskip0.7ex\hrule\endgroup\addvspace{0.8\baselineskip}}
)tex";

/// Text that LaTeX reads as text.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : one_line(text)) {
    switch (c) {
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      case '<':
        result += "\\textless{}";
        break;
      case '>':
        result += "\\textgreater{}";
        break;
      case '|':
        result += "\\textbar{}";
        break;
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
      case '{':
      case '}':
        result += '\\';
        result += c;
        break;
      case '-':
      case '\'':
      case '`':  // no ligatures: two hyphens stay two
        result += c;
        result += "{}";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// A line of a file in typewriter letters. Every sign with a meaning goes by its code.
std::string code_line(std::string_view line) {
  std::string result;
  for (const char c : line) {
    if (c == ' ') {
      result += "\\ ";
    } else if (c == '\'') {
      result += "\\textquotesingle{}";
    } else if (c == '`') {
      result += "\\textasciigrave{}";
    } else if (std::string_view("\\{}#$%&_^~\"").find(c) != std::string_view::npos) {
      result += fmt::format("\\symbol{{{}}}", static_cast<int>(c));
    } else if (std::string_view("-<>,!?").find(c) != std::string_view::npos) {
      result += fmt::format("{}{{}}", c);  // no ligatures
    } else {
      result += c;
    }
  }
  return result;
}

std::string latex_runs(const Runs& runs) {
  std::string result;
  for (const Run& run : runs) {
    const auto* math = std::get_if<Math>(&run);
    if (math == nullptr) {
      result += escaped(std::get<std::string>(run));
    } else if (math->latex.empty()) {
      result += escaped(math->text);
    } else {
      result += "$" + one_line(math->latex) + "$";
    }
  }
  return result;
}

double width_of(const Runs& runs) {
  double result = 0;
  for (const Run& run : runs) {
    const auto* math = std::get_if<Math>(&run);
    result += math != nullptr && !math->latex.empty()
                  ? latex_width(math->latex)
                  : roomy * static_cast<double>(columns(plain({run})));
  }
  return result;
}

/// A line of a formula, made to fit where no sum could be broken.
std::string fitted(const std::string& formula, double room) {
  if (latex_width(formula) <= room) return formula;
  return fmt::format("\\fitted{{{:.1f}em}}{{{}}}", room, formula);
}

class LatexWriter {
 public:
  std::string write(const Document& document) {
    title(document);
    if (document.contents) out_ += "{\\parskip=0pt\\tableofcontents}\n\n";
    for (const Block& block : document.blocks) std::visit([this](const auto& b) { add(b); }, block);
    std::string body = std::move(out_);
    // lualatex takes U+FFFD for a mistake in the file.
    constexpr std::string_view unreadable = "\uFFFD";
    for (std::size_t at = 0; (at = body.find(unreadable, at)) != std::string::npos;)
      body.replace(at, unreadable.size(), "\\charactercode{FFFD}");
    std::string result(preamble);
    result += character_definitions(body);
    result += fmt::format("\\hypersetup{{pdftitle={{{}}}}}\n",
                          escaped(in_ascii(one_line(document.title))));
    return result + "\\begin{document}\n" + body + "\\end{document}\n";
  }

 private:
  void title(const Document& document) {
    if (document.title.empty() && document.subtitle.empty()) return;
    out_ += fmt::format("{{\\raggedright\\LARGE\\bfseries {}\\par}}\n", escaped(document.title));
    if (!document.subtitle.empty())
      out_ +=
          fmt::format("{{\\raggedright\\large\\itshape {}\\par}}\n", escaped(document.subtitle));
    out_ += "\\bigskip\\hrule\\bigskip\n\n";
  }

  void add(const Heading& heading) {
    const std::string command = heading.level < 2    ? "section"
                                : heading.level == 2 ? "subsection"
                                                     : "subsubsection";
    const std::string name = escaped(heading.title);
    const std::string mark =
        heading.number.empty()
            ? ""
            : fmt::format("\\hfill{{\\normalfont\\normalsize({})}}", escaped(heading.number));
    out_ += fmt::format("\n\\{}[\\texorpdfstring{{{}}}{{{}}}]{{{}{}}}\n", command, name,
                        escaped(in_ascii(one_line(heading.title))), name, mark);
  }

  void add(const Paragraph& paragraph) { out_ += "\n" + latex_runs(paragraph.runs) + "\n"; }

  void add(const List& list) {
    if (list.items.empty()) return;
    out_ += "\n\\begin{itemize}\n";
    for (const Runs& item : list.items) out_ += "  \\item{} " + latex_runs(item) + "\n";
    out_ += "\\end{itemize}\n";
  }

  void add(const Note& note) {
    out_ += "\n\\begin{notice}\n" + latex_runs(note.runs) + "\n\\end{notice}\n";
  }

  void add(const Code& code) {
    std::string text = mended(code.text);
    while (text.ends_with('\n')) text.pop_back();
    if (text.empty()) return;
    out_ += "\n\\begin{code}\n";
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      out_ += "\\codeline{" + code_line(std::string_view(text).substr(begin, end - begin)) + "}\n";
      begin = end + 1;
    }
    out_ += "\\end{code}\n";
  }

  /// Columns as wide as their cells, or, where these are too wide together, shares of the page.
  static std::string column_format(const Table& table) {
    std::vector<double> widths(column_count(table), 1);
    const auto take = [&widths](const std::vector<Runs>& row) {
      for (std::size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], width_of(row[i]));
    };
    take(table.header);
    for (const auto& row : table.rows) take(row);
    const double room = line_width - 1.1 * static_cast<double>(widths.size());
    double total = 0;
    for (const double width : widths) total += width;
    std::string result = "@{}";
    if (total <= room) return result + std::string(widths.size(), 'l') + "@{}";
    // The narrow columns keep their width, the others share what is left of the page.
    double left = room;
    std::size_t sharing = widths.size();
    std::vector<bool> kept(widths.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < widths.size(); ++i) {
        if (kept[i] || widths[i] > left / static_cast<double>(sharing)) continue;
        kept[i] = changed = true;
        left -= widths[i];
        --sharing;
      }
    }
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const double width = kept[i] ? widths[i] : left / static_cast<double>(sharing);
      result += fmt::format(">{{\\raggedright\\arraybackslash}}p{{{:.1f}em}}", width);
    }
    return result + "@{}";
  }

  static std::string row(const std::vector<Runs>& cells, std::size_t count, bool bold) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) result += " & ";
      if (i >= cells.size()) continue;
      result += (bold ? "{\\bfseries " : "{") + latex_runs(cells[i]) + "}";
    }
    return result + " \\\\\n";
  }

  void add(const Table& table) {
    const std::size_t count = column_count(table);
    if (count == 0) return;
    out_ += "\n\\begin{longtable}{" + column_format(table) + "}\n\\hline\n";
    if (!table.header.empty()) out_ += row(table.header, count, true) + "\\hline\\endhead\n";
    for (const auto& cells : table.rows) out_ += row(cells, count, false);
    out_ += "\\hline\n\\end{longtable}\n";
  }

  void add(const Display& display) {
    if (display.lines.empty()) return;
    std::vector<Display::Line> lines;
    double left_width = 0;
    double number_width = 0;
    for (const Display::Line& line : display.lines) {
      lines.push_back(normal_line(line));
      left_width = std::max(left_width, latex_width(lines.back().left.latex));
      if (!line.number.empty())
        number_width =
            std::max(number_width, 1.5 + roomy * static_cast<double>(columns(line.number)));
    }
    const double room = formula_width - number_width;
    const bool aligned = has_aligned_relations(lines, room);
    out_ += "\\begin{align*}\n";
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const Display::Line& line = lines[k];
      const std::string left = one_line(line.left.latex);
      const std::string relation = latex_relation(line.relation);
      std::string formula = one_line(line.right.latex);
      std::string start = left + " &" + relation + " ";
      double width = room - left_width - 1.3 - continuation;
      if (!aligned) {
        formula = left + " " + relation + " " + formula;
        start = "&";
        width = room - continuation;
      }
      const auto parts = break_latex(formula, width);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) out_ += " \\\\\n";
        out_ += (i == 0 ? start : "&\\quad {} ") +
                fitted(parts[i], width + (i == 0 ? continuation : 0));
      }
      if (!line.number.empty()) out_ += " \\tag{" + escaped(line.number) + "}";
      out_ += k + 1 < lines.size() ? " \\\\\n" : "\n";
    }
    out_ += "\\end{align*}\n";
  }

  std::string out_;
};

}  // namespace

std::string to_latex(const Document& document) {
  return LatexWriter().write(document);
}

}  // namespace dalembert::report
