#include "dalembert/motion/steps/taylor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "dalembert/codegen/fewer_products.hpp"

namespace dalembert::motion {

namespace {

constexpr double share = 16;  // of the last terms in what is allowed

/// x^(-1/k) to within 3 %, by the bits of x: read as a number they are its logarithm in pieces. x
/// >= 0.
double inverse_root(double x, double k) {
  constexpr double bits = 4503599627370496;  // 2^52
  constexpr double offset = 1022.957;
  const double log = static_cast<double>(std::bit_cast<std::int64_t>(x)) / bits - offset;
  const double wanted = std::clamp(offset - log / k, 1.0, 2046.0);
  return std::bit_cast<double>(static_cast<std::int64_t>(wanted * bits));
}

}  // namespace

std::uint32_t taylor_order(double rtol) {
  const double order = 4 + std::log(share / std::max(rtol, 1e-16)) / 2;
  const auto even = 2 * static_cast<std::uint32_t>(std::lround(order / 2));
  return std::clamp(even, 6U, codegen::SeriesLayout::most_order);
}

const codegen::SeriesKernel& series_kernel(const LaneFlow& flow) {
  return flow.series.get([&] {
    return codegen::SeriesKernel(codegen::make_short_series(flow.derivative.tape()),
                                 {flow.lanes, flow.engine});
  });
}

TaylorStep::TaylorStep(const LaneFlow& flow, const LaneArithmetic& arithmetic,
                       std::span<const double> parameters, double rtol)
    : kernel_(series_kernel(flow)),
      arithmetic_(arithmetic),
      p_(taylor_order(rtol)),
      size_(flow.size),
      W_(static_cast<std::size_t>(flow.lanes)),
      workspace_(kernel_.workspace(parameters)),
      longest_(W_),
      before_(W_),
      slope_((size_ + lane_pack) * W_),
      part_(W_) {}

SeriesView TaylorStep::view() const {
  return {kernel_.coefficient(workspace_, 0, 0), codegen::SeriesLayout::stride, p_};
}

void TaylorStep::expand(LaneStep& step) {
  double* in = kernel_.input(workspace_);
  std::copy_n(step.t.begin(), W_, in);
  std::copy_n(step.y.begin(), size_ * W_, in + W_);
  kernel_.begin(workspace_);
  const double* doubt = kernel_.output(workspace_, size_ + 1);
  kernel_.run(workspace_, p_);
  arithmetic_.series_norms(step, view(), longest_.data(), before_.data());
  for (std::size_t l = 0; l < W_; ++l) {
    // What is not finite in any coefficient is not in the last two either, or makes the step's end
    // so.
    const bool valued = longest_[l] + before_[l] < std::numeric_limits<double>::infinity();
    step.started[l] = doubt[l] <= 1 && valued ? -1 : 0;
    const double last = inverse_root(share * longest_[l], p_);
    longest_[l] = valued ? std::min(last, inverse_root(share * before_[l], p_ - 1)) : 0.0;
  }
}

void TaylorStep::attempt(LaneKernel& derivative, LaneStep& step) {
  arithmetic_.series_value(step, view(), step.h.data(), step.y_new.data());
  arithmetic_.series_slope(step, view(), step.h.data(), slope_.data());
  for (std::size_t l = 0; l < W_; ++l) derivative.in[l] = step.t[l] + step.h[l];
  std::copy_n(step.y_new.begin(), size_ * W_, derivative.in + W_);
  derivative.run();
  arithmetic_.series_defect(derivative, slope_.data(), p_, step);
}

void TaylorStep::interpolate(const LaneStep& step, const double* theta, double* y) const {
  for (std::size_t l = 0; l < W_; ++l) part_[l] = theta[l] * step.h[l];
  arithmetic_.series_value(step, view(), part_.data(), y);
}

void TaylorStep::interpolate_slope(const LaneStep& step, const double* theta, double* slope) const {
  for (std::size_t l = 0; l < W_; ++l) part_[l] = theta[l] * step.h[l];
  arithmetic_.series_slope(step, view(), part_.data(), slope);
}

}  // namespace dalembert::motion
