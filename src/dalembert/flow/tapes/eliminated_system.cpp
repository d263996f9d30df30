#include "dalembert/flow/tapes/eliminated_system.hpp"

#include <algorithm>
#include <utility>

namespace dalembert::flow {

using codegen::Margin;
using codegen::TapeBuilder;
using codegen::Value;
using codegen::ValueMatrix;
using codegen::WrittenLdl;

namespace {

ValueMatrix lowered_mass(TapeBuilder& tape, const mechanics::Equations& eq) {
  ValueMatrix M(eq.q.size(), eq.q.size(), tape.constant(0));
  for (const auto& entry : eq.M) {
    M(entry.row, entry.column) = tape.lower(entry.value);
    M(entry.column, entry.row) = M(entry.row, entry.column);
  }
  return M;
}

ValueMatrix lowered_rows(TapeBuilder& tape, const mechanics::Equations& eq) {
  ValueMatrix A(eq.b.size(), eq.q.size(), tape.constant(0));
  for (const auto& entry : eq.A) A(entry.row, entry.column) = tape.lower(entry.value);
  return A;
}

std::vector<std::vector<Value>> halves(const WrittenLdl& mass, const ValueMatrix& A,
                                       std::span<const std::size_t> rows) {
  std::vector<std::vector<Value>> Y;
  for (const std::size_t j : rows) Y.push_back(mass.forward(A.row(j)));
  return Y;
}

ValueMatrix schur_complement(TapeBuilder& tape, const WrittenLdl& mass,
                             const std::vector<std::vector<Value>>& Y) {
  ValueMatrix S(Y.size(), Y.size(), tape.constant(0));
  for (std::size_t i = 0; i < Y.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) S(i, j) = mass.dot(Y[i], Y[j]);
  }
  return S;
}

}  // namespace

EliminatedSystem::EliminatedSystem(TapeBuilder& tape, const mechanics::Equations& eq,
                                   std::vector<std::size_t> rows, Margin& margin,
                                   double least_pivot)
    : tape_(tape),
      eq_(eq),
      rows_(std::move(rows)),
      M_(lowered_mass(tape, eq)),
      A_(lowered_rows(tape, eq)),
      mass_(tape, M_, least_mass_pivot, margin),
      Y_(halves(mass_, A_, rows_)),
      schur_(tape, schur_complement(tape, mass_, Y_), least_pivot, margin) {}

std::vector<Value> EliminatedSystem::correction(std::span<const Value> x) const {
  const std::vector<Value> lambda = schur_.solve(x);
  std::vector<Value> half(n(), tape_.constant(0));
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    for (std::size_t i = 0; i < n(); ++i)
      half[i] = tape_.add(half[i], tape_.multiply(Y_[j][i], lambda[j]));
  }
  return mass_.backward(half);
}

std::vector<std::vector<Value>> EliminatedSystem::heights() const {
  std::vector<std::vector<Value>> heights;
  for (const std::vector<Value>& y : Y_) {
    std::vector<Value> height = mass_.normalised(y);
    for (const std::vector<Value>& before : heights) {
      const Value part =
          tape_.divide(codegen::dot(tape_, height, before), codegen::dot(tape_, before, before));
      for (std::size_t i = 0; i < n(); ++i)
        height[i] = tape_.subtract(height[i], tape_.multiply(part, before[i]));
    }
    heights.push_back(std::move(height));
  }
  return heights;
}

std::vector<Value> EliminatedSystem::transposed_times(std::span<const Value> lambda) const {
  std::vector<Value> force(n(), tape_.constant(0));
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    for (std::size_t i = 0; i < n(); ++i)
      force[i] = tape_.add(force[i], tape_.multiply(A_(rows_[j], i), lambda[j]));
  }
  return force;
}

