#include "dalembert/mechanics/classify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/directions.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"
#include "dalembert/mechanics/formulations/voronets.hpp"
#include "dalembert/mechanics/manifold.hpp"

namespace dalembert::mechanics {

namespace {

using expr::SymbolKind;
using expr::Verdict;

/// The equations of some of the constraints.
Equations with_constraints(const Equations& eq, const std::vector<std::size_t>& rows) {
  Equations result = eq;
  result.A.clear();
  result.b.clear();
  result.constraints.clear();
  for (std::uint32_t j = 0; j < rows.size(); ++j) {
    for (const Entry& entry : row_of_A(eq, rows[j]))
      result.A.push_back({j, entry.column, entry.value});
    result.b.push_back(eq.b[rows[j]]);
    result.constraints.push_back(eq.constraints[rows[j]]);
  }
  return result;
}

/// The form of a constraint linear in the velocities: Psi_i, then Psi_t.
struct Form {
  std::vector<Expr> slopes;
  Expr time;
};

/// Vector fields along the dependent coordinates, as a basis in echelon form over the functions of
/// (q, t): each has 1 at its pivot, where the later ones have 0.
class Closure {
 public:
  /// `on`: zero on the positions that count; `state`: one of them, to many digits.
  Closure(std::size_t size, std::vector<Expr> on, std::optional<Point> state)
      : size_(size), on_(std::move(on)), state_(std::move(state)) {}

  /// Adds v if it is not in the span; false if it is. Throws Undecided where an entry can neither
  /// be shown to vanish nor not to.
  bool add(std::vector<Expr> v) {
    for (std::size_t b = 0; b < basis_.size(); ++b) {
      const Expr factor = v[pivots_[b]];
      if (factor.is_zero()) continue;
      for (std::size_t d = 0; d < size_; ++d) v[d] = shortened(v[d] - factor * basis_[b][d]);
      v[pivots_[b]] = 0;
    }
    std::size_t pivot = size_;
    for (std::size_t d = 0; d < size_; ++d) {
      if (vanishes(v[d])) {
        v[d] = 0;
      } else if (pivot == size_ || expr::node_count(std::span(&v[d], 1)) <
                                       expr::node_count(std::span(&v[pivot], 1))) {
        pivot = d;
      }
    }
    if (pivot == size_) return false;
    const Expr inverse = 1 / v[pivot];
    for (std::size_t d = 0; d < size_; ++d) {
      if (!v[d].is_zero()) v[d] = shortened(v[d] * inverse);
    }
    v[pivot] = 1;
    basis_.push_back(std::move(v));
    pivots_.push_back(pivot);
    return true;
  }

  struct Undecided {
    std::string reason;
  };
  bool vanishes(const Expr& e) const {
    if (e.is_zero()) return true;
    if (e.is(expr::Op::constant)) return false;
    const expr::Decision decision = expr::decide_zero(e);
    if (decision.verdict == Verdict::proven) return true;
    if (!on_.empty()) {
      expr::AlgebraOptions options;
      options.modulo = on_;
      if (expr::proven_zero(e, options)) return true;
      // Not zero in general; on the positions that count only if a state among them shows it.
      if (!nonzero_at_a_state(e)) throw Undecided{"whether a bracket vanishes on the positions"};
      return false;
    }
    if (decision.verdict == Verdict::not_proven) throw Undecided{decision.reason};
    return false;
  }

  std::size_t size() const { return size_; }
  const std::vector<std::vector<Expr>>& basis() const { return basis_; }

  /// A basis of the forms along the dependent coordinates that vanish on the closure, one for each
  /// coordinate that has no pivot: 1 there, and c_p = -sum_(d != p) c_d v_d at the pivot p of v.
  std::vector<std::vector<Expr>> annihilators() const {
    std::vector<std::vector<Expr>> result;
    for (std::size_t f = 0; f < size_; ++f) {
      if (std::find(pivots_.begin(), pivots_.end(), f) != pivots_.end()) continue;
      std::vector<Expr> c(size_);
      c[f] = 1;
      // From the last on: a vector is zero at the pivots of those before it.
      for (std::size_t b = basis_.size(); b-- > 0;) {
        std::vector<Expr> terms;
        for (std::size_t d = 0; d < size_; ++d) {
          if (d != pivots_[b]) terms.push_back(-c[d] * basis_[b][d]);
        }
        c[pivots_[b]] = shortened(expr::sum(terms));
      }
      result.push_back(std::move(c));
    }
    return result;
  }

