#include "dalembert/flow/state/touch_states.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "dalembert/flow/instants/row_system.hpp"

namespace dalembert::flow {

namespace {

constexpr double small = 1e-9;  ///< of scales: as far as a start may be off a constraint
constexpr int sides = 64;       ///< of the pyramid for a cone
constexpr int solid_sides = 256;

class StateOfTouches {
 public:
  StateOfTouches(const Motion& motion, double t, std::span<const double> q,
                 std::span<const double> v)
      : system_(motion), t_(t), q_(q), v_(v), n_(motion.coordinates()) {}

  TouchStates run() {
    if (!system_.evaluate(t_, q_, v_)) {
      result_.problem = system_.problem();
      return std::move(result_);
    }
    sight_ = system_.look(t_, q_, v_, {});
    const std::vector<Modes> candidates = find_candidates();
    if (!result_.problem.empty()) return std::move(result_);
    RowProblem& problem = system_.acceleration_problem();
    count_friction(problem, first_of(candidates));
    const ModeChoice choice = choose_modes(problem, candidates, system_.solver());
    if (choice.outcome != ModeChoice::Outcome::one) {
      explain(choice);
      return std::move(result_);
    }
    modes_ = choice.modes;
    result_.decided = choice.decided;
    if (!system_.solve(modes_)) {
      result_.problem = "the constraints, contacts and frictions that hold contradict each other";
      return std::move(result_);
    }
    tell_forces();
    return std::move(result_);
  }

 private:
  bool slides(const TouchElement& e) const {
    double speed = 0, scale = 0;
    for (std::size_t c = 0; c < e.slips; ++c) {
      speed = std::hypot(speed, sight_.rate(e.slip + c));
      scale = std::max(scale, sight_.rate_scales[e.slip + c - sight_.first]);
    }
    return speed > small * scale;
  }

  /// The modes in question of each element, and what is known of it before.
  std::vector<Modes> find_candidates() {
    std::vector<Modes> result;
    for (std::size_t i = 0; i < system_.elements().size(); ++i) {
      const TouchElement& element = system_.elements()[i];
      TouchState state;
      state.name = element.name;
      state.is_contact = element.is_contact();
      state.slips = element.slips;
      for (std::size_t c = 0; c < element.slips; ++c) state.slip[c] = sight_.rate(element.slip + c);
      if (element.is_contact()) {
        state.gap = sight_.gap(element);
        state.rate = sight_.rate(element.gap);
        const std::size_t at = element.gap - sight_.first;
        const double gap = small * sight_.scales[at], rate = small * sight_.rate_scales[at];
        const bool open = state.gap > gap || state.rate > rate;
        if (!open && state.rate < -rate && !result_.impact) {
          result_.impact = true;
          result_.problem = fmt::format(
              "contact '{}' is closed and approaching, at {:.6g}: an impact comes before any "
              "acceleration",
              element.name, state.rate);
        }
        if (open || state.rate < -rate) {
          state.mode = open ? "open" : "impact";
          result_.elements.push_back(std::move(state));
          TouchMode apart;
          apart.given = true;
          result.push_back({apart});
          continue;
        }
      }
      result_.elements.push_back(std::move(state));
      result.push_back(candidates_of(element, system_.laws()[i]));
    }
    return result;
  }

  Modes candidates_of(const TouchElement& element, const TouchLaw& law) const {
    Modes modes;
    TouchMode mode;
    if (element.slips == 0 || (element.is_contact() && law.sliding == 0 && law.sticking == 0)) {
      mode.hold = Hold::smooth;
      modes.push_back(mode);
    } else if (slides(element)) {
      mode.hold = Hold::slide;
      double size = 0;
      for (std::size_t c = 0; c < element.slips; ++c)
        size = std::hypot(size, sight_.rate(element.slip + c));
      for (std::size_t c = 0; c < element.slips; ++c)
        mode.d[c] = sight_.rate(element.slip + c) / size;
      modes.push_back(mode);
    } else {
      mode.hold = Hold::stick;
      modes.push_back(mode);
      mode.hold = Hold::slide;
      mode.from_rest = true;
      mode.d = {1, 0};
      modes.push_back(mode);
      mode.d = {-1, 0};
      modes.push_back(mode);
    }
    if (element.is_contact()) modes.emplace_back();
    return modes;
  }

