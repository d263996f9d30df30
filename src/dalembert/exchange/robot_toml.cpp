// A robot as a model file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

#include "dalembert/exchange/robot.hpp"
#include "dalembert/exchange/robot_names.hpp"
#include "dalembert/expr/characters.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/model/toml/spelling.hpp"

namespace dalembert::exchange {

using model::toml_key;
using model::toml_string;

namespace {

/// An angle this close to a multiple of pi/12 is meant to be it.
constexpr double meant = 1e-11;
constexpr double twelfth = std::numbers::pi / 12;

/// A length that differs from 1 by more is not meant to be 1.
constexpr double noticeable = 1e-3;

/// Part of the largest entry below which an entry of a rotated matrix is rounding.
constexpr double smallest_entry = 1e-15;

/// The shortest decimal that is read as this number again.
std::string number(double x) {
  return x == 0 ? "0" : fmt::format("{}", x);
}

/// On one line, and with nothing in it that does not show.
std::string comment(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return "# " + expr::visible(text) + "\n";
}

double meant_angle(double angle) {
  const double multiple = std::round(angle / twelfth);
  const double nearby = multiple * twelfth;
  return std::abs(angle - nearby) <= meant && std::abs(multiple) <= 48 ? nearby : angle;
}

std::string angle_text(double angle) {
  const auto multiple = std::lround(std::round(angle / twelfth));
  if (angle == 0 || meant_angle(angle) != static_cast<double>(multiple) * twelfth)
    return number(angle);
  const long divisor = std::gcd(multiple, 12L);
  const long over = multiple / divisor, under = 12 / divisor;
  std::string text = over == 1 ? "pi" : over == -1 ? "-pi" : fmt::format("{}*pi", over);
  if (under != 1) text += fmt::format("/{}", under);
  return toml_string(text);
}

Mat3 meant_rotation(const Vec3& rpy) {
  Mat3 R = rotation({meant_angle(rpy[0]), meant_angle(rpy[1]), meant_angle(rpy[2])});
  for (Vec3& row : R) {
    for (double& entry : row) {
      if (std::abs(entry) < smallest_entry) entry = 0;
    }
  }
  return R;
}

std::string vector_text(const Vec3& x) {
  return fmt::format("[{}, {}, {}]", number(x[0]), number(x[1]), number(x[2]));
}

std::string rotation_text(const Vec3& axis, const std::string& angle) {
  return fmt::format("{{ axis = {}, angle = {} }}", vector_text(axis), angle);
}

Vec3 normalized(const Vec3& x) {
  const double length = norm(x);
  return {x[0] / length, x[1] / length, x[2] / length};
}

/// c*q as the next term of a sum.
void add_term(std::string& sum, double factor, const std::string& name) {
  if (factor == 0) return;
  const std::string size = std::abs(factor) == 1 ? name : number(std::abs(factor)) + "*" + name;
  if (sum.empty()) {
    sum = (factor < 0 ? "-" : "") + size;
  } else {
    sum += (factor < 0 ? " - " : " + ") + size;
  }
}

/// A displacement along a direction.
struct Displacement {
  Vec3 direction;
  std::string coordinate;
};

std::string position_text(const Vec3& origin, const std::vector<Displacement>& displacements) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < 3; ++i) {
    std::string sum = origin[i] == 0 ? "" : number(origin[i]);
    const bool constant = std::all_of(displacements.begin(), displacements.end(),
                                      [&](const Displacement& d) { return d.direction[i] == 0; });
    for (const Displacement& d : displacements) add_term(sum, d.direction[i], d.coordinate);
    entries.push_back(constant ? number(origin[i]) : toml_string(sum));
  }
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

/// About the centre of mass, in the axes of the link: R I R^T.
std::string inertia_text(const Inertial& inertial) {
  Mat3 I = inertial.inertia;
  if (norm(inertial.origin.rpy) != 0) {
    const Mat3 R = meant_rotation(inertial.origin.rpy);
    I = R * I * transposed(R);
  }
  double largest = 0;
  for (const Vec3& row : I) largest = std::max(largest, norm(row));
  bool diagonal = true;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double mean = (I[i][j] + I[j][i]) / 2;
      I[i][j] = I[j][i] = std::abs(mean) <= smallest_entry * largest ? 0 : mean;
      diagonal = diagonal && I[i][j] == 0;
    }
  }
  if (diagonal) return vector_text({I[0][0], I[1][1], I[2][2]});
  return fmt::format("[{}, {}, {}]", vector_text(I[0]), vector_text(I[1]), vector_text(I[2]));
}

