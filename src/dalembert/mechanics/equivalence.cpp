#include "dalembert/mechanics/equivalence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/expr/print.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/generic.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"
#include "dalembert/mechanics/manifold.hpp"

namespace dalembert::mechanics {

namespace {

std::vector<Expr> multiply(const Matrix& a, const std::vector<Expr>& x) {
  return a.empty() ? x : a * x;
}

/// Zero where `a` has no columns, which the product of matrices leaves without a size.
std::vector<Expr> combine(const Matrix& a, const std::vector<Expr>& x, std::size_t rows) {
  return a.empty() ? std::vector<Expr>(rows) : a * x;
}

/// The largest relative difference at random points on the constraints; negative if no point could
/// be had. Fills the witness if it is beyond the tolerance.
double numeric_error(const Claim& claim, const Setting& s, const VerifyOptions& options,
                     std::optional<expr::Witness>& witness) {
  std::mt19937_64 random(20010711);
  double worst = -1;
  for (int tries = 0, found = 0; tries < 4 * options.points && found < options.points; ++tries) {
    std::optional<Point> point =
        random_point(s.model(), s.eq(), s.values, random, options.digits + 10);
    if (!point) continue;
    const auto values = values_of(*point, random);
    const std::vector<Expr> sides{magnitude_of_terms(claim.left), magnitude_of_terms(claim.right),
                                  claim.left - claim.right};
    const auto numbers = expr::evaluate_precisely(sides, values, options.digits);
    if (!numbers[0] || !numbers[1] || !numbers[2]) continue;
    ++found;
    const double size =
        std::abs(numbers[0]->middle.get_d()) + std::abs(numbers[1]->middle.get_d()) + 1e-8;
    const double error = std::abs(numbers[2]->middle.get_d()) / size;
    worst = std::max(worst, error);
    if (error > options.tolerance && !witness) {
      expr::Witness where;
      for (const Expr& symbol : expr::symbols(sides))
        where.at.emplace_back(symbol, values(symbol.symbol()));
      std::sort(where.at.begin(), where.at.end(), [](const auto& a, const auto& b) {
        return expr::to_text(a.first) < expr::to_text(b.first);
      });
      where.value = fmt::format("{:.10g}", numbers[2]->middle.get_d());
      witness = std::move(where);
    }
  }
  return worst;
}

std::vector<Expr> position_residuals(const Setting& s) {
  std::vector<Expr> result;
  for (const std::size_t j : s.split.rows) {
    const ConstraintRow& row = s.eq().constraints[j];
    if (row.level == Level::position) result.push_back(row.residual);
  }
  return result;
}

std::string name_of_equation(const Formulation& f, std::size_t i) {
  return i < f.equations.size() ? "equation of " + f.equations[i].name
                                : fmt::format("equation {}", i + 1);
}

}  // namespace

std::vector<Claim> claims(const Formulation& f, const Setting& s) {
  std::vector<Claim> list;
  // (ii) Z^T (M q'' - Q - C)
  const std::vector<Expr> Mq = s.M * f.accelerations;
  std::vector<Expr> L;
  for (std::size_t i = 0; i < s.n; ++i) L.push_back(Mq[i] - s.eq().Q[i] - s.C[i]);
  const std::vector<Expr> target = multiply(f.left, transpose(f.Z) * L);
  const std::vector<Expr> by_residuals = combine(f.combination, f.residuals, s.r);
  for (std::size_t r = 0; r < s.r; ++r)
    list.push_back({name_of_equation(f, r), target[r], by_residuals[r]});
  // (i) A q'' = b
  std::vector<Expr> miss = s.A * f.accelerations;
  for (std::size_t j = 0; j < s.k; ++j) miss[j] -= s.b[j];
  miss = multiply(f.constraint_left, miss);
  const std::vector<Expr> misses = combine(f.constraint_combination, f.residuals, s.k);
  const auto constraint = [&s](std::size_t j) { return s.eq().constraints[s.split.rows[j]].name; };
  for (std::size_t j = 0; j < s.k; ++j)
    list.push_back(
        {fmt::format("accelerations on constraint '{}'", constraint(j)), miss[j], misses[j]});
  // Virtual displacements.
  const Matrix AZ = s.A * f.Z;
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t r = 0; r < s.r; ++r) {
      list.push_back({fmt::format("virtual displacements on constraint '{}'", constraint(j)),
                      AZ(j, r), Expr(0)});
    }
  }
  // The velocities the formulation allows, and that its own rates are independent.
  if (!f.velocities.empty()) {
    std::vector<Expr> rate = s.A * s.eq().v;
    for (std::size_t j = 0; j < s.k; ++j) {
      list.push_back({fmt::format("velocities on constraint '{}'", constraint(j)),
                      rate[j] + s.a_t[j], Expr(0)});
    }
    for (std::size_t r = 0; r < f.rates.size(); ++r)
      list.push_back(
          {"quasi-velocity " + expr::to_text(f.rates[r]), f.rates_from_velocities[r], f.rates[r]});
    for (Claim& claim : list) {
      claim.left = with_velocities(s, claim.left, f.velocities);
      claim.right = with_velocities(s, claim.right, f.velocities);
    }
  }
  return list;
}

