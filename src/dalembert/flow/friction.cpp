#include "dalembert/flow/friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dalembert/flow/values.hpp"
#include "dalembert/solve/dense_kernels.hpp"
#include "dalembert/solve/names.hpp"

namespace dalembert::flow {

namespace {

constexpr int most_iterations = 2000;
constexpr int most_corrections = 12;
constexpr double acceptable = 1e3;  // in units of rounding, which many frictions add up
constexpr double rounding = 32 * std::numeric_limits<double>::epsilon();
constexpr double first_stride = 1.0 / 16, smallest_stride = 1e-7;

}  // namespace

NormalForces::NormalForces(std::size_t count)
    : p_(Eigen::Matrix3Xd::Zero(3, static_cast<Eigen::Index>(count))),
      r_(p_),
      W_(Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(count),
                               static_cast<Eigen::Index>(count))),
      K_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count))),
      J_(K_),
      N_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count))),
      trial_(N_),
      tangent_(N_),
      left_(N_),
      scale_(N_),
      swaps_(count) {}

bool NormalForces::solve() {
  const Eigen::Index count = N_.size();
  assured_ = true;
  for (Eigen::Index j = 0; j < count; ++j) {
    for (Eigen::Index i = 0; i < count; ++i) K_(i, j) = W_.col(j).segment<3>(3 * i).norm();
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    if (K_(i, i) < 1) continue;
    culprit_ = static_cast<std::size_t>(i);
    measure_ = K_(i, i);
    return false;
  }
  if (count == 1) {
    solve_one();
    return true;
  }
  assured_ = is_contraction();
  return assured_ ? iterate() : follow();
}

/// (1 - |W|^2) N^2 - 2 (p.W) N - |p|^2 = 0 has one root that is not negative.
void NormalForces::solve_one() {
  const auto p = p_.col(0);
  const auto w = W_.col(0).segment<3>(0);
  const double along = p.dot(w), rest = (1 - K_(0, 0)) * (1 + K_(0, 0));
  const double root = std::sqrt(along * along + rest * p.squaredNorm());
  // Of the two forms the one in which nothing cancels.
  N_(0) = along >= 0 ? (along + root) / rest : p.squaredNorm() / (root - along);
}

/// A matrix K of nonnegative numbers has a spectral radius below 1 where elimination of I - K,
/// without exchanging rows, meets positive pivots only (I - K is then an M-matrix).
bool NormalForces::is_contraction() {
  const Eigen::Index count = N_.size();
  J_ = -K_;
  for (Eigen::Index i = 0; i < count; ++i) J_(i, i) += 1;
  for (Eigen::Index c = 0; c < count; ++c) {
    if (!(J_(c, c) > rounding)) return false;
    for (Eigen::Index i = c + 1; i < count; ++i) {
      const double factor = J_(i, c) / J_(c, c);
      for (Eigen::Index j = c; j < count; ++j) J_(i, j) -= factor * J_(c, j);
    }
  }
  return true;
}

