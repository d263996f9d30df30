#include "dalembert/flow/instants/modes.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace dalembert::flow {

namespace {

constexpr int most_iterations = 60;

double dot(const TouchElement& element, const TouchMode& mode, const Eigen::VectorXd& x) {
  double sum = 0;
  for (std::size_t k = 0; k < element.slips; ++k)
    sum += mode.d[k] * x[static_cast<Eigen::Index>(element.slip + k)];
  return sum;
}

double length(const TouchElement& element, const Eigen::VectorXd& x) {
  double sum = 0;
  for (std::size_t k = 0; k < element.slips; ++k) {
    const double part = x[static_cast<Eigen::Index>(element.slip + k)];
    sum += part * part;
  }
  return std::sqrt(sum);
}

}  // namespace

void count_friction(RowProblem& problem, const Modes& modes) {
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const TouchElement& element = problem.elements[i];
    if (element.is_contact() || modes[i].hold != Hold::slide || modes[i].from_rest) continue;
    const double w = (*problem.W)(index(element.slip), index(element.slip));
    const double force = std::abs(problem.laws[i].sliding) * std::sqrt(w);
    if (std::isfinite(force)) problem.size = std::max(problem.size, force);
  }
}

Modes first_of(const std::vector<Modes>& candidates) {
  Modes result;
  for (const Modes& modes : candidates) result.push_back(modes.front());
  return result;
}

void RowSolver::prepare(const RowProblem& problem, const Modes& modes) {
  held_.clear();
  slid_.clear();
  for (std::size_t j = 0; j < problem.constraints; ++j) held_.push_back(j);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const TouchElement& element = problem.elements[i];
    if (modes[i].hold == Hold::open) continue;
    if (element.is_contact() && !modes[i].given) held_.push_back(element.gap);
    if (modes[i].hold == Hold::stick) {
      for (std::size_t k = 0; k < element.slips; ++k) held_.push_back(element.slip + k);
    } else if (!element.is_contact()) {
      slid_.push_back(i);
    }
  }
  const Eigen::MatrixXd& W = *problem.W;
  const auto size = static_cast<Eigen::Index>(held_.size());
  S_.setZero(W.rows(), size);
  for (Eigen::Index j = 0; j < size; ++j)
    S_(static_cast<Eigen::Index>(held_[static_cast<std::size_t>(j)]), j) = 1;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const TouchElement& element = problem.elements[i];
    if (modes[i].hold != Hold::slide || !element.is_contact() || modes[i].given) continue;
    const auto column = std::find(held_.begin(), held_.end(), element.gap) - held_.begin();
    for (std::size_t k = 0; k < element.slips; ++k)
      S_(static_cast<Eigen::Index>(element.slip + k), column) =
          -problem.laws[i].sliding * modes[i].d[k];
  }
  scale_.resize(size);
  for (Eigen::Index j = 0; j < size; ++j) {
    const auto row = static_cast<Eigen::Index>(held_[static_cast<std::size_t>(j)]);
    scale_[j] = W(row, row) > 0 ? 1 / std::sqrt(W(row, row)) : 0;
  }
  K_.resize(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    const auto row = static_cast<Eigen::Index>(held_[static_cast<std::size_t>(j)]);
    K_.row(j).noalias() = scale_[j] * (W.row(row) * S_);
  }
  K_ = K_ * scale_.asDiagonal();
  if (size > 0) {
    solver_.setThreshold(dependent);
    solver_.compute(K_);
  }
}

