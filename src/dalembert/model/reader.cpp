#include "dalembert/model/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/model/literal.hpp"
#include "dalembert/model/other_names.hpp"

namespace dalembert::model {

const Entry* find(const Value& table, std::string_view key) {
  const auto found = std::find_if(table.entries.begin(), table.entries.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == table.entries.end() ? nullptr : &*found;
}

Reader::Reader(std::shared_ptr<const Source> text) : source(std::move(text)), index(source->text) {
  model.source = source;
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

std::optional<Expr> Reader::exact(const Value& value) {
  const std::string_view literal = bare_literal(index.text(), value.offset);
  if (auto number = exact_number(literal)) return Expr(*number);
  complaints.add(value.where, fmt::format("{} must be finite", in_quotes(literal)));
  return std::nullopt;
}

template <class Parse>
auto Reader::parse(const Value& value, const Place& place, LetUse use, Parse parse_text)
    -> std::optional<std::decay_t<decltype(*parse_text({}, {}))>> {
  Lookup lookup(names, lets, joint_values, place, use, complaints);
  auto parsed = parse_text(value.text, lookup.scope());
  if (parsed) {
    if (lookup.is_broken()) return std::nullopt;
    return *std::move(parsed);
  }
  const expr::ParseError& error = parsed.error();
  std::size_t end = std::min(error.end, value.text.size());
  if (lookup.culprit_size() > 0) end = std::min(end, error.begin + lookup.culprit_size());
  const auto offsets = content_offsets(index.text(), value.offset, value.text.size());
  const bool known = !value.text.empty() && !offsets.empty() && error.begin < end;
  complaints.add(known ? index.location(offsets[error.begin], offsets[end]) : value.where,
                 error.message);
  return std::nullopt;
}

std::optional<expr::Value> Reader::number_or_vector(const Value& value, const Place& place,
                                                    LetUse use) {
  return parse(value, place, use, [](std::string_view text, const expr::Scope& scope) {
    return expr::parse_value(text, scope);
  });
}

std::optional<Expr> Reader::expression(const Value& value, const Place& place, LetUse use) {
  if (value.kind == Kind::number) return exact(value);
  if (!expect(value, Kind::string, "an expression")) return std::nullopt;
  const std::optional<expr::Value> e = number_or_vector(value, place, use);
  if (!e) return std::nullopt;
  if (std::holds_alternative<Expr>(*e)) return std::get<Expr>(*e);
  complaints.add(content_place(value), "expected a number, and this is a vector");
  return std::nullopt;
}

std::optional<Vector> Reader::vector(const Value& value, const Place& place, LetUse use) {
  if (value.kind == Kind::string) {
    const std::optional<expr::Value> e = number_or_vector(value, place, use);
    if (!e) return std::nullopt;
    if (std::holds_alternative<Vector>(*e)) return std::get<Vector>(*e);
    complaints.add(content_place(value), "expected a vector, and this is a number");
    return std::nullopt;
  }
  if (!expect(value, Kind::array, "an array of three expressions")) return std::nullopt;
  if (value.items.size() != 3) {
    complaints.add(value.where,
                   fmt::format("expected three components, found {}", value.items.size()));
    return std::nullopt;
  }
  Vector result;
  bool good = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<Expr> e = expression(value.items[i], place, use);
    good = good && e.has_value();
    if (e) result[i] = *e;
  }
  return good ? std::optional(result) : std::nullopt;
}

std::optional<std::vector<expr::Equation>> Reader::equations(const Value& value,
                                                             const Place& place) {
  if (!expect(value, Kind::string, "an equation")) return std::nullopt;
  return parse(value, place, LetUse::value, [](std::string_view text, const expr::Scope& scope) {
    return expr::parse_equations(text, scope);
  });
}

std::optional<double> Reader::number_in(const Value& value, std::string_view what) {
  if (value.kind != Kind::string && !expect(value, Kind::number, "a number")) return std::nullopt;
  const std::optional<Expr> e = expression(value, places::number);
  if (!e) return std::nullopt;
  const double x = expr::evaluate(*e, [](const expr::Symbol&) { return std::nan(""); });
  if (std::isfinite(x)) return x;
  complaints.add(content_place(value), fmt::format("{} must be finite", what));
  return std::nullopt;
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

}  // namespace dalembert::model
