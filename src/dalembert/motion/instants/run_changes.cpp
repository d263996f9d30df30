// What happens at an instant: events, and the modes behind it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/expr/graph.hpp"
#include "dalembert/motion/instants/run.hpp"

namespace dalembert::motion {

namespace {

constexpr long most_in_an_instant = 100;
/// At the start, of scales: as far as initial_state lets constraints be broken.
constexpr double start_tolerance = 1e-9;

std::string_view verb_of(const flow::TouchMode& mode) {
  using flow::Hold;
  if (mode.hold == Hold::stick) return "stick";
  return mode.hold == Hold::slide ? "slip" : "close";
}

}  // namespace

void InstantRun::update_sizes(const Sight& sight) {
  for (std::size_t j = 0; j < sight.scales.size(); ++j) {
    double& gap = gap_sizes_[sight.first + j];
    double& rate = rate_sizes_[sight.first + j];
    if (std::isfinite(sight.scales[j])) gap = std::max(gap, sight.scales[j]);
    if (std::isfinite(sight.rate_scales[j])) rate = std::max(rate, sight.rate_scales[j]);
  }
}

double InstantRun::small_gap(const TouchElement& e, double rate) const {
  if (!started_) return start_tolerance * gap_sizes_[e.gap];
  return 64 * epsilon * gap_sizes_[e.gap] + 8 * epsilon * std::abs(t_) * std::abs(rate);
}

double InstantRun::small_rate(std::size_t row) const {
  return (started_ ? 1e-12 : start_tolerance) * rate_sizes_[row];
}

bool InstantRun::slides(const TouchElement& e, const Sight& sight) const {
  double speed = 0, small = 0;
  for (std::size_t c = 0; c < e.slips; ++c) {
    speed = std::hypot(speed, sight.rate(e.slip + c));
    small = std::max(small, small_rate(e.slip + c));
  }
  return speed > small;
}

bool InstantRun::evaluate_here() {
  if (system_.evaluate(t_, q(), v())) return true;
  return stop(fmt::format("at t = {:.9g}, {}", t_, system_.problem()));
}

/// h in the present mode; 0 where the accelerations have no solution, which others tell.
double InstantRun::total_energy() {
  if (!system_.evaluate(t_, q(), v()) || !system_.solve(directed())) return 0;
  system_.split_forces(directed());
  system_.set_reactions(system_.solution().p);
  return system_.observe()[2];
}

void InstantRun::log(EventRow row) {
  ++summary_.event_counts[row.name][row.kind];
  if (summary_.events.size() < most_events) summary_.events.push_back(std::move(row));
}

void InstantRun::log(double t, const std::string& name, std::string_view kind) {
  EventRow row;
  row.t = t;
  row.name = name;
  row.kind = kind;
  log(std::move(row));
}

std::string InstantRun::name_of(const Watch& watch) const {
  switch (watch.kind) {
    case Watched::event:
      return fmt::format("event '{}'", motion_.model().events[watch.index].name);
    case Watched::gap:
    case Watched::normal_force:
      return fmt::format("contact '{}'", system_.elements()[watch.index].name);
    case Watched::determinant:
    case Watched::limits:
      return "the sliding contacts together";
    default: {
      const TouchElement& e = system_.elements()[watch.index];
      return fmt::format("{} '{}'", e.is_contact() ? "contact" : "friction", e.name);
    }
  }
}

/// Counts instants that follow each other without time between them.
bool InstantRun::count_instant(const std::string& culprit) {
  if (t_ - instant_ > 16 * epsilon * std::max(std::abs(t_), 1e-300)) {
    instant_ = t_;
    in_instant_ = 0;
  }
  if (++in_instant_ <= most_in_an_instant) return true;
  return stop(
      fmt::format("at t = {:.9g} more than {} things happen in one instant, the last of "
                  "them to {}: nothing brings it to an end",
                  t_, most_in_an_instant, culprit));
}

bool InstantRun::handle(std::span<const Root> fired) {
  const bool first = !started_;
  const bool strikes = !clocks_.empty() || strikes_now();
  if (options_.event_rows && !first && (!fired.empty() || strikes) && !emit(t_, y_)) return false;
  for (const Root& root : fired) {
    if (watches_[root.watch].kind != Watched::law) continue;
    std::string what;
    if (!evaluate_here() || !system_.solve(directed())) return give_up();
    least_of_law(watches_[root.watch].index, &what);
    return stop(fmt::format("at t = {:.9g} {}", t_, what));
  }
  for (const Root& root : fired) {
    if (watches_[root.watch].kind == Watched::limits) return stop_at_several();
    if (watches_[root.watch].kind != Watched::determinant) continue;
    return stop(fmt::format(
        "at t = {:.9g} the equations of what slides become singular: from there on Coulomb's law "
        "has no solution or several for {} (Painlevé)",
        t_, in_conflict({})));
  }
  if (first) {  // h before anything happens
    if (!evaluate_here()) return false;
    const Sight sight = system_.look(t_, q(), v(), {});
    for (std::size_t w = 0; w < when_events_.size(); ++w) {
      if (std::abs(sight.whens[w]) > 0) event_signs_[w] = sight.whens[w] > 0 ? 1 : -1;
    }
  }
  for (const Root& root : fired) {
    if (!count_instant(name_of(watches_[root.watch]))) return false;
  }
  const Modes before = modes_;
  begin_record(fired);
  bool struck = false;
  if (!happen(fired, struck)) return false;
  if (!decide(fired, {})) return false;
  if (struck) {
    double later = 0;
    std::vector<std::size_t> ending;
    if (!follow_bounces(ending, later)) return false;
    if (!ending.empty()) {
      if (!settle(ending)) return false;
      for (const std::size_t i : ending) close_later_[i] = later;
      if (!decide({}, ending)) return false;
    }
  }
  if (!first) log_changes(before);
  end_record();
  std::ranges::fill(close_later_, 0.0);
  if (done_) {
    const bool due = next_sample_ < times_.count() && times_[next_sample_] == t_;
    if (due) ++next_sample_;
    return emit(t_, y_);
  }
  return !options_.event_rows || first || (fired.empty() && !strikes) || emit(t_, y_);
}

/// What counts as zero of the events that have just been found: what they are here, but no more
/// than what rounding of the state makes of them. A steep `when` is far from zero at the nearest
/// state that there is.
void InstantRun::set_event_floors() {
  if (std::ranges::find(event_signs_, 0) == event_signs_.end()) return;
  std::vector<double> noise(event_values_.size(), 0.0);
  for (const bool alternately : {false, true}) {
    scratch_ = y_;
    for (std::size_t i = 0; i < 2 * n_; ++i)
      scratch_[i] *= 1 + (alternately && i % 2 == 1 ? -4 : 4) * epsilon;
    const std::span<double> near(scratch_);
    const auto whens = system_.look(t_ * (1 + 4 * epsilon), q(near), v(near), {}).whens;
    for (std::size_t w = 0; w < noise.size(); ++w)
      noise[w] = std::max(noise[w], std::abs(whens[w] - event_values_[w]));
  }
  for (std::size_t w = 0; w < noise.size(); ++w) {
    if (event_signs_[w] != 0) continue;
    const double size = event_sizes_[w];
    const bool jumps = !(noise[w] <= 1e-6 * size);
    const double most = 128 * epsilon * size + (jumps ? 0 : 4 * noise[w]);
    event_floors_[w] =
        std::min(std::max(2 * std::abs(event_values_[w]), jumps ? 0 : noise[w]), most);
  }
}

/// Impacts and events, until nothing more happens.
bool InstantRun::happen(std::span<const Root> fired, bool& struck) {
  std::vector<std::size_t> due;
  std::vector<std::pair<std::size_t, int>> behind;  // whens, and their signs behind this instant
  for (const Root& root : fired) {
    const Watch& watch = watches_[root.watch];
    if (watch.kind != Watched::event) continue;
    due.push_back(watch.index);
    event_signs_[watch.when] = 0;
    if (root.jumps) behind.emplace_back(watch.when, -root.from);
  }
  for (std::size_t k = 0; k < clocks_.size(); ++k) {
    if (!started_ || !(periods_[k] * static_cast<double>(strikes_[k] + 1) <= t_)) continue;
    ++strikes_[k];
    add_clock(clocks_[k]);
    due.push_back(clocks_[k]);
  }
  if (started_) take_strikes(due, behind);
  const auto whens = system_.look(t_, q(), v(), {}).whens;
  event_values_.assign(whens.begin(), whens.end());
  if (started_) add_slipped(due);
  std::ranges::sort(due);
  set_event_floors();
  for (int pass = 0;; ++pass) {
    bool struck_now = false;
    if (!strike(pass == 0 ? fired : std::span<const Root>(), struck_now)) return false;
    struck = struck || struck_now;
    if (pass > 0 && !struck_now && due.empty()) return true;
    if (!follow_events(due)) return false;
    if (done_) return true;
    due = events_by_jumps();
    for (const auto& [when, sign] : behind) {  // unless the event itself gave it another
      if (pass == 0 && event_signs_[when] == 0) event_signs_[when] = sign;
    }
    if (!due.empty() && pass > 0 &&
        !count_instant(fmt::format("event '{}'", motion_.model().events[due.front()].name)))
      return false;
  }
}

/// Events that have another sign here than they had before, without a root in a step: where t jumps
/// over a kink, and where steps of other lengths end a little further than the one that was cut.
void InstantRun::add_slipped(std::vector<std::size_t>& due) {
  for (std::size_t w = 0; w < when_events_.size(); ++w) {
    if (is_timed(w) || std::ranges::find(due, when_events_[w]) != due.end()) continue;
    const double value = event_values_[w];
    if (!(std::abs(value) > std::max(event_floors_[w], 32 * epsilon * event_sizes_[w]))) continue;
    const int sign = value > 0 ? 1 : -1;
    if (event_signs_[w] == -sign && matters({Watched::event, when_events_[w], w}, -sign)) {
      due.push_back(when_events_[w]);
      if (records()) record_.guards.push_back({Guard::Kind::event, due.back(), 0});
    }
    event_signs_[w] = sign;
  }
}

std::vector<std::size_t> InstantRun::events_by_jumps() {
  std::vector<std::size_t> due;
  const Sight sight = system_.look(t_, q(), v(), {});
  for (std::size_t w = 0; w < when_events_.size(); ++w) {
    const double value = sight.whens[w];
    event_sizes_[w] = std::max(event_sizes_[w], std::abs(value));
    const double rounding = 16 * epsilon * event_sizes_[w];
    const double before = std::exchange(event_values_[w], value);
    if (std::abs(value) <= rounding || std::abs(value - before) <= rounding) continue;
    const int sign = value > 0 ? 1 : -1;
    Watch watch{Watched::event, when_events_[w], w};
    if (event_signs_[w] == -sign && matters(watch, -sign)) due.push_back(when_events_[w]);
    event_signs_[w] = sign;
  }
  return due;
}

/// What the events do, in the order of the file, each from the values that the one before it left.
bool InstantRun::follow_events(const std::vector<std::size_t>& events) {
  for (std::size_t k = 0; k < events.size(); ++k) {
    const model::Event event = motion_.model().events[events[k]];
    log(t_, event.name, event.stop ? "stop" : "event");
    if (!event.set.empty()) {
      note_contradictions(std::span(events).first(k), events[k]);
      if (!set_by(events[k])) return false;
    }
    done_ = done_ || event.stop;
  }
  return true;
}

/// Where an event sets what one before it at this instant has set, to another value that does not
/// follow from that one.
void InstantRun::note_contradictions(std::span<const std::size_t> earlier, std::size_t index) {
  const model::Model& model = motion_.model();
  const model::Event& event = model.events[index];
  using Target = model::Event::Set::Target;
  for (std::size_t s = 0; s < event.set.size(); ++s) {
    const model::Event::Set& set = event.set[s];
    const bool discrete = set.target == Target::discrete;
    const std::string& name =
        discrete ? model.parameters[set.index].name : model.coordinates[set.index];
    const int order = set.target == Target::velocity ? 1 : 0;
    const auto is_it = [&](const expr::Symbol& symbol) {
      return symbol.name == name && (discrete || symbol.order == order);
    };
    if (expr::find_symbol(set.value.expr, is_it)) continue;
    const auto other = std::ranges::find_if(earlier, [&](std::size_t i) {
      return std::ranges::any_of(model.events[i].set, [&](const model::Event::Set& one) {
        return one.target == set.target && one.index == set.index;
      });
    });
    if (other == earlier.end()) continue;
    const double value = system_.settings()[first_setting_[index] + s];
    const double now =
        discrete ? motion_.parameters()[set.index] : y_[set.index + (order == 1 ? n_ : 0)];
    if (std::abs(value - now) <= 1e-12 * std::max(std::abs(value), std::abs(now))) continue;
    doubt(fmt::format(
        "at t = {:.9g} events '{}' and '{}' set '{}{}' to different values, {:.6g} and "
        "{:.6g}: the later one in the file counts",
        t_, model.events[*other].name, event.name, name, order == 1 ? "'" : "", now, value));
  }
}

bool InstantRun::set_by(std::size_t index) {
  const model::Event event = motion_.model().events[index];
  using Target = model::Event::Set::Target;
  const double before = started_ ? total_energy() : 0;
  if (Reset* reset = begin_reset(Reset::Kind::event)) reset->event = index;
  const auto settings = system_.settings();
  bool moved = false, changed = false;
  const flow::InstantKernels& k = system_.kernels();
  for (std::size_t s = 0; s < event.set.size(); ++s) {
    const model::Event::Set& set = event.set[s];
    const double value = settings[first_setting_[index] + s];
    if (!std::isfinite(value))
      return stop(
          fmt::format("at t = {:.9g} event '{}' sets a value that is not finite", t_, event.name));
    switch (set.target) {
      case Target::position:
        y_[set.index] = value;
        moved = true;
        break;
      case Target::velocity:
        y_[n_ + set.index] = value;
        moved = true;
        break;
      case Target::discrete: {
        const auto at = std::ranges::find(k.discretes, set.index) - k.discretes.begin();
        system_.discretes()[static_cast<std::size_t>(at)] = value;
        changed = true;
        break;
      }
    }
  }
  if (changed) {
    bind_parameters();
    find_step_ends();
  }
  if (moved) {
    // Onto the constraints, contacts and sticking left to themselves: they may part.
    const Modes none_closed(modes_.size());
    if (!system_.project_positions(t_, q(std::span(y_)), v(), none_closed, nullptr) ||
        !system_.project_velocities(t_, q(), v(std::span(y_)), none_closed, nullptr))
      return stop(
          fmt::format("at t = {:.9g} event '{}' sets a state that cannot be brought onto "
                      "the constraints",
                      t_, event.name));
    const Sight sight = system_.look(t_, q(), v(), {});
    update_sizes(sight);
    for (const TouchElement& element : system_.elements()) {
      if (!element.is_contact()) continue;
      const double gap = sight.gap(element);
      if (gap < -1e-9 * gap_sizes_[element.gap])
        return stop(
            fmt::format("at t = {:.9g} event '{}' sets a state in which contact '{}' is "
                        "penetrated by {:.6g}",
                        t_, event.name, element.name, -gap));
    }
  }
  if (started_) {
    const double after = total_energy();
    set_work_ += after - before;
  }
  return evaluate_here();
}

/// For each element the modes in question, as its gap and its rates tell.
std::vector<flow::Modes> InstantRun::candidates(std::span<const Root> fired,
                                                std::span<const std::size_t> rested, bool forced) {
  const Sight sight = system_.look(t_, q(), v(), {});
  std::vector<Modes> result;
  const Eigen::VectorXd& p = system_.solution().p;
  for (std::size_t i = 0; i < system_.elements().size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    const bool rests = std::ranges::find(rested, i) != rested.end();
    const auto has_fired = [&](Watched kind) {
      return forced && std::ranges::any_of(fired, [&](const Root& root) {
               return watches_[root.watch].kind == kind && watches_[root.watch].index == i;
             });
    };
    Modes modes;
    if (element.is_contact()) {
      const double gap = sight.gap(element), rate = sight.rate(element.gap);
      const bool touches =
          rests || modes_[i].closed() || gap <= small_gap(element, rate) ||
          std::ranges::any_of(fired, [&](const Root& root) {
            return watches_[root.watch].kind == Watched::gap && watches_[root.watch].index == i;
          });
      TouchMode apart;
      apart.given = true;
      if (!touches || (!rests && rate > small_rate(element.gap))) {
        result.push_back({apart});
        continue;
      }
      if (has_fired(Watched::normal_force)) {
        result.push_back({TouchMode{}});
        continue;
      }
    }
    const TouchLaw law = system_.laws()[i];
    TouchMode mode;
    if (element.slips == 0 || (element.is_contact() && law.sliding == 0 && law.sticking == 0)) {
      mode.hold = Hold::smooth;
      modes.push_back(mode);
    } else {
      std::array<double, 3> u = {0, 0, 0};
      double fastest = 0;
      for (std::size_t c = 0; c < element.slips; ++c) {
        u[c] = sight.rate(element.slip + c);
        fastest = std::max(fastest, rate_sizes_[element.slip + c]);
      }
      const double size = std::hypot(u[0], u[1], u[2]);
      // A fired watch of slip whose speed is not small has only turned.
      bool at_rest = !slides(element, sight);
      const bool stopped = std::ranges::any_of(fired, [&](const Root& root) {
        return watches_[root.watch].kind == Watched::slip && watches_[root.watch].index == i;
      });
      if (stopped && !at_rest)
        at_rest =
            element.slips == 1 || size <= std::clamp(10 * options_.rtol, 1e-12, 1e-6) * fastest;
      if (!at_rest) {
        mode.hold = Hold::slide;
        mode.d = {u[0] / size, u[1] / size, u[2] / size};
        modes.push_back(mode);
      } else {
        const bool leaves = has_fired(Watched::cone) && modes_[i].hold == Hold::stick;
        mode.hold = Hold::stick;
        if (!leaves) modes.push_back(mode);
        mode.hold = Hold::slide;
        mode.from_rest = true;
        for (std::size_t c = 0; c < element.slips && p.size() > 0; ++c)
          u[c] = -p[flow::index(element.slip + c)];
        const double force = std::hypot(u[0], u[1], u[2]);
        if (element.slips == 1) {
          mode.d = {u[0] < 0 ? -1.0 : 1.0, 0, 0};
          modes.push_back(mode);
          mode.d[0] = -mode.d[0];
          if (!leaves) modes.push_back(mode);
        } else {
          mode.d = force > 0 ? std::array{u[0] / force, u[1] / force, u[2] / force}
                             : std::array{1.0, 0.0, 0.0};
          modes.push_back(mode);
        }
      }
    }
    if (element.is_contact()) modes.push_back({});
    result.push_back(std::move(modes));
  }
  return result;
}

/// The modes in which the motion goes on, all together.
bool InstantRun::decide(std::span<const Root> fired, std::span<const std::size_t> rested) {
  if (modes_.empty()) return true;
  // The forces before tell where to what sticks would slide.
  if (!evaluate_here()) return false;
  system_.solve(modes_);
  const auto choose = [&](bool forced) {
    const std::vector<Modes> choices = candidates(fired, rested, forced);
    flow::RowProblem& problem = system_.acceleration_problem();
    flow::count_friction(problem, flow::first_of(choices));
    return flow::choose_modes(problem, choices, system_.solver());
  };
  flow::ModeChoice choice = choose(true);
  if (choice.outcome != flow::ModeChoice::Outcome::one && !fired.empty()) choice = choose(false);
  if (choice.outcome == flow::ModeChoice::Outcome::none) {
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const TouchElement& element = system_.elements()[i];
      const double limit = system_.laws()[i].sliding;
      if (!element.is_contact() && limit < 0)
        return stop(fmt::format("at t = {:.9g} the limit of friction '{}' is negative, {:.6g}", t_,
                                element.name, limit));
    }
  }
  if (choice.outcome != flow::ModeChoice::Outcome::one)
    return stop(fmt::format("at t = {:.9g} {} for {}{}", t_,
                            choice.outcome == flow::ModeChoice::Outcome::none
                                ? "contact forces that satisfy Coulomb's law do not exist"
                                : "contact forces that satisfy Coulomb's law are several, with "
                                  "different accelerations,",
                            in_conflict(choice), choice.counted ? " (Painlevé)" : ""));
  if (!choice.decided) note_undecided();
  modes_ = choice.modes;
  for (TouchMode& mode : modes_) mode.given = false;
  note_departures();
  set_gap_floors(fired);
  // What is closed and what sticks, to rounding.
  if (!system_.project_positions(t_, q(std::span(y_)), v(), modes_, nullptr) ||
      !system_.project_velocities(t_, q(), v(std::span(y_)), modes_, nullptr))
    return stop(fmt::format("at t = {:.9g} the state cannot be brought onto the contacts", t_));
  return true;
}

