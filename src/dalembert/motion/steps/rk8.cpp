#include <dalembert/motion/steps/rk8.hpp>
#include <dalembert/motion/steps/rk8_coefficients.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace dalembert::motion {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double recorded_part = 0.1;  // of the error of components that are only recorded

bool all_finite(std::span<const double> values) {
  bool finite = true;
  for (const double value : values) finite &= std::isfinite(value);
  return finite;
}

// Σⱼ wⱼ kⱼ for one component, over the weights that are not zero, w = weights(). k points to that
// component of the first stage, and the stages lie `stride` apart. The compiler knows the weights:
// the sum becomes one chain of products, and a loop over components one pass over the stages.
template <class WeightsFunction>
double weighted_sum(WeightsFunction weights, const double* k, std::size_t stride) {
  constexpr dop853::Weights w = weights();
  double sum = 0.0;
  const auto add = [&]<std::size_t j>(std::integral_constant<std::size_t, j>) {
    if constexpr (w[j] != 0.0) sum += w[j] * k[j * stride];
  };
  [&]<std::size_t... j>(std::index_sequence<j...>) {
    (add(std::integral_constant<std::size_t, j>{}), ...);
  }(std::make_index_sequence<dop853::all_stages>{});
  return sum;
}

// Copies a vector to a row that may be that very vector.
void assign(std::span<double> to, std::span<const double> from) {
  if (to.data() != from.data()) std::ranges::copy(from, to.begin());
}

// The weighted root mean square of the components whose scale is not zero.
class ScaledNorm {
 public:
  void add(double value, double scale) {
    if (scale > 0.0) sum_ += (value / scale) * (value / scale);
    ++count_;
  }
  double value() const { return count_ == 0 ? 0.0 : std::sqrt(sum_ / count_); }

 private:
  double sum_ = 0.0;
  double count_ = 0.0;
};

}  // namespace

double Tolerance::scale(std::size_t i, double y, double y_new) const {
  double magnitude = std::max(std::abs(y), std::abs(y_new));
  if (!reference.empty()) magnitude = std::max(magnitude, reference[i]);
  return (absolute.empty() ? 0.0 : absolute[i]) + relative * magnitude;
}

Rk8::Rk8(std::size_t size) : size_(size), storage_(row_count * size) {
  static_assert(dense_row - k_row == dop853::all_stages);
}

bool Rk8::evaluate(Derivative f, double t, std::span<const double> y, std::span<double> dydt) {
  ++evaluations_;
  return f(t, y, dydt) && all_finite(dydt);
}

// Stages first … last − 1, each from those before it. False at the first that has no value.
template <std::size_t first, std::size_t last>
bool Rk8::evaluate_stages(Derivative f) {
  if constexpr (first == last) {
    return true;
  } else {
    const double* const k = storage_.data();
    const std::span<const double> y0 = row(y_row);
    constexpr bool last_of_step = first + 1 == dop853::step_stages;
    const std::span<double> y_stage = row(last_of_step ? last_stage_row : scratch_row);
    for (std::size_t i = 0; i < size_; ++i) {
      y_stage[i] = y0[i] + h_ * weighted_sum([] { return dop853::a[first]; }, k + i, size_);
    }
    return evaluate(f, t_ + dop853::c[first] * h_, y_stage, row(k_row + first)) &&
           evaluate_stages<first + 1, last>(f);
  }
}

bool Rk8::start(double t, std::span<const double> y, Derivative f) {
  assert(y.size() == size_);
  t_ = t;
  h_ = 0.0;
  assign(row(y_row), y);
  const bool valued = all_finite(row(y_row)) && evaluate(f, t_, row(y_row), row(k_row));
  phase_ = valued ? Phase::started : Phase::unset;
  return valued;
}

void Rk8::start(double t, std::span<const double> y, std::span<const double> dydt) {
  assert(y.size() == size_ && dydt.size() == size_);
  t_ = t;
  h_ = 0.0;
  assign(row(y_row), y);
  assign(row(k_row), dydt);
  phase_ = Phase::started;
}

double Rk8::attempt(Derivative f, double h, const Tolerance& tolerance) {
  assert(phase_ >= Phase::started && std::isfinite(h) && h != 0.0);
  assert(tolerance.absolute.empty() || tolerance.absolute.size() == size_);
  assert(tolerance.reference.empty() || tolerance.reference.size() == size_);
  h_ = h;
  phase_ = Phase::started;
  if (!evaluate_stages<1, dop853::step_stages>(f)) return infinity;

  const double* const k = storage_.data();
  const std::span<const double> y0 = row(y_row);
  const std::span<double> y1 = row(y_new_row);
  for (std::size_t i = 0; i < size_; ++i) {
    y1[i] = y0[i] + h * weighted_sum([] { return dop853::b; }, k + i, size_);
  }
  const std::size_t leading = std::min(tolerance.leading, size_);
  const double error = error_norm(tolerance, 0, leading);
  const double recorded = recorded_part * error_norm(tolerance, leading, size_);
  if (!std::isfinite(error) || !std::isfinite(recorded) || !all_finite(y1)) return infinity;
  phase_ = Phase::attempted;
  return std::max(error, recorded);
}

