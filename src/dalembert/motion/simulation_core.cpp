#include "dalembert/motion/simulation_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/solve/names.hpp"

namespace dalembert::motion {

namespace {

constexpr double close_to_dependent = 1e-4;  // singular value of normalised rows
constexpr double most_uncertain = 1e3;       // energies, of what the tolerances make of them
constexpr double most_disagreement = 1e-3;   // of a formulation with the fundamental equation

}  // namespace

SimulationCore::SimulationCore(const Motion& motion, const State& start,
                               const SimulationOptions& options, const Observer& observer,
                               const Progress& progress)
    : motion_(motion),
      options_(options),
      times_{options_},
      observer_(observer),
      progress_(progress),
      n_(motion.coordinates()),
      work_(2 * n_ + start.mu.size()),
      evaluator_(motion),
      projector_(motion),
      gimbals_(motion),
      conditions_(motion),
      turns_(motion),
      law_(motion),
      pulses_(n_, work_ + work_components),
      slid_(motion.equations().frictions.size(), false),
      y_(work_ + work_components, 0.0),
      dydt_(y_.size()),
      sample_(y_.size()),
      stage_(y_.size()),
      absolute_(y_.size(), options.atol),
      reference_(y_.size(), 0.0),
      least_(absolute_),
      t_(start.t),
      pace_(start.t) {
  std::copy(start.q.begin(), start.q.end(), y_.begin());
  std::copy(start.v.begin(), start.v.end(), y_.begin() + static_cast<std::ptrdiff_t>(n_));
  std::copy(start.mu.begin(), start.mu.end(), y_.begin() + static_cast<std::ptrdiff_t>(2 * n_));
  summary_.rank_changes.reserve(most_rank_changes);
  summary_.passages.reserve(most_rank_changes);
  // What cannot be known is told as such, not as a surprise.
  std::unordered_set<std::string_view> unknown;
  for (const auto& reaction : motion.model().unknown_reactions) unknown.insert(reaction.name);
  for (const model::Named& output : motion.outputs())
    output_noted_.push_back(unknown.contains(output.name));
}

Summary SimulationCore::finish(double seconds) {
  summary_.t = summary_.complete ? std::min(t_, options_.duration) : t_;
  summary_.evaluations = evaluations_;
  summary_.gimbal = gimbals_.closest();
  summary_.seconds = seconds;
  if (law_state_)
    summary_.doubts.push_back(
        law_doubt(motion_, *law_state_, fmt::format("at t = {:.4g}", law_state_->t)));
  if (std::string doubt = pulses_.doubt(); options_.doubts && !doubt.empty())
    summary_.doubts.push_back(std::move(doubt));
  std::vector<std::string> still;
  for (std::size_t j = 0; j < slid_.size(); ++j) {
    if (!slid_[j]) still.push_back(motion_.equations().frictions[j].joint);
  }
  if (options_.doubts && !still.empty())
    summary_.doubts.push_back(fmt::format(
        "friction at rest: joint{} never slide{}; dry friction then has no direction, and none "
        "acted",
        still.size() == 1 ? fmt::format(" {}", quoted_list(still))
                          : fmt::format("s {}", quoted_list(still)),
        still.size() == 1 ? "s" : ""));
  return std::move(summary_);
}

double SimulationCore::find_energy_change(double t, std::span<const double> y) {
  if (evaluator_.decide(t, q(y), v(y), mu(y)) != Status::ok)
    return std::numeric_limits<double>::quiet_NaN();
  evaluator_.observe();
  return evaluator_.h() - h_start_;
}

bool SimulationCore::sampled(double t_new) const {
  return next_sample_ < times_.count() && times_[next_sample_] <= t_new;
}

/// y' at the state last solved by the evaluator.
void SimulationCore::write_derivative(std::span<const double> y, std::span<double> dydt) const {
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_), n_, dydt.begin());
  const Eigen::VectorXd& qdd = evaluator_.acceleration();
  std::copy(qdd.begin(), qdd.end(), dydt.begin() + static_cast<std::ptrdiff_t>(n_));
  const std::span<double> mu_rate = mu(dydt);
  std::copy_n(evaluator_.mu_rate().begin(), mu_rate.size(), mu_rate.begin());
  dydt[work_] = evaluator_.applied_power();
  dydt[work_ + 1] = evaluator_.ideal_power();
  dydt[work_ + 2] = evaluator_.nonideal_power();
  dydt[work_ + 3] = evaluator_.other_power();
}

