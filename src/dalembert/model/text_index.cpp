#include "dalembert/model/text_index.hpp"

#include <algorithm>

namespace dalembert::model {

namespace {

constexpr std::size_t block = 64;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

}  // namespace

TextIndex::TextIndex(std::string_view text) : text_(text), line_starts_{0} {
  std::size_t count = 0;
  block_counts_.reserve(text.size() / block + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % block == 0) block_counts_.push_back(count);
    if (begins_character(text[i])) ++count;
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
  if (text.size() % block == 0) block_counts_.push_back(count);
}

std::size_t TextIndex::characters_before(std::size_t offset) const {
  const std::size_t number = offset / block;
  const std::size_t begin = number * block;
  if (number + 1 < block_counts_.size() &&
      block_counts_[number + 1] == block_counts_[number] + block)  // a byte is a character here
    return block_counts_[number] + (offset - begin);
  const std::string_view rest = text_.substr(begin, offset - begin);
  return block_counts_[number] +
         static_cast<std::size_t>(std::count_if(rest.begin(), rest.end(), begins_character));
}

std::size_t TextIndex::offset(std::size_t line, std::size_t column) const {
  if (line == 0 || line > line_starts_.size()) return text_.size();
  const std::size_t wanted = characters_before(line_starts_[line - 1]) + column;  // counted from 1
  const auto after = std::lower_bound(block_counts_.begin(), block_counts_.end(), wanted);
  const auto blocks = static_cast<std::size_t>(after - block_counts_.begin());
  std::size_t i = blocks == 0 ? 0 : (blocks - 1) * block;
  std::size_t count = blocks == 0 ? 0 : block_counts_[blocks - 1];
  if (blocks > 0 && blocks < block_counts_.size() && block_counts_[blocks] == count + block)
    return i + (wanted - count - 1);
  for (; i < text_.size(); ++i) {
    if (begins_character(text_[i]) && ++count == wanted) return i;
  }
  return text_.size();
}

Location TextIndex::location(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), begin);
  const std::size_t line_start = *(next - 1);
  std::size_t line_end = next == line_starts_.end() ? text_.size() : *next - 1;
  if (line_end > begin && text_[line_end - 1] == '\r') --line_end;
  end = std::clamp(end, begin, std::max(begin, line_end));
  const std::size_t first = characters_before(begin);
  const std::size_t length = characters_before(end) - first;
  return {static_cast<int>(next - line_starts_.begin()),
          static_cast<int>(first - characters_before(line_start) + 1),
          static_cast<int>(std::max<std::size_t>(length, 1))};
}

}  // namespace dalembert::model
