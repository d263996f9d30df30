// [[joint]], [[spring]] and [[force]]: from their keys to what add_joint and its like take. What a
// kind of joint takes and what that may be is decided there, for programs and files alike; here is
// what only a file can get wrong.
#include <fmt/format.h>

#include <array>

#include "dalembert/model/fields.hpp"
#include "dalembert/model/point_force.hpp"
#include "dalembert/model/spring.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

constexpr std::array joint_keys = {
    "name"sv,  "type"sv,   "bodies"sv,  "body"sv,     "points"sv,   "axis"sv,
    "axes"sv,  "frames"sv, "normal"sv,  "length"sv,   "motion"sv,   "references"sv,
    "shape"sv, "radius"sv, "contact"sv, "friction"sv, "semi_axes"sv};
constexpr std::array spring_keys = {"name"sv,   "bodies"sv, "body"sv, "points"sv, "stiffness"sv,
                                    "length"sv, "joint"sv,  "rest"sv, "damping"sv};
constexpr std::array force_keys = {"name"sv, "body"sv, "point"sv, "force"sv, "torque"sv, "axes"sv};
constexpr std::array kinds = {
    JointKind::ball,  JointKind::hinge,     JointKind::slider,        JointKind::universal,
    JointKind::weld,  JointKind::distance,  JointKind::point_on_line, JointKind::point_on_plane,
    JointKind::rolls, JointKind::knife_edge};

/// One axis for both bodies, or one for each.
void read_axes(Fields& fields, JointSpec& spec) {
  const std::optional<LocatedVector> axis = fields.vector("axis", places::joint_geometry);
  const auto axes = fields.vectors("axes", places::joint_geometry);
  if (axis && fields.has("axes")) {
    fields.refuse("axes", "a joint takes 'axis' or 'axes', not both");
  } else if (axis) {
    spec.axes = {axis, axis};
  } else if (axes) {
    const bool one = spec.kind == JointKind::point_on_line || spec.kind == JointKind::knife_edge ||
                     spec.kind == JointKind::rolls;
    if (one) {
      fields.refuse("axes",
                    fmt::format("a joint of type {} takes one axis, that of the {} body",
                                to_string(spec.kind),
                                spec.kind == JointKind::point_on_line ? "first" : "second"));
    }
    spec.axes = {(*axes)[0], (*axes)[1]};
  }
  if (const auto references = fields.vectors("references", places::joint_geometry))
    spec.references = {(*references)[0], (*references)[1]};
}

void read_shape(Fields& fields, JointSpec& spec) {
  constexpr std::array words = {"sphere"sv, "disk"sv, "ellipsoid"sv};
  constexpr std::array shapes = {Shape::sphere, Shape::disk, Shape::ellipsoid};
  if (const auto chosen = fields.choice("shape", "shape", words)) spec.shape = shapes[*chosen];
  spec.contact = fields.boolean("contact").value_or(true);
  for (const std::string_view key : {"shape"sv, "contact"sv}) {
    if (fields.has(key) && spec.kind != JointKind::rolls)
      fields.refuse(key, fmt::format("only a joint of type rolls takes '{}'", key));
  }
}

}  // namespace

bool Reader::expect_tables(const Value& list, std::string_view key) {
  if (list.kind == Kind::table) {
    complaints.add(list.where,
                   fmt::format("write [[{}]], with double brackets{}", key,
                               key == "force" ? ", for a force at a point of a body, or [forces] "
                                                "for forces along coordinates"
                                              : ""));
    return false;
  }
  return expect(list, Kind::array, fmt::format("tables [[{}]]", key));
}

void Reader::declare_joints(const Value& list) {
  if (!expect_tables(list, "joint")) {
    names.mark_incomplete();
    return;
  }
  for (const Value& table : list.items) {
    if (!expect(table, Kind::table, "a table [[joint]]")) {
      names.mark_incomplete();
      continue;
    }
    const Entry* name = find(table, "name");
    if (name == nullptr) complaints.add(table.where, "a joint needs a name");
    const std::string* text = name == nullptr ? nullptr : string(name->value, "a name in quotes");
    if (text == nullptr) {
      names.mark_incomplete();
      continue;
    }
    const Location where = content_place(name->value);
    if (names.declare(*text, {NameKind::joint, joint_sources.size(), where}, complaints))
      joint_sources.push_back({*text, &table, where});
  }
}

void Reader::read_joints() {
  for (const JointSource& written : joint_sources) {
    const std::size_t constraints = model.constraints.size(), reactions = model.reactions.size();
    if (!read_joint(written)) names.mark_broken(written.name);
    for (std::size_t i = constraints; i < model.constraints.size(); ++i)
      constraint_names.push_back(model.constraints[i].name);
    for (std::size_t i = reactions; i < model.reactions.size(); ++i)
      joint_values.emplace(model.reactions[i].name, model.reactions[i].expr);
  }
}

