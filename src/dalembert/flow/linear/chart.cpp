#include "dalembert/flow/linear/chart.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace dalembert::flow {

namespace {

/// The entries of a matrix in these rows and columns.
Eigen::MatrixXd part_of(const Eigen::MatrixXd& matrix, const std::vector<Eigen::Index>& rows,
                        const std::vector<Eigen::Index>& columns) {
  return matrix(rows, columns);
}

std::vector<Eigen::Index> others(Eigen::Index n, const std::vector<Eigen::Index>& some) {
  std::vector<Eigen::Index> rest;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (std::ranges::find(some, i) == some.end()) rest.push_back(i);
  }
  return rest;
}

/// Elimination on rows of A, pivot by pivot. Rows may be added when those before are done with.
class Pivots {
 public:
  Pivots(const Eigen::MatrixXd& A, Eigen::VectorXd weights)
      : A_(A), weights_(std::move(weights)), taken_(static_cast<std::size_t>(A.cols()), false) {}

  /// Eliminates these rows as far as their pivots count.
  void add(const std::vector<Eigen::Index>& rows, double tolerance) {
    Eigen::MatrixXd left(std::ssize(rows), A_.cols());
    for (Eigen::Index r = 0; r < left.rows(); ++r) {
      left.row(r) = A_.row(rows[static_cast<std::size_t>(r)]);
      const double length = left.row(r).norm();
      if (length > 0) left.row(r) /= length;
    }
    for (const auto& [row, column] : done_) {
      for (Eigen::Index r = 0; r < left.rows(); ++r) left.row(r) -= left(r, column) * row;
    }
    std::vector<bool> used(rows.size(), false);
    while (true) {
      double best = 0;
      Eigen::Index pivot_row = -1, pivot_column = -1;
      for (Eigen::Index r = 0; r < left.rows(); ++r) {
        if (used[static_cast<std::size_t>(r)]) continue;
        for (Eigen::Index j = 0; j < left.cols(); ++j) {
          if (taken_[static_cast<std::size_t>(j)] || !(std::abs(left(r, j)) > tolerance)) continue;
          const double score = std::abs(left(r, j)) * weights_[j];
          // Of equals the later coordinate depends on the earlier ones.
          if (score > best * (1 + 1e-9) ||
              (score >= best * (1 - 1e-9) && j > pivot_column && pivot_row == r)) {
            best = score;
            pivot_row = r;
            pivot_column = j;
          }
        }
      }
      if (pivot_row < 0) return;
      used[static_cast<std::size_t>(pivot_row)] = true;
      taken_[static_cast<std::size_t>(pivot_column)] = true;
      chosen_rows.push_back(rows[static_cast<std::size_t>(pivot_row)]);
      chosen_columns.push_back(pivot_column);
      const Eigen::RowVectorXd row = left.row(pivot_row) / left(pivot_row, pivot_column);
      for (Eigen::Index r = 0; r < left.rows(); ++r) {
        if (!used[static_cast<std::size_t>(r)]) left.row(r) -= left(r, pivot_column) * row;
      }
      done_.emplace_back(row, pivot_column);
    }
  }

  std::vector<Eigen::Index> chosen_rows, chosen_columns;

 private:
  const Eigen::MatrixXd& A_;
  Eigen::VectorXd weights_;
  std::vector<bool> taken_;
  std::vector<std::pair<Eigen::RowVectorXd, Eigen::Index>> done_;
};

/// 1/sqrt(M_jj), less for coordinates that are to be independent.
Eigen::VectorXd pivot_weights(const Motion& motion, const Eigen::MatrixXd& M) {
  std::unordered_set<std::string> wished(motion.model().independent.begin(),
                                         motion.model().independent.end());
  for (std::string name : motion.model().initial.hold) {
    if (!name.empty() && name.back() == '\'') name.pop_back();
    wished.insert(name);
  }
  Eigen::VectorXd weights(M.rows());
  for (Eigen::Index j = 0; j < M.rows(); ++j) {
    weights[j] = M(j, j) > 0 ? 1 / std::sqrt(M(j, j)) : 1.0;
    if (wished.contains(motion.model().coordinates[static_cast<std::size_t>(j)]))
      weights[j] *= 1e-3;
  }
  return weights;
}

}  // namespace

