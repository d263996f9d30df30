#include "dalembert/model/toml/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dalembert::model {

void Fields::check_keys(std::span<const std::string_view> known, std::string_view where) {
  reader_.check_keys(table_, known, where);
  for (const Entry& entry : table_.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) refused_ = true;
  }
}

std::optional<Formula> Fields::formula(std::string_view key) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  Formula result = reader_.formula(entry->value);
  refused_ = refused_ || result.form == Formula::Form::refused;
  return result;
}

std::vector<Formula> Fields::one_or_two(std::string_view key) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return {};
  std::vector<Formula> result;
  if (entry->value.kind != Kind::array) {
    result.push_back(*formula(key));
  } else if (entry->value.items.empty() || entry->value.items.size() > 2) {
    refused_ = true;
    reader_.complaints.add(entry->value.where,
                           fmt::format("'{}' is one expression or a list of two, not of {}", key,
                                       entry->value.items.size()));
  } else {
    for (const Value& item : entry->value.items) {
      result.push_back(reader_.formula(item));
      refused_ = refused_ || result.back().form == Formula::Form::refused;
    }
  }
  return result;
}

std::optional<VectorFormula> Fields::vector(std::string_view key) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  VectorFormula result = reader_.vector(entry->value);
  refused_ = refused_ || result.parts.empty();
  return result;
}

VectorFormula Fields::needed_vector(std::string_view key) {
  std::optional<VectorFormula> v = vector(key);
  if (!v && !refused_) refuse(key, fmt::format("{} needs '{}'", title_, key));
  return v ? *std::move(v) : VectorFormula{};
}

const Value* Fields::two(std::string_view key, std::string_view what) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return nullptr;
  const Value& value = entry->value;
  if (value.kind == Kind::array && value.items.size() == 2) return &value;
  refused_ = true;
  if (reader_.expect(value, Kind::array, fmt::format("an array of two {}", what))) {
    reader_.complaints.add(value.where, fmt::format("expected two {}, one for each body, found {}",
                                                    what, value.items.size()));
  }
  return nullptr;
}

std::optional<std::array<VectorFormula, 2>> Fields::vectors(std::string_view key) {
  const Value* pair = two(key, "vectors");
  if (pair == nullptr) return std::nullopt;
  std::array<VectorFormula, 2> result;
  for (std::size_t i = 0; i < 2; ++i) {
    result[i] = reader_.vector(pair->items[i]);
    refused_ = refused_ || result[i].parts.empty();
  }
  return result;
}

std::optional<bool> Fields::boolean(std::string_view key) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  if (!reader_.expect(entry->value, Kind::boolean, "true or false")) {
    refused_ = true;
    return std::nullopt;
  }
  return reader_.literal(entry->value) == "true";
}

std::optional<std::size_t> Fields::choice(std::string_view key, std::string_view what,
                                          std::span<const std::string_view> words) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  const std::optional<std::size_t> chosen = reader_.choice(entry->value, what, words);
  refused_ = refused_ || !chosen;
  return chosen;
}

std::optional<Word> Fields::word(std::string_view key, std::string_view what) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  std::optional<Word> result = reader_.word(entry->value, what);
  refused_ = refused_ || !result;
  return result;
}

std::optional<Word> Fields::title(Location& where) {
  where = table_.where;
  const Entry* name = find(table_, "name");
  if (name == nullptr) return std::nullopt;
  where = reader_.content_place(name->value);
  return reader_.word(name->value, "a name in quotes");
}

std::optional<Word> Fields::body(std::string_view key) {
  if (!has(key)) {
    refused_ = true;
    reader_.complaints.add(table_.where, fmt::format("{} needs a {}", title_, key));
    return std::nullopt;
  }
  std::optional<Word> name = word(key, "the name of a body in quotes");
  if (name && name->text == ground && !refused_)
    refuse(key, fmt::format("{} cannot act on the ground", title_));
  return name;
}

BodyPair Fields::bodies() {
  if (has("bodies") && has("body")) {
    refuse("body", fmt::format("{} takes 'bodies' or 'body', not both", title_));
    return {};
  }
  if (has("body")) {
    const std::optional<Word> name = word("body", "the name of a body in quotes");
    if (!name) return {};
    return {Word{std::string(ground), name->where}, name};
  }
  if (!has("bodies")) {
    refused_ = true;
    reader_.complaints.add(
        table_.where, fmt::format("{} needs bodies = [\"...\", \"...\"], or body = \"...\" for one "
                                  "on the ground",
                                  title_));
    return {};
  }
  BodyPair result;
  if (const Value* pair = two("bodies", "names")) {
    for (std::size_t i = 0; i < 2; ++i) {
      result[i] = reader_.word(pair->items[i], "the name of a body in quotes");
      refused_ = refused_ || !result[i];
    }
  }
  return result;
}

void Fields::refuse(std::string_view key, std::string message) {
  refused_ = true;
  const Entry* entry = find(table_, key);
  reader_.complaints.add(entry == nullptr ? table_.where : entry->where, std::move(message));
}

}  // namespace dalembert::model