  void explain(const ModeChoice& choice) {
    const bool none = choice.outcome == ModeChoice::Outcome::none;
    std::string names;
    for (std::size_t i = 0; i < system_.elements().size(); ++i) {
      const TouchElement& element = system_.elements()[i];
      TouchState& state = result_.elements[i];
      if (!state.mode.empty()) continue;  // open
      const bool by_limits = choice.modes == choice.other && element.limit_of_reactions;
      if (!none && choice.modes[i] == choice.other[i] && !by_limits) {
        state.mode = describe(choice.modes[i], element);
        continue;
      }
      state.mode = "undecided";
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", element.name);
      if (!none && !by_limits)
        names += fmt::format(" ({}, or {})", describe(choice.modes[i], element),
                             describe(choice.other[i], element));
    }
    result_.problem = fmt::format("contact forces that satisfy Coulomb's law {} here, for {}",
                                  none ? "do not exist"
                                       : "are several, with different "
                                         "accelerations,",
                                  names);
  }

  void tell_forces() {
    system_.split_forces(modes_);
    result_.qdd = system_.acceleration();
    result_.ideal = system_.ideal();
    result_.nonideal = system_.nonideal();
    const Eigen::VectorXd& p = system_.solution().p;
    const auto m = index(system_.kernels().constraints);
    result_.reactions = p.head(m);
    system_.set_reactions(p);
    result_.named.assign(system_.reactions().begin(), system_.reactions().end());
    find_multipliers(m);
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const TouchElement& element = system_.elements()[i];
      const TouchLaw& law = system_.solution().laws[i];
      TouchState& state = result_.elements[i];
      state.mode = describe(modes_[i], element);
      const bool closed = modes_[i].closed();
      if (element.is_contact()) {
        state.normal = closed ? p[index(element.gap)] : 0;
        state.normal_range = {state.normal, state.normal};
      }
      for (std::size_t c = 0; c < element.slips; ++c) {
        state.friction[c] = element.is_contact() && !closed ? 0 : p[index(element.slip + c)];
        state.friction_range[c] = {state.friction[c], state.friction[c]};
      }
      if (element.slips == 0) continue;
      state.limit = modes_[i].hold == Hold::stick ? law.sticking : law.sliding;
      if (element.is_contact()) state.limit *= state.normal;
    }
    if (!system_.solution().unique) find_ranges();
  }

  /// Of the rows that hold, A^T lambda = ideal.
  void find_multipliers(Eigen::Index m) {
    const auto held = system_.solver().held();
    Eigen::MatrixXd columns(index(n_), index(held.size()));
    for (std::size_t k = 0; k < held.size(); ++k)
      columns.col(index(k)) = system_.A().row(index(held[k])).transpose();
    result_.multipliers.setZero(m);
    if (held.empty()) return;
    const Eigen::VectorXd lambda = columns.completeOrthogonalDecomposition().solve(result_.ideal);
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (index(held[k]) < m) result_.multipliers[index(held[k])] = lambda[index(k)];
    }
  }

  /// Of the sides of the pyramid or polytope for a cone.
  static std::vector<std::array<double, 3>> directions(std::size_t slips) {
    if (slips == 1) return {{1, 0, 0}, {-1, 0, 0}};
    std::vector<std::array<double, 3>> result;
    const int count = slips == 2 ? sides : solid_sides;
    const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
    for (int side = 0; side < count; ++side) {
      const double angle = slips == 2 ? 2 * std::numbers::pi * side / count : golden * side;
      const double height = slips == 2 ? 0 : (2 * side + 1.0) / count - 1;
      const double radius = std::sqrt(1 - height * height);
      result.push_back({radius * std::cos(angle), radius * std::sin(angle), height});
    }
    return result;
  }