/// With the limits of dry friction as they stand in the solution.
void RowSolver::solve_for_limits(const RowProblem& problem, const Modes& modes,
                                 RowSolution& solution) {
  const Eigen::MatrixXd& W = *problem.W;
  solution.p.setZero(W.rows());
  for (const std::size_t i : slid_) {
    const TouchElement& element = problem.elements[i];
    for (std::size_t k = 0; k < element.slips; ++k)
      solution.p[static_cast<Eigen::Index>(element.slip + k)] =
          -solution.laws[i].sliding * modes[i].d[k];
  }
  for (std::size_t i = 0; i < problem.base.size(); ++i) {
    const TouchElement& element = problem.elements[i];
    if (modes[i].hold == Hold::open) continue;
    solution.p[static_cast<Eigen::Index>(element.gap)] = problem.base[i];
    for (std::size_t k = 0; k < element.slips && modes[i].hold == Hold::slide; ++k)
      solution.p[static_cast<Eigen::Index>(element.slip + k)] =
          -problem.laws[i].sliding * problem.base[i] * modes[i].d[k];
  }
  solution.y.noalias() = W * solution.p;
  solution.y += problem.c;
  solution.solved = true;
  solution.unique = true;
  if (held_.empty()) return;
  rhs_.resize(static_cast<Eigen::Index>(held_.size()));
  for (Eigen::Index j = 0; j < rhs_.size(); ++j)
    rhs_[j] =
        -scale_[j] * solution.y[static_cast<Eigen::Index>(held_[static_cast<std::size_t>(j)])];
  x_ = solver_.solve(rhs_);
  const double left = (K_ * x_ - rhs_).lpNorm<Eigen::Infinity>();
  solution.unique = solver_.rank() == K_.cols();
  solution.solved =
      x_.allFinite() && left <= tolerance * std::max(problem.size, rhs_.lpNorm<Eigen::Infinity>());
  x_ = scale_.asDiagonal() * x_;
  solution.p.noalias() += S_ * x_;
  if (!solution.unique) prefer_constraints(problem, solution);
  solution.y.noalias() = W * solution.p;
  solution.y += problem.c;
}

namespace {

/// The limits that go with the forces found, but for those of what slides, by which they were.
void refresh_limits(const RowProblem& problem, const Modes& modes, RowSolution& solution) {
  if (!problem.limits) return;
  std::vector<TouchLaw> laws = solution.laws;
  problem.limits(solution.p, laws);
  for (std::size_t i = 0; i < laws.size(); ++i) {
    if (!problem.elements[i].limit_of_reactions) continue;
    solution.laws[i].sticking = laws[i].sticking;
    if (modes[i].hold != Hold::slide) solution.laws[i].sliding = laws[i].sliding;
  }
}

}  // namespace

/// Of all forces that a mode leaves open, those with the least dry friction: x + N z, N the null
/// space of K, with the least |x_f + N_f z|, f the rows of dry friction. So what constraints hold
/// already asks for no friction.
void RowSolver::prefer_constraints(const RowProblem& problem, RowSolution& solution) {
  std::vector<bool> rubs(static_cast<std::size_t>(problem.W->rows()), false);
  for (const TouchElement& element : problem.elements) {
    for (std::size_t k = 0; k < element.slips && !element.is_contact(); ++k)
      rubs[element.slip + k] = true;
  }
  const auto size = static_cast<Eigen::Index>(held_.size());
  std::vector<Eigen::Index> rows;
  for (Eigen::Index j = 0; j < size; ++j) {
    if (rubs[held_[static_cast<std::size_t>(j)]]) rows.push_back(j);
  }
  if (rows.empty()) return;
  const Eigen::MatrixXd null = Eigen::MatrixXd::Identity(size, size) - solver_.pseudoInverse() * K_;
  const Eigen::VectorXd x = scale_.cwiseInverse().asDiagonal() * x_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> least;
  least.setThreshold(1e-9);
  least.compute(null(rows, Eigen::all));
  const Eigen::VectorXd step = scale_.asDiagonal() * (null * least.solve(-x(rows)));
  x_ += step;
  solution.p.noalias() += S_ * step;
}

