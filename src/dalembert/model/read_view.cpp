// How a model is drawn: the shapes of bodies, and [view].
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dalembert/model/fields.hpp"
#include "dalembert/model/joint_geometry.hpp"
#include "dalembert/model/view_checks.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

constexpr std::array view_keys = {"up"sv, "ground"sv, "point"sv, "segment"sv, "arrow"sv};
constexpr std::array point_keys = {"name"sv, "at"sv, "radius"sv, "mass"sv, "trail"sv};
constexpr std::array segment_keys = {"name"sv, "from"sv, "to"sv, "style"sv, "radius"sv};
constexpr std::array arrow_keys = {"name"sv, "at"sv, "vector"sv, "kind"sv};

/// The words that a key may have, in the order of their enumeration.
template <class Kind, std::size_t N>
std::optional<Kind> chosen(Fields& fields, std::string_view key, std::string_view what,
                           const std::array<Kind, N>& kinds) {
  std::array<std::string_view, N> words;
  std::transform(kinds.begin(), kinds.end(), words.begin(),
                 [](Kind kind) { return to_string(kind); });
  const auto found = fields.choice(key, what, words);
  return found ? std::optional(kinds[*found]) : std::nullopt;
}

/// Complains of a number that is not positive whatever the parameters.
void require_positive(Reader& reader, const Expr& e, std::string_view what, Location where) {
  const std::optional<double> x = constant_value(e);
  if (x && !(*x > 0)) reader.complaints.add(where, fmt::format("{} must be positive", what));
}

std::optional<Expr> positive(Reader& reader, Fields& fields, std::string_view key) {
  const std::optional<Located> e = fields.scalar(key, places::drawn_size);
  if (!e) return std::nullopt;
  require_positive(reader, e->expr, fmt::format("'{}'", key), e->where);
  return e->expr;
}

/// A vector that a table cannot do without.
Vector place(Fields& fields, std::string_view key, const Place& place, std::string_view title) {
  const std::optional<LocatedVector> v = fields.vector(key, place);
  if (!v && !fields.is_broken()) fields.refuse(key, fmt::format("{} needs '{}'", title, key));
  return v ? v->vector : Vector{};
}

}  // namespace

void Reader::read_solid(const BodySource& written, Body& body) {
  const Value& table = *written.table;
  Fields fields(*this, table, "a shape");
  Solid& solid = body.solid;
  solid.where = written.where;
  const Entry* shape = find(table, "shape");
  if (shape != nullptr) {
    solid.where = content_place(shape->value);
    const auto kind = chosen(fields, "shape", "shape", solid_kinds);
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
  if (fields.is_broken()) return;
  solid.radius = positive(*this, fields, "radius");
  solid.length = positive(*this, fields, fields.has("thickness") ? "thickness" : "length");
  if (const auto size = fields.vector("size", places::drawn_size); size && !fields.is_broken()) {
    for (std::size_t i = 0; i < 3; ++i)
      require_positive(*this, size->vector[i], "an entry of 'size'", size->where);
    solid.size = size->vector;
  }
  const Entry* axis = find(table, "axis");
  if (axis == nullptr) return;
  constexpr std::array letters = {"x"sv, "y"sv, "z"sv};
  const auto letter = std::find(letters.begin(), letters.end(), axis->value.text);
  if (axis->value.kind == Kind::string && letter != letters.end()) {
    solid.axis = {};
    solid.axis[static_cast<std::size_t>(letter - letters.begin())] = 1;
  } else if (const auto v = fields.vector("axis", places::drawn_size); v && !fields.is_broken()) {
    solid.axis = v->vector;
    if (solid.axis.is_zero())
      complaints.add(axis->value.where, "an axis needs a direction: this one is zero");
  }
}

void Reader::read_view(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  check_keys(table, view_keys, " in [view]");
  Fields fields(*this, table, "a view");
  if (const auto up = fields.choice("up", "axis", std::array{"y"sv, "z"sv, "-y"sv, "-z"sv})) {
    model.view.up = *up % 2 == 0 ? 'y' : 'z';
    model.view.up_sign = *up < 2 ? 1 : -1;
  }
  if (const Entry* height = find(table, "ground")) {
    if (height->value.kind == Kind::boolean) {
      model.view.no_ground = fields.boolean("ground") == false;
      if (!model.view.no_ground) model.view.ground = Expr(0);
    } else if (height->value.kind == Kind::number || height->value.kind == Kind::string) {
      model.view.ground = expression(height->value, places::drawn_size);
    } else {
      expect(height->value, Kind::number, "true, false or a height");
    }
  }
  const auto each = [&](std::string_view key, std::span<const std::string_view> keys, auto read) {
    const Entry* list = find(table, key);
    if (list == nullptr || !expect_tables(list->value, fmt::format("view.{}", key))) return;
    std::size_t number = 0;
    for (const Value& item : list->value.items) {
      ++number;
      if (!expect(item, Kind::table, fmt::format("a table [[view.{}]]", key))) continue;
      Fields entry(*this, item, key);
      entry.check_keys(keys, fmt::format(" in [[view.{}]]", key));
      Location where;
      std::string name = title_of(item, key, number, where);
      if (!entry.has("name")) name = fmt::format("{} {}", key, name);
      read(entry, std::move(name), where);
    }
  };
  each("point", point_keys, [this](Fields& entry, std::string name, Location where) {
    ViewPoint point{std::move(name)};
    point.where = where;
    point.at = place(entry, "at", places::drawn_place, "a point");
    point.radius = positive(*this, entry, "radius");
    point.mass = positive(*this, entry, "mass");
    point.trail = entry.boolean("trail").value_or(true);
    if (!entry.is_broken()) model.view.points.push_back(std::move(point));
  });
  each("segment", segment_keys, [this](Fields& entry, std::string name, Location where) {
    ViewSegment segment{std::move(name)};
    segment.where = where;
    segment.from = place(entry, "from", places::drawn_place, "a segment");
    segment.to = place(entry, "to", places::drawn_place, "a segment");
    segment.style = chosen(entry, "style", "style", segment_styles).value_or(SegmentStyle::rod);
    segment.radius = positive(*this, entry, "radius");
    if (!entry.is_broken()) model.view.segments.push_back(std::move(segment));
  });
  each("arrow", arrow_keys, [this](Fields& entry, std::string name, Location where) {
    ViewArrow arrow{std::move(name)};
    arrow.where = where;
    arrow.at = place(entry, "at", places::drawn_arrow, "an arrow");
    arrow.vector = place(entry, "vector", places::drawn_arrow, "an arrow");
    arrow.kind = chosen(entry, "kind", "kind of arrow", arrow_kinds).value_or(ArrowKind::other);
    if (!entry.is_broken()) model.view.arrows.push_back(std::move(arrow));
  });
}

}  // namespace dalembert::model
