// Places of a step at which looking at samples is not enough: marks, touches, jumps and poles.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/motion/instants/run.hpp"

namespace dalembert::motion {

namespace {

/// Around a mark it is looked at halves of distances, down to 2^-this of the distance of samples.
constexpr int halvings = 40;
/// Samples closer than this part of a step are not parted any further.
constexpr double close = 0x1p-36;

}  // namespace

/// New samples around the zeros of marks. False if there were none to make.
bool InstantRun::look_around_marks() {
  std::vector<double> more;
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    if (watches_[w].kind != Watched::mark) continue;
    for (std::size_t s = 1; s < thetas_.size(); ++s) {
      const double width = thetas_[s] - thetas_[s - 1];
      const int from = sign_of_value(looks_[s - 1][w]), to = sign_of_value(looks_[s][w]);
      if (from == 0 || to == from || !(width > close)) continue;
      const double zero = to == 0 ? thetas_[s] : refine(w, thetas_[s - 1], thetas_[s], from);
      const double last = to == 0 && s + 1 < thetas_.size() ? thetas_[s + 1] : thetas_[s];
      for (int k = 1; k <= halvings; ++k) {
        const double apart = std::ldexp(width, -k);
        if (zero - apart > thetas_[s - 1]) more.push_back(zero - apart);
        if (zero + apart < last) more.push_back(zero + apart);
      }
    }
  }
  if (more.empty()) return false;
  std::ranges::sort(more);
  std::vector<double> thetas;
  std::vector<std::vector<double>> looks;
  std::size_t s = 0;
  const auto take = [&] {
    thetas.push_back(thetas_[s]);
    looks.push_back(looks_[s++]);
  };
  std::vector<double> values(watches_.size());
  for (const double theta : more) {
    while (s < thetas_.size() && thetas_[s] <= theta) take();
    if (theta <= thetas.back() || !look_inside(theta, values)) continue;
    thetas.push_back(theta);
    looks.push_back(values);
  }
  while (s < thetas_.size()) take();
  failure_.clear();
  thetas_.swap(thetas);
  looks_.swap(looks);
  return true;
}

/// The least of sign f between two places, by golden sections, until it is below `enough`.
double InstantRun::least_around(std::size_t w, double from, double to, int sign, double enough,
                                double& theta) {
  constexpr double golden = 0.3819660112501051;
  double x = from + golden * (to - from), z = to - golden * (to - from);
  double f_x = sign * value_inside(w, x), f_z = sign * value_inside(w, z);
  for (int round = 0; round < 90 && to - from > 4 * epsilon; ++round) {
    if (f_x < f_z) {
      to = z;
      z = x;
      f_z = f_x;
      x = from + golden * (to - from);
      f_x = sign * value_inside(w, x);
    } else {
      from = x;
      x = z;
      f_x = f_z;
      z = to - golden * (to - from);
      f_z = sign * value_inside(w, z);
    }
    if (std::min(f_x, f_z) < enough) break;
  }
  theta = f_x < f_z ? x : z;
  return std::min(f_x, f_z);
}

/// What the tolerances of one step make of a watch; of an event by differences.
double InstantRun::tolerated(const Watch& watch, double theta) {
  if (watch.kind != Watched::event)
    return options_.atol + options_.rtol * gap_sizes_[system_.elements()[watch.index].gap];
  rk_->interpolate(theta, scratch_);
  const double t = rk_->t() + theta * (rk_->t_new() - rk_->t());
  std::vector<double> state(scratch_.begin(),
                            scratch_.begin() + static_cast<std::ptrdiff_t>(2 * n_));
  const std::span<double> near(state);
  const double here = system_.look(t, q(near), v(near), {}).whens[watch.when];
  double sum = 0;
  for (double& entry : state) {
    const double value = entry;
    entry += options_.atol + options_.rtol * std::abs(value);
    const double change = std::abs(system_.look(t, q(near), v(near), {}).whens[watch.when] - here);
    if (std::isfinite(change)) sum += change;
    entry = value;
  }
  return std::min(sum, 1e-4 * event_sizes_[watch.when]);  // beside a jump differences tell nothing
}

