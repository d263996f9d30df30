// [[particle]], [[body]], [[frame]] and gravity.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dalembert/model/energy_of_bodies.hpp"
#include "dalembert/model/reader.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

struct BodySection {
  std::string_view key;
  BodyKind kind;
};
constexpr std::array body_sections = {BodySection{"particle"sv, BodyKind::particle},
                                      BodySection{"body"sv, BodyKind::body},
                                      BodySection{"frame"sv, BodyKind::frame}};

std::vector<std::string_view> keys_of(BodyKind kind) {
  std::vector keys = {"name"sv, "position"sv, "frame"sv};
  if (kind != BodyKind::frame) keys.push_back("mass");
  if (kind != BodyKind::particle) keys.push_back("orientation");
  if (kind == BodyKind::body) keys.insert(keys.end(), {"inertia", "center_of_mass"});
  keys.insert(keys.end(), drawn_keys.begin(), drawn_keys.end());
  return keys;
}

std::string_view section_of(BodyKind kind) {
  for (const BodySection& section : body_sections) {
    if (section.kind == kind) return section.key;
  }
  return {};
}

}  // namespace

void Reader::declare_bodies(const Value& document) {
  std::vector<BodySource> found;
  for (const BodySection& section : body_sections) {
    const Entry* entry = find(document, section.key);
    if (entry == nullptr) continue;
    if (entry->value.kind == Kind::table) {
      complaints.add(entry->value.where,
                     fmt::format("write [[{}]], with double brackets", section.key));
      names.mark_incomplete();
      continue;
    }
    if (!expect(entry->value, Kind::array, fmt::format("tables [[{}]]", section.key))) {
      names.mark_incomplete();
      continue;
    }
    for (const Value& table : entry->value.items) {
      if (!expect(table, Kind::table, fmt::format("a table [[{}]]", section.key))) {
        names.mark_incomplete();
        continue;
      }
      check_keys(table, keys_of(section.kind), fmt::format(" in [[{}]]", section.key));
      const Entry* name = find(table, "name");
      if (name == nullptr) {
        complaints.add(table.where, fmt::format("a {} needs a name", section.key));
        names.mark_incomplete();
        continue;
      }
      const std::string* text = string(name->value, "a name in quotes");
      if (text == nullptr) {
        names.mark_incomplete();
        continue;
      }
      const Location where = content_place(name->value);
      if (*text == ground) {
        complaints.add(where, "'ground' is the fixed frame and cannot be the name of a body");
        names.mark_incomplete();
        continue;
      }
      if (names.declare(*text, {NameKind::body, found.size(), where}, complaints))
        found.push_back({*text, section.kind, &table, {}, where, false});
      else
        body_refused = true;
    }
  }
  body_sources = std::move(found);
  for (BodySource& written : body_sources) {
    const Entry* frame = find(*written.table, "frame");
    if (frame == nullptr) continue;
    const std::string* parent = string(frame->value, "the name of a body in quotes");
    written.broken = parent == nullptr;
    if (parent == nullptr || *parent == ground) continue;
    const Declaration* declaration = names.find(*parent);
    const Location where = content_place(frame->value);
    if (declaration == nullptr || declaration->kind != NameKind::body) {
      written.broken = true;
      if (!names.is_incomplete())
        complaints.add(where, fmt::format("{} is not a body{}", in_quotes(*parent),
                                          complaints.did_you_mean(*parent, names.bodies())));
    } else if (body_sources[declaration->index].kind == BodyKind::particle) {
      written.broken = true;
      complaints.add(where,
                     fmt::format("{} is a particle: it has no axes that {} could be given in",
                                 in_quotes(*parent), in_quotes(written.name)));
    } else {
      written.frame = *parent;
    }
  }
}

void Reader::add_body_lets(const BodySource& written) {
  const auto add = [&](std::string_view what) {
    add_let(member(written.name, what), {written.where, written.name,
                                         [this, &written] { read_pose(written, LetUse::marker); }});
  };
  for (const std::string_view what : body_origin) add(what);
  for (const std::string_view what : body_center) add(what);
  if (written.kind == BodyKind::particle) return;
  for (const auto& row : body_rotation) {
    for (const std::string_view what : row) add(what);
  }
  for (const std::string_view what : body_spin) add(what);
}

