#include "dalembert/study/linear/instant_sensitivities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <utility>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/motion/instants/run.hpp"
#include "dalembert/study/linear/impact_change.hpp"
#include "dalembert/study/linear/jumps_as_events.hpp"

namespace dalembert::study {

namespace {

using Eigen::Index;
using flow::Hold;
using flow::index;
using flow::Modes;
using flow::RowRule;
using flow::RowTask;
using flow::TouchElement;
using flow::TouchMode;
using motion::Guard;
using motion::Instant;
using motion::Reset;

/// Slower than this beside the fastest so far, a slip has no direction that could turn.
constexpr double slow = 1e-9;
/// Two instants of one time: their changes may differ by this much beside their size.
constexpr double apart = 1e-6;

class InstantVariation {
 public:
  InstantVariation(const Motion& motion, const motion::SimulationOptions& options,
                   const flow::InstantDerivativeKernels& kernels, Eigen::MatrixXd theta,
                   Sensitivities& result)
      : motion_(motion),
        options_(options),
        kernels_(kernels),
        system_(motion),
        derivatives_(motion, kernels),
        theta_(std::move(theta)),
        result_(result),
        n_(index(motion.coordinates())),
        columns_(theta_.cols()),
        size_(static_cast<std::size_t>(2 * n_ * (1 + columns_))),
        stepper_(size_),
        controller_({.max_step = options.max_step}),
        absolute_(size_, options.atol),
        modes_(system_.elements().size()),
        departures_(system_.kernels().contacts, -1.0) {
    tolerance_ = {options_.rtol, absolute_, {}};
    std::size_t settings = 0, whens = 0;
    for (const model::Event& event : motion.model().events) {
      first_setting_.push_back(settings);
      settings += event.set.size();
      when_places_.push_back(whens);
      whens += event.when ? 1 : 0;
      if (stands_for_jump(motion.model(), event)) jumps_.push_back(event.name);
    }
  }

  void run(const flow::State& start, const Eigen::MatrixXd& S0) {
    y_.assign(size_, 0.0);
    std::ranges::copy(start.q, y_.begin());
    std::ranges::copy(start.v, y_.begin() + n_);
    tangents(y_) = S0;
    t_ = start.t;
    motion::SimulationOptions options = options_;
    options.stop = &halt_;
    options.on_start = [this](const Instant& record) { pass(record, true); };
    options.on_instant = [this](const Instant& record) { pass(record, false); };
    const motion::Observer observer = [this](const motion::Sample& sample) {
      samples_.push_back(sample.t);
      return result_.reason.empty();
    };
    const motion::Progress progress = [this](double t) {
      marks_.push_back(t);
      if (options_.stop != nullptr && options_.stop->load()) halt_ = true;
    };
    motion::InstantRun run(motion_, start, options, observer, progress);
    run_ = &run;
    run.run();
    if (result_.reason.empty()) advance(std::max(run.t(), t_));
    if (result_.reason.empty() && !run.summary().complete) result_.reason = run.summary().reason;
    result_.complete = result_.reason.empty();
    std::stable_sort(
        result_.events.begin(), result_.events.end(),
        [](const EventSensitivity& a, const EventSensitivity& b) { return a.t < b.t; });
  }

 private:
  Eigen::Map<Eigen::MatrixXd> tangents(std::span<double> y) const {
    return {y.data() + 2 * n_, 2 * n_, columns_};
  }
  Eigen::Map<const Eigen::MatrixXd> read_tangents(std::span<const double> y) const {
    return {y.data() + 2 * n_, 2 * n_, columns_};
  }
  std::span<const double> positions(std::span<const double> y) const {
    return y.first(static_cast<std::size_t>(n_));
  }
  std::span<const double> velocities(std::span<const double> y) const {
    return y.subspan(static_cast<std::size_t>(n_), static_cast<std::size_t>(n_));
  }

  bool end(std::string reason) {
    if (result_.reason.empty()) result_.reason = std::move(reason);
    halt_ = true;
    return false;
  }
  bool give_up(double t) {
    return end(fmt::format(
        "the motion and its variational equations could not be continued at t = {:.6g}", t));
  }

  void bind(std::vector<double> parameters) {
    motion_ = motion_.with_parameters(std::move(parameters));
    system_.bind(motion_);
    const auto& which = system_.kernels().discretes;
    for (std::size_t i = 0; i < which.size(); ++i)
      system_.discretes()[i] = motion_.parameters()[which[i]];
    derivatives_.bind(motion_);
  }
  void bind_discretes(std::span<const double> values) {
    std::vector<double> parameters = motion_.parameters();
    const auto& which = system_.kernels().discretes;
    for (std::size_t i = 0; i < which.size(); ++i) parameters[which[i]] = values[i];
    if (parameters != motion_.parameters()) bind(std::move(parameters));
  }

