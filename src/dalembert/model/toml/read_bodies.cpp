// [[particle]], [[body]] and [[frame]].
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dalembert/model/toml/fields.hpp"
#include "dalembert/model/view_checks.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

/// What a body, a particle or a frame may say of its drawing.
constexpr std::array drawn_keys = {"shape"sv,     "radius"sv, "length"sv,
                                   "thickness"sv, "size"sv,   "axis"sv};

std::vector<std::string_view> keys_of(BodyKind kind) {
  std::vector keys = {"name"sv, "position"sv, "frame"sv, "for"sv};
  if (kind != BodyKind::frame) keys.push_back("mass");
  if (kind != BodyKind::particle) keys.push_back("orientation");
  if (kind == BodyKind::body) keys.insert(keys.end(), {"inertia", "center_of_mass"});
  keys.insert(keys.end(), drawn_keys.begin(), drawn_keys.end());
  return keys;
}

}  // namespace

void Reader::read_body(const Value& table, std::string_view section, BodyKind kind) {
  check_keys(table, keys_of(kind), fmt::format(" in [[{}]]", section));
  const std::optional<Word> name = needed_name(table, section);
  if (!name) return;
  BodyStatement body;
  body.kind = kind;
  body.name = name->text;
  body.where = name->where;
  body.over = ranges(table);
  Fields fields(*this, table, "a body");
  body.frame = fields.word("frame", "the name of a body in quotes");
  body.refused = fields.is_refused();
  body.position = fields.vector("position");
  if (kind == BodyKind::body) body.center = fields.vector("center_of_mass");
  if (const Entry* entry = find(table, "orientation");
      entry != nullptr && kind != BodyKind::particle)
    body.orientation = read_orientation(entry->value);
  if (kind != BodyKind::frame) body.mass = fields.formula("mass");
  if (const Entry* entry = find(table, "inertia"); entry != nullptr && kind == BodyKind::body)
    read_inertia(entry->value, body);
  read_solid(table, body);
  draft.bodies.push_back(std::move(body));
}

void Reader::read_inertia(const Value& value, BodyStatement& body) {
  InertiaStatement& inertia = body.inertia.emplace();
  inertia.where = value.where;
  if (!expect(value, Kind::array, "three principal moments or a 3x3 matrix")) return;
  const bool is_matrix = !value.items.empty() && value.items[0].kind == Kind::array;
  if (!is_matrix) {
    inertia.rows.push_back(vector(value));
  } else if (value.items.size() == 3) {
    for (const Value& row : value.items) inertia.rows.push_back(vector(row));
  } else {
    complaints.add(value.where,
                   fmt::format("a matrix of inertia has three rows, not {}", value.items.size()));
  }
}

TurnStatement Reader::read_turn(const Value& table) {
  TurnStatement turn;
  turn.where = table.where;
  if (!expect(table, Kind::table, "a table such as { axes = \"zxz\", angles = [...] }"))
    return turn;
  check_keys(table, std::array{"axes"sv, "angles"sv, "quaternion"sv, "axis"sv, "angle"sv},
             " in an orientation");
  const Entry* axes = find(table, "axes");
  const Entry* quaternion = find(table, "quaternion");
  const Entry* axis = find(table, "axis");
  if ((axes != nullptr) + (quaternion != nullptr) + (axis != nullptr) != 1) {
    complaints.add(table.where,
                   "give an orientation by axes and angles, by a quaternion, or by an axis and an "
                   "angle, and by only one of them");
    return turn;
  }
  // The other half of a pair, of as many expressions as wanted.
  const auto read_angles = [&](const Entry& half, std::string_view key, std::size_t count) {
    const Entry* entry = find(table, key);
    if (entry == nullptr) {
      complaints.add(half.where, fmt::format("'{}' needs '{}' beside it", half.key, key));
      return false;
    }
    const Value& value = entry->value;
    if (value.kind == Kind::array && value.items.size() != count) {
      complaints.add(value.where, fmt::format("expected {} angle{}, found {}", count,
                                              count == 1 ? "" : "s", value.items.size()));
      return false;
    }
    const std::span<const Value> items =
        value.kind == Kind::array ? std::span(value.items) : std::span(&value, 1);
    if (items.size() != count) return expect(value, Kind::array, "an array of angles");
    for (const Value& item : items) turn.angles.push_back(formula(item));
    return true;
  };
  if (axes != nullptr) {
    const std::string* letters = string(axes->value, "letters such as \"zxz\"");
    if (letters == nullptr) return turn;
    const bool good = !letters->empty() && letters->size() <= 3 &&
                      std::all_of(letters->begin(), letters->end(),
                                  [](char c) { return c == 'x' || c == 'y' || c == 'z'; }) &&
                      std::adjacent_find(letters->begin(), letters->end()) == letters->end();
    if (!good) {
      complaints.add(content_place(axes->value),
                     fmt::format("{} is not a sequence of axes: one to three of the letters x, y, "
                                 "z, no letter twice in a row",
                                 in_quotes(*letters)));
      return turn;
    }
    turn.letters = *letters;
    if (read_angles(*axes, "angles", letters->size())) turn.form = TurnStatement::Form::axes;
  } else if (quaternion != nullptr) {
    const Value& list = quaternion->value;
    turn.where = list.where;
    if (!expect(list, Kind::array, "an array of four expressions")) return turn;
    if (list.items.size() != 4) {
      complaints.add(list.where,
                     fmt::format("a quaternion has four components, not {}", list.items.size()));
      return turn;
    }
    for (const Value& item : list.items) turn.angles.push_back(formula(item));
    turn.form = TurnStatement::Form::quaternion;
  } else {
    turn.axis = vector(axis->value);
    turn.where = axis->value.where;
    if (read_angles(*axis, "angle", 1)) turn.form = TurnStatement::Form::axis;
  }
  return turn;
}

