#include "dalembert/solve/split_judge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dalembert::solve {

namespace {

Eigen::Index at(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

}  // namespace

SplitJudge::SplitJudge(std::size_t n, std::size_t m)
    : column_scale_(at(n)),
      best_(at(m)),
      A_(at(m), at(n)),
      work_(at(m), at(n)),
      row_used_(m),
      column_used_(n) {}

void SplitJudge::set(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A) {
  for (Eigen::Index i = 0; i < M.rows(); ++i)
    column_scale_(i) = M(i, i) > 0 ? 1 / std::sqrt(M(i, i)) : 1;
  A_ = A;
  scale(A_);
}

void SplitJudge::scale(Eigen::MatrixXd& X) const {
  for (Eigen::Index j = 0; j < X.rows(); ++j) {
    double norm = 0;
    for (Eigen::Index i = 0; i < X.cols(); ++i) {
      X(j, i) *= column_scale_(i);
      norm = std::hypot(norm, X(j, i));
    }
    for (Eigen::Index i = 0; norm > 0 && i < X.cols(); ++i) X(j, i) /= norm;
  }
}

/// Of work_, in the order of mechanics::split_coordinates: of the rows whose largest entry is
/// within a factor ten of the largest of all the first, of its columns the largest. Rows and
/// columns that are marked as used are left alone.
double SplitJudge::product_of_pivots(std::size_t rank) {
  double product = 1;
  for (std::size_t step = 0; step < rank; ++step) {
    double largest = 0;
    for (Eigen::Index j = 0; j < work_.rows(); ++j) {
      best_(j) = 0;
      if (row_used_[static_cast<std::size_t>(j)] != 0) continue;
      for (Eigen::Index i = 0; i < work_.cols(); ++i) {
        if (column_used_[static_cast<std::size_t>(i)] == 0)
          best_(j) = std::max(best_(j), std::abs(work_(j, i)));
      }
      largest = std::max(largest, best_(j));
    }
    if (!(largest > 0)) return 0;
    Eigen::Index row = 0;
    while (row_used_[static_cast<std::size_t>(row)] != 0 || !(best_(row) >= 0.1 * largest)) ++row;
    Eigen::Index column = -1;
    for (Eigen::Index i = work_.cols(); i-- > 0;) {
      if (column_used_[static_cast<std::size_t>(i)] != 0) continue;
      if (column < 0 || std::abs(work_(row, i)) > 1.0001 * std::abs(work_(row, column))) column = i;
    }
    row_used_[static_cast<std::size_t>(row)] = column_used_[static_cast<std::size_t>(column)] = 1;
    product *= std::abs(work_(row, column));
    for (Eigen::Index j = 0; j < work_.rows(); ++j) {
      if (row_used_[static_cast<std::size_t>(j)] != 0) continue;
      const double factor = work_(j, column) / work_(row, column);
      for (Eigen::Index i = 0; i < work_.cols(); ++i) work_(j, i) -= factor * work_(row, i);
    }
  }
  return product;
}

/// All of A to work_, all or none of its rows and columns to choose from.
void SplitJudge::use(bool all_rows, bool all_columns) {
  work_ = A_;
  std::fill(row_used_.begin(), row_used_.end(), static_cast<char>(!all_rows));
  std::fill(column_used_.begin(), column_used_.end(), static_cast<char>(!all_columns));
}

double SplitJudge::quality(std::span<const std::size_t> rows,
                           std::span<const std::size_t> dependent) {
  use(true, true);
  const double best = product_of_pivots(rows.size());
  use(false, false);
  for (const std::size_t j : rows) row_used_[j] = 0;
  for (const std::size_t i : dependent) column_used_[i] = 0;
  const double present = product_of_pivots(rows.size());
  return best > 0 ? present / best : 1;
}

double SplitJudge::quality(std::span<const std::size_t> rows) {
  use(true, true);
  const double best = product_of_pivots(rows.size());
  use(false, true);
  for (const std::size_t j : rows) row_used_[j] = 0;
  const double present = product_of_pivots(rows.size());
  return best > 0 ? present / best : 1;
}

double SplitJudge::smallest_pivot(Eigen::MatrixXd& Psi) {
  scale(Psi);
  const Eigen::Index n = Psi.rows();
  double smallest = 1;
  for (Eigen::Index c = 0; c < n; ++c) {
    Eigen::Index row = c, column = c;
    const double pivot = Psi.bottomRightCorner(n - c, n - c).cwiseAbs().maxCoeff(&row, &column);
    if (!(pivot > 0)) return 0;
    Psi.row(c).swap(Psi.row(c + row));
    Psi.col(c).swap(Psi.col(c + column));
    smallest = std::min(smallest, pivot);
    for (Eigen::Index j = c + 1; j < n; ++j) {
      const double factor = Psi(j, c) / Psi(c, c);
      for (Eigen::Index i = c; i < n; ++i) Psi(j, i) -= factor * Psi(c, i);
    }
  }
  return smallest;
}

}  // namespace dalembert::solve