 private:
  bool nonzero_at_a_state(const Expr& e) const {
    if (!state_) return false;
    Point point = *state_;
    std::mt19937_64 random(1);
    const auto value = expr::evaluate_precisely(e, values_of(point, random), 30);
    return value && std::abs(value->middle.get_d()) > 1e-15;
  }

  std::size_t size_;
  std::vector<Expr> on_;
  std::optional<Point> state_;
  std::vector<std::vector<Expr>> basis_;
  std::vector<std::size_t> pivots_;
};

/// sum_D v_D d/dq_D e.
Expr along_vertical(const Setting& s, const std::vector<Expr>& v, const Expr& e) {
  std::vector<Expr> terms;
  for (std::size_t d = 0; d < s.k; ++d) {
    if (v[d].is_zero()) continue;
    const Expr slope = expr::differentiate(e, s.eq().q[s.split.dependent[d]]);
    if (!slope.is_zero()) terms.push_back(slope * v[d]);
  }
  return expr::sum(terms);
}

/// The closure under brackets of the directions that linear constraints allow, along the dependent
/// coordinates. `growth` counts all directions after each round.
Closure close_under_brackets(const Setting& s, std::vector<std::size_t>& growth) {
  std::vector<Expr> positions;
  for (const ConstraintRow& row : s.eq().constraints) {
    if (row.level == Level::position) positions.push_back(row.residual);
  }
  std::optional<Point> state;
  std::mt19937_64 random(1788);
  for (int tries = 0; tries < 8 && !positions.empty() && !state; ++tries)
    state = random_point(s.model(), s.eq(), s.values, random, 40);
  Closure closure(s.k, std::move(positions), std::move(state));
  const Curvature c = curvature(s);
  // X_I for I < r, X_t for I = r.
  const auto along_field = [&s](std::size_t I, const Expr& e) {
    Expr direct = I < s.r ? expr::differentiate(e, s.eq().q[s.split.independent[I]])
                          : expr::differentiate(e, expr::time());
    std::vector<Expr> column;
    for (std::size_t d = 0; d < s.k; ++d) column.push_back(I < s.r ? s.B(d, I) : s.B_t[d]);
    return direct + along_vertical(s, column, e);
  };
  growth.push_back(s.r + 1);
  for (std::size_t i = 0; i < s.r; ++i) {
    for (std::size_t j = i + 1; j <= s.r; ++j) {
      std::vector<Expr> bracket;
      for (std::size_t d = 0; d < s.k; ++d)
        bracket.push_back(j < s.r ? c.beta[d](i, j) : c.beta_t[d][i]);
      closure.add(std::move(bracket));
    }
  }
  std::size_t done = 0;
  while (done < closure.basis().size() && closure.basis().size() < s.k) {
    growth.push_back(s.r + 1 + closure.basis().size());
    const std::size_t known = closure.basis().size();
    for (std::size_t b = done; b < known && closure.basis().size() < s.k; ++b) {
      const std::vector<Expr> v = closure.basis()[b];
      for (std::size_t i = 0; i <= s.r; ++i) {
        std::vector<Expr> bracket;
        for (std::size_t d = 0; d < s.k; ++d) {
          const Expr& slope = i < s.r ? s.B(d, i) : s.B_t[d];
          bracket.push_back(shortened(along_field(i, v[d]) - along_vertical(s, v, slope)));
        }
        closure.add(std::move(bracket));
      }
      for (std::size_t other = 0; other < b; ++other) {
        const std::vector<Expr> w = closure.basis()[other];
        std::vector<Expr> bracket;
        for (std::size_t d = 0; d < s.k; ++d)
          bracket.push_back(shortened(along_vertical(s, v, w[d]) - along_vertical(s, w, v[d])));
        closure.add(std::move(bracket));
      }
    }
    done = known;
  }
  if (growth.back() != s.r + 1 + closure.basis().size())
    growth.push_back(s.r + 1 + closure.basis().size());
  return closure;
}

std::optional<Expr> integral_of(const Equations& eq, const Form& form) {
  std::vector<Expr> x = eq.q;
  x.push_back(expr::time());
  std::vector<Expr> slopes = form.slopes;
  slopes.push_back(form.time);
  return first_integral(slopes, x);
}

/// Exactness (G5.25) and, for a constraint of level velocity, the integral.
void examine_form(const Equations& eq, const Form& form, ConstraintClass& c) {
  for (std::size_t i = 0; i < eq.q.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!expr::proven_zero(expr::differentiate(form.slopes[i], eq.q[k]) -
                             expr::differentiate(form.slopes[k], eq.q[i])))
        return;
    }
    if (!expr::proven_zero(expr::differentiate(form.slopes[i], expr::time()) -
                           expr::differentiate(form.time, eq.q[i])))
      return;
  }
  c.exact = true;
  if (c.level != Level::position) c.integral = integral_of(eq, form);
}

