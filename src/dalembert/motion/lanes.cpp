#include "dalembert/motion/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dalembert/motion/steps/whole_step.hpp"
#include "dalembert/solve/typical_sizes.hpp"

namespace dalembert::motion {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr long most_failures = 100;  // then the motion is carried
// A chord of a height comes as close to zero as this part of its shorter end where the height
// vanishes between and has turned by a right angle at most; without vanishing it would have to turn
// as far. Where it only becomes shorter, to this part of its length.
constexpr double least_chord = 0.7, least_height = 0.3;
constexpr double farthest_turn = 0.75;  // squared cosine: 30 degrees
// Where a step without stages is looked at on its way, as parts of it: a singular configuration
// lies an eighth of the step from one of them at most.
constexpr std::array<double, 3> looks_within{0.25, 0.5, 0.75};
constexpr StepControlOptions control;

std::vector<const double*> rows_of(const codegen::AlignedVector& x, std::size_t W) {
  std::vector<const double*> rows(x.size() / W);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = x.data() + i * W;
  return rows;
}

}  // namespace

Lanes::Lanes(const Motion& motion, const LaneFlow& flow, const SimulationOptions& options,
             bool sampling, LaneClient& client)
    : motion_(motion),
      flow_(flow),
      options_(options),
      client_(client),
      n_(flow.n),
      W_(static_cast<std::size_t>(flow.lanes)),
      times_{options},
      sampling_(sampling),
      arithmetic_(lane_arithmetic(flow.lanes)),
      rates_(flow.reduced ? LaneKernel(flow.rates, motion.parameters()) : LaneKernel()),
      sample_(flow.sample, motion.parameters()),
      conditions_(flow.conditions.outputs() > 0 ? LaneKernel(flow.conditions, motion.parameters())
                                                : LaneKernel()),
      heights_(flow.heights.outputs() > 0 && options.project == model::Project::both
                   ? LaneKernel(flow.heights, motion.parameters())
                   : LaneKernel()),
      derivative_(flow.derivative, motion.parameters()),
      projector_(flow.positions, flow.velocities, flow.n, flow.reduced, options.project, flow.lanes,
                 motion.parameters()),
      step_(flow.lanes, flow.size),
      finder_(motion.time_kinks()),
      starter_(flow.size),
      absolute_(flow.size),
      y_start_(flow.size),
      slope_start_(flow.size),
      mass_(n_),
      height_start_(flow.heights.outputs() * W_),
      height_end_(height_start_.size()),
      height_from_(height_start_.size()),
      height_to_(height_start_.size()),
      lanes_(W_),
      t_new_(W_),
      h_next_(W_),
      behind_(W_),
      y_end_(step_.y.size()),
      time_(W_),
      theta_(W_),
      y_sample_(step_.y.size()),
      change_(W_),
      root_(W_),
      y_end_rows_(rows_of(y_end_, W_)),
      y_new_rows_(rows_of(step_.y_new, W_)),
      candidates_(W_),
      accepted_(W_),
      asked_(W_),
      at_end_(W_),
      observed_(n_ + flow.sample.outputs()),
      q_(n_),
      v_(n_) {
  if (options.integrator == Integrator::taylor) {
    taylor_.emplace(flow, arithmetic_, motion.parameters(), options.rtol);
  } else if (const codegen::Kernel* whole = step_kernel(flow)) {
    whole_step_ = StepKernel(*whole, motion.parameters());
  }
  place_.state.q.resize(n_);
  place_.state.v.resize(n_);
  step_.rtol = options.rtol;
  std::fill(step_.atol.begin(), step_.atol.end(), options.atol);
}

void Lanes::run() {
  for (std::size_t l = 0; l < W_; ++l) {
    park(l);
    fill(l);
  }
  while (active_ > 0 && !client_.stopped()) {
    check_limits();
    if (active_ == 0) break;
    if (taylor_) expand();
    prepare_steps();
    attempt();
    decide();
  }
}