/// The limits that go with the forces: l = L(p(l)), by Newton's method with difference quotients,
/// p being linear in l and L all but linear in p.
void RowSolver::find_limits(const RowProblem& problem, const Modes& modes, RowSolution& solution) {
  std::vector<std::size_t> unknown;
  for (const std::size_t i : slid_) {
    if (problem.elements[i].limit_of_reactions) unknown.push_back(i);
  }
  const auto count = static_cast<Eigen::Index>(unknown.size());
  const auto miss = [&](Eigen::VectorXd& out) {
    solve_for_limits(problem, modes, solution);
    std::vector<TouchLaw> laws = solution.laws;
    problem.limits(solution.p, laws);
    for (Eigen::Index k = 0; k < count; ++k) {
      const std::size_t i = unknown[static_cast<std::size_t>(k)];
      out[k] = solution.laws[i].sliding - laws[i].sliding;
    }
  };
  Eigen::VectorXd f(count), g(count), step(count);
  Eigen::MatrixXd slopes(count, count);
  const auto limit = [&](Eigen::Index k) -> double& {
    return solution.laws[unknown[static_cast<std::size_t>(k)]].sliding;
  };
  for (int round = 0; count > 0 && round < most_iterations; ++round) {
    miss(f);
    if (!solution.solved) return;
    double largest = 1e-300;
    for (Eigen::Index k = 0; k < count; ++k)
      largest = std::max({largest, std::abs(limit(k)), std::abs(f[k])});
    if (f.lpNorm<Eigen::Infinity>() <= 4e-16 * largest) break;
    for (Eigen::Index k = 0; k < count; ++k) {
      const double kept = limit(k);
      limit(k) = kept + 1e-4 * largest;
      const double h = limit(k) - kept;
      miss(g);
      limit(k) = kept;
      slopes.col(k) = (g - f) / h;
    }
    step = slopes.partialPivLu().solve(f);
    if (!step.allFinite()) {
      solution.solved = false;
      return;
    }
    for (Eigen::Index k = 0; k < count; ++k) limit(k) -= step[k];
    if (step.lpNorm<Eigen::Infinity>() <= 1e-16 * largest) break;
    if (round == most_iterations - 1 && step.lpNorm<Eigen::Infinity>() > 1e-9 * largest) {
      solution.solved = false;
      return;
    }
  }
  solve_for_limits(problem, modes, solution);
  refresh_limits(problem, modes, solution);
}

void RowSolver::solve_with_limits(const RowProblem& problem, const Modes& modes,
                                  RowSolution& solution) {
  prepare(problem, modes);
  solve_for_limits(problem, modes, solution);
}

void RowSolver::judge(const RowProblem& problem, const Modes& modes, RowSolution& solution) const {
  const Eigen::MatrixXd& W = *problem.W;
  solution.worst = 0;
  const auto note = [&](std::size_t i, double violation) {
    if (!(violation <= solution.worst)) {
      solution.worst = violation;
      solution.worst_at = i;
    }
  };
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const TouchElement& element = problem.elements[i];
    const TouchMode& mode = modes[i];
    double bound = solution.laws[i].sticking;
    if (element.is_contact()) {
      const auto gap = static_cast<Eigen::Index>(element.gap);
      const double root = std::sqrt(W(gap, gap));
      if (mode.hold == Hold::open) {
        if (!mode.given) note(i, -solution.y[gap] / root);
        continue;
      }
      const double least = problem.base.empty() ? 0 : problem.base[i];
      note(i, mode.given ? -solution.y[gap] / root : (least - solution.p[gap]) * root);
      bound *= solution.p[gap];
    }
    if (element.slips == 0) continue;
    const auto slip = static_cast<Eigen::Index>(element.slip);
    const double root = std::sqrt(W(slip, slip));
    if (mode.hold == Hold::stick) note(i, (length(element, solution.p) - bound) * root);
    if (mode.hold == Hold::slide && mode.from_rest) note(i, -dot(element, mode, solution.y) / root);
    if (mode.hold == Hold::slide && !element.is_contact())
      note(i, -solution.laws[i].sliding * root);
  }
}

