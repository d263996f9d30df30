#include "dalembert/flow/tapes/mended_mass.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "dalembert/solve/symmetric_eigen.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using mechanics::Entry;

constexpr double no_mass = 1e-10;    // an eigenvalue below this part of the largest is none
constexpr double least_part = 1e-3;  // of a row's length along what has no mass, to be of use

/// The directions without mass, orthonormal; M scaled to a unit diagonal where it has one.
Eigen::MatrixXd massless(const Eigen::MatrixXd& M) {
  const SymmetricEigen eigen = symmetric_eigen(M);
  if (!eigen.converged || !(eigen.values.tail(1)[0] > 0)) return {};
  Eigen::Index count = 0;
  while (count < M.rows() && !(eigen.values[count] > no_mass * eigen.values.tail(1)[0])) ++count;
  return eigen.vectors.leftCols(count);
}

/// The row that points farthest along the directions, as a part of its length.
std::optional<std::size_t> farthest(const Eigen::MatrixXd& A, const std::vector<std::size_t>& rows,
                                    const Eigen::MatrixXd& directions) {
  std::optional<std::size_t> best;
  double most = least_part;
  for (const std::size_t j : rows) {
    const Eigen::RowVectorXd row = A.row(static_cast<Eigen::Index>(j));
    const double part = (row * directions).norm() / row.norm();
    // Equal ones, but for rounding: the first.
    if (part > most * (1 + 1e-6)) {
      most = part;
      best = j;
    }
  }
  return best;
}

/// M += w A_j^T A_j, Q += w A_j^T b_j.
void add_row(mechanics::Equations& eq, std::size_t j, double weight) {
  std::vector<const Entry*> row;
  for (const Entry& entry : eq.A)
    if (entry.row == j) row.push_back(&entry);
  const Expr w(weight);
  for (const Entry* a : row) {
    eq.Q[a->column] = eq.Q[a->column] + w * a->value * eq.b[j];
    for (const Entry* b : row) {
      if (b->column > a->column) continue;
      const Expr term = w * a->value * b->value;
      const auto found = std::ranges::find_if(eq.M, [&](const Entry& entry) {
        return entry.row == a->column && entry.column == b->column;
      });
      if (found != eq.M.end()) {
        found->value = found->value + term;
      } else {
        eq.M.push_back({a->column, b->column, term});
      }
    }
  }
}

}  // namespace

bool mend_mass(mechanics::Equations& equations, Acceleration& at,
               const std::vector<std::size_t>& rows) {
  Eigen::MatrixXd directions = massless(at.M);
  const double mass = at.M.trace() / static_cast<double>(at.M.rows());
  std::vector<std::size_t> left = rows;
  while (directions.cols() > 0) {
    const auto j = farthest(at.A, left, directions);
    if (!j) return false;
    std::erase(left, *j);
    const Eigen::RowVectorXd row = at.A.row(static_cast<Eigen::Index>(*j));
    // A power of two, as exact numbers stay short.
    const double weight = std::exp2(std::round(std::log2(mass / row.squaredNorm())));
    add_row(equations, *j, weight);
    at.M += weight * row.transpose() * row;
    const Eigen::Index before = directions.cols();
    directions = massless(at.M);
    if (directions.cols() >= before) return false;
  }
  std::ranges::sort(equations.M, [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  at.mass_singular = false;
  return directions.rows() > 0;
}

}  // namespace dalembert::flow