  Eigen::MatrixXd directions(const Eigen::MatrixXd& X, const Eigen::RowVectorXd& dt) const {
    Eigen::MatrixXd Z(derivatives_.z(), X.cols());
    Z.topRows(2 * n_) = X;
    Z.row(2 * n_) = dt;
    Z.bottomRows(theta_.rows()) = theta_;
    return Z;
  }

  /// The modes with the directions in which what slides in two slides here, as InstantRun has them.
  const Modes& directed(const Modes& modes) {
    here_ = modes;
    const auto rates = system_.row_rates();
    for (std::size_t i = 0; i < here_.size(); ++i) {
      const TouchElement& element = system_.elements()[i];
      if (here_[i].hold != Hold::slide || element.slips < 2) continue;
      const double a = rates[element.slip], b = rates[element.slip + 1], size = std::hypot(a, b);
      fastest_ = std::max(fastest_, size);
      if (!(size > slow * fastest_)) continue;
      const double sign = a * modes[i].d[0] + b * modes[i].d[1] < 0 ? -1 : 1;
      here_[i].d = {sign * a / size, sign * b / size};
    }
    return here_;
  }

  /// What holds of the rows in the modes of a piece.
  RowTask task_of(const Modes& modes) const {
    RowTask task;
    task.rules.assign(system_.kernels().rows, RowRule::free);
    std::fill_n(task.rules.begin(), system_.kernels().constraints, RowRule::held);
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const TouchElement& element = system_.elements()[i];
      if (modes[i].hold == Hold::open) continue;
      if (element.is_contact()) task.rules[element.gap] = RowRule::held;
      for (std::size_t k = 0; k < element.slips; ++k) {
        if (modes[i].hold == Hold::stick) task.rules[element.slip + k] = RowRule::held;
        if (modes[i].hold == Hold::slide) task.rules[element.slip + k] = RowRule::slides;
      }
    }
    task.modes = &modes;
    task.forces = true;
    task.turn = RowTask::Turn::before;
    task.slowest = slow * fastest_;
    return task;
  }

  static bool slides_in_two(const Modes& modes, std::span<const TouchElement> elements) {
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (modes[i].hold == Hold::slide && elements[i].slips == 2) return true;
    }
    return false;
  }

  /// Accelerations and forces in these modes, and their change along Z; `further` as
  /// InstantDerivatives::place.
  bool look(double t, std::span<const double> x, const Modes& modes, const Eigen::MatrixXd* Z,
            bool further) {
    const auto q = positions(x), v = velocities(x);
    if (!system_.evaluate(t, q, v)) return false;
    const Modes& here = directed(modes);
    if (!system_.solve(here)) return false;
    system_.set_reactions(system_.solution().p);
    if (Z == nullptr) return true;
    if (further && kernels_.of_split) {
      system_.split_forces(here);
      derivatives_.set_split(system_.ideal(), system_.nonideal());
    }
    derivatives_.place(t, q, v, system_.acceleration(), system_.solution().p, system_.reactions(),
                       further || slides_in_two(here, system_.elements()));
    RowTask task = task_of(here);
    task.laws = system_.solution().laws;
    return derivatives_.solve(task, *Z, -derivatives_.change_of_b(*Z), change_);
  }

  bool slope(double t, std::span<const double> y, std::span<double> dydt) {
    Z_.resize(derivatives_.z(), columns_);
    Z_.topRows(2 * n_) = read_tangents(y);
    Z_.row(2 * n_).setZero();
    Z_.bottomRows(theta_.rows()) = theta_;
    if (!look(t, y, modes_, &Z_, false)) return false;
    std::copy_n(y.begin() + n_, n_, dydt.begin());
    std::copy_n(system_.acceleration().begin(), n_, dydt.begin() + n_);
    Eigen::Map<Eigen::MatrixXd> rate(dydt.data() + 2 * n_, 2 * n_, columns_);
    rate.topRows(n_) = Z_.middleRows(n_, n_);
    rate.bottomRows(n_) = change_.topRows(n_);
    return true;
  }

