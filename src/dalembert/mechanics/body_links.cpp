#include "dalembert/mechanics/body_links.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::mechanics {

using expr::Expr;
using expr::Symbol;
using expr::SymbolKind;
using model::BodyKind;

namespace {

constexpr double negligible = 1e-9;      // of lengths and directions, which are of order one
constexpr double independent = 1e-7;     // what is left of a vector, of its length
constexpr std::size_t wanted_draws = 2;  // at which the structure must be the same
constexpr unsigned most_tries = 12;

double inner(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector3 minus(const Vector3& a, const Vector3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double size(const Vector3& a) {
  return std::sqrt(inner(a, a));
}

/// Expressions that are evaluated together, again and again.
class Sampler {
 public:
  explicit Sampler(const std::vector<Expr>& roots) : nodes_(expr::postorder(roots)) {
    std::unordered_map<const expr::Node*, std::size_t> place;
    for (const Expr& e : nodes_) {
      std::vector<std::size_t>& args = args_.emplace_back();
      for (const Expr& arg : e.args()) args.push_back(place.at(arg.node()));
      place.emplace(e.node(), place.size());
    }
    for (const Expr& root : roots) roots_.push_back(place.at(root.node()));
    values_.resize(nodes_.size());
  }

  std::vector<double> operator()(const expr::Values& values) {
    std::vector<double> operands, result;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      operands.clear();
      for (const std::size_t arg : args_[i]) operands.push_back(values_[arg]);
      values_[i] = nodes_[i].is(expr::Op::symbol) ? values(nodes_[i].symbol())
                                                  : expr::evaluate_operation(nodes_[i], operands);
    }
    for (const std::size_t root : roots_) result.push_back(values_[root]);
    return result;
  }

 private:
  std::vector<Expr> nodes_;
  std::vector<std::vector<std::size_t>> args_;
  std::vector<std::size_t> roots_;
  std::vector<double> values_;
};

/// Between 1/4 and 5/4, and of nobody's choice.
double arbitrary(const Symbol& symbol, unsigned draw) {
  std::uint64_t h = expr::symbol(symbol).hash() + std::uint64_t{77} * draw;
  h = (h ^ (h >> 29U)) * 0xbf58476d1ce4e5b9U;
  return 0.25 + static_cast<double>(h >> 40U) / static_cast<double>(1U << 24U);
}

/// A space spanned by vectors, as an orthonormal basis.
class Span {
 public:
  std::size_t dimension() const { return basis_.size(); }
  const std::vector<double>& last() const { return basis_.back(); }

  /// Whether the vector is new to it; it is added then.
  bool add(std::vector<double> v) {
    const double before = length(v);
    if (!(before > negligible)) return false;
    // Twice, so that what is left is perpendicular to rounding.
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& e : basis_) {
        double along = 0;
        for (std::size_t i = 0; i < v.size(); ++i) along += e[i] * v[i];
        for (std::size_t i = 0; i < v.size(); ++i) v[i] -= along * e[i];
      }
    }
    const double after = length(v);
    if (!(after > independent * before)) return false;
    for (double& x : v) x /= after;
    basis_.push_back(std::move(v));
    return true;
  }

 private:
  static double length(const std::vector<double>& v) {
    double square = 0;
    for (const double x : v) square += x * x;
    return std::sqrt(square);
  }

  std::vector<std::vector<double>> basis_;
};

void append(std::vector<Expr>& roots, const model::Vector& v) {
  roots.insert(roots.end(), {v.x, v.y, v.z});
}

Vector3 take(const std::vector<double>& values, std::size_t& next) {
  const Vector3 v = {values[next], values[next + 1], values[next + 2]};
  next += 3;
  return v;
}

}  // namespace

BodyLinks::BodyLinks(const model::Model& model) : model_(model) {
  std::unordered_map<std::string, std::size_t> number;
  for (std::size_t k = 0; k < model.bodies.size(); ++k) number.emplace(model.bodies[k].name, k + 1);
  for (const model::Joint& joint : model.joints) {
    std::array<std::size_t, 2>& nodes = nodes_.emplace_back();
    for (std::size_t side = 0; side < 2; ++side) {
      const auto found = number.find(joint.bodies[side]);
      nodes[side] = found == number.end() ? 0 : found->second;
    }
  }
  draw_states();
  for (Draw& d : draws_) {
    std::vector<Link> found;
    for (auto& [link, wrenches] : find_links(d)) {
      found.push_back(link);
      d.supplied.push_back(std::move(wrenches));
    }
    if (&d != &draws_.front() && found == links_) continue;
    // Where the states differ, nothing may be taken for granted.
    if (&d != &draws_.front()) {
      links_.insert(links_.end(), found.begin(), found.end());
      for (Link& link : links_) link.kind = Link::Kind::full;
    } else {
      links_ = std::move(found);
    }
  }
}