/// left_i = N_i - |r_i|, r_i = p_i + s sum_j N_j W_ij. The largest |left_i|, in units of what
/// rounding could make of it.
double NormalForces::calc_residual(double s, const Eigen::VectorXd& N) {
  double largest = 0;
  for (Eigen::Index i = 0; i < N.size(); ++i) {
    double size = p_.col(i).norm();
    r_.col(i) = p_.col(i);
    for (Eigen::Index j = 0; j < N.size(); ++j) {
      r_.col(i) += s * N(j) * W_.col(j).segment<3>(3 * i);
      size += s * K_(i, j) * std::abs(N(j));
    }
    left_(i) = N(i) - r_.col(i).norm();
    if (left_(i) != 0) largest = std::max(largest, std::abs(left_(i)) / (rounding * size));
    if (!std::isfinite(left_(i))) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

/// N -= J^-1 left with J_ij = delta_ij - s (r_i/|r_i|).W_ij, at the r and left of calc_residual.
/// `regular_side`: det J > 0, as it is without friction and stays until a fold.
bool NormalForces::newton_step(double s, Eigen::VectorXd& N, bool& regular_side) {
  for (Eigen::Index i = 0; i < N.size(); ++i) {
    const double size = r_.col(i).norm();
    for (Eigen::Index j = 0; j < N.size(); ++j) {
      const double slope = size > 0 ? r_.col(i).dot(W_.col(j).segment<3>(3 * i)) / size : 0;
      J_(i, j) = (i == j ? 1.0 : 0.0) - s * slope;
    }
  }
  if (!lu(J_, scale_, swaps_)) return false;
  regular_side = true;
  for (Eigen::Index i = 0; i < N.size(); ++i) {
    if (J_(i, i) < 0) regular_side = !regular_side;
    if (swaps_[static_cast<std::size_t>(i)] != static_cast<int>(i)) regular_side = !regular_side;
  }
  lu_solve(J_, swaps_, left_.data());
  N -= left_;
  return true;
}

/// Newton's steps where they come closer, else N_i := |r_i|, which contracts.
bool NormalForces::iterate() {
  for (Eigen::Index i = 0; i < N_.size(); ++i) N_(i) = p_.col(i).norm();
  double residual = calc_residual(1, N_);
  double best = residual;
  trial_ = N_;
  int stale = 0;
  for (int k = 0; k < most_iterations && residual > 1 && !(best <= acceptable && stale > 3); ++k) {
    bool regular = true;
    tangent_ = N_;
    const bool stepped = newton_step(1, tangent_, regular);
    double next = stepped ? calc_residual(1, tangent_) : residual;
    if (stepped && next < residual / 2) {
      N_ = tangent_;
    } else {
      calc_residual(1, N_);
      N_ -= left_;
      next = calc_residual(1, N_);
    }
    residual = next;
    ++stale;
    if (residual < best) {
      stale = 0;
      best = residual;
      trial_ = N_;
    }
  }
  N_ = trial_.cwiseMax(0);
  if (best <= acceptable) return true;
  culprit_ = count();
  measure_ = 1;
  return false;
}

/// The solution for s W, from s = 0 to 1.
bool NormalForces::follow() {
  for (Eigen::Index i = 0; i < N_.size(); ++i) N_(i) = p_.col(i).norm();
  double s = 0, stride = first_stride;
  while (s < 1) {
    const double next = std::min(1.0, s + stride);
    trial_ = N_;
    bool regular = true, good = false;
    for (int k = 0; k < most_corrections; ++k) {
      good = calc_residual(next, trial_) <= 1;
      if (good && k > 0) break;
      if (!newton_step(next, trial_, regular)) {
        good = regular = false;
        break;
      }
    }
    if (good && regular && (trial_.array() >= 0).all()) {
      N_ = trial_;
      s = next;
      stride *= 2;
    } else {
      stride /= 2;
      if (stride > smallest_stride) continue;
      culprit_ = count();
      measure_ = s;
      return false;
    }
  }
  return true;
}

FrictionKernels friction_kernels(const mechanics::Equations& eq) {
  std::vector<expr::Expr> outputs;
  const auto append = [&](const std::vector<mechanics::Entry>& entries) {
    for (const mechanics::Entry& entry : entries) outputs.push_back(entry.value);
  };
  for (const mechanics::FrictionTerms& terms : eq.frictions) {
    outputs.insert(outputs.end(), terms.offset.begin(), terms.offset.end());
    append(terms.normal);
    append(terms.inertia);
    append(terms.direction);
  }
  return {codegen::make_kernel(codegen::make_tape(outputs, state_symbols(eq), eq.parameters))};
}

JointFriction::JointFriction(const mechanics::Equations& eq, const FrictionKernels& kernels,
                             const std::vector<double>& parameters)
    : eq_(eq),
      kernels_(kernels),
      terms_ws_(kernels.terms.workspace(parameters)),
      out_(kernels.terms.outputs()),
      normals_(eq.frictions.size()),
      direction_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(eq.q.size()),
                                       static_cast<Eigen::Index>(eq.frictions.size()))),
      response_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(eq.b.size()),
                                      static_cast<Eigen::Index>(eq.frictions.size()))),
      force_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(eq.q.size()))),
      lambda_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(eq.b.size()))),
      inertia_presses_(std::ranges::any_of(
          eq.frictions,
          [](const mechanics::FrictionTerms& terms) { return !terms.inertia.empty(); })),
      speeding_(direction_),
      acceleration_(force_) {}

