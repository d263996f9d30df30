// What is watched along the steps of a motion with instants: roots found and located.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/motion/instants/run.hpp"

namespace dalembert::motion {

namespace {

constexpr int coarse = 16;  ///< pieces of a step that are looked at
constexpr int finest = 1024;

}  // namespace

void InstantRun::set_watches() {
  watches_.clear();
  const flow::InstantKernels& k = system_.kernels();
  const auto add = [&](Watched kind, std::size_t index, int sign) {
    Watch watch{kind, index, none};
    watch.sign = sign;
    watches_.push_back(watch);
  };
  bool slides = false, by_reactions = false;
  forces_watched_ = false;
  for (std::size_t i = 0; i < k.elements.size(); ++i) {
    const TouchMode& mode = modes_[i];
    if (k.elements[i].is_contact()) {
      add(mode.closed() ? Watched::normal_force : Watched::gap, i, 1);
      forces_watched_ = forces_watched_ || mode.closed();
    }
    if (mode.hold == Hold::slide) {
      add(Watched::slip, i, 1);
      slides = slides || k.elements[i].is_contact() || k.elements[i].limit_of_reactions;
      by_reactions = by_reactions || k.elements[i].limit_of_reactions;
    }
    if (mode.hold == Hold::stick) {
      add(Watched::cone, i, 1);
      forces_watched_ = true;
    }
    const TouchElement& e = k.elements[i];
    if (e.sliding_varies || e.sticking_varies || e.restitution_varies) {
      add(Watched::law, i, 1);
      forces_watched_ = true;
    }
  }
  if (slides && system_.solution().unique) add(Watched::determinant, 0, 0);
  if (by_reactions) {
    add(Watched::limits, 0, 1);
    forces_watched_ = true;
  }
  for (std::size_t w = 0; w < when_events_.size(); ++w) {
    if (is_timed(w)) continue;
    add(Watched::event, when_events_[w], event_signs_[w]);
    watches_.back().when = w;
    forces_watched_ = forces_watched_ || !k.rate_known[w];
  }
  for (std::size_t m = 0; m < k.marks.size(); ++m) {
    add(Watched::mark, when_events_[k.marks[m].when], 0);
    watches_.back().when = m;
  }
  start_look_.resize(watches_.size());
  end_look_.resize(watches_.size());
  start_slopes_.resize(watches_.size());
  end_slopes_.resize(watches_.size());
  one_look_.resize(watches_.size());
}

/// The values of all watches at a state, and along the motion their slopes where these are known;
/// else not numbers.
bool InstantRun::look(double t, std::span<const double> y, std::span<double> values,
                      std::span<double> slopes) {
  const bool forces = forces_watched_ || !slopes.empty();
  if (forces && free_ && !forces_watched_) {
    if (!system_.evaluate_free(t, q(y), v(y))) {
      failure_ = system_.problem();
      return false;
    }
  } else if (forces) {
    if (!system_.evaluate(t, q(y), v(y))) {
      failure_ = system_.problem();
      return false;
    }
    if (!system_.solve(directed())) {
      failure_ = "the constraints, contacts and frictions that hold contradict each other";
      return false;
    }
    system_.set_reactions(system_.solution().p);
  }
  const Eigen::VectorXd& qdd = system_.acceleration();
  const Sight sight = system_.look(
      t, q(y), v(y), forces ? std::span<const double>(qdd.data(), n_) : std::span<const double>());
  update_sizes(sight);
  const flow::RowSolution& solution = system_.solution();
  const double time_grain = 8 * epsilon * std::abs(t);
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    Watch& watch = watches_[w];
    double value = 0, slope = std::nan("");
    switch (watch.kind) {
      case Watched::event: {
        value = sight.whens[watch.when];
        if (system_.kernels().rate_known[watch.when] && forces)
          slope = sight.when_rates[watch.when];
        double& size = event_sizes_[watch.when];
        const bool counts = !(inside_ && when_poles_[watch.when]);
        if (std::isfinite(value) && counts) size = std::max(size, std::abs(value));
        watch.uncertain = std::max(
            event_floors_[watch.when],
            32 * epsilon * size + (std::isfinite(slope) ? 4 * std::abs(slope) * time_grain : 0));
        break;
      }
      case Watched::gap: {
        const TouchElement& element = system_.elements()[watch.index];
        value = sight.gap(element);
        slope = sight.rate(element.gap);
        watch.uncertain = std::max(small_gap(element, slope), gap_floors_[watch.index]);
        break;
      }
      case Watched::normal_force: {
        const Eigen::Index gap = flow::index(system_.elements()[watch.index].gap);
        value = solution.p[gap];
        watch.size = std::max(watch.size, std::abs(value));
        watch.uncertain = std::max(1e-12 * watch.size,
                                   1e-10 * system_.force_scale(static_cast<std::size_t>(gap)));
        break;
      }
      case Watched::slip: {
        const TouchElement& element = system_.elements()[watch.index];
        double uncertain = 0;
        for (std::size_t c = 0; c < element.slips; ++c) {
          const std::size_t row = element.slip + c;
          value += modes_[watch.index].d[c] * sight.rate(row);
          uncertain = std::max(uncertain, 4 * epsilon * rate_sizes_[row]);
          if (!forces) continue;
          if (c == 0) slope = 0;
          slope += modes_[watch.index].d[c] * solution.y[flow::index(row)];
        }
        watch.uncertain = uncertain + (std::isfinite(slope) ? std::abs(slope) * time_grain : 0);
        break;
      }
      case Watched::cone: {
        const TouchElement& element = system_.elements()[watch.index];
        double bound = solution.laws[watch.index].sticking;
        if (element.is_contact()) bound *= solution.p[flow::index(element.gap)];
        value = bound -
                solution.p.segment(flow::index(element.slip), flow::index(element.slips)).norm();
        watch.size = std::max(watch.size, std::abs(bound));
        watch.uncertain = 1e-12 * watch.size;
        break;
      }
      case Watched::law: {
        const flow::TouchLaw& law = solution.laws[watch.index];
        value = least_of_law(watch.index, nullptr);
        watch.size = std::max({watch.size, std::abs(law.sliding), std::abs(law.sticking)});
        watch.uncertain = 1e-12 * watch.size;
        break;
      }
      case Watched::mark:
        value = sight.marks[watch.when];
        if (!std::isfinite(value)) value = 0;
        break;
      case Watched::limits:
        value = forces && system_.judge_limits(directed()) == flow::Limits::several ? -1 : 1;
        break;
      case Watched::determinant:
        value = forces ? system_.solver().determinant() : 1;
        watch.uncertain = 1e-13;
        break;
    }
    if (!std::isfinite(value)) {
      failure_ = fmt::format("{} is not a finite number", name_of(watch));
      return false;
    }
    values[w] = value;
    if (!slopes.empty()) slopes[w] = slope;
  }
  return true;
}