  /// To this time in the modes that hold, with the samples up to there.
  bool advance(double to) {
    const auto f = [this](double t, std::span<const double> y, std::span<double> dydt) {
      return slope(t, y, dydt);
    };
    const auto& graze = run_->graze();
    if (graze.t > t_ && graze.t <= to)
      return end(
          fmt::format("at t = {:.9g} {} is touched and not crossed, as far as the tolerances can "
                      "tell: derivatives depend on the side, and are infinite on one",
                      graze.t, graze.name));
    while (!marks_.empty() && marks_.front() <= t_) marks_.pop_front();
    double h = HUGE_VAL;
    if (!emit_until(t_, false)) return false;
    while (t_ < to) {
      while (!marks_.empty() && marks_.front() <= t_) marks_.pop_front();
      const double limit = marks_.empty() ? to : std::min(to, marks_.front());
      if (options_.stop != nullptr && options_.stop->load())
        return end(fmt::format("interrupted at t = {:.6g}", t_));
      if (!stepper_.start(t_, y_, f)) return give_up(t_);
      while (true) {
        const bool lands = t_ + h * (1 + 1e-6) >= limit;
        const double length = lands ? limit - t_ : h;
        const auto [accepted, proposed] =
            controller_.decide(length, stepper_.attempt(f, length, tolerance_));
        if (accepted) {
          const double reached = lands ? limit : t_ + length;
          if (!follows_jumps(reached, stepper_.y_new())) return false;
          if (!samples_.empty() && samples_.front() < reached) {
            if (!stepper_.prepare_dense(f)) return give_up(t_);
            if (!emit_until(std::nextafter(reached, t_), true)) return false;
          }
          std::ranges::copy(stepper_.y_new(), y_.begin());
          t_ = reached;
          h = std::max(proposed, lands ? h : 0.0);
          break;
        }
        ++result_.rejected;
        h = proposed;
        if (motion::step_underflow(t_, h)) return give_up(t_);
      }
      ++result_.steps;
      if (!settle(t_, y_) || !emit_until(t_, false)) return false;
    }
    return true;
  }

  bool emit_until(double reached, bool dense) {
    for (; !samples_.empty() && samples_.front() <= reached; samples_.pop_front()) {
      const double at = samples_.front();
      sample_ = y_;
      if (dense)
        stepper_.interpolate((at - stepper_.t()) / (stepper_.t_new() - stepper_.t()), sample_);
      if (!emit(at, sample_)) return false;
    }
    return true;
  }

