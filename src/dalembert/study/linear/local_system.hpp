#pragma once
/// The motion near a state, to first order: with s = (q_I, v_I) in a chart of the constraints
/// (flow/linear/chart.hpp), x = (q, v) and f(x) = (v, q''),
///
///     ds' = S f_x T ds + S f_p dp,     S picks the independent rows, dx = T ds + T_p dp,
///
/// exact, reactions' second-order terms included: f is tangent to the constraints, so the
/// derivative of S f along them needs T to first order only.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/flow/linear/chart.hpp"

namespace dalembert::study {

using flow::Motion;
using flow::State;

class LocalSystem {
 public:
  /// `parameters`: of the model, by index, with respect to which B and D are.
  LocalSystem(const Motion& motion, std::vector<std::size_t> parameters, bool with_outputs);
  void bind(const Motion& motion);  ///< as Evaluator::bind

  /// Solves at a state on the constraints, with a chart of its own, or with that of before. False,
  /// with `problem`, where that is impossible.
  bool look(const State& state, bool keep_chart = false);
  const std::string& problem() const { return problem_; }

  // After look. Sizes: N = 2n - h - k states, s parameters.
  const flow::Chart& chart() const { return *chart_; }
  flow::Derivatives& derivatives() { return derivatives_; }
  Eigen::Index size() const { return chart_->size(); }
  Eigen::Index velocities() const { return std::ssize(chart_->independent_v()); }
  Eigen::MatrixXd calc_A() const;  ///< N x N
  Eigen::MatrixXd calc_A_rounding() const;
  Eigen::MatrixXd calc_B() const;       ///< N x s
  Eigen::VectorXd calc_B_time() const;  ///< N: by t
  Eigen::MatrixXd calc_C() const;       ///< outputs x N
  Eigen::MatrixXd calc_D() const;       ///< outputs x s
  /// The accelerations of the independent velocities, and what they could have been had nothing
  /// cancelled.
  Eigen::VectorXd calc_acceleration() const;
  Eigen::VectorXd calc_acceleration_scale() const;
  /// How large these may be in a state that is steady but for a change of its numbers s_j by
  /// `relative` |s_j| + 1e-12, and for rounding: relative scale + |A| (relative |s| + 1e-12).
  Eigen::VectorXd calc_steady_limit(double relative) const;

 private:
  Eigen::MatrixXd times_T(const Eigen::MatrixXd& of_z, Eigen::Index first,
                          Eigen::Index count) const;
  Eigen::MatrixXd rows_of_f(Eigen::Index first, Eigen::Index count) const;

  Motion motion_;
  std::unique_ptr<const flow::DerivativeKernels> kernels_;
  flow::Derivatives derivatives_;
  std::optional<flow::Chart> chart_;
  flow::Chart::Tangent tangent_;
  State state_;
  std::string problem_;
};

/// Why a motion cannot be linearised, whatever the state; nothing if it can.
std::optional<std::string> linearisation_objection(const Motion& motion);

}  // namespace dalembert::study
