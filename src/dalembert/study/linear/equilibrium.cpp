#include "dalembert/study/linear/equilibrium.hpp"

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <random>

namespace dalembert::study {

namespace {

using Eigen::Index;

/// A state nearby on the constraints, the same in every run: accelerations that depend on a
/// coordinate nowhere but by chance at the guess show it here.
std::optional<State> beside(LocalSystem& system, const State& state) {
  std::mt19937_64 generator(20261118);
  std::uniform_real_distribution<double> shift(-0.05, 0.05);
  State other = state;
  for (double& q : other.q) q += shift(generator);
  for (double& v : other.v) v += shift(generator);
  if (!system.chart().complete(system.derivatives(), other)) return std::nullopt;
  return other;
}

/// The independent coordinates of which the accelerations take no notice, by coordinate.
std::vector<bool> cyclic_coordinates(LocalSystem& system, const State& guess) {
  const std::size_t n = guess.q.size();
  std::vector<bool> cyclic(n, false);
  if (!system.look(guess)) return cyclic;
  const auto& q_I = system.chart().independent_q();
  for (const Index i : q_I) cyclic[static_cast<std::size_t>(i)] = true;
  const auto judge = [&] {
    const Eigen::MatrixXd A = system.calc_A().bottomRows(system.velocities()),
                          rounding = system.calc_A_rounding().bottomRows(system.velocities());
    for (std::size_t i = 0; i < q_I.size(); ++i) {
      const auto column = static_cast<Index>(i);
      if ((A.col(column).array().abs() > rounding.col(column).array()).any())
        cyclic[static_cast<std::size_t>(q_I[i])] = false;
    }
  };
  judge();
  if (const auto other = beside(system, guess); other && system.look(*other, true)) judge();
  return cyclic;
}

/// What is free besides the independent coordinates.
struct Attempt {
  State start;
  bool free_velocities = false;  ///< those that are not zero
};

class Search {
 public:
  Search(LocalSystem& system, const Attempt& attempt)
      : system_(system), state_(attempt.start), free_(attempt.free_velocities) {}

  /// True if the accelerations have become zero.
  bool run() {
    constexpr int most = 200;
    if (!system_.look(state_)) return false;
    double damping = 1e-3;
    double value = merit();
    for (int i = 0; i < most; ++i) {
      if (value == 0) return true;
      const Eigen::VectorXd step = calc_step(damping);
      State trial = state_;
      double change = 0;
      const bool moved = move(trial, step, change);
      const double before = value;
      const bool seen = moved && system_.look(trial, true);
      if (seen) value = merit();
      if (seen && value <= before) {
        state_ = trial;
        damping = std::max(damping * 0.1, 1e-14);
        system_.look(state_);  // pivots of its own
        value = merit();
        if (change <= 1e-13) return settled();
        continue;
      }
      value = before;
      system_.look(state_);
      if (change <= 1e-13) return settled();
      damping *= 8;
      if (damping > 1e12) return settled();
    }
    return settled();
  }

  const State& state() const { return state_; }
  /// "theta'' = 9.81", of the largest acceleration left.
  std::string left(const Motion& motion) const {
    const Eigen::VectorXd a = system_.calc_acceleration();
    Index worst = 0;
    a.cwiseAbs().maxCoeff(&worst);
    return fmt::format("{}'' = {:.6g}",
                       motion.model().coordinates[static_cast<std::size_t>(
                           system_.chart().independent_v()[static_cast<std::size_t>(worst)])],
                       a[worst]);
  }

 private:
  Eigen::VectorXd weights() const {
    Eigen::VectorXd list(system_.velocities());
    for (Index i = 0; i < list.size(); ++i) {
      const Index j = system_.chart().independent_v()[static_cast<std::size_t>(i)];
      const double mass = system_.derivatives().M()(j, j);
      list[i] = mass > 0 ? std::sqrt(mass) : 1;
    }
    return list;
  }
  double merit() const { return weights().cwiseProduct(system_.calc_acceleration()).squaredNorm(); }
  bool settled() const {
    return (system_.calc_acceleration().array().abs() <=
            system_.calc_steady_limit(steady_tolerance).array() + 1e-300)
        .all();
  }

  /// The states that may move: coordinates, then the velocities that are free.
  std::vector<Index> free_states() const {
    std::vector<Index> list;
    const auto coordinates = std::ssize(system_.chart().independent_q());
    for (Index i = 0; i < coordinates; ++i) list.push_back(i);
    if (!free_) return list;
    for (Index i = 0; i < system_.velocities(); ++i) {
      const Index j = system_.chart().independent_v()[static_cast<std::size_t>(i)];
      if (state_.v[static_cast<std::size_t>(j)] != 0) list.push_back(coordinates + i);
    }
    return list;
  }

