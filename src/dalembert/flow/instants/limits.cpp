#include "dalembert/flow/instants/limits.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace dalembert::flow {

namespace {

constexpr double rounding = 1e-10;  ///< of what enters: n and w are differences of forces

/// A matrix K of nonnegative numbers has a spectral radius below 1 where elimination of I - K,
/// without exchanging rows, meets positive pivots only (I - K is then an M-matrix).
bool contracts(const Eigen::MatrixXd& K) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Identity(K.rows(), K.cols()) - K;
  for (Eigen::Index c = 0; c < J.rows(); ++c) {
    if (!(J(c, c) > rounding)) return false;
    for (Eigen::Index i = c + 1; i < J.rows(); ++i) J.row(i) -= J(i, c) / J(c, c) * J.row(c).eval();
  }
  return true;
}

/// The limits of one friction are one or two; K = sum c_k |w_k|.
Limits judge_one(const LimitProblem& problem, double K) {
  if ((problem.c.array() < 0).any() || std::abs(K - 1) <= rounding) return Limits::undecided;
  const Eigen::Matrix3Xd at_zero = problem.n - problem.l[0] * problem.w[0];
  const double none =
      problem.l[0] + problem.c.row(0).dot(at_zero.colwise().norm() - problem.n.colwise().norm());
  if (none < -rounding * problem.l[0]) return Limits::sole;
  double slope = 1;  // of l - o - sum c_k |n_k| at l
  for (Eigen::Index k = 0; k < problem.c.cols(); ++k) {
    const double size = problem.n.col(k).norm();
    if (!(size > 0) && problem.c(0, k) > 0) return Limits::undecided;
    if (size > 0) slope -= problem.c(0, k) * problem.n.col(k).dot(problem.w[0].col(k)) / size;
  }
  return std::abs(slope) > rounding ? Limits::several : Limits::undecided;
}

/// All choices of signs.
class Signs {
 public:
  explicit Signs(const LimitProblem& problem) : problem_(problem) {}

  Limits run() {
    const Eigen::Index count = problem_.l.size();
    for (Eigen::Index k = 0; k < problem_.c.cols(); ++k) {
      if (!(problem_.c.col(k).cwiseAbs().maxCoeff() > 0)) continue;
      used_.push_back(k);
    }
    if (std::ssize(used_) > most_signs) return Limits::undecided;
    const auto places = std::ssize(used_);
    slopes_.resize(places, count);
    at_.resize(places);
    for (Eigen::Index r = 0; r < places; ++r) {
      if (!flatten(used_[static_cast<std::size_t>(r)], r)) return Limits::undecided;
    }
    c_.resize(count, places);
    for (Eigen::Index r = 0; r < places; ++r)
      c_.col(r) = problem_.c.col(used_[static_cast<std::size_t>(r)]);
    a_ = at_ - slopes_ * problem_.l;
    offset_ = problem_.l - c_ * at_.cwiseAbs();
    Eigen::VectorXd signs(places);
    for (long pattern = 0; pattern < 1L << places; ++pattern) {
      for (Eigen::Index r = 0; r < places; ++r) signs[r] = (pattern >> r & 1) != 0 ? -1 : 1;
      const Limits limits = try_signs(signs);
      if (limits != Limits::sole) return limits;
    }
    return Limits::sole;
  }

 private:
  /// n_k as a number along one direction, if it is that whatever l.
  bool flatten(Eigen::Index k, Eigen::Index r) {
    Eigen::Vector3d u = problem_.n.col(k);
    for (const Eigen::Matrix3Xd& w : problem_.w) {
      if (w.col(k).norm() > u.norm()) u = w.col(k);
    }
    if (u.norm() > 0) u.normalize();
    at_[r] = u.dot(problem_.n.col(k));
    double size = problem_.n.col(k).norm(), across = (problem_.n.col(k) - at_[r] * u).norm();
    for (Eigen::Index j = 0; j < problem_.l.size(); ++j) {
      const Eigen::Vector3d w = problem_.w[static_cast<std::size_t>(j)].col(k);
      slopes_(r, j) = u.dot(w);
      size += std::abs(problem_.l[j]) * w.norm();
      across += std::abs(problem_.l[j]) * (w - slopes_(r, j) * u).norm();
      if ((w - slopes_(r, j) * u).norm() > rounding * w.norm()) return false;
    }
    return across <= rounding * size;
  }

  /// Several: there is a solution beside l.
  Limits try_signs(const Eigen::VectorXd& signs) {
    const Eigen::Index count = problem_.l.size();
    const Eigen::MatrixXd signed_c = c_ * signs.asDiagonal();
    const Eigen::MatrixXd J = Eigen::MatrixXd::Identity(count, count) - signed_c * slopes_;
    const Eigen::VectorXd right = offset_ + signed_c * a_;
    Eigen::FullPivLU<Eigen::MatrixXd> lu(J);
    lu.setThreshold(rounding);
    if (!lu.isInvertible()) {
      const double size = right.norm() + problem_.l.norm();
      return (J * lu.solve(right) - right).norm() > rounding * size ? Limits::sole
                                                                    : Limits::undecided;
    }
    const Eigen::VectorXd l = lu.solve(right);
    const Eigen::VectorXd n = a_ + slopes_ * l;
    const double size = std::max(l.norm(), problem_.l.norm());
    const double force = std::max(n.norm(), a_.norm());
    if ((l.array() < -rounding * size).any()) return Limits::sole;
    if ((signs.cwiseProduct(n).array() < -rounding * force).any()) return Limits::sole;
    return (l - problem_.l).norm() > 1e-6 * size ? Limits::several : Limits::sole;
  }

  const LimitProblem& problem_;
  std::vector<Eigen::Index> used_;
  Eigen::MatrixXd c_, slopes_;
  Eigen::VectorXd at_, a_, offset_;
};

}  // namespace

Limits judge_limits(const LimitProblem& problem) {
  const Eigen::Index count = problem.l.size();
  if (count == 0) return Limits::sole;
  if (!problem.c.allFinite() || !problem.n.allFinite()) return Limits::undecided;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const Eigen::Matrix3Xd& w = problem.w[static_cast<std::size_t>(j)];
    K.col(j) = problem.c.cwiseAbs() * w.colwise().norm().transpose();
  }
  if (contracts(K)) return Limits::sole;
  return count == 1 ? judge_one(problem, K(0, 0)) : Signs(problem).run();
}

}  // namespace dalembert::flow