bool SimulationCore::derivative(double t, std::span<const double> y, std::span<double> dydt) {
  ++evaluations_;
  if (evaluator_.evaluate(t, q(y), v(y), mu(y)) != Status::ok) {
    if (failure_.empty()) failure_ = failure_at(t, y);
    return false;
  }
  write_derivative(y, dydt);
  return true;
}

bool SimulationCore::projected_derivative(double t, std::span<const double> y,
                                          std::span<double> dydt) {
  std::copy(y.begin(), y.end(), stage_.begin());
  return bring_onto_constraints(t, stage_, nullptr) && derivative(t, stage_, dydt);
}

/// The default atol suits quantities of ordinary size. For those below `small` it is as small a
/// part of their size as it is of one; an atol that someone chose stands.
void SimulationCore::set_tolerances() {
  if (options_.atol != SimulationOptions{}.atol) return;
  const TypicalSizes sizes = evaluator_.calc_typical_sizes(options_.duration);
  const auto part_of = [&](double size) { return options_.atol * std::min(size, 1.0); };
  bool any = false;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!(sizes.q[i] < small_size)) continue;
    any = true;
    least_[i] = part_of(sizes.q[i]);
    least_[n_ + i] = part_of(sizes.v[i]);
  }
  for (std::size_t i = work_; any && i < y_.size(); ++i) least_[i] = part_of(sizes.energy);
  absolute_ = least_;
}

/// Where constraints are nearly dependent all along, their common direction carries eps / sigma of
/// the accelerations, sigma the smallest singular value. Projection removes it again.
double SimulationCore::clearance() const {
  const bool fundamental = is_fundamental(motion_.method()) && !evaluator_.solution().is_sparse();
  return fundamental ? evaluator_.solution().smallest_singular_value() : 1;
}

void SimulationCore::allow_rounding(double s) {
  const double sigma = s == none ? clearance() : s;
  const bool allow = s != none || sigma < close_to_dependent;
  if (!allow && !rounding_allowed_) return;
  rounding_allowed_ = allow;
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  double q_size = 0, v_size = 0, a_size = 0;
  for (const double x : q(y_)) q_size = std::max(q_size, std::abs(x));
  for (const double x : v(y_)) v_size = std::max(v_size, std::abs(x));
  for (const double x : v(dydt_)) a_size = std::max(a_size, std::abs(x));
  if (s == none) v_size = std::max(v_size, std::sqrt(a_size * q_size));
  const double further = s == none ? 1 : s;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double size = i < n_ ? q_size : (i < work_ ? v_size : reference_[i]) / further;
    absolute_[i] = least_[i] + (allow ? rounding * size / sigma : 0);
  }
}

bool SimulationCore::begin() {
  if (!decide()) return false;
  set_tolerances();
  sample_ = y_;
  if (!solve_sample(t_, false)) return false;
  evaluator_.observe();
  h_start_ = evaluator_.h();
  potential_start_ = evaluator_.potential();
  start_known_ = true;
  return true;
}

bool SimulationCore::give_start() {
  for (; sampled(t_); ++next_sample_) {
    if (!emit(t_, false)) return false;
  }
  return true;
}

bool SimulationCore::record(std::span<const double> y, const LaneSample& sample) {
  std::ranges::copy(y, sample_.begin());
  ++next_sample_;
  return solve_sample(sample.t, false) && emit(sample.t, false, &sample);
}

bool SimulationCore::end_step(double behind, double drift) {
  ++summary_.steps;
  note_drift(drift);
  return go_on_from(behind);
}

bool SimulationCore::go_on_from(double t) {
  t_ = t;
  if (!decide()) return false;
  if (progress_) progress_(t_);
  return true;
}

bool SimulationCore::find_step_ends() {
  StepEndFinder finder(motion_.time_kinks());
  const double from =
      step_ends_.begin(finder, motion_.parameters(), t_, std::max(t_, options_.duration),
                       options_.integrator == Integrator::bdf);
  note_unknown_kinks(step_ends_);
  if (!(from > t_)) return true;
  t_ = from;
  return decide();
}