  /// Rows that are held at position or velocity level in these modes.
  RowTask manifold(const Modes& modes, bool of_positions) const {
    RowTask task;
    task.rules.assign(system_.kernels().rows, RowRule::free);
    for (std::size_t j = 0; j < system_.kernels().constraints; ++j) {
      const model::Level level = system_.kernels().equations.constraints[j].level;
      if (of_positions ? level == model::Level::position : level != model::Level::acceleration)
        task.rules[j] = RowRule::held;
    }
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const TouchElement& element = system_.elements()[i];
      if (element.is_contact() && modes[i].closed()) task.rules[element.gap] = RowRule::held;
      for (std::size_t k = 0; !of_positions && modes[i].hold == Hold::stick && k < element.slips;
           ++k)
        task.rules[element.slip + k] = RowRule::held;
    }
    return task;
  }

  /// Takes from X what leaves the constraints, closed contacts and sticking.
  bool project_changes(double t, std::span<const double> x, Eigen::MatrixXd& Z) {
    const Eigen::VectorXd no_s = Eigen::VectorXd::Zero(n_),
                          no_p = Eigen::VectorXd::Zero(index(system_.kernels().rows));
    derivatives_.place(t, positions(x), velocities(x), no_s, no_p, system_.reactions(), true);
    for (const bool of_positions : {true, false}) {
      const RowTask task = manifold(modes_, of_positions);
      if (std::ranges::find(task.rules, RowRule::held) == task.rules.end()) continue;
      const Eigen::MatrixXd rest =
          of_positions ? derivatives_.change_of_residuals(Z) : derivatives_.change_of_rates(Z);
      if (!derivatives_.solve(task, Z, rest, change_)) return false;
      Z.middleRows(of_positions ? 0 : n_, n_) += change_.topRows(n_);
    }
    return true;
  }

  bool settle(double t, std::vector<double>& y) {
    if (options_.project == model::Project::none) return true;
    const auto n = static_cast<std::size_t>(n_);
    const std::span<double> q = std::span(y).first(n), v = std::span(y).subspan(n, n);
    if ((options_.project == model::Project::both &&
         !system_.project_positions(t, q, v, modes_, nullptr)) ||
        !system_.project_velocities(t, q, v, modes_, nullptr))
      return give_up(t);
    Eigen::MatrixXd Z = directions(tangents(y), Eigen::RowVectorXd::Zero(columns_));
    if (!project_changes(t, y, Z)) return give_up(t);
    tangents(y) = Z.topRows(2 * n_);
    return true;
  }

  /// Whether what stands for a jump of the equations has the level that belongs to the state.
  bool follows_jumps(double t, std::span<const double> y) {
    const std::vector<model::Event>& events = motion_.model().events;
    if (jumps_.empty()) return true;
    const auto whens = system_.look(t, positions(y), velocities(y), {}).whens;
    level_sizes_.resize(whens.size(), 0);
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (!stands_for_jump(motion_.model(), events[i])) continue;
      const double value = whens[when_places_[i]];
      double& size = level_sizes_[when_places_[i]];
      size = std::max(size, std::abs(value));
      using Direction = model::Event::Direction;
      const double sign = events[i].direction == Direction::rising ? -1
                          : events[i].direction == Direction::falling
                              ? 1
                              : motion_.parameters()[events[i].set[0].index];
      if (!(sign * value >= -1e-9 * size))
        return end(
            fmt::format("at t = {:.6g} the equations jump in a way that events do not follow", t));
    }
    return true;
  }

  bool emit(double t, std::vector<double>& y) {
    if (!settle(t, y)) return false;
    const Eigen::MatrixXd Z = directions(tangents(y), Eigen::RowVectorXd::Zero(columns_));
    if (!look(t, y, modes_, &Z, true)) return give_up(t);
    const Index outputs = std::ssize(kernels_.outputs);
    Eigen::MatrixXd all(3 * n_ + outputs, columns_);
    all.topRows(2 * n_) = tangents(y);
    all.middleRows(2 * n_, n_) = change_.topRows(n_);
    if (outputs > 0) {
      const Eigen::MatrixXd change = change_;
      const bool unique = derivatives_.unique();
      const Eigen::MatrixXd reactions = derivatives_.change_of_reactions(Z, change);
      Eigen::MatrixXd ideal, nonideal;
      if (kernels_.of_split && !split(t, y, Z, change, ideal, nonideal)) return give_up(t);
      all.bottomRows(outputs) =
          derivatives_.change_of_outputs(Z, change, reactions, ideal, nonideal);
      const double nothing = std::numeric_limits<double>::quiet_NaN();
      for (const auto* slots : {&kernels_.y_p, &kernels_.y_R}) {
        for (const auto& slot : *slots) {
          if (!unique) all.row(3 * n_ + slot.row).setConstant(nothing);
        }
      }
    }
    result_.t.push_back(t);
    for (Index i = 0; i < all.rows(); ++i) {
      for (Index j = 0; j < columns_; ++j) result_.values.push_back(all(i, j));
    }
    result_.states.insert(result_.states.end(), y.begin(), y.begin() + 2 * n_);
    return true;
  }

  /// The changes of ideal and non-ideal forces at the state just looked at; leaves its derivatives
  /// placed.
  bool split(double t, std::span<const double> y, const Eigen::MatrixXd& Z,
             const Eigen::MatrixXd& change, Eigen::MatrixXd& ideal, Eigen::MatrixXd& nonideal) {
    const Eigen::VectorXd a = system_.acceleration(), p = system_.solution().p;
    const Eigen::MatrixXd whole =
        derivatives_.change_of_row_forces(Z, change) + derivatives_.change_of_C(Z);
    // With Q alone: s and p of M s - A^T p = Q, A s = b.
    const Modes here = here_;
    RowTask task = task_of(here);
    std::ranges::replace(task.rules, RowRule::slides, RowRule::free);
    task.modes = nullptr;
    task.without_friction = true;
    Eigen::VectorXd s0, p0;
    if (!derivatives_.solve_values(task, -(derivatives_.A() * a), s0, p0, &system_.Q()))
      return false;
    derivatives_.place(t, positions(y), velocities(y), s0, p0, system_.reactions(), true);
    Eigen::MatrixXd free;
    if (!derivatives_.solve(task, Z, -derivatives_.change_of_b(Z), free)) return false;
    ideal = derivatives_.change_of_row_forces(Z, free);
    nonideal = whole - ideal;
    derivatives_.place(t, positions(y), velocities(y), a, p, system_.reactions(), true);
    return true;
  }

  std::string name_of(const Guard& guard) const {
    switch (guard.kind) {
      case Guard::Kind::event:
      case Guard::Kind::clock:
        return fmt::format("event '{}'", motion_.model().events[guard.index].name);
      case Guard::Kind::gap:
      case Guard::Kind::normal_force:
      case Guard::Kind::slip:
      case Guard::Kind::cone:
        break;
    }
    const TouchElement& element = system_.elements()[guard.index];
    return fmt::format("{} '{}'", element.is_contact() ? "contact" : "friction", element.name);
  }

  /// The changes of what has become zero, of the columns of Z; `change_` and derivatives as look
  /// has left them.
  Eigen::RowVectorXd change_of(const Guard& guard, const Eigen::MatrixXd& Z) {
    const Eigen::MatrixXd reactions = derivatives_.change_of_reactions(Z, change_);
    if (guard.kind == Guard::Kind::event)
      return derivatives_.change_of_whens(Z, change_, reactions)
          .row(index(when_places_[guard.index]));
    const TouchElement& element = system_.elements()[guard.index];
    const Eigen::VectorXd& p = system_.solution().p;
    const auto force = [&](std::size_t row) { return change_.row(n_ + index(row)); };
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(Z.cols());
    switch (guard.kind) {
      case Guard::Kind::gap:
        return derivatives_.residual_z().row(index(element.gap)) * Z;
      case Guard::Kind::normal_force:
        return force(element.gap);
      case Guard::Kind::slip: {
        // Where two slips vanish together, along the direction in which they do.
        const Eigen::VectorXd& y = system_.solution().y;
        for (std::size_t k = 0; k < element.slips; ++k)
          sum += (element.slips == 1 ? 1.0 : y[index(element.slip + k)]) *
                 derivatives_.rate_z().row(index(element.slip + k)) * Z;
        return sum;
      }
      case Guard::Kind::cone: {
        const Index law = derivatives_.law_row(guard.index) + (element.is_contact() ? 2 : 1);
        const double sticking = system_.solution().laws[guard.index].sticking;
        sum = derivatives_.change_of_laws(Z, reactions).row(law);
        if (element.is_contact()) sum = sum * p[index(element.gap)] + sticking * force(element.gap);
        double size = 0;
        for (std::size_t k = 0; k < element.slips; ++k)
          size = std::hypot(size, p[index(element.slip + k)]);
        for (std::size_t k = 0; k < element.slips && size > 0; ++k)
          sum -= p[index(element.slip + k)] / size * force(element.slip + k);
        return sum;
      }
      case Guard::Kind::event:
      case Guard::Kind::clock:
        break;
    }
    return sum;
  }

  /// How much later the instant comes. False, with the reason told, where that is not one number.
  bool find_delay(const Instant& record, std::span<const double> before, const Eigen::MatrixXd& X,
                  const Eigen::VectorXd& field, Eigen::RowVectorXd& delay) {
    std::vector<std::pair<std::string, Eigen::RowVectorXd>> all;
    if (record.kink) all.emplace_back("time", Eigen::RowVectorXd::Zero(columns_));
    Eigen::MatrixXd Z(derivatives_.z(), columns_ + 1);
    Z.leftCols(columns_) = directions(X, Eigen::RowVectorXd::Zero(columns_));
    Z.col(columns_).setZero();
    Z.col(columns_).head(2 * n_) = field;
    Z(2 * n_, columns_) = 1;
    if (!look(record.t, before, modes_, &Z, true)) return give_up(record.t);
    const bool unique = derivatives_.unique();
    for (const Guard& guard : record.guards) {
      if (guard.kind == Guard::Kind::clock) {
        all.emplace_back(name_of(guard),
                         static_cast<double>(guard.strike) * change_of_period(guard.index));
        continue;
      }
      const bool of_forces =
          guard.kind == Guard::Kind::normal_force || guard.kind == Guard::Kind::cone;
      if (of_forces && !unique)
        return end(fmt::format(
            "at t = {:.9g} the force of {} changes its mode, and is not the only one compatible "
            "with the motion: it is not known when it does so for other values",
            record.t, name_of(guard)));
      const Eigen::RowVectorXd change = change_of(guard, Z);
      const double rate = change[columns_];
      if (grazes(guard, rate, Z.col(columns_)) || !change.allFinite())
        return end(fmt::format("at t = {:.9g} {} is grazed: its derivatives are infinite there",
                               record.t, name_of(guard)));
      all.emplace_back(name_of(guard), -change.head(columns_) / rate);
    }
    delay.setZero(columns_);
    if (all.empty()) return true;
    delay = all.front().second;
    for (const auto& [name, other] : all) {
      const double size = delay.cwiseAbs().maxCoeff() + other.cwiseAbs().maxCoeff();
      if ((other - delay).cwiseAbs().maxCoeff() <= apart * size + least_change()) continue;
      return end(apart_text(record.t, all.front().first, name));
    }
    return true;
  }

  static std::string apart_text(double t, const std::string& one, const std::string& other) {
    return fmt::format(
        "at t = {:.9g} {} and {} happen at once, and for other values one after the other: what "
        "changes depends on which comes first",
        t, one, other);
  }

  /// Whether what became zero hardly does so, for its kind; a contact that bounces ever less does
  /// it as fast as it last departed.
  bool grazes(const Guard& guard, double rate, const Eigen::VectorXd& along) {
    if (!std::isfinite(rate) || rate == 0) return true;
    if (guard.kind == Guard::Kind::gap) {
      const double before = std::exchange(approach_, std::max(approach_, std::abs(rate)));
      const double departure = departures_[guard.index];
      return std::abs(rate) <= 1e-7 * before && (departure < 0 || departure > 100 * std::abs(rate));
    }
    if (guard.kind != Guard::Kind::event) return false;
    const double size = derivatives_.when_z()
                            .row(index(when_places_[guard.index]))
                            .cwiseAbs()
                            .dot(along.cwiseAbs().transpose());
    return std::abs(rate) <= 1e-9 * size;
  }

  Eigen::RowVectorXd change_of_period(std::size_t event) const {
    Eigen::RowVectorXd change = Eigen::RowVectorXd::Zero(columns_);
    const expr::Expr& period = motion_.model().events[event].every->expr;
    for (Index j = 0; j < theta_.rows(); ++j) {
      const std::size_t parameter = kernels_.theta[static_cast<std::size_t>(j)];
      const expr::Expr slope =
          expr::differentiate(period, expr::parameter(motion_.model().parameters[parameter].name));
      if (slope.is_zero()) continue;
      change += model::evaluate(slope, motion_.model(), motion_.parameters()) * theta_.row(j);
    }
    return change;
  }

  std::vector<double> joined(const std::vector<double>& q, const std::vector<double>& v) const {
    std::vector<double> x = q;
    x.insert(x.end(), v.begin(), v.end());
    return x;
  }

  /// (v, q'') in the modes that hold.
  bool find_field(double t, std::span<const double> x, Eigen::VectorXd& field) {
    if (!look(t, x, modes_, nullptr, false)) return give_up(t);
    field.resize(2 * n_);
    std::ranges::copy(velocities(x), field.begin());
    field.tail(n_) = system_.acceleration();
    return true;
  }

  /// Through an instant; false where the columns end.
  bool pass(const Instant& record, bool start) {
    if (!result_.reason.empty() || (!start && !advance(record.t))) return false;
    if (start) {
      bind(record.parameters);
      bind_discretes(record.discretes_before);
    }
    const std::vector<double> before = joined(record.q_before, record.v_before);
    Eigen::MatrixXd X = tangents(y_);
    Eigen::VectorXd field;
    delay_ = start || !record.at_once ? Eigen::RowVectorXd::Zero(columns_).eval() : delay_;
    if (!start) {
      for (std::size_t i = 0; i < modes_.size(); ++i) modes_[i].d = record.modes_before[i].d;
      if (!find_field(record.t, before, field)) return false;
      if (!record.at_once && !find_delay(record, before, X, field, delay_)) return false;
      X += field * delay_;
    }
    largest_change_ = X.size() > 0 ? X.cwiseAbs().maxCoeff() : 0;
    ChangingState state{record.t, before, directions(X, delay_)};
    std::vector<std::size_t> rested;
    for (const Reset& reset : record.resets) {
      state.x = joined(reset.q, reset.v);
      bind_discretes(reset.discretes);
      if (!follow(record, reset, state, rested)) return false;
    }
    state.x = joined(record.q_after, record.v_after);
    const Modes old = std::exchange(modes_, record.modes_after);
    bind(record.parameters);
    if (!closes_smoothly(record, start, old, rested, state)) return false;
    if (!project_changes(record.t, state.x, state.Z)) return give_up(record.t);
    X = state.Z.topRows(2 * n_);
    if (!delay_.isZero(0)) {
      if (!find_field(record.t, state.x, field)) return false;
      X -= field * delay_;
    }
    std::ranges::copy(state.x, y_.begin());
    tangents(y_) = X;
    t_ = std::max(record.t, record.behind);
    controller_ = motion::StepController({.max_step = options_.max_step});
    tell(record.t);
    return true;
  }

  /// What begins to be held, a closed contact or one that sticks, must be so for the neighbours,
  /// too, unless bounces without end have brought it there.
  bool closes_smoothly(const Instant& record, bool start, const Modes& old,
                       const std::vector<std::size_t>& rested, const ChangingState& state) {
    const Eigen::VectorXd no_s = Eigen::VectorXd::Zero(n_),
                          no_p = Eigen::VectorXd::Zero(index(system_.kernels().rows));
    derivatives_.place(record.t, positions(state.x), velocities(state.x), no_s, no_p,
                       system_.reactions(), true);
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const TouchElement& element = system_.elements()[i];
      if (std::ranges::find(rested, i) != rested.end()) continue;
      bool holds = true;
      if (element.is_contact() && modes_[i].closed() && !old[i].closed())
        holds = stays_touching(i, state) && stays_zero(derivatives_.rate_z(), element.gap, state);
      for (std::size_t k = 0; k < element.slips; ++k) {
        if (modes_[i].hold != Hold::stick || old[i].hold == Hold::stick) continue;
        holds = holds && stays_zero(derivatives_.rate_z(), element.slip + k, state);
      }
      if (holds) continue;
      const std::string name =
          fmt::format("{} '{}'", element.is_contact() ? "contact" : "friction", element.name);
      return end(start ? fmt::format("{} holds at the start, and does not for other values", name)
                       : apart_text(record.t, name, "something else"));
    }
    return true;
  }

  bool stays_touching(std::size_t contact, const ChangingState& state) const {
    return stays_zero(derivatives_.residual_z(), system_.elements()[contact].gap, state);
  }

  /// Smaller than this S is not known, where the motion does not depend on a name at all.
  double least_change() const { return 1e4 * options_.atol; }

  /// Whether a row stays zero along the columns, to what S is known to.
  bool stays_zero(const Eigen::MatrixXd& by_z, std::size_t row, const ChangingState& state) const {
    const Eigen::RowVectorXd slopes = by_z.row(index(row));
    for (Index c = 0; c < columns_; ++c) {
      const double size = slopes.cwiseAbs().dot(state.Z.col(c).cwiseAbs().transpose());
      const double small = apart * size + 1e-9 * largest_change_ + least_change();
      if (std::abs(slopes.dot(state.Z.col(c).transpose())) > small) return false;
    }
    return true;
  }

  bool follow(const Instant& record, const Reset& reset, ChangingState& state,
              std::vector<std::size_t>& rested) {
    if (reset.kind == Reset::Kind::event) return follow_setting(record, reset, state);
    if (reset.kind == Reset::Kind::bounces) {
      for (std::size_t i = 0; i < system_.kernels().contacts; ++i) {
        if (reset.phases.front()[i].closed()) rested.push_back(i);
      }
      if (!find_bounces(rested, state)) return give_up(record.t);
    } else {
      const Eigen::VectorXd no_s = Eigen::VectorXd::Zero(n_),
                            no_p = Eigen::VectorXd::Zero(index(system_.kernels().rows));
      derivatives_.place(state.t, state.q(), state.v(), no_s, no_p, system_.reactions(), true);
      for (std::size_t i = 0; i < system_.kernels().contacts; ++i) {
        const TouchMode& mode = reset.phases.front()[i];
        if ((!mode.closed() && mode.given) || stays_touching(i, state)) continue;
        return end(apart_text(
            record.t,
            record.guards.empty() ? std::string("the start") : name_of(record.guards.front()),
            fmt::format("contact '{}'", system_.elements()[i].name)));
      }
    }
    if (!follow_impact(system_, derivatives_, reset, motion_.model().contacts, state))
      return give_up(record.t);
    const auto sight = system_.look(state.t, state.q(), state.v(), {});
    for (std::size_t i = 0; i < departures_.size(); ++i) {
      if (reset.phases.front()[i].closed()) departures_[i] = sight.rate(system_.elements()[i].gap);
    }
    return true;
  }

  /// How much longer the bounces of these contacts take that are summed: 2 w / (-a (1 - e)) from
  /// the rate w of the last departure and the acceleration a of the gap on.
  bool find_bounces(const std::vector<std::size_t>& rested, const ChangingState& state) {
    if (!look(state.t, state.x, modes_, &state.Z, true)) return false;
    const Eigen::MatrixXd rates = derivatives_.change_of_rates(state.Z),
                          accelerations = derivatives_.change_of_products(state.Z, change_) -
                                          derivatives_.change_of_b(state.Z);
    sums_.clear();
    for (const std::size_t i : rested) {
      const Index gap = index(system_.elements()[i].gap);
      const double w = derivatives_.rates()[gap], a = system_.solution().y[gap],
                   e = system_.laws()[i].restitution;
      if (modes_[i].closed() || !(a < 0) || !(w > 0)) continue;
      const double sum = -2 * w / (a * (1 - e));
      sums_.push_back(
          {i, sum,
           sum * (rates.row(gap) / w - accelerations.row(gap) / a +
                  derivatives_.law_z().row(derivatives_.law_row(i)) * state.Z / (1 - e))});
    }
    return true;
  }

  bool follow_setting(const Instant& record, const Reset& reset, ChangingState& state) {
    const model::Event& event = motion_.model().events[reset.event];
    Eigen::MatrixXd reactions =
        Eigen::MatrixXd::Zero(std::ssize(system_.kernels().reactions), columns_);
    if (!kernels_.settings_R.empty()) {
      if (!look(record.t, state.x, modes_, &state.Z, true)) return give_up(record.t);
      reactions = derivatives_.change_of_reactions(state.Z, change_);
    } else {
      derivatives_.place(record.t, state.q(), state.v(), Eigen::VectorXd::Zero(n_),
                         Eigen::VectorXd::Zero(index(system_.kernels().rows)), system_.reactions(),
                         true);
    }
    system_.look(record.t, state.q(), state.v(), {});
    const auto values = system_.settings();
    const Eigen::MatrixXd changes = derivatives_.change_of_settings(state.Z, reactions);
    std::vector<double> discretes = reset.discretes;
    bool moved = false;
    for (std::size_t k = 0; k < event.set.size(); ++k) {
      const model::Event::Set& set = event.set[k];
      const std::size_t place = first_setting_[reset.event] + k;
      Index row = index(set.index);
      switch (set.target) {
        case model::Event::Set::Target::position:
          state.x[set.index] = values[place];
          moved = true;
          break;
        case model::Event::Set::Target::velocity:
          state.v()[set.index] = values[place];
          row += n_;
          moved = true;
          break;
        case model::Event::Set::Target::discrete: {
          const auto& all = system_.kernels().discretes;
          discretes[static_cast<std::size_t>(std::ranges::find(all, set.index) - all.begin())] =
              values[place];
          row =
              2 * n_ + 1 + (std::ranges::find(kernels_.theta, set.index) - kernels_.theta.begin());
          break;
        }
      }
      state.Z.row(row) = changes.row(index(place));
    }
    theta_ = state.Z.bottomRows(theta_.rows());
    bind_discretes(discretes);
    if (moved && !follow_projection(system_, derivatives_, state)) return give_up(record.t);
    return true;
  }

  /// The rows of events.csv that belong to the instant.
  void tell(double t) {
    const auto& rows = run_->summary().events;
    for (; rows_told_ < rows.size(); ++rows_told_) {
      const motion::EventRow& row = rows[rows_told_];
      if (std::ranges::find(jumps_, row.name) != jumps_.end()) continue;
      EventSensitivity one{row.t, row.name, row.kind, {}};
      Eigen::RowVectorXd later = delay_;
      if (row.t > t) {
        const auto found = std::ranges::find_if(sums_, [&](const Bounces& sum) {
          return system_.elements()[sum.contact].name == row.name &&
                 std::abs(sum.time - (row.t - t)) <= 1e-6 * sum.time + 1e-14 * std::abs(t);
        });
        if (found != sums_.end())
          later += found->change;
        else
          later.setConstant(std::numeric_limits<double>::quiet_NaN());
      }
      one.by.assign(later.begin(), later.end());
      result_.events.push_back(std::move(one));
    }
  }

  /// The rest of a contact's bounces: how long it takes, and its change.
  struct Bounces {
    std::size_t contact;
    double time;
    Eigen::RowVectorXd change;
  };

  Motion motion_;
  const motion::SimulationOptions& options_;
  const flow::InstantDerivativeKernels& kernels_;
  flow::RowSystem system_;
  flow::InstantDerivatives derivatives_;
  Eigen::MatrixXd theta_;  ///< d theta/ds: of discretes as the last event has left them
  Sensitivities& result_;
  Index n_, columns_;
  std::size_t size_;
  motion::Rk8 stepper_;
  motion::StepController controller_;
  std::vector<double> absolute_;
  motion::Tolerance tolerance_;
  Modes modes_, here_;
  std::vector<double> departures_;  ///< by contact: how fast it departed from its last impact
  std::vector<std::size_t> first_setting_, when_places_;
  std::vector<Bounces> sums_;
  std::vector<std::string> jumps_;   ///< names of the events that stand for jumps
  std::vector<double> level_sizes_;  ///< of each `when` of a jump: the largest seen
  std::size_t rows_told_ = 0;
  std::atomic<bool> halt_ = false;
  motion::InstantRun* run_ = nullptr;
  double t_ = 0, fastest_ = 0, approach_ = 0, largest_change_ = 0;
  std::vector<double> y_, sample_;
  std::deque<double> samples_, marks_;  ///< that the run has told and this has not come to
  Eigen::RowVectorXd delay_;            ///< of the last instant
  Eigen::MatrixXd Z_, change_;
};

}  // namespace

void integrate_through_instants(const Motion& motion, const motion::SimulationOptions& options,
                                const flow::InstantDerivativeKernels& kernels,
                                const flow::State& start, const Eigen::MatrixXd& start_rates,
                                const Eigen::MatrixXd& theta, Sensitivities& result) {
  InstantVariation(motion, options, kernels, theta, result).run(start, start_rates);
}

}  // namespace dalembert::study
