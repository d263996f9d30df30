#include "dalembert/study/linear/branch.hpp"

#include <fmt/format.h>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace dalembert::study {

namespace {

using Eigen::Index;

constexpr int most_points = 5000;

class Follower {
 public:
  Follower(const Motion& motion, const BranchRequest& request)
      : origin_(motion), request_(request), system_(motion, {}, false) {}

  expr::Result<Branch, std::string> run() {
    if (auto problem = set_parameter(request_.from)) return expr::Failure{*problem};
    const auto first = find_equilibrium(motion(), start_);
    if (!first)
      return expr::Failure{fmt::format("no equilibrium found at {} = {:.6g}: {}", request_.along,
                                       request_.from, first.error())};
    at_ = {0, first->state};
    if (!choose_free()) return expr::Failure{system_.problem()};
    Branch branch;
    if (!correct(at_, std::nullopt)) return expr::Failure{std::string("the start is singular")};
    branch.points.push_back(describe(at_, "start"));
    Eigen::VectorXd direction = tangent(at_);
    if (direction[direction.size() - 1] < 0) direction = -direction;
    const double longest = 1.0 / std::max(1, request_.points - 1);
    double step = longest;
    while (true) {
      if (std::ssize(branch.points) >= most_points) {
        branch.reason = "the branch has too many points";
        return branch;
      }
      auto next = advance(at_, direction, step);
      if (!next) {
        step /= 2;
        if (step > 1e-7) continue;
        branch.reason = fmt::format("it cannot be followed beyond {} = {:.9g}", request_.along,
                                    value_of(at_.parameter));
        return branch;
      }
      const bool leaves = next->parameter >= 1 || next->parameter <= 0;
      if (leaves) {  // the last point lies on the end
        Place last = *next;
        last.parameter = next->parameter >= 1 ? 1 : 0;
        if (correct(last, std::nullopt, true)) next = last;
      }
      Eigen::VectorXd turned = tangent(*next);
      if (turned.dot(direction) < 0) turned = -turned;
      add_special(branch, at_, direction, *next, turned);
      branch.points.push_back(describe(*next, leaves ? "end" : "regular"));
      if (leaves) {
        branch.complete = true;
        return branch;
      }
      at_ = *next;
      direction = turned;
      step = std::min(longest, step * 1.5);
    }
  }

 private:
  /// A place on or near the branch: parameter from 0 to 1, and a state.
  struct Place {
    double parameter = 0;
    State state;
  };

  const Motion& motion() const { return moved_ ? *moved_ : origin_; }
  double value_of(double parameter) const {
    return request_.from + parameter * (request_.to - request_.from);
  }

  /// The motion and its initial state with another value of the parameter.
  std::optional<std::string> set_parameter(double value) {
    auto settings = request_.settings;
    settings[request_.along] = fmt::format("{:.17g}", value);
    auto found = model::parameter_values(origin_.model(), settings);
    if (!found) return to_string(found.error());
    moved_ = origin_.with_parameters(*std::move(found));
    const auto written = flow::written_start(motion(), request_.given);
    if (!written) return to_string(written.error());
    const auto start = flow::initial_state(motion(), *written);
    if (!start) return to_string(start.error());
    start_ = start->state;
    system_.bind(motion());
    return std::nullopt;
  }

  /// The independent coordinates on which accelerations depend, here and beside.
  bool choose_free() {
    if (!system_.look(at_.state)) return false;
    chart_ = system_.chart();
    const auto& q_I = chart_->independent_q();
    std::vector<bool> depends(q_I.size(), false);
    const auto judge = [&] {
      const Eigen::MatrixXd A = system_.calc_A().bottomRows(system_.velocities()),
                            rounding = system_.calc_A_rounding().bottomRows(system_.velocities());
      for (std::size_t i = 0; i < q_I.size(); ++i) {
        const auto c = static_cast<Index>(i);
        if ((A.col(c).array().abs() > rounding.col(c).array()).any()) depends[i] = true;
      }
    };
    judge();
    std::mt19937_64 generator(20261118);
    std::uniform_real_distribution<double> shift(-0.05, 0.05);
    State other = at_.state;
    for (double& q : other.q) q += shift(generator);
    for (double& v : other.v) v += shift(generator);
    if (chart_->complete(system_.derivatives(), other) && system_.look(other, true)) judge();
    free_.clear();
    for (std::size_t i = 0; i < q_I.size(); ++i) {
      if (depends[i]) free_.push_back(static_cast<Index>(i));
    }
    held_ = std::vector<bool>(at_.state.v.size(), false);
    for (const Index i : free_)
      held_[static_cast<std::size_t>(q_I[static_cast<std::size_t>(i)])] = true;
    return system_.look(at_.state);
  }

