// Where constraints cannot all be met: the state that breaks them least, and which of them it
// breaks.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/projection.hpp"

namespace dalembert::flow {

namespace {

constexpr int most_iterations = 400;
/// Beside the largest residual of a compromise, one below this part of it is a trace of the search.
constexpr double negligible_part = 1e-5;
/// Up to so many constraints in conflict are named in the order of the model.
constexpr std::size_t most_in_order = 6;

}  // namespace

/// Least squares by Levenberg and Marquardt: with residuals r_j = phi_j / s_j, s_j their scales at
/// the start, and J = dr/dx,
///
///     (J^T J + lambda D) dx = -J^T r,      D the largest diagonal of J^T J so far,
///
/// lambda larger after a step that led up, smaller after one that led down. Ends where J^T r = 0:
/// on the constraints (true), or where those with a residual have dependent rows, sum_j r_j J_j =
/// 0, so that none of them can come closer unless another gives way. Cost of a step: that of a
/// sparse Cholesky factorisation of n rows.
bool Projector::compromise(Stage& stage, double t, std::span<double> q, std::span<double> v,
                           std::span<double> x) {
  using Sparse = Eigen::SparseMatrix<double>;
  const auto n = static_cast<Eigen::Index>(n_);
  const auto rows = static_cast<Eigen::Index>(stage.rows.size());
  Eigen::Map<Eigen::VectorXd> current(x.data(), n);
  Eigen::VectorXd weights(rows);
  measure(t, q, v);
  load(stage);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const std::uint32_t j = stage.rows[static_cast<std::size_t>(i)];
    const double scaled = stage.positions ? scaled_residual(j) : scaled_rate(j);
    const double residual = std::abs(stage.residual[i]);
    const double scale = residual > 0 ? residual / scaled : row_norms_[j];
    weights[i] = scale > 0 ? 1 / scale : 1;
  }
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd r = stage.residual.cwiseProduct(weights);
  Sparse J(rows, n);
  Eigen::SimplicialLDLT<Sparse> solver;
  double lambda = 1e-3;
  for (int i = 0; i < most_iterations && !settled(stage); ++i) {
    std::vector<Eigen::Triplet<double>> entries;
    for (const Place& place : stage.A) {
      entries.emplace_back(place.row, place.column, weights[place.row] * values_[place.source]);
    }
    J.setFromTriplets(entries.begin(), entries.end());
    const Sparse normal = Sparse(J.transpose()) * J;
    const Eigen::VectorXd gradient = J.transpose() * r;
    diagonal = diagonal.cwiseMax(Eigen::VectorXd(normal.diagonal()));
    const double merit = r.squaredNorm();
    const double least = std::max(diagonal.maxCoeff() * 1e-12, 1e-300);
    const Eigen::VectorXd from = current;
    bool lower = false;
    for (; !lower && lambda < 1e12; lambda *= 4) {
      Sparse damping(n, n);
      damping.setIdentity();
      damping.diagonal() = lambda * diagonal.cwiseMax(least);
      solver.compute(normal + damping);
      if (solver.info() != Eigen::Success) continue;
      current = from - solver.solve(gradient);
      measure(t, q, v);
      load(stage);
      r = stage.residual.cwiseProduct(weights);
      lower = r.squaredNorm() < merit;
    }
    if (!lower) {
      current = from;
      measure(t, q, v);
      load(stage);
      break;
    }
    lambda = std::max(lambda / 40, 1e-12);
  }
  return settled(stage);
}

Projector::Obstacle Projector::obstacle(const Stage& stage) const {
  Obstacle result;
  const double threshold = std::max(projection_tolerance, negligible_part * largest(stage));
  std::vector<bool> named(m_, false);
  for (const std::uint32_t j : stage.rows) {
    const double scaled = stage.positions ? scaled_residual(j) : scaled_rate(j);
    if (scaled <= threshold) continue;
    result.constraints.push_back(j);
    named[j] = true;
  }
  // Of many only the first are told: those that give way most.
  if (result.constraints.size() > most_in_order) {
    const auto scaled = [&](std::size_t j) {
      return stage.positions ? scaled_residual(j) : scaled_rate(j);
    };
    std::stable_sort(result.constraints.begin(), result.constraints.end(),
                     [&](std::size_t i, std::size_t j) { return scaled(i) > scaled(j); });
  }
  const int order = stage.positions ? 0 : 1;
  const auto varies = [&](const mechanics::Entry& entry) {
    if (!named[entry.row]) return false;
    const auto symbols = expr::symbols(std::span(&entry.value, 1));
    return std::any_of(symbols.begin(), symbols.end(), [&](const expr::Expr& e) {
      return e.symbol().kind == expr::SymbolKind::coordinate && e.symbol().order == order;
    });
  };
  const auto& A = motion_.equations().A;
  result.contradiction = result.constraints.size() > 1 && std::none_of(A.begin(), A.end(), varies);
  return result;
}

}  // namespace dalembert::flow
