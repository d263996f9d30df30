/// Chains and ladders of any size in absolute coordinates, the C++ twin of
/// benches/generate_models.py.
#pragma once

#include <dalembert/model/system.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace dalembert::motion {

/// Collects bodies (middle x, y and angle a) and the hinges between them.
class Linkage {
 public:
  using Point = std::pair<expr::Expr, expr::Expr>;

  Linkage(const std::string& name, double length, double mass)
      : system_(name),
        length_(system_.parameter("L", length)),
        mass_(system_.parameter("m", mass)),
        inertia_(system_.parameter("J", mass * length * length / 12)),
        gravity_(system_.parameter("g", 9.81)) {}

  int body(double x, double y, double a, double vx = 0, double vy = 0, double va = 0) {
    const std::string index = std::to_string(bodies_.size() + 1);
    const Body b{system_.coordinate("x" + index), system_.coordinate("y" + index),
                 system_.coordinate("a" + index)};
    kinetic_.push_back(mass_ * (pow(dot(b.x), 2) + pow(dot(b.y), 2)) / 2);
    kinetic_.push_back(inertia_ * pow(dot(b.a), 2) / 2);
    potential_.push_back(mass_ * gravity_ * b.y);
    system_.initial(b.x, x).initial(b.y, y).initial(b.a, a);
    system_.initial(dot(b.x), vx).initial(dot(b.y), vy).initial(dot(b.a), va);
    bodies_.push_back(b);
    return static_cast<int>(bodies_.size()) - 1;
  }
  /// `along` lengths from the middle.
  Point point(int index, double along) const {
    const Body& b = bodies_[static_cast<std::size_t>(index)];
    return {b.x + along * length_ * cos(b.a), b.y + along * length_ * sin(b.a)};
  }
  static Point fixed(double x, double y) { return {expr::Expr(x), expr::Expr(y)}; }
  void hinge(const std::string& name, const Point& left, const Point& right) {
    system_.constrain(name + " x", left.first == right.first);
    system_.constrain(name + " y", left.second == right.second);
  }
  model::System& system() { return system_; }
  expr::Expr angle(int index) const { return bodies_[static_cast<std::size_t>(index)].a; }
  model::Model model() {
    system_.kinetic(expr::sum(kinetic_)).potential(expr::sum(potential_));
    return system_.model();
  }

 private:
  struct Body {
    expr::Expr x, y, a;
  };
  model::System system_;
  expr::Expr length_, mass_, inertia_, gravity_;
  std::vector<Body> bodies_;
  std::vector<expr::Expr> kinetic_, potential_;
};

/// Hanging from the origin, angles from 0.3 to 1.3 rad below the horizontal; with `loop` the tip of
/// the last link is held too.
inline Linkage chain(int links, bool loop) {
  const double length = 0.125;
  Linkage result("chain", length, 0.25);
  double x = 0, y = 0;
  for (int i = 0; i < links; ++i) {
    const double a = -0.3 - (links > 1 ? i / (links - 1.0) : 0);
    const double dx = length * std::cos(a), dy = length * std::sin(a);
    const int body = result.body(x + dx / 2, y + dy / 2, a);
    result.hinge("hinge " + std::to_string(i + 1), result.point(body, -0.5),
                 i == 0 ? Linkage::fixed(0, 0) : result.point(body - 1, 0.5));
    x += dx;
    y += dy;
  }
  if (loop) result.hinge("pin", result.point(links - 1, 0.5), Linkage::fixed(x, y));
  result.system().adjust(model::Adjust::nearest);
  return result;
}

/// Rungs on hinges, neighbouring tips joined by couplers; with `redundant` the middles too: n = 9 N
/// + 3, m = 10 N + 2, rank 9 N + 2.
inline Linkage ladder(int loops, bool redundant) {
  Linkage result("ladder", 1, 1);
  const double a = 1.2, rate = 0.5, c = std::cos(a), s = std::sin(a);
  std::vector<int> rungs;
  for (int i = 0; i <= loops; ++i) {
    rungs.push_back(result.body(i + c / 2, s / 2, a, -s / 2 * rate, c / 2 * rate, rate));
    result.hinge("foot " + std::to_string(i + 1), result.point(rungs.back(), -0.5),
                 Linkage::fixed(i, 0));
  }
  for (int i = 0; i < loops; ++i) {
    for (const double along : {0.5, 0.0}) {
      if (along == 0 && !redundant) continue;
      const double reach = 0.5 + along;
      const int bar =
          result.body(i + reach * c + 0.5, reach * s, 0, -reach * s * rate, reach * c * rate, 0);
      const std::string name = std::to_string(bar + 1);
      const auto at = static_cast<std::size_t>(i);
      result.hinge("left " + name, result.point(bar, -0.5), result.point(rungs[at], along));
      result.hinge("right " + name, result.point(bar, 0.5), result.point(rungs[at + 1], along));
    }
  }
  result.system().adjust(model::Adjust::nearest);
  return result;
}

}  // namespace dalembert::motion
