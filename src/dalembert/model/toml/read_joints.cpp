// [[joint]], [[spring]], [[force]] and [view].
#include <fmt/format.h>

#include <array>

#include "dalembert/model/toml/fields.hpp"
#include "dalembert/model/view_checks.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

constexpr std::array joint_keys = {
    "name"sv,  "type"sv,   "bodies"sv,  "body"sv,     "points"sv,    "axis"sv,
    "axes"sv,  "frames"sv, "normal"sv,  "length"sv,   "motion"sv,    "references"sv,
    "shape"sv, "radius"sv, "contact"sv, "friction"sv, "semi_axes"sv, "for"sv};
constexpr std::array spring_keys = {"name"sv,   "bodies"sv, "body"sv, "points"sv,  "stiffness"sv,
                                    "length"sv, "joint"sv,  "rest"sv, "damping"sv, "for"sv};
constexpr std::array force_keys = {"name"sv,   "body"sv, "point"sv, "force"sv,
                                   "torque"sv, "axes"sv, "for"sv};
constexpr std::array view_keys = {"up"sv, "ground"sv, "point"sv, "segment"sv, "arrow"sv};
constexpr std::array point_keys = {"name"sv, "at"sv, "radius"sv, "mass"sv, "trail"sv, "for"sv};
constexpr std::array segment_keys = {"name"sv, "from"sv, "to"sv, "style"sv, "radius"sv, "for"sv};
constexpr std::array arrow_keys = {"name"sv, "at"sv, "vector"sv, "kind"sv, "for"sv};

/// One axis for both bodies, or one for each.
void read_axes(Fields& fields, JointStatement& joint) {
  const std::optional<VectorFormula> axis = fields.vector("axis");
  const auto axes = fields.vectors("axes");
  joint.one_axis = axis.has_value();
  if (axis && fields.has("axes")) {
    fields.refuse("axes", "a joint takes 'axis' or 'axes', not both");
  } else if (axis) {
    joint.axes = {axis, axis};
  } else if (axes) {
    const bool one = joint.kind == JointKind::point_on_line ||
                     joint.kind == JointKind::knife_edge || joint.kind == JointKind::rolls;
    if (one) {
      fields.refuse("axes",
                    fmt::format("a joint of type {} takes one axis, that of the {} body",
                                to_string(joint.kind),
                                joint.kind == JointKind::point_on_line ? "first" : "second"));
    }
    joint.axes = {(*axes)[0], (*axes)[1]};
  }
  if (const auto references = fields.vectors("references"))
    joint.references = {(*references)[0], (*references)[1]};
}

void read_shape(Fields& fields, JointStatement& joint) {
  constexpr std::array shapes = {Shape::sphere, Shape::disk, Shape::ellipsoid};
  joint.shape = fields.choice_of("shape", "shape", shapes);
  joint.contact = fields.boolean("contact").value_or(true);
  for (const std::string_view key : {"shape"sv, "contact"sv}) {
    if (fields.has(key) && joint.kind != JointKind::rolls)
      fields.refuse(key, fmt::format("only a joint of type rolls takes '{}'", key));
  }
}

}  // namespace

void Reader::read_joint(const Value& table) {
  const std::optional<Word> name = needed_name(table, "joint");
  if (!name) return;
  JointStatement joint;
  joint.name = name->text;
  joint.where = name->where;
  joint.over = ranges(table);
  Fields fields(*this, table, "a joint");
  fields.check_keys(joint_keys, " in [[joint]]");
  const auto kind = fields.choice_of("type", "type of joint", joint_kinds);
  if (!fields.has("type")) {
    std::array<std::string_view, joint_kinds.size()> words;
    for (std::size_t i = 0; i < joint_kinds.size(); ++i) words[i] = to_string(joint_kinds[i]);
    complaints.add(joint.where, fmt::format("joint {} needs a type: {}", in_quotes(joint.name),
                                            fmt::join(words, ", ")));
    fields.refuse();
  }
  if (kind) joint.kind = *kind;
  joint.bodies = fields.bodies();
  joint.points = fields.vectors("points");
  read_axes(fields, joint);
  if (const Value* frames = fields.two("frames", "orientations")) {
    joint.frames_where = frames->where;
    joint.frames = {read_orientation(frames->items[0]), read_orientation(frames->items[1])};
  }
  joint.normal = fields.vector("normal");
  joint.length = fields.formula("length");
  joint.motion = fields.formula("motion");
  if (kind) read_shape(fields, joint);
  joint.radius = fields.formula("radius");
  joint.semi_axes = fields.vector("semi_axes");
  if (const Entry* friction = find(table, "friction")) {
    if (expect(friction->value, Kind::table, "a table such as { mu = 0.2 }")) {
      Fields inner(*this, friction->value, "friction");
      inner.check_keys(std::array{"mu"sv, "static"sv, "radius"sv, "slip"sv}, " in friction");
      const auto mu = inner.formula("mu");
      if (!mu && !inner.is_refused()) inner.refuse("mu", "friction needs mu");
      joint.friction =
          FrictionStatement{mu.value_or(Formula{}), inner.formula("radius"), inner.formula("slip"),
                            friction->value.where, inner.formula("static")};
      if (inner.is_refused()) fields.refuse();
    } else {
      fields.refuse();
    }
  }
  joint.refused = fields.is_refused();
  draft.joints.push_back(std::move(joint));
}