/// By the tape of the whole step as soon as there is machine code of it.
void Lanes::attempt() {
  stages_kept_ = true;
  if (taylor_) {
    taylor_->attempt(derivative_, step_);
    if (flow_.positions.outputs() > 0) watch_within();
    return;
  }
  if (whole_step_ && whole_step_.kernel.engine() == codegen::Engine::machine) {
    stages_kept_ = false;
    arithmetic_.attempt_whole(whole_step_, step_);
    return;
  }
  if (whole_step_) whole_step_.kernel.count_without_running(whole_step_.workspace);
  arithmetic_.attempt(derivative_, step_);
}

/// A step by series sees the tape's doubt at both ends; here on its way too.
void Lanes::watch_within() {
  for (const double part : looks_within) {
    find_within(part, nullptr);
    std::copy(time_.begin(), time_.end(), derivative_.in);
    std::copy_n(y_sample_.begin(), flow_.size * W_, derivative_.in + W_);
    derivative_.run();
    for (std::size_t l = 0; l < W_; ++l) {
      if (!(derivative_.out[flow_.size][l] <= 1)) step_.error[l] = infinity;
    }
  }
}

/// The series of all lanes, and with them how long steps may be; not much longer than the last, for
/// a force that is nowhere felt may be felt there.
void Lanes::expand() {
  taylor_->expand(step_);
  for (std::size_t l = 0; l < W_; ++l) step_.h[l] = std::min(step_.h[l], taylor_->longest()[l]);
}

/// y at t + theta h of all lanes.
void Lanes::interpolate_all(const double* theta, double* y) const {
  taylor_ ? taylor_->interpolate(step_, theta, y) : arithmetic_.interpolate(step_, theta, y);
}

void Lanes::keep_stages() {
  if (!stages_kept_) arithmetic_.fetch_stages(whole_step_, step_);
  stages_kept_ = true;
}

/// y of a state, into y_start_.
void Lanes::write_y(double t, std::span<const double> q, std::span<const double> v,
                    std::span<const double> parameters) {
  std::ranges::copy(q, y_start_.begin());
  if (!flow_.reduced) {
    std::ranges::copy(v, y_start_.begin() + static_cast<std::ptrdiff_t>(n_));
  } else if (rates_) {  // none where the constraints leave no freedom
    rates_.bind(0, parameters);
    rates_.in[0] = t;
    std::ranges::copy(q, rates_.in + 1);
    std::ranges::copy(v, rates_.in + 1 + n_);
    rates_.run();
    for (std::size_t i = n_; i < flow_.size; ++i) y_start_[i] = *rates_.out[i - n_];
  }
}

/// y' by the tape, of one lane; false where it has no value.
bool Lanes::evaluate_lane(std::size_t l, double t, std::span<const double> y,
                          std::span<double> dydt) {
  derivative_.in[l] = t;
  for (std::size_t i = 0; i < y.size(); ++i) derivative_.in[(1 + i) * W_ + l] = y[i];
  derivative_.run();
  for (std::size_t i = 0; i < dydt.size(); ++i) dydt[i] = derivative_.out[i][l];
  return derivative_.out[dydt.size()][l] <= 1;
}

/// Puts a lane at a state: its parameters, y and t, no step yet.
void Lanes::place(std::size_t l, const State& state, std::span<const double> parameters) {
  const int lane = static_cast<int>(l);
  derivative_.bind(lane, parameters);
  if (whole_step_) whole_step_.bind(lane, parameters);
  if (taylor_) taylor_->bind(lane, parameters);
  sample_.bind(lane, parameters);
  if (conditions_) conditions_.bind(lane, parameters);
  if (heights_) heights_.bind(lane, parameters);
  projector_.bind(lane, parameters);
  write_y(state.t, state.q, state.v, parameters);
  for (std::size_t i = 0; i < flow_.size; ++i) step_.y[i * W_ + l] = y_start_[i];
  step_.t[l] = state.t;
  step_.h[l] = 0;
  if (!heights_) return;
  find_heights(step_.t.data(), step_.y.data(), height_to_.data());
  for (std::size_t i = l; i < height_to_.size(); i += W_) height_start_[i] = height_to_[i];
}

