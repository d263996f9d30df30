#include <fmt/format.h>

#include <algorithm>

#include "dalembert/report/document/document.hpp"
#include "dalembert/report/document/document_formula.hpp"
#include "dalembert/report/document/document_parts.hpp"

namespace dalembert::report {

namespace {

constexpr double markdown_width = 44;  ///< em: what GitHub shows without a scroll bar

/// Text that Markdown reads as text. `starts_line`: signs that mean something there are met too.
std::string escaped(std::string_view text, bool starts_line) {
  std::string result;
  const std::string clean = one_line(text);
  std::size_t digits = 0;
  while (digits < clean.size() && clean[digits] >= '0' && clean[digits] <= '9') ++digits;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    const bool special = std::string_view("\\`*_[]<>|~$&").find(c) != std::string_view::npos;
    const bool first = starts_line && i == 0 && (c == '#' || c == '+' || c == '-' || c == '=');
    const bool numbered = starts_line && digits > 0 && i == digits && (c == '.' || c == ')');
    if (special || first || numbered) result += '\\';
    result += c;
  }
  return result;
}

std::string trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

/// Inline math. A bar would end the cell of a table, so it is written by its name.
std::string inline_math(const Math& math) {
  std::string latex;
  for (const char c : trimmed(one_line(math.latex))) {
    if (c != '|') {
      latex += c;
    } else {
      latex += latex.ends_with('\\') ? "Vert " : "\\vert ";
    }
  }
  latex = trimmed(latex);  // a dollar after a space ends nothing
  if (latex.empty()) return escaped(math.text, false);
  if (latex.find('$') != std::string::npos) return "$`" + latex + "`$";
  return "$" + latex + "$";
}

std::string markdown_runs(const Runs& runs, bool starts_line = true) {
  std::string result;
  for (const Run& run : runs) {
    if (const auto* math = std::get_if<Math>(&run)) {
      result += inline_math(*math);
    } else {
      result += escaped(std::get<std::string>(run), starts_line && trimmed(result).empty());
    }
  }
  return trimmed(result);
}

/// Words of a formula's number that are safe inside \tag{...}.
std::string tag(const std::string& number) {
  if (number.empty()) return {};
  std::string safe;
  for (const char c : one_line(number)) {
    if (std::string_view("\\{}$%&#_^~").find(c) == std::string_view::npos) safe += c;
  }
  return fmt::format(" \\tag{{{}}}", safe);
}

class MarkdownWriter {
 public:
  std::string write(const Document& document) {
    anchors_ = anchors(document);
    if (!document.title.empty()) put("# " + escaped(document.title, false));
    if (!document.subtitle.empty()) put("*" + escaped(trimmed(document.subtitle), false) + "*");
    if (document.contents) contents(document);
    for (const Block& block : document.blocks) std::visit([this](const auto& b) { add(b); }, block);
    return std::move(out_);
  }

 private:
  /// A block of its own.
  void put(std::string_view block) {
    if (!out_.empty()) out_ += "\n";
    out_ += block;
    out_ += "\n";
  }

  void contents(const Document& document) {
    std::string list;
    std::size_t k = 0;
    for (const Block& block : document.blocks) {
      const auto* heading = std::get_if<Heading>(&block);
      if (heading == nullptr) continue;
      const std::string& name = anchors_[k++];
      if (heading->level > 2) continue;
      if (!list.empty()) list += "\n";
      list += fmt::format("{}- [{}](#{})", heading->level < 2 ? "" : "  ",
                          escaped(heading->title, false), name);
    }
    if (!list.empty()) put(list);
  }

  void add(const Heading& heading) {
    const int level = std::clamp(heading.level, 1, 3) + 1;
    put(std::string(static_cast<std::size_t>(level), '#') + " " + escaped(heading.title, false));
    if (!heading.number.empty()) put("*(" + escaped(heading.number, false) + ")*");
  }

  void add(const Paragraph& paragraph) { put(markdown_runs(paragraph.runs)); }

  void add(const List& list) {
    std::string text;
    for (const Runs& item : list.items) {
      if (!text.empty()) text += "\n";
      text += "- " + markdown_runs(item);
    }
    put(text);
  }

  void add(const Note& note) { put("> [!IMPORTANT]\n> " + markdown_runs(note.runs)); }

  void add(const Code& code) {
    const std::string text = mended(code.text);
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : text) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    put(fence + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence);
  }

  void add(const Table& table) {
    const std::size_t count = column_count(table);
    if (count == 0) return;
    const auto line = [count](const std::vector<Runs>& cells) {
      std::string result = "|";
      for (std::size_t i = 0; i < count; ++i)
        result += " " + (i < cells.size() ? markdown_runs(cells[i], false) : std::string()) + " |";
      return result;
    };
    std::string text = line(table.header) + "\n|";
    for (std::size_t i = 0; i < count; ++i) text += " --- |";
    for (const auto& cells : table.rows) text += "\n" + line(cells);
    put(text);
  }

  void add(const Display& display) {
    if (display.lines.empty()) return;
    std::vector<Display::Line> lines;
    for (const Display::Line& line : display.lines) lines.push_back(normal_line(line));
    const bool aligned = has_aligned_relations(lines, markdown_width);
    std::string body;
    std::size_t written = 0;
    for (const Display::Line& line : lines) {
      const std::string left = one_line(line.left.latex);
      const std::string relation = latex_relation(line.relation);
      const std::string start = aligned ? left + " &" + relation : "&" + left + " " + relation;
      const double used = latex_width(left) + 1.3;
      auto parts = break_latex(one_line(line.right.latex), markdown_width - (aligned ? used : 0),
                               aligned ? 0 : used);
      for (std::size_t i = 0; i < parts.size(); ++i, ++written) {
        if (written > 0) body += " \\\\\n";
        body += trimmed(i == 0 ? start + " " + parts[i] : "&\\quad {} " + parts[i]);
      }
      body += tag(line.number);
    }
    if (written > 1) {
      body = "\\begin{align*}\n" + body + "\n\\end{align*}";
    } else {
      body.erase(body.find('&'), 1);
    }
    put("```math\n" + trimmed(body) + "\n```");
  }

  std::vector<std::string> anchors_;
  std::string out_;
};

}  // namespace

std::string to_markdown(const Document& document) {
  return MarkdownWriter().write(document);
}

}  // namespace dalembert::report
