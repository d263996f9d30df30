#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/equations.hpp"

namespace dalembert::mechanics {

namespace {

using expr::Op;
using expr::Symbol;
using expr::SymbolKind;

using Index = std::unordered_map<std::string, std::uint32_t>;

/// The rate of a symbol along the motion, accelerations left out: q moves at q', t at 1, all else
/// rests.
Expr rate_without_acceleration(const Symbol& s) {
  if (s.kind == SymbolKind::time) return 1;
  if (s.kind == SymbolKind::coordinate && s.order == 0) return expr::coordinate(s.name, 1);
  return 0;
}

std::vector<Expr> rates(std::span<const Expr> roots) {
  return expr::directional(roots, rate_without_acceleration);
}

Expr rate(const Expr& e) {
  return rates(std::span(&e, 1)).front();
}

/// The partial derivatives of e by the coordinates' derivatives of one order, those that are not
/// zero.
std::vector<Entry> gradient_row(std::uint32_t row, const Expr& e, int order, const Index& index) {
  std::vector<Expr> wanted = expr::symbols(std::span(&e, 1));
  std::erase_if(wanted, [order](const Expr& s) {
    return s.symbol().kind != SymbolKind::coordinate || s.symbol().order != order;
  });
  const std::vector<Expr> partials = expr::gradient(e, wanted);
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (!partials[k].is_zero())
      entries.push_back({row, index.at(wanted[k].symbol().name), partials[k]});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.column < b.column; });
  return entries;
}

Expr potential_of(const model::Model& model) {
  return model.potential ? model.potential->expr : Expr(0);
}

void equations_from_energies(const model::Model& model, const Index& index, Equations& eq) {
  const std::size_t n = eq.q.size();
  eq.kinetic = model.kinetic->expr;
  eq.potential = potential_of(model);
  const Expr& T = eq.kinetic;
  const Expr& V = eq.potential;

  const std::vector<Expr> momenta = expr::gradient(T, eq.v);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (Entry& entry : gradient_row(i, momenta[i], 1, index)) {
      if (entry.column <= i) eq.M.push_back(std::move(entry));
    }
  }

  // Q = forces - dD/dq' - dV/dq + dT/dq - (d/dt dT/dq' without its q'' terms)
  const std::vector<Expr> momentum_rates = rates(momenta);
  const std::vector<Expr> dT = expr::gradient(T, eq.q);
  const std::vector<Expr> dV = expr::gradient(V, eq.q);
  const std::vector<Expr> dD =
      model.dissipation ? expr::gradient(model.dissipation->expr, eq.v) : std::vector<Expr>(n);
  std::vector<Expr> powers;
  std::vector<Expr> action_terms;
  for (std::size_t i = 0; i < n; ++i) {
    const Expr applied = model.forces[i].expr - dD[i];
    eq.Q.push_back(expr::sum({applied, -dV[i], dT[i], -momentum_rates[i]}));
    powers.push_back(applied * eq.v[i]);
    action_terms.push_back(momenta[i] * eq.v[i]);
  }
  eq.applied_power = expr::sum(powers);
  eq.h = expr::sum(action_terms) - T + V;
  eq.other_power = expr::differentiate(V, expr::time()) - expr::differentiate(T, expr::time());
}

void equations_from_mass_matrix(const model::Model& model, Equations& eq) {
  const std::size_t n = eq.q.size();
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) {
      const Expr& entry = model.mass_matrix[i][j].expr;
      if (!entry.is_zero()) eq.M.push_back({i, j, entry});
    }
  }
  // T = q'^T M q' / 2 and its change by the rate of M, q'^T M' q' / 2
  std::vector<Expr> values;
  for (const Entry& entry : eq.M) values.push_back(entry.value);
  const std::vector<Expr> M_rates = rates(values);
  std::vector<Expr> energy;
  std::vector<Expr> drift;
  for (std::size_t k = 0; k < eq.M.size(); ++k) {
    const Entry& entry = eq.M[k];
    const Expr weight = entry.row == entry.column ? Expr(expr::Rational(1, 2)) : Expr(1);
    const Expr vv = weight * eq.v[entry.row] * eq.v[entry.column];
    energy.push_back(vv * entry.value);
    drift.push_back(vv * M_rates[k]);
  }
  std::vector<Expr> powers;
  for (std::size_t i = 0; i < n; ++i) {
    eq.Q.push_back(model.forces[i].expr);
    powers.push_back(eq.Q[i] * eq.v[i]);
  }
  eq.kinetic = expr::sum(energy);
  eq.potential = 0;
  eq.h = eq.kinetic;
  eq.applied_power = expr::sum(powers);
  eq.other_power = expr::sum(drift);
}

