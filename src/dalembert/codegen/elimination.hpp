#pragma once
/// Elimination written out into a tape, operation by operation: for systems small enough that
/// straight code beats loops. Zeros known while the tape is made are skipped, and what depends on
/// parameters alone leaves the loop by itself.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/codegen/tape_builder.hpp"

namespace dalembert::codegen {

using Value = TapeBuilder::Value;

/// A matrix of values of a tape, row by row.
class ValueMatrix {
 public:
  ValueMatrix(std::size_t rows, std::size_t columns, Value zero)
      : columns_(columns), entries_(rows * columns, zero) {}
  std::size_t rows() const { return columns_ == 0 ? 0 : entries_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  Value& operator()(std::size_t i, std::size_t j) { return entries_[i * columns_ + j]; }
  Value operator()(std::size_t i, std::size_t j) const { return entries_[i * columns_ + j]; }
  std::span<const Value> row(std::size_t i) const {
    return std::span(entries_).subspan(i * columns_, columns_);
  }

 private:
  std::size_t columns_;
  std::vector<Value> entries_;
};

/// What a tape knows of its own trustworthiness: a number that is positive as long as all that was
/// to be positive is.
class Margin {
 public:
  explicit Margin(TapeBuilder& tape) : tape_(tape) {}
  void require_positive(Value x);
  /// At most 1 where everything required is positive or zero, 2 where something is negative, not a
  /// number where something is not one.
  Value doubt() const;

 private:
  TapeBuilder& tape_;
  std::optional<Value> least_;
};

/// S = P^T L D L^T P of a symmetric positive definite matrix, L unit lower triangular, in an order
/// of least degree. Each pivot must exceed `limit` times the diagonal entry it comes from, or the
/// margin says so.
class WrittenLdl {
 public:
  /// Only the lower triangle of S is read.
  WrittenLdl(TapeBuilder& tape, ValueMatrix S, double limit, Margin& margin);

  /// y = L^-1 P x, the first half of a solution; in the order of elimination.
  std::vector<Value> forward(std::span<const Value> x) const;
  /// x = P^T L^-T D^-1 y, the second half.
  std::vector<Value> backward(std::span<const Value> y) const;
  std::vector<Value> solve(std::span<const Value> x) const { return backward(forward(x)); }
  /// 1 / D of row i of S: at least 1 / S_ii.
  Value inverse_pivot(std::size_t i) const;
  /// x . D^-1 y of two halves: what a . S^-1 b is by the halves of a and b.
  Value dot(std::span<const Value> x, std::span<const Value> y) const;
  /// D^(-1/2) y of a half: the sum of squares is its dot with itself.
  std::vector<Value> normalised(std::span<const Value> y) const;

 private:
  TapeBuilder& tape_;
  std::size_t size_;
  std::vector<std::size_t> order_;  ///< order_[k] is eliminated k-th
  ValueMatrix L_;                   ///< in the order of elimination, below the diagonal
  std::vector<Value> inverse_;      ///< 1 / D
};

/// sum of a_i b_i
Value dot(TapeBuilder& tape, std::span<const Value> a, std::span<const Value> b);

}  // namespace dalembert::codegen