/// The holonomic combinations  sum_d c_d (dq_d - B_dI dq_I - B_dt dt)  that are none of constraints
/// which are holonomic themselves, as the reference state tells.
std::vector<HolonomicCombination> further_combinations(const Setting& s, const Closure& closure,
                                                       const std::vector<std::size_t>& linear,
                                                       const std::vector<Form>& forms,
                                                       const Classification& known) {
  const auto numbers = [&s](const std::vector<Expr>& list) {
    std::vector<double> result;
    for (const Expr& e : list) result.push_back(expr::evaluate(e, s.values));
    return result;
  };
  Directions directions;
  for (const std::size_t j : linear) {
    if (!known.constraints[j].holonomic()) continue;
    std::vector<Expr> along;
    for (const std::size_t d : s.split.dependent) along.push_back(forms[j].slopes[d]);
    directions.add(numbers(along));
  }
  std::vector<HolonomicCombination> result;
  for (const std::vector<Expr>& c : closure.annihilators()) {
    if (!directions.add(numbers(c))) continue;
    std::vector<Expr> slopes(s.n + 1), x = s.eq().q, terms;
    x.push_back(expr::time());
    for (std::size_t d = 0; d < s.k; ++d) {
      slopes[s.split.dependent[d]] += c[d];
      for (std::size_t i = 0; i < s.r; ++i) slopes[s.split.independent[i]] -= c[d] * s.B(d, i);
      slopes[s.n] -= c[d] * s.B_t[d];
    }
    for (std::size_t i = 0; i <= s.n; ++i) {
      slopes[i] = tidy(slopes[i]);
      terms.push_back(i < s.n ? slopes[i] * s.eq().v[i] : slopes[i]);
    }
    result.push_back({tidy(expr::sum(terms)), first_integral(slopes, x)});
  }
  return result;
}

/// What the closure under brackets tells of the `linear` constraints, of which `some` consists.
struct Closed {
  Classification known;
  std::optional<Setting> setting;
  std::optional<Closure> closure;  ///< where all is decided
};

Closed close(const model::Model& model, const Equations& some, const expr::Values& values,
             const Split& split, const std::vector<std::size_t>& linear,
             const std::vector<Form>& forms, Classification result) {
  auto setting = prepare(model, some, values, split, false);
  if (!setting) {
    result.not_decided = setting.error();
    return {std::move(result), {}, {}};
  }
  try {
    Closure closure = close_under_brackets(*setting, result.growth);
    result.holonomic_combinations = setting->k - closure.basis().size();
    for (const std::size_t j : linear) {
      bool inside = true;
      for (const std::vector<Expr>& v : closure.basis()) {
        std::vector<Expr> terms;
        for (std::size_t d = 0; d < setting->k; ++d)
          terms.push_back(forms[j].slopes[setting->split.dependent[d]] * v[d]);
        inside = inside && closure.vanishes(expr::sum(terms));
      }
      result.constraints[j].integrable = inside;
    }
    return {std::move(result), *std::move(setting), std::move(closure)};
  } catch (const Closure::Undecided& undecided) {
    result.not_decided = undecided.reason;
    return {std::move(result), {}, {}};
  }
}