/// The least of what varies and must not be negative of the law of an element, after solve; `what`
/// says it.
double InstantRun::least_of_law(std::size_t i, std::string* what) const {
  const TouchElement& element = system_.elements()[i];
  const flow::TouchLaw& law = system_.solution().laws[i];
  const bool contact = element.is_contact();
  const std::string_view of = contact ? "contact" : "friction";
  double least = HUGE_VAL;
  const auto note = [&](double value, std::string_view name) {
    if (value >= least) return;
    least = value;
    if (what != nullptr) *what = fmt::format(fmt::runtime(name), of, element.name);
  };
  if (element.sliding_varies)
    note(law.sliding, contact ? "the friction of {} '{}' becomes negative"
                              : "the limit of {} '{}' becomes negative");
  if (element.sticking_varies)
    note(law.sticking, contact ? "the static friction of {} '{}' becomes negative"
                               : "the static limit of {} '{}' becomes negative");
  if (element.has_static && (element.sliding_varies || element.sticking_varies))
    note(law.sticking - law.sliding, "what holds {} '{}' at rest falls below its sliding friction");
  if (element.restitution_varies) {
    note(law.restitution, "the restitution of {} '{}' becomes negative");
    note(1 - law.restitution, "the restitution of {} '{}' exceeds 1");
  }
  return least;
}

bool InstantRun::look_inside(double theta, std::span<double> values) {
  rk_->interpolate(theta, scratch_);
  inside_ = true;
  const bool seen = look(rk_->t() + theta * (rk_->t_new() - rk_->t()), scratch_, values);
  inside_ = false;
  return seen;
}

