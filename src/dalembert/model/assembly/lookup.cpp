#include "dalembert/model/assembly/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/suggest.hpp"

namespace dalembert::model {

using expr::Failure;

namespace {

constexpr int most_primes = 2;

std::string with_primes(std::string_view name, int primes) {
  return shortened(name, 60) + std::string(static_cast<std::size_t>(primes), '\'');
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// x for `xdot` and `x_dot`, ways to write a velocity that are not ours.
std::string_view coordinate_behind(std::string_view name, const Names& names) {
  for (const std::string_view suffix : {"_dot", "dot"}) {
    if (!name.ends_with(suffix)) continue;
    const std::string_view rest = name.substr(0, name.size() - suffix.size());
    if (names.is_coordinate(rest)) return rest;
  }
  return {};
}

}  // namespace

std::optional<std::string> objection(std::string_view let, int primes, const LetContent& content,
                                     const Place& place) {
  const bool of_body = let.find('.') != std::string_view::npos;
  const std::string subject = primes > 0 ? with_primes(let, primes)
                              : of_body  ? in_quotes(let)
                                         : "let " + in_quotes(let);
  for (const std::string& force : {content.ideal, content.nonideal, content.reaction}) {
    if (primes > 0 && !force.empty())
      return fmt::format("let {} contains {}, a constraint force, which has no rate",
                         in_quotes(let), in_quotes(force));
  }
  if (content.derivatives + primes > most_primes) {
    const std::string_view inside = content.coordinate_order == 1   ? "velocities"
                                    : content.coordinate_order == 2 ? "accelerations"
                                                                    : "derivatives";
    return fmt::format("{} takes a third derivative, as let {} contains {}", subject,
                       in_quotes(let), inside);
  }
  if (!content.ideal.empty() && !place.ideal) {
    return force_not_allowed(fmt::format("{} contains {} and", subject, in_quotes(content.ideal)),
                             true);
  }
  if (!content.nonideal.empty() && !place.nonideal) {
    return force_not_allowed(
        fmt::format("{} contains {} and", subject, in_quotes(content.nonideal)), false);
  }
  if (!content.reaction.empty() && !place.reactions)
    return reaction_not_allowed(
        fmt::format("{} contains {} and", subject, in_quotes(content.reaction)), place);
  const int order = content.coordinate_order < 0 ? -1 : content.coordinate_order + primes;
  if (order > place.order) {
    const std::string_view inside = order == 0   ? "coordinates"
                                    : order == 1 ? "velocities"
                                                 : "accelerations";
    return not_allowed(fmt::format("{} contains {} and", subject, inside), place);
  }
  if (content.time && !place.time) return not_allowed(subject + " contains time and", place);
  return std::nullopt;
}

Lookup::Meaning Lookup::allowed(const Expr& symbol) const {
  if (auto reason = objection(symbol.symbol(), place_)) return Failure{std::move(*reason)};
  return symbol;
}

Lookup::Meaning Lookup::operator()(std::string_view name, int primes) {
  culprit_size_ = 0;
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos)
    return dotted(name, dot, primes);
  if (primes > most_primes) {
    return Failure{
        fmt::format("{} has {} primes; at most two are allowed", in_quotes(name), primes)};
  }
  if (name == "t") {
    if (primes > 0) return Failure{std::string("'t' is time; its rate is 1")};
    return allowed(expr::time());
  }
  if (name == "pi" || name == "π") {
    return Failure{fmt::format("{} is a number; it has no rate", in_quotes(name))};
  }
  if (name == "ideal" || name == "nonideal") {
    return Failure{
        fmt::format("'{0}' needs a coordinate after it: {0}.x is the force along x", name)};
  }
  const Declaration* declaration = names_.find(name);
  if (declaration == nullptr) return unknown(name);
  if (declaration->broken) {
    broken_ = true;
    return expr::parameter(name);
  }
  switch (declaration->kind) {
    case NameKind::coordinate:
      return allowed(expr::coordinate(name, primes));
    case NameKind::parameter:
      if (primes > 0)
        return Failure{fmt::format("{} is {}; it has no rate", in_quotes(name),
                                   declaration->discrete ? "a discrete value"
                                   : declaration->input  ? "an input"
                                                         : "a parameter")};
      return allowed(expr::parameter(name));
    case NameKind::let:
      if (!place_.lets) return Failure{not_allowed("let " + in_quotes(name), place_)};
      return let(*lets_.find(name), primes);
    case NameKind::vector:
      break;  // `vector` answers
    case NameKind::body:
      return Failure{fmt::format("{0} is a body; write {0}.x for its place, or point({0}, x, y, z)",
                                 shortened(name, 60))};
    case NameKind::joint:
      return Failure{
          fmt::format("{0} is a joint; write {0}.fx for its force", shortened(name, 60))};
    case NameKind::table:
      return Failure{fmt::format("{0} is a table; write {0}(...) for its value, as in {0}(t)",
                                 shortened(name, 60))};
  }
  return unknown(name);
}

Lookup::Meaning Lookup::unknown(std::string_view name) {
  if (names_.is_incomplete()) {
    broken_ = true;
    return expr::parameter(name);
  }
  culprit_size_ = name.size();
  if (const std::string_view x = coordinate_behind(name, names_); !x.empty()) {
    return Failure{
        fmt::format("unknown name {}; the velocity of {} is written {}'", in_quotes(name), x, x)};
  }
  return Failure{fmt::format("unknown name {}{}", in_quotes(name),
                             complaints_.did_you_mean(name, names_.all()))};
}

expr::Scope Lookup::scope() {
  return {std::ref(*this),
          [this](std::string_view name, int primes) { return vector(name, primes); },
          [this](std::string_view body, const Vector& place, int primes) {
            return point(body, place, primes);
          },
          [this](std::string_view name) -> std::shared_ptr<const expr::Table> {
            const Declaration* declaration = names_.find(name);
            if (declaration == nullptr || declaration->kind != NameKind::table) return nullptr;
            broken_ = broken_ || declaration->broken;
            return declaration->table;
          },
          names_.tables()};
}

std::optional<expr::Result<Vector, std::string>> Lookup::vector(std::string_view name, int primes) {
  const Declaration* declaration = names_.find(name);
  if (declaration == nullptr || declaration->kind != NameKind::vector) return std::nullopt;
  culprit_size_ = 0;
  if (declaration->broken) broken_ = true;
  if (primes > most_primes)
    return Failure{
        fmt::format("{} has {} primes; at most two are allowed", in_quotes(name), primes)};
  if (!place_.lets) return Failure{not_allowed("let " + in_quotes(name), place_)};
  Vector result;
  for (std::size_t i = 0; i < 3 && !declaration->broken; ++i) {
    Meaning meaning = let((*lets_.find_vector(name))[i], primes);
    if (!meaning) return Failure{std::move(meaning).error()};
    result[i] = *std::move(meaning);
  }
  return result;
}

expr::Result<Vector, std::string> Lookup::point(std::string_view body, const Vector& place,
                                                int primes) {
  culprit_size_ = 0;
  const Declaration* declaration = names_.find(body);
  if (declaration == nullptr || declaration->kind != NameKind::body) {
    if (names_.is_incomplete()) {
      broken_ = true;
      return Vector{};
    }
    return Failure{fmt::format("{} is not a body{}", in_quotes(body),
                               complaints_.did_you_mean(body, names_.bodies()))};
  }
  if (declaration->broken) {
    broken_ = true;
    return Vector{};
  }
  if (primes > most_primes)
    return Failure{fmt::format("a point has at most two primes, not {}", primes)};
  if (!place_.lets) return Failure{not_allowed(in_quotes(body), place_)};
  const PoseLets& pose = *lets_.find_pose(body);
  if (!pose.oriented && !place.is_zero()) {
    return Failure{
        fmt::format("{} is a particle: it has no orientation, and no points but its own place",
                    in_quotes(body))};
  }
  Vector at;
  for (std::size_t i = 0; i < 3; ++i) {
    at[i] = lets_.marker(pose.origin[i]);
    for (std::size_t j = 0; pose.oriented && j < 3; ++j)
      at[i] += lets_.marker(pose.rotation[i][j]) * place[j];
  }
  for (std::size_t i = 0; i < 3 && primes > 0; ++i) {
    const auto is_force = [](const expr::Symbol& s) {
      return s.kind == expr::SymbolKind::ideal_force ||
             s.kind == expr::SymbolKind::nonideal_force || s.kind == expr::SymbolKind::multiplier;
    };
    if (expr::find_symbol(at[i], is_force))
      return Failure{std::string("the place of this point depends on a force, which has no rate")};
  }
  for (int k = 0; k < primes; ++k) at = expr::time_derivative(at);
  if (use_ == LetUse::unchecked_marker) return at;
  // What stands in the point, lets included, must be allowed here.
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Expr& s : expr::symbols(std::span(&at[i], 1))) {
      const auto other = lets_.find(s.symbol());
      const auto reason =
          other ? objection(lets_.name(*other), s.symbol().order, lets_.content(*other), place_)
                : objection(s.symbol(), place_);
      if (reason) return Failure{*reason};
    }
    if (use_ == LetUse::value) at[i] = lets_.resolved(at[i]);
  }
  return at;
}

