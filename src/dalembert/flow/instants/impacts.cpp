#include "dalembert/flow/instants/impacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace dalembert::flow {

namespace {

using model::ImpactLaw;

/// The problem in rates of some contacts, the others left alone.
class Strike {
 public:
  Strike(const RowSystem& system, std::vector<TouchElement> elements, std::vector<TouchLaw> laws,
         ImpactLaw law)
      : system_(system), elements_(std::move(elements)), laws_(std::move(laws)), law_(law) {}

  /// From rates y; P is what is added.
  bool solve(const Eigen::VectorXd& y, Eigen::VectorXd& P, std::string& problem) {
    phases_.clear();
    stretches_.clear();
    switch (law_) {
      case ImpactLaw::newton:
        return newton(y, true, P, problem);
      case ImpactLaw::poisson:
        return poisson(y, P, problem);
      case ImpactLaw::energetic:
        return energetic(y, P, problem);
    }
    return false;
  }

  /// Of the last solution; see Impact.
  const std::vector<Modes>& phases() const { return phases_; }
  const std::vector<double>& stretches() const { return stretches_; }

 private:
  RowProblem problem_for(const Eigen::VectorXd& y) const {
    RowProblem problem;
    problem.elements = elements_;
    problem.constraints = system_.kernels().constraints;
    problem.W = &system_.W();
    problem.c = y;
    problem.laws = laws_;
    for (TouchLaw& law : problem.laws) law.sticking = law.sliding;
    for (const TouchElement& element : elements_) {
      for (std::size_t j = element.gap; j < element.gap + 1 + element.slips; ++j)
        problem.size = std::max(problem.size,
                                std::abs(y[index(j)]) / std::sqrt(system_.W()(index(j), index(j))));
    }
    return problem;
  }

  static void add_tangential(const TouchElement& element, const TouchLaw& law, bool given,
                             const Eigen::VectorXd& y, Modes& modes) {
    TouchMode mode;
    mode.given = given;
    if (element.slips == 0 || law.sliding == 0) {
      mode.hold = Hold::smooth;
      modes.push_back(mode);
      return;
    }
    mode.hold = Hold::stick;
    modes.push_back(mode);
    mode.hold = Hold::slide;
    mode.from_rest = true;
    if (element.slips == 1) {
      mode.d = {1, 0, 0};
      modes.push_back(mode);
      mode.d = {-1, 0, 0};
    } else {
      const double u = y[index(element.slip)], w = y[index(element.slip + 1)];
      const double size = std::hypot(u, w);
      mode.d = size > 0 ? std::array{u / size, w / size, 0.0} : std::array{1.0, 0.0, 0.0};
    }
    modes.push_back(mode);
  }

  bool choose(const RowProblem& problem, const std::vector<Modes>& candidates, Eigen::VectorXd& P,
              std::string& why) {
    ModeChoice choice = choose_modes(problem, candidates, solver_);
    switch (choice.outcome) {
      case ModeChoice::Outcome::one:
        P = choice.solution.p;
        phases_.push_back(std::move(choice.modes));
        return true;
      case ModeChoice::Outcome::none:
        why = "no impulses satisfy the law of impact and Coulomb's friction together (Painlevé)";
        return false;
      case ModeChoice::Outcome::several:
        why = "several impulses satisfy the law of impact and Coulomb's friction";
        return false;
    }
    return false;
  }

  bool newton(const Eigen::VectorXd& y, bool restitution, Eigen::VectorXd& P, std::string& why) {
    RowProblem problem = problem_for(y);
    std::vector<Modes> candidates;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      Modes modes;
      add_tangential(elements_[i], laws_[i], false, y, modes);
      modes.push_back({});
      candidates.push_back(std::move(modes));
      const Eigen::Index gap = index(elements_[i].gap);
      if (restitution) problem.c[gap] += laws_[i].restitution * std::min(y[gap], 0.0);
    }
    return choose(problem, candidates, P, why);
  }

