// Steps of a motion with instants: its start, smooth steps, samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/motion/instants/run.hpp"

namespace dalembert::motion {

namespace {

double largest_of(std::span<const double> x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace

InstantRun::InstantRun(const Motion& motion, const State& start, const SimulationOptions& options,
                       const Observer& observer, const Progress& progress)
    : motion_(motion),
      options_(options),
      times_{options_},
      observer_(observer),
      progress_(progress),
      n_(motion.coordinates()),
      system_(motion),
      conditions_(motion),
      turns_(motion),
      kink_finder_(*motion.instants()->kinks),
      when_finder_(*motion.instants()->when_kinks),
      rk_(make_stepper()),
      controller_({.max_step = options.max_step}),
      t_(start.t),
      y_(2 * n_ + works, 0.0),
      scratch_(y_),
      sample_(y_),
      projected_(y_),
      absolute_(y_.size(), options.atol),
      reference_(y_.size(), 0.0),
      slide_speeds_(motion.instants()->elements.size(), 0.0),
      bounces_(motion.instants()->contacts),
      close_later_(motion.instants()->elements.size(), 0.0),
      output_noted_(motion.outputs().size(), false),
      touches_(motion.instants()->elements.size()) {
  std::ranges::copy(start.q, y_.begin());
  std::ranges::copy(start.v, y_.begin() + static_cast<std::ptrdiff_t>(n_));
  const flow::InstantKernels& k = system_.kernels();
  modes_.resize(k.elements.size());
  here_ = modes_;
  gap_sizes_.assign(k.rows, 0);
  rate_sizes_.assign(k.rows, 0);
  const std::vector<model::Event>& events = motion.model().events;
  std::size_t settings = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    first_setting_.push_back(settings);
    settings += events[i].set.size();
    if (events[i].when) {
      when_events_.push_back(i);
    } else {
      clocks_.push_back(i);
      periods_.push_back(
          model::evaluate(events[i].every->expr, motion.model(), motion.parameters()));
      // Those at and before the start have been; rounding of their times included.
      const double past = t_ / periods_.back() * (1 + 4 * epsilon);
      strikes_.push_back(std::abs(past) < 1e18 ? static_cast<long>(std::floor(past)) : 0);
    }
  }
  event_sizes_.assign(when_events_.size(), 0);
  event_signs_.assign(when_events_.size(), 0);
  event_floors_.assign(when_events_.size(), 0);
  pole_noted_.assign(when_events_.size(), false);
  when_poles_.assign(when_events_.size(), false);
  for (const auto& mark : k.marks) {
    if (mark.pole) when_poles_[mark.when] = true;
  }
  gap_floors_.assign(k.elements.size(), 0);
  summary_.has_instants = true;
}

std::unique_ptr<PieceStepper> InstantRun::make_stepper() {
  const std::size_t size = 2 * n_ + works;
  if (options_.integrator != Integrator::bdf) return make_rk8_stepper(size);
  if (options_.project == model::Project::none) return make_bdf_stepper(size, {});
  return make_bdf_stepper(size,
                          [this](double t, std::span<const double> start, std::span<double> end) {
                            const std::vector<double> before(end.begin(), end.end());
                            return project(t, end, nullptr) && correction(start, before, end) <= 1;
                          });
}

void InstantRun::run() {
  if (!begin()) return;
  while (!done_) {
    if (t_ >= options_.duration) {
      summary_.complete = true;
      return;
    }
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) {
      stop(fmt::format("interrupted at t = {:.9g}", t_));
      return;
    }
    if (summary_.steps + summary_.rejected >= options_.max_steps) {
      stop(
          fmt::format("{} steps reached only t = {:.9g}: raise max_steps, or loosen the tolerances",
                      options_.max_steps, t_));
      return;
    }
    if (!take_step()) return;
  }
  summary_.complete = true;
}

Summary InstantRun::finish(double seconds) {
  summary_.t = t_;
  summary_.seconds = seconds;
  summary_.evaluations = rk_->evaluations();
  summary_.energy_lost = -impact_work_ - y_[2 * n_ + 4];
  std::stable_sort(summary_.events.begin(), summary_.events.end(),
                   [](const EventRow& a, const EventRow& b) { return a.t < b.t; });
  return std::move(summary_);
}

bool InstantRun::stop(std::string reason) {
  if (summary_.reason.empty()) summary_.reason = std::move(reason);
  return false;
}

void InstantRun::doubt(std::string sentence) {
  if (options_.doubts && std::ranges::find(summary_.doubts, sentence) == summary_.doubts.end() &&
      summary_.doubts.size() < 20)
    summary_.doubts.push_back(std::move(sentence));
}

/// The motion with the values that changed.
void InstantRun::bind_parameters() {
  std::vector<double> values =
      turns_.empty() ? motion_.parameters() : std::vector<double>(turns_.parameters());
  const flow::InstantKernels& k = system_.kernels();
  const auto discretes = system_.discretes();
  for (std::size_t i = 0; i < discretes.size(); ++i) values[k.discretes[i]] = discretes[i];
  motion_ = motion_.with_parameters(std::move(values));
  system_.bind(motion_);
  conditions_.bind(motion_);
}

/// That limits which reactions decide may not be the only ones.
void InstantRun::note_undecided() {
  if (!summary_.friction_not_assured) summary_.friction_not_assured = t_;
}

/// After look: whether limits that reactions decide are still the only ones.
bool InstantRun::check_limits() {
  if (free_ || !forces_watched_) return true;
  switch (system_.judge_limits(directed())) {
    case flow::Limits::sole:
      return true;
    case flow::Limits::undecided:
      note_undecided();
      return true;
    case flow::Limits::several:
      break;
  }
  return stop_at_several();
}

bool InstantRun::stop_at_several() {
  return stop(
      fmt::format("at t = {:.9g} the reactions leave several answers to Coulomb's law for {} "
                  "(Painlevé)",
                  t_, in_conflict({})));
}

void InstantRun::find_step_ends() {
  if (!started_ || !strikes_known_ || whens_follow_discretes()) find_strikes();
  const double from = step_ends_.begin(kink_finder_, motion_.parameters(), t_,
                                       std::max(t_, options_.duration), false);
  if (step_ends_.unknown_from()) doubt(flow::step_ends_doubt(*step_ends_.unknown_from()));
  t_ = std::max(t_, from);
}

bool InstantRun::begin() {
  for (std::size_t k = 0; k < clocks_.size(); ++k) {
    const double strikes = (options_.duration - t_) / periods_[k];
    if (strikes > static_cast<double>(options_.max_steps))
      return stop(fmt::format("event '{}' would strike {:.3g} times, and max_steps is {}",
                              motion_.model().events[clocks_[k]].name, strikes,
                              options_.max_steps));
  }
  if (turns_.count(t_, q(std::span(y_)), v(std::span(y_)))) bind_parameters();
  if (!evaluate_here()) return stop(fmt::format("at t = {:.9g}, {}", t_, system_.problem()));
  summary_.rank = system_.constraint_rank();
  update_sizes(system_.look(t_, q(), v(), {}));
  h_start_ = total_energy();
  potential_start_ = system_.observe()[1];
  if (!handle({})) return false;
  started_ = true;
  find_step_ends();
  return done_ || (restart() && give_samples(t_, true));
}

/// Whether the modes leave all to the forces that are given.
bool InstantRun::is_free() const {
  const flow::InstantKernels& k = system_.kernels();
  return k.constraints == 0 && !k.has_nonideal &&
         std::ranges::all_of(k.elements, [&](const TouchElement& element) {
           return element.is_contact() &&
                  !modes_[static_cast<std::size_t>(&element - k.elements.data())].closed();
         });
}

/// y' in the mode of the piece.
bool InstantRun::derivative(double t, std::span<const double> y, std::span<double> dydt) {
  if (free_) {
    if (!system_.evaluate_free(t, q(y), v(y))) {
      failure_ = system_.problem();
      return false;
    }
    std::ranges::copy(v(y), dydt.begin());
    std::ranges::copy(system_.acceleration(), dydt.begin() + static_cast<std::ptrdiff_t>(n_));
    std::ranges::fill(dydt.subspan(2 * n_), 0.0);
    dydt[2 * n_] = system_.applied_power();
    dydt[2 * n_ + 3] = system_.other_power();
    return true;
  }
  if (!system_.evaluate(t, q(y), v(y))) {
    failure_ = system_.problem();
    return false;
  }
  const Modes& modes = directed();
  if (!system_.solve(modes)) {
    failure_ = "the constraints, contacts and frictions that hold contradict each other";
    return false;
  }
  system_.split_forces(modes);
  std::ranges::copy(v(y), dydt.begin());
  std::ranges::copy(system_.acceleration(), dydt.begin() + static_cast<std::ptrdiff_t>(n_));
  const Eigen::Map<const Eigen::VectorXd> rate(v(y).data(), flow::index(n_));
  double* work = dydt.data() + 2 * n_;
  work[0] = system_.applied_power();
  work[1] = rate.dot(system_.ideal());
  work[2] = rate.dot(system_.nonideal());
  work[3] = system_.other_power();
  work[4] = -system_.friction_power(modes).dissipation;
  return true;
}

/// The modes of the piece with the directions in which what slides in two slides here: continued
/// straight through rest, so that steps over it are smooth. Where a step ends at rest nothing but
/// rounding is left of the velocity: the direction is then that at its start.
const InstantRun::Modes& InstantRun::directed() {
  here_ = modes_;
  slow_.clear();
  const auto rates = system_.row_rates();
  for (std::size_t i = 0; i < here_.size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    if (here_[i].hold != Hold::slide || element.slips < 2) continue;
    double size = 0, fastest = 0, along = 0;
    for (std::size_t c = 0; c < element.slips; ++c) {
      size = std::hypot(size, rates[element.slip + c]);
      fastest = std::max(fastest, rate_sizes_[element.slip + c]);
      along += rates[element.slip + c] * modes_[i].d[c];
    }
    if (is_slow(i, size)) {
      slow_.push_back(i);
      continue;
    }
    if (!(size > std::max(1e-14 * fastest, 1e-9 * slide_speeds_[i])) || !(size > 0)) continue;
    for (std::size_t c = 0; c < element.slips; ++c)
      here_[i].d[c] = (along < 0 ? -1 : 1) * rates[element.slip + c] / size;
  }
  if (!slow_.empty()) turn_slow(slow_);
  return here_;
}

/// At t_ and y_, where the rows have been evaluated.
void InstantRun::note_slide_speeds() {
  const auto rates = system_.row_rates();
  for (std::size_t i = 0; i < slide_speeds_.size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    if (element.slips < 2) continue;
    slide_speeds_[i] = 0;
    for (std::size_t c = 0; c < element.slips; ++c)
      slide_speeds_[i] = std::hypot(slide_speeds_[i], rates[element.slip + c]);
  }
}

bool InstantRun::project(double t, std::span<double> y, double* drift) {
  double positions = 0, velocities = 0;
  const bool both = options_.project == model::Project::both;
  if (both &&
      !system_.project_positions(t, q(y), v(std::span<const double>(y)), modes_, &positions))
    return false;
  if (options_.project != model::Project::none &&
      !system_.project_velocities(t, q(std::span<const double>(y)), v(y), modes_, &velocities))
    return false;
  if (drift != nullptr) *drift = std::max(positions, velocities);
  return true;
}

/// As SimulationCore::correction.
double InstantRun::correction(std::span<const double> start, std::span<const double> end,
                              std::span<const double> projected) const {
  const double q_size = largest_of(projected.first(n_));
  const double v_size = largest_of(projected.subspan(n_, n_));
  constexpr double rounding = 64 * epsilon;
  const Tolerance allowed_error = tolerance();
  double sum = 0;
  for (std::size_t i = 0; i < 2 * n_; ++i) {
    const double allowed = rounding * (i < n_ ? q_size : (1 + q_size) * v_size);
    const double scale = allowed_error.scale(i, start[i], end[i]) + allowed;
    const double change = scale > 0 ? (projected[i] - end[i]) / scale : 0;
    sum += change * change;
  }
  return std::sqrt(sum / static_cast<double>(2 * n_)) / correction_allowance;
}

/// A new piece from t_ and y_, with a fresh step.
bool InstantRun::restart() {
  const auto f = [this](double t, std::span<const double> y, std::span<double> dydt) {
    return derivative(t, y, dydt);
  };
  failure_.clear();
  free_ = is_free();
  std::ranges::fill(slide_speeds_, 0.0);
  if (!rk_->start(t_, y_, f))
    return stop(fmt::format("at t = {:.9g}, {}", t_,
                            failure_.empty() ? "the accelerations are not finite" : failure_));
  if (!free_) note_brakes();
  note_slide_speeds();
  const double energy =
      system_.kinetic_metric(Eigen::Map<const Eigen::VectorXd>(v().data(), flow::index(n_)));
  if (std::isfinite(energy)) summary_.energy_scale = std::max(summary_.energy_scale, energy);
  for (std::size_t i = 2 * n_; i < y_.size(); ++i) reference_[i] = std::max(reference_[i], energy);
  set_watches();
  if (!look(t_, y_, start_look_, start_slopes_)) return give_up();
  note_passed();
  // Which way an event leaves zero, as its slope tells.
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    Watch& watch = watches_[w];
    const double slope = start_slopes_[w];
    if (watch.kind != Watched::event || watch.sign != 0) continue;
    if (std::abs(start_look_[w]) > watch.uncertain) {
      watch.sign = start_look_[w] > 0 ? 1 : -1;
    } else if (std::isfinite(slope) && slope != 0) {
      watch.sign = slope > 0 ? 1 : -1;
    }
  }
  for (TouchMode& mode : modes_) mode.from_rest = false;
  if (t_ < options_.duration) h_ = rk_->initial_step(f, tolerance(), options_.duration - t_);
  controller_ = StepController({.max_step = options_.max_step});
  return true;
}