/// disk.x, p.x, pin.fx, ideal.x
Lookup::Meaning Lookup::dotted(std::string_view name, std::size_t dot, int primes) {
  const Declaration* owner = names_.find(name.substr(0, dot));
  if (owner == nullptr || (owner->kind != NameKind::vector && owner->kind != NameKind::body &&
                           owner->kind != NameKind::joint)) {
    return force(name, dot, primes);
  }
  if (owner->broken) {
    broken_ = true;
    return expr::parameter(name);
  }
  if (owner->kind == NameKind::joint) return joint(name, primes);
  if (!place_.lets) return Failure{not_allowed(in_quotes(name), place_)};
  const std::string_view part = name.substr(dot + 1);
  std::optional<std::size_t> index;
  if (owner->kind == NameKind::vector) {
    const auto component = std::find(std::begin(component_names), std::end(component_names), part);
    if (component != std::end(component_names))
      index = (*lets_.find_vector(
          name.substr(0, dot)))[static_cast<std::size_t>(component - std::begin(component_names))];
  } else {
    index = lets_.find_pose(name.substr(0, dot))->find(part);
  }
  if (!index) {
    culprit_size_ = name.size();
    if (owner->kind == NameKind::vector)
      return Failure{fmt::format("{} is a vector: it has the components x, y and z",
                                 in_quotes(name.substr(0, dot)))};
    const bool oriented = lets_.find_pose(name.substr(0, dot))->oriented;
    return Failure{fmt::format(
        "{} has no {}; there are x, y, z{}", in_quotes(name.substr(0, dot)), in_quotes(part),
        oriented ? " (centre of mass), wx, wy, wz (angular velocity in body axes) and rxx ... rzz "
                   "(rotation)"
                 : ": a particle has a place only")};
  }
  if (primes > most_primes)
    return Failure{
        fmt::format("{} has {} primes; at most two are allowed", in_quotes(name), primes)};
  return let(*index, primes);
}

