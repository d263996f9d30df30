#include "dalembert/report/instants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dalembert/expr/print.hpp"
#include "dalembert/report/layout.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest = 200;  // of an expression in a line

std::string text_of(const expr::Expr& e) {
  return expr::to_text(e, longest);
}

std::string target_of(const model::Model& model, const model::Event::Set& set) {
  using Target = model::Event::Set::Target;
  if (set.target == Target::discrete) return model.parameters[set.index].name;
  return model.coordinates[set.index] + (set.target == Target::velocity ? "'" : "");
}

std::string contact_text(const model::Contact& contact) {
  std::string text =
      fmt::format("gap {}, {}, restitution {}", text_of(contact.gap.expr),
                  model::to_string(contact.impact), text_of(contact.restitution.expr));
  if (contact.friction)
    text += fmt::format(", friction {}{}", text_of(contact.friction->expr),
                        contact.slip.size() == 2 ? " in two directions" : "");
  if (contact.static_friction)
    text += fmt::format(", static {}", text_of(contact.static_friction->expr));
  return text;
}

std::string friction_text(const model::DryFriction& friction) {
  std::vector<std::string> slips;
  for (const model::Located& slip : friction.slip) slips.push_back(text_of(slip.expr));
  std::string text =
      fmt::format("slip {}, limit {}", fmt::join(slips, " and "), text_of(friction.limit.expr));
  if (friction.static_limit)
    text += fmt::format(", static {}", text_of(friction.static_limit->expr));
  return text;
}

std::string event_text(const model::Model& model, const model::Event& event) {
  std::string text = event.when ? fmt::format("when {} = 0{}", text_of(event.when->expr),
                                              event.direction == model::Event::Direction::both
                                                  ? ""
                                                  : fmt::format(", {}", to_string(event.direction)))
                                : fmt::format("every {} s", text_of(event.every->expr));
  for (const model::Event::Set& set : event.set)
    text += fmt::format("; {} becomes {}", target_of(model, set), text_of(set.value.expr));
  return text + (event.stop ? "; the motion ends" : "");
}

std::string number(double x) {
  return std::isnan(x) ? "" : fmt::format("{:.6g}", x == 0 ? 0.0 : x);
}

std::string tuple(const std::array<double, 3>& values, std::size_t count) {
  if (count == 0) return "";
  if (count == 1) return number(values[0]);
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < count; ++c) parts.push_back(number(values[c]));
  return fmt::format("({})", fmt::join(parts, ", "));
}

Json list(const std::array<double, 3>& values, std::size_t count) {
  Json result = Json::array();
  for (std::size_t c = 0; c < count; ++c)
    result.push_back(std::isnan(values[c]) ? Json() : Json(values[c]));
  return result;
}

Json number_or_null(double x) {
  return std::isfinite(x) ? Json(x) : Json();
}

/// Infinite is null: there is no bound.
Json range_json(const std::array<double, 2>& range) {
  return Json::array({number_or_null(range[0]), number_or_null(range[1])});
}

}  // namespace

std::vector<InstantLine> instant_lines(const model::Model& model) {
  std::vector<InstantLine> lines;
  const auto add = [&](std::string_view label, bool first, const std::string& name,
                       const std::string& text) {
    lines.push_back({first ? std::string(label) : "", fmt::format("{}   {}", name, text)});
  };
  for (std::size_t i = 0; i < model.contacts.size(); ++i)
    add("contacts", i == 0, model.contacts[i].name, contact_text(model.contacts[i]));
  for (std::size_t i = 0; i < model.dry_frictions.size(); ++i)
    add("friction", i == 0, model.dry_frictions[i].name, friction_text(model.dry_frictions[i]));
  for (std::size_t i = 0; i < model.events.size(); ++i)
    add("events", i == 0, model.events[i].name, event_text(model, model.events[i]));
  return lines;
}

