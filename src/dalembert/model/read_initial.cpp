// [initial]: the state in which the motion begins.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/model/initial_values.hpp"
#include "dalembert/model/reader.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

constexpr std::array adjust_words = {"none"sv, "nearest"sv, "velocity"sv};
constexpr std::array adjust_values = {Adjust::none, Adjust::nearest, Adjust::velocity};

}  // namespace

void Reader::read_initial(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  model.initial.where = table.where;
  InitialValues values(model.coordinates, lets);
  std::vector<std::string> keys = names.coordinates();
  for (const std::string& name : names.coordinates()) keys.push_back(name + "'");
  keys.insert(keys.end(), {"adjust", "mu", "hold"});
  const Entry* hold = nullptr;
  std::vector<std::size_t> given;
  std::unordered_map<std::size_t, const Entry*> entries;
  for (const Entry& entry : table.entries) {
    if (is_misplaced(entry)) continue;
    if (entry.key == "adjust") {
      if (const auto word = choice(entry.value, "adjust", adjust_words)) {
        model.initial.adjust = adjust_values[*word];
      }
      continue;
    }
    if (entry.key == "mu" && (entry.value.kind == Kind::table || !names.is_coordinate("mu"))) {
      read_mu(entry.value);
      continue;
    }
    if (entry.key == "hold" && (entry.value.kind == Kind::array || !names.is_coordinate("hold"))) {
      hold = &entry;
      continue;
    }
    const std::string name = entry.key.substr(0, entry.key.find_last_not_of('\'') + 1);
    const std::size_t primes = entry.key.size() - name.size();
    if (!names.is_coordinate(name)) {
      if (!names.is_incomplete()) {
        complaints.add(entry.where,
                       fmt::format("unknown coordinate {} in [initial]{}", in_quotes(entry.key),
                                   complaints.did_you_mean(entry.key, keys)));
      }
      continue;
    }
    if (primes > 1) {
      complaints.add(entry.where,
                     fmt::format("only positions and velocities have initial values, not {}",
                                 shortened(entry.key, 60)));
      continue;
    }
    const std::optional<Expr> e = expression(entry.value, places::initial, LetUse::marker);
    const std::size_t node = 2 * names.find(name)->index + primes;
    if (e) {
      values.give(node, *e);
      given.push_back(node);
      entries.emplace(node, &entry);
    } else {
      values.mark_broken(node);
    }
  }
  for (const auto& quaternion : model.quaternions) {
    const auto is_given = [&](std::size_t i) {
      return std::find(given.begin(), given.end(), 2 * i) != given.end();
    };
    if (std::any_of(quaternion.begin(), quaternion.end(), is_given)) continue;
    values.give(2 * quaternion[0], Expr(1));
    model.initial.q[quaternion[0]] = {Expr(1), {}};
  }
  for (const FreeInitialValue& free : free_initial) {
    values.give(free.node, expr::parameter(free.parameter.name));
    Located& place = (free.node % 2 == 0 ? model.initial.q : model.initial.v)[free.node / 2];
    place = {expr::parameter(free.parameter.name), {}};
    model.parameters.push_back(free.parameter);
  }
  for (const std::size_t node : given) {
    const std::vector<std::size_t> circle = values.resolve(node);
    if (!circle.empty()) {
      std::vector<std::string> along;
      for (const std::size_t k : circle) along.push_back(values.name(k));
      complaints.add(entries.at(circle.front())->where,
                     fmt::format("the initial value of {} depends on itself: {}", along.front(),
                                 circle_text(along)));
    }
    if (!values.is_resolved(node)) continue;
    Located& place = (node % 2 == 0 ? model.initial.q : model.initial.v)[node / 2];
    place = {values.value(node), content_place(entries.at(node)->value)};
  }
  if (hold == nullptr) return;
  for (const FreeInitialValue& free : free_initial) given.push_back(free.node);
  read_hold(*hold, given);
}

void Reader::read_hold(const Entry& entry, const std::vector<std::size_t>& given) {
  if (!expect(entry.value, Kind::array, "an array of coordinates and velocities")) return;
  std::vector<std::string> known = names.coordinates();
  for (const std::string& name : names.coordinates()) known.push_back(name + "'");
  const std::unordered_set<std::size_t> written(given.begin(), given.end());
  std::unordered_set<std::string> named;
  std::vector<std::string> held;
  for (const Value& item : entry.value.items) {
    const std::string* text = string(item, "the name of a coordinate or velocity in quotes");
    if (text == nullptr) continue;
    const std::string name = text->substr(0, text->find_last_not_of('\'') + 1);
    const std::size_t primes = text->size() - name.size();
    if (!names.is_coordinate(name)) {
      if (!names.is_incomplete()) {
        complaints.add(content_place(item), fmt::format("unknown coordinate {}{}", in_quotes(*text),
                                                        complaints.did_you_mean(*text, known)));
      }
    } else if (primes > 1) {
      complaints.add(
          content_place(item),
          fmt::format("only positions and velocities can be held, not {}", shortened(*text, 60)));
    } else if (!named.insert(*text).second) {
      complaints.add(content_place(item), fmt::format("{} is named twice", in_quotes(*text)));
    } else {
      held.push_back(*text);
      if (primes == 0 && written.contains(2 * names.find(name)->index + 1))
        held.push_back(name + "'");
    }
  }
  if (model.initial.adjust == Adjust::none && !held.empty()) {
    complaints.add(
        entry.where,
        "hold says what stays where it is when a start is adjusted, and this one is not: "
        "set adjust = \"nearest\" or \"velocity\"");
    return;
  }
  for (std::string& name : held) {
    std::vector<std::string>& hold = model.initial.hold;
    if (std::find(hold.begin(), hold.end(), name) == hold.end()) hold.push_back(std::move(name));
  }
}

void Reader::read_mu(const Value& table) {
  if (!expect(table, Kind::table, "a table of constraints")) return;
  const std::unordered_set<std::string> written(constraint_names.begin(), constraint_names.end());
  std::unordered_set<std::string> read;
  for (const Constraint& constraint : model.constraints) read.insert(constraint.name);
  for (const Entry& entry : table.entries) {
    const std::optional<Expr> e = expression(entry.value, places::multiplier);
    if (!written.contains(entry.key)) {
      complaints.add(entry.where,
                     fmt::format("unknown constraint {}{}", in_quotes(entry.key),
                                 complaints.did_you_mean(entry.key, constraint_names)));
    } else if (e && read.contains(entry.key)) {
      model.initial.mu.push_back({entry.key, *e, content_place(entry.value)});
    }
  }
}

}  // namespace dalembert::model