Chart::Chart(const Motion& motion, const Derivatives& derivatives) {
  const auto& constraints = motion.equations().constraints;
  std::vector<Eigen::Index> position, velocity;
  for (std::size_t j = 0; j < constraints.size(); ++j) {
    if (constraints[j].level == model::Level::position)
      position.push_back(static_cast<Eigen::Index>(j));
    if (constraints[j].level == model::Level::velocity)
      velocity.push_back(static_cast<Eigen::Index>(j));
  }
  const double tolerance = std::max(motion.model().simulation.rank_tolerance, 1e-12);
  Pivots pivots(derivatives.A(), pivot_weights(motion, derivatives.M()));
  pivots.add(position, tolerance);
  rows_q_ = pivots.chosen_rows;
  q_D_ = pivots.chosen_columns;
  pivots.add(velocity, tolerance);
  rows_v_ = pivots.chosen_rows;
  v_D_ = pivots.chosen_columns;
  q_I_ = others(derivatives.n(), q_D_);
  v_I_ = others(derivatives.n(), v_D_);
}

std::vector<std::string> Chart::names(const Motion& motion) const {
  std::vector<std::string> list;
  for (const Eigen::Index i : q_I_)
    list.push_back(motion.model().coordinates[static_cast<std::size_t>(i)]);
  for (const Eigen::Index i : v_I_)
    list.push_back(motion.model().coordinates[static_cast<std::size_t>(i)] + "'");
  return list;
}

Chart::Tangent Chart::calc_tangent(const Derivatives& derivatives) const {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const Eigen::Index n = derivatives.n(), further = derivatives.columns() - 2 * n,
                     coordinates = std::ssize(q_I_), total = size() + further;
  Tangent tangent{Eigen::MatrixXd::Zero(2 * n, total), Eigen::MatrixXd::Zero(2 * n, total)};
  Eigen::MatrixXd& T = tangent.T;
  Eigen::MatrixXd bound = Eigen::MatrixXd::Zero(2 * n, total);
  for (Eigen::Index i = 0; i < coordinates; ++i) T(q_I_[static_cast<std::size_t>(i)], i) = 1;
  for (Eigen::Index i = 0; i < std::ssize(v_I_); ++i)
    T(n + v_I_[static_cast<std::size_t>(i)], coordinates + i) = 1;
  bound = T;
  if (!q_D_.empty()) {
    const Eigen::MatrixXd inverse = part_of(derivatives.A(), rows_q_, q_D_).inverse();
    Eigen::MatrixXd rhs = Eigen::MatrixXd::Zero(std::ssize(rows_q_), total);
    rhs.leftCols(coordinates) = part_of(derivatives.A(), rows_q_, q_I_);
    rhs.rightCols(further) = derivatives.residual_z()(rows_q_, Eigen::all).rightCols(further);
    T(q_D_, Eigen::all) = -inverse * rhs;
    bound(q_D_, Eigen::all) = inverse.cwiseAbs() * rhs.cwiseAbs();
  }
  if (!v_D_.empty()) {
    const Eigen::MatrixXd inverse = part_of(derivatives.A(), rows_v_, v_D_).inverse();
    const Eigen::MatrixXd rate_q = derivatives.rate_z()(rows_v_, Eigen::all).leftCols(n);
    Eigen::MatrixXd rhs = rate_q * T.topRows(n);
    Eigen::MatrixXd sizes = rate_q.cwiseAbs() * bound.topRows(n);
    const Eigen::MatrixXd direct = part_of(derivatives.A(), rows_v_, v_I_);
    rhs.middleCols(coordinates, direct.cols()) += direct;
    sizes.middleCols(coordinates, direct.cols()) += direct.cwiseAbs();
    const Eigen::MatrixXd explicit_part =
        derivatives.rate_z()(rows_v_, Eigen::all).rightCols(further);
    rhs.rightCols(further) += explicit_part;
    sizes.rightCols(further) += explicit_part.cwiseAbs();
    for (std::size_t i = 0; i < v_D_.size(); ++i) {
      const auto r = static_cast<Eigen::Index>(i);
      T.row(n + v_D_[i]) = -inverse.row(r) * rhs;
      bound.row(n + v_D_[i]) = inverse.row(r).cwiseAbs() * sizes;
    }
  }
  tangent.rounding = 64 * eps * bound;
  return tangent;
}

