#pragma once
/// A TOML file as a tree with places, in the order of the text; or what a program says instead,
/// with expressions where a file has texts. The only door to the TOML library.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/result.hpp"
#include "dalembert/model/text_index.hpp"

namespace dalembert::model {

enum class Kind { boolean, number, string, date, array, table, expression };

struct Entry;

struct Value {
  Kind kind = Kind::table;
  Location where = {};
  std::size_t offset = 0;      ///< where its literal begins, in bytes
  std::string text;            ///< of a string; of a number or a boolean that a program gives
  std::vector<Value> items;    ///< of an array
  std::vector<Entry> entries;  ///< of a table
  /// Of an expression, and of the right side where it is an equation.
  std::optional<expr::Expr> expression = {}, right_side = {};
};

struct Entry {
  std::string key;
  Location where = {};
  Value value;
};

/// "a number", "an array" ...
std::string_view kind_name(Kind kind);

/// The document, or the first thing that is not TOML.
expr::Result<Value, Diagnostic> parse_document(const TextIndex& index);

}  // namespace dalembert::model
