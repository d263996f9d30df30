#include "dalembert/study/linear/start_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "dalembert/model/assembly/places.hpp"

namespace dalembert::study {

namespace {

using Eigen::Index;
using Answer = expr::Result<Eigen::VectorXd, std::string>;

constexpr int levels = 5;

/// The limit, for h -> 0, of a difference that is even in h, from h, h/2, ...: the entry of the
/// table that the last step of the extrapolation has changed least.
Answer extrapolated(const std::function<Answer(double factor)>& difference) {
  std::array<Eigen::VectorXd, levels> row;
  Eigen::VectorXd best;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < levels; ++i) {
    auto found = difference(std::ldexp(1.0, -i));
    if (!found) return found;
    Eigen::VectorXd entry = *std::move(found);
    double power = 1, change = std::numeric_limits<double>::infinity();
    for (int k = 0; k < i; ++k) {  // the table of Richardson's extrapolation, in place
      power *= 4;
      Eigen::VectorXd next = entry + (entry - row[static_cast<std::size_t>(k)]) / (power - 1);
      change = (next - entry).cwiseAbs().maxCoeff();
      row[static_cast<std::size_t>(k)] = entry;
      entry = std::move(next);
    }
    row[static_cast<std::size_t>(i)] = entry;
    if (i == 0 || change < least) {
      least = i == 0 ? least : change;
      best = entry;
    }
  }
  return best;
}

/// How far a value is moved: this part of it, or of a thousandth or of one where it is small.
double step_of(double value, double part) {
  return part * std::max(std::abs(value), 1e-3 + 0.997 * (value == 0));
}

}  // namespace

std::size_t parameter_index(const Motion& motion, const std::string& name) {
  const auto& all = motion.model().parameters;
  const auto found = std::ranges::find_if(
      all, [&](const model::Named& one) { return one.name == name && !model::is_internal(one); });
  return static_cast<std::size_t>(found - all.begin());
}

Answer StartMap::derivative(const std::string& s) const {
  const auto value = value_of(s);
  if (!value) return expr::Failure{value.error()};
  const double h = step_of(*value, 0.02);
  return extrapolated([&](double factor) -> Answer {
    const double high = *value + factor * h, low = *value - factor * h;
    auto above = at({{s, high}});
    if (!above) return above;
    auto below = at({{s, low}});
    if (!below) return below;
    return Eigen::VectorXd((*above - *below) / (high - low));
  });
}

Answer StartMap::second(const std::string& s, const std::string& r) const {
  const auto at_s = value_of(s), at_r = value_of(r);
  if (!at_s) return expr::Failure{at_s.error()};
  if (!at_r) return expr::Failure{at_r.error()};
  const double h = step_of(*at_s, 0.08), k = step_of(*at_r, 0.08);
  const bool same = s == r;
  return extrapolated([&](double factor) -> Answer {
    // Weights of the corners (s + i h, r + j k); with one name its second difference.
    Eigen::VectorXd sum;
    for (const int i : {-1, 0, 1}) {
      for (const int j : {-1, 0, 1}) {
        const double weight = same ? (j != 0 ? 0.0 : (i == 0 ? -2.0 : 1.0)) : i * j;
        if (weight == 0) continue;
        Values values{{s, *at_s + i * factor * h}};
        if (!same) values[r] = *at_r + j * factor * k;
        const auto corner = at(values);
        if (!corner) return corner;
        if (sum.size() == 0) sum.setZero(corner->size());
        sum += weight * *corner;
      }
    }
    const double steps = factor * factor * h;
    return Eigen::VectorXd(sum / (same ? steps * h : 4 * steps * k));
  });
}

expr::Result<double, std::string> StartMap::value_of(const std::string& name) const {
  const std::size_t index = parameter_index(motion_, name);
  if (index < motion_.parameters().size()) return motion_.parameters()[index];
  const auto middle = at({});
  if (!middle) return expr::Failure{middle.error()};
  const auto& names = motion_.model().coordinates;
  const auto p = std::ssize(motion_.parameters());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return (*middle)[p + static_cast<Index>(i)];
    if (name == names[i] + "'") return (*middle)[p + static_cast<Index>(i + names.size())];
  }
  return 0.0;
}

Answer StartMap::at(const Values& values) const {
  std::vector<double> parameters = motion_.parameters();
  flow::GivenValues given = given_;
  auto settings = settings_;
  bool set = false;
  for (const auto& [name, value] : values) {
    if (parameter_index(motion_, name) < motion_.model().parameters.size()) {
      settings[name] = fmt::format("{:.17g}", value);
      set = true;
    } else {
      std::erase_if(given.state, [&, &n = name](const auto& one) { return one.first == n; });
      given.state.emplace_back(name, value);
    }
  }
  if (set) {
    auto found = model::parameter_values(motion_.model(), settings);
    if (!found) return expr::Failure{to_string(found.error())};
    parameters = *std::move(found);
  }
  if (parameters_only_) {
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(parameters.data(), std::ssize(parameters)));
  }
  const Motion motion = motion_.with_parameters(parameters);
  auto written = flow::written_start(motion, given);
  if (!written) return expr::Failure{to_string(written.error())};
  flow::State state = written->state;
  if (written->adjust != model::Adjust::none) {
    auto start = flow::initial_state(motion, *written);
    if (!start) return expr::Failure{to_string(start.error())};
    state = start->state;
  }
  Eigen::VectorXd all(std::ssize(parameters) + 2 * std::ssize(state.q));
  auto out = std::ranges::copy(parameters, all.begin()).out;
  out = std::ranges::copy(state.q, out).out;
  std::ranges::copy(state.v, out);
  return all;
}

}  // namespace dalembert::study
