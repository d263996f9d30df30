#pragma once
/// A plane mechanism as the multibody peers are told of it: rigid links in a tree of hinges about
/// z, gravity along -y, and points that closures hold together. Angles are those of the links in
/// the plane, from the x axis; the joint angles of the peers are their differences.

#include <vector>

#include "../worker.hpp"

namespace dalembert::bench {

struct Point {
  double x, y;
};

struct Link {
  int parent;  ///< -1: the ground
  Point at;    ///< the hinge, in the parent's frame; in its own frame it is the origin
  double mass;
  double centre;   ///< of mass, on the link's x axis
  double inertia;  ///< about the centre, about z
  double angle, rate;
};

/// Two points that coincide, each in the frame of its link.
struct Closure {
  int first, second;  ///< links; -1: the ground
  Point on_first, on_second;
};

struct Mechanism {
  double g;
  std::vector<Link> links;
  std::vector<Closure> closures;

  double joint_angle(std::size_t i) const {
    const Link& l = links[i];
    return l.angle - (l.parent < 0 ? 0 : links[static_cast<std::size_t>(l.parent)].angle);
  }
  double joint_rate(std::size_t i) const {
    const Link& l = links[i];
    return l.rate - (l.parent < 0 ? 0 : links[static_cast<std::size_t>(l.parent)].rate);
  }
};

/// Accelerations of the links' angles from those of the joints; parents come before children.
template <typename JointAcceleration>
std::vector<double> link_accelerations(const Mechanism& mechanism, const JointAcceleration& of) {
  std::vector<double> result(mechanism.links.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const int parent = mechanism.links[i].parent;
    result[i] = of(i) + (parent < 0 ? 0 : result[static_cast<std::size_t>(parent)]);
  }
  return result;
}

inline Mechanism read_mechanism(const Json& request) {
  const auto point = [](const Json& p) {
    return Point{p.at(0).get<double>(), p.at(1).get<double>()};
  };
  Mechanism result;
  result.g = request.at("g");
  for (const Json& l : request.at("links")) {
    result.links.push_back({l.at("parent"), point(l.at("at")), l.at("mass"), l.at("centre"),
                            l.at("inertia"), l.at("angle"), l.at("rate")});
  }
  for (const Json& c : request.at("closures")) {
    result.closures.push_back(
        {c.at("first"), c.at("second"), point(c.at("on_first")), point(c.at("on_second"))});
  }
  return result;
}

}  // namespace dalembert::bench
