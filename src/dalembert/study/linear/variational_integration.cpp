#include "dalembert/study/linear/variational_integration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/sample_times.hpp"

namespace dalembert::study {

using Eigen::Index;

std::vector<std::pair<Index, Index>> pairs_of(Index names) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index s = 0; s < names; ++s) {
    for (Index r = s; r < names; ++r) pairs.emplace_back(s, r);
  }
  return pairs;
}

VariationalIntegration::VariationalIntegration(const VariationalProblem& problem,
                                               Sensitivities& result)
    : motion_(problem.motion),
      options_(problem.options),
      derivatives_(problem.motion, problem.kernels),
      projector_(problem.motion),
      jumps_(problem.motion, problem.watched, problem.second != nullptr),
      P_(problem.P),
      P2_(problem.P2),
      result_(result),
      n_(static_cast<Index>(problem.motion.coordinates())),
      columns_(P_.cols()),
      pairs_(problem.second != nullptr ? pairs_of(columns_)
                                       : std::vector<std::pair<Index, Index>>()),
      size_(static_cast<std::size_t>(2 * n_ * (1 + columns_ + std::ssize(pairs_)))) {
  if (problem.second != nullptr) second_.emplace(motion_, *problem.second, derivatives_);
}

void VariationalIntegration::run(const flow::State& start, const Eigen::MatrixXd& S0,
                                 const Eigen::MatrixXd& H0, const OnStep& on_step) {
  y_.resize(size_);
  std::ranges::copy(start.q, y_.begin());
  std::ranges::copy(start.v, y_.begin() + n_);
  tangents(y_) = S0;
  if (second_) curvatures(y_) = H0;
  const motion::SampleTimes times{options_};
  const double end = times[times.count() - 1];
  std::vector<double> absolute(size_, options_.atol);
  motion::Tolerance tolerance{options_.rtol, absolute, {}};
  motion::Rk8 stepper(size_);
  motion::StepControlOptions control;
  control.max_step = options_.max_step;
  motion::StepController controller(control);
  flow::StepEndFinder finder(motion_.time_kinks());
  flow::StepEndCursor ends;
  const auto f = [this](double t, std::span<const double> y, std::span<double> dydt) {
    return slope(t, y, dydt);
  };
  double t = start.t;
  if (!settle(t)) return;
  long next = 0;
  std::vector<double> sample(size_);
  const auto emit_until = [&](double reached, bool dense) {
    for (; next < times.count() && times[next] <= reached; ++next) {
      const double at = times[next];
      if (dense) {
        stepper.interpolate((at - stepper.t()) / (stepper.t_new() - stepper.t()), sample);
      } else {
        sample = y_;
      }
      if (!emit(at, sample)) return false;
    }
    return true;
  };
  if (!emit_until(t, false)) return;
  t = ends.begin(finder, motion_.parameters(), t, std::max(end, t), false);
  jumps_.look(t, y_, static_cast<std::size_t>(n_));
  if (!stepper.start(t, y_, f)) return give_up(t);
  double h = end > t ? stepper.initial_step(f, tolerance, end - t) : 0;
  while (t < end) {
    const flow::StepEnd& limit = ends.next(t);
    const bool lands = t + h * (1 + 1e-6) >= limit.before;
    const double length = lands ? limit.before - t : h;
    const auto [accepted, proposed] =
        controller.decide(length, stepper.attempt(f, length, tolerance));
    if (!accepted) {
      ++result_.rejected;
      h = proposed;
      if (motion::step_underflow(t, h)) return give_up(t);
      continue;
    }
    if (++result_.steps > options_.max_steps) return give_up(t);
    const double reached = lands ? limit.before : t + length;
    if (on_step) on_step(t, length, y_, reached);
    if (next < times.count() && times[next] <= reached) {
      if (!stepper.prepare_dense(f)) return give_up(t);
      if (!emit_until(std::nextafter(reached, t), true)) return;
    }
    std::ranges::copy(stepper.y_new(), y_.begin());
    if (!settle(reached)) return;
    if (const std::string* jump = jumps_.look(reached, y_, static_cast<std::size_t>(n_))) {
      result_.reason = fmt::format(
          "{} jumps between t = {:.6g} and t = {:.6g}: the variational equations do not hold "
          "across a jump that depends on the state",
          *jump, t, reached);
      return;
    }
    if (!emit_until(reached, false)) return;
    t = lands && limit.is_kink() ? limit.behind : reached;
    if (t >= end) break;
    if (options_.stop != nullptr && options_.stop->load()) {
      result_.reason = fmt::format("interrupted at t = {:.6g}", t);
      return;
    }
    if (!stepper.start(t, y_, f)) return give_up(t);
    h = lands ? std::max(h, proposed) : proposed;
  }
  if (!emit_until(std::numeric_limits<double>::infinity(), false)) return;
  result_.complete = true;
}

void VariationalIntegration::give_up(double t) {
  result_.reason = fmt::format(
      "the motion and its variational equations could not be continued at t = {:.6g}", t);
}

/// Columns of (q, v, t, p).
Eigen::MatrixXd VariationalIntegration::directions(const ReadMatrix& S) const {
  Eigen::MatrixXd Z(2 * n_ + 1 + P_.rows(), columns_);
  Z.topRows(2 * n_) = S;
  Z.row(2 * n_).setZero();
  Z.bottomRows(P_.rows()) = P_;
  return Z;
}

