#include "dalembert/model/toml/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/model/toml/literal.hpp"
#include "dalembert/model/toml/other_names.hpp"

namespace dalembert::model {

const Entry* find(const Value& table, std::string_view key) {
  const auto found = std::find_if(table.entries.begin(), table.entries.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == table.entries.end() ? nullptr : &*found;
}

Reader::Reader(std::shared_ptr<const Source> source) : index(source->text) {
  draft.source = std::move(source);
}

bool Reader::expect(const Value& value, Kind kind, std::string_view what) {
  if (value.kind == kind) return true;
  complaints.add(value.where, fmt::format("expected {}, found {}", what, kind_name(value.kind)));
  return false;
}

const std::string* Reader::string(const Value& value, std::string_view what) {
  return expect(value, Kind::string, what) ? &value.text : nullptr;
}

void Reader::check_keys(const Value& table, std::span<const std::string_view> known,
                        std::string_view where) {
  const std::vector<std::string> candidates(known.begin(), known.end());
  for (const Entry& entry : table.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    std::string meant = other_name_of_key(entry.key, where);
    if (meant.empty()) meant = complaints.did_you_mean(entry.key, candidates);
    complaints.add(entry.where,
                   fmt::format("unknown key {}{}{}", in_quotes(entry.key), where, meant));
  }
}

Location Reader::content_place(const Value& value) const {
  if (value.kind != Kind::string || value.text.empty()) return value.where;
  const auto offsets = content_offsets(index.text(), value.offset, value.text.size());
  return offsets.empty() ? value.where : index.location(offsets.front(), offsets.back());
}

std::string_view Reader::literal(const Value& value) const {
  return value.text.empty() ? bare_literal(index.text(), value.offset) : value.text;
}

Formula Reader::formula(const Value& value, std::string_view what) {
  if (value.kind == Kind::expression) return {*value.expression, value.where};
  if (value.kind != Kind::number) return text(value, what);
  Formula result;
  result.form = Formula::Form::number;
  result.text = literal(value);
  result.where = result.literal = value.where;
  return result;
}

Formula Reader::text(const Value& value, std::string_view what) {
  Formula result;
  result.where = content_place(value);
  result.literal = value.where;
  if (!expect(value, Kind::string, what)) return result;
  result.form = Formula::Form::text;
  result.text = value.text;
  result.offset = value.offset;
  return result;
}

Definition Reader::definition(const Entry& entry, std::string_view what) {
  return {entry.key, entry.where, formula(entry.value, what)};
}

VectorFormula Reader::vector(const Value& value) {
  VectorFormula result;
  result.where = content_place(value);
  if (value.kind == Kind::string) {
    result.parts.push_back(text(value, ""));
  } else if (expect(value, Kind::array, "an array of three expressions")) {
    if (value.items.size() == 3) {
      for (const Value& item : value.items) result.parts.push_back(formula(item));
    } else {
      complaints.add(value.where,
                     fmt::format("expected three components, found {}", value.items.size()));
    }
  }
  return result;
}

std::optional<Word> Reader::word(const Value& value, std::string_view what) {
  const std::string* text = string(value, what);
  return text == nullptr ? std::nullopt : std::optional(Word{*text, content_place(value)});
}

Words Reader::words(const Entry& entry, std::string_view list, std::string_view item) {
  Words result;
  result.where = entry.value.where;
  result.key = entry.where;
  result.refused = !expect(entry.value, Kind::array, list);
  for (const Value& value : entry.value.items) {
    if (auto name = word(value, item)) {
      result.items.push_back(*std::move(name));
    } else {
      result.refused = true;
    }
  }
  return result;
}

Ranges Reader::ranges(const Value& table) {
  const Entry* entry = find(table, "for");
  if (entry == nullptr) return {};
  if (entry->value.kind == Kind::array && entry->value.items.empty())
    complaints.add(entry->value.where, "for names at least one range, such as \"i = 1..6\"");
  if (entry->value.kind == Kind::array)
    return words(*entry, "an array of ranges", "a range such as \"i = 1..6\"").items;
  std::optional<Word> range = word(entry->value, "a range such as \"i = 1..6\"");
  if (!range) return {};
  return {*std::move(range)};
}

std::optional<std::size_t> Reader::choice(const Value& value, std::string_view what,
                                          std::span<const std::string_view> words) {
  const std::string* word = string(value, "a string");
  if (word == nullptr) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::vector<std::string> candidates(words.begin(), words.end());
  std::string hint = complaints.did_you_mean(*word, candidates);
  if (hint.empty()) hint = fmt::format("; known are {}", fmt::join(words, ", "));
  complaints.add(content_place(value),
                 fmt::format("unknown {} {}{}", what, in_quotes(*word), hint));
  return std::nullopt;
}

bool Reader::is_misplaced(const Entry& entry) {
  const bool top = entry.key == "coordinates" || entry.key == "mass_matrix";
  if (!top || entry.value.kind != Kind::array) return false;
  complaints.add(
      entry.where,
      fmt::format("'{}' belongs at the top of the file, before the first [table]", entry.key));
  draft.incomplete = true;
  return true;
}

void Reader::each_entry(const Value& table, const std::function<void(const Entry&)>& use) {
  if (!expect(table, Kind::table, "a table")) return;
  for (const Entry& entry : table.entries) {
    if (!is_misplaced(entry)) use(entry);
  }
}

std::vector<Definition> Reader::definitions(const Value& table) {
  std::vector<Definition> result;
  each_entry(table, [&](const Entry& entry) { result.push_back(definition(entry)); });
  return result;
}

bool Reader::each_table(const Value& list, std::string_view key,
                        const std::function<void(const Value&)>& use) {
  if (list.kind == Kind::table) {
    complaints.add(list.where,
                   fmt::format("write [[{}]], with double brackets{}", key,
                               key == "force" ? ", for a force at a point of a body, or [forces] "
                                                "for forces along coordinates"
                                              : ""));
    return false;
  }
  bool good = expect(list, Kind::array, fmt::format("tables [[{}]]", key));
  for (const Value& table : list.items) {
    const bool is_table = expect(table, Kind::table, fmt::format("a table [[{}]]", key));
    if (is_table) use(table);
    good = good && is_table;
  }
  return good;
}

std::optional<Word> Reader::needed_name(const Value& table, std::string_view key) {
  const Entry* name = find(table, "name");
  if (name == nullptr) complaints.add(table.where, fmt::format("a {} needs a name", key));
  std::optional<Word> result;
  if (name != nullptr) result = word(name->value, "a name in quotes");
  draft.incomplete = draft.incomplete || !result;
  return result;
}

}  // namespace dalembert::model
