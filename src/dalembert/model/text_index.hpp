#pragma once
/// Places in a text, as byte offsets and as line and column in characters, converted both ways in a
/// few steps however long the lines are. The text is UTF-8 and outlives the index.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dalembert/model/diagnostic.hpp"

namespace dalembert::model {

class TextIndex {
 public:
  explicit TextIndex(std::string_view text);

  std::string_view text() const { return text_; }

  /// The byte at which a character stands; the end of the text for a place beyond it.
  std::size_t offset(std::size_t line, std::size_t column) const;

  /// The characters of bytes [begin, end), cut at the end of the line they begin on. At least one
  /// long.
  Location location(std::size_t begin, std::size_t end) const;

 private:
  std::size_t characters_before(std::size_t offset) const;

  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  std::vector<std::size_t> block_counts_;  ///< characters that begin before each block of bytes
};

}  // namespace dalembert::model