Orientation Reader::read_orientation(const Value& value) {
  if (value.kind != Kind::array) return {read_turn(value)};
  Orientation result;
  for (const Value& table : value.items) result.push_back(read_turn(table));
  return result;
}

void Reader::read_solid(const Value& table, BodyStatement& body) {
  Fields fields(*this, table, "a shape");
  const bool drawn = std::any_of(drawn_keys.begin(), drawn_keys.end(),
                                 [&](std::string_view key) { return fields.has(key); });
  if (!drawn) return;
  SolidStatement solid;
  solid.where = body.where;
  const Entry* shape = find(table, "shape");
  if (shape != nullptr) {
    solid.where = content_place(shape->value);
    const auto kind = fields.choice_of("shape", "shape", solid_kinds);
    if (!kind) return;
    solid.kind = *kind;
  }
  const auto takes = keys_of_solid(solid.kind, body.kind);
  for (const std::string_view key : drawn_keys) {
    if (key == "shape" || !fields.has(key)) continue;
    const std::string_view meant = key == "thickness" ? "length"sv : key;
    const bool taken = std::find(takes.begin(), takes.end(), meant) != takes.end() &&
                       (key != "thickness" || solid.kind == SolidKind::disk);
    if (taken) continue;
    if (shape == nullptr) {
      fields.refuse(key, fmt::format("'{}' needs a shape beside it: shape = \"{}\", say", key,
                                     meant == "size" ? "box" : "disk"));
    } else {
      fields.refuse(
          key,
          fmt::format("the shape {} takes no '{}'{}", to_string(solid.kind), key,
                      takes.empty() ? "" : fmt::format("; it takes {}", fmt::join(takes, ", "))));
    }
  }
  if (fields.has("length") && fields.has("thickness"))
    fields.refuse("thickness", "'thickness' is another word for 'length': give one of them");
  if (fields.is_refused()) return;
  solid.radius = fields.formula("radius");
  if (const Entry* length = find(table, fields.has("thickness") ? "thickness" : "length"))
    solid.length = definition(*length);
  solid.size = fields.vector("size");
  if (const Entry* axis = find(table, "axis")) {
    constexpr std::array letters = {"x"sv, "y"sv, "z"sv};
    const auto letter = std::find(letters.begin(), letters.end(), axis->value.text);
    if (axis->value.kind == Kind::string && letter != letters.end()) {
      Vector direction;
      direction[static_cast<std::size_t>(letter - letters.begin())] = 1;
      solid.axis = VectorFormula(direction, axis->value.where);
    } else {
      solid.axis = fields.vector("axis");
      solid.axis->where = axis->value.where;
    }
  }
  body.solid = std::move(solid);
}

}  // namespace dalembert::model
