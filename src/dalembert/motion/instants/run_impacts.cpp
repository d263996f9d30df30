// Impacts along a motion with instants, and bounces without end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/motion/instants/run.hpp"

namespace dalembert::motion {

namespace {

/// Heights of bounces in units of what rounding makes of the gap: below the first they may be
/// summed, below the second they must.
constexpr double low = 1e6, lowest = 1e3;

}  // namespace

/// What moves by itself, a surface or a driven constraint, does work beside what the impact takes
/// away as seen from it: with y = A q' + g_t the kinetic energy changes by P.(y+ + y-)/2 - P.g_t.
void InstantRun::add_driven_work(const flow::Impact& impact) {
  const Eigen::Map<const Eigen::VectorXd> rate(v().data(), flow::index(n_));
  const flow::InstantKernels& k = system_.kernels();
  std::vector<bool> is_slip(k.rows, false);
  for (const TouchElement& element : k.elements) {
    for (std::size_t c = 0; c < element.slips; ++c) is_slip[element.slip + c] = true;
  }
  for (std::size_t j = 0; j < k.rows; ++j) {
    const auto row = system_.A().row(flow::index(j));
    const double own = row.dot(rate), y = impact.before[flow::index(j)];
    const double terms = row.cwiseAbs().dot(rate.cwiseAbs()) + std::abs(y);
    if (std::abs(y - own) <= 16 * epsilon * terms) continue;
    double& work = y_[2 * n_ + (is_slip[j] ? 2 : 1)];
    work -= impact.P[flow::index(j)] * (y - own);
  }
}

/// The impact of all contacts that touch, if one of them approaches.
bool InstantRun::strike(std::span<const Root> fired, bool& struck) {
  if (system_.kernels().contacts == 0) return true;
  const Sight sight = system_.look(t_, q(), v(), {});
  update_sizes(sight);
  std::vector<std::size_t> touching;
  std::string names;
  bool approaches = false;
  for (std::size_t i = 0; i < system_.kernels().contacts; ++i) {
    const TouchElement& element = system_.elements()[i];
    const double gap = sight.gap(element), rate = sight.rate(element.gap);
    const bool has_fired = std::ranges::any_of(fired, [&](const Root& root) {
      return watches_[root.watch].kind == Watched::gap && watches_[root.watch].index == i;
    });
    if (!(has_fired || modes_[i].closed() || gap <= small_gap(element, rate))) continue;
    touching.push_back(i);
    if (!(rate < -small_rate(element.gap))) continue;
    approaches = true;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", element.name);
  }
  if (!approaches) return true;
  if (!count_instant("contact " + names)) return false;
  if (!evaluate_here()) return false;
  if (!system_.measure(t_, q(), v()))
    return stop(fmt::format("at t = {:.9g}, {}", t_, system_.problem()));
  const flow::Impact impact = flow::solve_impact(system_, touching, system_.laws(),
                                                 motion_.model().contacts, touching.size() > 1);
  if (!impact.solved)
    return stop(
        fmt::format("at t = {:.9g}, in the impact of contact {}: {}", t_, names, impact.problem));
  if (impact.order_matters) {
    const std::vector<model::Contact>& contacts = motion_.model().contacts;
    std::string all;
    bool stated = true;
    for (const std::size_t i : touching) {
      all += fmt::format("{}'{}'", all.empty() ? "" : ", ", system_.elements()[i].name);
      stated = stated && contacts[i].impact_stated;
    }
    const std::string what = fmt::format(
        "at t = {:.9g} contacts {} are struck at once, and the velocities after the impact depend "
        "on which is struck first",
        t_, all);
    const std::string_view law = model::to_string(contacts[touching.front()].impact);
    if (!stated)
      return stop(fmt::format(
          "{}: write impact = \"{}\" in each of them to have all struck together", what, law));
    doubt(fmt::format("{}: they were struck together, by the {} law", what, law));
  }
  struck = true;
  if (Reset* reset = begin_reset(Reset::Kind::impact)) {
    reset->P = impact.P;
    reset->stretches = impact.stretches;
    Modes apart(modes_.size());
    for (TouchMode& mode : apart) mode.given = true;
    for (const Modes& phase : impact.phases) {
      Modes& modes = reset->phases.emplace_back(apart);
      for (std::size_t k = 0; k < touching.size(); ++k) modes[touching[k]] = phase[k];
    }
  }
  const Eigen::VectorXd jump = system_.response(impact.P);
  add_driven_work(impact);
  for (std::size_t i = 0; i < n_; ++i) y_[n_ + i] += jump[flow::index(i)];
  impact_work_ += impact.energy;
  double size = 0;
  for (const std::size_t i : touching)
    size = std::max(size, std::abs(impact.P[flow::index(system_.elements()[i].gap)]) *
                              std::sqrt(system_.W()(flow::index(system_.elements()[i].gap),
                                                    flow::index(system_.elements()[i].gap))));
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const TouchElement& element = system_.elements()[touching[k]];
    const Eigen::Index gap = flow::index(element.gap);
    if (!(impact.P[gap] * std::sqrt(system_.W()(gap, gap)) > 1e-9 * size)) continue;
    EventRow row;
    row.t = t_;
    row.name = element.name;
    row.kind = "impact";
    row.impulse = impact.P[gap];
    row.rate_before = impact.before[gap];
    row.rate_after = impact.after[gap];
    row.energy = impact.energies[k];
    log(std::move(row));
  }
  // What its law of impact lets rest does, to rounding.
  Modes closed(modes_.size()), touched(modes_.size());
  for (const std::size_t i : touching) {
    const TouchElement& element = system_.elements()[i];
    touched[i].hold = Hold::smooth;
    const Eigen::Index gap = flow::index(element.gap);
    if (std::abs(impact.after[gap]) <=
        1e-12 * std::max(std::abs(impact.before[gap]), rate_sizes_[element.gap]))
      closed[i].hold = Hold::smooth;
  }
  if (!system_.project_positions(t_, q(std::span(y_)), v(), touched, nullptr) ||
      !system_.project_velocities(t_, q(), v(std::span(y_)), closed, nullptr))
    return stop(fmt::format(
        "at t = {:.9g} the state cannot be brought onto the constraints after the impact", t_));
  return true;
}

