#include "dalembert/model/joint_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::model {

using expr::Symbol;
using expr::SymbolKind;

namespace {

/// Numbers that no relation between symbols would know of, in units of 1/65536: between 1/4 and
/// 5/4.
int arbitrary(const Symbol& symbol, unsigned draw) {
  std::uint64_t h = expr::symbol(symbol).hash() + draw;
  h = (h ^ (h >> 31U)) * 0x9e3779b97f4a7c15U;
  return 16384 + static_cast<int>(h >> 48U);
}

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

double Numbers::operator()(const Expr& e) {
  if (e.is(expr::Op::constant)) return expr::evaluate(e, [](const Symbol&) { return 1.0; });
  if (!values_) {
    const auto found = parameter_values(model_);
    values_ = found ? *found : std::vector<double>(model_.parameters.size(), 1.0);
  }
  return expr::evaluate(e, [&](const Symbol& s) {
    if (s.kind == SymbolKind::time) return 0.0;
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

Triad triad(const Vector& axis, const Vector* reference, Numbers& numbers) {
  Triad result;
  result.a = unit(axis, numbers);
  Vector toward;
  if (reference != nullptr) {
    toward = *reference;
  } else {
    std::array<double, 3> size{};
    for (std::size_t k = 0; k < 3; ++k) size[k] = std::abs(numbers(result.a[k]));
    const auto largest =
        static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
    const std::size_t next = (largest + 1) % 3, other = (largest + 2) % 3;
    toward = coordinate_direction(size[other] < size[next] ? other : next);
  }
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

bool is_identically_zero(const Expr& e) {
  if (e.is_zero()) return true;
  if (e.is(expr::Op::symbol) || e.is(expr::Op::constant)) return false;
  constexpr std::array<unsigned, 2> draws = {1, 2};
  for (const unsigned draw : draws) {
    const double value =
        expr::evaluate(e, [draw](const Symbol& s) { return arbitrary(s, draw) / 65536.0; });
    if (!(std::abs(value) < 1e-9)) return false;
  }
  if (expr::proven_zero(e, {.terms = 20'000, .modulo = {}})) return true;
  return std::all_of(draws.begin(), draws.end(), [&](unsigned draw) {
    const auto value = expr::evaluate_precisely(e, [draw](const Symbol& s) {
      expr::Rational point(arbitrary(s, draw), 65536);
      point.canonicalize();
      return point;
    });
    return value && std::abs(value->middle.get_d()) + value->radius < 1e-40;
  });
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
  std::unordered_map<std::string, std::size_t> number;
  for (std::size_t k = 0; k < model.coordinates.size(); ++k)
    number.emplace(model.coordinates[k], k);
  const std::vector<Expr> along = expr::substitute(expr::gradient(total, velocities), held);
  std::vector<std::pair<std::size_t, Expr>> result;
  for (std::size_t i = 0; i < along.size(); ++i) {
    const auto found = number.find(velocities[i].symbol().name);
    if (found != number.end() && !along[i].is_zero()) result.emplace_back(found->second, along[i]);
  }
  std::sort(result.begin(), result.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  return result;
}

}  // namespace dalembert::model
