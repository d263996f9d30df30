#include "dalembert/report/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dalembert::report {

std::string count(std::size_t k, const std::string& what) {
  const bool y_to_ies = what.ends_with("y");
  if (k == 1) return fmt::format("1 {}", what);
  return fmt::format("{} {}{}", k, y_to_ies ? what.substr(0, what.size() - 1) : what,
                     y_to_ies ? "ies" : "s");
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string left(const std::string& text, std::size_t columns) {
  const std::size_t used = width(text);
  return text + std::string(used < columns ? columns - used : 0, ' ');
}

std::string right(const std::string& text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(used < columns ? columns - used : 0, ' ') + text;
}

std::string brief(double x, int digits) {
  std::string text = fmt::format("{:.{}g}", x == 0 ? 0.0 : x, digits);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::size_t zeros = e + 2;
  while (zeros + 1 < text.size() && text[zeros] == '0') ++zeros;
  return text.substr(0, e + 1) + (text[e + 1] == '-' ? "-" : "") + text.substr(zeros);
}

std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t k = 0; k < row.size(); ++k) {
      line += k == 0 ? left(row[k], widths[k]) : "  " + right(row[k], widths[k]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace dalembert::report