Eigen::VectorXd Chart::calc_offset(const Derivatives& derivatives, const Eigen::VectorXd& phi,
                                   const Eigen::VectorXd& psi) const {
  const Eigen::Index n = derivatives.n();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2 * n);
  if (!q_D_.empty())
    x(q_D_) = -part_of(derivatives.A(), rows_q_, q_D_).inverse() * Eigen::VectorXd(phi(rows_q_));
  if (v_D_.empty()) return x;
  const Eigen::VectorXd rates =
      derivatives.rate_z()(rows_v_, Eigen::all).leftCols(n) * x.head(n) + psi(rows_v_);
  const Eigen::VectorXd dv = -part_of(derivatives.A(), rows_v_, v_D_).inverse() * rates;
  for (std::size_t i = 0; i < v_D_.size(); ++i) x[n + v_D_[i]] = dv[static_cast<Eigen::Index>(i)];
  return x;
}

void Chart::pull_back(const Derivatives& derivatives, Eigen::VectorXd& x, Eigen::VectorXd& mu,
                      Eigen::VectorXd& nu) const {
  const Eigen::Index n = derivatives.n();
  mu.setZero(derivatives.m());
  nu.setZero(derivatives.m());
  // v_D = -A_D^-1 (psi_q q + A_I v_I + psi_p p), then q_D = -A_D^-1 (A_I q_I + phi_p p), backwards.
  if (!v_D_.empty()) {
    const Eigen::VectorXd beside = x.tail(n)(v_D_);
    const Eigen::VectorXd of_rows =
        part_of(derivatives.A(), rows_v_, v_D_).inverse().transpose() * beside;
    nu(rows_v_) = of_rows;
    x.head(n) -= derivatives.rate_z().leftCols(n).transpose() * nu;
    x.tail(n) -= derivatives.A().transpose() * nu;
    for (const Eigen::Index i : v_D_) x[n + i] = 0;
  }
  if (!q_D_.empty()) {
    const Eigen::VectorXd beside = x.head(n)(q_D_);
    const Eigen::VectorXd of_rows =
        part_of(derivatives.A(), rows_q_, q_D_).inverse().transpose() * beside;
    mu(rows_q_) = of_rows;
    x.head(n) -= derivatives.A().transpose() * mu;
    for (const Eigen::Index i : q_D_) x[i] = 0;
  }
}

bool Chart::complete(Derivatives& derivatives, State& state) const {
  constexpr int most = 50;
  const auto measure = [&] { return derivatives.measure(state.t, state.q, state.v); };
  if (!measure()) return false;
  // Newton's steps until they change nothing that counts, and one more where they were quick.
  const auto settle = [&](const std::vector<Eigen::Index>& rows,
                          const std::vector<Eigen::Index>& columns, std::vector<double>& x,
                          const auto& value) {
    if (rows.empty()) return true;
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < most; ++i) {
      const Eigen::VectorXd step = part_of(derivatives.A(), rows, columns)
                                       .partialPivLu()
                                       .solve(Eigen::VectorXd(value()(rows)));
      if (!step.allFinite()) return false;
      double change = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        double& component = x[static_cast<std::size_t>(columns[c])];
        component -= step[static_cast<Eigen::Index>(c)];
        change = std::max(change,
                          std::abs(step[static_cast<Eigen::Index>(c)]) / (1 + std::abs(component)));
      }
      if (!measure()) return false;
      if (change <= 1e-14 || (change <= 1e-10 && change >= before / 2)) return true;
      before = change;
    }
    return before <= 1e-10;
  };
  return settle(rows_q_, q_D_, state.q, [&]() -> const auto& { return derivatives.residual(); }) &&
         settle(rows_v_, v_D_, state.v, [&]() -> const auto& { return derivatives.rate(); });
}

}  // namespace dalembert::flow