void SimulationCore::note_unknown_kinks(const StepEndCursor& step_ends) {
  if (!options_.doubts || !step_ends.unknown_from() || kinks_noted_) return;
  kinks_noted_ = true;
  summary_.doubts.push_back(step_ends_doubt(*step_ends.unknown_from()));
}

bool SimulationCore::begin_from(double t, std::span<const double> y) {
  t_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  return decide();
}

bool SimulationCore::take_over(const LanePlace& place) {
  set_works(works(y_));
  t_ = place.state.t;
  std::ranges::copy(place.state.q, q(y_).begin());
  std::ranges::copy(place.state.v, v(y_).begin());
  next_sample_ = place.samples;
  summary_.steps = place.steps;
  summary_.rejected = place.rejected;
  pace_ = place.pace;
  absolute_ = least_;
  rounding_allowed_ = false;
  std::ranges::fill(reference_, 0.0);
  return decide();
}

void SimulationCore::hand_back(LanePlace& place) const {
  place.state.t = t_;
  std::ranges::copy(q(y_), place.state.q.begin());
  std::ranges::copy(v(y_), place.state.v.begin());
  place.samples = next_sample_;
  place.steps = summary_.steps;
  place.rejected = summary_.rejected;
  place.pace = pace_;
}

std::array<double, SimulationCore::work_components> SimulationCore::works(
    std::span<const double> y) const {
  std::array<double, work_components> all{};
  for (std::size_t c = 0; c < work_components; ++c) all[c] = work_aside_[c] + y[work_ + c];
  return all;
}

void SimulationCore::set_works(std::span<const double> works) {
  std::ranges::copy(works, work_aside_.begin());
  std::fill(y_.begin() + static_cast<std::ptrdiff_t>(work_), y_.end(), 0.0);
}

bool SimulationCore::may_go_on() {
  if (interrupted(t_)) return false;
  const long attempts = summary_.steps + summary_.rejected;
  if (!pace_.due(attempts)) return true;
  const LaneLimit limit = pace_.look(attempts, t_, options_);
  return limit.kind == LaneLimit::Kind::none || fail_at(limit);
}

bool SimulationCore::fail_at(const LaneLimit& limit) {
  return fail(to_string(limit, options_) + stiffness_hint());
}

/// Projects and solves for the sample in `sample_`. False ends the motion.
bool SimulationCore::solve_sample(double t, bool project) {
  if (project && !bring_onto_constraints(t, sample_, nullptr)) {
    return fail(fmt::format(
        "the sample at t = {:.9g} cannot be brought onto the constraints: the tolerances are too "
        "loose for this motion",
        t));
  }
  if (evaluator_.evaluate(t, q(sample_), v(sample_), mu(sample_)) != Status::ok)
    return fail(failure_at(t, sample_));
  ++evaluations_;
  return true;
}

