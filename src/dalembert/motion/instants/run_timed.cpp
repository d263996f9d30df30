// Events whose `when` depends on t alone: when they strike is known ahead.
#include <algorithm>
#include <cmath>

#include "dalembert/expr/graph.hpp"
#include "dalembert/motion/instants/run.hpp"

namespace dalembert::motion {

/// Whether events that set discrete values may change when others take place.
bool InstantRun::whens_follow_discretes() const {
  const model::Model& model = motion_.model();
  const auto is_discrete = [&](const expr::Symbol& symbol) {
    return std::ranges::any_of(
        model.discretes, [&](std::size_t i) { return model.parameters[i].name == symbol.name; });
  };
  return std::ranges::any_of(when_events_, [&](std::size_t event) {
    return expr::find_symbol(model.events[event].when->expr, is_discrete).has_value();
  });
}

/// From t_ to the end, with the discrete values as they are. Where there are too many, nothing is
/// known ahead, and these events are watched as others are.
void InstantRun::find_strikes() {
  time_strikes_.clear();
  when_ends_.clear();
  next_strike_ = next_when_end_ = 0;
  all_timed_ = strikes_known_ = true;
  const flow::InstantKernels& k = system_.kernels();
  if (k.when_kinks->empty() || !(t_ < options_.duration)) return;
  flow::StepEnds ends;
  when_finder_.find(motion_.parameters(), t_, options_.duration, false, ends);
  if (ends.unknown_from) {
    all_timed_ = false;
    doubt(flow::step_ends_doubt(*ends.unknown_from));
  }
  for (const flow::StepEnd& end : ends.all) when_ends_.push_back(end.before);
  if (!all_timed_) return;
  for (std::size_t i = 0; i < k.timed.size(); ++i) follow_strikes(i, ends);
  std::ranges::stable_sort(time_strikes_, {}, &Strike::t);
  for (const flow::StepEnds::Touch& touch : ends.touches)
    report_touch(name_of_when(k.timed[touch.of]), when_finder_.asked(touch.of, touch.t), touch.t);
  std::erase_if(when_ends_, [&](double t) {
    return std::ranges::any_of(time_strikes_, [&](const Strike& strike) {
      return std::abs(strike.t - t) <= 16 * epsilon * std::abs(t);
    });
  });
}

/// Between two step ends it keeps its sign; zero is none.
void InstantRun::follow_strikes(std::size_t timed, const flow::StepEnds& ends) {
  const std::size_t w = system_.kernels().timed[timed];
  const double start = when_finder_.asked(timed, t_);
  int sign = start == 0 ? event_signs_[w] : sign_of_value(start);
  double size = std::abs(start);
  for (const flow::StepEnd& end : ends.all) {
    const double before = when_finder_.asked(timed, end.before);
    const double behind = when_finder_.asked(timed, end.behind);
    if (before != 0) sign = sign_of_value(before);
    const int next = sign_of_value(behind);
    if (std::isfinite(before)) size = std::max(size, std::abs(before));
    if (next == 0 || next == sign || sign == 0) {
      const double middle = end.before + (end.behind - end.before) / 2;
      const double least = when_finder_.asked(timed, middle);
      if (end.is_kink() && before != 0 && next == sign && std::abs(least) < std::abs(before) &&
          std::abs(least) < std::abs(behind) && std::abs(least) <= 64 * epsilon * size)
        report_touch(name_of_when(w), least, middle);
      if (next != 0) sign = next;
      continue;
    }
    Strike strike{first_with_sign(timed, end.before, end.behind, next), w, next, true};
    if (is_pole_of_time(timed, strike.t)) {
      report_pole(w, strike.t);
      strike.fires = false;
    }
    Watch watch{Watched::event, when_events_[w], w};
    strike.fires = strike.fires && matters(watch, sign);
    time_strikes_.push_back(strike);
    sign = next;
  }
}

/// Where it is exactly zero between signs, or else the first time at which it has this sign.
double InstantRun::first_with_sign(std::size_t timed, double before, double behind, int sign) {
  const bool from_zero = when_finder_.asked(timed, before) == 0;
  while (true) {
    const double middle = before + (behind - before) / 2;
    if (!(before < middle && middle < behind)) return behind;
    const double value = when_finder_.asked(timed, middle);
    if (value == 0 && !from_zero) return middle;
    (sign_of_value(value) == sign ? behind : before) = middle;
  }
}

/// As in crossing_at.
bool InstantRun::is_pole_of_time(std::size_t timed, double t) {
  const double size = std::max(std::abs(t), options_.duration);
  for (const double side : {-1.0, 1.0}) {
    const auto at = [&](int power) {
      return std::abs(when_finder_.asked(timed, t + side * std::ldexp(size, power)));
    };
    const double far = at(-20), near = at(-28), nearest = at(-36);
    if (!(near - far > 64 * epsilon * near && nearest - near > 0.5 * (near - far))) return false;
  }
  return true;
}

bool InstantRun::is_timed(std::size_t when) const {
  const std::vector<std::size_t>& timed = system_.kernels().timed;
  return all_timed_ && std::ranges::find(timed, when) != timed.end();
}

/// Where a step from t_ must end for the sake of what is watched.
double InstantRun::next_when_end() {
  while (next_when_end_ < when_ends_.size() && when_ends_[next_when_end_] <= t_) ++next_when_end_;
  double end = HUGE_VAL;
  if (next_when_end_ < when_ends_.size()) end = when_ends_[next_when_end_];
  if (next_strike_ < time_strikes_.size()) end = std::min(end, time_strikes_[next_strike_].t);
  return std::max(end, t_);
}

/// Whether an event strikes at t_. Those that are none are passed.
bool InstantRun::strikes_now() {
  for (; next_strike_ < time_strikes_.size() && time_strikes_[next_strike_].t <= t_;
       ++next_strike_) {
    const Strike& strike = time_strikes_[next_strike_];
    if (strike.fires) return true;
    event_signs_[strike.when] = strike.sign;
  }
  return false;
}

/// The events that strike at t_.
void InstantRun::take_strikes(std::vector<std::size_t>& due,
                              std::vector<std::pair<std::size_t, int>>& behind) {
  while (strikes_now()) {
    const Strike& strike = time_strikes_[next_strike_++];
    event_signs_[strike.when] = 0;
    behind.emplace_back(strike.when, strike.sign);
    due.push_back(when_events_[strike.when]);
    if (records()) record_.guards.push_back({Guard::Kind::event, due.back(), 0});
  }
}

}  // namespace dalembert::motion
