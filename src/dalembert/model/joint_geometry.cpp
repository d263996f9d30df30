#include "dalembert/model/joint_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/model/vanishing.hpp"

namespace dalembert::model {

using expr::Symbol;
using expr::SymbolKind;

namespace {

Vector coordinate_direction(std::size_t k) {
  Vector result;
  result[k] = 1;
  return result;
}

}  // namespace

Vector Side::velocity_at(const Vector& arm) const {
  return time_derivative(origin) + cross(spin, arm);
}

Side side_of(const Model& model, std::optional<std::size_t> body) {
  if (!body) return {};
  const Body& b = model.bodies[*body];
  Side side;
  side.name = b.name;
  side.is_particle = b.kind == BodyKind::particle;
  side.is_ground = false;
  side.origin = b.origin;
  side.rotation = b.rotation;
  side.spin = b.rotation * b.spin;
  return side;
}

double Numbers::operator()(const Expr& e, double t) {
  if (e.is(expr::Op::constant)) return expr::evaluate(e, [](const Symbol&) { return 1.0; });
  if (!values_) {
    const auto found = parameter_values(model_);
    values_ = found ? *found : std::vector<double>(model_.parameters.size(), 1.0);
  }
  return expr::evaluate(e, [&](const Symbol& s) {
    if (s.kind == SymbolKind::time) return t;
    const auto found = std::find_if(
        model_.parameters.begin(), model_.parameters.end(),
        [&](const Named& p) { return s.kind == SymbolKind::parameter && p.name == s.name; });
    return found == model_.parameters.end()
               ? 1.0
               : (*values_)[static_cast<std::size_t>(found - model_.parameters.begin())];
  });
}

Vector unit(const Vector& v, Numbers& numbers) {
  const Expr square = dot(v, v);
  if (square.is_one()) return v;
  if (std::abs(numbers(square) - 1) < 1e-9 && is_identically_zero(square - 1)) return v;
  return v / sqrt(square);
}

namespace {

/// The coordinate direction that is farthest from an axis, in cyclic order: y for x, z for y, x for
/// z; the one after that where the axis leans toward it.
std::size_t farthest(const std::array<double, 3>& size) {
  const auto largest =
      static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
  const std::size_t next = (largest + 1) % 3, other = (largest + 2) % 3;
  return size[other] < size[next] ? other : next;
}

/// A unit vector perpendicular to a that goes with it as time turns it: that into which the turn
/// about c x a that takes c to a takes b, where c and b are coordinate directions. It is not
/// defined where a = -c, so that c is the direction, of six, whose opposite a keeps farthest from.
Vector carried_along(const Vector& a, Numbers& numbers) {
  constexpr int instants = 400;  // closer at first, until t = 840
  std::size_t k = 0;
  int sign = 1;
  double most = -1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = 1, high = -1;
    for (int i = 0; i <= instants; ++i) {
      const double along = numbers(a[axis], 0.1 * i + 0.005 * i * i);
      low = std::min(low, along);
      high = std::max(high, along);
    }
    if (1 + low > most) std::tie(k, sign, most) = std::tuple(axis, 1, 1 + low);
    if (1 - high > most) std::tie(k, sign, most) = std::tuple(axis, -1, 1 - high);
  }
  const std::size_t beside = (k + 1) % 3;
  Vector c, b;
  c[k] = sign;
  b[beside] = 1;
  return b - a[beside] / (1 + sign * a[k]) * (a + c);
}

/// A direction that is not along the unit vector a, whatever its parameters and the time; where
/// time turns a, one that goes with it. Of an axis of numbers the one that is farthest.
Vector aside(const Vector& a, Numbers& numbers) {
  std::array<double, 3> size{};
  for (std::size_t k = 0; k < 3; ++k) size[k] = std::abs(numbers(a[k]));
  const auto is_number = [](const Expr& e) { return expr::symbols(std::span(&e, 1)).empty(); };
  if (is_number(a.x) && is_number(a.y) && is_number(a.z))
    return coordinate_direction(farthest(size));
  // In a plane of two coordinates the third is perpendicular, and along a coordinate both others.
  std::array<bool, 3> none{};
  for (std::size_t k = 0; k < 3; ++k) none[k] = is_identically_zero(a[k]);
  if (none[0] || none[1] || none[2]) {
    const std::size_t first = farthest(size);
    for (const std::size_t k : {first, (first + 1) % 3, (first + 2) % 3}) {
      if (none[k]) return coordinate_direction(k);
    }
  }
  if (!time_derivative(a).is_zero()) return carried_along(a, numbers);
  // Parameters: z, or x where the axis is within some 45 degrees of z. At the limit itself, which
  // is no number that anybody writes, they are half of each.
  const Expr lies = (1 + sign(Expr(expr::Rational(50'021, 100'000)) - pow(a.z, 2))) / 2;
  return {1 - lies, 0, lies};
}

}  // namespace