/// When the bounces end, with v+ of each departure e times that of the one before and a flight of
/// 2 v+ / a: t + flight / (1 - e). Where the acceleration a changes on the way that is wrong by
/// c L^2 + d L^3 + ..., L the time that is left, which shrinks by e: two such estimates give one
/// without c, three without d. Of these the steadiest; they are the later ones until rounding,
/// which they magnify, takes over.
double InstantRun::end_of_bounces(Bounce& now, const Bounce& last, double& error) {
  error = HUGE_VAL;
  if (!(now.ratio >= 0 && now.ratio < 1)) return NAN;
  now.ends[0] = now.t + now.flight / (1 - now.ratio);
  double shrinks = now.ratio;
  double end = now.ends[0];
  for (std::size_t k = 0; k < now.ends.size(); ++k) {
    if (k > 0) {
      shrinks *= now.ratio;
      now.ends[k] = (now.ends[k - 1] - shrinks * last.ends[k - 1]) / (1 - shrinks);
    }
    const double unsteady = std::abs(now.ends[k] - last.ends[k]);
    if (unsteady < error) {
      error = unsteady;
      end = now.ends[k];
    }
  }
  return end;
}

/// After an impact and the decision behind it: which contacts come to rest by bounces without end,
/// and how much later.
bool InstantRun::follow_bounces(std::vector<std::size_t>& rested, double& later) {
  if (!evaluate_here()) return false;
  if (!system_.solve(modes_)) return true;
  const Sight sight = system_.look(t_, q(), v(), {});
  const Eigen::VectorXd& y = system_.solution().y;
  for (std::size_t i = 0; i < bounces_.size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    const double rate = sight.rate(element.gap), a = y[flow::index(element.gap)];
    const double grain = epsilon * std::max(gap_sizes_[element.gap], 1e-300);
    if (modes_[i].closed() || sight.gap(element) > low * grain || !(rate > 0)) continue;
    Bounce& bounce = bounces_[i];
    if (!(a < 0)) {
      bounce = {};
      continue;
    }
    Bounce now;
    now.t = t_;
    now.rate = rate;
    now.flight = -2 * rate / a;
    now.height = -rate * rate / (2 * a);
    if (bounce.t >= 0) now.ratio = rate / bounce.rate;
    const double apart = t_ - bounce.t;
    const Bounce last = bounce;
    double end_error = 0;
    const double end = end_of_bounces(now, last, end_error);
    bounce = now;
    if (now.height <= 30 * grain) {
      rested.push_back(i);
      later = std::max(later, now.flight);
      continue;
    }
    if (last.t < 0 || last.ratio < 0 || !(now.ratio < 1) || !(now.height <= low * grain)) continue;
    const bool alone = std::abs(apart / last.flight - 1) < 1e-3;
    double left = apart * now.ratio / (1 - now.ratio);
    double error = left * std::abs(now.ratio - last.ratio) / (1 - now.ratio);
    if (alone) left = std::max(end - t_, 0.0);
    if (alone) error = end_error;
    if (error > 1e-12 * std::max(t_, left) && now.height > lowest * grain) continue;
    rested.push_back(i);
    later = std::max(later, left);
  }
  if (rested.empty()) return true;
  // With them what touches or all but touches.
  for (std::size_t i = 0; i < bounces_.size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    const double grain = epsilon * std::max(gap_sizes_[element.gap], 1e-300);
    if (std::ranges::find(rested, i) != rested.end() || modes_[i].closed()) continue;
    if (sight.gap(element) <= low * grain && bounces_[i].t >= 0 &&
        bounces_[i].height <= low * grain)
      rested.push_back(i);
  }
  return true;
}