double InstantRun::value_inside(std::size_t watch, double theta) {
  return look_inside(theta, one_look_) ? one_look_[watch] : std::nan("");
}

/// At the start of a step, where a look has been taken with slopes.
void InstantRun::note_passed() {
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    Watch& watch = watches_[w];
    const double value = std::abs(start_look_[w]);
    watch.passed = watch.kind == Watched::event && value <= watch.uncertain ? 2 * value : 0;
  }
}

/// Whether nothing that is watched can come near: gaps alone, by the cubic through their values and
/// rates at both ends of the step, which stays above the least of its four coefficients of
/// Bernstein.
bool InstantRun::is_far(double h) {
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    if (watches_[w].kind != Watched::gap) return false;
    const double a = start_look_[w], d = end_look_[w];
    const double b = a + h * start_slopes_[w] / 3, c = d - h * end_slopes_[w] / 3;
    const auto [least, most] = std::minmax({a, b, c, d});
    if (!(least > 0.3 * most && least > 0)) return false;
  }
  return true;
}

bool InstantRun::matters(const Watch& watch, int from) const {
  if (watch.kind == Watched::mark) return false;
  if (watch.kind != Watched::event) return watch.kind == Watched::determinant || from > 0;
  using Direction = model::Event::Direction;
  const Direction direction = motion_.model().events[watch.index].direction;
  return direction == Direction::both || (direction == Direction::falling) == (from > 0);
}

/// All roots of a step, in order, in roots_.
bool InstantRun::find_roots(double h) {
  bool at_zero = false;
  for (std::size_t w = 0; w < watches_.size(); ++w)
    at_zero =
        at_zero || std::abs(start_look_[w]) <= std::max(watches_[w].uncertain, watches_[w].passed);
  for (int pieces = coarse; pieces <= finest; pieces *= 2) {
    thetas_.clear();
    thetas_.push_back(0);
    // What stands at zero is looked at from near by: it may leave and come back.
    for (double theta = std::ldexp(1.0, -44); at_zero && theta < 0.7 / pieces; theta *= 2)
      thetas_.push_back(theta);
    for (int i = 1; i <= pieces; ++i) thetas_.push_back(static_cast<double>(i) / pieces);
    looks_.resize(std::max(looks_.size(), thetas_.size()));
    for (std::size_t s = 0; s < thetas_.size(); ++s) {
      looks_[s].resize(watches_.size());
      if (s == 0) {
        looks_[s] = start_look_;
      } else if (!look_inside(thetas_[s], looks_[s])) {
        return false;
      }
    }
    // Resolved where the cubic through neighbours tells the sign of what is between.
    bool resolved = true;
    const std::size_t first = thetas_.size() - static_cast<std::size_t>(pieces);
    for (std::size_t w = 0; w < watches_.size() && resolved; ++w) {
      for (std::size_t s = first + 2; s + 3 < thetas_.size() && resolved; ++s) {
        const auto f = [&](std::size_t at) { return looks_[at][w]; };
        const double expected = (-f(s - 3) + 9 * f(s - 1) + 9 * f(s + 1) - f(s + 3)) / 16;
        const double off = std::abs(expected - f(s)) / 8;
        resolved = off <= std::max(std::abs(f(s)), 1e3 * watches_[w].uncertain) ||
                   sign_of_value(f(s - 1)) != sign_of_value(f(s + 1));
      }
    }
    if (resolved) break;
  }
  // Where a step ends, and where its polynomial does, may be on two sides of a jump.
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    double& last = looks_[thetas_.size() - 1][w];
    if (watches_[w].kind == Watched::event && sign_of_value(last) != sign_of_value(end_look_[w]))
      last = end_look_[w];
  }
  // Around marks, of which one may hide another.
  for (int round = 0; round < 3 && look_around_marks();) ++round;
  straddles_ = false;
  for (std::size_t w = 0; w < watches_.size(); ++w) find_roots_of(w, h);
  std::stable_sort(roots_.begin(), roots_.end(),
                   [](const Root& a, const Root& b) { return a.theta < b.theta; });
  return true;
}