/// phi(q,t): A = dphi/dq, b = -(d²phi/dt² without q'');  psi(q,q',t): A = dpsi/dq', b = -(dpsi/dt
/// without q''); linear in q'': A = coefficient of q'', b = -(what is left at q'' = 0).
void add_constraint(const model::Constraint& constraint, const Index& index, Equations& eq) {
  const auto row = static_cast<std::uint32_t>(eq.constraints.size());
  ConstraintRow result{constraint.name,
                       model::level(constraint),
                       constraint.residual,
                       constraint.residual,
                       magnitude_of_terms(constraint.residual),
                       {}};
  result.rate_scale = result.scale;
  std::vector<Entry> entries;
  switch (result.level) {
    case Level::position: {
      entries = gradient_row(row, constraint.residual, 0, index);
      std::vector<Expr> terms;
      for (const Entry& entry : entries) terms.push_back(entry.value * eq.v[entry.column]);
      terms.push_back(expr::differentiate(constraint.residual, expr::time()));
      std::vector<Expr> magnitudes;
      for (const Expr& term : terms) magnitudes.push_back(magnitude_of_terms(term));
      result.rate = expr::sum(terms);
      result.rate_scale = expr::sum(magnitudes);
      eq.b.push_back(-rate(result.rate));
      break;
    }
    case Level::velocity:
      entries = gradient_row(row, constraint.residual, 1, index);
      eq.b.push_back(-rate(constraint.residual));
      break;
    case Level::acceleration: {
      entries = gradient_row(row, constraint.residual, 2, index);
      expr::ExprMap at_rest;
      for (const Expr& q : eq.q) at_rest.emplace(expr::coordinate(q.symbol().name, 2), Expr(0));
      eq.b.push_back(-expr::substitute(constraint.residual, at_rest));
      break;
    }
  }
  std::move(entries.begin(), entries.end(), std::back_inserter(eq.A));
  eq.constraints.push_back(std::move(result));
}

/// The normal force of a friction, taken apart into its coefficients of the multipliers and of the
/// accelerations.
FrictionTerms friction_terms(const model::Friction& friction, const Index& index,
                             const std::vector<model::Constraint>& constraints) {
  FrictionTerms terms;
  terms.joint = friction.joint;
  Index row_of;
  for (const model::Constraint& constraint : constraints)
    row_of.emplace(constraint.name, static_cast<std::uint32_t>(row_of.size()));
  for (const Expr& component : friction.normal) {
    const auto c = static_cast<std::uint32_t>(terms.offset.size());
    std::vector<Expr> multipliers = expr::symbols(std::span(&component, 1));
    expr::ExprMap none;
    for (const Expr& s : multipliers) {
      if (s.symbol().kind == SymbolKind::multiplier || s.symbol().order == 2)
        none.emplace(s, Expr(0));
    }
    std::erase_if(multipliers,
                  [](const Expr& s) { return s.symbol().kind != SymbolKind::multiplier; });
    terms.offset.push_back(expr::substitute(component, none));
    for (Entry& entry : gradient_row(c, component, 2, index))
      terms.inertia.push_back(std::move(entry));
    const std::vector<Expr> slopes = expr::gradient(component, multipliers);
    const std::size_t first = terms.normal.size();
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      if (!slopes[k].is_zero())
        terms.normal.push_back({c, row_of.at(multipliers[k].symbol().name), slopes[k]});
    }
    std::sort(terms.normal.begin() + static_cast<std::ptrdiff_t>(first), terms.normal.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
  }
  for (std::uint32_t i = 0; i < friction.direction.size(); ++i) {
    if (!friction.direction[i].is_zero()) terms.direction.push_back({i, 0, friction.direction[i]});
  }
  return terms;
}

}  // namespace