bool InstantRun::take_step() {
  const auto f = [this](double t, std::span<const double> y, std::span<double> dydt) {
    return derivative(t, y, dydt);
  };
  const flow::StepEnd& step_end = step_ends_.next(t_);
  double limit = std::min(options_.duration, step_end.before);
  std::vector<Root>& fired = roots_;
  bool strikes = false;
  for (std::size_t k = 0; k < clocks_.size(); ++k) {
    const double next = periods_[k] * static_cast<double>(strikes_[k] + 1);
    if (next <= limit) limit = next;
  }
  limit = std::min(limit, next_when_end());
  double h = std::min(h_, options_.max_step);
  h = std::min(h, turns_.empty() ? h : turns_.longest_step());
  const double left = limit - t_;
  if (h >= left) {
    h = left;
  } else if (h > left / 2) {
    h = left / 2;
  }
  if (left > 0 && (step_underflow(t_, h) && h < left)) return give_up();
  bool located = false;
  double stretch = h;
  fired.clear();
  if (h > 0) {
    failure_.clear();
    double error = rk_->attempt(f, h, tolerance());
    if (rk_->chooses_steps()) {
      if (!(error <= 1)) return give_up();
      const double reached = rk_->t_new() - t_;
      if (reached < left) stretch = h = reached;
    }
    double drift = 0;
    project_failed_ = false;
    if (error <= 1) {
      std::ranges::copy(rk_->y_new(), projected_.begin());
      if (!project(t_ + h, projected_, &drift)) {
        project_failed_ = true;
        error = HUGE_VAL;
      } else {
        error = std::max(error, correction(rk_->y(), rk_->y_new(), projected_));
      }
    }
    if (error <= 1 && !look(t_ + h, projected_, end_look_, end_slopes_)) error = HUGE_VAL;
    if (error <= 1 && !is_far(h)) {
      if (!rk_->prepare_dense(f) || !find_roots(h)) error = HUGE_VAL;
    }
    if (error <= 1 && straddles_ && h < left) {
      ++summary_.rejected;
      h_ = 0.7 * h;
      return true;
    }
    const StepController::Decision decision =
        rk_->chooses_steps() ? StepController::Decision{error <= 1, error <= 1 ? HUGE_VAL : h / 4}
                             : controller_.decide(h, error);
    if (!decision.accepted) {
      ++summary_.rejected;
      h_ = decision.h_next;
      return true;
    }
    // A step cut short by a limit says nothing against longer ones.
    h_ = std::max(decision.h_next, h < left ? 0 : h_);
    summary_.largest_drift = std::max(summary_.largest_drift, drift);
    const std::vector<Root> poles = take_poles();
    if (!fired.empty()) {
      located = true;
      bool again = false;
      if (!cut_at_root(h, stretch, again)) return false;
      if (again) return true;
    }
    pass_poles(poles, located ? fired.front().theta : 2, h);
  }
  ++summary_.steps;
  const double t_new = located ? t_ + stretch : (h >= left ? limit : t_ + h);
  if (located && stretch > 0) {
    std::ranges::copy(rk_->y_new(), projected_.begin());
    double drift = 0;
    if (!project(t_new, projected_, &drift)) return give_up();
  }
  if (located && stretch <= 0) std::ranges::copy(y_, projected_.begin());
  if (located) drop_unchanged(t_new);
  // Samples within the step, of its continuous output.
  if (next_sample_ < times_.count() && times_[next_sample_] < t_new) {
    if (!rk_->prepare_dense(f)) return give_up();
    const double length = t_new - t_;
    for (; next_sample_ < times_.count() && times_[next_sample_] < t_new; ++next_sample_) {
      const double at = times_[next_sample_];
      rk_->interpolate(std::clamp((at - t_) / length, 0.0, 1.0), sample_);
      if (!project(at, sample_, nullptr)) return give_up();
      if (!emit(at, sample_)) return false;
    }
  }
  y_ = projected_;
  t_ = t_new;
  for (std::size_t k = 0; k < clocks_.size(); ++k)
    strikes = strikes || periods_[k] * static_cast<double>(strikes_[k] + 1) <= t_;
  strikes = strikes_now() || strikes;
  if (progress_) progress_(t_);
  const bool turned = turns_.count(t_, q(), v());
  if (turned) {
    bind_parameters();
    const double recorded = recorded_;
    kink_ = false;
    behind_ = t_;
    begin_record({});
    end_record();
    recorded_ = recorded;
  }
  if (const auto broken = conditions_.broken(t_, q(), v()); broken)
    return stop(fmt::format("at t = {:.9g}, {}", t_, broken->message));
  const bool kink = !located && t_ == step_end.before && step_end.is_kink();
  kink_ = kink;
  behind_ = kink ? step_end.behind : t_;
  if (!fired.empty() || strikes) {
    const std::vector<Root> now = fired;
    if (!handle(now)) return false;
    if (kink) t_ = step_end.behind;
    if (done_) return true;
    return restart() && give_samples(t_, true);
  }
  if (kink) {  // forces may jump, and modes with them
    t_ = step_end.behind;
    if (!give_samples(t_, true)) return false;
    return handle({}) && (done_ || restart());
  }
  if (!give_samples(t_, true)) return false;
  for (std::size_t i = 0; i < modes_.size(); ++i) {  // directions of the next step
    const TouchElement& element = system_.elements()[i];
    if (modes_[i].hold != Hold::slide || element.slips < 2) continue;
    if (!system_.evaluate(t_, q(), v())) return give_up();
    modes_[i].d = directed()[i].d;
  }
  failure_.clear();
  if (!rk_->go_on(t_, y_, f)) return give_up();
  drop_departures();
  note_slide_speeds();
  const double energy = system_.kinetic();
  if (std::isfinite(energy)) summary_.energy_scale = std::max(summary_.energy_scale, energy);
  for (std::size_t i = 2 * n_; i < y_.size(); ++i) reference_[i] = std::max(reference_[i], energy);
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    Watch& watch = watches_[w];
    if (watch.sign == 0 && std::abs(end_look_[w]) > watch.uncertain)
      watch.sign = end_look_[w] > 0 ? 1 : -1;
    if (watch.kind == Watched::event && std::abs(end_look_[w]) > watch.uncertain)
      watch.sign = end_look_[w] > 0 ? 1 : -1;
    if (watch.kind == Watched::gap && end_look_[w] > watch.uncertain) gap_floors_[watch.index] = 0;
    if (watch.kind != Watched::event) continue;
    event_signs_[watch.when] = watch.sign;
    if (std::abs(end_look_[w]) > watch.uncertain) event_floors_[watch.when] = 0;
  }
  if (free_ && !turned) {  // as at the end of the step
    start_look_.swap(end_look_);
    start_slopes_.swap(end_slopes_);
  } else if (!look(t_, y_, start_look_, start_slopes_)) {
    return give_up();
  }
  note_passed();
  return check_limits();
}