Triad triad(const Vector& axis, const Vector* reference, Numbers& numbers) {
  Triad result;
  result.a = unit(axis, numbers);
  const Vector toward = reference != nullptr ? *reference : aside(result.a, numbers);
  result.e1 = unit(toward - dot(toward, result.a) * result.a, numbers);
  result.e2 = cross(result.a, result.e1);
  return result;
}

bool vanishes(const Vector& v, Numbers& numbers) {
  const double length = std::sqrt(numbers(dot(v, v)));
  return !(length > 1e-12 && std::isfinite(length));
}

std::optional<double> constant_value(const Expr& e) {
  if (!expr::symbols(std::span(&e, 1)).empty()) return std::nullopt;
  return expr::evaluate(e, [](const Symbol&) { return std::nan(""); });
}

std::vector<std::pair<std::size_t, Expr>> generalized_force(const Model& model, const Vector& v,
                                                            const Vector& f, const Vector& w,
                                                            const Vector& m) {
  // The power of a force held constant: force and moment depend on velocities themselves, so they
  // are put in after the derivatives by velocities have been taken.
  expr::ExprMap held;
  std::vector<Expr> power;
  const auto add = [&](const Vector& force, const Vector& rate, const char* name) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (force[i].is_zero()) continue;
      const Expr stand_in = expr::auxiliary(name + std::to_string(i));
      held.emplace(stand_in, force[i]);
      power.push_back(stand_in * rate[i]);
    }
  };
  add(f, v, "force ");
  add(m, w, "moment ");
  const Expr total = expr::sum(power);
  std::vector<Expr> velocities = expr::symbols(std::span(&total, 1));
  std::erase_if(velocities, [](const Expr& s) {
    return s.symbol().kind != SymbolKind::coordinate || s.symbol().order != 1;
  });
  // An index of all coordinates pays only for many velocities.
  constexpr std::size_t few = 16;
  const std::vector<std::string>& coordinates = model.coordinates;
  std::unordered_map<std::string_view, std::size_t> number;
  for (std::size_t k = 0; k < coordinates.size() && velocities.size() > few; ++k)
    number.emplace(coordinates[k], k);
  const auto number_of = [&](const std::string& name) {
    if (velocities.size() <= few)
      return static_cast<std::size_t>(std::find(coordinates.begin(), coordinates.end(), name) -
                                      coordinates.begin());
    const auto found = number.find(name);
    return found == number.end() ? coordinates.size() : found->second;
  };
  const std::vector<Expr> along = expr::substitute(expr::gradient(total, velocities), held);
  std::vector<std::pair<std::size_t, Expr>> result;
  for (std::size_t i = 0; i < along.size(); ++i) {
    const std::size_t k = number_of(velocities[i].symbol().name);
    if (k < coordinates.size() && !along[i].is_zero()) result.emplace_back(k, along[i]);
  }
  std::sort(result.begin(), result.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  return result;
}

}  // namespace dalembert::model