void add_instants(Json& document, const model::Model& model) {
  if (!model::has_instants(model)) return;
  const auto text = [](const model::Located& e) { return Json(expr::to_text(e.expr, 2000)); };
  const auto maybe = [&](const std::optional<model::Located>& e) { return e ? text(*e) : Json(); };
  const auto texts = [&](const std::vector<model::Located>& list) {
    Json result = Json::array();
    for (const model::Located& e : list) result.push_back(text(e));
    return result;
  };
  document["contacts"] = Json::array();
  for (const model::Contact& contact : model.contacts)
    document["contacts"].push_back({{"name", contact.name},
                                    {"gap", text(contact.gap)},
                                    {"restitution", text(contact.restitution)},
                                    {"impact", model::to_string(contact.impact)},
                                    {"friction", maybe(contact.friction)},
                                    {"static_friction", maybe(contact.static_friction)},
                                    {"slip", texts(contact.slip)}});
  document["frictions"] = Json::array();
  for (const model::DryFriction& friction : model.dry_frictions)
    document["frictions"].push_back({{"name", friction.name},
                                     {"slip", texts(friction.slip)},
                                     {"limit", text(friction.limit)},
                                     {"static_limit", maybe(friction.static_limit)}});
  document["events"] = Json::array();
  for (const model::Event& event : model.events) {
    Json set = Json::object();
    for (const model::Event::Set& each : event.set) set[target_of(model, each)] = text(each.value);
    document["events"].push_back({{"name", event.name},
                                  {"when", maybe(event.when)},
                                  {"direction", model::to_string(event.direction)},
                                  {"every", maybe(event.every)},
                                  {"set", set},
                                  {"stop", event.stop}});
  }
}

std::string touch_states_text(const flow::TouchStates& states) {
  if (states.elements.empty() && states.problem.empty()) return "";
  std::vector<std::vector<std::string>> rows{
      {"contact", "mode", "gap", "its rate", "slip", "N", "friction", "at most", ""}};
  std::string ranges;
  for (const flow::TouchState& s : states.elements) {
    const bool closed = s.mode != "open" && s.mode != "impact" && states.problem.empty();
    rows.push_back({s.name, s.mode, number(s.gap), number(s.rate), tuple(s.slip, s.slips),
                    number(s.normal), tuple(s.friction, s.slips), number(s.limit),
                    !closed ? "" : (s.unique ? "unique" : "not unique")});
    if (s.unique) continue;
    if (s.is_contact)
      ranges += fmt::format("  N of {} may be from {} to {}\n", s.name, number(s.normal_range[0]),
                            number(s.normal_range[1]));
    for (std::size_t c = 0; c < s.slips; ++c) {
      if (std::isnan(s.friction_range[c][0])) {
        ranges += fmt::format(
            "  how far the friction of {} may go is not known: what limits it is not unique\n",
            s.name);
        break;
      }
      ranges += fmt::format("  the friction of {}{} may be from {} to {}\n", s.name,
                            s.slips == 1 ? "" : fmt::format(" along slip {}", c + 1),
                            number(s.friction_range[c][0]), number(s.friction_range[c][1]));
    }
  }
  std::string text = "\n" + table(rows, "  ") + ranges;
  if (!states.problem.empty()) text += fmt::format("  {}\n", states.problem);
  return text;
}

void add_touch_states(Json& document, const flow::TouchStates& states) {
  document["motion"] = states.problem.empty() ? "one" : (states.impact ? "impact" : "undecided");
  if (!states.problem.empty()) document["problem"] = states.problem;
  document["contacts"] = Json::array();
  document["frictions"] = Json::array();
  for (const flow::TouchState& s : states.elements) {
    Json friction_range = Json::array();
    for (std::size_t c = 0; c < s.slips; ++c)
      friction_range.push_back(range_json(s.friction_range[c]));
    Json entry{{"name", s.name}, {"mode", s.mode}};
    if (s.is_contact) {
      entry["gap"] = number_or_null(s.gap);
      entry["rate"] = number_or_null(s.rate);
      entry["normal"] = number_or_null(s.normal);
      entry["normal_range"] = range_json(s.normal_range);
    }
    entry["slip"] = list(s.slip, s.slips);
    entry["friction"] = list(s.friction, s.slips);
    entry["friction_range"] = friction_range;
    entry["limit"] = number_or_null(s.limit);
    entry["unique"] = states.problem.empty() ? Json(s.unique) : Json();
    document[s.is_contact ? "contacts" : "frictions"].push_back(std::move(entry));
  }
}

}  // namespace dalembert::report
