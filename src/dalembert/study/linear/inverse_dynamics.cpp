#include "dalembert/study/linear/inverse_dynamics.hpp"

#include <fmt/format.h>
#include <Eigen/LU>
#include <Eigen/QR>

#include <cmath>
#include <limits>

namespace dalembert::study {

InverseDynamics inverse_dynamics(const flow::Motion& motion, const flow::State& state,
                                 std::span<const double> acceleration,
                                 std::span<const std::size_t> along) {
  using Eigen::Index;
  constexpr double tolerance = 1e-8;
  const auto n = static_cast<Index>(motion.coordinates());
  const auto count = std::ssize(along);
  InverseDynamics result;
  const auto fail = [&](std::string why) {
    result.problem = std::move(why);
    result.u.setConstant(count, std::numeric_limits<double>::quiet_NaN());
    result.ideal.setConstant(n, std::numeric_limits<double>::quiet_NaN());
    return result;
  };
  if (motion.equations().C_uses_ideal_force || !motion.equations().frictions.empty())
    return fail("its non-ideal forces depend on the reactions, which these forces change");
  const flow::Acceleration now = motion.acceleration(state.t, state.q, state.v);
  if (now.status != flow::Status::ok && now.M.size() == 0) return fail(now.problem);
  const Eigen::Map<const Eigen::VectorXd> a(acceleration.data(), n);
  if (!now.M.allFinite() || !now.A.allFinite() || !a.allFinite())
    return fail("the equations of motion are not finite there");
  const Eigen::VectorXd broken = now.A * a - now.b;
  for (Index j = 0; j < broken.size(); ++j) {
    const double size = now.A.row(j).cwiseAbs() * a.cwiseAbs() + std::abs(now.b[j]);
    if (std::abs(broken[j]) > tolerance * size + 1e-300 && std::abs(broken[j]) > 1e-14)
      return fail(fmt::format("the acceleration breaks the constraint '{}' by {:.3g}",
                              motion.model().constraints[static_cast<std::size_t>(j)].name,
                              broken[j]));
  }
  const Eigen::VectorXd needed = now.M * a - now.Q - now.C;
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, count);
  for (Index i = 0; i < count; ++i)
    S(static_cast<Index>(along[static_cast<std::size_t>(i)]), i) = 1;
  Eigen::MatrixXd Z = Eigen::MatrixXd::Identity(n, n);
  if (now.A.rows() > 0 && now.rank > 0) {
    Eigen::MatrixXd rows = now.A;
    for (Index j = 0; j < rows.rows(); ++j) {
      if (const double length = rows.row(j).norm(); length > 0) rows.row(j) /= length;
    }
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
    const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
    Z = Q.rightCols(n - now.rank);
  }
  const Eigen::MatrixXd reach = Z.transpose() * S;
  const Eigen::VectorXd wanted = Z.transpose() * needed;
  if (count > 0) {
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(reach);
    result.u = solver.solve(wanted);
    result.unique = solver.rank() == count;
  } else {
    result.u.resize(0);
  }
  const double left = (reach * result.u - wanted).norm();
  const double size =
      (now.M.cwiseAbs() * a.cwiseAbs() + now.Q.cwiseAbs() + now.C.cwiseAbs()).norm();
  if (left > tolerance * size)
    return fail("forces along these coordinates cannot make this acceleration");
  result.ideal = needed - S * result.u;
  return result;
}

}  // namespace dalembert::study