bool Reader::read_joint(const JointSource& written) {
  const Value& table = *written.table;
  Fields fields(*this, table, "a joint");
  fields.check_keys(joint_keys, " in [[joint]]");
  JointSpec spec;
  spec.name = written.name;
  spec.where = written.where;
  std::array<std::string_view, kinds.size()> words;
  for (std::size_t i = 0; i < kinds.size(); ++i) words[i] = to_string(kinds[i]);
  const bool has_type = fields.has("type");
  const std::optional<std::size_t> kind = fields.choice("type", "type of joint", words);
  if (!has_type) {
    complaints.add(written.where, fmt::format("joint {} needs a type: {}", in_quotes(written.name),
                                              fmt::join(words, ", ")));
  }
  if (kind) spec.kind = kinds[*kind];
  fields.bodies(spec.bodies, spec.bodies_where);
  if (const auto points = fields.vectors("points", places::joint_geometry)) spec.points = *points;
  read_axes(fields, spec);
  if (const Value* frames = fields.two("frames", "orientations")) {
    spec.frames_where = frames->where;
    spec.frames.emplace();
    for (std::size_t i = 0; i < 2; ++i) {
      BodyPose pose;
      if (!read_orientation(frames->items[i], LetUse::value, pose)) fields.break_off();
      (*spec.frames)[i] = pose.turn.rotation;
    }
  }
  spec.normal = fields.vector("normal", places::joint_geometry);
  spec.length = fields.scalar("length", places::joint_geometry);
  spec.motion = fields.scalar("motion", places::joint_motion);
  if (kind) read_shape(fields, spec);
  spec.radius = fields.scalar("radius", places::joint_geometry);
  spec.semi_axes = fields.vector("semi_axes", places::joint_geometry);
  if (const Entry* friction = find(table, "friction")) {
    if (expect(friction->value, Kind::table, "a table such as { mu = 0.2 }")) {
      Fields inner(*this, friction->value, "friction");
      inner.check_keys(std::array{"mu"sv, "radius"sv, "slip"sv}, " in friction");
      const auto mu = inner.scalar("mu", places::joint_friction);
      if (!mu && !inner.is_broken()) inner.refuse("mu", "friction needs mu");
      spec.friction =
          FrictionSpec{mu.value_or(Located{}), inner.scalar("radius", places::joint_friction),
                       inner.scalar("slip", places::joint_friction), friction->value.where};
      if (inner.is_broken()) fields.break_off();
    } else {
      fields.break_off();
    }
  }
  if (!kind || fields.is_broken()) return false;
  const std::vector<Diagnostic> found = add_joint(model, spec);
  for (const Diagnostic& diagnostic : found) complaints.add(diagnostic.where, diagnostic.message);
  return found.empty();
}

std::string Reader::title_of(const Value& table, std::string_view key, std::size_t number,
                             Location& where) {
  where = table.where;
  const Entry* name = find(table, "name");
  std::string title = fmt::format("{}", number);
  if (name == nullptr) return title;
  where = content_place(name->value);
  const std::string* text = string(name->value, "a name in quotes");
  if (text != nullptr && check_title(*text, with_article(key), where, complaints)) title = *text;
  return title;
}

void Reader::read_springs(const Value& list) {
  if (!expect_tables(list, "spring")) return;
  std::size_t number = 0;
  for (const Value& table : list.items) {
    ++number;
    if (!expect(table, Kind::table, "a table [[spring]]")) continue;
    Fields fields(*this, table, "a spring");
    fields.check_keys(spring_keys, " in [[spring]]");
    SpringSpec spec;
    spec.name = title_of(table, "spring", number, spec.where);
    const Entry* joint = find(table, "joint");
    if (joint != nullptr) {
      for (const std::string_view key : {"bodies"sv, "body"sv, "points"sv, "length"sv}) {
        if (fields.has(key))
          fields.refuse(key, key == "length"
                                 ? "a spring along a joint has 'rest' instead of 'length'"
                                 : fmt::format("a spring along a joint takes no '{}'", key));
      }
      const std::string* name = string(joint->value, "the name of a joint in quotes");
      if (name == nullptr) fields.break_off();
      if (name != nullptr) spec.joint = *name;
      spec.joint_where = content_place(joint->value);
      // A joint that has been complained of is not unknown.
      const Declaration* declaration = name == nullptr ? nullptr : names.find(*name);
      if (names.is_incomplete() ||
          (declaration != nullptr && declaration->kind == NameKind::joint && declaration->broken))
        fields.break_off();
      spec.rest = fields.scalar("rest", places::spring);
    } else {
      fields.bodies(spec.bodies, spec.bodies_where);
      if (const auto points = fields.vectors("points", places::spring)) spec.points = *points;
      if (fields.has("rest"))
        fields.refuse("rest", "a spring between points has 'length' instead of 'rest'");
      spec.rest = fields.scalar("length", places::spring);
    }
    spec.stiffness = fields.scalar("stiffness", places::spring);
    spec.damping = fields.scalar("damping", places::spring);
    if (fields.is_broken()) continue;
    for (const Diagnostic& diagnostic : add_spring(model, spec))
      complaints.add(diagnostic.where, diagnostic.message);
  }
}

void Reader::read_point_forces(const Value& list) {
  if (!expect_tables(list, "force")) return;
  std::size_t number = 0;
  for (const Value& table : list.items) {
    ++number;
    if (!expect(table, Kind::table, "a table [[force]]")) continue;
    Fields fields(*this, table, "a force");
    fields.check_keys(force_keys, " in [[force]]");
    PointForceSpec spec;
    spec.name = title_of(table, "force", number, spec.where);
    spec.body = fields.body("body", spec.body_where);
    if (const auto point = fields.vector("point", places::joint_geometry)) spec.point = *point;
    spec.force = fields.vector("force", places::force);
    spec.torque = fields.vector("torque", places::force);
    spec.in_body_axes = fields.choice("axes", "axes", std::array{"world"sv, "body"sv}) == 1U;
    if (fields.is_broken()) continue;
    for (const Diagnostic& diagnostic : add_point_force(model, spec))
      complaints.add(diagnostic.where, diagnostic.message);
  }
}

}  // namespace dalembert::model
