#pragma once
/// Numbers in columns, from a text file: a header of names, then rows. Columns are parted by
/// commas, semicolons or tabs, whichever the header has; names may stand in double quotes; blank
/// lines and lines that begin with # are passed over.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/model/diagnostic.hpp"

namespace dalembert::model {

struct Columns {
  std::shared_ptr<const Source> source;
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  ///< of each column
  std::vector<int> lines;                   ///< where each row stands
  Location header = {};

  /// The number of a column; its complaint names those there are.
  expr::Result<std::size_t, ModelError> column(std::string_view name) const;
  /// Where the numbers of a column do not increase.
  std::vector<Diagnostic> not_increasing(std::size_t column) const;
};

inline constexpr std::size_t largest_data_file = 256u << 20;  ///< bytes

/// What an empty cell is.
enum class Blank : std::uint8_t { error, not_a_number };

/// Fails with the places of holes, of what is no finite number, and of rows that are too short or
/// too long.
expr::Result<Columns, ModelError> read_columns(const std::string& path, Blank blank = Blank::error);
expr::Result<Columns, ModelError> read_columns_text(std::string text, const std::string& name,
                                                    Blank blank = Blank::error);

/// The first complaint in one line, without the quotation: "F.csv:3:7: 'abc' is not a number".
std::string in_one_line(const ModelError& error);

}  // namespace dalembert::model