/// Where the forces of a mode are not the only ones, looks for some within the cones: Dykstra's
/// alternating projections, in scaled forces, between x + null space of K and the cones, made a
/// little narrower so that what is found is inside. Limits that reactions decide follow the forces,
/// and the set need not be convex then: `without_friction` looks where such friction is least.
void RowSolver::find_admissible(const RowProblem& problem, const Modes& modes,
                                RowSolution& solution, bool without_friction) {
  constexpr double narrower = 1 - 1e-6;
  const auto size = static_cast<Eigen::Index>(held_.size());
  const Eigen::VectorXd given = solution.p - S_ * x_;
  const Eigen::VectorXd x0 = scale_.cwiseInverse().asDiagonal() * x_;
  const Eigen::MatrixXd pseudo = solver_.pseudoInverse();
  const Eigen::MatrixXd null = Eigen::MatrixXd::Identity(size, size) - pseudo * K_;
  std::vector<Eigen::Index> place(static_cast<std::size_t>(problem.W->rows()), -1);
  for (Eigen::Index j = 0; j < size; ++j) place[held_[static_cast<std::size_t>(j)]] = j;
  Eigen::VectorXd x = x0, correction = Eigen::VectorXd::Zero(size), inside(size);
  RowSolution best = solution;
  for (int round = 0; round < 400; ++round) {
    inside = x + correction;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const TouchElement& element = problem.elements[i];
      if (modes[i].hold == Hold::open) continue;
      double bound = narrower * solution.laws[i].sticking;
      if (without_friction && element.limit_of_reactions) bound = 0;
      if (element.is_contact()) {
        const Eigen::Index gap = place[element.gap];
        if (gap >= 0) inside[gap] = std::max(inside[gap], 0.0);
        bound *= gap >= 0 ? inside[gap] * scale_[gap] : given[index(element.gap)];
      }
      if (modes[i].hold != Hold::stick) continue;
      double sum = 0;
      for (std::size_t k = 0; k < element.slips; ++k) {
        const Eigen::Index j = place[element.slip + k];
        sum += inside[j] * scale_[j] * inside[j] * scale_[j];
      }
      const double most = std::sqrt(sum);
      for (std::size_t k = 0; k < element.slips && most > bound; ++k)
        inside[place[element.slip + k]] *= bound / most;
    }
    correction = x + correction - inside;
    x = x0 + null * (inside - x0);
    x_ = scale_.asDiagonal() * x;
    solution.p = given + S_ * x_;
    refresh_limits(problem, modes, solution);
    judge(problem, modes, solution);
    if (solution.worst < best.worst) best = solution;
    if (best.worst <= tolerance * problem.size) break;
  }
  solution = best;
}

void RowSolver::solve(const RowProblem& problem, const Modes& modes, RowSolution& solution) {
  prepare(problem, modes);
  solution.laws = problem.laws;
  if (problem.limits) {
    find_limits(problem, modes, solution);
  } else {
    solve_for_limits(problem, modes, solution);
  }
  if (!solution.solved) return;
  judge(problem, modes, solution);
  if (solution.unique || solution.worst <= tolerance * problem.size) return;
  const RowSolution first = solution;
  const Eigen::VectorXd first_x = x_;
  find_admissible(problem, modes, solution, false);
  if (solution.worst <= tolerance * problem.size || !problem.limits) return;
  RowSolution second = first;
  x_ = first_x;
  find_admissible(problem, modes, second, true);
  if (second.worst < solution.worst) solution = second;
}

double RowSolver::determinant() const {
  return held_.empty() ? 1 : K_.determinant();
}

void RowSolver::correct(const Eigen::VectorXd& rest, Eigen::VectorXd& p) {
  if (held_.empty()) return;
  x_ = solver_.solve(-(scale_.asDiagonal() * rest));
  p.noalias() += S_ * (scale_.asDiagonal() * x_);
}

namespace {

/// By turning each direction half the way to the velocity that it makes set in, which settles where
/// the friction takes less than some three quarters of the force; `gently`, by that velocity over
/// |p| tr W, which does near the limit, too.
bool turn_directions(const RowProblem& problem, Modes& modes, RowSolver& solver,
                     RowSolution& solution, bool gently) {
  for (int round = 0; round < 200; ++round) {
    solver.solve(problem, modes, solution);
    if (!solution.solved) return false;
    double turned = 0;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      TouchMode& mode = modes[i];
      const TouchElement& element = problem.elements[i];
      if (mode.hold != Hold::slide || !mode.from_rest || element.slips < 2) continue;
      const auto row = static_cast<Eigen::Index>(element.slip);
      const double size = length(element, solution.y);
      if (size <= RowSolver::tolerance * problem.size * std::sqrt((*problem.W)(row, row))) continue;
      double part = size;
      if (gently) {
        const Eigen::Index slips = index(element.slips);
        part =
            solution.p.segment(row, slips).norm() * problem.W->diagonal().segment(row, slips).sum();
        if (!(part > 0)) return false;
      }
      std::array<double, 3> d = mode.d;
      for (std::size_t k = 0; k < element.slips; ++k) d[k] += solution.y[row + index(k)] / part;
      const double norm = std::hypot(d[0], d[1], d[2]);
      if (norm < 1e-3) return false;  // it would slide back
      for (std::size_t k = 0; k < element.slips; ++k) {
        turned = std::max(turned, std::abs(d[k] / norm - mode.d[k]));
        mode.d[k] = d[k] / norm;
      }
    }
    if (turned <= 1e-15) return true;
    if (round > 100 && turned <= 1e-12) return true;
  }
  return false;
}

