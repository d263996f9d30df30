// What the rows left out of a sparse solution have to do with the others; see
// sparse_fundamental.hpp.

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/solve/sparse_fundamental.hpp"

namespace dalembert::solve {

namespace {

constexpr int most_exchanges = 4;
constexpr double doubtful_pivot = 1e-3;
constexpr double worthwhile_part = 4;

}  // namespace

/// y := the c of A_d = sum of c_i A_i over independent rows: K (0; c) = (A_d^T; 0).
void SparseFundamental::solve_dependency(std::size_t d) {
  x_.setZero();
  y_.setZero();
  for (std::uint32_t a = row(d).begin; a < row(d).end; ++a)
    x_[A_[a].column] = values_[A_[a].source];
  active().solve({x_.data(), n_}, {y_.data(), m_});
}

/// Which rows are left out depends on the order of elimination, and the others may be close to
/// dependent because of it. Then a row that has a large part in what was left out changes places
/// with it, which multiplies the volume spanned by the rows that stay by that part.
void SparseFundamental::choose_rows(std::span<const double> values) {
  SparseKkt& kkt = active();
  for (int round = 0; round < most_exchanges; ++round) {
    if (kkt.rank() == m_ || kkt.smallest_pivot() > doubtful_pivot) return;
    bool exchanged = false;
    for (std::size_t d = 0; d < m_; ++d) {
      if (!kkt.dependent(d) || kkt.row_square(d) == 0) continue;
      solve_dependency(d);
      const double own = std::sqrt(kkt.row_square(d));
      double largest = worthwhile_part;
      std::size_t best = m_;
      for (std::size_t j = 0; j < m_; ++j) {
        const double part = std::abs(y_[j]) * std::sqrt(kkt.row_square(j)) / own;
        if (kkt.dependent(j) || !(part > largest)) continue;
        largest = part;
        best = j;
      }
      if (best == m_) continue;
      kkt.exchange(d, best);
      exchanged = true;
      if (kkt.factor(values).ok) continue;
      kkt.exchange(d, best);
      kkt.factor(values);
      return;
    }
    if (!exchanged) return;
  }
}

Dependency SparseFundamental::calc_dependency(std::size_t d) {
  Dependency result;
  result.row = static_cast<int>(d);
  const SparseKkt& kkt = active();
  solve_dependency(d);
  const double own = std::sqrt(kkt.row_square(d));
  for (std::size_t j = 0; j < m_; ++j) {
    const double scale = std::sqrt(kkt.row_square(j));
    if (kkt.dependent(j) || !(std::abs(y_[j]) * scale > options_.rank_tolerance * own)) continue;
    result.terms.push_back({static_cast<int>(j), y_[j]});
  }
  return result;
}

std::vector<Dependency> SparseFundamental::calc_dependencies() {
  std::vector<Dependency> result;
  for (std::size_t j = 0; j < m_; ++j) {
    if (active().dependent(j)) result.push_back(calc_dependency(j));
  }
  return result;
}

/// A row left out contradicts the others where it is not satisfied by their solution, measured
/// against what its terms and theirs could have been.
void SparseFundamental::examine_consistency() {
  consistent_ = true;
  const double size = size_;
  const auto scale = [&](int j) {
    return std::abs(b_[j]) + std::sqrt(active().row_square(static_cast<std::size_t>(j))) * size;
  };
  for (std::size_t d = 0; d < m_; ++d) {
    if (!active().dependent(d)) continue;
    const int index = static_cast<int>(d);
    const double delta = std::abs(b_[index] - Ax_[index]);
    if (!(delta > options_.consistency_tolerance * scale(index))) continue;
    const Dependency dependency = calc_dependency(d);
    double sum = scale(index);
    for (const Dependency::Term& term : dependency.terms)
      sum += std::abs(term.coefficient) * scale(term.row);
    if (delta <= options_.consistency_tolerance * sum) continue;
    consistent_ = false;
    conflicting_[d] = 1;
    for (const Dependency::Term& term : dependency.terms)
      conflicting_[static_cast<std::size_t>(term.row)] = 1;
  }
}

/// x := x - W^-1 Z (Z^T W^-1 Z)^-1 Z^T x, the columns of Z the dependencies z^T A = 0: the nearest
/// to x in the weights W that fits together.
void SparseFundamental::reconcile(const std::vector<Dependency>& dependencies,
                                  const Eigen::VectorXd& weights, Eigen::VectorXd& x) const {
  if (dependencies.empty()) return;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t d = 0; d < dependencies.size(); ++d) {
    const int column = static_cast<int>(d);
    const auto add = [&](int j, double value) {
      const double weight = weights.size() > 0 ? weights[j] : 1;
      entries.emplace_back(j, column, value / std::sqrt(weight));
    };
    add(dependencies[d].row, 1);
    for (const Dependency::Term& term : dependencies[d].terms) add(term.row, -term.coefficient);
  }
  Eigen::SparseMatrix<double> Z(x.size(), static_cast<Eigen::Index>(dependencies.size()));
  Z.setFromTriplets(entries.begin(), entries.end());
  Eigen::VectorXd scaled = x;
  if (weights.size() > 0) scaled = x.cwiseProduct(weights.cwiseSqrt());
  const Eigen::SparseMatrix<double> gram = Z.transpose() * Z;
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(gram);
  scaled -= Z * factor.solve(Z.transpose() * scaled).eval();
  x = weights.size() > 0 ? scaled.cwiseQuotient(weights.cwiseSqrt()).eval() : scaled;
}

Eigen::VectorXd SparseFundamental::calc_least_multipliers() {
  Eigen::VectorXd lambda = lambda_;
  reconcile(calc_dependencies(), {}, lambda);
  return lambda;
}

std::vector<bool> SparseFundamental::calc_unique() {
  std::vector<bool> unique(m_, true);
  for (const Dependency& dependency : calc_dependencies()) {
    unique[static_cast<std::size_t>(dependency.row)] = false;
    for (const Dependency::Term& term : dependency.terms)
      unique[static_cast<std::size_t>(term.row)] = false;
  }
  return unique;
}

Eigen::VectorXd SparseFundamental::calc_unconstrained() {
  Eigen::VectorXd a = Q_;
  if (augmented_in_use_) {
    a.setConstant(std::numeric_limits<double>::quiet_NaN());
  } else {
    kkt_.solve_mass({a.data(), n_});
  }
  return a;
}

Eigen::VectorXd SparseFundamental::calc_violation() {
  const Eigen::VectorXd a = calc_unconstrained();
  Eigen::VectorXd e = b_;
  for (std::size_t j = 0; j < m_; ++j) e[static_cast<Eigen::Index>(j)] -= dot_row(j, a);
  return e;
}

}  // namespace dalembert::solve