Verification verify(const std::vector<Claim>& list, const Setting& s,
                    const VerifyOptions& options) {
  Verification result;
  result.holds = true;
  expr::AlgebraOptions algebra;
  algebra.modulo = options.modulo;
  for (const Claim& claim : list) {
    const Expr difference = claim.left - claim.right;
    if (difference.is_zero()) continue;
    expr::Decision decision;
    if (!options.prove) {
      result.not_decided = "a proof takes too long";
    } else if (result.how == How::proof) {  // once one is not decided the whole is not proven
      decision = expr::decide_zero(difference, algebra);
      result.not_decided = decision.reason;
    }
    if (decision.verdict == expr::Verdict::proven) continue;
    if (decision.verdict == expr::Verdict::refuted) {
      result.holds = false;
      result.how = How::proof;
      result.failed = claim.what;
      result.witness = std::move(decision.witness);
      return result;
    }
    result.how = How::numeric;
    const double error = numeric_error(claim, s, options, result.witness);
    result.error = std::max(result.error, error);
    if (error < 0 || error > options.tolerance) {
      result.holds = false;
      result.failed = claim.what;
      if (error < 0) result.not_decided = "no state on the constraints could be found to try it at";
      return result;
    }
  }
  return result;
}

namespace {

/// A of the explicit forms with the directions Z: what is left to show of the model itself once the
/// rest is shown for all M, Q, A, b, C.
std::vector<Claim> direction_claims(const Setting& s) {
  std::vector<Claim> list;
  const Matrix AZ = s.A * split_directions(s);
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t r = 0; r < s.r; ++r)
      list.push_back({"virtual displacements", AZ(j, r), Expr(0)});
  }
  return list;
}

/// The explicit forms are algebra on M, Q, A, b, C whatever these are made of: shown with symbols
/// for their entries, of which only A_I = -A_D B, that is A Z = 0, is used.
Verification verify_explicit(const FormulationInfo& info, const Setting& s, bool prove) {
  VerifyOptions options;
  options.prove = prove;
  const Generic generic = make_generic(s);
  const auto f = info.derive(generic.setting);
  if (!f) return {false, How::proof, 0, f.error(), {}, {}};
  Verification result = verify(claims(*f, generic.setting), generic.setting, options);
  if (!result.holds) return result;
  Verification directions = verify(direction_claims(s), s, options);
  if (result.how == How::numeric && directions.how == How::proof) directions.how = How::numeric;
  directions.error = std::max(directions.error, result.error);
  return directions;
}

}  // namespace

namespace {

/// One formulation compared, proven or, without `prove`, at random states.
Agreement compare(const FormulationInfo& info, const Setting& s, bool prove) {
  Agreement agreement{std::string(info.name), info.mechanical, {}, false, {}};
  VerifyOptions options;
  options.prove = prove;
  const auto f = info.derive(s);
  if (!f) {
    agreement.ruled_out = f.error();
  } else if (f->runnable) {
    agreement.result = verify(claims(*f, s), s, options);
    if (!info.mechanical && !agreement.result.holds) {
      // What departs only off the positions that the constraints allow does not depart.
      options.modulo = position_residuals(s);
      if (!options.modulo.empty()) agreement.result = verify(claims(*f, s), s, options);
    }
  } else {
    agreement.result = verify_explicit(info, s, prove);
  }
  return agreement;
}

}  // namespace

