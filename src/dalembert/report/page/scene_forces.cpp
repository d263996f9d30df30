#include "dalembert/report/page/scene_forces.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <numeric>

#include "dalembert/solve/symmetric_eigen.hpp"

namespace dalembert::report {

namespace {

/// Eigenvalues of D M D below this are rounding: no inertia.
constexpr double negligible = 1e-12;

std::size_t root_of(std::vector<std::size_t>& parent, std::size_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

Eigen::Index size_of(const std::vector<std::size_t>& list) {
  return static_cast<Eigen::Index>(list.size());
}

}  // namespace

MassBlocks::MassBlocks(std::span<const mechanics::Entry> entries, std::size_t n) : position_(n) {
  std::vector<std::size_t> parent(n);
  std::iota(parent.begin(), parent.end(), 0U);
  for (const mechanics::Entry& entry : entries) {
    places_.emplace_back(entry.row, entry.column);
    parent[root_of(parent, places_.back().first)] = root_of(parent, places_.back().second);
  }
  std::vector<std::size_t> block_of(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t& block = block_of[root_of(parent, i)];
    if (block == n) {
      block = blocks_.size();
      blocks_.emplace_back();
    }
    position_[i] = blocks_[block].coordinates.size();
    blocks_[block].coordinates.push_back(i);
  }
  for (std::size_t k = 0; k < places_.size(); ++k)
    blocks_[block_of[root_of(parent, places_[k].first)]].entries.push_back(k);
}

void MassBlocks::set(std::span<const double> values) {
  for (Block& block : blocks_) {
    const Eigen::Index n = size_of(block.coordinates);
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    for (const std::size_t k : block.entries) {
      const auto i = static_cast<Eigen::Index>(position_[places_[k].first]);
      const auto j = static_cast<Eigen::Index>(position_[places_[k].second]);
      M(i, j) = M(j, i) = values[k];
    }
    block.null_space.resize(n, 0);
    block.scale.resize(n);
    const auto give_up = [&] {
      block.scale.setOnes();
      block.inverse.setConstant(n, n, std::numeric_limits<double>::quiet_NaN());
    };
    if (!M.allFinite()) {
      give_up();
      continue;
    }
    for (Eigen::Index i = 0; i < n; ++i) block.scale[i] = M(i, i) > 0 ? 1 / std::sqrt(M(i, i)) : 1;
    M = block.scale.asDiagonal() * M * block.scale.asDiagonal();
    const Eigen::LLT<Eigen::MatrixXd> factor(M);
    if (factor.info() == Eigen::Success &&
        factor.matrixLLT().diagonal().minCoeff() > std::sqrt(negligible)) {
      block.inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
      continue;
    }
    const motion::SymmetricEigen eigen = motion::symmetric_eigen(M);
    if (!eigen.converged) {
      give_up();
      continue;
    }
    const Eigen::VectorXd& w = eigen.values;  // increasing
    const Eigen::MatrixXd& V = eigen.vectors;
    const Eigen::Index lost = (w.array() <= negligible * static_cast<double>(n)).count();
    const auto kept = V.rightCols(n - lost);
    block.inverse = kept * w.tail(n - lost).cwiseInverse().asDiagonal() * kept.transpose();
    // M x = 0 where x = D u with u in the null space of D M D.
    if (lost == 0) continue;
    const Eigen::MatrixXd basis = block.scale.asDiagonal() * V.leftCols(lost);
    block.null_space = Eigen::HouseholderQR<Eigen::MatrixXd>(basis).householderQ() *
                       Eigen::MatrixXd::Identity(n, lost);
  }
}

void MassBlocks::solve(std::span<const double> Q, std::span<double> x) const {
  for (const Block& block : blocks_) {
    const Eigen::Index n = size_of(block.coordinates);
    Eigen::VectorXd force(n);
    for (Eigen::Index i = 0; i < n; ++i)
      force[i] = Q[block.coordinates[static_cast<std::size_t>(i)]];
    // The part of the force that M can answer; then any solution will do, up to the null space.
    force -= block.null_space * (block.null_space.transpose() * force);
    Eigen::VectorXd answer =
        block.scale.cwiseProduct(block.inverse * block.scale.cwiseProduct(force));
    answer -= block.null_space * (block.null_space.transpose() * answer);
    for (Eigen::Index i = 0; i < n; ++i)
      x[block.coordinates[static_cast<std::size_t>(i)]] = answer[i];
  }
}

}  // namespace dalembert::report