/// Up to here a touch is told of: errors of many steps may add up.
double InstantRun::most_told(const Watch& watch, double unclear) const {
  if (watch.kind != Watched::event) return unclear;
  return std::min(unclear * (1 + static_cast<double>(summary_.steps) / 10),
                  1e-3 * event_sizes_[watch.when]);
}

void InstantRun::report_touch(const std::string& name, double least, double t) {
  graze_ = {t, name};
  doubt(
      fmt::format("{} touches zero within {:.2g} at t = {:.9g} and turns back: the tolerances "
                  "cannot tell whether it gets there",
                  name, std::abs(least), t));
}

/// Around a sample that is nearer to zero than its neighbours: two roots close together, or a
/// touch.
void InstantRun::look_for_touch(std::size_t w, std::size_t s, double h) {
  if (s + 1 >= thetas_.size()) return;
  Watch& watch = watches_[w];
  if (watch.kind != Watched::gap && watch.kind != Watched::event && watch.kind != Watched::law)
    return;
  const double a = std::abs(looks_[s - 1][w]), f = std::abs(looks_[s][w]),
               b = std::abs(looks_[s + 1][w]);
  const int sign = sign_of_value(looks_[s][w]);
  if (!(f < a && f <= b) || sign_of_value(looks_[s + 1][w]) != sign ||
      sign_of_value(looks_[s - 1][w]) != sign)
    return;
  // A kink in it may be as deep as the lines through the neighbours lead.
  const double left = thetas_[s] - thetas_[s - 1], right = thetas_[s + 1] - thetas_[s];
  if (!(f - std::max((a - f) * right / left, (b - f) * left / right) < 0.3 * f)) return;
  look_for_touch_between(w, thetas_[s - 1], thetas_[s + 1], sign, h);
}

/// Likewise where the sample is an end of the step: it must come nearer within.
void InstantRun::look_for_touch_at_end(std::size_t w, bool at_start, double h) {
  const Watch& watch = watches_[w];
  if (watch.kind != Watched::gap && watch.kind != Watched::event) return;
  const std::size_t s = at_start ? 0 : thetas_.size() - 1;
  const std::size_t next = at_start ? 1 : s - 1;
  const int sign = sign_of_value(looks_[s][w]);
  const double f = std::abs(looks_[s][w]), b = std::abs(looks_[next][w]);
  if (is_zero(w, s) || sign_of_value(looks_[next][w]) != sign || !(f < b)) return;
  constexpr double part = 1e-3;
  const double inside = sign * value_inside(w, std::lerp(thetas_[s], thetas_[next], part));
  if (!(inside < f && f - (f - inside) / part < 0.3 * f)) return;
  look_for_touch_between(w, std::min(thetas_[s], thetas_[next]),
                         std::max(thetas_[s], thetas_[next]), sign, h);
}

void InstantRun::look_for_touch_between(std::size_t w, double from, double to, int sign, double h) {
  Watch& watch = watches_[w];
  if (watch.kind == Watched::law) {  // which may be zero, and not less
    double theta = 0;
    const double least = least_around(w, from, to, sign, -watch.uncertain, theta);
    if (least < -watch.uncertain && matters(watch, sign))
      roots_.push_back({w, refine(w, from, theta, sign), sign});
    return;
  }
  const double unclear = 10 * tolerated(watch, from), told = most_told(watch, unclear);
  const double enough = -std::max(watch.uncertain, watch.kind == Watched::event ? unclear : 0);
  double theta = 0;
  const double least = least_around(w, from, to, sign, enough, theta);
  if (least < enough) {
    if (least > -told) report_touch(name_of(watch), least, rk_->t() + theta * h);
    if (matters(watch, sign))
      roots_.push_back({w, refine(w, from, theta, sign), sign});
    else if (matters(watch, -sign))
      roots_.push_back({w, refine(w, theta, to, -sign), -sign});
    return;
  }
  if (watch.kind == Watched::gap && has_kink_at_zero(w, theta, (to - from) / 2)) {
    roots_.push_back({w, theta, 0});
    return;
  }
  if (least <= watch.uncertain + told) report_touch(name_of(watch), least, rk_->t() + theta * h);
}