void InstantRun::find_roots_of(std::size_t w, double h) {
  Watch& watch = watches_[w];
  int sign = watch.sign;
  const bool clear_start = !is_zero(w, 0);
  if (watch.kind == Watched::mark) return;
  if (watch.kind == Watched::event || watch.kind == Watched::determinant) {
    if (clear_start) sign = sign_of_value(start_look_[w]);
  } else if (clear_start && start_look_[w] < 0) {  // it must not be there, unless it leaves
    if (!(start_slopes_[w] > 0)) roots_.push_back({w, 0, sign, false});
    return;
  }
  look_for_touch_at_end(w, true, h);
  bool left = clear_start;  // where it stood
  for (std::size_t s = 1; s < thetas_.size(); ++s) {
    const double value = looks_[s][w];
    if (std::abs(value) <= (left ? watch.uncertain : std::max(watch.uncertain, watch.passed)))
      continue;
    left = true;
    const int here = sign_of_value(value);
    if (sign != 0 && here != sign) {
      if (only_dips(w, s, sign, h)) continue;
      if (matters(watch, sign) || watch.kind == Watched::event) add_root_between(w, s, sign);
      if (matters(watch, sign) && watch.kind != Watched::event)
        return;  // what comes behind is another piece
      sign = here;
    } else {
      sign = here;
      look_for_touch(w, s, h);
    }
  }
  look_for_touch_at_end(w, false, h);
}

/// Before sample s, the first that is clear of zero and has not this sign.
void InstantRun::add_root_between(std::size_t w, std::size_t s, int sign) {
  const Watch& watch = watches_[w];
  std::size_t before = s - 1;
  while (before > 0 && is_zero(w, before)) --before;
  Root root{w, 0, sign};
  root.clear = !is_zero(w, before);
  // From zero it went this way and is back, all within what rounding hides; or never went.
  root.went = !root.clear && sign * start_slopes_[w] > 0;
  std::size_t zero = s - 1;  // the last sample at which it is exactly zero
  while (zero > before && looks_[zero][w] != 0) --zero;
  const auto stays_zero = [&] {
    const double at = thetas_[zero];
    return looks_[zero - 1][w] == 0 || value_inside(w, at + 1e-6 * (thetas_[zero + 1] - at)) == 0;
  };
  if (watch.kind == Watched::event && zero > before && stays_zero()) {
    double from = thetas_[zero], to = thetas_[s];
    for (int round = 0; round < 100 && to - from > 4 * epsilon * to; ++round) {
      const double middle = from + (to - from) / 2;
      (sign * value_inside(w, middle) < 0 ? to : from) = middle;
    }
    root.theta = to;
    root.clear = true;
    root.went = false;
    root.jumps = true;  // looked for by its sign: along zero its value tells nothing
  } else if (root.clear) {
    root.theta = refine(w, thetas_[before], thetas_[s], sign);
  } else if (root.went) {
    root.theta = leave_zero(w, 0, thetas_[s], sign);
  } else if (watch.kind == Watched::law ||
             (watch.kind == Watched::gap && gap_floors_[watch.index] > 0)) {
    root.theta = sink(w, thetas_[before], thetas_[s]);
  }
  if (watch.kind == Watched::event && root.clear && !root.jumps) {
    const Crossing crossing = crossing_at(w, root.theta);
    root.jumps = crossing == Crossing::jump;
    root.pole = crossing == Crossing::pole;
  }
  if (root.pole || matters(watch, sign)) roots_.push_back(root);
}

/// A root between two places, one with this sign and the other without, to rounding.
double InstantRun::refine(std::size_t w, double from, double to, int sign) {
  double f_from = value_inside(w, from), f_to = value_inside(w, to);
  int side = 0;
  for (int round = 0; round < 100 && to - from > 4 * epsilon * to; ++round) {
    double middle = to - f_to * (to - from) / (f_to - f_from);
    if (round % 8 == 7 || round > 40 || !(middle > from && middle < to))
      middle = from + (to - from) / 2;
    const double f = value_inside(w, middle);
    if (!std::isfinite(f)) return watches_[w].kind == Watched::event ? middle : to;  // a pole
    if (f == 0) return middle;
    if (sign_of_value(f) == sign) {
      from = middle;
      f_from = f;
      if (side == -1) f_to /= 2;
      side = -1;
    } else {
      to = middle;
      f_to = f;
      if (side == 1) f_from /= 2;
      side = 1;
    }
  }
  return to;
}