/// Leaves a lane without a run, at a state that computes without trouble.
void Lanes::park(std::size_t l) {
  place(l, flow_.idle, motion_.parameters());
}

/// Gives a lane the next run that can go in one.
void Lanes::fill(std::size_t l) {
  Lane& lane = lanes_[l];
  while (!client_.stopped()) {
    LaneRun run = std::move(lane.run);  // its memory serves again
    lane = {};
    lane.run = std::move(run);
    if (!client_.next(lane.run)) break;
    if (begin(l)) {
      lane.active = true;
      ++active_;
      return;
    }
  }
  park(l);
}

/// Places a run at its start. False if it is over already.
bool Lanes::begin(std::size_t l) {
  Lane& lane = lanes_[l];
  const State& start = lane.run.start;
  if (start.q.size() != n_ || start.v.size() != n_) {
    throw std::invalid_argument(fmt::format("a state of this motion has {} coordinates", n_));
  }
  place(l, start, lane.run.parameters);
  lane.pace = PaceWatch(start.t);

  observe(l, start.t, y_start_.data(), 1);
  const auto derivative = [&](double t, std::span<const double> y, std::span<double> dydt) {
    return evaluate_lane(l, t, y, dydt);
  };
  const bool vouched = observed_value(l) && starter_.start(start.t, y_start_, derivative) &&
                       derivative_.out[flow_.size + 1][l] <= 1;
  lane.h_start = sampled_h(l);
  const double from =
      options_.duration > start.t
          ? lane.step_ends.begin(finder_, lane.run.parameters, start.t, options_.duration, false)
          : start.t;
  if (!vouched) return carry(l, false);
  if (!client_.begins(*this, l)) return false;
  set_tolerances(l);
  while (pending(lane, start.t)) deliver(l);
  if (!(options_.duration > start.t)) {
    report(l, {});
    return false;
  }
  step_.t[l] = from;
  if (from > start.t && !starter_.start(from, y_start_, derivative)) return carry(l, true);
  const Tolerance tolerance{options_.rtol, absolute_, {}};
  step_.h[l] = starter_.initial_step(derivative, tolerance,
                                     std::min(options_.duration - step_.t[l], options_.max_step));
  return true;
}

/// The default atol suits quantities of ordinary size. For those below `small` it is as small a
/// part of their size as it is of one; an atol that someone chose stands. After observe.
void Lanes::set_tolerances(std::size_t l) {
  std::fill(absolute_.begin(), absolute_.end(), options_.atol);
  if (options_.atol == SimulationOptions{}.atol) {
    const double* const* mass = sample_.out.data() + sample_.out.size() - 1 - n_;
    for (std::size_t i = 0; i < n_; ++i) {
      q_[i] = sample_.in[(1 + i) * W_ + l];
      v_[i] = sample_.out[i][l];
      observed_[i] = sample_.out[n_ + i][l];
      mass_[i] = mass[i][l];
    }
    const TypicalSizes sizes =
        typical_sizes(q_, v_, {observed_.data(), n_}, mass_, motion_.places_in_A(),
                      motion_.constraints(), options_.duration);
    const auto part_of = [&](double size) { return options_.atol * std::min(size, 1.0); };
    for (std::size_t i = 0; i < n_; ++i) {
      if (!(sizes.q[i] < small_size)) continue;
      absolute_[i] = part_of(sizes.q[i]);
      // Which quasi-velocities are small with a coordinate is not known: all that might be.
      for (std::size_t j = flow_.reduced ? n_ : n_ + i;
           j < (flow_.reduced ? flow_.size : n_ + i + 1); ++j)
        absolute_[j] = std::min(absolute_[j], part_of(sizes.v[i]));
    }
  }
  for (std::size_t i = 0; i < flow_.size; ++i) step_.atol[i * W_ + l] = absolute_[i];
}