/// The sample in `sample_`, at which the evaluator stands, to the observer. False ends the motion.
bool SimulationCore::emit(double t, bool known, const LaneSample* tape) {
  if (interrupted(t)) return false;
  evaluator_.observe();
  if (tape != nullptr)
    evaluator_.take(tape->qdd, tape->ideal, tape->nonideal, tape->kinetic, tape->potential, tape->h,
                    tape->outputs);
  gimbals_.look(t, q(sample_), v(sample_));
  projector_.measure(t, q(sample_), v(sample_));
  if (!known)
    note_residual(std::max(projector_.largest_scaled_residual(), projector_.largest_scaled_rate()));

  const std::array<double, work_components> work = works(sample_);
  const double kinetic = evaluator_.kinetic();
  const double potential = evaluator_.potential();
  if (!start_known_) {  // a start in a singular configuration: the first sample serves
    h_start_ = evaluator_.h() - (work[0] + work[1] + work[2] + work[3]);
    potential_start_ = potential;
    start_known_ = true;
  }
  const double balance = evaluator_.h() - h_start_ - (work[0] + work[1] + work[2] + work[3]);
  if (!std::isfinite(balance) || !std::isfinite(kinetic) || !std::isfinite(potential)) {
    const State state{
        t, {q(sample_).begin(), q(sample_).end()}, {v(sample_).begin(), v(sample_).end()}};
    return stop(explain_not_finite(motion_, state, fmt::format("at t = {:.9g}", t)).message);
  }
  note_outputs(t);
  if (options_.doubts && !known) note_law(t);
  summary_.balance_error = std::max(summary_.balance_error, std::abs(balance));
  note_energies(kinetic, potential, work.data());
  summary_.work_applied = work[0];
  summary_.work_ideal = work[1];
  summary_.work_nonideal = work[2];
  summary_.work_other = work[3];
  ++summary_.samples;

  const Sample sample{t,
                      q(sample_),
                      v(sample_),
                      {evaluator_.acceleration().data(), n_},
                      {evaluator_.ideal().data(), n_},
                      {evaluator_.nonideal().data(), n_},
                      projector_.residuals(),
                      projector_.rates(),
                      kinetic,
                      potential,
                      work[0],
                      work[1],
                      work[2],
                      work[3],
                      evaluator_.outputs(),
                      mu(sample_)};
  return observer_(sample) || stop(fmt::format("stopped at t = {:.9g}", t));
}

bool SimulationCore::interrupted(double t) {
  if (options_.stop == nullptr || !options_.stop->load(std::memory_order_relaxed)) return false;
  stop(fmt::format("interrupted at t = {:.9g}", t));
  return true;
}

/// Remembers when an output of the model was first not finite.
void SimulationCore::note_outputs(double t) {
  const std::span<const double> outputs = evaluator_.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (std::isfinite(outputs[i]) || output_noted_[i]) continue;
    output_noted_[i] = true;
    summary_.not_finite.push_back({motion_.outputs()[i].name, t});
  }
}

/// Remembers where the law of [virtual_work] is off most.
void SimulationCore::note_law(double t) {
  const auto error = law_.look(evaluator_);
  if (!error || !(error->relative > law_error_)) return;
  law_error_ = error->relative;
  if (!law_state_) law_state_.emplace();
  law_state_->t = t;  // into the memory of the last one
  law_state_->q.assign(q(sample_).begin(), q(sample_).end());
  law_state_->v.assign(v(sample_).begin(), v(sample_).end());
  law_state_->mu.assign(mu(sample_).begin(), mu(sample_).end());
}

/// Remembers which joints have slid; those whose friction does not jump at rest count as if.
void SimulationCore::note_sliding() {
  if (evaluator_.friction() == nullptr) return;
  const double* slides = evaluator_.friction()->slides().data();
  for (std::size_t j = 0; j < slid_.size(); ++j) {
    const std::size_t count = motion_.equations().frictions[j].sliding.size();
    if (count == 0 || std::any_of(slides, slides + count, [](double x) { return x != 0; }))
      slid_[j] = true;
    slides += count;
  }
}

/// What the balance is measured by. With forces F in play positions that are known to
/// atol + rtol |q| make energies uncertain by the sum of |F_i| times that, and rounding those that
/// are large.
void SimulationCore::note_energies(double kinetic, double potential, const double* work) {
  double uncertain = 64 * std::numeric_limits<double>::epsilon() *
                     std::max({std::abs(potential), std::abs(potential_start_), kinetic});
  for (std::size_t i = 0; i < n_; ++i) {
    const double force =
        evaluator_.Q_scale()[i] + std::abs(evaluator_.ideal()[static_cast<Eigen::Index>(i)]);
    uncertain += force * (options_.atol + options_.rtol * std::abs(sample_[i]));
  }
  for (const double size : {kinetic, potential - potential_start_, work[0], work[1], work[2],
                            work[3], most_uncertain * uncertain}) {
    if (std::isfinite(size))
      summary_.energy_scale = std::max(summary_.energy_scale, std::abs(size));
  }
}

bool SimulationCore::stop(std::string reason) {
  summary_.reason = std::move(reason);
  return false;
}

bool SimulationCore::fail(const std::string& reason) {
  return stop(reason + gimbal_hint(gimbals_.here()));
}

void SimulationCore::note_residual(double scaled) {
  summary_.largest_residual = std::max(summary_.largest_residual, scaled);
}