/// Looks for the direction of one element all round: where d and y_slip are parallel, d x y_slip
/// changes its sign, which is halved down to rounding. Cost: some 64 + 60 times the number of roots
/// solutions of a mode.
bool scan_directions(const RowProblem& problem, Modes& modes, std::size_t i, RowSolver& solver,
                     RowSolution& solution) {
  constexpr int angles = 64;
  const auto row = static_cast<Eigen::Index>(problem.elements[i].slip);
  const double small = RowSolver::tolerance * problem.size * std::sqrt((*problem.W)(row, row));
  const auto across = [&](double angle) {
    std::array<double, 3>& d = modes[i].d;
    d = {std::cos(angle), std::sin(angle), 0};
    solver.solve(problem, modes, solution);
    return solution.solved ? d[0] * solution.y[row + 1] - d[1] * solution.y[row] : NAN;
  };
  const double step = 2 * std::acos(-1.0) / angles;
  const double first = across(0);
  double last = first;
  bool found = false;
  for (int k = 1; k <= angles && !found; ++k) {
    // All round is where it began: what rounding makes of 2 pi must not hide a root there.
    const double next = k == angles ? first : across(k * step);
    double from = (k - 1) * step, to = k * step;
    const bool changes = last * next <= 0;
    const bool rises = last < next;
    last = next;
    if (!changes) continue;
    for (double middle = (from + to) / 2; middle > from && middle < to; middle = (from + to) / 2)
      ((across(middle) < 0) == rises ? from : to) = middle;
    found = std::abs(across(from)) <= small && dot(problem.elements[i], modes[i], solution.y) > 0 &&
            solution.worst <= RowSolver::tolerance * problem.size;
  }
  return found;
}

}  // namespace

bool find_directions(const RowProblem& problem, Modes& modes, RowSolver& solver,
                     RowSolution& solution) {
  const Modes given = modes;
  if (turn_directions(problem, modes, solver, solution, false)) return true;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].hold == Hold::slide && modes[i].from_rest && problem.elements[i].slips == 2)
      unknown.push_back(i);
  }
  if (unknown.size() == 1 && scan_directions(problem, modes, unknown.front(), solver, solution))
    return true;
  modes = given;
  return turn_directions(problem, modes, solver, solution, true);
}

namespace {

/// Of a mode that has been chosen: whether reactions leave it other limits.
void judge_limits(const RowProblem& problem, ModeChoice& choice) {
  if (!problem.judge_limits) return;
  const Limits limits = problem.judge_limits(choice.modes, choice.solution);
  choice.decided = limits == Limits::sole;
  if (limits != Limits::several) return;
  choice.outcome = ModeChoice::Outcome::several;
  choice.other = choice.modes;
}

/// All modes in turn, the first element slowest.
class Enumeration {
 public:
  Enumeration(const RowProblem& problem, const std::vector<Modes>& candidates, RowSolver& solver)
      : problem_(problem), candidates_(candidates), solver_(solver) {}

  ModeChoice run() {
    std::vector<std::size_t> at(candidates_.size(), 0);
    Modes modes(candidates_.size());
    RowSolution solution;
    while (true) {
      for (std::size_t i = 0; i < at.size(); ++i) modes[i] = candidates_[i][at[i]];
      if (find_directions(problem_, modes, solver_, solution) &&
          solution.worst <= RowSolver::tolerance * problem_.size)
        add(modes, solution);
      std::size_t i = at.size();
      while (i > 0 && ++at[i - 1] == candidates_[i - 1].size()) at[--i] = 0;
      if (i == 0) break;
    }
    return std::move(choice_);
  }