/// Runs that have come to a limit are over.
void Lanes::check_limits() {
  for (std::size_t l = 0; l < W_; ++l) {
    for (;;) {
      Lane& lane = lanes_[l];
      const long attempts = lane.steps + lane.rejected;
      if (!lane.active || !lane.pace.due(attempts)) break;
      const LaneLimit limit = lane.pace.look(attempts, step_.t[l], options_);
      if (limit.kind != LaneLimit::Kind::none) conclude(l, limit);
    }
  }
}

/// The lengths and ends of the next steps.
void Lanes::prepare_steps() {
  const double longest = options_.max_step;
  for (std::size_t l = 0; l < W_; ++l) {
    Lane& lane = lanes_[l];
    if (!lane.active) continue;
    const StepEnd end = lane.step_ends.next(step_.t[l]);
    const double rest = end.before - step_.t[l];
    lane.h_wanted = step_.h[l];
    lane.last = 1.01 * step_.h[l] >= rest && rest <= longest;
    if (lane.last) step_.h[l] = rest;
    t_new_[l] = lane.last ? end.before : step_.t[l] + step_.h[l];
    behind_[l] = lane.last ? end.behind : t_new_[l];
  }
}

/// After an attempt: accepts and rejects steps, and chooses the lengths of the next.
void Lanes::decide() {
  for (std::size_t l = 0; l < W_; ++l) {
    candidates_[l] = lanes_[l].active && step_.error[l] <= 1 ? -1 : 0;
    accepted_[l] = 0;
    // Near a singular configuration no step is tried that leads less far.
    if (flow_.positions.outputs() > 0 && step_.error[l] == infinity) lanes_[l].out = true;
  }
  if (sampling_) prepare_samples();
  const bool projecting = projector_.needed();
  const bool projected = projecting && any(candidates_);
  if (projected) project_ends();
  arithmetic_.eighth_root(step_.error.data(), root_.data());
  for (std::size_t l = 0; l < W_; ++l) {
    if (!lanes_[l].active) continue;
    ++lanes_[l].attempts;
    judge(l);
  }
  if (conditions_) check_conditions();
  if (heights_) watch_heights(projected ? y_end_.data() : step_.y_new.data());
  for (std::size_t l = 0; l < W_; ++l) {
    Lane& lane = lanes_[l];
    if (lane.active && accepted_[l] != 0 && !lane.out) lane.out = !client_.accepts(*this, l);
  }
  if (sampling_) emit_samples();
  for (std::size_t l = 0; l < W_; ++l) {
    if (lanes_[l].out) accepted_[l] = 0;
  }
  arithmetic_.replace(flow_.size, accepted_.data(),
                      projecting ? y_end_rows_.data() : y_new_rows_.data(), step_.y.data());
  for (std::size_t l = 0; l < W_; ++l) {
    Lane& lane = lanes_[l];
    if (!lane.active) continue;
    if (lane.out) {
      if (!carry(l, true)) retire(l);
      continue;
    }
    step_.h[l] = h_next_[l];
    if (accepted_[l] == 0) continue;
    ++lane.steps;
    step_.t[l] = behind_[l];
    for (std::size_t i = l; i < height_start_.size(); i += W_) height_start_[i] = height_end_[i];
    if (!client_.goes_on(*this, l)) {
      retire(l);
    } else if (!(step_.t[l] < options_.duration)) {
      conclude(l, {});
    }
  }
}