/// Whether a gap comes to zero as straight as it turns back: it cannot become negative.
bool InstantRun::has_kink_at_zero(std::size_t w, double theta, double width) {
  const double least = value_inside(w, theta);
  if (!(least <= 1e-9 * gap_sizes_[system_.elements()[watches_[w].index].gap])) return false;
  return std::ranges::all_of(std::array{-1.0, 1.0}, [&](double side) {
    const double far = value_inside(w, theta + side * 1e-2 * width) - least;
    const double near = value_inside(w, theta + side * 1e-5 * width) - least;
    return near > 1e3 * watches_[w].uncertain && near > 1e-4 * far;
  });
}

/// Whether an event that has the other sign from this sample on has it within the tolerances only,
/// and turns back: then `sample` is where it is back, or behind the last one.
bool InstantRun::only_dips(std::size_t w, std::size_t& sample, int sign, double h) {
  const Watch& watch = watches_[w];
  if (watch.kind != Watched::event) return false;
  std::size_t back = sample;
  double depth = 0;
  for (; back < thetas_.size() && sign_of_value(looks_[back][w]) != sign; ++back)
    depth = std::max(depth, std::abs(looks_[back][w]));
  const double before = std::abs(looks_[sample - 1][w]);
  if (!(before > watch.uncertain) || !(depth < before)) return false;
  const double zero = refine(w, thetas_[sample - 1], thetas_[sample], sign);
  if (crossing_at(w, zero) != Crossing::root) return false;
  const double unclear = 10 * tolerated(watch, zero), told = most_told(watch, unclear);
  const std::string name = name_of(watch);
  if (depth > unclear) {
    if (depth <= told && back < thetas_.size()) report_touch(name, depth, rk_->t() + zero * h);
    return false;
  }
  if (back < thetas_.size()) {
    double theta = 0;
    const double least = least_around(w, thetas_[sample - 1], thetas_[back], sign, -unclear, theta);
    if (least < -unclear) return false;
    report_touch(name, least, rk_->t() + theta * h);
    sample = back;
    return true;
  }
  // The step ends before it is back: how deep it goes, as slope and bend at the end tell.
  const std::size_t last = thetas_.size() - 1;
  const double f = sign * looks_[last][w], e = sign * looks_[last - 1][w],
               d = sign * looks_[last - 2][w];
  const double a = thetas_[last] - thetas_[last - 1], b = thetas_[last - 1] - thetas_[last - 2];
  const double bend = 2 * ((f - e) / a - (e - d) / b) / (a + b);
  const double slope = (f - e) / a + bend * a / 2;
  if (!(bend > 0) || (slope < 0 && f - slope * slope / (2 * bend) < -unclear)) return false;
  straddles_ = true;
  sample = thetas_.size();
  return true;
}

/// What a change of sign is that has been found to rounding.
InstantRun::Crossing InstantRun::crossing_at(std::size_t w, double theta) {
  const auto value = [&](double distance) {
    return value_inside(w, std::clamp(theta + distance, 0.0, 1.0));
  };
  const auto at = [&](double distance) { return std::abs(value(distance)); };
  const double apart = 8 * epsilon * theta;
  if (std::min(at(-apart), at(apart)) <= 4 * watches_[w].uncertain) return Crossing::root;
  const double change = std::abs(value(apart) - value(-apart));
  // Beside a pole it grows as much with the last steps towards it as with those before.
  int sides = 0, growing = 0;
  for (const double side : {-1.0, 1.0}) {
    if (theta + side * 1e-6 < 0 || theta + side * 1e-6 > 1) continue;
    const double far = at(side * 1e-6), near = at(side * 1e-8), nearest = at(side * 1e-10);
    ++sides;
    if (near - far > 64 * epsilon * near && nearest - near > 0.5 * (near - far)) ++growing;
  }
  if (sides > 0 && growing == sides) return Crossing::pole;
  const double around = at(1e-10) + at(-1e-10);
  return change >= around / 2 ? Crossing::jump : Crossing::root;
}