EliminatedSystem::Solution EliminatedSystem::solve(Margin& margin) const {
  std::vector<Value> Q, b, C;
  for (const auto& e : eq_.Q) Q.push_back(tape_.lower(e));
  for (const auto& e : eq_.b) b.push_back(tape_.lower(e));
  std::vector<Value> half = mass_.forward(Q);
  std::vector<Value> e;
  for (std::size_t j = 0; j < rows_.size(); ++j)
    e.push_back(tape_.subtract(b[rows_[j]], mass_.dot(Y_[j], half)));
  const std::vector<Value> lambda = schur_.solve(e);

  Solution result;
  result.ideal_multipliers = lambda;
  result.ideal = transposed_times(lambda);
  if (eq_.C_uses_ideal_force) {
    for (std::size_t i = 0; i < n(); ++i)
      tape_.define(expr::ideal_force(eq_.q[i].symbol().name), result.ideal[i]);
  }
  for (const auto& c : eq_.C) C.push_back(tape_.lower(c));
  const std::vector<Value> C_half = mass_.forward(C);
  std::vector<Value> shift;
  for (const auto& y : Y_) shift.push_back(tape_.negate(mass_.dot(y, C_half)));
  const std::vector<Value> mu = schur_.solve(shift);
  result.nonideal = transposed_times(mu);
  for (std::size_t j = 0; j < rows_.size(); ++j)
    result.multipliers.push_back(tape_.add(lambda[j], mu[j]));
  for (std::size_t i = 0; i < n(); ++i) {
    result.nonideal[i] = tape_.add(result.nonideal[i], C[i]);
    half[i] = tape_.add(half[i], C_half[i]);
    for (std::size_t j = 0; j < rows_.size(); ++j)
      half[i] = tape_.add(half[i], tape_.multiply(Y_[j][i], result.multipliers[j]));
  }
  result.qdd = mass_.backward(half);

  for (const std::size_t j : rows_) require_row(j, result.qdd, most_residual, margin);
  return result;
}

/// |A_j q'' - b_j| within its part of what it could have been had nothing cancelled.
void EliminatedSystem::require_row(std::size_t j, const std::vector<Value>& qdd, double most,
                                   Margin& margin) const {
  const Value b = tape_.lower(eq_.b[j]);
  Value residual = tape_.negate(b);
  Value scale = tape_.abs(b);
  for (std::size_t i = 0; i < n(); ++i) {
    if (tape_.is_zero(A_(j, i))) continue;
    const Value free = tape_.multiply(tape_.lower(eq_.Q[i]), mass_.inverse_pivot(i));
    const Value reach = tape_.add(tape_.abs(qdd[i]), tape_.abs(free));
    residual = tape_.add(residual, tape_.multiply(A_(j, i), qdd[i]));
    scale = tape_.add(scale, tape_.multiply(tape_.abs(A_(j, i)), reach));
  }
  if (mended_) {
    Value all = tape_.constant(0), length = tape_.constant(0);
    for (std::size_t i = 0; i < n(); ++i) {
      all = tape_.add(all, tape_.abs(qdd[i]));
      length = tape_.add(length, tape_.abs(A_(j, i)));
    }
    scale = tape_.add(scale, tape_.multiply(length, all));
  }
  margin.require_positive(
      tape_.subtract(tape_.multiply(tape_.constant(most), scale), tape_.abs(residual)));
}

void EliminatedSystem::require_other_rows(const Solution& solution, Margin& margin) const {
  for (std::size_t j = 0; j < eq_.b.size(); ++j) {
    if (std::find(rows_.begin(), rows_.end(), j) == rows_.end())
      require_row(j, solution.qdd, most_other_residual, margin);
  }
}

std::vector<codegen::Value> powers(codegen::TapeBuilder& tape, const mechanics::Equations& eq,
                                   const EliminatedSystem::Solution& solution) {
  std::vector<codegen::Value> v;
  for (const expr::Expr& e : eq.v) v.push_back(tape.lower(e));
  return {tape.lower(eq.applied_power), codegen::dot(tape, solution.ideal, v),
          codegen::dot(tape, solution.nonideal, v), tape.lower(eq.other_power)};
}

}  // namespace dalembert::flow