/// The continuous output, where samples fall within a step.
void Lanes::prepare_samples() {
  for (std::size_t l = 0; l < W_; ++l) {
    const Lane& lane = lanes_[l];
    asked_[l] =
        candidates_[l] != 0 && pending(lane, t_new_[l]) && times_[lane.next_sample] < t_new_[l] ? -1
                                                                                                : 0;
  }
  if (taylor_ || !any(asked_)) return;
  keep_stages();
  arithmetic_.prepare_dense(derivative_, step_);
  for (std::size_t l = 0; l < W_; ++l) {
    if (asked_[l] == 0 || step_.dense_valued[l] != 0) continue;
    step_.error[l] = infinity;
    candidates_[l] = 0;
  }
}

/// Projects the ends of the steps that are good enough so far. What a projection changes is error
/// too, see simulate.
void Lanes::project_ends() {
  std::copy_n(step_.y_new.begin(), flow_.size * W_, y_end_.begin());
  projector_.project(t_new_.data(), y_end_.data(), candidates_.data());
  arithmetic_.correction(step_, n_, y_end_.data(), change_.data());
  for (std::size_t l = 0; l < W_; ++l) {
    if (candidates_[l] == 0) continue;
    step_.error[l] = projector_.converged(l)
                         ? std::max(step_.error[l], change_[l] / correction_allowance)
                         : infinity;
  }
}

/// A run that breaks a condition of the model at the end of an accepted step is carried: so it ends
/// with the words for that.
void Lanes::check_conditions() {
  std::copy(t_new_.begin(), t_new_.end(), conditions_.in);
  const double* ends = projector_.needed() ? y_end_.data() : step_.y_new.data();
  std::copy_n(ends, n_ * W_, conditions_.in + W_);
  conditions_.run();
  for (std::size_t l = 0; l < W_; ++l) {
    if (lanes_[l].active && accepted_[l] != 0 && !(conditions_.out[0][l] <= 1))
      lanes_[l].out = true;
  }
}

/// The heights at a time and state of each lane.
void Lanes::find_heights(const double* t, const double* y, double* heights) {
  std::copy_n(t, W_, heights_.in);
  std::copy_n(y, flow_.size * W_, heights_.in + W_);
  heights_.run();
  for (std::size_t i = 0; i < heights_.out.size(); ++i)
    std::copy_n(heights_.out[i], W_, heights + i * W_);
}

/// A step in which a height may vanish is not for the lane, not even a shorter one after a
/// rejection: beside the constraints the motion is not smooth there. Heights that have turned far
/// are followed over quarters of the step.
void Lanes::watch_heights(const double* ends) {
  find_heights(t_new_.data(), ends, height_end_.data());
  for (std::size_t l = 0; l < W_; ++l) {
    asked_[l] = lanes_[l].active && turns_far(l) ? -1 : 0;
    if (lanes_[l].active && asked_[l] == 0 &&
        may_vanish(l, height_start_.data(), height_end_.data()))
      lanes_[l].out = true;
  }
  if (!any(asked_)) return;
  height_from_ = height_start_;
  for (std::size_t k = 0; k <= looks_within.size(); ++k) {
    const bool last = k == looks_within.size();
    if (!last) {
      find_within(looks_within[k], ends);
      find_heights(time_.data(), y_sample_.data(), height_to_.data());
    }
    const codegen::AlignedVector& to = last ? height_end_ : height_to_;
    for (std::size_t l = 0; l < W_; ++l) {
      if (asked_[l] != 0 && may_vanish(l, height_from_.data(), to.data())) lanes_[l].out = true;
    }
    height_from_ = to;
  }
}

/// The time and, near enough for heights, the state of each lane within its step: by series, or by
/// positions and velocities at both ends.
void Lanes::find_within(double part, const double* ends) {
  for (std::size_t l = 0; l < W_; ++l) time_[l] = step_.t[l] + part * step_.h[l];
  if (taylor_) {
    std::fill(theta_.begin(), theta_.end(), part);
    taylor_->interpolate(step_, theta_.data(), y_sample_.data());
    return;
  }
  const double rest = 1 - part;
  const double from = rest * rest * (1 + 2 * part), to = part * part * (3 - 2 * part);
  for (std::size_t i = 0; i < n_ * W_; ++i) {
    const double v = step_.y[n_ * W_ + i], v_end = ends[n_ * W_ + i];
    y_sample_[i] = from * step_.y[i] + to * ends[i] +
                   part * rest * step_.h[i % W_] * (rest * v - part * v_end);
    y_sample_[n_ * W_ + i] = rest * v + part * v_end;
  }
}