/// Two directions that make a right-handed system with the normal of a plane: in the axes x y z
/// themselves where the normal is one of them.
std::array<Vec3, 2> plane_directions(const Vec3& n) {
  std::size_t least = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if (std::abs(n[i]) < std::abs(n[least])) least = i;
  }
  Vec3 u = {};
  u[least] = 1;
  for (std::size_t i = 0; i < 3; ++i) u[i] -= n[least] * n[i];
  u = normalized(u);
  return {u, cross(n, u)};
}

/// What is put behind a joint's name for each of its coordinates.
std::vector<const char*> coordinate_parts(const Joint& joint) {
  switch (joint.type) {
    case JointType::fixed:
      return {};
    case JointType::revolute:
    case JointType::continuous:
    case JointType::prismatic:
      return {""};
    case JointType::planar:
      return {"_x", "_y", "_angle"};
    case JointType::floating:
      return {"_x", "_y", "_z", "_e0", "_e1", "_e2", "_e3"};
  }
  return {};
}

class Writer {
 public:
  Writer(const Robot& robot, std::vector<std::string>& notes) : robot_(robot), notes_(notes) {}

  std::string write() {
    name_coordinates();
    name_links();
    note_joints();
    std::string text = head();
    text += fmt::format("name = {}\n", toml_string(robot_.name));
    text +=
        fmt::format("description = {}\n",
                    toml_string(fmt::format("A robot of {} links and {} joint{}, imported from {}.",
                                            robot_.links.size(), robot_.joints.size(),
                                            robot_.joints.size() == 1 ? "" : "s", file())));
    text += "coordinates = [";
    std::vector<std::string> names;
    for (const std::size_t j : robot_.order) {
      for (const std::string& name : coordinates_[j]) names.push_back(toml_string(name));
    }
    text += fmt::format("{}]\n", fmt::join(names, ", "));
    text += "gravity = [0, 0, \"-g\"]\n\n[parameters]\ng = 9.80665\n";
    for (const std::size_t j : robot_.order) add_body(text, j);
    add_mimics(text);
    add_damping(text);
    add_initial(text);
    return text;
  }

 private:
  std::string file() const {
    return std::filesystem::path(robot_.source->path).filename().string();
  }

  /// Those whose own names will do come first, so that others do not take them away.
  template <class NameOf, class Give>
  void name_all(const NameOf& name_of, const Give& give) {
    for (const bool proper : {true, false}) {
      for (const std::size_t j : robot_.order) {
        if (expr::is_name(name_of(robot_.joints[j])) == proper) give(j);
      }
    }
  }