void Reader::read_spring(const Value& table) {
  Fields fields(*this, table, "a spring");
  fields.check_keys(spring_keys, " in [[spring]]");
  SpringStatement spring;
  spring.name = fields.title(spring.where);
  spring.over = ranges(table);
  if (fields.has("joint")) {
    for (const std::string_view key : {"bodies"sv, "body"sv, "points"sv, "length"sv}) {
      if (fields.has(key))
        fields.refuse(key, key == "length"
                               ? "a spring along a joint has 'rest' instead of 'length'"
                               : fmt::format("a spring along a joint takes no '{}'", key));
    }
    spring.joint = fields.word("joint", "the name of a joint in quotes");
    spring.rest = fields.formula("rest");
  } else {
    spring.bodies = fields.bodies();
    spring.points = fields.vectors("points");
    if (fields.has("rest"))
      fields.refuse("rest", "a spring between points has 'length' instead of 'rest'");
    spring.rest = fields.formula("length");
  }
  spring.stiffness = fields.formula("stiffness");
  spring.damping = fields.formula("damping");
  spring.refused = fields.is_refused();
  draft.springs.push_back(std::move(spring));
}

void Reader::read_point_force(const Value& table) {
  Fields fields(*this, table, "a force");
  fields.check_keys(force_keys, " in [[force]]");
  PointForceStatement force;
  force.name = fields.title(force.where);
  force.over = ranges(table);
  force.body = fields.body("body");
  force.point = fields.vector("point");
  force.force = fields.vector("force");
  force.torque = fields.vector("torque");
  force.in_body_axes = fields.choice("axes", "axes", std::array{"world"sv, "body"sv}) == 1U;
  force.refused = fields.is_refused();
  draft.point_forces.push_back(std::move(force));
}

void Reader::read_view(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  check_keys(table, view_keys, " in [view]");
  ViewStatement& view = draft.view;
  Fields fields(*this, table, "a view");
  if (const auto up = fields.choice("up", "axis", std::array{"y"sv, "z"sv, "-y"sv, "-z"sv})) {
    view.up = *up % 2 == 0 ? 'y' : 'z';
    view.up_sign = *up < 2 ? 1 : -1;
  }
  if (const Entry* height = find(table, "ground")) {
    if (height->value.kind == Kind::boolean) {
      view.no_ground = fields.boolean("ground") == false;
      if (!view.no_ground) view.ground = Formula(Expr(0), height->value.where);
    } else if (height->value.kind == Kind::number || height->value.kind == Kind::string ||
               height->value.kind == Kind::expression) {
      view.ground = formula(height->value);
    } else {
      expect(height->value, Kind::number, "true, false or a height");
    }
  }
  const auto each = [&](std::string_view key, std::string_view title,
                        std::span<const std::string_view> keys, auto& statements, auto read) {
    const Entry* list = find(table, key);
    if (list == nullptr) return;
    each_table(list->value, fmt::format("view.{}", key), [&](const Value& item) {
      Fields entry(*this, item, title);
      entry.check_keys(keys, fmt::format(" in [[view.{}]]", key));
      auto& statement = statements.emplace_back();
      statement.name = entry.title(statement.where);
      statement.over = ranges(item);
      read(entry, statement);
      statement.refused = entry.is_refused();
    });
  };
  each("point", "a point", point_keys, view.points, [](Fields& entry, ViewPointStatement& point) {
    point.at = entry.needed_vector("at");
    point.radius = entry.formula("radius");
    point.mass = entry.formula("mass");
    point.trail = entry.boolean("trail").value_or(true);
  });
  each("segment", "a segment", segment_keys, view.segments,
       [](Fields& entry, ViewSegmentStatement& segment) {
         segment.from = entry.needed_vector("from");
         segment.to = entry.needed_vector("to");
         segment.style =
             entry.choice_of("style", "style", segment_styles).value_or(SegmentStyle::rod);
         segment.radius = entry.formula("radius");
       });
  each("arrow", "an arrow", arrow_keys, view.arrows, [](Fields& entry, ViewArrowStatement& arrow) {
    arrow.at = entry.needed_vector("at");
    arrow.vector = entry.needed_vector("vector");
    arrow.kind = entry.choice_of("kind", "kind of arrow", arrow_kinds).value_or(ArrowKind::other);
  });
}

}  // namespace dalembert::model
