#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dalembert/report/document/document.hpp"
#include "dalembert/report/document/document_formula.hpp"
#include "dalembert/report/document/document_page.hpp"
#include "dalembert/report/document/document_parts.hpp"
#include "dalembert/report/document/katex.hpp"
#include "dalembert/report/page/base64.hpp"

namespace dalembert::report {

namespace {

constexpr double html_width = 31;      ///< em: the widest formula a page of usual width shows whole
constexpr double narrow_left = 5;      ///< em: room for these is left even on a telephone
constexpr double unbroken_width = 14;  ///< em: narrower formulas are one piece on any screen

/// The page may run its own scripts, known by what is in them, and show its own fonts, and do
/// nothing else.
const std::string& policy() {
  static const std::string text = fmt::format(
      "default-src 'none'; script-src {} {}; style-src 'unsafe-inline'; font-src data:; "
      "img-src data:; base-uri 'none'; form-action 'none'",
      script_source(katex_script()), script_source(page_script()));
  return text;
}

class HtmlWriter {
 public:
  /// The whole page.
  std::string write(const Document& document) {
    anchors_ = anchors(document);
    const std::string body = blocks(document);
    const std::string title = html_text(one_line(document.title));
    const bool contents = document.contents && !anchors_.empty();
    out_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"dalembert\">\n<title>{}</title>\n"
        "<link rel=\"icon\" href=\"data:,\">\n<style>\n",
        policy(), title);
    out_ += katex_style(formulas_);
    out_ += page_style();
    out_ += fmt::format("</style>\n</head>\n<body>\n<div class=\"page{}\">\n",
                        contents ? " with-contents" : "");
    header(title, document.subtitle);
    if (contents) contents_list(document);
    out_ += "<main>\n";
    out_ += body;
    out_ += "</main>\n</div>\n<script>";
    out_ += katex_script();
    out_ += "</script>\n<script>";
    out_ += page_script();
    out_ += "</script>\n</body>\n</html>\n";
    return std::move(out_);
  }

  /// What the blocks say, in order. Headings have anchors only in a page of their own.
  std::string blocks(const Document& document) {
    for (const Block& block : document.blocks) std::visit([this](const auto& b) { add(b); }, block);
    return std::exchange(out_, {});
  }

 private:
  void header(const std::string& title, const std::string& subtitle) {
    out_ += "<header>\n<h1>" + title + "</h1>\n";
    if (!subtitle.empty())
      out_ += "<p class=\"subtitle\">" + html_text(one_line(subtitle)) + "</p>\n";
    out_ +=
        "<noscript><p class=\"noscript\">Without JavaScript the formulas are shown as their LaTeX "
        "source.</p></noscript>\n</header>\n";
  }

  void contents_list(const Document& document) {
    out_ += "<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ul>\n";
    std::size_t k = 0;
    for (const Block& block : document.blocks) {
      const auto* heading = std::get_if<Heading>(&block);
      if (heading == nullptr) continue;
      const std::string& name = anchors_[k++];
      if (heading->level > 2) continue;
      out_ += fmt::format("<li{}><a href=\"#{}\">{}</a></li>\n",
                          heading->level < 2 ? "" : " class=\"inner\"", html_text(name),
                          html_text(one_line(heading->title)));
    }
    out_ += "</ul>\n</nav>\n";
  }

  std::string math(std::string_view latex, bool display) {
    formulas_ += latex;
    formulas_ += '\n';
    return fmt::format("<span class=\"math{}\">{}</span>", display ? " display" : "",
                       html_text(one_line(latex)));
  }

  std::string runs(const Runs& given) {
    std::string result;
    for (const Run& run : given) {
      const auto* formula = std::get_if<Math>(&run);
      if (formula == nullptr) {
        result += html_text(one_line(std::get<std::string>(run)));
      } else if (formula->latex.empty()) {
        result += html_text(one_line(formula->text));
      } else {
        result += math(formula->latex, false);
      }
    }
    return result;
  }

  static std::string number(const std::string& text) {
    if (text.empty()) return {};
    return "<span class=\"number\">(" + html_text(one_line(text)) + ")</span>";
  }