  /// Whether moving the forces along these columns changes the limit of something that sticks.
  bool moves_limits(const Eigen::VectorXd& p, const Eigen::MatrixXd& moves) {
    const RowProblem& problem = system_.acceleration_problem();
    if (!problem.limits) return false;
    bool changed = false;
    for (Eigen::Index j = 0; j < moves.cols(); ++j) {
      const Eigen::VectorXd step = moves.col(j) * (1 + p.norm()) / moves.col(j).norm();
      std::vector<TouchLaw> here = system_.solution().laws, there = here;
      problem.limits(p, here);
      problem.limits(p + step, there);
      for (std::size_t i = 0; i < here.size(); ++i) {
        const double size = std::abs(here[i].sticking) + std::abs(there[i].sticking);
        changed = changed || (modes_[i].hold == Hold::stick &&
                              std::abs(here[i].sticking - there[i].sticking) > small * size);
      }
    }
    system_.set_reactions(p);
    return changed;
  }

  /// All forces of the held rows that leave the accelerations as they are: p + S N z.
  void find_ranges() {
    const auto held = system_.solver().held();
    const auto k = index(held.size());
    const Eigen::VectorXd& p = system_.solution().p;
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(p.size(), k);
    std::vector<Eigen::Index> place(static_cast<std::size_t>(p.size()), -1);
    for (Eigen::Index j = 0; j < k; ++j) {
      S(index(held[static_cast<std::size_t>(j)]), j) = 1;
      place[held[static_cast<std::size_t>(j)]] = j;
    }
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const TouchElement& e = system_.elements()[i];
      if (!e.is_contact() || modes_[i].hold != Hold::slide) continue;
      for (std::size_t c = 0; c < e.slips; ++c)
        S(index(e.slip + c), place[e.gap]) = -system_.solution().laws[i].sliding * modes_[i].d[c];
    }
    const Eigen::MatrixXd& W = system_.W();
    Eigen::MatrixXd K(W.rows(), k);
    for (Eigen::Index r = 0; r < W.rows(); ++r)
      K.row(r) = (W.row(r) * S) / std::sqrt(std::max(W(r, r), 1e-300));
    Eigen::VectorXd scale(k);
    for (Eigen::Index j = 0; j < k; ++j) {
      const auto row = index(held[static_cast<std::size_t>(j)]);
      scale[j] = 1 / std::sqrt(std::max(W(row, row), 1e-300));
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(K * scale.asDiagonal(), Eigen::ComputeFullV);
    Eigen::Index rank = 0;
    while (rank < svd.singularValues().size() &&
           svd.singularValues()[rank] > 1e-9 * svd.singularValues()[0])
      ++rank;
    const Eigen::MatrixXd moves = S * scale.asDiagonal() * svd.matrixV().rightCols(k - rank);
    const bool known = !moves_limits(p, moves);
    std::vector<Eigen::VectorXd> rows;
    std::vector<double> bounds;
    const auto at_most = [&](const Eigen::VectorXd& row, double bound) {
      rows.push_back(row);
      bounds.push_back(std::max(bound, 0.0));
    };
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const TouchElement& e = system_.elements()[i];
      Eigen::VectorXd normal = Eigen::VectorXd::Zero(moves.cols());
      double bound = system_.solution().laws[i].sticking;
      if (e.is_contact()) {
        if (!modes_[i].closed()) continue;
        normal = moves.row(index(e.gap)).transpose();
        at_most(-normal, p[index(e.gap)]);
        normal *= bound;
        bound *= p[index(e.gap)];
      }
      if (modes_[i].hold != Hold::stick) continue;
      for (const std::array<double, 3>& u : directions(e.slips)) {
        Eigen::VectorXd along = Eigen::VectorXd::Zero(moves.cols());
        double force = 0;
        for (std::size_t c = 0; c < e.slips; ++c) {
          along += u[c] * moves.row(index(e.slip + c)).transpose();
          force += u[c] * p[index(e.slip + c)];
        }
        at_most(along - normal, bound - force);
      }
    }
    Eigen::MatrixXd G(index(rows.size()), moves.cols());
    Eigen::VectorXd h(index(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      G.row(index(r)) = rows[r].transpose();
      h[index(r)] = bounds[r];
    }
    const auto extend = [&](std::size_t row, std::array<double, 2>& range, bool& unique) {
      const Eigen::VectorXd along = moves.row(index(row)).transpose();
      if (along.norm() <= 1e-9 * moves.norm()) return;
      if (!known) {
        range = {TouchState::unknown, TouchState::unknown};
        unique = false;
        return;
      }
      range[0] -= most_of(-along, G, h);
      range[1] += most_of(along, G, h);
      const double size = std::max({std::abs(range[0]), std::abs(range[1]), 1e-300});
      unique = unique && range[1] - range[0] <= 1e-9 * size;
    };
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const TouchElement& e = system_.elements()[i];
      TouchState& state = result_.elements[i];
      if (e.is_contact() && !modes_[i].closed()) continue;
      if (e.is_contact()) extend(e.gap, state.normal_range, state.unique);
      for (std::size_t c = 0; c < e.slips; ++c)
        extend(e.slip + c, state.friction_range[c], state.unique);
    }
  }

  RowSystem system_;
  double t_;
  std::span<const double> q_, v_;
  std::size_t n_;
  RowSystem::Sight sight_;
  Modes modes_;
  TouchStates result_;
};

}  // namespace