bool Reader::read_turn(const Value& table, LetUse use, BodyPose& pose) {
  if (!expect(table, Kind::table, "a table such as { axes = \"zxz\", angles = [...] }"))
    return false;
  check_keys(table, std::array{"axes"sv, "angles"sv, "quaternion"sv, "axis"sv, "angle"sv},
             " in an orientation");
  const Entry* axes = find(table, "axes");
  const Entry* quaternion = find(table, "quaternion");
  const Entry* axis = find(table, "axis");
  if ((axes != nullptr) + (quaternion != nullptr) + (axis != nullptr) != 1) {
    complaints.add(table.where,
                   "an orientation is given by axes and angles, by a quaternion, or by an axis and "
                   "an angle: by one of them");
    return false;
  }
  // The other half of a pair, of as many expressions as wanted.
  const auto angles_of = [&](const Entry& half, std::string_view key, std::size_t count,
                             std::vector<Expr>& angles) {
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
    if (items.size() != count) {
      expect(value, Kind::array, "an array of angles");
      return false;
    }
    for (const Value& item : items) {
      const auto e = expression(item, places::orientation, use);
      if (!e) return false;
      angles.push_back(*e);
    }
    return true;
  };
  if (axes != nullptr) {
    const std::string* letters = string(axes->value, "letters such as \"zxz\"");
    if (letters == nullptr) return false;
    const bool good = !letters->empty() && letters->size() <= 3 &&
                      std::all_of(letters->begin(), letters->end(),
                                  [](char c) { return c == 'x' || c == 'y' || c == 'z'; }) &&
                      std::adjacent_find(letters->begin(), letters->end()) == letters->end();
    if (!good) {
      complaints.add(content_place(axes->value),
                     fmt::format("{} is not a sequence of axes: one to three of the letters x, y, "
                                 "z, no letter twice in a row",
                                 in_quotes(*letters)));
      return false;
    }
    std::vector<Expr> angles;
    if (!angles_of(*axes, "angles", letters->size(), angles)) return false;
    pose.turn = pose.turn * turn_by_axes(*letters, angles);
    return true;
  }
  if (quaternion != nullptr) {
    std::array<Expr, 4> e;
    const Value& list = quaternion->value;
    if (!expect(list, Kind::array, "an array of four expressions")) return false;
    if (list.items.size() != 4) {
      complaints.add(list.where,
                     fmt::format("a quaternion has four components, not {}", list.items.size()));
      return false;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const auto component = expression(list.items[i], places::orientation, use);
      if (!component) return false;
      e[i] = *component;
    }
    if (std::none_of(e.begin(), e.end(), contains_coordinate)) {
      // It does not move, so that nothing else keeps its length.
      const Vector v{e[1], e[2], e[3]};
      const Expr square = e[0] * e[0] + dot(v, v);
      if (square.is_zero()) {
        complaints.add(list.where, "a quaternion must not be zero");
        return false;
      }
      if (!square.is_one()) {
        for (Expr& component : e) component = component / sqrt(square);
      }
      pose.turn = pose.turn * turn_by_quaternion(e);
      return true;
    }
    pose.turn = pose.turn * turn_by_quaternion(e);
    pose.quaternions.push_back(e);
    return true;
  }
  const auto direction = vector(axis->value, places::body_point, use);
  std::vector<Expr> angle;
  if (!direction || !angles_of(*axis, "angle", 1, angle)) return false;
  if (direction->is_zero()) {
    complaints.add(axis->value.where, "an axis needs a direction: this one is zero");
    return false;
  }
  pose.turn = pose.turn * turn_about(*direction / norm(*direction), angle[0]);
  return true;
}

bool Reader::read_orientation(const Value& value, LetUse use, BodyPose& pose) {
  if (value.kind != Kind::array) return read_turn(value, use, pose);
  return std::all_of(value.items.begin(), value.items.end(),
                     [&](const Value& table) { return read_turn(table, use, pose); });
}