std::vector<Agreement> compare_formulations(const Setting& setting, std::string_view only,
                                            const expr::Patience& patience) {
  std::vector<Agreement> result;
  Setting s = setting;
  s.explain = false;
  std::size_t number = 0;
  for (const FormulationInfo& info : formulations()) {
    ++number;
    if (!only.empty() && info.name != only) continue;
    patience.say(only.empty() ? fmt::format("comparing the formulations: {} ({} of {})", info.name,
                                            number, formulations().size())
                              : fmt::format("comparing {} with Lagrange's equations", info.name));
    auto agreement = expr::within(patience.most, [&] { return compare(info, s, true); });
    if (!agreement)
      agreement = expr::within(patience.most, [&] { return compare(info, s, false); });
    result.push_back(agreement ? *std::move(agreement)
                               : Agreement{std::string(info.name), info.mechanical, {}, true, {}});
  }
  return result;
}

namespace {

/// The claims that a constraint, whose row of A is given, follows from the others.
std::vector<Claim> redundancy_claims(const Setting& s, std::size_t constraint,
                                     const std::vector<Expr>& row) {
  const Matrix Z = split_directions(s);
  std::vector<Expr> free(s.r), velocities;
  const std::vector<Expr> offset = split_accelerations(s, free);
  if (s.linear) velocities = split_velocities(s);
  std::vector<Claim> list;
  const std::vector<Expr> virtual_row = transpose(Z) * row;
  for (std::size_t r = 0; r < s.r; ++r)
    list.push_back({"its row of A", with_velocities(s, virtual_row[r], velocities), Expr(0)});
  list.push_back({"its right side b", with_velocities(s, dot(row, offset), velocities),
                  with_velocities(s, s.eq().b[constraint], velocities)});
  return list;
}

/// The combination y with y^T A_D = row_D, where it is made of numbers.
void find_combination(const Setting& s, const std::vector<Expr>& row, Redundancy& redundancy) {
  Matrix AD(s.k, s.k), right(s.k, 1);
  for (std::size_t d = 0; d < s.k; ++d) {
    for (std::size_t l = 0; l < s.k; ++l) AD(d, l) = s.A(l, s.split.dependent[d]);
    right(d, 0) = row[s.split.dependent[d]];
  }
  const auto y = solve(AD, right, s.values);
  if (!y) return;
  bool numbers = true;
  std::string text;
  for (std::size_t l = 0; l < s.k; ++l) {
    const Expr weight = shortened((*y)(l, 0));
    if (weight.is_zero()) continue;
    redundancy.of.push_back(s.split.rows[l]);
    numbers = numbers && weight.is(expr::Op::constant);
    if (!numbers) continue;
    const std::string name = s.eq().constraints[s.split.rows[l]].name;
    const std::string size = expr::to_text(weight);
    const bool minus = size.front() == '-';
    const std::string magnitude = minus ? size.substr(1) : size;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    text += magnitude == "1" ? name : magnitude + "·" + name;
  }
  if (numbers) redundancy.combination = text;
}

}  // namespace

std::vector<Redundancy> examine_redundant(const Setting& s, const expr::Patience& patience) {
  std::vector<Redundancy> result;
  VerifyOptions options;
  options.modulo = position_residuals(s);
  for (const std::size_t j : s.split.rows) {
    const ConstraintRow& row = s.eq().constraints[j];
    if (!s.linear && row.level != Level::acceleration) options.modulo.push_back(row.rate);
  }
  for (const std::size_t j : s.split.redundant) {
    patience.say(fmt::format("examining redundant constraints ({} of {})", result.size() + 1,
                             s.split.redundant.size()));
    std::vector<Expr> row(s.n);
    for (const Entry& entry : row_of_A(s.eq(), j)) row[entry.column] = entry.value;
    Redundancy redundancy{j, {}, {}, {}, false};
    auto examined = expr::within(patience.most, [&] {
      const std::vector<Claim> list = redundancy_claims(s, j, row);
      // Off the positions the constraints allow first: that needs no basis of their ideal.
      VerifyOptions everywhere;
      everywhere.points = 0;
      Verification verification = verify(list, s, everywhere);
      return verification.holds ? verification : verify(list, s, options);
    });
    if (!examined) {
      examined = expr::within(patience.most, [&] {
        VerifyOptions numerically = options;
        numerically.prove = false;
        return verify(redundancy_claims(s, j, row), s, numerically);
      });
    }
    redundancy.given_up = !examined;
    if (examined) redundancy.result = *std::move(examined);
    const auto combined = expr::within(patience.most, [&] {
      Redundancy found = redundancy;
      find_combination(s, row, found);
      return found;
    });
    result.push_back(combined.value_or(std::move(redundancy)));
  }
  return result;
}

}  // namespace dalembert::mechanics