  bool poisson(const Eigen::VectorXd& y, Eigen::VectorXd& P, std::string& why) {
    if (!newton(y, false, P, why)) return false;
    const Eigen::VectorXd between = y + system_.W() * P;
    RowProblem problem = problem_for(between);
    problem.size = problem_for(y).size;
    std::vector<Modes> candidates;
    bool expands = false;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      Modes modes;
      add_tangential(elements_[i], laws_[i], false, between, modes);
      add_tangential(elements_[i], laws_[i], true, between, modes);
      candidates.push_back(std::move(modes));
      problem.base.push_back(laws_[i].restitution * P[index(elements_[i].gap)]);
      expands = expands || problem.base.back() > 0;
    }
    if (!expands) return true;
    Eigen::VectorXd expansion;
    if (!choose(problem, candidates, expansion, why)) return false;
    P += expansion;
    return true;
  }

  /// How the gap and the slip of the one contact respond to its own impulses, constraints held.
  Eigen::Matrix2d own_response(std::size_t gap, std::size_t slip, bool has_slip) {
    RowProblem problem;
    problem.constraints = system_.kernels().constraints;
    problem.W = &system_.W();
    Eigen::Matrix2d w = Eigen::Matrix2d::Zero();
    for (int column = 0; column < (has_slip ? 2 : 1); ++column) {
      unit_[column] = Eigen::VectorXd::Zero(system_.W().rows());
      unit_[column][index(column == 0 ? gap : slip)] = 1;
      problem.c = system_.W() * unit_[column];
      problem.size = problem.c.lpNorm<Eigen::Infinity>();
      RowSolution solution;
      solver_.solve(problem, {}, solution);
      unit_[column] += solution.p;
      w(0, column) = solution.y[index(gap)];
      if (has_slip) w(1, column) = solution.y[index(slip)];
    }
    return w;
  }

  /// Along the normal impulse p of one contact: piecewise linear in p between reversals of slip.
  bool energetic(const Eigen::VectorXd& y, Eigen::VectorXd& P, std::string& why) {
    if (elements_.size() != 1 || elements_[0].slips > 1) {
      why = elements_.size() != 1
                ? "the energetic law is one of single contacts, and several touch"
                : "the energetic law is one of slip in one direction, and this contact has two";
      return false;
    }
    const TouchElement& element = elements_[0];
    const double mu = element.slips > 0 ? laws_[0].sliding : 0;
    const double e = laws_[0].restitution;
    const Eigen::Matrix2d w = own_response(element.gap, element.slip, element.slips > 0);
    double c = y[index(element.gap)];
    double s = element.slips > 0 ? y[index(element.slip)] : 0;
    double normal = 0, tangential = 0, work = 0, wanted = 0;
    bool compresses = true;
    const double tiny = 1e-14 * std::abs(s);
    for (int phase = 0; phase < 8; ++phase) {
      double ratio = 0;  // of the friction impulse to p
      TouchMode mode;
      mode.hold = Hold::smooth;
      if (mu > 0) {
        mode.hold = Hold::slide;
        const double sign = std::abs(s) > tiny ? (s > 0 ? 1.0 : -1.0) : 0.0;
        if (sign != 0) {
          ratio = -mu * sign;
        } else if (std::abs(w(1, 0)) <= mu * w(1, 1)) {
          ratio = -w(1, 0) / w(1, 1);
          mode.hold = Hold::stick;
        } else {
          ratio = w(1, 0) > 0 ? -mu : mu;
        }
        if (mode.hold == Hold::slide) mode.d[0] = ratio > 0 ? -1 : 1;
      }
      const double slope = w(0, 0) + w(0, 1) * ratio;
      const double turning = w(1, 0) + w(1, 1) * ratio;
      // How far until the slip has gone, the compression ends, or the work is regained.
      double most = HUGE_VAL;
      const bool reverses = std::abs(s) > tiny && s * turning < 0;
      if (reverses) most = -s / turning;
      double end = HUGE_VAL;
      if (compresses) {
        if (slope > 0) end = -c / slope;
      } else if (slope > 0 || c > 0) {
        // work + c p + slope p^2/2 = wanted
        const double root = c * c + 2 * slope * (wanted - work);
        if (root >= 0) end = 2 * (wanted - work) / (c + std::sqrt(root));
      }
      if (!(std::min(most, end) < HUGE_VAL)) {
        why = "by the energetic law the impact never ends (Painlevé)";
        return false;
      }
      const double p = std::min(most, end);
      work += c * p + slope * p * p / 2;
      c += slope * p;
      s = most <= end ? 0 : s + turning * p;
      normal += p;
      tangential += ratio * p;
      phases_.push_back({mode});
      stretches_.push_back(p);
      if (end <= most) {
        if (!compresses || e == 0) break;
        compresses = false;
        c = 0;
        wanted = work * (1 - e * e);
      }
    }
    P = normal * unit_[0];
    if (element.slips > 0) P += tangential * unit_[1];
    return true;
  }

  const RowSystem& system_;
  std::vector<TouchElement> elements_;
  std::vector<TouchLaw> laws_;
  ImpactLaw law_;
  RowSolver solver_;
  Eigen::VectorXd unit_[2];
  std::vector<Modes> phases_;
  std::vector<double> stretches_;
};