std::optional<BodyPose> Reader::read_pose(const BodySource& written, LetUse use) {
  BodyPose pose;
  bool good = true;
  const auto read_vector = [&](std::string_view key, const Place& place, Vector& target) {
    const Entry* entry = find(*written.table, key);
    if (entry == nullptr) return;
    const auto v = vector(entry->value, place, use);
    good = good && v.has_value();
    if (v) target = *v;
  };
  read_vector("position", places::body_position, pose.position);
  read_vector("center_of_mass", places::body_point, pose.center);
  if (const Entry* entry = find(*written.table, "orientation"))
    good = read_orientation(entry->value, use, pose) && good;
  return good ? std::optional(pose) : std::nullopt;
}

void Reader::define_body_lets(BodySource& written, DepthFirst& walk) {
  const auto let_of = [&](std::string_view what) { return *lets.find(member(written.name, what)); };
  if (find(*written.table, "position") == nullptr && written.frame.empty() &&
      written.kind != BodyKind::frame) {
    complaints.add(written.where, fmt::format("{} {} needs a position", section_of(written.kind),
                                              in_quotes(written.name)));
    written.broken = true;
  }
  const auto pose = read_pose(written, LetUse::unchecked_marker);
  written.broken = written.broken || !pose;
  if (written.broken) {
    names.mark_broken(written.name);
    for (std::size_t i = 0; i < lets.size(); ++i) {
      if (let_sources[i].owner == written.name) walk.mark_broken(i);
    }
    return;
  }
  const auto marker = [](std::string_view owner, std::string_view what) {
    return Lets::marker(member(owner, what), 0);
  };
  Turn outer;
  Vector origin = pose->position;
  if (!written.frame.empty()) {
    Vector from;
    for (std::size_t i = 0; i < 3; ++i) {
      from[i] = marker(written.frame, body_origin[i]);
      outer.spin[i] = marker(written.frame, body_spin[i]);
      for (std::size_t j = 0; j < 3; ++j)
        outer.rotation[i][j] = marker(written.frame, body_rotation[i][j]);
    }
    origin = from + outer.rotation * pose->position;
  }
  const Turn turn = outer * pose->turn;
  for (std::size_t i = 0; i < 3; ++i) {
    lets.define(let_of(body_origin[i]), origin[i]);
    Expr center = marker(written.name, body_origin[i]);
    for (std::size_t j = 0; j < 3 && written.kind != BodyKind::particle; ++j) {
      lets.define(let_of(body_rotation[i][j]), turn.rotation[i][j]);
      center += marker(written.name, body_rotation[i][j]) * pose->center[j];
    }
    lets.define(let_of(body_center[i]), center);
    if (written.kind != BodyKind::particle) lets.define(let_of(body_spin[i]), turn.spin[i]);
  }
}

void Reader::read_mass(const BodySource& written, Body& body) {
  const Entry* entry = find(*written.table, "mass");
  if (entry == nullptr) {
    complaints.add(written.where,
                   fmt::format("{} {} has no mass: give it one, or describe a place without mass "
                               "by [[frame]]",
                               section_of(written.kind), in_quotes(written.name)));
    return;
  }
  body.mass_where = content_place(entry->value);
  if (const auto m = expression(entry->value, places::mass)) body.mass = *m;
}

void Reader::read_inertia(const BodySource& written, Body& body) {
  const Entry* entry = find(*written.table, "inertia");
  if (entry == nullptr) {
    complaints.add(written.where,
                   fmt::format("body {} has no inertia: give three principal moments or a 3x3 "
                               "matrix, or describe a mass without extent by [[particle]]",
                               in_quotes(written.name)));
    return;
  }
  const Value& value = entry->value;
  body.inertia_where = value.where;
  if (!expect(value, Kind::array, "three principal moments or a 3x3 matrix")) return;
  const bool is_matrix = !value.items.empty() && value.items[0].kind == Kind::array;
  if (!is_matrix) {
    if (const auto moments = vector(value, places::inertia))
      body.inertia = Matrix::diagonal(*moments);
    return;
  }
  if (value.items.size() != 3) {
    complaints.add(value.where,
                   fmt::format("a matrix of inertia has three rows, not {}", value.items.size()));
    return;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = vector(value.items[i], places::inertia);
    if (!row) return;
    for (std::size_t j = 0; j < 3; ++j) body.inertia[i][j] = (*row)[j];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (same(body.inertia[i][j], body.inertia[j][i])) continue;
      complaints.add(value.items[i].where,
                     fmt::format("the inertia of {} is not symmetric: row {}, column {} differs "
                                 "from row {}, column {}",
                                 in_quotes(written.name), i + 1, j + 1, j + 1, i + 1));
      return;
    }
  }
}

