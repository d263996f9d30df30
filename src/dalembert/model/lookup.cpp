#include "dalembert/model/lookup.hpp"

#include <fmt/format.h>

#include "dalembert/expr/suggest.hpp"

namespace dalembert::model {

using expr::Failure;

namespace {

constexpr int most_primes = 2;

std::string with_primes(std::string_view name, int primes) {
  return shortened(name, 60) + std::string(static_cast<std::size_t>(primes), '\'');
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
  const std::string subject = primes == 0 ? "let " + in_quotes(let) : with_primes(let, primes);
  if (primes > 0 && !(content.ideal.empty() && content.nonideal.empty())) {
    return fmt::format("let {} contains {}, a constraint force, which has no rate", in_quotes(let),
                       in_quotes(content.ideal.empty() ? content.nonideal : content.ideal));
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
    return force(name, dot, primes);
  if (primes > most_primes) {
    return Failure{fmt::format("{} has {} primes; two are the most", in_quotes(name), primes)};
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
        fmt::format("'{0}' needs a coordinate behind it: {0}.x is the force along x", name)};
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
        return Failure{fmt::format("{} is a parameter; it has no rate", in_quotes(name))};
      return allowed(expr::parameter(name));
    case NameKind::let:
      return let(name, declaration->index, primes);
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

Lookup::Meaning Lookup::force(std::string_view name, std::size_t dot, int primes) {
  const std::string_view kind = name.substr(0, dot);
  const std::string_view along = name.substr(dot + 1);
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

Lookup::Meaning Lookup::let(std::string_view name, std::size_t index, int primes) {
  if (!place_.lets) return Failure{not_allowed("let " + in_quotes(name), place_)};
  if (use_ == LetUse::unchecked_marker) return Lets::marker(name, primes);
  if (auto reason = objection(name, primes, lets_.content(index), place_))
    return Failure{std::move(*reason)};
  if (use_ == LetUse::marker) return Lets::marker(name, primes);
  return lets_.value(index, static_cast<std::size_t>(primes));
}

}  // namespace dalembert::model
