#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/exchange/robot.hpp"

namespace dalembert::exchange {

namespace {

using model::Diagnostic;

/// How much of the largest moment may be missing by rounding in the file, and how much of it makes
/// the moments those of no body.
constexpr double rounding = 1e-9;
constexpr double impossible = 1e-3;  // as model::check_bodies

bool has_inertia(const Link& link) {
  if (!link.inertial) return false;
  if (link.inertial->mass > 0) return true;
  return std::any_of(link.inertial->inertia.begin(), link.inertial->inertia.end(),
                     [](const Vec3& row) { return norm(row) > 0; });
}

/// Principal moments are those of a body if I1 + I2 >= I3 >= I2 >= I1 >= 0: each is the sum of two
/// of the integrals of x^2, y^2 and z^2 over the mass.
void check_inertial(const Link& link, std::vector<Diagnostic>& wrong,
                    std::vector<std::string>& notes) {
  const Inertial& inertial = *link.inertial;
  if (inertial.mass < 0) {
    wrong.push_back({fmt::format("the mass of link '{}' is negative: {}", link.name, inertial.mass),
                     inertial.mass_where});
  }
  const Vec3 I = principal_values(inertial.inertia);
  const double largest = std::max(std::abs(I[0]), std::abs(I[2]));
  if (I[0] < -rounding * largest) {
    wrong.push_back({fmt::format("the moments of inertia of link '{}' are not positive: about its "
                                 "principal axes they are {:.6g}, {:.6g} and {:.6g}",
                                 link.name, I[0], I[1], I[2]),
                     inertial.inertia_where});
    return;
  }
  const double missing = I[2] - I[0] - I[1];
  const std::string sentence = fmt::format(
      "about its principal axes they are {:.6g}, {:.6g} and {:.6g}, and the largest exceeds the "
      "sum "
      "of the others by {:.3g}",
      I[0], I[1], I[2], missing);
  if (missing > impossible * (I[0] + I[1])) {
    wrong.push_back({fmt::format("the moments of inertia of link '{}' are those of no body: {}",
                                 link.name, sentence),
                     inertial.inertia_where});
  } else if (missing > rounding * largest) {
    notes.push_back(fmt::format(
        "the moments of inertia of link '{}' are not quite those of a body, taken as they are: {}",
        link.name, sentence));
  }
  if (inertial.mass == 0 && has_inertia(link)) {
    wrong.push_back({fmt::format("link '{}' has moments of inertia but no mass", link.name),
                     inertial.mass_where});
  }
}

}  // namespace

std::vector<Diagnostic> check_robot(const Robot& robot, std::vector<std::string>& notes) {
  std::vector<Diagnostic> wrong;
  for (const Link& link : robot.links) {
    if (link.inertial) check_inertial(link, wrong, notes);
  }
  // Links without inertia count as carried by the joints before them: outermost first.
  std::vector<bool> carries(robot.links.size());
  for (std::size_t i = 0; i < robot.links.size(); ++i) carries[i] = has_inertia(robot.links[i]);
  for (auto it = robot.order.rbegin(); it != robot.order.rend(); ++it) {
    const Joint& joint = robot.joints[*it];
    if (carries[joint.child]) {
      carries[joint.parent] = true;
    } else if (moves(joint) && !joint.mimic) {
      const std::string& child = robot.links[joint.child].name;
      const bool leaf = std::none_of(robot.joints.begin(), robot.joints.end(),
                                     [&](const Joint& j) { return j.parent == joint.child; });
      wrong.push_back(
          {fmt::format(
               "joint '{}' moves nothing that has inertia: link '{}' has no <inertial> with "
               "a mass{}, so no force could say how it moves",
               joint.name, child, leaf ? "" : ", nor has any link beyond it"),
           joint.where});
    }
  }
  if (std::none_of(robot.joints.begin(), robot.joints.end(), moves))
    wrong.push_back({"the robot has no joint that moves", robot.links[robot.root].where});
  return wrong;
}

std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t most = 6;
  const std::size_t shown = names.size() > most + 1 ? most : names.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += fmt::format("{}'{}'", i == 0 ? "" : last ? " and " : ", ", names[i]);
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace dalembert::exchange
