#include "dalembert/model/assembly/places.hpp"

#include <fmt/format.h>

#include "dalembert/model/complaints.hpp"

namespace dalembert::model {

using expr::Symbol;
using expr::SymbolKind;

bool is_reaction(const Symbol& symbol) {
  return symbol.kind == SymbolKind::parameter && symbol.name.starts_with(reaction_prefix);
}

std::string describe(const Symbol& symbol) {
  std::string name = shortened(symbol.name, 60);
  switch (symbol.kind) {
    case SymbolKind::parameter:
      return is_reaction(symbol) ? "'" + name + "'" : "parameter " + name;
    case SymbolKind::coordinate:
      if (symbol.order == 0) return "coordinate " + name;
      if (symbol.order == 1) return "velocity " + name + "'";
      if (symbol.order == 2) return "acceleration " + name + "''";
      return fmt::format("derivative {} of {}", symbol.order, name);
    case SymbolKind::time:
      return "time t";
    case SymbolKind::ideal_force:
      return "'ideal." + name + "'";
    case SymbolKind::nonideal_force:
      return "'nonideal." + name + "'";
    case SymbolKind::multiplier:
      return "the multiplier of " + in_quotes(symbol.name);
    case SymbolKind::auxiliary:
      return "auxiliary " + name;
  }
  return name;
}

std::string not_allowed(std::string_view subject, const Place& place) {
  return fmt::format("{} cannot stand here: {} depends on {} only{}", subject, place.name,
                     place.allows, place.advice);
}

std::string force_not_allowed(std::string_view subject, bool ideal) {
  return fmt::format(
      "{} may be used in {} only", subject,
      ideal ? "[virtual_work], [outputs] and arrows of [view]" : "[outputs] and arrows of [view]");
}

std::string reaction_not_allowed(std::string_view subject, const Place& place) {
  const bool is_force = place.name == places::force.name || place.name == places::virtual_work.name;
  return fmt::format(
      "{} may be used in [outputs], [[event]] and the limits of [[friction]] only{}", subject,
      is_force ? "; for friction that depends on a reaction write [[friction]]" : "");
}

std::optional<std::string> objection(const Symbol& symbol, const Place& place) {
  bool allowed = true;
  switch (symbol.kind) {
    case SymbolKind::parameter:
      if (is_reaction(symbol) && !place.reactions)
        return reaction_not_allowed(describe(symbol), place);
      allowed = place.parameters;
      break;
    case SymbolKind::coordinate:
      allowed = symbol.order <= place.order;
      break;
    case SymbolKind::time:
      allowed = place.time;
      break;
    case SymbolKind::ideal_force:
      if (place.ideal) return std::nullopt;
      return force_not_allowed(describe(symbol), true);
    case SymbolKind::nonideal_force:
      if (place.nonideal) return std::nullopt;
      return force_not_allowed(describe(symbol), false);
    case SymbolKind::multiplier:
      allowed = place.multipliers;
      break;
    case SymbolKind::auxiliary:  // whether a joint slides
      allowed = place.multipliers && place.nonideal;
      break;
  }
  if (allowed) return std::nullopt;
  return not_allowed(describe(symbol), place);
}

}  // namespace dalembert::model
