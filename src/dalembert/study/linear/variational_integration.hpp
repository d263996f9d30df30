#pragma once
/// A motion without instants with its variational equations, integrated together: (x, S), and to
/// second order (x, S, H), H a column for each pair of names. With the field x' = f(x, p),
///
///     S' = f_x S + f_p dp/ds,
///     H' = f_x H + f_p d^2 p/ds dr + D^2 f[(S_s, dp/ds), (S_r, dp/dr)].
///
/// After each step the state is projected onto the constraints, and the dependent rows of S and H
/// follow from the independent ones.

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dalembert/flow/linear/chart.hpp"
#include "dalembert/flow/linear/derivatives.hpp"
#include "dalembert/flow/linear/second_derivatives.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/motion/steps/rk8.hpp"
#include "dalembert/study/linear/jump_watch.hpp"
#include "dalembert/study/linear/sensitivities.hpp"

namespace dalembert::study {

struct VariationalProblem {
  const Motion& motion;
  const motion::SimulationOptions& options;
  const flow::DerivativeKernels& kernels;
  std::vector<std::size_t> watched;  ///< parameters whose change moves jumps
  Eigen::MatrixXd P;                 ///< dp/ds of the parameters of the kernels
  /// To second order, else null; with d^2 p/ds dr of the pairs.
  const flow::SecondKernels* second = nullptr;
  Eigen::MatrixXd P2 = {};
};

class VariationalIntegration {
 public:
  /// An accepted step of this length from (t, y) to the time `reached`, y before projection there.
  using OnStep = std::function<void(double t, double h, std::span<const double> y, double reached)>;

  /// Fills t, values, second, states, complete and reason of `result`.
  VariationalIntegration(const VariationalProblem& problem, Sensitivities& result);

  /// From dx_0/ds and, to second order, d^2 x_0/ds dr.
  void run(const flow::State& start, const Eigen::MatrixXd& S0, const Eigen::MatrixXd& H0,
           const OnStep& on_step = {});

  /// q, v where the motion ended.
  std::span<const double> state() const { return std::span(y_).first(states()); }

 private:
  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  using ReadMatrix = Eigen::Map<const Eigen::MatrixXd>;

  std::size_t states() const { return static_cast<std::size_t>(2 * n_); }
  Matrix tangents(std::span<double> y) const { return {y.data() + 2 * n_, 2 * n_, columns_}; }
  ReadMatrix read_tangents(std::span<const double> y) const {
    return {y.data() + 2 * n_, 2 * n_, columns_};
  }
  Matrix curvatures(std::span<double> y) const {
    return {y.data() + 2 * n_ * (1 + columns_), 2 * n_, std::ssize(pairs_)};
  }
  ReadMatrix read_curvatures(std::span<const double> y) const {
    return {y.data() + 2 * n_ * (1 + columns_), 2 * n_, std::ssize(pairs_)};
  }
  std::span<const double> positions(std::span<const double> y) const {
    return y.first(static_cast<std::size_t>(n_));
  }
  std::span<const double> velocities(std::span<const double> y) const {
    return y.subspan(static_cast<std::size_t>(n_), static_cast<std::size_t>(n_));
  }

  void give_up(double t);
  Eigen::MatrixXd directions(const ReadMatrix& S) const;
  bool slope(double t, std::span<const double> y, std::span<double> dydt);
  bool settle(double t);
  bool project(double t, std::span<double> y, bool decide);
  void project_tangents(std::span<double> y);
  bool emit(double t, std::vector<double>& y);

  const Motion& motion_;
  const motion::SimulationOptions& options_;
  flow::Derivatives derivatives_;
  flow::Projector projector_;
  JumpWatch jumps_;
  Eigen::MatrixXd P_, P2_;
  Sensitivities& result_;
  Eigen::Index n_, columns_;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> pairs_;  ///< of names, s <= r
  std::optional<flow::SecondDerivatives> second_;
  std::size_t size_;
  std::vector<double> y_;
  std::optional<flow::Chart> chart_;
};

/// Pairs of names (s, r), s <= r, in the order of the columns of H.
std::vector<std::pair<Eigen::Index, Eigen::Index>> pairs_of(Eigen::Index names);

}  // namespace dalembert::study