/// The rates behind blows of one contact after the other; none if they do not come to an end.
std::optional<Eigen::VectorXd> one_by_one(const RowSystem& system, std::vector<Strike>& single,
                                          std::span<const TouchElement> elements, Eigen::VectorXd y,
                                          bool backwards, double size) {
  Eigen::VectorXd P;
  std::string why;
  for (int round = 0; round < 300; ++round) {
    bool struck = false;
    for (std::size_t k = 0; k < single.size(); ++k) {
      const std::size_t i = backwards ? single.size() - 1 - k : k;
      const Eigen::Index gap = index(elements[i].gap);
      if (!(y[gap] / std::sqrt(system.W()(gap, gap)) < -1e-9 * size)) continue;
      if (!single[i].solve(y, P, why)) return std::nullopt;
      y += system.W() * P;
      struck = true;
    }
    if (!struck) return y;
  }
  return std::nullopt;
}

}  // namespace

Impact solve_impact(const RowSystem& system, std::span<const std::size_t> touching,
                    std::span<const TouchLaw> laws, std::span<const model::Contact> contacts,
                    bool look_at_order) {
  Impact impact;
  const auto rates = system.rates();
  impact.before = Eigen::Map<const Eigen::VectorXd>(rates.data(), index(rates.size()));
  std::vector<TouchElement> elements;
  std::vector<TouchLaw> own;
  double size = 0;
  for (const std::size_t i : touching) {
    elements.push_back(system.elements()[i]);
    own.push_back(laws[i]);
    const Eigen::Index gap = index(elements.back().gap);
    size = std::max(size, std::abs(impact.before[gap]) / std::sqrt(system.W()(gap, gap)));
  }
  const ImpactLaw law = contacts[elements.front().index].impact;
  // By the energetic law, only those that approach, if the others are left alone by them.
  std::vector<std::size_t> striking;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (contacts[elements[k].index].impact != law) {
      impact.problem = fmt::format(
          "contacts '{}' and '{}' have different laws of impact, and nothing says how they act "
          "together",
          elements.front().name, elements[k].name);
      return impact;
    }
    if (impact.before[index(elements[k].gap)] < 0) striking.push_back(k);
  }
  if (law == ImpactLaw::energetic && striking.size() == 1 && elements.size() > 1) {
    const std::size_t k = striking.front();
    Strike strike(system, {elements[k]}, {own[k]}, law);
    if (!strike.solve(impact.before, impact.P, impact.problem)) return impact;
    for (const Modes& phase : strike.phases()) {
      impact.phases.emplace_back(elements.size());
      impact.phases.back()[k] = phase.front();
    }
    impact.stretches = strike.stretches();
    const Eigen::VectorXd after = impact.before + system.W() * impact.P;
    for (const TouchElement& element : elements) {
      if (after[index(element.gap)] < -1e-9 * std::abs(impact.before[index(elements[k].gap)])) {
        impact.problem = "the energetic law is one of single contacts, and this blow strikes " +
                         fmt::format("contact '{}' too", element.name);
        return impact;
      }
    }
  } else {
    Strike strike(system, elements, own, law);
    if (!strike.solve(impact.before, impact.P, impact.problem)) return impact;
    impact.phases = strike.phases();
    impact.stretches = strike.stretches();
  }
  impact.after = impact.before + system.W() * impact.P;
  double in_play = 0;
  for (const TouchElement& element : elements) {
    double energy = 0;
    for (std::size_t j = element.gap; j < element.gap + 1 + element.slips; ++j) {
      energy += impact.P[index(j)] * (impact.after[index(j)] + impact.before[index(j)]) / 2;
      in_play +=
          impact.before[index(j)] * impact.before[index(j)] / system.W()(index(j), index(j)) / 2;
    }
    impact.energies.push_back(energy);
    impact.energy += energy;
  }
  if (impact.energy > 1e-9 * in_play) {
    impact.problem =
        fmt::format("the {} law would create energy, {:.6g} of it, as it may with friction{}",
                    model::to_string(law), impact.energy,
                    law == ImpactLaw::energetic ? "" : ": the energetic law does not");
    return impact;
  }
  impact.solved = true;
  if (look_at_order && elements.size() > 1) {
    std::vector<Strike> single;
    for (std::size_t k = 0; k < elements.size(); ++k)
      single.emplace_back(system, std::vector{elements[k]}, std::vector{own[k]}, law);
    for (const bool backwards : {false, true}) {
      const auto y = one_by_one(system, single, elements, impact.before, backwards, size);
      if (!y) continue;
      for (const TouchElement& element : elements) {
        const Eigen::Index gap = index(element.gap);
        const double apart = std::abs((*y)[gap] - impact.after[gap]);
        if (apart / std::sqrt(system.W()(gap, gap)) > 1e-6 * size) impact.order_matters = true;
      }
    }
  }
  return impact;
}

}  // namespace dalembert::flow