void Reader::finish_bodies() {
  for (BodySource& written : body_sources) {
    if (written.broken || names.find(written.name)->broken) continue;
    // Once more, now that the content of lets is known, to see what may not stand there.
    const auto pose = read_pose(written, LetUse::value);
    if (!pose) {
      names.mark_broken(written.name);
      continue;
    }
    Body body;
    body.name = written.name;
    body.kind = written.kind;
    body.frame = written.frame;
    body.where = written.where;
    const auto value = [&](std::string_view what, std::size_t order) {
      return lets.value(*lets.find(member(written.name, what)), order);
    };
    for (std::size_t i = 0; i < 3; ++i) {
      body.origin[i] = value(body_origin[i], 0);
      body.center_of_mass[i] = value(body_center[i], 0);
      body.velocity[i] = value(body_center[i], 1);
      for (std::size_t j = 0; j < 3 && written.kind != BodyKind::particle; ++j)
        body.rotation[i][j] = value(body_rotation[i][j], 0);
      if (written.kind != BodyKind::particle) body.spin[i] = value(body_spin[i], 0);
    }
    body.center = pose->center;
    body.gimbal = pose->turn.gimbal;
    body.gimbal_axes = pose->turn.gimbal_axes;
    if (body.kind != BodyKind::frame) read_mass(written, body);
    if (body.kind == BodyKind::body) read_inertia(written, body);
    read_solid(written, body);
    for (std::size_t k = 0; k < pose->quaternions.size(); ++k) {
      const auto& e = pose->quaternions[k];
      const Expr residual = unit_residual(e);
      if (!contains_coordinate(residual)) {
        complaints.add(written.where,
                       fmt::format("the quaternion of {} does not move; write it without lets, or "
                                   "by an axis and an angle",
                                   in_quotes(written.name)));
        continue;
      }
      std::string name = written.name + ".unit";
      if (k > 0) name += fmt::format(" {}", k + 1);
      model.constraints.push_back({name, residual, 1, written.where});
      constraint_names.push_back(name);
      std::array<std::size_t, 4> scalars{};
      const bool plain = std::all_of(e.begin(), e.end(), [](const Expr& c) {
        return c.is(expr::Op::symbol) && c.symbol().kind == expr::SymbolKind::coordinate;
      });
      if (!plain) continue;
      for (std::size_t i = 0; i < 4; ++i) scalars[i] = names.find(e[i].symbol().name)->index;
      model.quaternions.push_back(scalars);
    }
    model.bodies.push_back(std::move(body));
  }
}

void Reader::read_gravity(const Value& value) {
  gravity = vector(value, places::gravity).value_or(Vector{});
  if (acts_along_y(*gravity)) model.view.up = 'y';
  if (body_sources.empty() && !body_refused && !names.is_incomplete())
    complaints.add(value.where, "gravity acts on bodies and particles, and there are none");
}

void Reader::add_bodies_to_energy() {
  if (body_sources.empty() && !body_refused) return;
  const bool only_frames =
      !body_refused && std::all_of(body_sources.begin(), body_sources.end(),
                                   [](const auto& body) { return body.kind == BodyKind::frame; });
  if (!model.mass_matrix.empty() && !only_frames) {
    complaints.add(body_sources.empty() ? Location{} : body_sources.front().where,
                   "bodies and mass_matrix exclude each other: bodies bring their own inertia");
    model.mass_matrix.clear();
  }
  add_energy_of_bodies(model, gravity.value_or(Vector{}));
  // A body that has been complained of would have brought a kinetic energy.
  const bool complete = model.bodies.size() == body_sources.size() && !body_refused;
  if (!complete && !model.kinetic) model.kinetic = Located{};
}

}  // namespace dalembert::model