  /// Puts the velocities of the initial state at this parameter, completes the state by the
  /// constraints and looks at it. Coordinates that matter are at rest.
  bool look(Place& place) {
    if (set_parameter(value_of(place.parameter))) return false;
    place.state.t = start_.t;
    for (std::size_t i = 0; i < place.state.v.size(); ++i)
      place.state.v[i] = held_[i] ? 0.0 : start_.v[i];
    return chart_->complete(system_.derivatives(), place.state) && system_.look(place.state, true);
  }

  Eigen::VectorXd weights() {
    Eigen::VectorXd list(system_.velocities());
    for (Index i = 0; i < list.size(); ++i) {
      const Index j = chart_->independent_v()[static_cast<std::size_t>(i)];
      const double mass = system_.derivatives().M()(j, j);
      list[i] = mass > 0 ? std::sqrt(mass) : 1;
    }
    return list;
  }

  /// Rows of the accelerations by the free coordinates and, by differences, by the parameter: it
  /// steers Newton's steps only, and does not decide where they end.
  std::optional<Eigen::MatrixXd> slopes(const Place& place) {
    constexpr double h = 1e-6;
    Place ahead = place, behind = place, here = place;
    ahead.parameter += h;
    behind.parameter -= h;
    if (!look(ahead)) return std::nullopt;
    const Eigen::VectorXd above = system_.calc_acceleration();
    if (!look(behind)) return std::nullopt;
    const Eigen::VectorXd below = system_.calc_acceleration();
    if (!look(here)) return std::nullopt;
    const Eigen::VectorXd w = weights();
    Eigen::MatrixXd rows(system_.velocities(), std::ssize(free_) + 1);
    const Eigen::MatrixXd A = system_.calc_A().bottomRows(system_.velocities());
    for (std::size_t i = 0; i < free_.size(); ++i)
      rows.col(static_cast<Index>(i)) = w.cwiseProduct(A.col(free_[i]));
    by_parameter_ = (above - below) / (2 * h);
    rows.col(rows.cols() - 1) = w.cwiseProduct(by_parameter_);
    return rows;
  }

  /// The unit vector along the branch, coordinates then parameter.
  Eigen::VectorXd tangent(const Place& place) {
    const auto rows = slopes(place);
    Eigen::VectorXd along = Eigen::VectorXd::Zero(std::ssize(free_) + 1);
    along[along.size() - 1] = 1;
    if (!rows || free_.empty()) return along;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(*rows, Eigen::ComputeFullV);
    return svd.matrixV().rightCols(1);
  }

  void move(Place& place, const Eigen::VectorXd& by) const {
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const auto coordinate =
          static_cast<std::size_t>(chart_->independent_q()[static_cast<std::size_t>(free_[i])]);
      place.state.q[coordinate] += by[static_cast<Index>(i)];
    }
    place.parameter += by[by.size() - 1];
  }

