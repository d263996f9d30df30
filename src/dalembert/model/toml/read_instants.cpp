// [[event]], [[contact]] and [[friction]].
#include <fmt/format.h>

#include <array>

#include "dalembert/model/toml/fields.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

constexpr std::array event_keys = {"name"sv, "when"sv, "direction"sv, "every"sv,
                                   "set"sv,  "stop"sv, "for"sv};
constexpr std::array contact_keys = {
    "name"sv,   "gap"sv,    "restitution"sv, "impact"sv, "friction"sv,  "static_friction"sv,
    "slip"sv,   "bodies"sv, "body"sv,        "points"sv, "normal"sv,    "shape"sv,
    "radius"sv, "axis"sv,   "length"sv,      "size"sv,   "semi_axes"sv, "for"sv};
/// What says of bodies how they touch.
constexpr std::array shape_keys = {"points"sv, "normal"sv, "shape"sv, "radius"sv,
                                   "axis"sv,   "length"sv, "size"sv,  "semi_axes"sv};
constexpr std::array friction_keys = {"name"sv, "slip"sv, "limit"sv, "static_limit"sv, "for"sv};

}  // namespace

void Reader::read_event(const Value& table) {
  Fields fields(*this, table, "an event");
  fields.check_keys(event_keys, " in [[event]]");
  EventStatement event;
  event.name = fields.title(event.where);
  event.over = ranges(table);
  event.when = fields.formula("when");
  if (const Entry* when = find(table, "when")) event.right_side = when->value.right_side;
  event.every = fields.formula("every");
  event.direction = fields.choice_of("direction", "direction", event_directions);
  if (const Entry* direction = find(table, "direction")) event.direction_where = direction->where;
  if (const Entry* set = find(table, "set");
      set != nullptr && expect(set->value, Kind::table,
                               "a table such as { \"x'\" = \"-x'\", count = \"count + 1\" }")) {
    for (const Entry& entry : set->value.entries) event.set.push_back(definition(entry));
  }
  event.stop = fields.boolean("stop").value_or(false);
  event.refused = fields.is_refused();
  draft.events.push_back(std::move(event));
}

void Reader::read_contact(const Value& table) {
  Fields fields(*this, table, "a contact");
  fields.check_keys(contact_keys, " in [[contact]]");
  ContactStatement contact;
  contact.name = fields.title(contact.where);
  contact.over = ranges(table);
  contact.gap = fields.formula("gap");
  contact.restitution = fields.formula("restitution");
  contact.impact = fields.choice_of("impact", "law of impact", impact_laws);
  contact.friction = fields.formula("friction");
  contact.static_friction = fields.formula("static_friction");
  contact.slip = fields.one_or_two("slip");
  if (fields.has("bodies") || fields.has("body")) {
    if (fields.has("gap"))
      fields.refuse("gap",
                    "a contact takes 'gap' or 'bodies', whose shapes determine it, not both");
    if (fields.has("slip"))
      fields.refuse("slip", "the slip of bodies follows from their shapes: leave out 'slip'");
    contact.bodies = fields.bodies();
    contact.points = fields.vectors("points");
    contact.normal = fields.vector("normal");
    contact.shape = fields.choice_of("shape", "shape", touch_shapes);
    contact.radius = fields.formula("radius");
    contact.axis = fields.vector("axis");
    contact.length = fields.formula("length");
    contact.size = fields.vector("size");
    contact.semi_axes = fields.vector("semi_axes");
  } else {
    for (const std::string_view key : shape_keys) {
      if (fields.has(key))
        fields.refuse(key, fmt::format("'{}' goes with 'bodies', which names what touches", key));
    }
  }
  contact.refused = fields.is_refused();
  draft.contacts.push_back(std::move(contact));
}

void Reader::read_dry_friction(const Value& table) {
  Fields fields(*this, table, "friction");
  fields.check_keys(friction_keys, " in [[friction]]");
  DryFrictionStatement friction;
  friction.name = fields.title(friction.where);
  friction.over = ranges(table);
  friction.slip = fields.one_or_two("slip");
  friction.limit = fields.formula("limit");
  friction.static_limit = fields.formula("static_limit");
  friction.refused = fields.is_refused();
  draft.dry_frictions.push_back(std::move(friction));
}

}  // namespace dalembert::model