bool has_time(const Expr& e) {
  return expr::find_symbol(e, [](const expr::Symbol& s) { return s.kind == SymbolKind::time; })
      .has_value();
}

}  // namespace

Classification classify(const model::Model& model, const Equations& eq, const expr::Values& given,
                        const expr::Patience& patience) {
  const expr::Values values = generic_values(model, eq, given);
  Classification result;
  const std::size_t n = eq.q.size();
  expr::ExprMap at_rest;
  for (const Expr& v : eq.v) at_rest.emplace(v, Expr(0));

  std::vector<std::size_t> linear;  // constraints with a form
  std::vector<Form> forms(eq.constraints.size());
  const auto vanishes = [&patience](const Expr& e) {
    return e.is_zero() ||
           expr::within(patience.most, [&e] { return expr::proven_zero(e); }).value_or(false);
  };
  for (std::size_t j = 0; j < eq.constraints.size(); ++j) {
    const ConstraintRow& row = eq.constraints[j];
    patience.say(
        fmt::format("classifying the constraints ({} of {})", j + 1, eq.constraints.size()));
    ConstraintClass c{row.name, row.level, true, has_time(row.residual), true, {}, false, {}};
    forms[j].slopes.resize(n);
    for (const Entry& entry : row_of_A(eq, j)) forms[j].slopes[entry.column] = entry.value;
    if (row.level != Level::acceleration) {
      for (Expr& slope : forms[j].slopes) {
        for (const Expr& v : eq.v) {
          const Expr bend = expr::differentiate(slope, v);
          if (!vanishes(bend)) c.linear = false;
        }
        if (c.linear) slope = expr::substitute(slope, at_rest);
      }
      forms[j].time = expr::substitute(row.rate, at_rest);
      c.catastatic = vanishes(forms[j].time);
      if (c.linear) linear.push_back(j);
    }
    if (row.level == Level::position) c.integrable = true;
    if (c.linear && row.level != Level::acceleration) {
      const auto examined = expr::within(patience.most, [&] {
        ConstraintClass known = c;
        examine_form(eq, forms[j], known);
        return known;
      });
      if (examined) c = *examined;
    }
    if (c.exact) c.integrable = true;
    result.constraints.push_back(std::move(c));
  }
  const Equations some = with_constraints(eq, linear);
  const Split split = split_coordinates(model, some, values, {}, true);
  result.linear_rank = split.rows.size();
  const bool settled = std::all_of(linear.begin(), linear.end(), [&](std::size_t j) {
    return result.constraints[j].integrable.value_or(false);
  });
  if (settled) {  // each by itself, hence all together
    result.holonomic_combinations = split.rows.size();
    return result;
  }
  patience.say("classifying the constraints together");
  auto closed = expr::within(
      patience.most, [&] { return close(model, some, values, split, linear, forms, result); });
  if (!closed) {
    result.not_decided = "that takes too long";
    return result;
  }
  result = std::move(closed->known);
  if (!closed->closure) return result;
  for (const std::size_t j : linear) {
    ConstraintClass& c = result.constraints[j];
    if (c.level == Level::position || c.exact || !c.holonomic()) continue;
    c.integral = expr::within(patience.most, [&] {
                   return integral_of(eq, forms[j]);
                 }).value_or(std::nullopt);
  }
  result.combinations =
      expr::within(patience.most, [&] {
        return further_combinations(*closed->setting, *closed->closure, linear, forms, result);
      }).value_or(std::vector<HolonomicCombination>());
  return result;
}

}  // namespace dalembert::mechanics