Status JointFriction::solve(std::span<const double> inputs, EntrySolver& solver,
                            const Eigen::VectorXd& C_given, Eigen::VectorXd& C,
                            Eigen::VectorXd& multipliers) {
  kernels_.terms.evaluate(terms_ws_, inputs, out_);
  if (!std::ranges::all_of(out_, [](double x) { return std::isfinite(x); }) ||
      !C_given.allFinite()) {
    return Status::force_not_finite;
  }
  solver.copy_multipliers(multipliers);
  if (!C_given.isZero(0)) {
    solver.calc_response(C_given, lambda_);
    multipliers += lambda_;
  }
  const auto count = static_cast<Eigen::Index>(eq_.frictions.size());
  const double* out = out_.data();
  for (Eigen::Index j = 0; j < count; ++j) {
    const auto& terms = eq_.frictions[static_cast<std::size_t>(j)];
    out += terms.offset.size() + terms.normal.size() + terms.inertia.size();
    for (const mechanics::Entry& entry : terms.direction) direction_(entry.row, j) = *out++;
    force_ = direction_.col(j);
    solver.calc_response(force_, lambda_);
    response_.col(j) = lambda_;
  }
  if (!multipliers.allFinite() || !response_.allFinite()) return Status::result_not_finite;
  if (inertia_presses_) {
    const Status status = find_accelerations(solver, C_given);
    if (status != Status::ok) return status;
  }
  out = out_.data();
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto number = static_cast<std::size_t>(i);
    const auto& terms = eq_.frictions[number];
    auto p = normals_.p(number);
    p.setZero();
    for (std::size_t c = 0; c < terms.offset.size(); ++c) p(static_cast<Eigen::Index>(c)) = *out++;
    for (Eigen::Index j = 0; j < count; ++j)
      normals_.W(number, static_cast<std::size_t>(j)).setZero();
    for (const mechanics::Entry& entry : terms.normal) {
      p(entry.row) += *out * multipliers(entry.column);
      for (Eigen::Index j = 0; j < count; ++j)
        normals_.W(number, static_cast<std::size_t>(j))(entry.row) +=
            *out * response_(entry.column, j);
      ++out;
    }
    for (const mechanics::Entry& entry : terms.inertia) {
      p(entry.row) += *out * acceleration_(entry.column);
      for (Eigen::Index j = 0; j < count; ++j)
        normals_.W(number, static_cast<std::size_t>(j))(entry.row) +=
            *out * speeding_(entry.column, j);
      ++out;
    }
    out += terms.direction.size();
  }
  if (!normals_.solve()) return Status::friction_undetermined;
  C = C_given;
  for (Eigen::Index j = 0; j < count; ++j) {
    C += normals_.values()(j) * direction_.col(j);
    multipliers += normals_.values()(j) * response_.col(j);
  }
  return Status::ok;
}

/// q'' is affine in C, so its answer to a direction is the difference to that without C.
Status JointFriction::find_accelerations(EntrySolver& solver, const Eigen::VectorXd& C_given) {
  force_.setZero();
  Status status = solver.solve_nonideal(force_);
  if (status != Status::ok) return status;
  acceleration_ = solver.acceleration();
  for (Eigen::Index j = 0; j < direction_.cols(); ++j) {
    force_ = direction_.col(j);
    status = solver.solve_nonideal(force_);
    if (status != Status::ok) return status;
    speeding_.col(j) = solver.acceleration() - acceleration_;
  }
  status = solver.solve_nonideal(C_given);
  if (status == Status::ok) acceleration_ = solver.acceleration();
  return status;
}

std::size_t JointFriction::culprit() const {
  return normals_.culprit() < normals_.count() ? normals_.culprit() : 0;
}

std::string JointFriction::explain() const {
  if (normals_.culprit() < normals_.count()) {
    return fmt::format(
        "with its friction the reaction of joint '{}' does not exist or is not unique here: the "
        "friction caused by a normal force of 1 changes that force by {:.6g}, and only below 1 is "
        "there one answer (Painlevé); reduce the coefficient of friction, or let the joint yield",
        eq_.frictions[normals_.culprit()].joint, normals_.measure());
  }
  std::vector<std::string> names;
  for (const auto& terms : eq_.frictions) names.push_back(terms.joint);
  return fmt::format(
      "with their friction the reactions of joints {} do not exist or are not unique here: with "
      "all "
      "coefficients of friction raised together from 0, there is no answer beyond {:.6g} of their "
      "values (Painlevé); reduce them, or let a joint yield",
      quoted_list(names), normals_.measure());
}

}  // namespace dalembert::flow