Lookup::Meaning Lookup::joint(std::string_view name, int primes) {
  const auto found = joints_.find(name);
  if (joints_.empty()) {
    return Failure{fmt::format("{} is known only once the bodies are: it cannot stand in {}",
                               in_quotes(name), place_.name)};
  }
  if (found == joints_.end()) {
    culprit_size_ = name.size();
    std::vector<std::string> known;
    for (const auto& [value, ignored] : joints_) known.push_back(value);
    return Failure{fmt::format("unknown quantity {} of a joint{}", in_quotes(name),
                               complaints_.did_you_mean(name, known))};
  }
  if (primes > 0) return Failure{fmt::format("{} has no primes", in_quotes(name))};
  for (const Expr& s : expr::symbols(std::span(&found->second, 1))) {
    if (!objection(s.symbol(), place_)) continue;
    if (s.symbol().kind == expr::SymbolKind::multiplier)
      return Failure{
          fmt::format("{} is a reaction and may be used in [outputs] only", in_quotes(name))};
    return Failure{not_allowed(in_quotes(name) + " contains what", place_)};
  }
  return found->second;
}

Lookup::Meaning Lookup::force(std::string_view name, std::size_t dot, int primes) {
  const std::string_view kind = name.substr(0, dot);
  const std::string_view along = name.substr(dot + 1);
  if (kind == "lambda") return multiplier(name, expr::without_quotes(along), primes);
  if (kind == "reaction") return reaction(name, expr::without_quotes(along), primes);
  const bool known_kind = kind == "ideal" || kind == "nonideal";
  const bool known = known_kind && names_.is_coordinate(along);
  if (!known && names_.is_incomplete()) {
    broken_ = true;
    return expr::parameter(name);
  }
  if (!known) culprit_size_ = name.size();
  if (!known_kind) {
    const std::vector<std::string> kinds = {"ideal", "nonideal"};
    const std::string meant = expr::nearest(kind, kinds);
    return Failure{
        fmt::format("unknown name {}{}", in_quotes(name),
                    meant.empty() ? "" : fmt::format("; did you mean '{}.{}'?", meant, along))};
  }
  if (!known) {
    return Failure{fmt::format("unknown coordinate {} in {}{}", in_quotes(along), in_quotes(name),
                               complaints_.did_you_mean(along, names_.coordinates()))};
  }
  if (primes > 0) {
    return Failure{fmt::format("{} is a constraint force; it has no rate", in_quotes(name))};
  }
  return allowed(kind == "ideal" ? expr::ideal_force(along) : expr::nonideal_force(along));
}