// The sums of squares are not divided by the number n of components until the end:
// |h| ‖e⁵‖² / √(‖e⁵‖² + 0.01 ‖e³‖²) = |h| s₅ / √(n (s₅ + 0.01 s₃)), s = n ‖e‖².
double Rk8::error_norm(const Tolerance& tolerance, std::size_t from, std::size_t to) const {
  const double* const k = storage_.data();
  const std::span<const double> y0 = row(y_row);
  const std::span<const double> y1 = row(y_new_row);
  double s5 = 0.0;
  double s3 = 0.0;
  for (std::size_t i = from; i < to; ++i) {
    const double e5 = weighted_sum([] { return dop853::e5; }, k + i, size_);
    const double e3 = weighted_sum([] { return dop853::e3; }, k + i, size_);
    if (e5 == 0.0 && e3 == 0.0) continue;  // exact, even if the scale is zero
    const double scale = tolerance.scale(i, y0[i], y1[i]);
    s5 += (e5 / scale) * (e5 / scale);
    s3 += (e3 / scale) * (e3 / scale);
  }
  const double denominator = s5 + 0.01 * s3;
  if (denominator == 0.0) return 0.0;
  return std::abs(h_) * s5 / std::sqrt(static_cast<double>(to - from) * denominator);
}

bool Rk8::evaluate_end(Derivative f) {
  assert(phase_ >= Phase::attempted);
  if (phase_ < Phase::end_evaluated) {
    if (!evaluate(f, t_new(), row(y_new_row), row(k_row + dop853::step_stages))) return false;
    phase_ = Phase::end_evaluated;
  }
  return true;
}

bool Rk8::prepare_dense(Derivative f) {
  if (!evaluate_end(f)) return false;
  if (phase_ == Phase::dense) return true;
  if (!evaluate_stages<dop853::step_stages + 1, dop853::all_stages>(f)) return false;

  const double* const k = storage_.data();
  const std::span<const double> k_start = row(k_row);
  const std::span<const double> k_end = row(k_row + dop853::step_stages);
  const std::span<const double> y0 = row(y_row);
  const std::span<const double> y1 = row(y_new_row);
  double* const r = storage_.data() + dense_row * size_;
  for (std::size_t i = 0; i < size_; ++i) {
    const double difference = y1[i] - y0[i];
    r[i] = difference;
    r[1 * size_ + i] = h_ * k_start[i] - difference;
    r[2 * size_ + i] = 2.0 * difference - h_ * (k_start[i] + k_end[i]);
    r[3 * size_ + i] = h_ * weighted_sum([] { return dop853::d[0]; }, k + i, size_);
    r[4 * size_ + i] = h_ * weighted_sum([] { return dop853::d[1]; }, k + i, size_);
    r[5 * size_ + i] = h_ * weighted_sum([] { return dop853::d[2]; }, k + i, size_);
    r[6 * size_ + i] = h_ * weighted_sum([] { return dop853::d[3]; }, k + i, size_);
  }
  phase_ = Phase::dense;
  return true;
}

void Rk8::interpolate(double theta, std::span<double> y) const {
  assert(phase_ == Phase::dense && y.size() == size_);
  const double rest = 1.0 - theta;
  const double* const r = storage_.data() + dense_row * size_;
  const std::span<const double> y0 = row(y_row);
  for (std::size_t i = 0; i < size_; ++i) {
    double value = r[6 * size_ + i];
    value = r[5 * size_ + i] + theta * value;
    value = r[4 * size_ + i] + rest * value;
    value = r[3 * size_ + i] + theta * value;
    value = r[2 * size_ + i] + rest * value;
    value = r[1 * size_ + i] + theta * value;
    value = r[i] + rest * value;
    y[i] = y0[i] + theta * value;
  }
}

void Rk8::interpolate_slope(double theta, std::span<double> dydt) const {
  assert(phase_ == Phase::dense && dydt.size() == size_);
  const double rest = 1.0 - theta;
  const double* const r = storage_.data() + dense_row * size_;
  for (std::size_t i = 0; i < size_; ++i) {
    double value = r[6 * size_ + i];
    double slope = 0.0;
    for (std::size_t k = 6; k-- > 0;) {
      const bool by_theta = k % 2 == 1;
      slope = by_theta ? value + theta * slope : rest * slope - value;
      value = r[k * size_ + i] + (by_theta ? theta : rest) * value;
    }
    dydt[i] = (value + theta * slope) / h_;
  }
}

bool Rk8::advance(Derivative f) {
  if (!evaluate_end(f)) return false;
  start(t_new(), row(y_new_row), row(k_row + dop853::step_stages));
  return true;
}

