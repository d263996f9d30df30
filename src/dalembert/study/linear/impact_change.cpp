#include "dalembert/study/linear/impact_change.hpp"

#include <algorithm>
#include <cmath>

namespace dalembert::study {

namespace {

using Eigen::Index;
using flow::Hold;
using flow::index;
using flow::Modes;
using flow::RowRule;
using flow::RowTask;
using flow::TouchElement;

/// A number with its changes.
struct Changing {
  double x = 0;
  Eigen::RowVectorXd d;

  Changing operator+(const Changing& o) const { return {x + o.x, d + o.d}; }
  Changing operator-(const Changing& o) const { return {x - o.x, d - o.d}; }
  Changing operator*(const Changing& o) const { return {x * o.x, x * o.d + o.x * d}; }
  Changing operator/(const Changing& o) const { return {x / o.x, (d - x / o.x * o.d) / o.x}; }
  Changing operator*(double k) const { return {k * x, k * d}; }
};

Changing sqrt(const Changing& a) {
  const double root = std::sqrt(a.x);
  return {root, a.d / (2 * root)};
}

/// What a phase solves: constraints held, of contacts what their modes say.
RowTask phase_task(const flow::RowSystem& system, const Modes& modes) {
  RowTask task;
  task.rules.assign(system.kernels().rows, RowRule::free);
  std::fill_n(task.rules.begin(), system.kernels().constraints, RowRule::held);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const TouchElement& element = system.elements()[i];
    if (!element.is_contact() || !modes[i].closed()) continue;
    task.rules[element.gap] = modes[i].given ? RowRule::given : RowRule::held;
    for (std::size_t k = 0; k < element.slips; ++k) {
      if (modes[i].hold == Hold::stick) task.rules[element.slip + k] = RowRule::held;
      if (modes[i].hold == Hold::slide) task.rules[element.slip + k] = RowRule::slides;
    }
  }
  task.modes = &modes;
  task.laws = system.laws();
  return task;
}

class ImpactChange {
 public:
  ImpactChange(flow::RowSystem& system, flow::InstantDerivatives& derivatives, ChangingState& state)
      : system_(system), derivatives_(derivatives), state_(state), n_(index(state.n())) {}

  /// One phase, by modes with the directions found in it. `restitution`: Newton's law holds in it;
  /// `expansion`: the impulses of contacts whose modes are given are e times those of the phase
  /// before.
  bool follow(const Modes& modes, bool restitution, bool expansion, RowTask::Turn turn) {
    if (!system_.evaluate(state_.t, state_.q(), state_.v())) return false;
    const Index rows = index(system_.kernels().rows);
    derivatives_.place(state_.t, state_.q(), state_.v(), Eigen::VectorXd::Zero(n_),
                       Eigen::VectorXd::Zero(rows), system_.reactions(), true);
    RowTask task = phase_task(system_, modes);
    Eigen::VectorXd wanted = derivatives_.rates();
    Eigen::MatrixXd rest = derivatives_.change_of_rates(state_.Z);
    for (std::size_t i = 0; i < system_.kernels().contacts; ++i) {
      const Index gap = index(system_.elements()[i].gap);
      const double e = system_.laws()[i].restitution, rate = wanted[gap];
      const Eigen::RowVectorXd e_change =
          derivatives_.law_z().row(derivatives_.law_row(i)) * state_.Z;
      if (restitution && rate < 0) {
        wanted[gap] *= 1 + e;
        rest.row(gap) = (1 + e) * rest.row(gap) + rate * e_change;
      }
      if (expansion && modes[i].given && modes[i].closed()) {
        wanted[gap] = -e * impulses_[gap];
        rest.row(gap) = -impulses_[gap] * e_change - e * impulse_change_.row(gap);
      }
    }
    Eigen::VectorXd s;
    if (!derivatives_.solve_values(task, wanted, s, impulses_)) return false;
    derivatives_.place(state_.t, state_.q(), state_.v(), s, impulses_, system_.reactions(), true);
    task.turn = turn;
    return finish(task, s, rest);
  }

