#pragma once
/// A joint of each kind, for tests that go over all of them.

#include <vector>

#include "bodies_by_hand.hpp"

namespace dalembert::model::by_hand {

/// A joint of some kind, its points and directions skew on purpose.
inline JointSpec skew(JointKind kind) {
  JointSpec spec;
  spec.name = "j";
  spec.kind = kind;
  spec.points = {Vector{0.5, -0.25, 1}, Vector{0.125, 0.5, -0.75}};
  switch (kind) {
    case JointKind::hinge:
      spec.axes = {Vector{1, 2, -2}, Vector{0, 3, 4}};
      spec.references = {Vector{1, 0, 0.5}, Vector{0.25, 1, 0}};
      break;
    case JointKind::universal:
      spec.axes = {Vector{1, 2, -1}, Vector{0, 3, 4}};
      break;
    case JointKind::slider:
      spec.axes = {Vector{1, 1, -1}, Vector{1, 1, -1}};
      break;
    case JointKind::weld:
      spec.frames = {rotation(0, Expr(0.3)), rotation(1, expr::parameter("p"))};
      break;
    case JointKind::point_on_line:
      spec.axes[0] = Vector{1, 2, 3};
      break;
    case JointKind::point_on_plane:
      spec.normal = Vector{1, 2, 3};
      break;
    case JointKind::knife_edge:
      spec.normal = Vector{1, 2, 3};
      spec.axes[1] = Vector{3, 1, -1};
      break;
    case JointKind::distance:
      spec.length = Located{expr::parameter("L"), {}};
      break;
    case JointKind::rolls:
      spec.normal = Vector{1, 2, 3};
      spec.shape = Shape::ellipsoid;
      spec.semi_axes = Vector{0.5, 0.75, 1.25};
      break;
    case JointKind::ball:
      break;
  }
  return spec;
}

/// All kinds, those with motions and shapes among them.
inline std::vector<JointSpec> all_kinds() {
  std::vector<JointSpec> all;
  for (const JointKind kind :
       {JointKind::ball, JointKind::hinge, JointKind::slider, JointKind::universal, JointKind::weld,
        JointKind::distance, JointKind::point_on_line, JointKind::point_on_plane, JointKind::rolls,
        JointKind::knife_edge})
    all.push_back(skew(kind));
  const Expr t = expr::time();
  all.push_back(skew(JointKind::hinge));
  all.back().motion = Located{sin(2 * t) + expr::parameter("p"), {}};
  all.push_back(skew(JointKind::slider));
  all.back().motion = Located{sin(2 * t), {}};
  all.push_back(skew(JointKind::slider));
  all.back().axes = {Vector{1, 1, -1}, Vector{0, 1, -1}};
  all.push_back(skew(JointKind::slider));
  all.back().frames = {rotation(0, t), rotation(1, Expr(0.5))};
  all.push_back(skew(JointKind::distance));
  all.back().length.reset();
  all.back().motion = Located{2 + sin(t), {}};
  all.push_back(skew(JointKind::ball));
  all.back().points[0] = Vector{t, 0, 1};
  for (const Shape shape : {Shape::sphere, Shape::disk}) {
    all.push_back(skew(JointKind::rolls));
    all.back().shape = shape;
    all.back().semi_axes.reset();
    all.back().radius = Located{Expr(0.75), {}};
    if (shape == Shape::disk) all.back().axes[1] = Vector{1, 0, 2};
  }
  return all;
}

}  // namespace dalembert::model::by_hand
