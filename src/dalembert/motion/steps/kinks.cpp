#include "dalembert/motion/steps/kinks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::motion {

namespace {

constexpr std::size_t deepest = 52;  // halvings: then places are as close as doubles are
constexpr int most_turns = 2;
constexpr int most_level_changes = 8;

/// How often the signs change in b_0 ... b_n, which begin above zero.
std::size_t variations(const double* b, std::size_t n) {
  std::size_t count = 0;
  bool above = true;
  for (std::size_t i = 0; i <= n; ++i) {
    if (b[i] == 0 || (b[i] > 0) == above) continue;
    above = !above;
    ++count;
  }
  return count;
}

/// Bernstein's coefficients on [0, 1] of d_0 + d_1 t + ... + d_n t^n, in place.
void to_bernstein(double* d, std::size_t n) {
  double binomial = 1;
  for (std::size_t k = 0; k <= n; ++k) {
    d[k] /= binomial;
    binomial = binomial * static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  for (std::size_t j = 1; j <= n; ++j) {
    for (std::size_t i = n; i >= j; --i) d[i] += d[i - 1];
  }
}

/// Those of the left half, and in place those of the right.
void halve(double* right, std::size_t n, double* left) {
  left[0] = right[0];
  for (std::size_t j = 1; j <= n; ++j) {
    for (std::size_t i = 0; i + j <= n; ++i) right[i] = 0.5 * (right[i] + right[i + 1]);
    left[j] = right[0];
  }
}

double value(std::span<const double> c, double t) {
  double sum = 0;
  for (std::size_t k = c.size(); k-- > 0;) sum = std::fma(sum, t, c[k]);
  return sum;
}

/// Between a, where it is above zero, and b, where it is not.
double bisect(std::span<const double> c, double a, double b) {
  for (;;) {
    const double middle = a + (b - a) / 2;
    if (!(middle > a && middle < b)) return b;
    (value(c, middle) > 0 ? a : b) = middle;
  }
}

/// In the part from ... to of the step, of which b are Bernstein's coefficients; they are lost.
std::optional<double> search(std::span<const double> c, double from, double to, double* b,
                             std::size_t depth) {
  const std::size_t n = c.size() - 1;
  const std::size_t changes = variations(b, n);
  if (changes == 0) return std::nullopt;
  if (changes == 1) return bisect(c, from, to);
  if (depth == deepest) return b[n] < 0 ? std::optional(to) : std::nullopt;
  double* left = b + n + 1;
  halve(b, n, left);
  const double middle = from + (to - from) / 2;
  if (const auto found = search(c, from, middle, left, depth + 1)) return found;
  return search(c, middle, to, b, depth + 1);
}

int sign_of(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

}  // namespace

std::size_t first_zero_scratch(std::size_t n) {
  return (deepest + 2) * (n + 1);
}

std::optional<double> first_zero(std::span<const double> c, double h, std::span<double> scratch) {
  const std::size_t n = c.size() - 1;
  double power = 1;
  for (std::size_t k = 0; k <= n; ++k, power *= h) scratch[k] = c[k] * power;
  to_bernstein(scratch.data(), n);
  return search(c, 0, h, scratch.data(), 0);
}

LaneSwitches::LaneSwitches(const std::vector<codegen::SwitchKind>& kinds, std::size_t p)
    : p_(p),
      levels_(kinds.size()),
      arguments_(kinds.size() * p),
      clearance_(p),
      scratch_(first_zero_scratch(p - 1)) {
  for (const codegen::SwitchKind kind : kinds) switches_.push_back({kind});
}

void LaneSwitches::forget() {
  for (Switch& one : switches_) one = {one.kind};
  std::ranges::fill(levels_, 0.0);
  stuck_ = false;
}

bool LaneSwitches::correct(std::size_t j, double g) {
  Switch& one = switches_[j];
  double& level = levels_[j];
  const bool by_side = one.kind == codegen::SwitchKind::side;
  if (by_side && level == 0 && g != 0) one.at = Bound::none;  // it rests no longer
  if (stuck_ || one.at != Bound::none) return false;
  if (!std::isfinite(g)) {
    stuck_ = true;
    return false;
  }
  const double wanted = by_side ? sign_of(g) : std::floor(g);
  if (g == (by_side ? 0 : wanted)) one.at = Bound::lower;
  if (level == wanted || (by_side && wanted == 0)) return false;
  level = wanted;
  if (++one.corrections > most_level_changes) stuck_ = true;
  return true;
}

/// The coefficients of the clearance of a bound, without the zero at the start where the switch
/// stands there.
std::span<const double> LaneSwitches::clearance(std::size_t j, Bound bound) {
  const Switch& one = switches_[j];
  const double* g = &arguments_[j * p_];
  const double level = levels_[j];
  double factor = bound == Bound::lower ? 1 : -1, offset = 0;
  if (one.kind == codegen::SwitchKind::side) {
    factor = level;
  } else {
    offset = bound == Bound::lower ? -level : level + 1;
  }
  for (std::size_t k = 0; k < p_; ++k) clearance_[k] = factor * g[k];
  clearance_[0] += offset;
  return std::span(clearance_).subspan(one.at == bound ? 1 : 0);
}

bool LaneSwitches::turn() {
  bool turned = false;
  for (std::size_t j = 0; j < switches_.size() && !stuck_; ++j) {
    Switch& one = switches_[j];
    if (one.at == Bound::none) continue;
    const bool undecided = one.kind == codegen::SwitchKind::side && levels_[j] == 0;
    if (undecided) levels_[j] = 1;
    const auto grown = clearance(j, one.at);
    if (undecided) levels_[j] = 0;
    const auto first = std::ranges::find_if(grown, [](double x) { return x != 0; });
    if (first == grown.end() || (*first > 0 && !undecided)) continue;
    if (one.turns == most_turns) {
      stuck_ = true;
      break;
    }
    ++one.turns;
    turned = true;
    if (undecided) {
      levels_[j] = sign_of(*first);
    } else {
      cross(one, levels_[j], one.at);
    }
  }
  return turned;
}

/// To the level beyond.
void LaneSwitches::cross(Switch& one, double& level, Bound bound) {
  if (one.kind == codegen::SwitchKind::side) {
    level = -level;
    one.at = Bound::lower;
  } else {
    level += bound == Bound::lower ? -1 : 1;
    one.at = bound == Bound::lower ? Bound::upper : Bound::lower;
  }
}

std::optional<double> LaneSwitches::first_exit(double h, double least) {
  std::optional<double> first;
  for (std::size_t j = 0; j < switches_.size(); ++j) {
    Switch& one = switches_[j];
    one.leaves = Bound::none;
    one.exit = std::numeric_limits<double>::infinity();
    for (const Bound bound : {Bound::lower, Bound::upper}) {
      if (one.kind == codegen::SwitchKind::side && bound == Bound::upper) continue;
      const auto zero = first_zero(clearance(j, bound), h, scratch_);
      if (!zero || !(*zero < one.exit)) continue;
      one.exit = *zero;
      one.leaves = bound;
    }
    if (one.exit <= h) first = std::min(first.value_or(h), one.exit);
  }
  if (!first) return std::nullopt;
  for (Switch& one : switches_) {
    if (!(one.exit <= *first + least)) one.leaves = Bound::none;
  }
  return std::max(*first, least);
}

bool LaneSwitches::take() {
  bool changed = false;
  for (std::size_t j = 0; j < switches_.size(); ++j) {
    Switch& one = switches_[j];
    const Bound leaves = one.leaves;
    // One that never leaves its bound, as where nothing moves, goes on standing there.
    const bool rests = one.at != Bound::none && leaves == Bound::none && rests_at_bound(j);
    one.turns = one.corrections = 0;
    one.leaves = Bound::none;
    if (rests) continue;
    one.at = Bound::none;
    if (leaves == Bound::none) continue;
    cross(one, levels_[j], leaves);
    changed = true;
  }
  return changed;
}

/// Whether the argument of a switch stays at the bound at which it stands.
bool LaneSwitches::rests_at_bound(std::size_t j) {
  return std::ranges::all_of(clearance(j, switches_[j].at), [](double x) { return x == 0; });
}

}  // namespace dalembert::motion