/// Ends the step at the first of its roots, `stretch` behind its start, and leaves those that come
/// with it. `again`: a shorter step is to be tried first.
bool InstantRun::cut_at_root(double h, double& stretch, bool& again) {
  const Root first = roots_.front();
  const Watch& watch = watches_[first.watch];
  if (watch.kind == Watched::gap && first.from == 0)
    return stop(
        fmt::format("at t = {:.9g} the gap of {} comes to zero and turns back with a kink, without "
                    "becoming negative: it does not tell one side of the surface from the other",
                    t_ + first.theta * h, name_of(watch)));
  lost_ = false;
  if (!locate(first, h, stretch)) return give_up();
  if (lost_ || turns_too_fast(watch, stretch)) {
    ++summary_.rejected;
    h_ = lost_ ? h / 2 : stretch / 2;
    again = true;
    return true;
  }
  if (first.went && stretch == 0 && watch.kind == Watched::event)
    return stop(
        fmt::format("at t = {:.9g} {} recurs faster than time can resolve: nothing "
                    "brings it to an end",
                    t_, name_of(watch)));
  std::erase_if(roots_, [&](const Root& root) {
    return (root.theta - first.theta) * h > 1e-11 * h + 8 * epsilon * std::abs(t_);
  });
  return true;
}

