// The state in which the motion begins.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/assembly/initial_values.hpp"

namespace dalembert::model {

namespace {

/// x and 1 for "x'".
std::pair<std::string, std::size_t> without_primes(const std::string& name) {
  const std::size_t size = name.find_last_not_of('\'') + 1;
  return {name.substr(0, size), name.size() - size};
}

}  // namespace

void Assembly::assemble_initial() {
  const InitialStatement none;
  const InitialStatement& said = draft.initial ? *draft.initial : none;
  model.initial.where = said.where;
  if (said.adjust) model.initial.adjust = *said.adjust;
  InitialValues values(model.coordinates, lets);
  std::vector<std::size_t> given;
  std::unordered_map<std::size_t, const Definition*> definitions;
  Spins spins;
  for (const Definition& definition : said.values) {
    if (take_spin(definition, spins)) continue;
    const auto [name, primes] = without_primes(definition.name);
    if (!names.is_coordinate(name)) {
      if (names.is_incomplete()) continue;
      std::vector<std::string> keys = names.coordinates();
      for (const std::string& coordinate : names.coordinates()) keys.push_back(coordinate + "'");
      keys.insert(keys.end(), {"adjust", "mu", "hold"});
      complaints.add(definition.where,
                     fmt::format("unknown coordinate {} in [initial]{}", in_quotes(definition.name),
                                 complaints.did_you_mean(definition.name, keys)));
      continue;
    }
    if (primes > 1) {
      complaints.add(definition.where,
                     fmt::format("only positions and velocities have initial values, not {}",
                                 shortened(definition.name, 60)));
      continue;
    }
    const std::optional<Expr> e = expression(definition.value, places::initial, LetUse::marker);
    const std::size_t node = 2 * names.find(name)->index + primes;
    if (definitions.contains(node)) {
      complaints.add(definition.where,
                     fmt::format("the initial value of {} is given twice", definition.name));
      continue;
    }
    if (e) {
      values.give(node, *e);
      given.push_back(node);
      definitions.emplace(node, &definition);
    } else {
      values.mark_broken(node);
    }
  }
  for (const auto& quaternion : model.quaternions) {
    const auto is_given = [&](std::size_t i) { return definitions.contains(2 * i); };
    if (std::any_of(quaternion.begin(), quaternion.end(), is_given)) continue;
    values.give(2 * quaternion[0], Expr(1));
    model.initial.q[quaternion[0]] = {Expr(1), {}};
  }
  std::vector<SpinRate> spin_rates;
  for (const auto& [body, spin] : spins) {
    if (!spin.broken) resolve_spin(body, spin, given, values, spin_rates);
  }
  for (const std::size_t node : given) {
    const std::vector<std::size_t> circle = values.resolve(node);
    if (!circle.empty()) {
      std::vector<std::string> along;
      for (const std::size_t k : circle) along.push_back(values.name(k));
      complaints.add(definitions.at(circle.front())->where,
                     fmt::format("the initial value of {} depends on itself: {}", along.front(),
                                 circle_text(along)));
    }
    if (!values.is_resolved(node)) continue;
    Located& place = (node % 2 == 0 ? model.initial.q : model.initial.v)[node / 2];
    place = {values.value(node), definitions.at(node)->value.where};
  }
  place_spin_rates(spin_rates, values);
  for (const SpinRate& rate : spin_rates) {
    given.push_back(rate.node);
    rates_from_spins.emplace_back(rate.node, rate.body);
  }
  if (said.hold) assemble_hold(*said.hold, given);
}

void Assembly::place_spin_rates(const std::vector<SpinRate>& rates, InitialValues& values) {
  std::unordered_set<std::string> told;
  for (const SpinRate& rate : rates) {
    const std::vector<std::size_t> circle = values.resolve(rate.node);
    if (!circle.empty())
      complaints.add(rate.where, fmt::format("the angular velocity of {} depends on itself",
                                             in_quotes(rate.body)));
    if (!values.is_resolved(rate.node)) continue;
    expr::ExprMap start{{expr::time(), Expr(0)}};
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
      values.resolve(2 * i);
      start.emplace(expr::coordinate(model.coordinates[i]), values.value(2 * i));
    }
    if (expr::substitute(rate.determinant, start).is_zero() && told.insert(rate.body).second)
      complaints.add(rate.where,
                     fmt::format("the rates of {} do not follow from its angular velocity: as it "
                                 "starts, two of its axes of rotation fall together",
                                 in_quotes(rate.body)));
    model.initial.v[rate.node / 2] = {values.value(rate.node), rate.where};
  }
}

void Assembly::assemble_hold(const Words& said, const std::vector<std::size_t>& given) {
  const std::unordered_set<std::size_t> written(given.begin(), given.end());
  std::unordered_set<std::string> named;
  std::vector<std::string> held;
  for (const Word& item : said.items) {
    const auto [name, primes] = without_primes(item.text);
    if (!names.is_coordinate(name)) {
      if (names.is_incomplete()) continue;
      std::vector<std::string> known = names.coordinates();
      for (const std::string& coordinate : names.coordinates()) known.push_back(coordinate + "'");
      complaints.add(item.where, fmt::format("unknown coordinate {}{}", in_quotes(item.text),
                                             complaints.did_you_mean(item.text, known)));
    } else if (primes > 1) {
      complaints.add(item.where, fmt::format("only positions and velocities can be held, not {}",
                                             shortened(item.text, 60)));
    } else if (!named.insert(item.text).second) {
      complaints.add(item.where, fmt::format("{} is named twice", in_quotes(item.text)));
    } else {
      held.push_back(item.text);
      if (primes == 0 && written.contains(2 * names.find(name)->index + 1))
        held.push_back(name + "'");
    }
  }
  if (model.initial.adjust == Adjust::none && !held.empty()) {
    complaints.add(said.key,
                   "hold names what stays when a start is adjusted, and this one is not: set "
                   "adjust = \"nearest\" or \"velocity\"");
    return;
  }
  for (std::string& name : held) {
    std::vector<std::string>& hold = model.initial.hold;
    if (std::find(hold.begin(), hold.end(), name) == hold.end()) hold.push_back(std::move(name));
  }
}

void Assembly::assemble_mu() {
  if (!draft.initial) return;
  const std::unordered_set<std::string> written(force_names.constraints.begin(),
                                                force_names.constraints.end());
  std::unordered_set<std::string> known;
  for (const Constraint& constraint : model.constraints) known.insert(constraint.name);
  for (const Definition& mu : draft.initial->mu) {
    const std::optional<Expr> e = expression(mu.value, places::multiplier);
    if (const std::string first = member(mu.name, component_names[0]);
        !written.contains(mu.name) && written.contains(first)) {
      complaints.add(
          mu.where,
          fmt::format(
              "{} stands for several rows, each with its own multiplier: name them, as in {}",
              in_quotes(mu.name), in_quotes(first)));
    } else if (!written.contains(mu.name)) {
      complaints.add(mu.where,
                     fmt::format("unknown constraint {}{}", in_quotes(mu.name),
                                 complaints.did_you_mean(mu.name, force_names.constraints)));
    } else if (e && known.contains(mu.name)) {
      model.initial.mu.push_back({mu.name, *e, mu.value.where});
    }
  }
}

}  // namespace dalembert::model
