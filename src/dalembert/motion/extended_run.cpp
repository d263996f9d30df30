#include "dalembert/motion/extended_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/codegen/extended.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/state/conditions.hpp"
#include "dalembert/flow/tapes/extended_flow.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/limits.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

namespace {

using codegen::Extended;
using codegen::extended_epsilon;
using codegen::ExtendedSeries;
using codegen::ExtendedTape;
using Numbers = std::vector<Extended>;

constexpr double extended_share = 16;  // of the last terms in what is allowed
constexpr double extended_exactness = 1e-16;
constexpr int most_halvings = 60;
constexpr int most_newton_steps = 20;
// As flow/projection.hpp has them for doubles, in epsilon.
constexpr Extended projected = 4500 * extended_epsilon;
constexpr Extended well_projected = 45 * extended_epsilon;
constexpr Extended extended_rounding = 64 * extended_epsilon;
constexpr double uncertain_energies = 1e3;  // of what the tolerances make of them

double extended_share_of(double rtol) {
  return extended_share * std::max(1.0, extended_exactness / rtol);
}

Extended largest_size(std::span<const Extended> x) {
  Extended largest = 0;
  for (const Extended value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

/// What the observer sees of a row: the numbers themselves, and the doubles nearest to them.
class ExtendedRow {
 public:
  explicit ExtendedRow(const Motion& motion)
      : n_(motion.coordinates()),
        m_(motion.constraints()),
        outputs_(motion.outputs().size()),
        numbers_(5 * n_ + 2 * m_ + outputs_),
        doubles_(numbers_.size()) {}

  const Sample& fill(Extended t, const Numbers& y, const ExtendedTape& sample,
                     const ExtendedTape& constraints) {
    std::copy_n(y.begin(), 2 * n_, numbers_.begin());
    std::size_t at = 2 * n_;
    for (std::size_t i = n_; i < 4 * n_; ++i) numbers_[at++] = sample[i];
    for (std::size_t j = 0; j < 2 * m_; ++j) numbers_[at++] = constraints[j];
    for (std::size_t i = 0; i < outputs_; ++i) numbers_[at++] = sample[4 * n_ + 3 + i];
    std::ranges::transform(numbers_, doubles_.begin(),
                           [](Extended x) { return static_cast<double>(x); });
    const Extended* work = y.data() + 2 * n_;
    write(extended_, numbers_, t, sample[4 * n_], sample[4 * n_ + 1], work);
    write(sample_, doubles_, t, sample[4 * n_], sample[4 * n_ + 1], work);
    sample_.extended = &extended_;
    return sample_;
  }

 private:
  template <class AnySample, class Number>
  void write(AnySample& to, const std::vector<Number>& from, Extended t, Extended kinetic,
             Extended potential, const Extended* work) const {
    std::span<const Number> rest(from);
    const auto take = [&](std::span<const Number>& part, std::size_t count) {
      part = rest.first(count);
      rest = rest.subspan(count);
    };
    for (auto* part : {&to.q, &to.v, &to.qdd, &to.ideal, &to.nonideal}) take(*part, n_);
    for (auto* part : {&to.residuals, &to.rates}) take(*part, m_);
    take(to.outputs, outputs_);
    to.t = static_cast<Number>(t);
    to.kinetic = static_cast<Number>(kinetic);
    to.potential = static_cast<Number>(potential);
    to.work_applied = static_cast<Number>(work[0]);
    to.work_ideal = static_cast<Number>(work[1]);
    to.work_nonideal = static_cast<Number>(work[2]);
    to.work_other = static_cast<Number>(work[3]);
  }

  std::size_t n_, m_, outputs_;
  Numbers numbers_;
  std::vector<double> doubles_;
  ExtendedSample extended_{};
  Sample sample_{};
};

class ExtendedRun {
 public:
  ExtendedRun(const Motion& motion, const State& start, const SimulationOptions& options,
              const Observer& observer, const Progress& progress, ExtendedFlow flow,
              const ExactStart& exact)
      : motion_(motion),
        options_(options),
        times_{options_},
        observer_(observer),
        progress_(progress),
        n_(motion.coordinates()),
        size_(flow.flow.size),
        p_(extended_order(options.rtol)),
        series_(codegen::make_series(flow.flow.derivative, 0, true), exact.parameters, p_),
        derivative_(std::move(flow.flow.derivative), exact.parameters),
        positions_(std::move(flow.flow.positions), exact.parameters),
        velocities_(std::move(flow.flow.velocities), exact.parameters),
        sample_(std::move(flow.flow.sample), exact.parameters),
        constraints_(std::move(flow.constraints), exact.parameters),
        row_(motion),
        gimbals_(motion),
        conditions_(motion),
        t_(start.t),
        y_(exact.q),
        absolute_(size_, atol_of(options)),
        scale_(size_),
        lost_(size_),
        lost_new_(size_),
        y_end_(size_),
        y_new_(size_),
        slope_(size_),
        y_sample_(size_),
        best_(n_),
        pace_(start.t) {
    y_.insert(y_.end(), exact.v.begin(), exact.v.end());
    y_.resize(size_, 0);
    for (const std::string& name : exact.rounded)
      summary_.doubts.push_back(
          fmt::format("precision: {} could not be enclosed and is known only as a double", name));
    // What cannot be known is told as such, not as a surprise.
    for (const model::Named& output : motion.outputs()) {
      output_noted_.push_back(
          std::ranges::any_of(motion.model().unknown_reactions,
                              [&](const auto& reaction) { return reaction.name == output.name; }));
    }
  }

  Summary run(const State& start) {
    if (begin(start)) {
      const auto end = static_cast<Extended>(options_.duration);
      bool going = true;
      while (going && t_ < end) going = may_go_on() && advance();
      summary_.complete = going;
    }
    summary_.t = static_cast<double>(t_);
    summary_.gimbal = gimbals_.closest();
    summary_.taylor_steps = summary_.steps;
    return std::move(summary_);
  }

 private:
  static double atol_of(const SimulationOptions& options) {
    return options.atol == SimulationOptions{}.atol
               ? std::min(options.atol, extended_atol(options.rtol))
               : options.atol;
  }

  bool begin(const State& start) {
    Evaluator evaluator(motion_);
    if (evaluator.decide(start.t, start.q, start.v) != Status::ok)
      return stop(fmt::format("at t = {:.9g}: {}", start.t, evaluator.explain_failure()));
    summary_.rank = evaluator.solution().rank();
    // An atol that nobody chose suits quantities of ordinary size.
    if (options_.atol == SimulationOptions{}.atol ||
        options_.atol == extended_atol(options_.rtol)) {
      const TypicalSizes sizes = evaluator.calc_typical_sizes(options_.duration);
      for (std::size_t i = 0; i < n_; ++i) {
        if (!(sizes.q[i] < small_size)) continue;
        absolute_[i] *= std::min(sizes.q[i], 1.0);
        absolute_[n_ + i] *= std::min(sizes.v[i], 1.0);
      }
    }
    if (!project(t_, y_, nullptr))
      return stop(
          fmt::format("at t = {:.9g}: the start cannot be brought onto the constraints in "
                      "extended precision",
                      start.t));
    StepEndFinder finder(motion_.time_kinks());
    step_ends_.begin(finder, motion_.parameters(), start.t, std::max(start.t, options_.duration),
                     false);
    if (options_.doubts && step_ends_.unknown_from())
      summary_.doubts.push_back(step_ends_doubt(*step_ends_.unknown_from()));
    if (!observe(t_, y_)) return false;
    h_start_ = h();
    potential_start_ = potential();
    note_energies(y_);
    return give_rows(t_, 0) && look_at_state();
  }

  bool may_go_on() {
    if (interrupted()) return false;
    const long attempts = summary_.steps + summary_.rejected;
    if (!pace_.due(attempts)) return true;
    const LaneLimit limit = pace_.look(attempts, static_cast<double>(t_), options_);
    return limit.kind == LaneLimit::Kind::none ||
           stop(to_string(limit, options_) + gimbal_hint(gimbals_.here()));
  }

  /// One step, with its rows.
  bool advance() {
    find_scales();
    std::span<Extended> in = series_.inputs();
    in[0] = t_;
    std::ranges::copy(y_, in.begin() + 1);
    series_.begin();
    ++summary_.evaluations;
    if (!(series_.output(size_ + 1) <= 1))
      return fail("the equations are too close to singular for its tapes there");
    series_.run();
    const Extended left = step_end() - t_;
    Extended h = std::min({longest_step(), left, static_cast<Extended>(options_.max_step)});
    if (!(h > 0)) return fail("the coefficients of the series are not finite there");
    for (int halvings = 0; halvings < most_halvings; ++halvings, h /= 2) {
      const Extended t_new = h == left ? step_end() : t_ + h;
      if (!(t_new > t_)) break;
      Extended drift = 0;
      if (attempt(t_new, drift)) return finish_step(t_new, drift);
      ++summary_.rejected;
    }
    return fail(
        "the step size has shrunk to zero, as it does at a singularity, at a jump or kink, or when "
        "the tolerances are below rounding");
  }

  Extended step_end() { return step_ends_.next(static_cast<double>(t_)).before; }

  void find_scales() {
    const Extended rtol = options_.rtol;
    for (std::size_t i = 0; i < size_; ++i) {
      const Extended size = std::abs(y_[i]);
      const Extended energy = i < 2 * n_ ? 0 : static_cast<Extended>(summary_.energy_scale);
      scale_[i] = absolute_[i] + rtol * std::max(size, energy);
    }
  }

  /// As long as the last two coefficients allow; 0 where they are not finite.
  Extended longest_step() const {
    Extended longest = std::numeric_limits<Extended>::infinity();
    for (const std::uint32_t k : {p_ - 1, p_}) {
      Extended norm = 0;
      for (std::size_t i = 0; i < size_; ++i) {
        const Extended part = std::abs(series_.coefficients(i)[k]) / scale_[i];
        if (!std::isfinite(part)) return 0;
        norm = std::max(norm, part);
      }
      if (norm > 0)
        longest = std::min(longest,
                           std::pow(static_cast<Extended>(extended_share_of(options_.rtol)) * norm,
                                    -1 / static_cast<Extended>(k)));
    }
    return longest;
  }

  /// y(t_ + h) - y_0 of entry i.
  Extended change(std::size_t i, Extended h) const {
    const std::span<const Extended> c = series_.coefficients(i);
    Extended sum = 0;
    for (std::uint32_t k = p_; k > 0; --k) sum = (sum + c[k]) * h;
    return sum;
  }
  Extended slope(std::size_t i, Extended h) const {
    const std::span<const Extended> c = series_.coefficients(i);
    Extended sum = 0;
    for (std::uint32_t k = p_; k > 1; --k) sum = (sum + k * c[k]) * h;
    return sum + c[1];
  }

  /// Whether a step to t_new is good; y_new_ is then its end, projected.
  bool attempt(Extended t_new, Extended& drift) {
    const Extended h = t_new - t_;
    for (std::size_t i = 0; i < size_; ++i) {
      const Extended more = change(i, h) + lost_[i];
      const Extended sum = y_[i] + more;
      // What the sum lacks, exactly (Knuth).
      const Extended taken = sum - y_[i];
      lost_new_[i] = (y_[i] - (sum - taken)) + (more - taken);
      y_end_[i] = sum;
      slope_[i] = slope(i, h);
    }
    std::span<Extended> in = derivative_.inputs();
    in[0] = t_new;
    std::ranges::copy(y_end_, in.begin() + 1);
    derivative_.run();
    ++summary_.evaluations;
    if (!(derivative_[size_] <= 1)) return false;
    const std::array<std::size_t, 4> bounds{0, n_, 2 * n_, size_};
    for (std::size_t block = 0; block + 1 < bounds.size(); ++block) {
      // What rounding makes of rates says nothing about the series.
      const auto rates =
          std::span(slope_).subspan(bounds[block], bounds[block + 1] - bounds[block]);
      const Extended allowed = 4 * extended_rounding * largest_size(rates) * h;
      for (std::size_t i = bounds[block]; i < bounds[block + 1]; ++i) {
        const Extended defect = h * std::abs(derivative_[i] - slope_[i]);
        if (!(defect <= static_cast<Extended>(p_ + 1) * scale_[i] + allowed)) return false;
      }
    }
    y_new_ = y_end_;
    return project(t_new, y_new_, &drift) && is_small_correction();
  }

  /// What a projection changes is error too; rounding of a state of large numbers is not
  /// counted.
  bool is_small_correction() const {
    const Extended q_size = largest_size(std::span(y_new_).first(n_));
    const Extended v_size = largest_size(std::span(y_new_).subspan(n_, n_));
    for (std::size_t i = 0; i < 2 * n_; ++i) {
      const Extended allowed = extended_rounding * (i < n_ ? q_size : (1 + q_size) * v_size);
      if (!(std::abs(y_new_[i] - y_end_[i]) <=
            static_cast<Extended>(correction_allowance) * (scale_[i] + allowed)))
        return false;
    }
    return true;
  }

  bool finish_step(Extended t_new, Extended drift) {
    ++summary_.steps;
    summary_.largest_drift = std::max(summary_.largest_drift, static_cast<double>(drift));
    const Extended from = t_;
    if (!give_rows(t_new, t_new - from)) return false;
    t_ = t_new;
    y_.swap(y_new_);
    lost_.swap(lost_new_);
    if (!observe(t_, y_)) return false;
    note_energies(y_);
    if (!look_at_state()) return false;
    if (progress_) progress_(static_cast<double>(t_));
    return true;
  }

  /// The rows up to t_new: of a step of length h from t_, or at the start with h = 0.
  bool give_rows(Extended t_new, Extended h) {
    for (; next_row_ < times_.count() && static_cast<Extended>(times_[next_row_]) <= t_new;
         ++next_row_) {
      const Extended t = times_[next_row_];
      if (h == 0) {
        y_sample_ = y_;
      } else if (t == t_new) {
        y_sample_ = y_new_;
      } else {
        for (std::size_t i = 0; i < size_; ++i)
          y_sample_[i] = y_[i] + (change(i, t - t_) + lost_[i]);
        if (!project(t, y_sample_, nullptr))
          return stop(fmt::format(
              "the sample at t = {:.9g} cannot be brought onto the constraints: the tolerances are "
              "too loose for this motion",
              times_[next_row_]));
      }
      if (!emit(t)) return false;
    }
    return true;
  }

  /// Runs the tape of samples at a state.
  bool observe(Extended t, const Numbers& y) {
    set_state(sample_, t, y);
    sample_.run();
    if (sample_[sample_.outputs() - 1] <= 1) return true;
    return stop(fmt::format("at t = {:.9g}: the equations are too close to singular for its tapes",
                            static_cast<double>(t)));
  }

  void set_state(ExtendedTape& tape, Extended t, const Numbers& y) const {
    std::span<Extended> in = tape.inputs();
    in[0] = t;
    std::copy_n(y.begin(), 2 * n_, in.begin() + 1);
  }

  Extended kinetic() const { return sample_[4 * n_]; }
  Extended potential() const { return sample_[4 * n_ + 1]; }
  Extended h() const { return sample_[4 * n_ + 2]; }  ///< of the balance with the works

  /// What works and the balance are measured by, at the state last observed.
  void note_energies(const Numbers& y) {
    const Extended change = potential() - potential_start_;
    Extended largest = std::max(std::abs(kinetic()), std::abs(change));
    largest = std::max(largest, largest_size(std::span(y).subspan(2 * n_)));
    const Extended in_play =
        std::max({std::abs(kinetic()), std::abs(potential()), std::abs(potential_start_)});
    largest = std::max(largest, uncertain_energies * (options_.rtol + extended_rounding) * in_play);
    if (std::isfinite(largest))
      summary_.energy_scale = std::max(summary_.energy_scale, static_cast<double>(largest));
  }

  /// The row of a state in y_sample_. False ends the motion.
  bool emit(Extended t) {
    if (interrupted() || !observe(t, y_sample_)) return false;
    const Extended* work = y_sample_.data() + 2 * n_;
    const Extended balance = h() - h_start_ - (work[0] + work[1] + work[2] + work[3]);
    if (!std::isfinite(balance))
      return stop(
          fmt::format("at t = {:.9g}, the energies are not finite", static_cast<double>(t)));
    summary_.balance_error =
        std::max(summary_.balance_error, static_cast<double>(std::abs(balance)));
    note_energies(y_sample_);
    note_residuals(t);
    summary_.work_applied = static_cast<double>(work[0]);
    summary_.work_ideal = static_cast<double>(work[1]);
    summary_.work_nonideal = static_cast<double>(work[2]);
    summary_.work_other = static_cast<double>(work[3]);
    ++summary_.samples;
    return observer_(row_.fill(t, y_sample_, sample_, constraints_)) ||
           stop(fmt::format("stopped at t = {:.9g}", static_cast<double>(t)));
  }

  /// Of the state in y_sample_, and which outputs are not finite there.
  void note_residuals(Extended t) {
    set_state(constraints_, t, y_sample_);
    constraints_.run();
    for (ExtendedTape* level : {&positions_, &velocities_}) {
      if (level->empty()) continue;
      set_state(*level, t, y_sample_);
      level->run();
      summary_.largest_residual =
          std::max(summary_.largest_residual, static_cast<double>((*level)[n_]));
    }
    for (std::size_t i = 0; i < output_noted_.size(); ++i) {
      if (std::isfinite(sample_[4 * n_ + 3 + i]) || output_noted_[i]) continue;
      output_noted_[i] = true;
      summary_.not_finite.push_back({motion_.outputs()[i].name, static_cast<double>(t)});
    }
  }

  /// Whether the motion may go on from t_, by what is watched in doubles.
  bool look_at_state() {
    const auto t = static_cast<double>(t_);
    const std::vector<double> state(y_.begin(), y_.begin() + static_cast<std::ptrdiff_t>(2 * n_));
    const std::span q = std::span(state).first(n_), v = std::span(state).subspan(n_);
    gimbals_.look(t, q, v);
    const auto broken = conditions_.broken(t, q, v);
    return !broken || stop(fmt::format("at t = {:.9g}, {}", t, broken->message));
  }

  bool project(Extended t, Numbers& y, Extended* drift) {
    Extended before = 0;
    if (!positions_.empty() && options_.project == model::Project::both &&
        !correct(positions_, t, y, 0, before))
      return false;
    if (!velocities_.empty() && options_.project != model::Project::none &&
        !correct(velocities_, t, y, n_, before))
      return false;
    if (drift != nullptr) *drift = before;
    return true;
  }

  /// The n entries of y from `first` on, moved onto the constraints of a level by Newton's method,
  /// until they are there or rounding keeps them from coming closer. `before`: grows to
  /// the residual found.
  bool correct(ExtendedTape& level, Extended t, Numbers& y, std::size_t first, Extended& before) {
    const std::span<Extended> x = std::span(y).subspan(first, n_);
    set_state(level, t, y);
    level.run();
    Extended residual = level[n_];
    before = std::max(before, residual);
    bool stagnant = false;
    for (int i = 0; i < most_newton_steps && !stagnant; ++i) {
      if (residual <= well_projected || !(level[n_ + 1] <= 1)) break;
      std::ranges::copy(x, best_.begin());
      for (std::size_t j = 0; j < n_; ++j) x[j] += level[j];
      set_state(level, t, y);
      level.run();
      const Extended next = level[n_];
      stagnant = !(next <= residual / 2);
      if (next < residual) {
        residual = next;
      } else {
        std::ranges::copy(best_, x.begin());
      }
    }
    if (residual <= projected) return true;
    if (stagnant && residual <= extended_rounding * (1 + largest_size(std::span(y).first(n_))))
      return true;
    if (&level != &velocities_ || options_.project == model::Project::both || positions_.empty())
      return false;
    // A rate may be left only because positions are off their constraints and stay so.
    set_state(positions_, t, y);
    positions_.run();
    return residual <= rate_left_by_drift * positions_[n_];
  }

  bool interrupted() {
    if (options_.stop == nullptr || !options_.stop->load(std::memory_order_relaxed)) return false;
    stop(fmt::format("interrupted at t = {:.9g}", static_cast<double>(t_)));
    return true;
  }
  bool stop(std::string reason) {
    summary_.reason = std::move(reason);
    return false;
  }
  bool fail(const char* why) {
    return stop(
        fmt::format("the motion cannot be continued in extended precision beyond t = "
                    "{:.9g}: {}{}",
                    static_cast<double>(t_), why, gimbal_hint(gimbals_.here())));
  }

  const Motion& motion_;
  const SimulationOptions& options_;
  SampleTimes times_;
  const Observer& observer_;
  const Progress& progress_;
  std::size_t n_, size_;
  std::uint32_t p_;
  ExtendedSeries series_;
  ExtendedTape derivative_, positions_, velocities_, sample_, constraints_;
  ExtendedRow row_;
  GimbalWatch gimbals_;
  ConditionWatch conditions_;
  StepEndCursor step_ends_;
  Extended t_;
  Numbers y_;
  Numbers absolute_;         ///< atol of each entry
  Numbers scale_;            ///< the error allowed
  Numbers lost_, lost_new_;  ///< by rounding, of y at both ends of the step
  Numbers y_end_, y_new_, slope_, y_sample_, best_;
  PaceWatch pace_;
  long next_row_ = 0;
  Extended h_start_ = 0, potential_start_ = 0;
  std::vector<bool> output_noted_;
  Summary summary_;
};

}  // namespace

std::uint32_t extended_order(double rtol) {
  const double order = 4 + std::log(extended_share_of(rtol) / rtol) / 2;
  const auto even = 2 * static_cast<std::uint32_t>(std::lround(order / 2));
  return std::clamp(even, 6U, 48U);
}

Summary simulate_extended(const Motion& motion, const State& start,
                          const SimulationOptions& options, const Observer& observer,
                          const Progress& progress) {
  auto flow = make_extended_flow(motion, start);
  if (!flow) {
    Summary summary;
    summary.t = start.t;
    summary.reason = "there is no run in extended precision: " + flow.error();
    return summary;
  }
  ExtendedRun run(motion, start, options, observer, progress, *std::move(flow),
                  exact_start(motion, start));
  return run.run(start);
}

}  // namespace dalembert::motion