/// Whether a height of a lane has turned so far over its step that it may have vanished between.
bool Lanes::turns_far(std::size_t l) const {
  for (std::size_t first = 0; first < heights_.out.size(); first += n_) {
    double a = 0, b = 0, ab = 0;
    for (std::size_t i = first; i < first + n_; ++i) {
      const double before = height_start_[i * W_ + l], now = height_end_[i * W_ + l];
      a += before * before;
      b += now * now;
      ab += before * now;
    }
    if (!(ab > 0 && ab * ab > farthest_turn * a * b)) return true;
  }
  return false;
}

/// With a and b a height at both ends of the chord, |a + s (b - a)|^2 has its least value at
/// s = a . (a - b) / |b - a|^2, or at an end.
bool Lanes::may_vanish(std::size_t l, const double* before, const double* now) const {
  for (std::size_t first = 0; first < heights_.out.size(); first += n_) {
    double a = 0, b = 0, ab = 0;
    for (std::size_t i = first * W_ + l; i < (first + n_) * W_; i += W_) {
      a += before[i] * before[i];
      b += now[i] * now[i];
      ab += before[i] * now[i];
    }
    const double way = a + b - 2 * ab;
    const double s = way > 0 ? (a - ab) / way : 0.0;
    const bool falls = s >= 1, rises = s <= 0;
    const double least = falls ? b : rises ? a : a - s * (a - ab);
    const double limit = falls   ? least_height * least_height * a
                         : rises ? 0
                                 : least_chord * least_chord * std::min(a, b);
    if (!(least > limit)) return true;
  }
  return false;
}

/// One lane's decision, by the rule of StepController.
void Lanes::judge(std::size_t l) {
  Lane& lane = lanes_[l];
  const double error = step_.error[l];
  const double h = step_.h[l];
  if (error <= 1) {
    accepted_[l] = -1;
    lane.length = h;
    const double longest = lane.after_rejection ? 1.0 : control.max_factor;
    // By series the next ones say how long the next step is.
    h_next_[l] = h * (taylor_ ? longest
                              : std::clamp(control.safety * root_[l], control.min_factor, longest));
    // A step that had to end early tells nothing against longer ones.
    if (h < lane.h_wanted) h_next_[l] = std::max(h_next_[l], lane.h_wanted);
    h_next_[l] = std::min(h_next_[l], options_.max_step);
    lane.after_rejection = false;
    if (projector_.needed()) {
      lane.largest_residual = std::max(lane.largest_residual, projector_.residual(l));
      lane.drift = projector_.drift(l);
    }
    return;
  }
  if (step_.started[l] == 0) {  // nothing was tried
    lane.out = true;
    return;
  }
  ++lane.rejected;
  lane.after_rejection = true;
  if (error < infinity) {
    h_next_[l] = h * std::clamp(control.safety * root_[l], control.min_factor, 1.0);
  } else {
    h_next_[l] = h * control.failure_factor;
    ++lane.failures;
  }
  lane.out = lane.out || lane.failures > most_failures || step_underflow(step_.t[l], h_next_[l]);
}