bool InstantRun::give_samples(double until, bool including) {
  for (; next_sample_ < times_.count() &&
         (times_[next_sample_] < until || (including && times_[next_sample_] == until));
       ++next_sample_) {
    if (!emit(times_[next_sample_], y_)) return false;
  }
  return true;
}

bool InstantRun::emit(double t, std::span<const double> y) {
  if (!system_.evaluate(t, q(y), v(y)))
    return stop(fmt::format("at t = {:.9g}, {}", t, system_.problem()));
  const Modes& modes = directed();
  if (!system_.solve(modes))
    return stop(fmt::format("at t = {:.9g} the accelerations have no solution", t));
  system_.split_forces(modes);
  system_.set_reactions(system_.solution().p);
  note_touches(modes);
  const double* work = y.data() + 2 * n_;
  system_.set_works(work[4], impact_work_);
  const auto observed = system_.observe();
  if (!system_.measure(t, q(y), v(y)))
    return stop(fmt::format("at t = {:.9g}, {}", t, system_.problem()));
  const double kinetic = observed[0], potential = observed[1], h = observed[2];
  const double done = work[0] + work[1] + work[2] + work[3] + impact_work_ + set_work_;
  const double balance = h - h_start_ - done;
  if (!std::isfinite(balance) || !std::isfinite(kinetic) || !std::isfinite(potential))
    return stop(fmt::format("at t = {:.9g} the energy is not finite", t));
  for (std::size_t i = 3; i < observed.size(); ++i) {
    if (std::isfinite(observed[i]) || output_noted_[i - 3]) continue;
    output_noted_[i - 3] = true;
    summary_.not_finite.push_back({motion_.outputs()[i - 3].name, t});
  }
  const std::size_t m = system_.kernels().constraints;
  for (std::size_t j = 0; j < m; ++j) {
    const auto& row = system_.kernels().equations.constraints[j];
    if (row.level == model::Level::position)
      summary_.largest_residual =
          std::max(summary_.largest_residual,
                   std::abs(system_.residuals()[j]) / std::max(system_.size_of_gap(j), 1e-300));
  }
  summary_.balance_error = std::max(summary_.balance_error, std::abs(balance));
  double uncertain =
      64 * epsilon * std::max({std::abs(potential), std::abs(potential_start_), kinetic});
  for (std::size_t i = 0; i < n_; ++i)
    uncertain +=
        (std::abs(system_.Q()[flow::index(i)]) + std::abs(system_.ideal()[flow::index(i)])) *
        (options_.atol + options_.rtol * std::abs(y[i]));
  for (const double size : {kinetic, potential - potential_start_, work[0], work[1], work[2],
                            work[3], impact_work_, 1000 * uncertain}) {
    if (std::isfinite(size))
      summary_.energy_scale = std::max(summary_.energy_scale, std::abs(size));
  }
  summary_.work_applied = work[0];
  summary_.work_ideal = work[1];
  summary_.work_nonideal = work[2];
  summary_.work_other = work[3] + set_work_;
  ++summary_.samples;
  const auto size = static_cast<std::size_t>(n_);
  const Sample sample{t,
                      q(y),
                      v(y),
                      {system_.acceleration().data(), size},
                      {system_.ideal().data(), size},
                      {system_.nonideal().data(), size},
                      system_.residuals().first(m),
                      system_.rates().first(m),
                      kinetic,
                      potential,
                      work[0],
                      work[1],
                      work[2],
                      work[3] + set_work_,
                      observed.subspan(3),
                      {},
                      nullptr,
                      touches_};
  return observer_(sample) || stop(fmt::format("stopped at t = {:.9g}", t));
}