/// lambda.rod, lambda."left rod"
Lookup::Meaning Lookup::multiplier(std::string_view name, std::string_view constraint, int primes) {
  if (!place_.multipliers)
    return Failure{
        fmt::format("{} is a multiplier and may be used in [outputs] and arrows of [view] only",
                    in_quotes(name))};
  if (primes > 0)
    return Failure{fmt::format("{} is a multiplier; it has no rate", in_quotes(name))};
  // What lets name is judged when all constraints are known.
  if (contains(forces_.constraints, constraint) || place_.name == places::let.name)
    return expr::multiplier(constraint);
  culprit_size_ = name.size();
  if (const auto reason = several_rows(constraint, "lambda")) return Failure{*reason};
  if (const Declaration* other = names_.find(constraint);
      other != nullptr && other->kind == NameKind::joint)
    return Failure{
        fmt::format("{0} is a joint: its force is {0}.fx, {0}.fy, {0}.fz, its moment "
                    "{0}.mx, {0}.my, {0}.mz",
                    shortened(constraint, 60))};
  return Failure{fmt::format("unknown constraint {} in {}{}", in_quotes(constraint),
                             in_quotes(name),
                             complaints_.did_you_mean(constraint, forces_.constraints))};
}

std::optional<std::string> Lookup::several_rows(std::string_view constraint,
                                                std::string_view kind) const {
  const std::string first = member(constraint, component_names[0]);
  if (!contains(forces_.constraints, first)) return std::nullopt;
  return fmt::format("{} stands for several rows, each with its own {}: {}.\"{}\"",
                     in_quotes(constraint), kind == "lambda" ? "multiplier" : kind, kind,
                     shortened(first, 60));
}

/// reaction.plane, reaction."left rod"
Lookup::Meaning Lookup::reaction(std::string_view name, std::string_view of, int primes) {
  if (!place_.reactions) return Failure{reaction_not_allowed(in_quotes(name), place_)};
  if (primes > 0) return Failure{fmt::format("{} is a reaction; it has no rate", in_quotes(name))};
  // What lets name is judged when all is known that reacts.
  if (place_.name == places::let.name)
    return expr::parameter(std::string(reaction_prefix) + std::string(of));
  const Declaration* joint = names_.find(of);
  if (joint != nullptr && joint->kind != NameKind::joint) joint = nullptr;
  const bool is_constraint = contains(forces_.constraints, of);
  if (joint != nullptr && joint->broken) broken_ = true;
  if (joint != nullptr && is_constraint)
    return Failure{fmt::format("{} is the name of a joint and of a constraint: rename one of them",
                               in_quotes(of))};
  if (joint != nullptr || is_constraint || contains(forces_.contacts, of))
    return expr::parameter(std::string(reaction_prefix) + std::string(of));
  if (names_.is_incomplete()) {
    broken_ = true;
    return expr::parameter(name);
  }
  culprit_size_ = name.size();
  if (const auto reason = several_rows(of, "reaction")) return Failure{*reason};
  std::vector<std::string> known = forces_.contacts;
  known.insert(known.end(), forces_.constraints.begin(), forces_.constraints.end());
  for (const std::string& other : names_.all()) {
    if (names_.find(other)->kind == NameKind::joint) known.push_back(other);
  }
  return Failure{fmt::format("unknown constraint, joint, contact or friction {} in {}{}",
                             in_quotes(of), in_quotes(name), complaints_.did_you_mean(of, known))};
}

Lookup::Meaning Lookup::let(std::size_t let, int primes) {
  if (use_ == LetUse::unchecked_marker) return lets_.marker(let, primes);
  if (auto reason = objection(lets_.name(let), primes, lets_.content(let), place_))
    return Failure{std::move(*reason)};
  if (use_ == LetUse::marker) return lets_.marker(let, primes);
  return lets_.value(let, static_cast<std::size_t>(primes));
}

}  // namespace dalembert::model
