#pragma once
/// A document with formulas, and its four appearances: plain text, Markdown, LaTeX, HTML. Plain
/// data, made by `derivation.hpp`; nothing here knows mechanics.

#include <string>
#include <variant>
#include <vector>

namespace dalembert::report {

/// One formula in two scripts: as typed in a model file, and as LaTeX for math mode.
struct Math {
  std::string text;
  std::string latex;
};

/// A piece of a sentence. Text is plain: the renderers escape what their format would read.
using Run = std::variant<std::string, Math>;
using Runs = std::vector<Run>;

struct Heading {
  int level = 1;  ///< 1 section, 2 subsection, 3 step
  std::string title;
  std::string number = {};  ///< of the formula the section is about ("G5.216"); may be empty
};
struct Paragraph {
  Runs runs;
};
/// Formulas on lines of their own, aligned at the relation sign. `number` stands at the right.
struct Display {
  struct Line {
    Math left;
    std::string relation = "=";  ///< "", "=" or a LaTeX-free sign such as "≡"
    Math right;
    std::string number = {};
  };
  std::vector<Line> lines;
};
struct Table {
  std::vector<Runs> header;
  std::vector<std::vector<Runs>> rows;
};
struct List {
  std::vector<Runs> items;
};
/// Text as it stands, a model file for instance.
struct Code {
  std::string text;
};
/// Something the reader must not miss: "not the motion of mechanics".
struct Note {
  Runs runs;
};

using Block = std::variant<Heading, Paragraph, Display, Table, List, Code, Note>;

struct Document {
  std::string title;
  std::string subtitle = {};  ///< one line under the title; may be empty
  bool contents = false;      ///< a list of contents in front
  std::vector<Block> blocks;
};

/// Lines of at most 100 columns where words allow it.
std::string to_text(const Document& document);
/// GitHub's flavour: $...$ and fenced math.
std::string to_markdown(const Document& document);
/// A complete file for pdflatex or lualatex with amsmath; compiles as it stands. Long formulas are
/// broken at their sums.
std::string to_latex(const Document& document);
/// One file, complete in itself: KaTeX, its fonts and the style are inside, no network is needed.
std::string to_html(const Document& document);
/// The blocks alone, to stand in a page that has KaTeX and the style: headings from h3 on, formulas
/// as LaTeX in elements of class "math".
std::string to_html_fragment(const Document& document);

}  // namespace dalembert::report