void BodyLinks::draw_states() {
  std::vector<Expr> roots;
  for (const model::Body& body : model_.bodies) {
    append(roots, body.center_of_mass);
    append(roots, body.velocity);
    append(roots, body.rotation * body.spin);
  }
  for (const model::Joint& joint : model_.joints) {
    append(roots, joint.point);
    append(roots, joint.axis.value_or(model::Vector{}));
    roots.push_back(joint.rate.empty() ? Expr(0) : joint.rate.front());
    for (const model::KeptRow& row : joint.kept) {
      append(roots, row.force);
      append(roots, row.moment);
    }
  }
  Sampler sampler(roots);
  const std::size_t n = model_.coordinates.size();
  const auto parameters = model::parameter_values(model_);
  std::unordered_map<std::string, double> given;
  for (std::size_t i = 0; parameters && i < model_.parameters.size(); ++i)
    given.emplace(model_.parameters[i].name, (*parameters)[i]);
  for (unsigned draw = 1; draw <= most_tries && draws_.size() < wanted_draws; ++draw) {
    // Quaternions of unit length, and parameters as they are where arbitrary ones will not do.
    std::unordered_map<std::string, double> places;
    for (const auto& quaternion : model_.quaternions) {
      double square = 0;
      for (const std::size_t i : quaternion)
        square += std::pow(arbitrary(expr::coordinate(model_.coordinates[i]).symbol(), draw), 2);
      for (const std::size_t i : quaternion)
        places[model_.coordinates[i]] =
            arbitrary(expr::coordinate(model_.coordinates[i]).symbol(), draw) / std::sqrt(square);
    }
    const auto values_with = [&](const std::string* moving) -> expr::Values {
      return [&, moving](const Symbol& s) {
        if (s.kind == SymbolKind::coordinate && s.order == 1)
          return moving != nullptr && s.name == *moving ? 1.0 : 0.0;
        if (s.kind == SymbolKind::coordinate) {
          const auto found = places.find(s.name);
          if (found != places.end()) return found->second;
        }
        if (s.kind == SymbolKind::parameter && draw > most_tries / 2) {
          const auto found = given.find(s.name);
          if (found != given.end()) return found->second;
        }
        return arbitrary(s, draw);
      };
    };
    const std::vector<double> at_rest = sampler(values_with(nullptr));
    if (!std::ranges::all_of(at_rest, [](double x) { return std::isfinite(x); })) continue;
    Draw d;
    std::vector<std::vector<double>> moving;
    for (std::size_t k = 0; k < n; ++k) {
      moving.push_back(sampler(values_with(&model_.coordinates[k])));
      for (std::size_t i = 0; i < at_rest.size(); ++i) moving[k][i] -= at_rest[i];
    }
    std::size_t next = 0;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      d.centres.push_back(take(at_rest, next));
      std::vector<std::array<Vector3, 2>>& twists = d.twists.emplace_back();
      for (std::size_t k = 0; k < n; ++k) {
        std::size_t place = next;
        const Vector3 v = take(moving[k], place);
        twists.push_back({v, take(moving[k], place)});
      }
      next += 6;
    }
    for (const model::Joint& joint : model_.joints) {
      d.points.push_back(take(at_rest, next));
      d.axes.push_back(take(at_rest, next));
      std::vector<double>& rates = d.rates.emplace_back();
      for (std::size_t k = 0; k < n; ++k) rates.push_back(moving[k][next]);
      ++next;
      auto& rows = d.rows.emplace_back();
      for (std::size_t r = 0; r < joint.kept.size(); ++r) {
        const Vector3 f = take(at_rest, next);
        rows.push_back({f, take(at_rest, next)});
      }
    }
    draws_.push_back(std::move(d));
  }
}

void BodyLinks::add_wrench(Wrench& w, const Draw& d, std::size_t node, const Vector3& at,
                           const Vector3& force, const Vector3& moment, double sign) const {
  if (node == 0) return;
  const std::size_t body = node - 1;
  const Vector3 turning = cross(minus(at, d.centres[body]), force);
  const bool turns = model_.bodies[body].kind != BodyKind::particle;
  for (std::size_t i = 0; i < 3; ++i) {
    w[6 * body + i] += sign * force[i];
    if (turns) w[6 * body + 3 + i] += sign * (moment[i] + turning[i]);
  }
}