Expr magnitude_of_terms(const Expr& e) {
  std::unordered_map<const expr::Node*, Expr> magnitude;
  for (const Expr& node : expr::postorder(e)) {
    std::vector<Expr> args;
    for (const Expr& arg : node.args()) args.push_back(magnitude.at(arg.node()));
    const bool whole_power = node.is(Op::power) && node.args()[1].is(Op::constant) &&
                             node.args()[1].value().get_den() == 1 &&
                             sgn(node.args()[1].value()) > 0;
    const bool through = node.is(Op::sum) || node.is(Op::product) || whole_power;
    magnitude.emplace(node.node(), through ? expr::rebuild(node, args) : expr::abs(node));
  }
  return magnitude.at(e.node());
}

std::vector<Expr> full_C(const Equations& eq) {
  std::vector<Expr> C = eq.C;
  for (const FrictionTerms& terms : eq.frictions) {
    std::vector<Expr> normal = terms.offset;
    for (const Entry& entry : terms.normal)
      normal[entry.row] += entry.value * expr::multiplier(eq.constraints[entry.column].name);
    for (const Entry& entry : terms.inertia)
      normal[entry.row] += entry.value * expr::coordinate(eq.q[entry.column].symbol().name, 2);
    std::vector<Expr> squares;
    for (const Expr& component : normal) squares.push_back(expr::pow(component, 2));
    const Expr N = normal.size() == 1 ? expr::abs(normal[0]) : expr::sqrt(expr::sum(squares));
    for (const Entry& entry : terms.direction) C[entry.row] += N * entry.value;
  }
  return C;
}

std::size_t count_operations(const Equations& eq) {
  std::vector<Expr> roots = eq.Q;
  roots.insert(roots.end(), eq.b.begin(), eq.b.end());
  for (const auto* entries : {&eq.M, &eq.A}) {
    for (const Entry& entry : *entries) roots.push_back(entry.value);
  }
  return expr::postorder(roots).size();
}

Equations lagrange(const model::Model& model) {
  Equations eq;
  Index index;
  for (const std::string& name : model.coordinates) {
    index.emplace(name, static_cast<std::uint32_t>(eq.q.size()));
    eq.q.push_back(expr::coordinate(name));
    eq.v.push_back(expr::coordinate(name, 1));
  }
  for (const model::Named& parameter : model.parameters)
    eq.parameters.push_back(expr::parameter(parameter.name));
  if (model.kinetic) {
    equations_from_energies(model, index, eq);
  } else {
    equations_from_mass_matrix(model, eq);
  }
  for (const model::Constraint& constraint : model.constraints)
    add_constraint(constraint, index, eq);
  for (const Expr& Q : eq.Q) eq.Q_scale.push_back(magnitude_of_terms(Q));
  for (const Expr& b : eq.b) eq.b_scale.push_back(magnitude_of_terms(b));
  for (const Entry& entry : eq.A) eq.A_scale.push_back(magnitude_of_terms(entry.value));
  for (const model::Located& work : model.virtual_work) {
    eq.C.push_back(work.expr);
    eq.C_uses_ideal_force =
        eq.C_uses_ideal_force || expr::find_symbol(work.expr, [](const Symbol& s) {
                                   return s.kind == SymbolKind::ideal_force;
                                 }).has_value();
  }
  for (const model::Friction& friction : model.frictions)
    eq.frictions.push_back(friction_terms(friction, index, model.constraints));
  return eq;
}

}  // namespace dalembert::mechanics
