// Angular velocities of bodies as initial values: "disk.wx" = 3.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/assembly/initial_values.hpp"

namespace dalembert::model {

namespace {

using expr::Expr;

/// The determinant of a square matrix of at most three rows.
Expr determinant(const std::vector<std::vector<Expr>>& a) {
  if (a.size() == 1) return a[0][0];
  if (a.size() == 2) return a[0][0] * a[1][1] - a[0][1] * a[1][0];
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

bool contains(const std::vector<std::size_t>& list, std::size_t i) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

}  // namespace

std::vector<std::size_t> Assembly::rates_in(const Vector& v) const {
  std::vector<std::size_t> found;
  for (const Expr& e : expr::symbols(std::array{v.x, v.y, v.z})) {
    const expr::Symbol& s = e.symbol();
    if (s.kind == expr::SymbolKind::coordinate && s.order == 1)
      found.push_back(names.find(s.name)->index);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool Assembly::take_spin(const Definition& said, Spins& spins) {
  const std::size_t dot = said.name.find('.');
  if (dot == std::string::npos) return false;
  const std::string body = said.name.substr(0, dot);
  const Declaration* declaration = names.find(body);
  if (declaration == nullptr || declaration->kind != NameKind::body) return false;
  const std::string part = said.name.substr(dot + 1);
  const auto component = std::find(std::begin(body_spin), std::end(body_spin), part);
  if (component == std::end(body_spin)) {
    complaints.add(said.where, fmt::format("{} is not an initial value; a body has wx, wy and wz, "
                                           "its angular velocity in its own axes",
                                           in_quotes(said.name)));
    return true;
  }
  if (!declaration->broken && !lets.find_pose(body)->oriented) {
    complaints.add(said.where, fmt::format("{} is a particle: it does not turn", in_quotes(body)));
    return true;
  }
  const std::optional<Expr> value = expression(said.value, places::initial, LetUse::marker);
  Spin& spin = spins[body];
  spin.broken = spin.broken || declaration->broken || !value;
  spin.parts[static_cast<std::size_t>(component - std::begin(body_spin))] = {
      value.value_or(Expr(0)), &said};
  return true;
}

/// The angular velocity is linear in the rates, w = W r + w0, where r are those of the body's own
/// orientation that are not given and w0 has all others.
///
/// Of a quaternion W W^T = 4 |e|^2 1 and W e = 0, so that r = W^T (w - w0) / 4 is the one that
/// keeps its length, which is 1. Where the start is yet to be adjusted it may be another: then r =
/// W^T (w - w0) / (4 |e|) is the rate of the unit quaternion e / |e|, to which it goes. Of angles
/// as many components as there are rates in r decide, by Cramer's rule; where no rate is given,
/// components that are not said are zero.
void Assembly::resolve_spin(const std::string& body, const Spin& spin,
                            const std::vector<std::size_t>& given, InitialValues& values,
                            std::vector<SpinRate>& rates) {
  const auto first = std::find_if(spin.parts.begin(), spin.parts.end(),
                                  [](const auto& part) { return part.second != nullptr; });
  const Location where = first->second->where;
  const PoseLets& pose = *lets.find_pose(body);
  const Vector w = lets.values(pose.spin, 0);
  std::vector<std::size_t> own = rates_in(w);
  const auto at_work = std::find_if(bodies.begin(), bodies.end(), [&](const BodyAtWork& other) {
    return other.said->name == body;
  });
  if (!at_work->frame.empty()) {
    const std::vector<std::size_t> others =
        rates_in(lets.values(lets.find_pose(at_work->frame)->spin, 0));
    std::erase_if(own, [&](std::size_t i) { return contains(others, i); });
  }
  std::vector<std::size_t> unknown = own;
  std::erase_if(unknown, [&](std::size_t i) { return contains(given, 2 * i + 1); });
  const bool quaternion =
      std::any_of(model.quaternions.begin(), model.quaternions.end(), [&](const auto& components) {
        return std::all_of(components.begin(), components.end(),
                           [&](std::size_t i) { return contains(own, i); });
      });
  if (quaternion && (own.size() > 4 || unknown.size() < 4)) {
    complaints.add(where,
                   fmt::format("the angular velocity of {} cannot be given beside rates of its "
                               "orientation: it has a quaternion, whose rates follow from it",
                               in_quotes(body)));
    return;
  }
  std::vector<std::size_t> rows;
  const bool rest_is_zero = unknown == own && own.size() >= 3;
  for (std::size_t k = 0; k < 3; ++k) {
    if (spin.parts[k].second != nullptr || rest_is_zero) rows.push_back(k);
  }
  if (!quaternion && rows.size() != unknown.size()) {
    std::vector<std::string> open;
    for (const std::size_t i : unknown) open.push_back(model.coordinates[i] + "'");
    complaints.add(
        where,
        fmt::format("the angular velocity of {} gives {} number{} for {} rate{} that {} open "
                    "({}){}",
                    in_quotes(body), rows.size(), rows.size() == 1 ? "" : "s", open.size(),
                    open.size() == 1 ? "" : "s", open.size() == 1 ? "is" : "are",
                    open.empty() ? "all are given" : fmt::format("{}", fmt::join(open, ", ")),
                    rows.size() < unknown.size() ? ": give more of them" : ""));
    return;
  }
  expr::ExprMap still;
  for (const std::size_t i : unknown)
    still.emplace(expr::coordinate(model.coordinates[i], 1), Expr(0));
  std::vector<std::vector<Expr>> W;
  std::vector<Expr> wanted;
  for (const std::size_t k : rows) {
    std::vector<Expr>& row = W.emplace_back();
    for (const std::size_t i : unknown)
      row.push_back(expr::differentiate(w[k], expr::coordinate(model.coordinates[i], 1)));
    wanted.push_back(spin.parts[k].first - expr::substitute(w[k], still));
  }
  Expr length = 0;
  for (const std::size_t i : unknown) length += pow(expr::coordinate(model.coordinates[i]), 2);
  const Expr whole = quaternion ? 4 * expr::sqrt(length) : determinant(W);
  for (std::size_t c = 0; c < unknown.size(); ++c) {
    Expr numerator = 0;
    if (quaternion) {
      for (std::size_t r = 0; r < 3; ++r) numerator += W[r][c] * wanted[r];
    } else {
      auto replaced = W;
      for (std::size_t r = 0; r < rows.size(); ++r) replaced[r][c] = wanted[r];
      numerator = determinant(replaced);
    }
    values.give(2 * unknown[c] + 1, whole.is_zero() ? Expr(0) : numerator / whole);
    rates.push_back({2 * unknown[c] + 1, whole, body, where});
  }
}

}  // namespace dalembert::model