/// Takes the rates of gaps away, with the friction that goes with it: what all bounces to come do
/// beyond what the contact does in that time.
bool InstantRun::settle(std::span<const std::size_t> rested) {
  if (!evaluate_here()) return false;
  const Sight sight = system_.look(t_, q(), v(), {});
  flow::RowProblem problem;
  problem.elements = system_.elements();
  problem.constraints = system_.kernels().constraints;
  problem.W = &system_.W();
  problem.c.setZero(flow::index(system_.kernels().rows));
  problem.laws.assign(system_.laws().begin(), system_.laws().end());
  Modes modes(modes_.size());
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const TouchElement& element = system_.elements()[i];
    if (!element.is_contact()) continue;
    const bool rests = std::ranges::find(rested, i) != rested.end();
    if (!rests && !modes_[i].closed()) continue;
    problem.c[flow::index(element.gap)] = sight.rate(element.gap);
    modes[i].hold = Hold::smooth;
    if (element.slips == 0 || system_.laws()[i].sliding == 0) continue;
    double speed = 0;
    for (std::size_t c = 0; c < element.slips; ++c) {
      problem.c[flow::index(element.slip + c)] = sight.rate(element.slip + c);
      speed = std::hypot(speed, sight.rate(element.slip + c));
    }
    const bool slipping = slides(element, sight) && speed > 10 * system_.laws()[i].sliding *
                                                                std::abs(sight.rate(element.gap));
    modes[i].hold = slipping ? Hold::slide : Hold::stick;
    for (std::size_t c = 0; slipping && c < element.slips; ++c)
      modes[i].d[c] = sight.rate(element.slip + c) / speed;
  }
  problem.size = problem.c.lpNorm<Eigen::Infinity>();
  flow::RowSolution solution;
  flow::RowSolver solver;
  solver.solve(problem, modes, solution);
  if (!solution.solved) return true;
  if (Reset* reset = begin_reset(Reset::Kind::bounces)) {
    reset->P = solution.p;
    reset->phases.push_back(modes);
  }
  const Eigen::VectorXd jump = system_.response(solution.p);
  const double before =
      system_.kinetic_metric(Eigen::Map<const Eigen::VectorXd>(v().data(), flow::index(n_)));
  for (std::size_t i = 0; i < n_; ++i) y_[n_ + i] += jump[flow::index(i)];
  impact_work_ +=
      system_.kinetic_metric(Eigen::Map<const Eigen::VectorXd>(v().data(), flow::index(n_))) -
      before;
  return true;
}

}  // namespace dalembert::motion
