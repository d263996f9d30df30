#include "dalembert/motion/steps/taylor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "dalembert/codegen/fewer_products.hpp"

namespace dalembert::motion {

namespace {

constexpr double share = 16;  // of the last terms in what is allowed
constexpr double exactness = 1e-12;

/// What is left out has one sign over many steps and adds up, rounding does not: who asks for
/// less than `exactness` wants it to vanish beside rounding.
double share_of(double rtol) {
  return share * std::max(1.0, exactness / std::max(rtol, 1e-16));
}

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
  const double order = 4 + std::log(share_of(rtol) / std::max(rtol, 1e-16)) / 2;
  const auto even = 2 * static_cast<std::uint32_t>(std::lround(order / 2));
  return std::clamp(even, 6U, codegen::SeriesLayout::most_order);
}

bool is_exact(double rtol) {
  return rtol < exactness;
}

const codegen::SeriesKernel& series_kernel(const LaneFlow& flow, bool exact) {
  return flow.series[exact ? 1 : 0].get([&] {
    return codegen::SeriesKernel(codegen::make_short_series(flow.derivative.tape(), exact),
                                 {flow.lanes, flow.engine});
  });
}

namespace {

const codegen::SwitchedKernels* switched_kernels(const LaneFlow& flow, bool exact) {
  const codegen::Tape& f = flow.derivative.tape();
  if (!codegen::has_kinks(f, flow.size)) return nullptr;
  return &flow.switched[exact ? 1 : 0].get(
      [&] { return codegen::switched_kernels(f, flow.size, exact, {flow.lanes, flow.engine}); });
}

/// With levels that are still unknown.
std::vector<double> with_levels(std::span<const double> parameters,
                                const codegen::SwitchedKernels* switched) {
  std::vector<double> all(parameters.begin(), parameters.end());
  if (switched != nullptr) all.resize(all.size() + switched->kinds.size(), 0.0);
  return all;
}

}  // namespace

const codegen::Series& taylor_series(const LaneFlow& flow, double rtol) {
  const codegen::SwitchedKernels* switched = switched_kernels(flow, is_exact(rtol));
  return (switched != nullptr ? switched->series : series_kernel(flow, is_exact(rtol))).series();
}

TaylorStep::TaylorStep(const LaneFlow& flow, const LaneArithmetic& arithmetic,
                       std::span<const double> parameters, double rtol)
    : switched_(switched_kernels(flow, is_exact(rtol))),
      kernel_(switched_ != nullptr ? switched_->series : series_kernel(flow, is_exact(rtol))),
      arithmetic_(arithmetic),
      p_(taylor_order(rtol)),
      share_(share_of(rtol)),
      size_(flow.size),
      W_(static_cast<std::size_t>(flow.lanes)),
      workspace_(kernel_.workspace(with_levels(parameters, switched_))),
      longest_(W_),
      before_(W_),
      slope_((size_ + lane_pack) * W_),
      lost_(size_ * W_),
      lost_new_(size_ * W_),
      part_(W_) {
  if (switched_ == nullptr) return;
  parameters_.assign(W_, with_levels(parameters, switched_));
  derivative_ = LaneKernel(switched_->derivative, parameters_.front());
  switches_.assign(W_, LaneSwitches(switched_->kinds, p_));
}

void TaylorStep::place(std::size_t lane, std::span<const double> parameters) {
  for (std::size_t i = lane; i < lost_.size(); i += W_) lost_[i] = 0;
  if (switched_ == nullptr) {
    kernel_.bind(workspace_, static_cast<int>(lane), parameters);
    return;
  }
  std::ranges::copy(parameters, parameters_[lane].begin());
  switches_[lane].forget();
  bind_levels(lane);
}

void TaylorStep::bind_levels(std::size_t lane) {
  std::vector<double>& parameters = parameters_[lane];
  std::ranges::copy(switches_[lane].levels(),
                    parameters.end() - static_cast<std::ptrdiff_t>(switched_->kinds.size()));
  kernel_.bind(workspace_, static_cast<int>(lane), parameters);
  derivative_.bind(static_cast<int>(lane), parameters);
}

/// Whether a level of some lane did not fit what was found of order 0.
bool TaylorStep::correct_levels() {
  const std::size_t first = size_ + 2;  // after both doubts
  bool any = false;
  for (std::size_t l = 0; l < W_; ++l) {
    bool changed = false;
    for (std::size_t j = 0; j < switched_->kinds.size(); ++j)
      changed |= switches_[l].correct(j, kernel_.output(workspace_, first + j)[l]);
    if (changed) bind_levels(l);
    any |= changed;
  }
  return any;
}

/// Whether a level of some lane does not lead away from the kink where it stands.
bool TaylorStep::turn_levels() {
  const std::size_t first = size_ + 2;
  bool any = false;
  for (std::size_t j = 0; j < switched_->kinds.size(); ++j) {
    for (std::uint32_t k = 0; k < p_; ++k) {
      const double* g =
          k == 0 ? kernel_.output(workspace_, first + j) : kernel_.watched(workspace_, j, k);
      for (std::size_t l = 0; l < W_; ++l)
        switches_[l].coefficient(j, k) = g != nullptr ? g[l] : 0.0;
    }
  }
  for (std::size_t l = 0; l < W_; ++l) {
    if (!switches_[l].turn()) continue;
    bind_levels(l);
    any = true;
  }
  return any;
}

std::optional<double> TaylorStep::kink_within(std::size_t lane, double t, double h) {
  if (switched_ == nullptr || switches_[lane].stuck()) return std::nullopt;
  const double size = std::abs(t) + h;
  return switches_[lane].first_exit(
      h, 4 * (std::nextafter(size, std::numeric_limits<double>::infinity()) - size));
}

void TaylorStep::take(std::size_t lane) {
  for (std::size_t i = lane; i < lost_.size(); i += W_) lost_[i] = lost_new_[i];
  if (switched_ != nullptr && switches_[lane].take()) bind_levels(lane);
}

SeriesView TaylorStep::view() const {
  return {kernel_.coefficient(workspace_, 0, 0), codegen::SeriesLayout::stride, p_};
}

void TaylorStep::expand(LaneStep& step) {
  double* in = kernel_.input(workspace_);
  std::copy_n(step.t.begin(), W_, in);
  std::copy_n(step.y.begin(), size_ * W_, in + W_);
  const double* doubt = kernel_.output(workspace_, size_ + 1);
  do {
    do kernel_.begin(workspace_);
    while (switched_ != nullptr && correct_levels());
    kernel_.run(workspace_, p_);
  } while (switched_ != nullptr && turn_levels());
  arithmetic_.series_norms(step, view(), longest_.data(), before_.data());
  for (std::size_t l = 0; l < W_; ++l) {
    // What is not finite in any coefficient is not in the last two either, or makes the step's end
    // so.
    const bool valued = longest_[l] + before_[l] < std::numeric_limits<double>::infinity();
    step.started[l] = doubt[l] <= 1 && valued ? -1 : 0;
    const double last = inverse_root(share_ * longest_[l], p_);
    longest_[l] = valued ? std::min(last, inverse_root(share_ * before_[l], p_ - 1)) : 0.0;
  }
}

void TaylorStep::attempt(LaneKernel& rates, LaneStep& step) {
  LaneKernel& derivative = switched_ != nullptr ? derivative_ : rates;
  arithmetic_.series_end(step, view(), lost_.data(), lost_new_.data());
  arithmetic_.series_slope(step, view(), step.h.data(), slope_.data());
  for (std::size_t l = 0; l < W_; ++l) derivative.in[l] = step.t[l] + step.h[l];
  std::copy_n(step.y_new.begin(), size_ * W_, derivative.in + W_);
  derivative.run();
  arithmetic_.series_defect(derivative, slope_.data(), p_, step);
  for (std::size_t l = 0; l < switches_.size(); ++l) {
    if (!switches_[l].stuck()) continue;
    step.started[l] = 0;
    step.error[l] = std::numeric_limits<double>::infinity();
  }
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