  /// Newton's steps onto the branch, across `direction`, or with the parameter held.
  bool correct(Place& place, const std::optional<Eigen::VectorXd>& direction,
               bool hold_parameter = true) {
    constexpr int most = 12;
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < most; ++i) {
      const auto rows = slopes(place);
      if (!rows) return false;
      const Eigen::VectorXd r = weights().cwiseProduct(system_.calc_acceleration());
      Eigen::MatrixXd full(rows->rows() + 1, rows->cols());
      const double size = std::max(rows->norm(), 1e-300);
      full.topRows(rows->rows()) = *rows / size;
      full.bottomRows(1).setZero();
      if (direction) {
        full.bottomRows(1) = direction->transpose();
      } else if (hold_parameter) {
        full(rows->rows(), rows->cols() - 1) = 1;
      }
      Eigen::VectorXd rhs = Eigen::VectorXd::Zero(full.rows());
      rhs.head(r.size()) = -r / size;
      const Eigen::VectorXd step = full.completeOrthogonalDecomposition().solve(rhs);
      if (!step.allFinite() || step.norm() > 1) return false;
      move(place, step);
      const double change = step.norm();
      if (change <= 1e-13 || (change <= 1e-10 && change >= before / 2))
        return look(place) && zero();
      before = change;
    }
    return look(place) && zero();
  }

  bool zero() const {
    // The parameter is known to 1e-12 of its way, like the coordinates.
    return (system_.calc_acceleration().array().abs() <=
            system_.calc_steady_limit(steady_tolerance).array() +
                1e-12 * by_parameter_.array().abs() + 1e-300)
        .all();
  }

  std::optional<Place> advance(const Place& from, const Eigen::VectorXd& direction, double step) {
    Place to = from;
    move(to, step * direction);
    if (!correct(to, direction)) return std::nullopt;
    return to;
  }

  BranchPoint describe(Place place, const std::string& kind) {
    look(place);
    BranchPoint point{kind, value_of(place.parameter), place.state, Steadiness::equilibrium, 0, {}};
    const Eigen::MatrixXd A = system_.calc_A();
    point.eigenvalues = calc_spectrum(A, system_.calc_A_rounding()).values;
    point.unstable = count_unstable(point.eigenvalues);
    if (std::ranges::any_of(place.state.v, [](double v) { return v != 0; }))
      point.steadiness = Steadiness::steady_motion;
    return point;
  }

  static int count_unstable(const Eigen::VectorXcd& values) {
    const double least = 1e-12 * values.cwiseAbs().maxCoeff();
    return static_cast<int>(std::count_if(values.begin(), values.end(),
                                          [&](const auto& z) { return z.real() > least; }));
  }

  /// Where the real part of an eigenvalue passes zero: near `arc`, where it was first seen behind
  /// it. What counts as unstable, and what as zero, is known to rounding of the largest eigenvalue
  /// only, which moves that place; so the arc is interpolated, as a cubic in the real part, between
  /// two places on either side where it is plainly not zero. Nothing where that is no function.
  std::optional<Place> pass_axis(const Place& from, const Eigen::VectorXd& direction, double arc,
                                 double length) {
    const double apart = 1e-3 * length;
    std::array<double, 4> s{}, f{};
    for (std::size_t k = 0; k < 4; ++k) {
      constexpr std::array places = {-2, -1, 1, 2};
      s[k] = arc + places[k] * apart;
      const auto place = advance(from, direction, s[k]);
      if (!place) return std::nullopt;
      double nearest = std::numeric_limits<double>::infinity();
      for (const auto& z : describe(*place, "").eigenvalues) {
        if (z == 0.0 || std::abs(z.real()) >= nearest) continue;
        nearest = std::abs(z.real());
        f[k] = z.real();
      }
    }
    const bool rises = f[3] > f[0];
    for (std::size_t k = 1; k < 4; ++k) {
      if ((f[k] > f[k - 1]) != rises || f[k] == f[k - 1]) return std::nullopt;
    }
    if (f[1] * f[2] >= 0) return std::nullopt;
    double root = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      double weight = s[k];
      for (std::size_t j = 0; j < 4; ++j) {
        if (j != k) weight *= f[j] / (f[j] - f[k]);
      }
      root += weight;
    }
    return advance(from, direction, root);
  }

  /// Folds and changes of stability between two neighbours.
  void add_special(Branch& branch, const Place& from, const Eigen::VectorXd& direction,
                   const Place& to, const Eigen::VectorXd& turned) {
    const Index last = direction.size() - 1;
    double length = 0;
    {
      Eigen::VectorXd way(direction.size());
      for (std::size_t i = 0; i < free_.size(); ++i) {
        const auto c =
            static_cast<std::size_t>(chart_->independent_q()[static_cast<std::size_t>(free_[i])]);
        way[static_cast<Index>(i)] = to.state.q[c] - from.state.q[c];
      }
      way[last] = to.parameter - from.parameter;
      length = direction.dot(way);
    }
    // The first place along the arc where `passed` holds, and how far along it is.
    double arc = length;
    const auto locate = [&](const auto& passed) {
      double low = 0, high = length;
      Place found = to;
      for (int i = 0; i < 60 && high - low > 1e-13; ++i) {
        const double middle = (low + high) / 2;
        const auto place = advance(from, direction, middle);
        if (!place) break;
        if (passed(*place)) {
          high = arc = middle;
          found = *place;
        } else {
          low = middle;
        }
      }
      return found;
    };
    const bool folds = direction[last] * turned[last] < 0;
    if (folds) {
      branch.points.push_back(describe(locate([&](const Place& place) {
                                         Eigen::VectorXd here = tangent(place);
                                         if (here.dot(direction) < 0) here = -here;
                                         return here[last] * direction[last] <= 0;
                                       }),
                                       "fold"));
    }
    const int before = describe(from, "").unstable, after = describe(to, "").unstable;
    if (before == after || (folds && std::abs(before - after) == 1)) return;
    const Place found =
        locate([&](const Place& place) { return describe(place, "").unstable != before; });
    BranchPoint point = describe(found, "crossing");
    bool hopf = false;
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& z : point.eigenvalues) {
      if (z == 0.0 || std::abs(z.real()) >= nearest) continue;
      nearest = std::abs(z.real());
      hopf = std::abs(z.imag()) > 1e-4 * std::abs(z) && std::abs(before - after) == 2;
    }
    if (const auto place = pass_axis(from, direction, arc, length))
      point = describe(*place, "crossing");
    if (hopf) point.kind = "hopf";
    branch.points.push_back(std::move(point));
  }

  const Motion& origin_;
  const BranchRequest& request_;
  std::optional<Motion> moved_;
  LocalSystem system_;
  State start_;
  Place at_;
  std::optional<flow::Chart> chart_;
  std::vector<Index> free_;
  std::vector<bool> held_;
  Eigen::VectorXd by_parameter_;  ///< accelerations by the parameter, at the last slopes
};

}  // namespace

expr::Result<Branch, std::string> follow_branch(const Motion& motion,
                                                const BranchRequest& request) {
  if (auto objection = linearisation_objection(motion)) return expr::Failure{*objection};
  return Follower(motion, request).run();
}

}  // namespace dalembert::study