/// Chooses the next sample of each lane that has one in the step just accepted.
bool Lanes::ask_samples() {
  for (std::size_t l = 0; l < W_; ++l) {
    const Lane& lane = lanes_[l];
    const bool asked = accepted_[l] != 0 && !lane.out && pending(lane, behind_[l]);
    time_[l] = asked ? times_[lane.next_sample] : step_.t[l];
    theta_[l] = asked ? std::clamp((time_[l] - step_.t[l]) / step_.h[l], 0.0, 1.0) : 0.0;
    const bool at_end = asked && time_[l] >= t_new_[l];
    at_end_[l] = at_end ? -1 : 0;
    asked_[l] = asked ? -1 : 0;
  }
  return any(asked_);
}

/// Samples within the steps just accepted, each projected, to the receiver.
void Lanes::emit_samples() {
  while (ask_samples()) {
    interpolate_all(theta_.data(), y_sample_.data());
    arithmetic_.replace(flow_.size, at_end_.data(),
                        projector_.needed() ? y_end_rows_.data() : y_new_rows_.data(),
                        y_sample_.data());
    if (projector_.needed()) {
      for (std::size_t l = 0; l < W_; ++l) candidates_[l] = asked_[l] & ~at_end_[l];
      projector_.project(time_.data(), y_sample_.data(), candidates_.data());
    }
    std::copy(time_.begin(), time_.end(), sample_.in);
    std::copy_n(y_sample_.begin(), flow_.size * W_, sample_.in + W_);
    sample_.run();
    for (std::size_t l = 0; l < W_; ++l) {
      if (asked_[l] == 0) continue;
      Lane& lane = lanes_[l];
      if (projector_.needed() && candidates_[l] != 0) {
        lane.out = !projector_.converged(l);
        lane.largest_residual = std::max(lane.largest_residual, projector_.residual(l));
      }
      lane.out = lane.out || !observed_value(l);
      if (!lane.out) deliver(l);
    }
  }
}

bool Lanes::prepare_dense(std::size_t l) {
  if (taylor_) return true;
  keep_stages();
  arithmetic_.prepare_dense(derivative_, step_);
  return step_.dense_valued[l] != 0;
}

void Lanes::interpolate(double theta, std::span<double> y) const {
  interpolate_all(&theta, y.data());
}

void Lanes::interpolate_slope(double theta, std::span<double> slope) const {
  if (taylor_) {
    taylor_->interpolate_slope(step_, &theta, slope.data());
    return;
  }
  const double rest = 1 - theta;
  for (std::size_t i = 0; i < flow_.size; ++i) {
    const double* r = step_.dense.data() + i / lane_pack * 7 * lane_pack + i % lane_pack;
    double value = r[6 * lane_pack], rate = 0;
    for (std::size_t c = 6; c-- > 0;) {
      const bool by_theta = c % 2 == 1;
      rate = by_theta ? value + theta * rate : rest * rate - value;
      value = r[c * lane_pack] + (by_theta ? theta : rest) * value;
    }
    slope[i] = (value + theta * rate) / step_.h[0];
  }
}

void Lanes::evaluate(double t, const double* y, std::span<double> rates) const {
  derivative_.in[0] = t;
  std::copy_n(y, flow_.size, derivative_.in + 1);
  derivative_.run();
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = *derivative_.out[i];
}

void Lanes::find_rates(std::span<double> rates) const {
  evaluate(step_.t[0], step_.y.data(), rates);
}

void Lanes::find_rates_at_sample(double t, std::span<double> rates) const {
  evaluate(t, y_sample(), rates);
}

/// The sample tape at a state of one lane, whose entries lie `stride` apart.
void Lanes::observe(std::size_t l, double t, const double* y, std::size_t stride) {
  sample_.in[l] = t;
  for (std::size_t i = 0; i < flow_.size; ++i) sample_.in[(1 + i) * W_ + l] = y[i * stride];
  sample_.run();
}

/// Whether what was observed can be trusted. Outputs of the model may be anything.
bool Lanes::observed_value(std::size_t l) const {
  return sample_.out.back()[l] <= 1 && std::isfinite(sample_.out[4 * n_][l]) &&
         std::isfinite(sample_.out[4 * n_ + 1][l]) && std::isfinite(sampled_h(l));
}