  void add(const Heading& heading) {
    const int level = std::clamp(heading.level, 1, 3) + 1;
    if (anchors_.empty()) {
      out_ += fmt::format("<h{0}>{1}{2}</h{0}>\n", level + 1, html_text(one_line(heading.title)),
                          number(heading.number));
      return;
    }
    const std::string name = html_text(anchors_[next_anchor_++]);
    out_ += fmt::format("<h{0} id=\"{1}\"><a href=\"#{1}\">{2}</a>{3}</h{0}>\n", level, name,
                        html_text(one_line(heading.title)), number(heading.number));
  }

  void add(const Paragraph& paragraph) { out_ += "<p>" + runs(paragraph.runs) + "</p>\n"; }

  void add(const List& list) {
    out_ += "<ul>\n";
    for (const Runs& item : list.items) out_ += "<li>" + runs(item) + "</li>\n";
    out_ += "</ul>\n";
  }

  void add(const Note& note) {
    out_ += "<aside class=\"note\"><p><span class=\"label\">Note</span>" + runs(note.runs) +
            "</p></aside>\n";
  }

  void add(const Code& code) {
    if (!code.text.empty()) out_ += "<pre><code>" + html_text(code.text) + "</code></pre>\n";
  }

  void row(const std::vector<Runs>& cells, std::string_view tag, std::size_t count) {
    out_ += "<tr>";
    for (std::size_t i = 0; i < count; ++i)
      out_ += fmt::format("<{0}>{1}</{0}>", tag, i < cells.size() ? runs(cells[i]) : "");
    out_ += "</tr>\n";
  }

  void add(const Table& table) {
    const std::size_t count = column_count(table);
    out_ += "<div class=\"table\"><table>\n";
    if (!table.header.empty()) {
      out_ += "<thead>\n";
      row(table.header, "th", count);
      out_ += "</thead>\n";
    }
    out_ += "<tbody>\n";
    for (const auto& cells : table.rows) row(cells, "td", count);
    out_ += "</tbody>\n</table></div>\n";
  }

  /// A formula in terms that flow into as many lines as the screen needs, and its number.
  std::string right_side(const std::string& latex, const std::string& its_number) {
    std::string terms;
    if (latex_width(latex) <= unbroken_width) {
      terms = latex.empty() ? "" : math(latex, true);
    } else {
      for (const std::string& term : latex_terms(latex, html_width))
        terms += math(terms.empty() ? term : "{} " + term, true);
    }
    return "<div class=\"right\">" + terms + number(its_number) + "</div>\n";
  }

  void add(const Display& display) {
    std::vector<Display::Line> lines;
    for (const Display::Line& line : display.lines) lines.push_back(normal_line(line));
    const bool aligned = has_aligned_relations(lines, html_width);
    const bool whole = !aligned || std::all_of(lines.begin(), lines.end(), [](const auto& line) {
      return line.left.latex.empty() && line.relation.empty();
    });
    const bool narrow = std::all_of(lines.begin(), lines.end(), [](const auto& line) {
      return latex_width(line.left.latex) <= narrow_left;
    });
    const bool numbered = std::any_of(lines.begin(), lines.end(),
                                      [](const auto& line) { return !line.number.empty(); });
    out_ += fmt::format("<div class=\"formulas{}{}{}\">\n", whole ? " whole" : "",
                        whole || narrow ? "" : " stacked", numbered ? " numbered" : "");
    for (const Display::Line& line : lines) {
      const std::string left = one_line(line.left.latex);
      const std::string right = one_line(line.right.latex);
      const std::string relation = latex_relation(line.relation);
      if (whole) {
        std::string formula = left;
        for (const std::string& part : {relation, right}) {
          if (!formula.empty() && !part.empty()) formula += ' ';
          formula += part;
        }
        out_ += right_side(formula, line.number);
        continue;
      }
      out_ += fmt::format("<div class=\"left\">{}</div><div class=\"relation\">{}</div>",
                          left.empty() ? "" : math(left, true),
                          relation.empty() ? "" : math(relation, true));
      out_ += right_side(right, line.number);
    }
    out_ += "</div>\n";
  }

  std::vector<std::string> anchors_;
  std::size_t next_anchor_ = 0;
  std::string formulas_;
  std::string out_;
};

}  // namespace

std::string to_html(const Document& document) {
  return HtmlWriter().write(document);
}

std::string to_html_fragment(const Document& document) {
  return HtmlWriter().blocks(document);
}

}  // namespace dalembert::report