  Eigen::VectorXd calc_step(double damping) const {
    const std::vector<Index> free = free_states();
    const Eigen::VectorXd w = weights();
    const Eigen::MatrixXd A = system_.calc_A(), rounding = system_.calc_A_rounding();
    const Eigen::MatrixXd clean =
        (A.array().abs() <= rounding.array()).select(Eigen::MatrixXd::Zero(A.rows(), A.cols()), A);
    const Eigen::MatrixXd J =
        w.asDiagonal() * clean.bottomRows(system_.velocities())(Eigen::all, free);
    const Eigen::VectorXd r = w.cwiseProduct(system_.calc_acceleration());
    Eigen::MatrixXd normal = J.transpose() * J;
    const double floor = 1e-30 + 1e-12 * normal.diagonal().maxCoeff();
    for (Index i = 0; i < normal.rows(); ++i)
      normal(i, i) += damping * (normal(i, i) + floor) + 1e-14 * floor;
    const Eigen::VectorXd part = -normal.ldlt().solve(J.transpose() * r);
    Eigen::VectorXd step = Eigen::VectorXd::Zero(system_.size());
    for (std::size_t i = 0; i < free.size(); ++i) step[free[i]] = part[static_cast<Index>(i)];
    return step;
  }

  /// Along a step, no coordinate farther than half a radian or half its size; back onto the
  /// constraints.
  bool move(State& trial, const Eigen::VectorXd& step, double& change) const {
    if (!step.allFinite()) return false;
    constexpr double farthest = 0.5;
    const auto& q_I = system_.chart().independent_q();
    const auto& v_I = system_.chart().independent_v();
    const auto component = [&](Index i) -> double& {
      const auto at = static_cast<std::size_t>(i);
      return at < q_I.size() ? trial.q[static_cast<std::size_t>(q_I[at])]
                             : trial.v[static_cast<std::size_t>(v_I[at - q_I.size()])];
    };
    double factor = 1;
    for (Index i = 0; i < step.size(); ++i) {
      const double part = std::abs(step[i]) / (1 + std::abs(component(i)));
      change = std::max(change, part);
      if (part * factor > farthest) factor = farthest / part;
    }
    for (Index i = 0; i < step.size(); ++i) component(i) += factor * step[i];
    return system_.chart().complete(system_.derivatives(), trial);
  }

  LocalSystem& system_;
  State state_;
  bool free_;
};

}  // namespace

expr::Result<Equilibrium, std::string> find_equilibrium(const Motion& motion, const State& guess) {
  if (auto objection = linearisation_objection(motion)) return expr::Failure{*objection};
  LocalSystem system(motion, {}, false);
  if (!system.look(guess)) return expr::Failure{system.problem()};
  if (system.velocities() == 0) return Equilibrium{guess, Steadiness::equilibrium};

  const std::vector<bool> cyclic = cyclic_coordinates(system, guess);
  State steady = guess, rest = guess;
  bool moves = false;
  for (std::size_t i = 0; i < guess.v.size(); ++i) {
    rest.v[i] = 0;
    if (!cyclic[i]) steady.v[i] = 0;
  }
  system.look(guess);
  for (const Index i : system.chart().independent_v())
    moves = moves || steady.v[static_cast<std::size_t>(i)] != 0;
  std::vector<Attempt> attempts;
  if (moves) {
    attempts.push_back({steady, false});
    attempts.push_back({steady, true});
  }
  attempts.push_back({rest, false});
  std::string reason;
  for (Attempt& attempt : attempts) {
    system.look(guess);
    if (!system.chart().complete(system.derivatives(), attempt.start)) continue;
    Search search(system, attempt);
    const bool found = search.run();
    std::string why;
    if (found) {
      const Steadiness steadiness = steadiness_of(motion, system, search.state(), &why);
      if (steadiness != Steadiness::moving) return Equilibrium{search.state(), steadiness};
      if (reason.empty())
        reason = fmt::format("where accelerations vanish the motion does not stay steady: {}", why);
    } else if (reason.empty()) {
      reason = fmt::format("the search ends where {} is left", search.left(motion));
    }
  }
  if (reason.empty()) reason = "the constraints do not admit these velocities";
  return expr::Failure{reason};
}

}  // namespace dalembert::study