/// What was observed, as the next sample of a lane.
void Lanes::deliver(std::size_t l) {
  Lane& lane = lanes_[l];
  for (std::size_t i = 0; i < n_; ++i) observed_[i] = sample_.in[(1 + i) * W_ + l];
  for (std::size_t i = 0; i < sample_.out.size(); ++i) observed_[n_ + i] = sample_.out[i][l];
  const auto part = [&](std::size_t i) { return std::span(observed_).subspan(i * n_, n_); };
  const double* energy = observed_.data() + 5 * n_;
  const std::size_t outputs = sample_.out.size() - (5 * n_ + 4);
  const LaneSample sample{sample_.in[l], part(0),   part(1),   part(2),   part(3),
                          part(4),       energy[0], energy[1], energy[2], {energy + 3, outputs}};
  ++lane.next_sample;
  client_.sample(*this, l, sample);
}

/// Reports the motion of a lane that is at its end, or has come to a limit.
void Lanes::report(std::size_t l, const LaneLimit& limit) {
  const Lane& lane = lanes_[l];
  const double t = step_.t[l];
  const bool complete = limit.kind == LaneLimit::Kind::none;
  observe(l, t, step_.y.data() + l, W_);
  if (complete && !observed_value(l)) {
    carry(l, true);  // from its end nobody comes back
    return;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    q_[i] = step_.y[i * W_ + l];
    v_[i] = sample_.out[i][l];
  }
  LaneEnd end{limit, t, q_, v_, lane.steps, lane.rejected, lane.largest_residual, 0, lane.carried};
  if (projector_.leaves_out())
    end.largest_residual = std::max(lane.largest_residual, projector_.measure(l, t, q_, v_));
  end.energy_change = sampled_h(l) - lane.h_start;
  client_.end(*this, l, end);
}

/// Ends the motion of a lane and begins another there.
void Lanes::conclude(std::size_t l, const LaneLimit& limit) {
  report(l, limit);
  retire(l);
}

/// The motion of a lane is over: another begins there.
void Lanes::retire(std::size_t l) {
  lanes_[l].active = false;
  --active_;
  fill(l);
}

/// Hands the motion of a lane over from where it stands; true if it has come back.
bool Lanes::carry(std::size_t l, bool begun) {
  Lane& lane = lanes_[l];
  State& state = place_.state;
  state.t = step_.t[l];
  if (flow_.reduced) observe(l, state.t, step_.y.data() + l, W_);
  for (std::size_t i = 0; i < n_; ++i) {
    state.q[i] = step_.y[i * W_ + l];
    state.v[i] = flow_.reduced ? sample_.out[i][l] : step_.y[(n_ + i) * W_ + l];
  }
  place_.h = lane.h_wanted;
  place_.samples = lane.next_sample;
  place_.steps = lane.steps;
  place_.rejected = lane.rejected;
  place_.pace = lane.pace;
  place_.begun = begun;
  lane.carried = true;
  if (!client_.carry(*this, l, place_)) return false;
  place(l, state, lane.run.parameters);
  step_.h[l] = place_.h;
  lane.next_sample = place_.samples;
  lane.steps = place_.steps;
  lane.rejected = place_.rejected;
  lane.pace = place_.pace;
  lane.failures = 0;
  lane.after_rejection = lane.out = false;
  if (begun) return true;
  observe(l, state.t, y_start_.data(), 1);
  set_tolerances(l);
  return true;
}

bool Lanes::vouches(std::size_t l, double t, std::span<const double> q, std::span<const double> v) {
  write_y(t, q, v, lanes_[l].run.parameters);
  return evaluate_lane(l, t, y_start_, slope_start_) && derivative_.out[flow_.size + 1][l] <= 1 &&
         std::ranges::all_of(slope_start_, [](double x) { return std::isfinite(x); });
}

}  // namespace dalembert::motion