/// After solve.
void InstantRun::note_touches(const Modes& modes) {
  const flow::RowSolution& solution = system_.solution();
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    TouchSample& touch = touches_[i] = {};
    touch.hold = modes[i].hold;
    touch.unique = solution.unique;
    if (element.is_contact() && !modes[i].closed()) continue;
    const flow::TouchLaw& law = solution.laws[i];
    if (element.is_contact()) touch.normal = solution.p[flow::index(element.gap)];
    for (std::size_t k = 0; k < element.slips; ++k)
      touch.along[k] = solution.p[flow::index(element.slip + k)];
    touch.limit = (touch.hold == Hold::stick ? law.sticking : law.sliding) *
                  (element.is_contact() ? touch.normal : 1);
  }
}

double InstantRun::find_energy_change() {
  if (!system_.evaluate(t_, q(), v()) || !system_.solve(directed()))
    return std::numeric_limits<double>::quiet_NaN();
  system_.split_forces(directed());
  system_.set_reactions(system_.solution().p);
  return system_.observe()[2] - h_start_;
}

bool InstantRun::give_up() {
  if (!summary_.reason.empty()) return false;
  if (!failure_.empty())
    return stop(fmt::format("the motion cannot be continued beyond t = {:.9g}: {}", t_, failure_));
  if (project_failed_)
    return stop(
        fmt::format("the motion cannot be continued beyond t = {:.9g}: the state cannot be "
                    "brought back onto the constraints however short the step",
                    t_));
  return stop(
      fmt::format("the motion cannot be continued beyond t = {:.9g}: the step size has "
                  "shrunk to zero, as it does at a singularity, at a jump or kink, or when "
                  "the tolerances are below rounding",
                  t_));
}

}  // namespace dalembert::motion
