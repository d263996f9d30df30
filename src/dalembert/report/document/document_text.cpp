#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dalembert/report/document/document.hpp"
#include "dalembert/report/document/document_formula.hpp"
#include "dalembert/report/document/document_parts.hpp"

namespace dalembert::report {

namespace {

constexpr std::size_t text_width = 100;
constexpr std::size_t formula_indent = 4;
constexpr std::size_t unbroken_formula = 40;  ///< shorter ones in a sentence stay on one line
constexpr std::size_t widest_left = 40;       ///< longer left sides stand on a line of their own
constexpr std::size_t narrowest_column = 12;

std::string repeated(std::string_view sign, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += sign;
  return result;
}

std::string pad(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return text + std::string(used < width ? width - used : 0, ' ');
}

/// The runs as words; a short formula is one, and punctuation sticks to it.
std::vector<std::string> words_of(const Runs& runs) {
  std::vector<std::string> words;
  bool open = false;  // the last word may grow
  for (const Run& run : runs) {
    const auto* math = std::get_if<Math>(&run);
    const std::string text = one_line(math != nullptr ? math->text : std::get<std::string>(run));
    const bool whole = math != nullptr && columns(text) <= unbroken_formula;
    std::string word;
    const auto end_word = [&] {
      if (word.empty()) return;
      if (open) {
        words.back() += word;
      } else {
        words.push_back(word);
      }
      word.clear();
    };
    for (const char c : text) {
      if (c == ' ' && !whole) {
        end_word();
        open = false;
      } else {
        word += c;
      }
    }
    if (!word.empty()) {
      end_word();
      open = true;
    }
  }
  return words;
}

std::vector<std::string> wrapped(const Runs& runs, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : words_of(runs)) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (columns(line) + 1 + columns(word) <= width) {
      line += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

class TextWriter {
 public:
  std::string write(const Document& document) {
    const std::string title = one_line(document.title);
    if (!title.empty()) put(title);
    if (!document.subtitle.empty()) put(one_line(document.subtitle));
    if (!out_.empty()) put(repeated("=", text_width));
    if (document.contents) contents(document);
    for (const Block& block : document.blocks) {
      if (!out_.empty()) put("");
      std::visit([this](const auto& b) { add(b); }, block);
    }
    return std::move(out_);
  }

 private:
  void put(std::string line) {
    while (line.ends_with(' ')) line.pop_back();
    out_ += line + "\n";
  }

  void hanging(const Runs& runs, std::string_view first, std::string_view rest) {
    for (const std::string& line : wrapped(runs, text_width - columns(rest))) {
      put(std::string(first) + line);
      first = rest;
    }
  }

  void contents(const Document& document) {
    put("");
    put("Contents");
    for (const Block& block : document.blocks) {
      const auto* heading = std::get_if<Heading>(&block);
      if (heading == nullptr || heading->level > 2) continue;
      put(with_number((heading->level < 2 ? "  " : "    ") + one_line(heading->title),
                      heading->number));
    }
  }

  /// The number in parentheses at the right end of the line, or of a line of its own.
  static std::string with_number(std::string line, const std::string& number) {
    if (number.empty()) return line;
    const std::string mark = fmt::format("({})", one_line(number));
    const std::size_t room = text_width - std::min(text_width, columns(mark));
    if (columns(line) + 1 > room) return line + "\n" + std::string(room, ' ') + mark;
    return pad(line, room) + mark;
  }

  void add(const Heading& heading) {
    const std::string title = one_line(heading.title);
    if (heading.level < 2) put("");
    put(with_number(title, heading.number));
    if (heading.level <= 2) put(repeated(heading.level < 2 ? "=" : "-", columns(title)));
  }

  void add(const Paragraph& paragraph) { hanging(paragraph.runs, "", ""); }

  void add(const List& list) {
    for (const Runs& item : list.items) hanging(item, "  - ", "    ");
  }

  void add(const Note& note) {
    Runs runs = {std::string("Note: ")};
    runs.insert(runs.end(), note.runs.begin(), note.runs.end());
    hanging(runs, "  │ ", "  │ ");
  }

  void add(const Code& code) {
    std::string_view rest = code.text;
    while (rest.ends_with('\n')) rest.remove_suffix(1);
    const std::string text = mended(rest);
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      put(std::string(formula_indent, ' ') + text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  void add(const Display& display) {
    std::vector<Display::Line> lines;
    std::size_t left_width = 0;
    std::size_t relation_width = 0;
    std::size_t number_width = 0;
    for (const Display::Line& given : display.lines) {
      Display::Line line = normal_line(given);
      line.left.text = one_line(line.left.text);
      line.right.text = one_line(line.right.text);
      line.relation = one_line(line.relation);
      left_width = std::max(left_width, columns(line.left.text));
      relation_width = std::max(relation_width, columns(line.relation));
      if (!line.number.empty()) number_width = std::max(number_width, columns(line.number) + 4);
      lines.push_back(std::move(line));
    }
    const std::size_t width = text_width - formula_indent - std::min<std::size_t>(number_width, 20);
    if (left_width > widest_left) {
      for (const Display::Line& line : lines) at_margin(line, width);
      return;
    }
    const std::size_t before =
        (left_width > 0 ? left_width + 1 : 0) + (relation_width > 0 ? relation_width + 1 : 0);
    for (const Display::Line& line : lines) {
      std::string start(formula_indent + left_width - columns(line.left.text), ' ');
      start += line.left.text;
      if (left_width > 0) start += ' ';
      if (relation_width > 0) start += pad(line.relation, relation_width + 1);
      broken(start, break_text(line.right.text, width - before), formula_indent + before,
             line.number);
    }
  }

  /// A line whose left side is too long for a column: all of it is one formula.
  void at_margin(const Display::Line& line, std::size_t width) {
    std::string formula = line.left.text;
    for (const std::string& part : {line.relation, line.right.text}) {
      if (!formula.empty() && !part.empty()) formula += ' ';
      formula += part;
    }
    broken(std::string(formula_indent, ' '), break_text(formula, width - 2), formula_indent + 2,
           line.number);
  }

  void broken(std::string start, const std::vector<std::string>& parts, std::size_t indent,
              const std::string& number) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      put(with_number(start + parts[i], last ? number : std::string()));
      start = std::string(indent, ' ');
    }
  }

  /// Columns as wide as their cells; where the page is too narrow the widest ones give way.
  static std::vector<std::size_t> column_widths(const Table& table) {
    std::vector<std::size_t> widths(column_count(table));
    const auto take = [&widths](const std::vector<Runs>& row) {
      for (std::size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], columns(plain(row[i])));
    };
    take(table.header);
    for (const auto& row : table.rows) take(row);
    std::size_t total = 2 * (widths.empty() ? 0 : widths.size() - 1);
    for (const std::size_t width : widths) total += width;
    while (total > text_width) {
      const auto widest = std::max_element(widths.begin(), widths.end());
      if (*widest <= narrowest_column) break;
      --*widest;
      --total;
    }
    return widths;
  }

  void row(const std::vector<Runs>& cells, const std::vector<std::size_t>& widths) {
    std::vector<std::vector<std::string>> parts(widths.size());
    std::size_t height = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      parts[i] = wrapped(cells[i], widths[i]);
      height = std::max(height, parts[i].size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string line;
      for (std::size_t i = 0; i < widths.size(); ++i)
        line += pad(k < parts[i].size() ? parts[i][k] : std::string(), widths[i]) + "  ";
      put(std::move(line));
    }
  }

  void add(const Table& table) {
    const auto widths = column_widths(table);
    if (widths.empty()) return;
    if (!table.header.empty()) {
      row(table.header, widths);
      std::string rule;
      for (const std::size_t width : widths)
        rule += repeated("─", std::max<std::size_t>(width, 1)) + "  ";
      put(std::move(rule));
    }
    for (const auto& cells : table.rows) row(cells, widths);
  }

  std::string out_;
};

}  // namespace

std::string to_text(const Document& document) {
  return TextWriter().write(document);
}

}  // namespace dalembert::report
