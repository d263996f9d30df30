#include "dalembert/motion/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dalembert/motion/steps/whole_step.hpp"
#include "dalembert/solve/typical_sizes.hpp"

namespace dalembert::motion {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr long most_failures = 100;  // then the motion is carried
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
  active_ = 0;
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
  if (taylor_) taylor_->place(l, parameters);
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
    if (taylor_) end_by_series(l);
  }
}

/// A step by series ends where the rates have a kink, and is as long as the difference of both
/// times: t has no errors that add up.
void Lanes::end_by_series(std::size_t l) {
  if (const auto kink = taylor_->kink_within(l, step_.t[l], step_.h[l])) {
    lanes_[l].last = lanes_[l].last && *kink >= step_.h[l];
    step_.h[l] = *kink;
    if (!lanes_[l].last) behind_[l] = t_new_[l] = step_.t[l] + *kink;
  }
  step_.h[l] = t_new_[l] - step_.t[l];
  if (step_.h[l] == 0) lanes_[l].out = true;  // shorter than t has digits for
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
    if (taylor_) taylor_->take(l);
    step_.t[l] = behind_[l];
    for (std::size_t i = l; i < height_start_.size(); i += W_) height_start_[i] = height_end_[i];
    if (!client_.goes_on(*this, l)) {
      retire(l);
    } else if (!(step_.t[l] < options_.duration)) {
      conclude(l, {});
    }
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

void Lanes::land(std::size_t l, const LaneRun& run, const Landing& end) {
  Lane& lane = lanes_[l];
  lane = {};
  lane.run = run;
  lane.steps = end.steps;
  lane.rejected = end.rejected;
  lane.h_start = end.h_start;
  lane.largest_residual = end.largest_residual;
  sample_.bind(static_cast<int>(l), run.parameters);
  projector_.bind(static_cast<int>(l), run.parameters);
  for (std::size_t i = 0; i < flow_.size; ++i) step_.y[i * W_ + l] = end.y[i];
  step_.t[l] = end.t;
  report(l, {});
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