void InstantRun::report_pole(std::size_t when, double t) {
  if (pole_noted_[when]) return;
  pole_noted_[when] = true;
  doubt(
      fmt::format("event '{}' changes its sign through infinity at t = {:.9g}: a pole is no root, "
                  "and it does not take place there",
                  motion_.model().events[when_events_[when]].name, t));
}

/// The poles among roots_, which hold roots only from then on.
std::vector<InstantRun::Root> InstantRun::take_poles() {
  std::vector<Root> poles;
  for (const Root& root : roots_) {
    if (root.pole) poles.push_back(root);
  }
  if (!poles.empty()) std::erase_if(roots_, &Root::pole);
  return poles;
}

/// Those before theta in the step.
void InstantRun::pass_poles(const std::vector<Root>& poles, double theta, double h) {
  for (const Root& pole : poles) {
    if (pole.theta > theta) continue;
    const std::size_t when = watches_[pole.watch].when;
    event_signs_[when] = watches_[pole.watch].sign = -pole.from;
    if (matters(watches_[pole.watch], pole.from)) report_pole(when, t_ + pole.theta * h);
  }
}

/// The first time at which the state that a step ends in, projected as it will be, has the sign
/// behind a jump: by steps of other lengths, down to neighbouring numbers.
bool InstantRun::locate_jump(const Root& root, double h, double& located) {
  const auto f = [this](double t, std::span<const double> y, std::span<double> dydt) {
    return derivative(t, y, dydt);
  };
  const auto has_jumped = [&](double time) {
    if (!(rk_->cut(f, time - t_, tolerance()) < HUGE_VAL)) return false;
    std::ranges::copy(rk_->y_new(), projected_.begin());
    return project(time, projected_, nullptr) && look(time, projected_, one_look_) &&
           sign_of_value(one_look_[root.watch]) == -root.from;
  };
  const double end = t_ + h * (1 + 1e-6);
  double behind = std::clamp(t_ + root.theta * h, std::nextafter(t_, HUGE_VAL), end);
  double before = t_;
  double width = 2 * epsilon * std::max(std::abs(behind), h);
  if (has_jumped(behind)) {
    for (double at = behind - width; at > t_; at = behind - width) {
      if (!has_jumped(at)) {
        before = at;
        break;
      }
      behind = at;
      width *= 4;
    }
  } else {
    for (before = behind; true; width *= 4) {
      behind = std::min(before + width, end);
      if (has_jumped(behind)) break;
      if (behind >= end) {
        lost_ = true;
        return true;
      }
      before = behind;
    }
  }
  while (true) {
    const double middle = before + (behind - before) / 2;
    if (!(before < middle && middle < behind)) break;
    (has_jumped(middle) ? behind : before) = middle;
  }
  located = behind - t_;
  located_error_ = located_value_ = 0;
  return has_jumped(behind) && rk_->t_new() == behind;
}

/// Of jumps that were found together with another root: those that have not come yet at t, in the
/// state of projected_, come later.
void InstantRun::drop_unchanged(double t) {
  if (roots_.size() < 2 || std::ranges::none_of(roots_, &Root::jumps)) return;
  if (!look(t, projected_, one_look_)) return;
  const std::size_t first = roots_.front().watch;
  std::erase_if(roots_, [&](const Root& root) {
    return root.jumps && root.watch != first && sign_of_value(one_look_[root.watch]) != -root.from;
  });
}

}  // namespace dalembert::motion
