#include "dalembert/model/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/expr/parse.hpp"
#include "dalembert/model/literal.hpp"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

namespace dalembert::model {

namespace {

struct Span {
  std::size_t begin;
  std::size_t end;
};

Span bytes(const toml::source_region& region, const TextIndex& index) {
  const std::size_t begin = index.offset(region.begin.line, region.begin.column);
  return {begin, std::max(begin, index.offset(region.end.line, region.end.column))};
}

Kind kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return Kind::table;
    case toml::node_type::array:
      return Kind::array;
    case toml::node_type::string:
      return Kind::string;
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return Kind::number;
    case toml::node_type::boolean:
      return Kind::boolean;
    default:
      return Kind::date;
  }
}

Value convert(const toml::node& node, const TextIndex& index) {
  Value value;
  const Span span = bytes(node.source(), index);
  value.kind = kind_of(node);
  value.offset = span.begin;
  value.where = index.location(span.begin, span.end);
  if (const auto* string = node.as_string()) value.text = string->get();
  if (const auto* array = node.as_array()) {
    value.items.reserve(array->size());
    for (const toml::node& item : *array) value.items.push_back(convert(item, index));
  }
  if (const auto* table = node.as_table()) {
    value.entries.reserve(table->size());
    for (const auto& [key, item] : *table) {
      const Span place = bytes(key.source(), index);
      value.entries.push_back(
          {std::string(key.str()), index.location(place.begin, place.end), convert(item, index)});
    }
    std::sort(value.entries.begin(), value.entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
  }
  return value;
}

Diagnostic syntax_error(const toml::parse_error& error, const TextIndex& index) {
  const Span span = bytes(error.source(), index);
  const Location where = index.location(span.begin, span.end);
  const std::string_view rest = index.text().substr(span.begin);
  const bool wide_letter = rest.size() > 1 && expr::utf8_length(rest) > 1;
  if (wide_letter && expr::is_name(rest.substr(0, expr::utf8_length(rest)))) {
    return {"a key with letters beyond ASCII must stand in quotes", where};
  }
  return {std::string(error.description()), where};
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return "a boolean";
    case Kind::number:
      return "a number";
    case Kind::string:
      return "a string";
    case Kind::date:
      return "a date or time";
    case Kind::array:
      return "an array";
    case Kind::table:
      return "a table";
  }
  return "something else";
}

expr::Result<Value, Diagnostic> parse_document(const TextIndex& index) {
  if (const auto deep = find_key_too_deep(index.text())) {
    return expr::Failure{Diagnostic{fmt::format("a key of more than {} parts", longest_key),
                                    index.location(*deep, *deep + 1)}};
  }
  const toml::parse_result parsed = toml::parse(index.text());
  if (!parsed) return expr::Failure{syntax_error(parsed.error(), index)};
  return convert(parsed.table(), index);
}

}  // namespace dalembert::model