void SimulationCore::note_drift(double drift) {
  summary_.largest_drift = std::max(summary_.largest_drift, drift);
}

void SimulationCore::note_stiffness(double t) {
  if (!summary_.stiff) summary_.stiff = Stiffness{t, 0};
  ++summary_.stiff->steps;
}

void SimulationCore::note_passage(double t, int rank_there) {
  ++summary_.passage_count;
  if (summary_.passages.size() < most_rank_changes)
    summary_.passages.push_back({t, summary_.rank, rank_there});
}

/// What a motion found stiff ends its apologies with.
std::string SimulationCore::stiffness_hint() const {
  if (!summary_.stiff) return "";
  return fmt::format(
      "; the system has been stiff since t = {:.6g}, for which there is integrator = \"bdf\"",
      summary_.stiff->t);
}

bool SimulationCore::bring_onto_constraints(double t, std::span<double> y, double* drift) {
  Projection positions;
  if (options_.project == model::Project::both) positions = projector_.positions(t, q(y), v(y));
  if (!positions.converged) return false;
  Projection velocities;
  if (options_.project != model::Project::none) velocities = projector_.velocities(t, q(y), v(y));
  if (drift != nullptr) *drift = std::max(positions.before, velocities.before);
  if (velocities.converged || options_.project != model::Project::velocity)
    return velocities.converged;
  projector_.measure(t, q(y), v(y));
  return velocities.after <= rate_left_by_drift * projector_.largest_scaled_residual();
}

double SimulationCore::correction(std::span<const double> start, std::span<const double> end,
                                  std::span<const double> projected) const {
  // What rounding makes of a state of large numbers, and of velocities through it, is not counted.
  double q_size = 0, v_size = 0;
  for (const double x : q(projected)) q_size = std::max(q_size, std::abs(x));
  for (const double x : v(projected)) v_size = std::max(v_size, std::abs(x));
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  const Tolerance allowed_error = tolerance();
  double sum = 0;
  for (std::size_t i = 0; i < 2 * n_; ++i) {
    const double allowed = rounding * (i < n_ ? q_size : (1 + q_size) * v_size);
    const double change =
        (projected[i] - end[i]) / (allowed_error.scale(i, start[i], end[i]) + allowed);
    sum += change * change;
  }
  return std::sqrt(sum / static_cast<double>(2 * n_)) / correction_allowance;
}

/// Decides rank and independent rows at the projected state y_, evaluates there, and starts the
/// next step.
bool SimulationCore::decide() {
  count_turns();
  const Status status = evaluator_.decide(t_, q(y_), v(y_), mu(y_));
  ++evaluations_;
  gimbals_.look(t_, q(y_), v(y_));
  if (status != Status::ok) return fail(failure_at(t_, y_));
  // A leap over a singular configuration may lead beyond the end, where nothing is promised.
  if (const auto broken = conditions_.broken(t_, q(y_), v(y_)); broken && t_ <= options_.duration)
    return stop(fmt::format("at t = {:.9g}, {}", t_, broken->message));
  note_switch();
  note_sliding();
  if (evaluator_.friction() != nullptr && !evaluator_.friction()->assured() &&
      !summary_.friction_not_assured) {
    summary_.friction_not_assured = t_;
  }
  if (evaluator_.disagreement() > most_disagreement) {
    return fail(fmt::format(
        "at t = {:.9g}, where the rank is {} of {}, {} and the fundamental equation "
        "differ by {:.2g} "
        "of the acceleration: the state has drifted off the constraints too far, or is a "
        "singular configuration of theirs",
        t_, evaluator_.solution().rank(), motion_.constraints(), to_string(motion_.method()),
        evaluator_.disagreement()));
  }
  const EntrySolver& f = evaluator_.solution();
  if (motion_.method() != Method::weighted && evaluator_.contradictory()) {
    return fail(fmt::format("at t = {:.9g}, where the rank is {} of {}, {}", t_, f.rank(),
                            motion_.constraints(), evaluator_.explain_contradiction()));
  }
  rank_changed_ = f.rank() != summary_.rank && summary_.steps > 0;
  if (rank_changed_) {
    ++summary_.rank_change_count;
    if (summary_.rank_changes.size() < most_rank_changes) {
      summary_.rank_changes.push_back({t_, summary_.rank, f.rank()});
    }
  }
  summary_.rank = f.rank();
  projector_.set_row_uncertainty(evaluator_.row_uncertainty());
  if (options_.project != model::Project::none &&
      projector_.decide(t_, q(y_), v(y_)) != Status::ok) {
    return fail(fmt::format(
        "at t = {:.9g} the state cannot be projected: the mass matrix is not a metric there", t_));
  }
  write_derivative(y_, dydt_);
  // Work is judged against the energy in play, not against itself, which may be nothing but
  // round-off. The balance too: all samples may stand where the motion turns.
  const double energy = evaluator_.kinetic_metric();
  if (std::isfinite(energy)) summary_.energy_scale = std::max(summary_.energy_scale, energy);
  for (std::size_t i = work_; i < y_.size(); ++i) reference_[i] = std::max(reference_[i], energy);
  return true;
}