std::vector<BodyLinks::Wrench> BodyLinks::workless(const Draw& d,
                                                   const std::vector<Wrench>& candidates) const {
  const std::size_t count = candidates.size();
  Span working;
  for (std::size_t k = 0; k < model_.coordinates.size(); ++k) {
    std::vector<double> work(count, 0.0);
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        for (std::size_t i = 0; i < 6; ++i)
          work[c] += candidates[c][6 * b + i] * d.twists[b][k][i / 3][i % 3];
      }
    }
    working.add(std::move(work));
  }
  // What completes the working combinations to all of them is perpendicular to these.
  std::vector<Wrench> result;
  for (std::size_t c = 0; c < count; ++c) {
    std::vector<double> unit(count, 0.0);
    unit[c] = 1;
    if (!working.add(std::move(unit))) continue;
    Wrench w(candidates[c].size(), 0.0);
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t i = 0; i < w.size(); ++i) w[i] += working.last()[j] * candidates[j][i];
    }
    result.push_back(std::move(w));
  }
  return result;
}

std::vector<std::pair<Link, std::vector<BodyLinks::Wrench>>> BodyLinks::find_links(
    const Draw& d) const {
  std::vector<std::pair<Link, std::vector<Wrench>>> result;
  const std::size_t count = model_.bodies.size();
  std::size_t dimensions = 0;
  for (const model::Body& body : model_.bodies)
    dimensions += body.kind == BodyKind::particle ? 3 : 6;
  Span known;
  for (std::size_t k = 0; k < model_.coordinates.size(); ++k) {
    std::vector<double> velocity;
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t i = 0; i < 6; ++i) velocity.push_back(d.twists[b][k][i / 3][i % 3]);
    }
    known.add(std::move(velocity));
  }
  for (std::size_t j = 0; j < nodes_.size(); ++j) {
    for (const auto& [force, moment] : d.rows[j]) {
      Wrench w(6 * count, 0.0);
      add_wrench(w, d, nodes_[j][1], d.points[j], force, moment, 1);
      add_wrench(w, d, nodes_[j][0], d.points[j], force, moment, -1);
      known.add(std::move(w));
    }
  }
  const auto try_link = [&](const Link& link) {
    if (known.dimension() == dimensions) return;
    std::vector<Wrench> candidates;
    const Vector3 at = d.centres[link.nodes[1] - 1];
    for (std::size_t i = 0; i < 6; ++i) {
      if ((link.kind == Link::Kind::couple && i < 3) || (link.kind == Link::Kind::force && i >= 3))
        continue;
      Vector3 force{}, moment{};
      (i < 3 ? force : moment)[i % 3] = 1;
      Wrench& w = candidates.emplace_back(6 * count, 0.0);
      add_wrench(w, d, link.nodes[1], at, force, moment, 1);
      add_wrench(w, d, link.nodes[0], at, force, moment, -1);
    }
    std::vector<Wrench> supplied;
    for (Wrench& w : workless(d, candidates)) {
      if (known.add(w)) supplied.push_back(std::move(w));
    }
    if (!supplied.empty()) result.emplace_back(link, std::move(supplied));
  };
  const auto are_joined = [&](std::size_t a, std::size_t b) {
    return std::ranges::any_of(nodes_, [&](const auto& nodes) {
      return (nodes[0] == a && nodes[1] == b) || (nodes[0] == b && nodes[1] == a);
    });
  };
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t parent = 0; parent < count; ++parent) {
      if (model_.bodies[b].frame == model_.bodies[parent].name && !are_joined(parent + 1, b + 1))
        try_link({{parent + 1, b + 1}, Link::Kind::full});
    }
  }
  for (const Link::Kind kind : {Link::Kind::couple, Link::Kind::force}) {
    for (std::size_t b = 0; b < count; ++b) {
      if (kind == Link::Kind::force || model_.bodies[b].kind != BodyKind::particle)
        try_link({{0, b + 1}, kind});
    }
  }
  if (known.dimension() == dimensions) return result;
  // Something is kept between bodies that nothing names: all that are concerned may be held by it.
  std::vector<bool> concerned(count, false);
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t i = 0; i < (model_.bodies[b].kind == BodyKind::particle ? 3U : 6U); ++i) {
      Wrench w(6 * count, 0.0);
      w[6 * b + i] = 1;
      Span probe = known;
      concerned[b] = probe.add(std::move(w)) || concerned[b];
    }
  }
  for (std::size_t b = 0; b < count; ++b) {
    if (concerned[b]) result.push_back({{{0, b + 1}, Link::Kind::full}, {}});
  }
  return result;
}

double BodyLinks::work(std::size_t draw, std::size_t joint, std::size_t row,
                       const Displacement& d) const {
  const Draw& drawn = draws_[draw];
  const auto& [force, moment] = drawn.rows[joint][row];
  const Vector3 along = cross(d.turn, minus(drawn.points[joint], d.pole));
  return inner(force, d.shift) + inner(force, along) + inner(moment, d.turn);
}

