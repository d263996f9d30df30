#include "dalembert/model/energy_of_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/model/complaints.hpp"

namespace dalembert::model {

namespace {

/// Rounding in the entries of a matrix of inertia, of its trace; and what decimals of a data sheet
/// may leave of the triangle inequality, which a flat body fulfils with nothing to spare.
constexpr double rounding = 1e-12;
constexpr double rounded_decimals = 1e-3;

using Symmetric = std::array<std::array<double, 3>, 3>;

/// The eigenvalues of a symmetric matrix, increasing, by Jacobi's rotations.
std::array<double, 3> principal_moments(Symmetric a) {
  constexpr int most_sweeps = 50;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    if (a[0][1] == 0 && a[0][2] == 0 && a[1][2] == 0) break;
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      const double off = a[p][q];
      if (std::abs(off) <= 1e-300) {
        a[p][q] = a[q][p] = 0;
        continue;
      }
      const double theta = (a[q][q] - a[p][p]) / (2 * off);
      const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::hypot(theta, 1));
      const double c = 1 / std::hypot(t, 1), s = t * c;
      const int r = 3 - p - q;
      a[p][p] -= t * off;
      a[q][q] += t * off;
      a[p][q] = a[q][p] = 0;
      const double rp = a[r][p], rq = a[r][q];
      a[r][p] = a[p][r] = c * rp - s * rq;
      a[r][q] = a[q][r] = s * rp + c * rq;
    }
  }
  std::array<double, 3> result = {a[0][0], a[1][1], a[2][2]};
  std::sort(result.begin(), result.end());
  return result;
}

/// Moments such as 0.025 for a product of inertia printed as it is.
std::string listed(const std::array<double, 3>& moments) {
  return fmt::format("{:.6g}, {:.6g} and {:.6g}", moments[0], moments[1], moments[2]);
}

void check_inertia(const Body& body, const Model& model, const std::vector<double>& parameters,
                   std::vector<Diagnostic>& found) {
  Symmetric J{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      J[i][j] = evaluate(body.inertia[i][j], model, parameters);
      if (std::isfinite(J[i][j])) continue;
      found.push_back({fmt::format("the inertia of body {} is not finite", in_quotes(body.name)),
                       body.inertia_where});
      return;
    }
  }
  const std::array<double, 3> moments = principal_moments(J);
  const double allowed =
      rounding * (std::abs(moments[0]) + std::abs(moments[1]) + std::abs(moments[2]));
  if (moments[0] < -allowed) {
    found.push_back({fmt::format("the inertia of body {} is not positive semidefinite: its "
                                 "principal moments are {}, and no mass has a negative one",
                                 in_quotes(body.name), listed(moments)),
                     body.inertia_where});
  } else if (moments[2] > (1 + rounded_decimals) * (moments[0] + moments[1])) {
    found.push_back(
        {fmt::format("no body has the inertia given for {}: its principal moments are {}, and the "
                     "largest cannot exceed the sum of the other two (triangle inequality: each is "
                     "an integral of the squared distance from its axis)",
                     in_quotes(body.name), listed(moments)),
         body.inertia_where});
  }
}

}  // namespace

void add_energy_of_bodies(Model& model, const Vector& gravity) {
  const Expr half(expr::Rational(1, 2));
  std::vector<Expr> kinetic, potential;
  Location where;
  const auto written = [](const std::optional<Located>& energy) {
    return energy ? energy->expr : Expr(0);
  };
  model.by_hand = ByHand{written(model.kinetic), written(model.potential),
                         written(model.dissipation), std::nullopt};
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const Body& body = model.bodies[k];
    if (body.kind == BodyKind::frame) continue;
    if (!gravity.is_zero())
      model.loads.push_back({k, body.center_of_mass, body.mass * gravity, Vector{}});
    if (where.line == 0) where = body.where;
    kinetic.push_back(half * body.mass * dot(body.velocity, body.velocity));
    if (body.kind == BodyKind::body)
      kinetic.push_back(half * dot(body.spin, body.inertia * body.spin));
    potential.push_back(-body.mass * dot(gravity, body.center_of_mass));
  }
  const auto add = [&](std::vector<Expr>& terms, std::optional<Located>& energy) {
    if (energy) terms.push_back(energy->expr);
    if (!energy) energy = Located{Expr(0), where};
    energy->expr = expr::sum(terms);
  };
  if (kinetic.empty()) return;
  add(kinetic, model.kinetic);
  add(potential, model.potential);
}

bool acts_along_y(const Vector& gravity) {
  return gravity.x.is_zero() && !gravity.y.is_zero() && gravity.z.is_zero();
}

std::vector<Diagnostic> check_bodies(const Model& model, const std::vector<double>& parameters) {
  std::vector<Diagnostic> found;
  for (const Body& body : model.bodies) {
    if (body.kind == BodyKind::frame) continue;
    const double mass = evaluate(body.mass, model, parameters);
    if (!(mass > 0) || !std::isfinite(mass)) {
      found.push_back(
          {fmt::format("the mass of {} {} is {:.6g}; it must be positive{}",
                       body.kind == BodyKind::particle ? "particle" : "body", in_quotes(body.name),
                       mass, mass == 0 ? " (a place without mass is a [[frame]])" : ""),
           body.mass_where});
    }
    if (body.kind == BodyKind::body) check_inertia(body, model, parameters, found);
  }
  return found;
}

}  // namespace dalembert::model