  void name_coordinates() {
    coordinates_.resize(robot_.joints.size());
    name_all([](const Joint& joint) -> const std::string& { return joint.name; },
             [&](std::size_t j) {
               const Joint& joint = robot_.joints[j];
               for (const char* part : coordinate_parts(joint))
                 coordinates_[j].push_back(names_.give(joint.name + part, "_joint"));
             });
    for (const std::size_t j : robot_.order) {
      const Joint& joint = robot_.joints[j];
      const auto parts = coordinate_parts(joint);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (coordinates_[j][k] == joint.name + parts[k]) continue;
        notes_.push_back(fmt::format("joint '{}' has the coordinate{} {}", joint.name,
                                     parts.size() == 1 ? "" : "s",
                                     fmt::join(coordinates_[j], ", ")));
        break;
      }
    }
  }

  void name_links() {
    link_names_.resize(robot_.links.size());
    const auto child = [&](const Joint& joint) -> const std::string& {
      return robot_.links[joint.child].name;
    };
    name_all(child, [&](std::size_t j) {
      const Joint& joint = robot_.joints[j];
      link_names_[joint.child] = names_.give(child(joint), "_link");
    });
    for (const std::size_t j : robot_.order) {
      const Joint& joint = robot_.joints[j];
      if (link_names_[joint.child] != child(joint))
        notes_.push_back(
            fmt::format("link '{}' is named {}", child(joint), link_names_[joint.child]));
    }
  }

  void note_joints() {
    const Link& root = robot_.links[robot_.root];
    notes_.push_back(fmt::format("link '{}' is the root and stands still as the ground{}",
                                 root.name,
                                 root.inertial ? "; its <inertial> has no influence" : ""));
    for (const std::size_t j : robot_.order) {
      const Joint& joint = robot_.joints[j];
      if (joint.limits && moves(joint) && joint.type != JointType::continuous)
        limited_.push_back(joint.name);
      if (joint.friction != 0)
        notes_.push_back(fmt::format("not carried over: the dry friction {} of joint '{}'",
                                     number(joint.friction), joint.name));
      if (joint.damping != 0 && !has_one_coordinate(joint))
        notes_.push_back(
            fmt::format("not carried over: the damping {} of joint '{}', which has no "
                        "single axis",
                        number(joint.damping), joint.name));
      if (moves(joint) && joint.type != JointType::floating &&
          std::abs(norm(joint.axis) - 1) > noticeable)
        notes_.push_back(fmt::format(
            "the axis of joint '{}' is not of length 1: its direction counts", joint.name));
      if (joint.limits && has_one_coordinate(joint) && joint.type != JointType::continuous &&
          !joint.mimic && (joint.limits->lower > 0 || joint.limits->upper < 0))
        notes_.push_back(fmt::format("joint '{}' starts at 0, outside of its limits {} to {}",
                                     joint.name, number(joint.limits->lower),
                                     number(joint.limits->upper)));
    }
    if (!limited_.empty())
      notes_.push_back(fmt::format("limits are noted, not enforced: joint{} {}",
                                   limited_.size() == 1 ? "" : "s", quoted(limited_)));
  }

  std::string head() const {
    std::string text =
        comment(fmt::format("The robot '{}', imported from {}.", robot_.name, file()));
    if (!notes_.empty()) text += "#\n";
    for (const std::string& note : notes_) text += comment("- " + note);
    return text + "\n";
  }

  std::string describe(const Joint& joint) const {
    std::string text =
        fmt::format("Joint '{}', {}", joint.name,
                    std::array{"fixed", "revolute", "continuous", "prismatic", "planar",
                               "floating"}[static_cast<std::size_t>(joint.type)]);
    if (joint.limits && moves(joint)) {
      const bool slides = joint.type == JointType::prismatic;
      if (joint.type != JointType::continuous)
        text += fmt::format(", from {} to {} {}", number(joint.limits->lower),
                            number(joint.limits->upper), slides ? "m" : "rad");
      text += fmt::format(", at most {} {} and {} {}", number(joint.limits->effort),
                          slides ? "N" : "N m", number(joint.limits->velocity),
                          slides ? "m/s" : "rad/s");
    }
    return text + ".";
  }

  void add_body(std::string& text, std::size_t j) const {
    const Joint& joint = robot_.joints[j];
    const Link& link = robot_.links[joint.child];
    const bool massive = link.inertial && (link.inertial->mass != 0 || has_moments(*link.inertial));
    text += "\n" + comment(describe(joint));
    text += fmt::format("[[{}]]\nname = {}\n", massive ? "body" : "frame",
                        toml_string(link_names_[joint.child]));
    if (joint.parent != robot_.root)
      text += fmt::format("frame = {}\n", toml_string(link_names_[joint.parent]));
    if (massive) {
      text += fmt::format("mass = {}\ninertia = {}\n", number(link.inertial->mass),
                          inertia_text(*link.inertial));
      if (norm(link.inertial->origin.position) != 0)
        text += fmt::format("center_of_mass = {}\n", vector_text(link.inertial->origin.position));
    }
    add_placement(text, joint, coordinates_[j]);
  }

  static bool has_moments(const Inertial& inertial) {
    return std::any_of(inertial.inertia.begin(), inertial.inertia.end(),
                       [](const Vec3& row) { return norm(row) != 0; });
  }

  static void add_placement(std::string& text, const Joint& joint,
                            const std::vector<std::string>& q) {
    const Mat3 R = meant_rotation(joint.origin.rpy);
    std::vector<Displacement> displacements;
    std::vector<std::string> rotations;
    constexpr std::array<Vec3, 3> unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (const std::size_t k : {2u, 1u, 0u}) {  // yaw, pitch, roll
      if (joint.origin.rpy[k] != 0)
        rotations.push_back(rotation_text(unit[k], angle_text(joint.origin.rpy[k])));
    }
    switch (joint.type) {
      case JointType::fixed:
        break;
      case JointType::revolute:
      case JointType::continuous:
        rotations.push_back(rotation_text(joint.axis, toml_string(q[0])));
        break;
      case JointType::prismatic:
        displacements.push_back({R * normalized(joint.axis), q[0]});
        break;
      case JointType::planar: {
        const auto [u, v] = plane_directions(normalized(joint.axis));
        displacements = {{R * u, q[0]}, {R * v, q[1]}};
        rotations.push_back(rotation_text(joint.axis, toml_string(q[2])));
        break;
      }
      case JointType::floating:
        for (std::size_t k = 0; k < 3; ++k) displacements.push_back({R * unit[k], q[k]});
        rotations.push_back(fmt::format("{{ quaternion = [{}, {}, {}, {}] }}", toml_string(q[3]),
                                        toml_string(q[4]), toml_string(q[5]), toml_string(q[6])));
        break;
    }
    text += fmt::format("position = {}\n", position_text(joint.origin.position, displacements));
    if (rotations.size() == 1) {
      text += fmt::format("orientation = {}\n", rotations.front());
    } else if (!rotations.empty()) {
      text += fmt::format("orientation = [{}]\n", fmt::join(rotations, ", "));
    }
  }

  void add_mimics(std::string& text) const {
    for (const std::size_t j : robot_.order) {
      const Joint& joint = robot_.joints[j];
      if (!joint.mimic) continue;
      const std::string& own = coordinates_[j].front();
      text += fmt::format(
          "\n[[constraint]]\nname = {}\nequation = {}\n",
          toml_string(fmt::format("{} mimics {}", own, coordinates_[joint.mimic->joint].front())),
          toml_string(fmt::format("{} = {}", own, mimicked(*joint.mimic, ""))));
    }
  }

  std::string mimicked(const Mimic& mimic, const char* primes) const {
    std::string sum;
    add_term(sum, mimic.multiplier, coordinates_[mimic.joint].front() + primes);
    if (*primes == '\0' && mimic.offset != 0) {
      if (sum.empty()) return number(mimic.offset);
      sum += fmt::format(" {} {}", mimic.offset < 0 ? "-" : "+", number(std::abs(mimic.offset)));
    }
    return sum.empty() ? "0" : sum;
  }

  void add_damping(std::string& text) const {
    std::string lines;
    for (const std::size_t j : robot_.order) {
      const Joint& joint = robot_.joints[j];
      if (joint.damping == 0 || !has_one_coordinate(joint)) continue;
      std::string force;
      add_term(force, -joint.damping, coordinates_[j].front() + "'");
      lines += fmt::format("{} = {}\n", toml_key(coordinates_[j].front()), toml_string(force));
    }
    if (!lines.empty()) text += "\n[forces]\n" + lines;
  }

  void add_initial(std::string& text) const {
    std::string lines;
    for (const std::size_t j : robot_.order) {
      const Joint& joint = robot_.joints[j];
      const std::vector<std::string>& q = coordinates_[j];
      if (joint.type == JointType::floating) lines += fmt::format("{} = 1\n", toml_key(q[3]));
      if (!joint.mimic) continue;
      lines += fmt::format("{} = {}\n", toml_key(q[0]), toml_string(mimicked(*joint.mimic, "")));
      lines += fmt::format("{} = {}\n", toml_string(q[0] + "'"),
                           toml_string(mimicked(*joint.mimic, "'")));
    }
    if (!lines.empty()) text += "\n[initial]\n" + lines;
  }

  const Robot& robot_;
  std::vector<std::string>& notes_;
  NameBook names_{{"g"}};
  std::vector<std::vector<std::string>> coordinates_;  ///< of each joint
  std::vector<std::string> link_names_;
  std::vector<std::string> limited_;
};

}  // namespace

std::string model_file(const Robot& robot, std::vector<std::string>& notes) {
  return Writer(robot, notes).write();
}

}  // namespace dalembert::exchange
