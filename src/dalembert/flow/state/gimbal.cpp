#include "dalembert/flow/state/gimbal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/flow/values.hpp"

namespace dalembert::flow {

GimbalWatch::GimbalWatch(const Motion& motion) : n_(motion.coordinates()) {
  std::vector<expr::Expr> determinants;
  for (const model::Body& body : motion.model().bodies) {
    if (body.gimbal_axes.empty()) continue;
    bodies_.push_back(body.name);
    axes_.push_back(body.gimbal_axes);
    determinants.push_back(body.gimbal);
  }
  if (bodies_.empty()) return;
  const mechanics::Equations& eq = motion.equations();
  kernel_ =
      codegen::make_kernel(codegen::make_tape(determinants, state_symbols(eq), eq.parameters));
  workspace_ = kernel_.workspace(motion.parameters());
  inputs_.resize(1 + 2 * n_);
  values_.resize(bodies_.size());
  before_.assign(bodies_.size(), 0.0);
}

void GimbalWatch::look(double t, std::span<const double> q, std::span<const double> v) {
  if (bodies_.empty()) return;
  inputs_[0] = t;
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  kernel_.evaluate(workspace_, inputs_, values_);
  here_t_ = t;
  here_value_ = HUGE_VAL;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double size = std::abs(values_[i]);
    if (size < here_value_) {
      here_ = i;
      here_value_ = size;
    }
    if (values_[i] * before_[i] < 0 && closest_value_ > 0) {
      closest_ = i;
      closest_t_ = t;
      closest_value_ = 0;
    }
    before_[i] = values_[i];
  }
  if (here_value_ < closest_value_) {
    closest_ = here_;
    closest_t_ = t;
    closest_value_ = here_value_;
  }
}

std::optional<GimbalApproach> GimbalWatch::approach(std::size_t body, double t, double determinant,
                                                    double limit) const {
  if (bodies_.empty() || determinant >= limit) return std::nullopt;
  return GimbalApproach{bodies_[body], axes_[body], t, determinant};
}

std::optional<GimbalApproach> GimbalWatch::closest() const {
  return approach(closest_, closest_t_, closest_value_, close_to_gimbal_lock);
}

std::optional<GimbalApproach> GimbalWatch::here() const {
  return approach(here_, here_t_, here_value_, suspect_of_gimbal_lock);
}

std::string gimbal_hint(const std::optional<GimbalApproach>& approach) {
  if (!approach) return "";
  const bool euler = approach->axes.front() == approach->axes.back();
  return fmt::format(
      "; body '{}' is {} gimbal lock there ({} of the second of its angles {} is {:.2g}), where "
      "angles lose their meaning: describe its orientation by a quaternion",
      approach->body, approach->determinant < 1e-9 ? "in" : "close to",
      euler ? "the sine" : "the cosine", approach->axes, approach->determinant);
}

}  // namespace dalembert::flow
