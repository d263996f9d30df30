#include "dalembert/study/linear/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dalembert::study {

namespace {

using Eigen::Index;
using Block = std::vector<Index>;

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Strongly connected components of the graph with an edge i -> j wherever A_ij is not 0, by
/// Tarjan's algorithm: rows of a component use, outside it, columns of components before it only.
class Components {
 public:
  explicit Components(const Eigen::MatrixXd& A)
      : A_(A), index_(static_cast<std::size_t>(A.rows()), -1), low_(index_), on_(index_.size()) {
    for (Index i = 0; i < A.rows(); ++i) {
      if (index_[static_cast<std::size_t>(i)] < 0) visit(i);
    }
  }
  std::vector<Block> blocks;

 private:
  void visit(Index i) {  // recursion as deep as there are states, some hundreds
    const auto at = static_cast<std::size_t>(i);
    index_[at] = low_[at] = next_++;
    stack_.push_back(i);
    on_[at] = true;
    for (Index j = 0; j < A_.cols(); ++j) {
      const auto other = static_cast<std::size_t>(j);
      if (A_(i, j) == 0 || i == j) continue;
      if (index_[other] < 0) {
        visit(j);
        low_[at] = std::min(low_[at], low_[other]);
      } else if (on_[other]) {
        low_[at] = std::min(low_[at], index_[other]);
      }
    }
    if (low_[at] != index_[at]) return;
    Block block;
    while (true) {
      const Index j = stack_.back();
      stack_.pop_back();
      on_[static_cast<std::size_t>(j)] = false;
      block.push_back(j);
      if (j == i) break;
    }
    std::ranges::sort(block);
    blocks.push_back(std::move(block));
  }

