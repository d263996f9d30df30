#include "dalembert/mechanics/conserved.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/classify.hpp"
#include "dalembert/mechanics/directions.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"
#include "dalembert/mechanics/momentum_fields.hpp"
#include "dalembert/mechanics/zero_on_constraints.hpp"

namespace dalembert::mechanics {

namespace {

using expr::SymbolKind;
using expr::Verdict;

/// Beyond this many nodes an expression stays as it is: a shorter form would not be read either.
constexpr std::size_t largest_to_tidy = 2000;

Expr readable(const Expr& e) {
  return expr::node_count(std::span(&e, 1)) > largest_to_tidy ? e : tidy(e);
}

using Obstacle = EnergyObstacle::Kind;

/// A part of dh/dt, and what it is where it is not zero.
struct Power {
  Expr value;
  EnergyObstacle of;
};

std::vector<Power> powers_of(const Setting& s) {
  const Equations& eq = s.eq();
  const model::Model& model = s.model();
  std::vector<Power> result;
  if (model.kinetic) {
    result.push_back(
        {-expr::differentiate(eq.kinetic, expr::time()), {Obstacle::kinetic_energy_of_time}});
    result.push_back(
        {expr::differentiate(eq.potential, expr::time()), {Obstacle::potential_energy_of_time}});
    for (std::size_t i = 0; i < s.n; ++i)
      result.push_back({model.forces[i].expr * eq.v[i], {Obstacle::force, i}});
    if (model.dissipation) {
      const std::vector<Expr> slopes = expr::gradient(model.dissipation->expr, eq.v);
      result.push_back({-dot(slopes, eq.v), {Obstacle::dissipation}});
    }
  } else {
    // Forces and the change of M may balance, and no part of Q is known to be of inertia.
    result.push_back({eq.applied_power + eq.other_power, {Obstacle::forces}});
  }
  result.push_back({dot(eq.C, eq.v), {Obstacle::virtual_work}});
  if (!eq.frictions.empty()) {
    std::vector<Expr> friction = full_C(eq);
    for (std::size_t i = 0; i < s.n; ++i) friction[i] -= eq.C[i];
    result.push_back({dot(friction, eq.v), {Obstacle::friction}});
  }
  return result;
}

/// Whether A_j q' = 0 for a constraint: the velocity is a displacement that it allows with time
/// held still. For one that is linear in the velocities, A_j q' + a_t = 0, if a_t = 0.
Verdict allows_velocity(const Setting& s, std::size_t j, ZeroOnConstraints& zero) {
  const ConstraintRow& row = s.eq().constraints[j];
  std::vector<Expr> terms;
  for (const Entry& entry : row_of_A(s.eq(), j))
    terms.push_back(entry.value * s.eq().v[entry.column]);
  const Expr along = expr::sum(terms);
  if (row.level == Level::position) return zero(expr::differentiate(row.residual, expr::time()));
  if (row.level == Level::velocity && zero(along - row.rate) == Verdict::proven)
    return Verdict::proven;
  return zero(along);
}

/// U(q, t) with P = dU/dt along every motion; nothing if none is found.
std::optional<Expr> potential_of_power(const Setting& s, const Expr& P) {
  const auto foreign = expr::find_symbol(P, [](const expr::Symbol& symbol) {
    return symbol.kind != SymbolKind::coordinate && symbol.kind != SymbolKind::parameter &&
           symbol.kind != SymbolKind::time;
  });
  if (foreign) return std::nullopt;
  expr::ExprMap at_rest;
  for (const Expr& v : s.eq().v) at_rest.emplace(v, Expr(0));
  std::vector<Expr> slopes = expr::substitute(expr::gradient(P, s.eq().v), at_rest);
  const Expr by_itself = expr::substitute(P, at_rest);
  if (!expr::proven_zero(P - dot(slopes, s.eq().v) - by_itself)) return std::nullopt;
  std::vector<Expr> x = s.eq().q;
  x.push_back(expr::time());
  slopes.push_back(by_itself);
  return potential(slopes, x);
}

/// The energy, or why it is not conserved.
void find_energy(const Setting& s, ZeroOnConstraints& zero, double most,
                 ConservedQuantities& result) {
  const Equations& eq = s.eq();
  for (std::size_t j = 0; j < eq.constraints.size(); ++j) {
    const Verdict verdict = allows_velocity(s, j, zero);
    if (verdict == Verdict::proven) continue;
    const bool moves = expr::find_symbol(eq.constraints[j].residual, [](const expr::Symbol& x) {
                         return x.kind == SymbolKind::time;
                       }).has_value();
    result.why_not = {{verdict == Verdict::not_proven ? Obstacle::constraint_undecided
                       : moves                        ? Obstacle::constraint_moves
                                                      : Obstacle::constraint_not_homogeneous,
                       j}};
    return;
  }
  const std::vector<Power> powers = powers_of(s);
  std::vector<Expr> all;
  for (const Power& power : powers) all.push_back(power.value);
  const Expr P = expr::sum(all);
  const Verdict idle = zero(P);
  const auto stored = [&](const Expr& power) {
    return expr::within(most, [&] { return potential_of_power(s, power); }).value_or(std::nullopt);
  };
  std::optional<Expr> U;
  if (idle == Verdict::proven) {
    U = Expr(0);
  } else {
    U = stored(P);
  }
  if (U) {
    const bool plain = zero(eq.h - eq.kinetic - eq.potential) == Verdict::proven;
    result.energy = true;
    result.proven.push_back(
        {plain ? ConservedKind::energy : ConservedKind::jacobi_integral, readable(eq.h - *U)});
    return;
  }
  if (idle != Verdict::refuted) {
    result.why_not = {{Obstacle::undecided}};
    return;
  }
  result.energy = false;
  for (const Power& power : powers) {
    if (zero(power.value) == Verdict::proven || stored(power.value)) continue;
    result.why_not.push_back(power.of);
  }
  if (result.why_not.empty()) result.why_not = {{Obstacle::forces}};
}

/// w = a + B q.
std::vector<Expr> field_at(const Setting& s, const MomentumField& field) {
  std::vector<Expr> w;
  for (std::size_t i = 0; i < s.n; ++i) {
    std::vector<Expr> terms{Expr(field.a[i])};
    for (std::size_t j = 0; j < s.n; ++j) {
      if (field.B[i * s.n + j] != 0) terms.push_back(Expr(field.B[i * s.n + j]) * s.eq().q[j]);
    }
    w.push_back(expr::sum(terms));
  }
  return w;
}

/// The momentum along the field, if it is conserved and not zero.
std::optional<ConservedQuantity> momentum_along(const Setting& s, const Forces& forces,
                                                const MomentumField& field,
                                                ZeroOnConstraints& zero) {
  const std::vector<Expr> w = field_at(s, field);
  for (std::size_t j = 0; j < s.eq().constraints.size(); ++j) {
    std::vector<Expr> terms;
    for (const Entry& entry : row_of_A(s.eq(), j)) terms.push_back(entry.value * w[entry.column]);
    if (zero(expr::sum(terms)) != Verdict::proven) return std::nullopt;
  }
  std::vector<Expr> rate;  // B q'
  for (std::size_t i = 0; i < s.n; ++i) {
    std::vector<Expr> terms;
    for (std::size_t j = 0; j < s.n; ++j) {
      if (field.B[i * s.n + j] != 0) terms.push_back(Expr(field.B[i * s.n + j]) * s.eq().v[j]);
    }
    rate.push_back(expr::sum(terms));
  }
  if (zero(dot(w, forces.acting) + dot(rate, forces.momenta)) != Verdict::proven)
    return std::nullopt;
  ConservedQuantity result{ConservedKind::momentum, readable(dot(w, forces.momenta))};
  if (zero(result.value) != Verdict::refuted) return std::nullopt;  // 0 = const tells nothing
  if (field.turns(s.n)) {
    result.kind = ConservedKind::angular_momentum;
  } else {
    result.coordinate = field.single_coordinate();
  }
  return result;
}

}  // namespace

std::string to_string(ConservedKind kind) {
  switch (kind) {
    case ConservedKind::energy:
      return "energy";
    case ConservedKind::jacobi_integral:
      return "Jacobi integral";
    case ConservedKind::momentum:
      return "momentum";
    case ConservedKind::angular_momentum:
      return "angular momentum";
  }
  return {};
}

ConservedQuantities find_conserved(const Setting& s, const expr::Patience& patience) {
  patience.say("looking for conserved quantities");
  // The same whoever asks: what is found must not depend on how long somebody would wait.
  constexpr double most_effort = 5e6;
  const double most = std::min(patience.most, most_effort);
  ConservedQuantities result;
  ZeroOnConstraints zero(s, most);
  find_energy(s, zero, most, result);
  const Forces forces = forces_along(s);
  Directions told;  // a momentum that is zero, or made of others, tells nothing
  for (const MomentumField& field : candidate_fields(s, forces)) {
    if (!field.momenta.empty() && told.span(field.momenta)) continue;
    auto momentum = momentum_along(s, forces, field, zero);
    if (!momentum) continue;
    result.proven.push_back(*std::move(momentum));
    told.add(field.momenta);
  }
  return result;
}

}  // namespace dalembert::mechanics
