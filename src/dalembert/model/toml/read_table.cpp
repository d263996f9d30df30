// [[table]].
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "dalembert/model/columns.hpp"
#include "dalembert/model/toml/fields.hpp"

namespace dalembert::model {

using expr::Interpolation;
using expr::Outside;
using std::string_view_literals::operator""sv;

namespace {

constexpr std::array table_keys = {"name"sv,          "x"sv,      "y"sv, "file"sv, "columns"sv,
                                   "interpolation"sv, "outside"sv};
constexpr std::array interpolations = {Interpolation::linear, Interpolation::hold,
                                       Interpolation::cubic, Interpolation::spline};
constexpr std::array outsides = {Outside::hold, Outside::error};

}  // namespace

void Reader::read_table(const Value& value) {
  Fields fields(*this, value, "a table");
  fields.check_keys(table_keys, " in [[table]]");
  TableStatement table;
  const auto name = needed_name(value, "table");
  if (!name) return;
  table.name = name->text;
  table.where = name->where;
  const auto numbers = [&](std::string_view key, std::vector<Formula>& list, Location& where) {
    const Entry* entry = find(value, key);
    if (entry == nullptr) return;
    where = entry->where;
    if (!expect(entry->value, Kind::array, "an array of numbers")) return fields.refuse();
    for (const Value& item : entry->value.items) {
      list.push_back(formula(item, "a number"));
      if (list.back().form == Formula::Form::refused) fields.refuse();
    }
  };
  numbers("x", table.x, table.x_where);
  numbers("y", table.y, table.y_where);
  table.interpolation = fields.choice_of("interpolation", "interpolation", interpolations)
                            .value_or(Interpolation::linear);
  table.outside =
      fields.choice_of("outside", "way outside of a table", outsides).value_or(Outside::hold);
  const auto file = fields.word("file", "the name of a file in quotes");
  const Entry* columns = find(value, "columns");
  const bool said = fields.has("x") || fields.has("y");
  if (fields.has("file") && said) {
    fields.refuse("file", "a table has its numbers in 'x' and 'y' or in a file, not both");
  } else if (!fields.has("file") && columns != nullptr) {
    fields.refuse("columns", "'columns' are those of a 'file'");
  } else if (!fields.has("file") && !(fields.has("x") && fields.has("y")) && !fields.is_refused()) {
    fields.refuse("", fmt::format("table {} needs numbers: 'x' and 'y', or 'file' and 'columns'",
                                  in_quotes(table.name)));
  } else if (fields.has("file") && columns == nullptr) {
    fields.refuse("file", "which columns of the file? columns = [\"t\", \"force\"], say");
  } else if (file && !fields.is_refused()) {
    const Words chosen = words(*columns, "an array of two names", "the name of a column");
    if (!chosen.refused && chosen.items.size() != 2)
      fields.refuse("columns",
                    fmt::format("'columns' are two names, that of s and that of F(s), not {}",
                                chosen.items.size()));
    if (chosen.refused) fields.refuse();
    if (!fields.is_refused()) {
      std::filesystem::path path = file->text;
      if (path.is_relative() && draft.source)
        path = std::filesystem::path(draft.source->path).parent_path() / path;
      const auto complain = [&](const ModelError& error, std::string_view key) {
        fields.refuse(key, fmt::format("table {}: {}", in_quotes(table.name), in_one_line(error)));
      };
      if (const auto read = read_columns(path.string())) {
        table.is_read = true;
        table.x_where = columns->where;
        std::array<std::size_t, 2> number{};
        for (std::size_t i = 0; i < 2 && !fields.is_refused(); ++i) {
          const auto column = read->column(chosen.items[i].text);
          if (column) {
            number[i] = *column;
          } else {
            complain(column.error(), "columns");
          }
        }
        if (!fields.is_refused()) {
          const auto wrong = read->not_increasing(number[0]);
          if (!wrong.empty()) complain(ModelError{read->source, wrong}, "file");
          table.read_x = read->values[number[0]];
          table.read_y = read->values[number[1]];
        }
      } else {
        complain(read.error(), "file");
      }
    }
  }
  table.refused = fields.is_refused();
  draft.tables.push_back(std::move(table));
}

}  // namespace dalembert::model
