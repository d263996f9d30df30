#include "dalembert/model/spring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/joint_geometry.hpp"

namespace dalembert::model {

namespace {

class Spring {
 public:
  Spring(Model& model, const SpringSpec& spec) : model_(model), spec_(spec) {}

  std::vector<Diagnostic> run() {
    if (!spec_.stiffness && !spec_.damping) complain(spec_.where, "it needs a stiffness");
    check_contents();
    if (spec_.joint) {
      along_joint();
    } else {
      between_points();
    }
    return std::move(found_);
  }

 private:
  void complain(Location where, std::string_view message) {
    found_.push_back({fmt::format("spring {}: {}", in_quotes(spec_.name), message),
                      where.line > 0 ? where : spec_.where});
  }

  void check_content(const Expr& e, Location where) {
    for (const Expr& s : expr::symbols(std::span(&e, 1))) {
      if (const auto reason = objection(s.symbol(), places::spring)) {
        complain(where, *reason);
        return;
      }
    }
  }

  void check_contents() {
    for (const auto* value : {&spec_.stiffness, &spec_.damping, &spec_.rest}) {
      if (*value) check_content((*value)->expr, (*value)->where);
    }
    for (const LocatedVector& point : spec_.points) {
      const std::size_t before = found_.size();
      for (std::size_t i = 0; i < 3 && found_.size() == before; ++i)
        check_content(point.vector[i], point.where);
    }
  }

  void along_joint() {
    const auto joint = std::find_if(model_.joints.begin(), model_.joints.end(),
                                    [&](const Joint& j) { return j.name == *spec_.joint; });
    if (joint == model_.joints.end()) {
      std::vector<std::string> names;
      for (const Joint& j : model_.joints) names.push_back(j.name);
      complain(spec_.joint_where, fmt::format("unknown joint {}{}", in_quotes(*spec_.joint),
                                              expr::did_you_mean(*spec_.joint, names)));
      return;
    }
    if (joint->position.empty()) {
      complain(spec_.joint_where, fmt::format("joint {} is not a hinge or slider: it has no angle "
                                              "or displacement that a spring could act along",
                                              in_quotes(*spec_.joint)));
      return;
    }
    const Expr stretch = joint->position.front() - rest();
    if (!add(pow(stretch, 2), pow(joint->rate.front(), 2))) return;
    const Vector pull = -(strength(stretch, joint->rate.front()) * *joint->axis);
    for (std::size_t side = 0; side < 2; ++side) {
      const auto body = std::find_if(model_.bodies.begin(), model_.bodies.end(),
                                     [&](const Body& b) { return b.name == joint->bodies[side]; });
      if (body == model_.bodies.end()) continue;
      const Vector acting = side == 1 ? pull : -pull;
      const bool turns = joint->kind == JointKind::hinge;
      model_.loads.push_back({static_cast<std::size_t>(body - model_.bodies.begin()), joint->point,
                              turns ? Vector{} : acting, turns ? acting : Vector{}});
    }
  }

  void between_points() {
    if (spec_.bodies[0] == spec_.bodies[1]) {
      complain(spec_.bodies_where[1], "both of its ends are on the same body");
      return;
    }
    std::array<Vector, 2> ends;
    for (std::size_t i = 0; i < 2; ++i) {
      const Side side = side_of(model_, spec_.bodies[i]);
      ends[i] = side.point(spec_.points[i].vector);
      if (side.is_particle && !spec_.points[i].vector.is_zero())
        complain(spec_.points[i].where,
                 fmt::format("{} is a particle and has no orientation: its only point is itself",
                             in_quotes(side.name)));
    }
    if (const auto length = constant_value(rest()); length && !(*length >= 0))
      complain(spec_.rest->where, "its length must not be negative");
    if (!found_.empty()) return;
    const Vector d = ends[1] - ends[0];
    const Expr square = dot(d, d);
    // d|d|/dt = d.d' / |d|
    const Expr rate = dot(d, time_derivative(d));
    if (!add(rest().is_zero() ? square : pow(sqrt(square) - rest(), 2), pow(rate, 2) / square))
      return;
    // k (|d| - s0) d/|d| + c d|d|/dt d/|d|, without a root where none is needed.
    const Expr slack = rest().is_zero() ? Expr(1) : 1 - rest() / sqrt(square);
    const Vector pull = strength(slack, rate / square) * d;
    for (std::size_t side = 0; side < 2; ++side) {
      if (spec_.bodies[side])
        model_.loads.push_back(
            {*spec_.bodies[side], ends[side], side == 0 ? pull : -pull, Vector{}});
    }
  }

  Expr rest() const { return spec_.rest ? spec_.rest->expr : Expr(0); }

  /// k stretch + c rate
  Expr strength(const Expr& stretch, const Expr& rate) const {
    return (spec_.stiffness ? spec_.stiffness->expr * stretch : Expr(0)) +
           (spec_.damping ? spec_.damping->expr * rate : Expr(0));
  }

  bool add(const Expr& stretch_square, const Expr& rate_square) {
    if (!found_.empty()) return false;
    const auto add_to = [](std::optional<Located>& energy, const std::optional<Located>& factor,
                           const Expr& square) {
      if (!factor) return;
      const Expr part = factor->expr * square / 2;
      energy = energy ? Located{energy->expr + part, energy->where} : Located{part, factor->where};
    };
    add_to(model_.potential, spec_.stiffness, stretch_square);
    add_to(model_.dissipation, spec_.damping, rate_square);
    return true;
  }

  Model& model_;
  const SpringSpec& spec_;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> add_spring(Model& model, const SpringSpec& spec) {
  return Spring(model, spec).run();
}

}  // namespace dalembert::model