/// Between two places, the second with the other sign: where it is back at what it was at the start
/// of the step, which counts as zero.
double InstantRun::leave_zero(std::size_t w, double from, double to, int sign) {
  for (int round = 0; round < 100 && to - from > 4 * epsilon * to; ++round) {
    const double middle = from + (to - from) / 2;
    const double f = value_inside(w, middle);
    (sign * f < sign * start_look_[w] ? to : from) = middle;
  }
  return to;
}

/// Between two places: where it is below what counts as zero.
double InstantRun::sink(std::size_t w, double from, double to) {
  const double least = -watches_[w].uncertain;
  for (int round = 0; round < 100 && to - from > 4 * epsilon * to; ++round) {
    const double middle = from + (to - from) / 2;
    (value_inside(w, middle) < least ? to : from) = middle;
  }
  return to;
}

/// What slides in two turns ever faster on its way to rest, unless it goes straight: a step that
/// ends there may be far worse than one over it was judged to be. Then rest is approached by
/// halves, until too little speed is left to matter.
bool InstantRun::turns_too_fast(const Watch& watch, double stretch) const {
  if (watch.kind != Watched::slip || !(stretch > 0)) return false;
  const TouchElement& element = system_.elements()[watch.index];
  if (element.slips < 2) return false;
  const double speed = slide_speeds_[watch.index];
  if (!(located_error_ > 1) && std::abs(located_value_) <= 1e-6 * speed) return false;
  double fast = 0;
  for (std::size_t c = 0; c < element.slips; ++c)
    fast = std::max(fast, rate_sizes_[element.slip + c]);
  return speed > std::max(options_.rtol, 1e-13) * fast;
}

/// Steps of other lengths, until one ends at the root.
bool InstantRun::locate(const Root& root, double h, double& located) {
  const auto f = [this](double t, std::span<const double> y, std::span<double> dydt) {
    return derivative(t, y, dydt);
  };
  if (root.jumps) return locate_jump(root, h, located);
  located = root.theta * h;
  const double grain = 2 * epsilon * std::max(std::abs(t_), std::abs(t_ + h));
  if (located <= grain) {
    located = 0;
    located_error_ = located_value_ = 0;
    return true;
  }
  const auto attempt = [&](double length) {
    located_error_ = rk_->cut(f, length, tolerance());
    located_value_ = 0;
    return located_error_ < HUGE_VAL;
  };
  if (!root.clear) return attempt(located);
  // The slope from the continuous output.
  const double delta = std::min({1e-3, root.theta / 2, 1 - root.theta});
  double slope = std::nan("");
  if (delta > 1e-9)
    slope = (value_inside(root.watch, root.theta + delta) -
             value_inside(root.watch, root.theta - delta)) /
            (2 * delta * h);
  double x = located, last = std::nan(""), last_value = std::nan("");
  double best = HUGE_VAL, best_x = x;
  for (int round = 0; round < 12; ++round) {
    if (!attempt(x) || !look(t_ + x, rk_->y_new(), one_look_)) return false;
    const double value = one_look_[root.watch];
    if (std::abs(value) < best) {
      best = std::abs(value);
      best_x = x;
    }
    if (value == 0) break;
    if (round > 0 && std::abs(x - last) > 0 && value != last_value) {
      const double secant = (value - last_value) / (x - last);
      if (std::isfinite(secant) &&
          (!std::isfinite(slope) || std::abs(secant - slope) < std::abs(slope)))
        slope = secant;
    }
    last = x;
    last_value = value;
    const double step = -value / slope;
    if (!std::isfinite(step) || std::abs(step) > 0.1 * h) break;
    if (std::abs(step) <= grain / 4) break;
    const double next = std::clamp(x + step, x / 2, std::min(2 * x, h * (1 + 1e-6)));
    if (next == x || t_ + next == t_ + x) break;
    x = next;
  }
  located = best_x;
  const bool there = (x == best_x && rk_->t_new() == t_ + best_x) || attempt(best_x);
  located_value_ = best;
  return there;
}

}  // namespace dalembert::motion
