#include "dalembert/model/kinematics.hpp"

#include <algorithm>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::model {

namespace {

Turn turn_about_letter(char letter, const Expr& angle) {
  const Expr c = cos(angle), s = sin(angle);
  const Expr rate = expr::time_derivative(angle);
  Turn turn;
  const std::size_t i = letter == 'x' ? 0 : letter == 'y' ? 1 : 2;
  const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
  turn.rotation[j][j] = turn.rotation[k][k] = c;
  turn.rotation[k][j] = s;
  turn.rotation[j][k] = -s;
  turn.spin[i] = rate;
  return turn;
}

}  // namespace

bool is_identity(const Matrix& rotation) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i == j ? !rotation[i][j].is_one() : !rotation[i][j].is_zero()) return false;
    }
  }
  return true;
}

Turn operator*(const Turn& outer, const Turn& inner) {
  const bool is_outermost = outer.spin.is_zero() && is_identity(outer.rotation);
  Turn turn;
  turn.rotation = is_outermost ? inner.rotation : outer.rotation * inner.rotation;
  turn.spin = is_outermost ? inner.spin : transpose(inner.rotation) * outer.spin + inner.spin;
  turn.gimbal = outer.gimbal * inner.gimbal;
  turn.gimbal_axes = outer.gimbal_axes.empty() ? inner.gimbal_axes : outer.gimbal_axes;
  const auto is_known = [](const Turn& part) {
    return !part.steps.empty() || is_identity(part.rotation);
  };
  if (is_known(outer) && is_known(inner)) {
    turn.steps = outer.steps;
    turn.steps.insert(turn.steps.end(), inner.steps.begin(), inner.steps.end());
  }
  return turn;
}

Turn turn_about(const Vector& u, const Expr& angle) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (u[i].is_one() && u[(i + 1) % 3].is_zero() && u[(i + 2) % 3].is_zero())
      return turn_by_axes(std::string_view("xyz").substr(i, 1), std::span(&angle, 1));
  }
  const Expr c = cos(angle), s = sin(angle);
  Turn turn;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      turn.rotation[i][j] = (1 - c) * u[i] * u[j] + (i == j ? c : Expr(0));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    turn.rotation[k][j] += s * u[i];
    turn.rotation[j][k] -= s * u[i];
  }
  const Vector drift = expr::time_derivative(u);
  turn.spin = expr::time_derivative(angle) * u + s * drift - (1 - c) * cross(u, drift);
  turn.steps = {{{}, u, {angle}}};
  return turn;
}

Turn turn_by_axes(std::string_view axes, std::span<const Expr> angles) {
  Turn turn = gimbal_by_axes(axes, angles);
  Turn turned;
  for (std::size_t i = 0; i < axes.size(); ++i)
    turned = turned * turn_about_letter(axes[i], angles[i]);
  turn.rotation = turned.rotation;
  turn.spin = turned.spin;
  turn.steps = {{std::string(axes), {}, {angles.begin(), angles.end()}}};
  return turn;
}

Turn gimbal_by_axes(std::string_view axes, std::span<const Expr> angles) {
  Turn turn;
  if (axes.size() == 3 && std::all_of(angles.begin(), angles.end(), contains_coordinate)) {
    turn.gimbal = axes[0] == axes[2] ? sin(angles[1]) : cos(angles[1]);
    turn.gimbal_axes = axes;
  }
  return turn;
}

Turn turn_by_quaternion(const std::array<Expr, 4>& e) {
  const Vector v{e[1], e[2], e[3]};
  const Expr length = e[0] * e[0] - dot(v, v);
  Turn turn;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      turn.rotation[i][j] = expr::product({2, v[i], v[j]}) + (i == j ? length : Expr(0));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const Expr turned = expr::product({2, e[0], v[i]});
    turn.rotation[k][j] += turned;
    turn.rotation[j][k] -= turned;
  }
  const Vector rate = expr::time_derivative(v);
  turn.spin = Expr(2) * (e[0] * rate - expr::time_derivative(e[0]) * v - cross(v, rate));
  return turn;
}

Expr unit_residual(const std::array<Expr, 4>& e) {
  return expr::sum({e[0] * e[0], e[1] * e[1], e[2] * e[2], e[3] * e[3], Expr(-1)});
}

bool contains_coordinate(const Expr& e) {
  return expr::find_symbol(
             e, [](const expr::Symbol& s) { return s.kind == expr::SymbolKind::coordinate; })
      .has_value();
}

}  // namespace dalembert::model