double Rk8::initial_step(Derivative f, const Tolerance& tolerance, double limit) {
  assert(phase_ >= Phase::started && limit != 0.0);
  constexpr double negligible = 1e-5;  // a norm below this tells nothing about the time scale
  constexpr double default_step = 1e-6;
  constexpr int most_trials = 5;

  const std::span<const double> y0 = row(y_row);
  const std::span<const double> f0 = row(k_row);
  const std::span<double> y1 = row(scratch_row);
  const std::span<double> f1 = row(k_row + 1);  // free: only stage 2 ever reads it

  const double most = std::abs(limit);
  const double direction = std::copysign(1.0, limit);
  const auto within_limits = [&](double h) {
    return std::min(std::max(h, smallest_step(t_)), most);
  };

  ScaledNorm y_norm;
  ScaledNorm f_norm;
  const std::size_t leading = std::min(tolerance.leading, size_);
  for (std::size_t i = 0; i < leading; ++i) {
    const double scale = tolerance.scale(i, y0[i], y0[i]);
    y_norm.add(y0[i], scale);
    f_norm.add(f0[i], scale);
  }
  const double y_size = y_norm.value();
  const double f_size = f_norm.value();
  const bool usable = y_size > negligible && f_size > negligible && std::isfinite(y_size / f_size);
  double h0 = within_limits(usable ? 0.01 * (y_size / f_size) : default_step);

  for (int trial = 0; trial < most_trials; ++trial) {
    for (std::size_t i = 0; i < size_; ++i) y1[i] = y0[i] + direction * h0 * f0[i];
    if (!evaluate(f, t_ + direction * h0, y1, f1)) {
      h0 = within_limits(0.1 * h0);
      continue;
    }
    ScaledNorm change;
    for (std::size_t i = 0; i < leading; ++i) {
      change.add(f1[i] - f0[i], tolerance.scale(i, y0[i], y0[i]));
    }
    const double steepest = std::max(f_size, change.value() / h0);
    const double h1 = steepest <= 1e-15 ? std::max(default_step, 1e-3 * h0)
                                        : std::pow(0.01 / steepest, 1.0 / 8.0);
    return direction * within_limits(std::min(100.0 * h0, h1));
  }
  return direction * h0;
}

double Rk8::stiffness(std::span<const double> y_end, std::span<const double> dydt_end,
                      std::size_t count, const Tolerance& tolerance) const {
  static_assert(dop853::c[dop853::step_stages - 1] == 1.0);
  assert(phase_ >= Phase::attempted && count <= size_);
  const std::span<const double> y0 = row(y_row);
  const std::span<const double> y_stage = row(last_stage_row);
  const std::span<const double> f_stage = row(k_row + dop853::step_stages - 1);
  double change = 0.0;
  double distance = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double scale = tolerance.scale(i, y0[i], y_end[i]);
    if (scale == 0.0) continue;
    const double df = (dydt_end[i] - f_stage[i]) / scale;
    const double dy = (y_end[i] - y_stage[i]) / scale;
    change += df * df;
    distance += dy * dy;
  }
  return distance > 0.0 ? std::abs(h_) * std::sqrt(change / distance) : 0.0;
}

bool StiffnessDetector::add(double h_lambda) {
  if (h_lambda > edge) {
    inside_ = 0;
    stiff_ = std::min(stiff_ + 1, enough);
  } else if (++inside_ == forgotten) {
    stiff_ = 0;
    inside_ = 0;
  }
  return h_lambda > edge && stiff_ == enough;
}

StepController::Decision StepController::decide(double h, double error) {
  const StepControlOptions& o = options_;
  const auto limited = [&](double h_next) {
    return std::copysign(std::min(std::abs(h_next), o.max_step), h);
  };
  if (!std::isfinite(error)) {
    ++rejected_;
    after_rejection_ = true;
    return {false, limited(h * o.failure_factor)};
  }
  // By square roots where that is all: the same bits as in lanes.
  const double eighth_root = 1.0 / std::sqrt(std::sqrt(std::sqrt(error)));
  const double proportional =
      o.safety * (o.beta == 0.0 ? eighth_root : std::pow(error, -(1.0 / 8.0 - 0.2 * o.beta)));
  if (error > 1.0) {
    ++rejected_;
    after_rejection_ = true;
    return {false, limited(h * std::clamp(proportional, o.min_factor, 1.0))};
  }
  const double most = after_rejection_ ? 1.0 : o.max_factor;
  const double factor =
      o.beta == 0.0 ? proportional : proportional * std::pow(previous_error_, o.beta);
  ++accepted_;
  after_rejection_ = false;
  previous_error_ = std::max(error, 1e-4);
  return {true, limited(h * std::clamp(factor, o.min_factor, most))};
}

double smallest_step(double t) {
  return std::max(10.0 * std::numeric_limits<double>::epsilon() * std::abs(t),
                  std::numeric_limits<double>::min());
}

bool step_underflow(double t, double h) {
  return !(std::abs(h) >= smallest_step(t));
}

}  // namespace dalembert::motion