/// A contact may open by an acceleration that turns round at once: it is back before its gap can be
/// told from zero, and would open again and again at one instant. Each time more is then taken for
/// zero, until it is gone or approaches for all to see.
void InstantRun::set_gap_floors(std::span<const Root> fired) {
  for (const Root& root : fired) {
    const Watch& watch = watches_[root.watch];
    if (watch.kind != Watched::gap || root.clear) continue;
    double& floor = gap_floors_[watch.index];
    floor = modes_[watch.index].closed() ? 0 : std::max(4 * watch.uncertain, 8 * floor);
  }
}

/// The contacts and frictions in question, and of several modes two.
std::string InstantRun::in_conflict(const flow::ModeChoice& choice) const {
  std::string names;
  const bool several = choice.outcome == flow::ModeChoice::Outcome::several;
  for (std::size_t i = 0; i < system_.elements().size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    const bool by_limits = choice.modes == choice.other && element.limit_of_reactions;
    if (several && choice.modes[i] == choice.other[i] && !by_limits) continue;
    if (!several && element.is_contact() && !modes_[i].closed() && started_) continue;
    names += fmt::format("{}{} '{}'", names.empty() ? "" : ", ",
                         element.is_contact() ? "contact" : "friction", element.name);
    if (several && !by_limits)
      names += fmt::format(" ({}, or {})", flow::describe(choice.modes[i], element),
                           flow::describe(choice.other[i], element));
  }
  return names.empty() ? "the contacts" : names;
}

void InstantRun::log_changes(const Modes& before) {
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    const TouchMode& old = before[i];
    const TouchMode& now = modes_[i];
    const double t = t_ + close_later_[i];
    if (element.is_contact() && old.closed() != now.closed()) {
      if (t <= options_.duration) log(t, element.name, now.closed() ? "close" : "open");
      if (now.hold == Hold::stick && t <= options_.duration) log(t, element.name, "stick");
      continue;
    }
    if (!now.closed() && element.is_contact()) continue;
    if (now.hold == Hold::stick && old.hold != Hold::stick) log(t, element.name, verb_of(now));
    if (now.hold == Hold::slide) {
      const double along = now.d[0] * old.d[0] + now.d[1] * old.d[1] + now.d[2] * old.d[2];
      const bool turned = old.hold == Hold::slide && along < -0.5;
      if (old.hold != Hold::slide || turned) log(t, element.name, verb_of(now));
    }
  }
}

}  // namespace dalembert::motion