  const Eigen::MatrixXd& A_;
  std::vector<int> index_, low_;
  std::vector<bool> on_;
  std::vector<Index> stack_;
  int next_ = 0;
};

/// Makes rows and columns of equal length by powers of two, which round nothing (Parlett and
/// Reinsch, Numerische Mathematik 13 (1969) 293); returns the scales.
Eigen::VectorXd balance(Eigen::MatrixXd& A) {
  Eigen::VectorXd scales = Eigen::VectorXd::Ones(A.rows());
  for (bool again = true; again;) {
    again = false;
    for (Index i = 0; i < A.rows(); ++i) {
      const double diagonal = std::abs(A(i, i));
      double row = A.row(i).lpNorm<1>() - diagonal, column = A.col(i).lpNorm<1>() - diagonal;
      if (!(row > 0) || !(column > 0)) continue;
      const double sum = row + column;
      double factor = 1;
      while (column < row / 2) {
        factor *= 2;
        column *= 2;
        row /= 2;
      }
      while (column >= row * 2) {
        factor /= 2;
        column /= 2;
        row *= 2;
      }
      if (row + column >= 0.95 * sum || factor == 1) continue;
      again = true;
      scales[i] *= factor;
      A.col(i) *= factor;
      A.row(i) /= factor;
    }
  }
  return scales;
}

/// How many eigenvalues of a balanced block are zero: the characteristic polynomial
/// x^n + c_1 x^(n-1) + ... + c_n by Faddeev and LeVerrier,
///     c_k = -tr(A N_k) / k,   N_1 = 1,   N_(k+1) = A N_k + c_k,
/// its last coefficients compared with what the rounding of entries makes of them.
Index count_zeros(const Eigen::MatrixXd& A, const Eigen::MatrixXd& rounding) {
  constexpr Index largest = 12;
  const Index n = A.rows();
  if (n > largest) return 0;
  const Eigen::MatrixXd sizes = A.cwiseAbs(),
                        relative = rounding + 4 * static_cast<double>(n) * eps * sizes;
  Eigen::MatrixXd N = Eigen::MatrixXd::Identity(n, n), N_size = N,
                  N_bound = Eigen::MatrixXd::Zero(n, n);
  std::vector<bool> vanishes;
  for (Index k = 1; k <= n; ++k) {
    const Eigen::MatrixXd product = A * N;
    const Eigen::MatrixXd bound = relative * N_size + sizes * N_bound;
    const double c = -product.trace() / static_cast<double>(k);
    const double c_bound = bound.trace() / static_cast<double>(k);
    vanishes.push_back(std::abs(c) <= c_bound);
    N = product;
    N.diagonal().array() += c;
    N_size = N.cwiseAbs();
    N_bound = bound;
    N_bound.diagonal().array() += c_bound;
  }
  Index zeros = 0;
  while (zeros < n && vanishes[static_cast<std::size_t>(n - 1 - zeros)]) ++zeros;
  return zeros;
}

struct Found {
  std::complex<double> value;
  ZeroKind zero = ZeroKind::none;
  std::size_t block = 0;
};

void find_values(const Eigen::MatrixXd& A, const Eigen::MatrixXd& rounding,
                 const std::vector<Block>& blocks, std::size_t which, std::vector<Found>& found) {
  const Block& block = blocks[which];
  if (block.size() == 1) {
    const double value = A(block[0], block[0]);
    ZeroKind zero = ZeroKind::none;
    if (value == 0)
      zero = A.row(block[0]).cwiseAbs().maxCoeff() == 0 ? ZeroKind::constant : ZeroKind::ignored;
    found.push_back({value, zero, which});
    return;
  }
  Eigen::MatrixXd part = A(block, block), part_rounding = rounding(block, block);
  const Eigen::VectorXd scales = balance(part);
  part_rounding = scales.cwiseInverse().asDiagonal() * part_rounding * scales.asDiagonal();
  Eigen::VectorXcd values = Eigen::EigenSolver<Eigen::MatrixXd>(part, false).eigenvalues();
  std::sort(values.begin(), values.end(),
            [](const auto& a, const auto& b) { return std::abs(a) < std::abs(b); });
  // Only as many as rounding can have moved that far: by its root, for one that is defective. One
  // alone is as small as QR leaves it.
  for (Index zeros = count_zeros(part, part_rounding); zeros > 0; --zeros) {
    const double moved =
        part.norm() * (zeros == 1 ? 4 * eps : std::pow(1e4 * eps, 1 / static_cast<double>(zeros)));
    if (std::abs(values[zeros - 1]) > moved) continue;
    values.head(zeros).setZero();
    break;
  }
  for (const auto& value : values)
    found.push_back({value, value == 0.0 ? ZeroKind::family : ZeroKind::none, which});
}

/// Orthonormal vectors that (A - value) takes to zero within rounding: right ones, then left ones.
struct Spaces {
  Eigen::MatrixXcd right, left;
};

Spaces eigenspaces(const Eigen::MatrixXcd& A, std::complex<double> value, Index multiplicity) {
  Eigen::MatrixXcd shifted = A;
  shifted.diagonal().array() -= value;
  const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(shifted, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const auto& sigma = svd.singularValues();
  const double least = 1e-11 * std::max(sigma[0], std::abs(value));
  Index count = 1;
  while (count < multiplicity && sigma[sigma.size() - 1 - count] <= least) ++count;
  return {svd.matrixV().rightCols(count), svd.matrixU().rightCols(count)};
}

}  // namespace

Spectrum calc_spectrum(const Eigen::MatrixXd& given, const Eigen::MatrixXd& rounding) {
  const Index n = given.rows();
  const Eigen::MatrixXd A =
      (given.array().abs() <= rounding.array()).select(Eigen::MatrixXd::Zero(n, n), given);
  const std::vector<Block> blocks = Components(A).blocks;
  std::vector<Found> found;
  for (std::size_t i = 0; i < blocks.size(); ++i) find_values(A, rounding, blocks, i, found);
  std::ranges::stable_sort(found, [](const Found& a, const Found& b) {
    if (a.value.real() != b.value.real()) return a.value.real() > b.value.real();
    return a.value.imag() > b.value.imag();
  });

  Spectrum spectrum;
  spectrum.values.resize(n);
  spectrum.conditions.resize(n);
  spectrum.modes.resize(n, n);
  for (const Found& one : found) {
    const auto i = std::ssize(spectrum.zeros);
    spectrum.values[i] = one.value;
    spectrum.zeros.push_back(one.zero);
    spectrum.blocks.push_back(blocks[one.block]);
  }
  const Eigen::MatrixXcd complex = A.cast<std::complex<double>>();
  const double near = 1e-8 * A.norm();
  std::vector<bool> done(static_cast<std::size_t>(n), false);
  for (Index i = 0; i < n; ++i) {
    if (done[static_cast<std::size_t>(i)]) continue;
    std::vector<Index> cluster;
    for (Index j = i; j < n; ++j) {
      if (!done[static_cast<std::size_t>(j)] &&
          std::abs(spectrum.values[j] - spectrum.values[i]) <= near)
        cluster.push_back(j);
    }
    const Spaces spaces = eigenspaces(complex, spectrum.values[i], std::ssize(cluster));
    double condition = std::numeric_limits<double>::infinity();
    if (spaces.right.cols() == std::ssize(cluster)) {
      const Eigen::MatrixXcd cosines = spaces.left.adjoint() * spaces.right;
      const double least = Eigen::JacobiSVD<Eigen::MatrixXcd>(cosines).singularValues().minCoeff();
      if (least > 64 * eps) condition = std::max(1.0, 1 / least);
    }
    for (std::size_t k = 0; k < cluster.size(); ++k) {
      const Index j = cluster[k];
      done[static_cast<std::size_t>(j)] = true;
      spectrum.conditions[j] = condition;
      Eigen::VectorXcd mode =
          spaces.right.col(std::min<Index>(static_cast<Index>(k), spaces.right.cols() - 1));
      Index largest = 0;
      mode.cwiseAbs().maxCoeff(&largest);
      spectrum.modes.col(j) = mode / mode[largest];
    }
  }
  return spectrum;
}

}  // namespace dalembert::study