  bool follow_energetic(std::size_t contact) {
    if (!system_.evaluate(state_.t, state_.q(), state_.v())) return false;
    const TouchElement& element = system_.elements()[contact];
    const Index gap = index(element.gap), slip = index(element.slip);
    RowTask task;
    task.rules.assign(system_.kernels().rows, RowRule::free);
    std::fill_n(task.rules.begin(), system_.kernels().constraints, RowRule::held);
    task.rules[element.gap] = RowRule::given;
    if (element.slips > 0) task.rules[element.slip] = RowRule::given;
    const Index rows = index(system_.kernels().rows), columns = state_.Z.cols();
    Changing w[2][2];
    Eigen::VectorXd s, p;
    Eigen::MatrixXd change;
    const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(rows);
    for (int column = 0; column < (element.slips > 0 ? 2 : 1); ++column) {
      derivatives_.place(state_.t, state_.q(), state_.v(), Eigen::VectorXd::Zero(n_), nothing,
                         system_.reactions(), true);
      Eigen::VectorXd unit = nothing;
      unit[column == 0 ? gap : slip] = -1;
      if (!derivatives_.solve_values(task, unit, s, p)) return false;
      derivatives_.place(state_.t, state_.q(), state_.v(), s, p, system_.reactions(), true);
      if (!derivatives_.solve(task, state_.Z, Eigen::MatrixXd::Zero(rows, columns), change))
        return false;
      const Eigen::MatrixXd products = derivatives_.change_of_products(state_.Z, change);
      w[0][column] = {derivatives_.A().row(gap).dot(s), products.row(gap)};
      if (element.slips > 0) w[1][column] = {derivatives_.A().row(slip).dot(s), products.row(slip)};
    }
    const Eigen::MatrixXd rates = derivatives_.change_of_rates(state_.Z);
    const Index law = derivatives_.law_row(contact);
    const Changing none{0, Eigen::RowVectorXd::Zero(columns)};
    Changing c{derivatives_.rates()[gap], rates.row(gap)}, along = none, mu = none;
    const Changing e{system_.laws()[contact].restitution, derivatives_.law_z().row(law) * state_.Z};
    if (element.slips > 0) {
      along = {derivatives_.rates()[slip], rates.row(slip)};
      mu = {system_.laws()[contact].sliding, derivatives_.law_z().row(law + 1) * state_.Z};
    } else {
      for (auto* entry : {&w[0][1], &w[1][0], &w[1][1]}) *entry = none;
    }
    Changing normal = none, tangential = none;
    strike(w, c, along, mu, e, normal, tangential);
    Eigen::VectorXd wanted = derivatives_.rates();
    for (Index j = 0; j < rows; ++j) {
      if (task.rules[static_cast<std::size_t>(j)] != RowRule::held) wanted[j] = 0;
    }
    wanted[gap] = -normal.x;
    Eigen::MatrixXd rest = rates;
    rest.row(gap) = -normal.d;
    if (element.slips > 0) {
      wanted[slip] = -tangential.x;
      rest.row(slip) = -tangential.d;
    }
    if (!derivatives_.solve_values(task, wanted, s, p)) return false;
    derivatives_.place(state_.t, state_.q(), state_.v(), s, p, system_.reactions(), true);
    return finish(task, s, rest);
  }

 private:
  bool finish(const RowTask& task, const Eigen::VectorXd& s, const Eigen::MatrixXd& rest) {
    Eigen::MatrixXd change;
    if (!derivatives_.solve(task, state_.Z, rest, change)) return false;
    for (Index i = 0; i < n_; ++i) state_.v()[static_cast<std::size_t>(i)] += s[i];
    state_.Z.middleRows(n_, n_) += change.topRows(n_);
    impulse_change_ = change.bottomRows(rest.rows());
    return true;
  }