double BodyLinks::most_work(std::size_t draw, std::size_t link, const Displacement& d) const {
  if (links_[link].kind == Link::Kind::full) return 1;
  const Draw& drawn = draws_[draw];
  const std::size_t body = links_[link].nodes[1] - 1;
  const Vector3 along = cross(d.turn, minus(drawn.centres[body], d.pole));
  double most = 0;
  for (const Wrench& w : drawn.supplied[link]) {
    double work = 0;
    for (std::size_t i = 0; i < 3; ++i)
      work += w[6 * body + i] * (d.shift[i] + along[i]) + w[6 * body + 3 + i] * d.turn[i];
    most = std::max(most, std::abs(work));
  }
  return most;
}

std::vector<std::size_t> BodyLinks::moved_by(std::size_t coordinate) const {
  std::vector<std::size_t> result;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    if (std::ranges::any_of(draws_, [&](const Draw& d) {
          const auto& [v, w] = d.twists[b][coordinate];
          return size(v) > negligible || size(w) > negligible;
        }))
      result.push_back(b);
  }
  return result;
}

std::optional<BodyLinks::Motor> BodyLinks::motor_of(std::size_t coordinate) const {
  const std::vector<std::size_t> moved = moved_by(coordinate);
  for (std::size_t j = 0; j < nodes_.size(); ++j) {
    const model::Joint& joint = model_.joints[j];
    if (joint.position.empty() || !joint.axis) continue;
    const bool hinge = joint.kind == model::JointKind::hinge;
    const auto moves = [&](std::size_t node) {
      return node > 0 && std::ranges::find(moved, node - 1) != moved.end();
    };
    if (moves(nodes_[j][0]) == moves(nodes_[j][1])) continue;
    const bool alone = std::ranges::all_of(draws_, [&](const Draw& d) {
      for (std::size_t k = 0; k < d.rates[j].size(); ++k) {
        if (k != coordinate && std::abs(d.rates[j][k]) > negligible) return false;
      }
      return true;
    });
    if (!alone) continue;
    const double side = moves(nodes_[j][1]) ? 1 : -1;
    const double sign = draws_.front().rates[j][coordinate] > 0 ? 1 : -1;
    const bool fits = std::ranges::all_of(draws_, [&](const Draw& d) {
      if (std::abs(d.rates[j][coordinate] - sign) > negligible) return false;
      return std::ranges::all_of(moved, [&](std::size_t b) {
        Vector3 turn{}, shift = d.axes[j];
        if (hinge) {
          turn = d.axes[j];
          shift = cross(turn, minus(d.centres[b], d.points[j]));
        }
        for (std::size_t i = 0; i < 3; ++i) {
          turn[i] *= side * sign;
          shift[i] *= side * sign;
        }
        const auto& [v, w] = d.twists[b][coordinate];
        const bool particle = model_.bodies[b].kind == BodyKind::particle;
        return size(minus(v, shift)) < negligible * (1 + size(shift)) &&
               (particle || size(minus(w, turn)) < negligible);
      });
    });
    if (fits) return Motor{j, sign > 0 ? 1 : -1};
  }
  return std::nullopt;
}

bool BodyLinks::moves_apart(std::size_t coordinate, std::size_t body, bool turns) const {
  return std::ranges::all_of(draws_, [&](const Draw& d) {
    const auto& twists = d.twists[body];
    const std::size_t part = turns ? 1 : 0;
    if (size(twists[coordinate][1 - part]) > negligible) return false;
    if (size(twists[coordinate][part]) < negligible) return false;
    for (std::size_t k = 0; k < twists.size(); ++k) {
      if (k != coordinate &&
          std::abs(inner(twists[k][part], twists[coordinate][part])) > negligible)
        return false;
    }
    return true;
  });
}

std::optional<std::size_t> BodyLinks::turned_by(std::size_t coordinate) const {
  std::optional<std::size_t> result;
  for (const std::size_t b : moved_by(coordinate)) {
    if (std::ranges::all_of(
            draws_, [&](const Draw& d) { return size(d.twists[b][coordinate][1]) < negligible; }))
      continue;
    if (result) return std::nullopt;
    result = b;
  }
  if (!result) return std::nullopt;
  for (const Draw& d : draws_) {
    const auto& twists = d.twists[*result];
    for (std::size_t k = 0; k < twists.size(); ++k) {
      if (k != coordinate && std::abs(inner(twists[k][1], twists[coordinate][1])) > negligible)
        return std::nullopt;
    }
  }
  return result;
}

}  // namespace dalembert::mechanics
