// The tree of a robot: links as nodes, joints as edges from a parent to a child.
#include <fmt/format.h>

#include <algorithm>

#include "dalembert/exchange/robot.hpp"

namespace dalembert::exchange {

namespace {

constexpr std::size_t none = ~std::size_t{0};

/// The links met upwards from one that no root carries: the way comes back to itself.
std::vector<std::size_t> circle_above(const Robot& robot, const std::vector<std::size_t>& above,
                                      std::size_t link) {
  const auto parent = [&](std::size_t of) { return robot.joints[above[of]].parent; };
  for (std::size_t i = 0; i < robot.links.size(); ++i) link = parent(link);
  std::vector<std::size_t> circle = {link};
  for (std::size_t next = parent(link); next != link; next = parent(next)) circle.push_back(next);
  return circle;
}

}  // namespace

void connect(Robot& robot, model::Complaints& complaints) {
  std::vector<std::size_t> above(robot.links.size(), none);  // the joint that carries a link
  std::vector<std::vector<std::size_t>> below(robot.links.size());
  bool tree = true;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    if (above[joint.child] == none) {
      above[joint.child] = j;
      below[joint.parent].push_back(j);
      continue;
    }
    tree = false;
    complaints.add(joint.where,
                   fmt::format("link '{}' is the child of joints '{}' and '{}': a robot is a tree "
                               "of links, closed loops have no place in URDF",
                               robot.links[joint.child].name, robot.joints[above[joint.child]].name,
                               joint.name));
  }
  std::vector<std::string> roots;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (above[i] != none) continue;
    roots.push_back(robot.links[i].name);
    open.push_back(i);
  }
  if (roots.size() > 1) {
    complaints.add(
        robot.links[open[1]].where,
        fmt::format("links {} are no joint's child: a robot has one root", quoted(roots)));
    tree = false;
  }
  if (!tree) return;
  if (!open.empty()) robot.root = open.front();
  std::vector<bool> reached(robot.links.size());
  while (!open.empty()) {
    const std::size_t link = open.back();
    open.pop_back();
    reached[link] = true;
    if (link != robot.root) robot.order.push_back(above[link]);
    for (auto j = below[link].rbegin(); j != below[link].rend(); ++j)
      open.push_back(robot.joints[*j].child);
  }
  const auto lost = std::find(reached.begin(), reached.end(), false);
  if (lost == reached.end()) return;
  const auto circle = circle_above(robot, above, static_cast<std::size_t>(lost - reached.begin()));
  std::vector<std::string> names;
  for (const std::size_t link : circle) names.push_back(robot.links[link].name);
  complaints.add(robot.joints[above[circle.front()]].where,
                 names.size() == 1
                     ? fmt::format("link '{}' is its own parent", names.front())
                     : fmt::format("links {} carry each other in a circle", quoted(names)));
}

}  // namespace dalembert::exchange