bool SimulationCore::loses_turns(double t_new) {
  return turns_.is_too_far(t_new, q(y_), v(y_));
}

/// At y_, before anything is evaluated there.
void SimulationCore::count_turns() {
  rebound_ = turns_.count(t_, q(y_), v(y_));
  if (!rebound_) return;
  motion_ = motion_.with_parameters(turns_.parameters());
  evaluator_.bind(motion_);
  projector_.bind(motion_);
  conditions_.bind(motion_);
}

void SimulationCore::note_switch() {
  const Switch* change = evaluator_.switched();
  if (change == nullptr || change->from == change->to) return;
  ++summary_.switch_count;
  if (summary_.switches.size() < most_rank_changes) summary_.switches.push_back(*change);
}

std::string SimulationCore::failure_at(double t, std::span<const double> y) const {
  const Status status = evaluator_.status();
  if (status == Status::mass_not_finite || status == Status::constraints_not_finite ||
      status == Status::force_not_finite) {
    const State state{t, {q(y).begin(), q(y).end()}, {v(y).begin(), v(y).end()}};
    return explain_not_finite(motion_, state, fmt::format("at t = {:.9g}", t)).message;
  }
  return fmt::format("at t = {:.9g}: {}", t, evaluator_.explain_failure());
}

/// The constraints that the state last tried to reach cannot satisfy, for a sentence.
std::string SimulationCore::obstacles() {
  projector_.measure(t_, q(y_), v(y_));
  std::vector<std::string> names;
  for (const std::size_t j : projector_.obstacle_to_positions().constraints) {
    names.push_back(motion_.model().constraints[j].name);
  }
  return names.empty() ? "the constraints" : "constraint " + quoted_list(names);
}

void SimulationCore::give_up(bool projected) {
  if (!failure_.empty()) {
    fail(fmt::format("the motion cannot be continued beyond t = {:.9g}: {}", t_, failure_));
  } else if (!projected) {
    fail(
        fmt::format("the motion cannot be continued beyond t = {:.9g}: the state cannot be "
                    "brought back onto {} "
                    "however short the step (rank {} of {})",
                    t_, obstacles(), summary_.rank, motion_.constraints()));
  } else {
    fail(
        fmt::format("the motion cannot be continued beyond t = {:.9g}: the step size has shrunk "
                    "to zero, as it does at a singularity, at a jump or kink, or when the "
                    "tolerances are below "
                    "rounding{}",
                    t_, stiffness_hint()));
  }
}

void SimulationCore::give_up_at_start(int rank_there) {
  fail(
      fmt::format("the motion starts in a singular configuration, where the constraints on "
                  "positions have rank {}, lower than nearby, and no branch could be followed from "
                  "there: start a little to the side",
                  rank_there));
}

void SimulationCore::give_up_at_singular(double s) {
  fail(
      fmt::format("the motion cannot be continued beyond t = {:.9g}: the constraints on positions "
                  "come within {:.1g} of becoming dependent there (rank {} of {}) and do not pass: "
                  "rounding alone would choose the branch on which the motion goes on",
                  t_, s, summary_.rank, motion_.constraints()));
}

}  // namespace dalembert::motion