  /// The energetic law along the normal impulse, as flow/instants/impacts.cpp has it.
  static void strike(const Changing (&w)[2][2], Changing c, Changing s, const Changing& mu,
                     const Changing& e, Changing& normal, Changing& tangential) {
    const Changing none{0, Eigen::RowVectorXd::Zero(c.d.size())};
    Changing work = none, wanted = none;
    bool compresses = true;
    const double tiny = 1e-14 * std::abs(s.x);
    for (int phase = 0; phase < 8; ++phase) {
      Changing ratio = none;
      if (mu.x > 0) {
        const double sign = std::abs(s.x) > tiny ? (s.x > 0 ? 1.0 : -1.0) : 0.0;
        if (sign != 0) {
          ratio = mu * -sign;
        } else if (std::abs(w[1][0].x) <= mu.x * w[1][1].x) {
          ratio = w[1][0] / w[1][1] * -1;
        } else {
          ratio = w[1][0].x > 0 ? mu * -1 : mu;
        }
      }
      const Changing slope = w[0][0] + w[0][1] * ratio, turning = w[1][0] + w[1][1] * ratio;
      Changing most{HUGE_VAL, none.d}, end{HUGE_VAL, none.d};
      if (std::abs(s.x) > tiny && s.x * turning.x < 0) most = s / turning * -1;
      if (compresses) {
        if (slope.x > 0) end = c / slope * -1;
      } else if (slope.x > 0 || c.x > 0) {
        const Changing root = c * c + slope * (wanted - work) * 2;
        if (root.x >= 0) end = (wanted - work) * 2 / (c + sqrt(root));
      }
      const Changing& p = most.x <= end.x ? most : end;
      if (!(p.x < HUGE_VAL)) return;
      const bool ends = end.x <= most.x;
      work = work + c * p + slope * p * p * 0.5;
      normal = normal + p;
      tangential = tangential + ratio * p;
      s = most.x <= end.x ? none : s + turning * p;
      c = c + slope * p;
      if (!ends) continue;
      if (!compresses || e.x == 0) return;
      compresses = false;
      c = none;
      wanted = work * (Changing{1, none.d} - e * e);
    }
  }

  flow::RowSystem& system_;
  flow::InstantDerivatives& derivatives_;
  ChangingState& state_;
  Index n_;
  Eigen::VectorXd impulses_;  ///< of the phase before
  Eigen::MatrixXd impulse_change_;
};

}  // namespace

bool follow_impact(flow::RowSystem& system, flow::InstantDerivatives& derivatives,
                   const motion::Reset& reset, std::span<const model::Contact> contacts,
                   ChangingState& state) {
  ImpactChange change(system, derivatives, state);
  if (reset.kind == motion::Reset::Kind::bounces)
    return change.follow(reset.phases.front(), false, false, RowTask::Turn::before);
  std::size_t contact = 0;
  while (!reset.phases.front()[contact].closed()) ++contact;
  if (!reset.stretches.empty()) return change.follow_energetic(contact);
  const bool newton = contacts[contact].impact == model::ImpactLaw::newton;
  for (std::size_t k = 0; k < reset.phases.size(); ++k) {
    if (!change.follow(reset.phases[k], newton, k > 0, RowTask::Turn::after)) return false;
  }
  return true;
}

bool follow_projection(const flow::RowSystem& system, flow::InstantDerivatives& derivatives,
                       ChangingState& state) {
  const flow::InstantKernels& k = system.kernels();
  const Index n = index(state.n()), rows = index(k.rows);
  const Eigen::VectorXd no_p = Eigen::VectorXd::Zero(rows), no_s = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd s, p;
  Eigen::MatrixXd change;
  for (const bool positions : {true, false}) {
    RowTask task;
    task.rules.assign(k.rows, RowRule::free);
    bool any = false;
    for (std::size_t j = 0; j < k.constraints; ++j) {
      const model::Level level = k.equations.constraints[j].level;
      if (positions ? level != model::Level::position : level == model::Level::acceleration)
        continue;
      task.rules[j] = RowRule::held;
      any = true;
    }
    double last = HUGE_VAL;
    for (int round = 0; any; ++round) {
      if (round == 25) return false;
      derivatives.place(state.t, state.q(), state.v(), no_s, no_p, system.reactions(), true);
      const Eigen::VectorXd r = positions ? derivatives.residuals() : derivatives.rates();
      if (!derivatives.solve_values(task, r, s, p)) return false;
      derivatives.place(state.t, state.q(), state.v(), s, p, system.reactions(), true);
      const Eigen::MatrixXd rest = positions ? derivatives.change_of_residuals(state.Z)
                                             : derivatives.change_of_rates(state.Z);
      if (!derivatives.solve(task, state.Z, rest, change)) return false;
      const std::span<double> x = positions ? state.q() : state.v();
      double size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += s[index(i)];
        size = std::max(size, std::abs(x[i]));
      }
      state.Z.middleRows(positions ? 0 : n, n) += change.topRows(n);
      const double step = s.lpNorm<Eigen::Infinity>();
      if (step <= 1e-14 * size || (step <= 1e-11 * size && step >= last / 2)) break;
      last = step;
    }
  }
  return true;
}

}  // namespace dalembert::study