 private:
  void add(const Modes& modes, const RowSolution& solution) {
    if (choice_.outcome == ModeChoice::Outcome::none) {
      choice_.outcome = ModeChoice::Outcome::one;
      choice_.modes = modes;
      choice_.solution = solution;
      judge_limits(problem_, choice_);
      return;
    }
    const Eigen::VectorXd difference = solution.p - choice_.solution.p;
    const double apart = std::sqrt(std::max(0.0, difference.dot(*problem_.W * difference)));
    if (apart <= 1e-6 * problem_.size) return;
    if (by_static_friction(modes)) return;  // those that rest come first
    if (rests_as_well(modes, solution)) return;
    if (choice_.outcome == ModeChoice::Outcome::one) choice_.other = modes;
    choice_.outcome = ModeChoice::Outcome::several;
  }

  /// Whether the choice rests where the other begins to slide against a lesser friction.
  bool by_static_friction(const Modes& modes) const {
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const TouchLaw& law = choice_.solution.laws[i];
      if (choice_.modes[i].hold == Hold::stick && modes[i].hold == Hold::slide &&
          modes[i].from_rest && law.sticking > law.sliding)
        return true;
    }
    return false;
  }

  /// Whether the other differs by dry friction that begins to slide and gets nowhere, as along what
  /// constraints close: those are further forces of rest, of which the least have been chosen.
  bool rests_as_well(const Modes& modes, const RowSolution& solution) const {
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (modes[i] == choice_.modes[i]) continue;
      const TouchElement& element = problem_.elements[i];
      const double w = (*problem_.W)(index(element.slip), index(element.slip));
      const bool begins = choice_.modes[i].hold == Hold::stick && modes[i].hold == Hold::slide &&
                          modes[i].from_rest;
      if (element.is_contact() || !begins ||
          length(element, solution.y) > RowSolver::tolerance * problem_.size * std::sqrt(w))
        return false;
    }
    return true;
  }

  const RowProblem& problem_;
  const std::vector<Modes>& candidates_;
  RowSolver& solver_;
  ModeChoice choice_;
};

/// Exchanges the mode of the element that violates its conditions most, one at a time.
ModeChoice exchange(const RowProblem& problem, const std::vector<Modes>& candidates,
                    RowSolver& solver) {
  ModeChoice choice;
  choice.counted = false;
  std::vector<std::size_t> at(candidates.size(), 0);
  const std::size_t most = 200 * candidates.size();
  for (std::size_t round = 0; round < most; ++round) {
    Modes modes;
    for (std::size_t i = 0; i < at.size(); ++i) modes.push_back(candidates[i][at[i]]);
    const bool found = find_directions(problem, modes, solver, choice.solution);
    if (found && choice.solution.worst <= RowSolver::tolerance * problem.size) {
      choice.outcome = ModeChoice::Outcome::one;
      choice.modes = modes;
      judge_limits(problem, choice);
      return choice;
    }
    // After a while by turns, against going round in circles.
    std::size_t i = found ? choice.solution.worst_at : round % at.size();
    if (round > 10 * candidates.size() && candidates[i].size() == 1) i = round % at.size();
    at[i] = (at[i] + 1) % candidates[i].size();
  }
  return choice;
}

}  // namespace

ModeChoice choose_modes(const RowProblem& problem, const std::vector<Modes>& candidates,
                        RowSolver& solver) {
  long count = 1;
  for (const Modes& modes : candidates) {
    count *= static_cast<long>(modes.size());
    if (count > most_modes) return exchange(problem, candidates, solver);
  }
  return Enumeration(problem, candidates, solver).run();
}

std::string describe(const TouchMode& mode, const TouchElement& element) {
  switch (mode.hold) {
    case Hold::open:
      return "open";
    case Hold::smooth:
      return "closed";
    case Hold::stick:
      return element.is_contact() ? "closed, sticks" : "sticks";
    case Hold::slide:
      return element.is_contact() ? "closed, slides" : "slides";
  }
  return "";
}

}  // namespace dalembert::flow
