#include "dalembert/study/linear/local_system.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dalembert/solve/method.hpp"

namespace dalembert::study {

using Eigen::Index;

LocalSystem::LocalSystem(const Motion& motion, std::vector<std::size_t> parameters,
                         bool with_outputs)
    : motion_(motion),
      kernels_(std::make_unique<flow::DerivativeKernels>(
          flow::make_derivative_kernels(motion, std::move(parameters), with_outputs))),
      derivatives_(motion, *kernels_) {}

void LocalSystem::bind(const Motion& motion) {
  motion_ = motion;
  derivatives_.bind(motion);
}

bool LocalSystem::look(const State& state, bool keep_chart) {
  problem_.clear();
  state_ = state;
  if (const flow::Status status = derivatives_.decide(state.t, state.q, state.v);
      status != flow::Status::ok) {
    problem_ = derivatives_.evaluator().explain_failure();
    if (problem_.empty()) problem_ = "the equations of motion have no finite derivatives there";
    return false;
  }
  if (!derivatives_.evaluator().solution().consistent()) {
    problem_ = derivatives_.evaluator().explain_contradiction();
    if (!problem_.empty()) return false;
  }
  if (!keep_chart || !chart_) chart_.emplace(motion_, derivatives_);
  tangent_ = chart_->calc_tangent(derivatives_);
  if (tangent_.T.allFinite()) return true;
  problem_ = "the dependent coordinates cannot be solved for there";
  return false;
}

/// Columns of T, t and the parameters behind the states, put through an n x z derivative: what
/// moves by itself is in z, what follows by the constraints in T.
Eigen::MatrixXd LocalSystem::times_T(const Eigen::MatrixXd& of_z, Index first, Index count) const {
  const Index state = 2 * derivatives_.n();
  Eigen::MatrixXd result = of_z.leftCols(state) * tangent_.T.middleCols(first, count);
  if (first >= size()) result += of_z.middleCols(state + first - size(), count);
  return result;
}

Eigen::MatrixXd LocalSystem::rows_of_f(Index first, Index count) const {
  const auto& q_I = chart_->independent_q();
  const auto& v_I = chart_->independent_v();
  Eigen::MatrixXd rows(size(), count);
  const Index n = derivatives_.n();
  for (std::size_t i = 0; i < q_I.size(); ++i)
    rows.row(static_cast<Index>(i)) = tangent_.T.row(n + q_I[i]).segment(first, count);
  const Eigen::MatrixXd da = times_T(derivatives_.acceleration_z(), first, count);
  for (std::size_t i = 0; i < v_I.size(); ++i)
    rows.row(std::ssize(q_I) + static_cast<Index>(i)) = da.row(v_I[i]);
  return rows;
}

Eigen::MatrixXd LocalSystem::calc_A() const {
  return rows_of_f(0, size());
}

Eigen::MatrixXd LocalSystem::calc_A_rounding() const {
  const auto& q_I = chart_->independent_q();
  const auto& v_I = chart_->independent_v();
  const Index n = derivatives_.n();
  Eigen::MatrixXd rows(size(), size());
  for (std::size_t i = 0; i < q_I.size(); ++i)
    rows.row(static_cast<Index>(i)) = tangent_.rounding.row(n + q_I[i]).head(size());
  // rounding of T bounds |T| itself: it is 64 eps of the sizes of its terms.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const Eigen::MatrixXd sizes = tangent_.rounding.leftCols(size()) / (64 * eps),
                        da = derivatives_.calc_rounding().leftCols(2 * n) * sizes +
                             derivatives_.acceleration_z().leftCols(2 * n).cwiseAbs() *
                                 tangent_.rounding.leftCols(size());
  for (std::size_t i = 0; i < v_I.size(); ++i)
    rows.row(std::ssize(q_I) + static_cast<Index>(i)) = da.row(v_I[i]);
  return rows;
}

Eigen::MatrixXd LocalSystem::calc_B() const {
  return rows_of_f(size() + 1, std::ssize(kernels_->parameters));
}

Eigen::VectorXd LocalSystem::calc_B_time() const {
  return rows_of_f(size(), 1);
}

Eigen::MatrixXd LocalSystem::calc_C() const {
  return times_T(derivatives_.outputs_z(), 0, size());
}

Eigen::MatrixXd LocalSystem::calc_D() const {
  return times_T(derivatives_.outputs_z(), size() + 1, std::ssize(kernels_->parameters));
}

Eigen::VectorXd LocalSystem::calc_acceleration() const {
  return derivatives_.acceleration()(chart_->independent_v());
}

Eigen::VectorXd LocalSystem::calc_acceleration_scale() const {
  return derivatives_.calc_acceleration_scale()(chart_->independent_v());
}

Eigen::VectorXd LocalSystem::calc_steady_limit(double relative) const {
  constexpr double absolute = 1e-12;
  Eigen::VectorXd change(size());
  Index at = 0;
  for (const Index i : chart_->independent_q())
    change[at++] = relative * std::abs(state_.q[static_cast<std::size_t>(i)]) + absolute;
  for (const Index i : chart_->independent_v())
    change[at++] = relative * std::abs(state_.v[static_cast<std::size_t>(i)]) + absolute;
  return relative * calc_acceleration_scale() +
         calc_A().bottomRows(velocities()).cwiseAbs() * change;
}

std::optional<std::string> linearisation_objection(const Motion& motion) {
  if (!solve::is_mechanical(motion.method()))
    return "by the method vakonomic the multipliers are part of the state; it is not linearised";
  if (model::has_instants(motion.model()))
    return "a model with events, contacts or friction that sticks changes its equations along the "
           "motion; it is not linearised";
  if (motion.method() == solve::Method::weighted)
    return "the method weighted gives a compromise between constraints; it is not linearised";
  const std::size_t size = motion.coordinates() + motion.constraints();
  if (size > solve::most_on_full_matrices)
    return fmt::format(
        "linearisation works on full matrices, for up to {} coordinates and constraints together, "
        "and this model has {}",
        solve::most_on_full_matrices, size);
  return std::nullopt;
}

}  // namespace dalembert::study
