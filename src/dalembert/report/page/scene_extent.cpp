#include "dalembert/report/page/scene_extent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dalembert::report {

namespace {

using Eigen::Vector3d;

/// Frames beyond these parts of them all may be left out, if they are this much farther away.
constexpr double outer_part = 0.02, far_away = 10;
/// What is drawn at one time counts as no smaller than this part of the whole.
constexpr double smallest_part = 0.15;

struct Range {
  double low = 0, high = 0;
};

double quantile(std::vector<double> values, double part) {
  const auto k =
      static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

/// Of the smallest and the largest coordinate of each frame.
Range range_of(const std::vector<double>& low, const std::vector<double>& high) {
  const Range whole{*std::min_element(low.begin(), low.end()),
                    *std::max_element(high.begin(), high.end())};
  const Range inner{quantile(low, outer_part), quantile(high, 1 - outer_part)};
  const double size = inner.high - inner.low;
  return size > 0 && whole.high - whole.low > far_away * size ? inner : whole;
}

}  // namespace

Extent extent_of(std::span<const double> frames, std::size_t row, std::span<const Anchor> anchors) {
  std::array<std::vector<double>, 3> low, high;
  std::vector<double> sizes;
  const std::size_t count = row == 0 ? 0 : frames.size() / row;
  const auto point = [&](std::size_t f, const Anchor& a) {
    return Vector3d(Eigen::Map<const Vector3d>(frames.data() + f * row + a.offset));
  };
  for (std::size_t f = 0; f < count; ++f) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Vector3d least = Vector3d::Constant(infinity), most = Vector3d::Constant(-infinity);
    for (const Anchor& anchor : anchors) {
      const Vector3d p = point(f, anchor);
      if (!p.allFinite()) continue;
      least = least.cwiseMin(p - Vector3d::Constant(anchor.reach));
      most = most.cwiseMax(p + Vector3d::Constant(anchor.reach));
    }
    if (!least.allFinite()) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      low[i].push_back(least[static_cast<Eigen::Index>(i)]);
      high[i].push_back(most[static_cast<Eigen::Index>(i)]);
    }
    sizes.push_back((most - least).norm() / 2);
  }
  Extent extent;
  if (sizes.empty()) return extent;
  std::array<Range, 3> box;
  Vector3d least, most;
  for (std::size_t i = 0; i < 3; ++i) {
    box[i] = range_of(low[i], high[i]);
    least[static_cast<Eigen::Index>(i)] = box[i].low;
    most[static_cast<Eigen::Index>(i)] = box[i].high;
  }
  extent.center = (least + most) / 2;
  double radius = 0;
  for (std::size_t f = 0; f < count; ++f) {
    for (const Anchor& anchor : anchors) {
      const Vector3d p = point(f, anchor);
      const bool inside = (p.array() >= least.array()).all() && (p.array() <= most.array()).all();
      if (inside) radius = std::max(radius, (p - extent.center).norm() + anchor.reach);
    }
  }
  if (!(radius > 0)) return extent;
  extent.radius = radius;
  extent.scale = std::max(std::min(quantile(sizes, 0.5), radius), smallest_part * radius);
  return extent;
}

}  // namespace dalembert::report