TouchStates find_touch_states(const Motion& motion, double t, std::span<const double> q,
                              std::span<const double> v) {
  return StateOfTouches(motion, t, q, v).run();
}

// The simplex method on z = y - w, y, w >= 0, from the slacks, by Bland's rule, which ends.
double most_of(const Eigen::VectorXd& c, const Eigen::MatrixXd& G, const Eigen::VectorXd& h) {
  const Eigen::Index rows = G.rows(), n = G.cols(), columns = 2 * n + rows;
  const double size = std::max(G.size() > 0 ? G.cwiseAbs().maxCoeff() : 0.0, 1e-300);
  Eigen::MatrixXd table = Eigen::MatrixXd::Zero(rows + 1, columns + 1);
  table.topLeftCorner(rows, n) = G / size;
  table.block(0, n, rows, n) = -G / size;
  table.block(0, 2 * n, rows, rows).setIdentity();
  table.topRightCorner(rows, 1) = h;
  table.bottomLeftCorner(1, n) = -c.transpose() / size;
  table.block(rows, n, 1, n) = c.transpose() / size;
  std::vector<Eigen::Index> basis(static_cast<std::size_t>(rows));
  for (Eigen::Index r = 0; r < rows; ++r) basis[static_cast<std::size_t>(r)] = 2 * n + r;
  const double grain = 1e-12 * (1 + c.cwiseAbs().maxCoeff() / size);
  while (true) {
    Eigen::Index enter = 0;
    while (enter < columns && table(rows, enter) >= -grain) ++enter;
    if (enter == columns) return table(rows, columns);
    Eigen::Index leave = -1;
    double least = 0;
    for (Eigen::Index r = 0; r < rows; ++r) {
      if (table(r, enter) <= 1e-12) continue;
      const double ratio = table(r, columns) / table(r, enter);
      const bool tie = leave >= 0 && ratio == least &&
                       basis[static_cast<std::size_t>(r)] < basis[static_cast<std::size_t>(leave)];
      if (leave < 0 || ratio < least || tie) {
        leave = r;
        least = ratio;
      }
    }
    if (leave < 0) return std::numeric_limits<double>::infinity();
    table.row(leave) /= table(leave, enter);
    for (Eigen::Index r = 0; r <= rows; ++r) {
      if (r != leave) table.row(r) -= table(r, enter) * table.row(leave);
    }
    basis[static_cast<std::size_t>(leave)] = enter;
  }
}

}  // namespace dalembert::flow