bool VariationalIntegration::slope(double t, std::span<const double> y, std::span<double> dydt) {
  if (derivatives_.evaluate(t, positions(y), velocities(y)) != flow::Status::ok) return false;
  std::copy_n(y.begin() + n_, n_, dydt.begin());
  std::copy_n(derivatives_.acceleration().begin(), n_, dydt.begin() + n_);
  const auto S = read_tangents(y);
  Matrix rate = tangents(dydt);
  rate.topRows(n_) = S.bottomRows(n_);
  rate.bottomRows(n_).noalias() = derivatives_.acceleration_z().leftCols(2 * n_) * S;
  rate.bottomRows(n_).noalias() += derivatives_.acceleration_z().rightCols(P_.rows()) * P_;
  if (!second_) return true;
  const auto H = read_curvatures(y);
  Matrix bend = curvatures(dydt);
  bend.topRows(n_) = H.bottomRows(n_);
  bend.bottomRows(n_).noalias() = derivatives_.acceleration_z().leftCols(2 * n_) * H;
  bend.bottomRows(n_).noalias() += derivatives_.acceleration_z().rightCols(P2_.rows()) * P2_;
  const Eigen::MatrixXd Z = directions(S);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    bend.col(static_cast<Index>(k)).tail(n_) +=
        second_->of_acceleration(Z, pairs_[k].first, pairs_[k].second);
  return true;
}

/// Projects the state, then S, and finds the rank there.
bool VariationalIntegration::settle(double t) {
  if (!project(t, y_, true)) {
    give_up(t);
    return false;
  }
  if (derivatives_.decide(t, positions(y_), velocities(y_)) != flow::Status::ok) {
    give_up(t);
    return false;
  }
  chart_.emplace(motion_, derivatives_);
  project_tangents(y_);
  return true;
}

bool VariationalIntegration::project(double t, std::span<double> y, bool decide) {
  const auto n = static_cast<std::size_t>(n_);
  const std::span<double> q = y.first(n), v = y.subspan(n, n);
  if (options_.project == model::Project::none || motion_.constraints() == 0) return true;
  if (decide && projector_.decide(t, q, v) != flow::Status::ok) return false;
  if (options_.project == model::Project::both) projector_.positions(t, q, v);
  projector_.velocities(t, q, v);
  return std::ranges::all_of(y, [](double x) { return std::isfinite(x); });
}

void VariationalIntegration::project_tangents(std::span<double> y) {
  if (options_.project == model::Project::none || motion_.constraints() == 0) return;
  const flow::Chart::Tangent tangent = chart_->calc_tangent(derivatives_);
  const auto follow = [&](Matrix S, const Eigen::MatrixXd& P) {
    Eigen::MatrixXd independent(chart_->size(), S.cols());
    const auto& q_I = chart_->independent_q();
    const auto& v_I = chart_->independent_v();
    for (std::size_t i = 0; i < q_I.size(); ++i)
      independent.row(static_cast<Index>(i)) = S.row(q_I[i]);
    for (std::size_t i = 0; i < v_I.size(); ++i)
      independent.row(static_cast<Index>(i + q_I.size())) = S.row(n_ + v_I[i]);
    S = tangent.T.leftCols(chart_->size()) * independent + tangent.T.rightCols(P.rows()) * P;
  };
  follow(tangents(y), P_);
  if (!second_) return;
  Matrix H = curvatures(y);
  follow(H, P2_);
  const Eigen::MatrixXd Z = directions(read_tangents(y));
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    second_->measure_constraints(Z, pairs_[k].first, pairs_[k].second);
    H.col(static_cast<Index>(k)) +=
        chart_->calc_offset(derivatives_, second_->residual(), second_->rate());
  }
}

bool VariationalIntegration::emit(double t, std::vector<double>& y) {
  if (!project(t, y, false) ||
      derivatives_.evaluate(t, positions(y), velocities(y)) != flow::Status::ok) {
    give_up(t);
    return false;
  }
  project_tangents(y);
  const auto S = read_tangents(y);
  const Index outputs = derivatives_.outputs().size();
  Eigen::MatrixXd all(3 * n_ + outputs, columns_);
  all.topRows(2 * n_) = S;
  const auto follow = [&](const Eigen::MatrixXd& of_z) {
    return Eigen::MatrixXd(of_z.leftCols(2 * n_) * S + of_z.rightCols(P_.rows()) * P_);
  };
  all.middleRows(2 * n_, n_) = follow(derivatives_.acceleration_z());
  if (outputs > 0) all.bottomRows(outputs) = follow(derivatives_.outputs_z());
  result_.t.push_back(t);
  for (Index i = 0; i < all.rows(); ++i) {
    for (Index j = 0; j < columns_; ++j) result_.values.push_back(all(i, j));
  }
  if (second_) {
    const auto H = read_curvatures(y);
    for (Index i = 0; i < 2 * n_; ++i) {
      for (Index k = 0; k < H.cols(); ++k) result_.second.push_back(H(i, k));
    }
  }
  result_.states.insert(result_.states.end(), y.begin(), y.begin() + 2 * n_);
  return true;
}

}  // namespace dalembert::study
