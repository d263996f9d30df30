#include "dalembert/mechanics/zero_on_constraints.hpp"

#include <cmath>

#include "dalembert/expr/effort.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::mechanics {

namespace {

constexpr int states_tried = 3;
constexpr int digits_of_states = 40;
constexpr int digits_of_values = 30;
/// Of the size of its terms: what a value is at least that is not zero. Far above what the states
/// are off the constraints.
constexpr double least_difference = 1e-20;

}  // namespace

ZeroOnConstraints::ZeroOnConstraints(const Setting& s, double most) : s_(s), most_(most) {
  std::mt19937_64 random(1734);
  for (int tries = 0; tries < 4 * states_tried && states_.size() < states_tried; ++tries) {
    if (auto state = random_point(s.model(), s.eq(), s.values, random, digits_of_states))
      states_.push_back(*std::move(state));
  }
  if (s.linear && s.k > 0) velocities_ = split_velocities(s);
  for (const std::size_t j : s.split.rows) {
    const ConstraintRow& row = s.eq().constraints[j];
    if (row.level == Level::position) zero_.push_back(row.residual);
    if (!s.linear && row.level != Level::acceleration) zero_.push_back(row.rate);
  }
}

bool ZeroOnConstraints::differs(const Expr& e) {
  const std::vector<Expr> both{e, magnitude_of_terms(e)};
  std::mt19937_64 random(1717);  // for forces and whatever else a state does not say
  for (Point& state : states_) {
    const auto found = expr::evaluate_precisely(both, values_of(state, random), digits_of_values);
    if (!found[0] || !found[1]) continue;
    const double value = std::abs(found[0]->middle.get_d());
    if (value > least_difference * std::abs(found[1]->middle.get_d())) return true;
  }
  return false;
}

bool ZeroOnConstraints::is_proven(const Expr& e) const {
  const auto proven = [this](const Expr& what, const std::vector<Expr>& modulo) {
    expr::AlgebraOptions options;
    options.modulo = modulo;
    return expr::within(most_, [&] { return expr::proven_zero(what, options); }).value_or(false);
  };
  if (proven(e, {})) return true;
  const Expr reduced = with_velocities(s_, e, velocities_);
  if (!velocities_.empty() && proven(reduced, {})) return true;
  return !zero_.empty() && proven(reduced, zero_);
}

expr::Verdict ZeroOnConstraints::operator()(const Expr& e) {
  if (e.is_zero()) return expr::Verdict::proven;
  if (differs(e)) return expr::Verdict::refuted;
  return is_proven(e) ? expr::Verdict::proven : expr::Verdict::not_proven;
}

}  // namespace dalembert::mechanics
