#include "dalembert/model/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/text_file.hpp"
#include "dalembert/model/text_index.hpp"

namespace dalembert::model {

namespace {

using expr::Failure;
using expr::Result;

constexpr std::size_t most_complaints = 20;

struct Cell {
  std::size_t begin, end;  ///< bytes of the text, without spaces around and without quotes
};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

class ColumnReader {
 public:
  ColumnReader(std::shared_ptr<const Source> source, Blank blank)
      : source_(std::move(source)), text_(source_->text), index_(text_), blank_(blank) {}

  Result<Columns, ModelError> read() {
    Columns result;
    result.source = source_;
    std::size_t begin = text_.starts_with("\xef\xbb\xbf") ? 3 : 0;
    for (int line = 1; begin < text_.size(); ++line) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      if (!is_passed_over(begin, end)) {
        if (result.names.empty()) {
          read_header(begin, end, result);
        } else {
          read_row(begin, end, line, result);
        }
      }
      if (wrong_.size() >= most_complaints) break;
      begin = end + 1;
    }
    if (result.names.empty()) complain(0, 0, "no columns: the first line gives their names");
    if (!result.names.empty() && result.lines.empty() && wrong_.empty())
      wrong_.push_back({"no rows of numbers", result.header});
    if (!wrong_.empty()) return Failure{ModelError{source_, std::move(wrong_)}};
    return result;
  }

 private:
  void complain(std::size_t begin, std::size_t end, std::string message) {
    wrong_.push_back({std::move(message), index_.location(begin, end)});
  }

  bool is_passed_over(std::size_t begin, std::size_t end) const {
    while (begin < end && is_space(text_[begin])) ++begin;
    return begin == end || text_[begin] == '#';
  }

  /// The cells of a line; separators within quotes belong to a name.
  std::vector<Cell> cells(std::size_t begin, std::size_t end) const {
    std::vector<Cell> result;
    bool quoted = false;
    std::size_t from = begin;
    for (std::size_t i = begin; i <= end; ++i) {
      if (i < end && text_[i] == '"') quoted = !quoted;
      if (i < end && (quoted || text_[i] != separator_)) continue;
      Cell cell{from, i};
      while (cell.begin < cell.end && is_space(text_[cell.begin])) ++cell.begin;
      while (cell.end > cell.begin && is_space(text_[cell.end - 1])) --cell.end;
      if (cell.end - cell.begin >= 2 && text_[cell.begin] == '"' && text_[cell.end - 1] == '"') {
        ++cell.begin;
        --cell.end;
      }
      result.push_back(cell);
      from = i + 1;
    }
    return result;
  }

  void read_header(std::size_t begin, std::size_t end, Columns& result) {
    const std::string_view line = std::string_view(text_).substr(begin, end - begin);
    for (const char separator : {';', '\t', ','})
      if (line.find(separator) != std::string_view::npos) separator_ = separator;
    while (end > begin && is_space(text_[end - 1]) && text_[end - 1] != separator_) --end;
    result.header = index_.location(begin, end);
    for (const Cell& cell : cells(begin, end)) {
      std::string name = text_.substr(cell.begin, cell.end - cell.begin);
      double number = 0;
      if (name.empty()) {
        complain(cell.begin, cell.end + 1, "a column without a name");
      } else if (is_number(cell, number)) {
        complain(cell.begin, cell.end,
                 fmt::format("{} stands where the name of a column is expected: the first line "
                             "gives the names",
                             in_quotes(name)));
      } else if (std::ranges::find(result.names, name) != result.names.end()) {
        complain(cell.begin, cell.end, fmt::format("two columns named {}", in_quotes(name)));
      }
      result.names.push_back(std::move(name));
    }
    result.values.resize(result.names.size());
  }

  bool is_number(const Cell& cell, double& number) const {
    const char* begin = text_.data() + cell.begin;
    const char* const end = text_.data() + cell.end;
    if (begin != end && *begin == '+') ++begin;
    const auto [stop, error] = std::from_chars(begin, end, number);
    return error == std::errc() && stop == end && std::isfinite(number);
  }

  void read_row(std::size_t begin, std::size_t end, int line, Columns& result) {
    while (end > begin && is_space(text_[end - 1]) && text_[end - 1] != separator_) --end;
    const std::vector<Cell> row = cells(begin, end);
    if (row.size() != result.names.size()) {
      complain(begin, end,
               fmt::format("{} number{} for {} columns", row.size(), row.size() == 1 ? "" : "s",
                           result.names.size()));
      return;
    }
    std::vector<double> numbers(row.size());
    bool good = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string_view text =
          std::string_view(text_).substr(row[i].begin, row[i].end - row[i].begin);
      if (text.empty() && blank_ == Blank::not_a_number) {
        numbers[i] = std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      if (text.empty()) {
        complain(row[i].begin, row[i].begin + 1,
                 fmt::format("no number for {}", in_quotes(result.names[i])));
      } else if (!is_number(row[i], numbers[i])) {
        complain(row[i].begin, row[i].end,
                 fmt::format("{} is not a finite number", in_quotes(text)));
      } else {
        continue;
      }
      good = false;
    }
    if (!good) return;
    for (std::size_t i = 0; i < row.size(); ++i) result.values[i].push_back(numbers[i]);
    result.lines.push_back(line);
  }

  std::shared_ptr<const Source> source_;
  const std::string& text_;
  TextIndex index_;
  char separator_ = ',';
  Blank blank_;
  std::vector<Diagnostic> wrong_;
};

}  // namespace

Result<std::size_t, ModelError> Columns::column(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string known;
  for (const std::string& other : names) known += (known.empty() ? "" : ", ") + in_quotes(other);
  return Failure{ModelError{
      source, {{fmt::format("no column {}; there are {}", in_quotes(name), known), header}}}};
}

std::vector<Diagnostic> Columns::not_increasing(std::size_t column) const {
  const std::vector<double>& x = values[column];
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (x[i] > x[i - 1]) continue;
    return {{fmt::format("{} does not increase: {} comes after {}", in_quotes(names[column]), x[i],
                         x[i - 1]),
             Location{lines[i], 1, 1}}};
  }
  return {};
}

Result<Columns, ModelError> read_columns_text(std::string text, const std::string& name,
                                              Blank blank) {
  return ColumnReader(std::make_shared<const Source>(Source{name, std::move(text)}), blank).read();
}

Result<Columns, ModelError> read_columns(const std::string& path, Blank blank) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  auto text = read_text_file(
      path, unknown ? largest_data_file : std::min<std::size_t>(size, largest_data_file));
  if (!text) return Failure{std::move(text).error()};
  if (!unknown && size > largest_data_file)
    return Failure{whole_file(
        path, fmt::format("too large: a file of numbers has at most {} bytes", largest_data_file))};
  return read_columns_text(*std::move(text), path, blank);
}

std::string in_one_line(const ModelError& error) {
  const Diagnostic& first = error.diagnostics.front();
  const std::string path = error.source == nullptr ? "" : error.source->path;
  if (first.where.line == 0) return fmt::format("{}: {}", path, first.message);
  return fmt::format("{}:{}:{}: {}", path, first.where.line, first.where.column, first.message);
}

}  // namespace dalembert::model
