#include "dalembert/study/linear/mode_shapes.hpp"

#include <cmath>
#include <numbers>

namespace dalembert::study {

namespace {

/// Of a mode whose largest entry is 1: what is less is rounding of a mode of velocities.
constexpr double still = 1e-13;
constexpr double time_constants = 3;

}  // namespace

ModeShapes::ModeShapes(const Motion& motion, const Linearisation& linear)
    : linear_(linear), system_(motion, {}, false) {
  const auto n = static_cast<Eigen::Index>(motion.coordinates());
  shapes_.setZero(n, linear.spectrum.modes.cols());
  if (!system_.look(linear.point)) return;  // where it was linearised, it can be looked at
  independent_ = system_.chart().independent_q();
  T_q_ = system_.chart().calc_tangent(system_.derivatives()).T.topLeftCorner(n, system_.size());
  for (Eigen::Index k = 0; k < shapes_.cols(); ++k) {
    const Eigen::VectorXcd shape = T_q_ * linear.spectrum.modes.col(k);
    const double size = shape.size() > 0 ? shape.cwiseAbs().maxCoeff() : 0;
    if (size > still && std::isfinite(size)) shapes_.col(k) = shape / size;
  }
}

bool ModeShapes::moves(Eigen::Index mode) const {
  return !shapes_.col(mode).isZero(0);
}

double ModeShapes::duration(Eigen::Index mode) const {
  const std::complex<double> z = linear_.spectrum.values[mode];
  if (z.imag() != 0) return 2 * std::numbers::pi / std::abs(z.imag());
  return z.real() == 0 ? 1 : time_constants / std::abs(z.real());
}

std::complex<double> ModeShapes::factor(Eigen::Index mode, double t) const {
  const std::complex<double> z = linear_.spectrum.values[mode];
  if (z.imag() != 0) return std::polar(1.0, z.imag() * t);
  if (z.real() == 0) return std::sin(2 * std::numbers::pi * t);
  return std::exp(z.real() * (z.real() > 0 ? t - duration(mode) : t));
}

std::vector<double> ModeShapes::coordinates(Eigen::Index mode, double t, double amplitude) {
  const Eigen::VectorXd moved = amplitude * (shapes_.col(mode) * factor(mode, t)).real();
  State state = linear_.point;
  for (Eigen::Index i = 0; i < moved.size(); ++i) state.q[static_cast<std::size_t>(i)] += moved[i];
  State exact = state;
  if (system_.chart().complete(system_.derivatives(), exact)) return exact.q;
  return state.q;
}

}  // namespace dalembert::study
