#include "dalembert/model/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dalembert::model {

void Fields::check_keys(std::span<const std::string_view> known, std::string_view where) {
  reader_.check_keys(table_, known, where);
  for (const Entry& entry : table_.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) broken_ = true;
  }
}

std::optional<Located> Fields::scalar(std::string_view key, const Place& place) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  const std::optional<Expr> e = reader_.expression(entry->value, place);
  broken_ = broken_ || !e;
  return Located{e.value_or(Expr(1)), reader_.content_place(entry->value)};
}

std::optional<LocatedVector> Fields::vector(std::string_view key, const Place& place) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  const std::optional<Vector> v = reader_.vector(entry->value, place);
  broken_ = broken_ || !v;
  return LocatedVector(v.value_or(Vector{}), reader_.content_place(entry->value));
}

const Value* Fields::two(std::string_view key, std::string_view what) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return nullptr;
  const Value& value = entry->value;
  if (value.kind == Kind::array && value.items.size() == 2) return &value;
  broken_ = true;
  if (reader_.expect(value, Kind::array, fmt::format("an array of two {}", what))) {
    reader_.complaints.add(value.where, fmt::format("expected two {}, one for each body, found {}",
                                                    what, value.items.size()));
  }
  return nullptr;
}

std::optional<std::array<LocatedVector, 2>> Fields::vectors(std::string_view key,
                                                            const Place& place) {
  const Value* pair = two(key, "vectors");
  if (pair == nullptr) return std::nullopt;
  std::array<LocatedVector, 2> result;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::optional<Vector> v = reader_.vector(pair->items[i], place);
    broken_ = broken_ || !v;
    result[i] = {v.value_or(Vector{}), reader_.content_place(pair->items[i])};
  }
  return result;
}

std::optional<bool> Fields::boolean(std::string_view key) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  if (!reader_.expect(entry->value, Kind::boolean, "true or false")) {
    broken_ = true;
    return std::nullopt;
  }
  return reader_.index.text().substr(entry->value.offset, 4) == "true";
}

std::optional<std::size_t> Fields::choice(std::string_view key, std::string_view what,
                                          std::span<const std::string_view> words) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) return std::nullopt;
  const std::optional<std::size_t> chosen = reader_.choice(entry->value, what, words);
  broken_ = broken_ || !chosen;
  return chosen;
}

std::optional<std::size_t> Fields::body_named(const Value& value) {
  const std::string* name = reader_.string(value, "the name of a body in quotes");
  broken_ = broken_ || name == nullptr;
  if (name == nullptr || *name == ground) return std::nullopt;
  const std::vector<Body>& all = reader_.model.bodies;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Body& b) { return b.name == *name; });
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  broken_ = true;
  const Declaration* declaration = reader_.names.find(*name);
  const bool reported = declaration != nullptr && declaration->kind == NameKind::body;
  if (!reported && !reader_.names.is_incomplete()) {
    std::vector<std::string> known = reader_.names.bodies();
    known.emplace_back(ground);
    reader_.complaints.add(reader_.content_place(value),
                           fmt::format("{} is not a body{}", in_quotes(*name),
                                       reader_.complaints.did_you_mean(*name, known)));
  }
  return std::nullopt;
}

std::size_t Fields::body(std::string_view key, Location& where) {
  const Entry* entry = find(table_, key);
  if (entry == nullptr) {
    broken_ = true;
    reader_.complaints.add(table_.where, fmt::format("{} needs a {}", title_, key));
    return 0;
  }
  where = reader_.content_place(entry->value);
  const std::optional<std::size_t> found = body_named(entry->value);
  if (!found && !broken_) refuse(key, fmt::format("{} cannot act on the ground", title_));
  return found.value_or(0);
}

void Fields::bodies(std::array<std::optional<std::size_t>, 2>& bodies,
                    std::array<Location, 2>& where) {
  const Entry* both = find(table_, "bodies");
  const Entry* one = find(table_, "body");
  if (both != nullptr && one != nullptr) {
    refuse("body", fmt::format("{} takes 'bodies' or 'body', not both", title_));
    return;
  }
  if (both == nullptr && one == nullptr) {
    broken_ = true;
    reader_.complaints.add(
        table_.where, fmt::format("{} needs bodies = [\"...\", \"...\"], or body = \"...\" for one "
                                  "on the ground",
                                  title_));
    return;
  }
  if (one != nullptr) {
    where = {reader_.content_place(one->value), reader_.content_place(one->value)};
    bodies[1] = body_named(one->value);
    return;
  }
  const Value* pair = two("bodies", "names");
  if (pair == nullptr) return;
  for (std::size_t i = 0; i < 2; ++i) {
    bodies[i] = body_named(pair->items[i]);
    where[i] = reader_.content_place(pair->items[i]);
  }
}

void Fields::refuse(std::string_view key, std::string message) {
  broken_ = true;
  const Entry* entry = find(table_, key);
  reader_.complaints.add(entry == nullptr ? table_.where : entry->where, std::move(message));
}

}  // namespace dalembert::model
