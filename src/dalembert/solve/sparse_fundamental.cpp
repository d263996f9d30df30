#include "dalembert/solve/sparse_fundamental.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace dalembert::solve {

namespace {

constexpr double wanted_defect = 1e-12;
constexpr double largest_defect = 1e-9;
constexpr int most_refinements = 5;
// With smaller pivots the residuals of equations are measured one by one, ...
constexpr double careful_pivot = 1e-4;
constexpr int most_careful_refinements = 10;
// ... of terms that are at least this part of what the largest acceleration would make of them, ...
constexpr double least_terms = 1e-8;
// ... and a row left out may be broken by this part of its terms, which are at least that part of
// what the largest acceleration would make of them.
constexpr double most_left_out = 1e-6;

std::vector<Place> by_rows(std::vector<Place> places) {
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.row < b.row; });
  return places;
}

}  // namespace

SparseFundamental::SparseFundamental(std::size_t n, std::size_t m, std::vector<Place> M,
                                     std::vector<Place> A, FundamentalOptions options)
    : n_(n),
      m_(m),
      options_(std::move(options)),
      M_(by_rows(std::move(M))),
      A_(by_rows(std::move(A))),
      row_begin_(m + 1, 0),
      kkt_(n, m, M_, A_),
      uncertainty_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(m))),
      Q_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n))),
      b_(uncertainty_),
      C_(Q_),
      qdd_(Q_),
      qdd_ideal_(Q_),
      ideal_(Q_),
      nonideal_(Q_),
      lambda_(b_),
      f_(Q_),
      g_(b_),
      rf_(Q_),
      rg_(b_),
      x_(Q_),
      y_(b_),
      scratch_(b_),
      y_nonideal_(b_),
      Ax_(b_),
      force_(Q_),
      response_(Q_),
      terms_(Q_),
      conflicting_(m, 0),
      group_work_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(options_.groups.size()))) {
  held_.order.resize(m_);
  for (const Place& place : A_) ++row_begin_[place.row + 1];
  for (std::size_t j = 0; j < m_; ++j) row_begin_[j + 1] += row_begin_[j];
  diagnosis_.direction = Q_;
}

bool SparseFundamental::careful() const {
  return kkt().smallest_pivot() < careful_pivot || doubtful();
}

Status SparseFundamental::fail(Status status) {
  diagnosis_.status = status;
  return status;
}

bool SparseFundamental::find_culprit(char symbol, std::span<const Place> places) {
  for (const Place& place : places) {
    if (std::isfinite(values_[place.source])) continue;
    diagnosis_.symbol = symbol;
    diagnosis_.row = static_cast<int>(place.row);
    diagnosis_.column = static_cast<int>(place.column);
    diagnosis_.value = values_[place.source];
    return true;
  }
  return false;
}

bool SparseFundamental::find_culprit(char symbol, const Eigen::VectorXd& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i])) continue;
    diagnosis_.symbol = symbol;
    diagnosis_.row = static_cast<int>(i);
    diagnosis_.column = -1;
    diagnosis_.value = x[i];
    return true;
  }
  return false;
}

Status SparseFundamental::decide(std::span<const double> values) {
  return run(values, true);
}

Status SparseFundamental::factor(std::span<const double> values) {
  return run(values, !held_.decided);
}

Status SparseFundamental::run(std::span<const double> values, bool decide) {
  values_ = values;
  diagnosis_.status = Status::ok;
  diagnosis_.symbol = ' ';
  diagnosis_.row = diagnosis_.column = -1;
  fresh_ = decide;
  if (decide) held_.decided = false;
  if (options_.method == Method::weighted) {
    for (Eigen::Index j = 0; j < options_.weights.size(); ++j) {
      const double w = options_.weights[j];
      if (options_.weights.size() == b_.size() && w > 0 && std::isfinite(w)) continue;
      diagnosis_.symbol = 'w';
      diagnosis_.row = options_.weights.size() == b_.size() ? static_cast<int>(j) : -1;
      diagnosis_.value = w;
      return fail(Status::weights_not_positive);
    }
  }
  if (!decide && augmented_in_use_) return run_augmented(false);
  augmented_in_use_ = false;
  const SparseKkt::Limits limits{options_.mass_tolerance, pivot_tolerance()};
  const SparseKkt::Outcome outcome =
      decide ? kkt_.decide(values, limits, {uncertainty_.data(), m_}) : kkt_.factor(values);
  if (outcome.ok) {
    if (decide) {
      choose_rows(values);
      note_decision();
    }
    return Status::ok;
  }
  if (find_culprit('M', M_)) return fail(Status::mass_not_finite);
  if (find_culprit('A', A_)) return fail(Status::constraints_not_finite);
  if (!outcome.coordinate) return fail(Status::result_not_finite);
  const Status status = examine_mass(outcome, kkt_, false);
  return status == Status::ok ? run_augmented(true) : status;
}

void SparseFundamental::note_decision() {
  held_.decided = held_.consistent = true;
  held_.mass_singular = augmented_in_use_;
  held_.rank = rank();
  auto independent = held_.order.begin();
  auto dependent = independent + held_.rank;
  for (std::size_t j = 0; j < m_; ++j)
    *(active().dependent(j) ? dependent++ : independent++) = static_cast<int>(j);
}

/// Whether an M that is not positive definite is at least semidefinite.
Status SparseFundamental::examine_mass(const SparseKkt::Outcome& first, SparseKkt& kkt,
                                       bool augmented) {
  SparseKkt::Outcome outcome = first;
  if (!augmented) {
    for (const Place& place : M_) {
      const double g = values_[place.source];
      if (place.row == place.column) x_[place.row] = g;
    }
    rf_ = x_.cwiseMax(0.0).cwiseSqrt();
    share_in_groups(rf_);
    for (const Place& place : M_) {
      const double g = values_[place.source];
      if (place.row == place.column || g == 0) continue;
      if (std::abs(g) <= options_.mass_tolerance * rf_[place.row] * rf_[place.column]) continue;
      for (const auto& [i, j] : {std::pair(place.row, place.column), {place.column, place.row}}) {
        if (x_[i] != 0 || x_[j] < 0) continue;
        const double s = x_[j] > 0 ? 1 / std::sqrt(x_[j]) : 1;
        diagnosis_.symbol = 'M';
        diagnosis_.row = static_cast<int>(i);
        diagnosis_.column = static_cast<int>(j);
        diagnosis_.value = g;
        diagnosis_.eigenvalue = -1;
        diagnosis_.direction.setZero();
        diagnosis_.direction[j] = s;
        diagnosis_.direction[i] = -(s * s * x_[j] + 1) / (2 * g * s);
        return fail(Status::mass_indefinite);
      }
    }
    const SparseKkt::Limits limits{options_.mass_tolerance, pivot_tolerance(), true};
    outcome = kkt.decide(values_, limits, {});
    if (outcome.ok || !outcome.coordinate) return Status::ok;
  }
  kkt.direction(outcome.index, {diagnosis_.direction.data(), n_});
  double norm = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double v = diagnosis_.direction[static_cast<Eigen::Index>(i)];
    if (v != 0) norm += v * v * std::abs(kkt.mass(i));
  }
  const double scale = std::abs(kkt.mass(outcome.index));
  diagnosis_.eigenvalue = norm > 0 ? outcome.pivot * (scale > 0 ? scale : 1) / norm : outcome.pivot;
  if (augmented) {
    diagnosis_.direction /= diagnosis_.direction.cwiseAbs().maxCoeff();
    return fail(Status::mass_undetermined);
  }
  if (norm > 0) diagnosis_.direction /= std::sqrt(norm);
  return fail(Status::mass_indefinite);
}

/// The largest of a group to all of it.
void SparseFundamental::share_in_groups(Eigen::VectorXd& d) {
  const std::vector<int>& groups = options_.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] < 0) continue;
    const auto k = static_cast<Eigen::Index>(groups[i]);
    group_work_[k] = std::max(group_work_[k], d[static_cast<Eigen::Index>(i)]);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] >= 0) d[static_cast<Eigen::Index>(i)] = group_work_[groups[i]];
  }
  group_work_.setZero();
}

/// The weights of MassFactor::add_constraints, from entries: a coordinate without mass takes its
/// scale from the rows that connect it with others.
void SparseFundamental::find_weights() {
  Eigen::VectorXd& d = x_;
  Eigen::VectorXd& r = y_;
  d.setZero();
  for (const Place& place : M_) {
    const double mass = values_[place.source];
    if (place.row == place.column && mass > 0) d[place.row] = std::sqrt(mass);
  }
  share_in_groups(d);
  const auto measure_rows = [&] {
    r.setZero();
    for (const Place& place : A_) {
      if (d[place.column] == 0) continue;
      const double part = values_[place.source] / d[place.column];
      r[place.row] += part * part;
    }
    r = r.cwiseSqrt();
  };
  const auto borrow = [&](bool connected) {
    rf_ = d;
    bool found = false;
    for (const Place& place : A_) {
      if (rf_[place.column] > 0) continue;
      const double size = connected ? r[place.row] : 1;
      if (size > 0)
        d[place.column] = std::max(d[place.column], std::abs(values_[place.source]) / size);
      found = found || d[place.column] > 0;
    }
    return found;
  };
  measure_rows();
  while (borrow(true)) measure_rows();
  if (borrow(false)) measure_rows();
  for (Eigen::Index j = 0; j < r.size(); ++j)
    augmented_->weights[j] =
        r[j] > 0 && augmented_->used[static_cast<std::size_t>(j)] != 0 ? 1 / (r[j] * r[j]) : 0;
}

/// Whether a row connects only coordinates of one group, as the unit constraint of a quaternion
/// does.
bool SparseFundamental::is_local(std::size_t j) const {
  if (options_.groups.empty() || row(j).begin == row(j).end) return false;
  const int group = options_.groups[A_[row(j).begin].column];
  if (group < 0) return false;
  for (std::uint32_t a = row(j).begin; a < row(j).end; ++a) {
    if (options_.groups[A_[a].column] != group) return false;
  }
  return true;
}

/// M + A^T W A over the local rows alone, or over all. Local rows couple nothing that M does not,
/// so that M_W^-1, and with it S, stays as sparse as it would be without them; all rows of a chain
/// make it full.
void SparseFundamental::build_augmented(bool local) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> index;
  std::vector<Place> M;
  const auto target = [&](std::uint32_t i, std::uint32_t j) {
    const auto [low, high] = std::minmax(i, j);
    const auto next = static_cast<std::uint32_t>(M.size());
    const auto [found, added] = index.emplace(std::pair(high, low), next);
    if (added) M.push_back({high, low, next});
    return found->second;
  };
  std::vector<Augmented::Term> terms;
  std::vector<char> used(m_, 0);
  for (const Place& place : M_)
    target(place.row, place.column);  // the first entries are those of M, in its order
  for (std::uint32_t j = 0; j < m_; ++j) {
    if (local && !is_local(j)) continue;
    used[j] = 1;
    for (std::uint32_t a = row(j).begin; a < row(j).end; ++a) {
      for (std::uint32_t c = row(j).begin; c <= a; ++c)
        terms.push_back({target(A_[a].column, A_[c].column), A_[a].source, A_[c].source, j});
    }
  }
  std::vector<Place> A = A_;
  for (std::size_t i = 0; i < A.size(); ++i) A[i].source = static_cast<std::uint32_t>(M.size() + i);
  std::vector<double> values(M.size() + A.size());
  SparseKkt kkt(n_, m_, M, A);
  augmented_.emplace(Augmented{std::move(M), std::move(A), std::move(terms), std::move(used),
                               std::move(values), Eigen::VectorXd::Zero(b_.size()), std::move(kkt),
                               local});
}

Status SparseFundamental::run_augmented(bool decide) {
  if (!augmented_) {
    bool local = false;
    for (std::size_t j = 0; j < m_ && !local; ++j) local = is_local(j);
    build_augmented(local);
  }
  find_weights();
  Augmented& w = *augmented_;
  std::fill(w.values.begin(), w.values.end(), 0.0);
  for (std::size_t i = 0; i < M_.size(); ++i) w.values[i] = values_[M_[i].source];
  for (const Augmented::Term& term : w.terms)
    w.values[term.target] += w.weights[term.row] * values_[term.left] * values_[term.right];
  for (std::size_t i = 0; i < A_.size(); ++i) w.values[w.M.size() + i] = values_[A_[i].source];
  augmented_in_use_ = true;
  const SparseKkt::Limits limits{options_.mass_tolerance, pivot_tolerance()};
  const SparseKkt::Outcome outcome =
      decide ? w.kkt.decide(w.values, limits, {uncertainty_.data(), m_}) : w.kkt.factor(w.values);
  if (outcome.ok) {
    if (decide) {
      choose_rows(w.values);
      note_decision();
    }
    return Status::ok;
  }
  if (find_culprit('M', M_)) return fail(Status::mass_not_finite);
  if (find_culprit('A', A_)) return fail(Status::constraints_not_finite);
  if (!outcome.coordinate) return fail(Status::result_not_finite);
  if (w.local) {
    build_augmented(false);
    return run_augmented(true);
  }
  return examine_mass(outcome, w.kkt, true);
}

double SparseFundamental::dot_row(std::size_t j, const Eigen::VectorXd& x) const {
  double sum = 0;
  for (std::uint32_t a = row(j).begin; a < row(j).end; ++a)
    sum += values_[A_[a].source] * x[A_[a].column];
  return sum;
}

void SparseFundamental::add_transposed(const Eigen::VectorXd& y, Eigen::VectorXd& force) const {
  for (const Place& place : A_) force[place.column] += values_[place.source] * y[place.row];
}

void SparseFundamental::multiply_mass(const Eigen::VectorXd& x, Eigen::VectorXd& force) const {
  force.setZero();
  for (const Place& place : M_) {
    const double mass = values_[place.source];
    force[place.row] += mass * x[place.column];
    if (place.row != place.column) force[place.column] += mass * x[place.row];
  }
}

/// rf = f + A^T lambda - M x, rg = g - A x over independent rows; how large they are, of what their
/// terms could have been. Leaves A x and A^T lambda behind.
double SparseFundamental::calc_defect(const Eigen::VectorXd& f, const Eigen::VectorXd& g,
                                      const Eigen::VectorXd& x, const Eigen::VectorXd& lambda) {
  const SparseKkt& kkt = active();
  const double* const values = values_.data();
  force_.setZero();
  double forces = 0;
  for (std::size_t j = 0; j < m_; ++j) {
    const double share = lambda[j];
    forces += share * share * kkt.row_square(j);
    double sum = 0;
    for (std::uint32_t a = row(j).begin; a < row(j).end; ++a) {
      const double value = values[A_[a].source];
      sum += value * x[A_[a].column];
      force_[A_[a].column] += value * share;
    }
    Ax_[j] = sum;
  }
  multiply_mass(x, rf_);
  rf_ = f + force_ - rf_;
  if (augmented_in_use_) {
    rg_ = -augmented_->weights.cwiseProduct(Ax_);
    add_transposed(rg_, rf_);
  }
  if (careful()) return calc_careful_defect(f, g, x, lambda);
  double kinetic = 0;
  for (std::size_t i = 0; i < n_; ++i) kinetic += rf_[i] * rf_[i] / kkt.mass(i);
  double defect = kinetic > 0 ? std::sqrt(kinetic) / (size_ + std::sqrt(forces)) : kinetic;
  for (std::size_t j = 0; j < m_; ++j) {
    rg_[j] = kkt.dependent(j) ? 0 : g[j] - Ax_[j];
    if (rg_[j] == 0) continue;
    const double scale = std::abs(g[j]) + std::sqrt(kkt.row_square(j)) * size_;
    const double part = std::abs(rg_[j]) / scale;
    if (!(part <= defect)) defect = part;
  }
  return defect;
}

/// The same where masses are very unequal: the worst equation, each measured by its own terms.
double SparseFundamental::calc_careful_defect(const Eigen::VectorXd& f, const Eigen::VectorXd& g,
                                              const Eigen::VectorXd& x,
                                              const Eigen::VectorXd& lambda) {
  const SparseKkt& kkt = active();
  const double largest = x.lpNorm<Eigen::Infinity>();
  double defect = 0;
  terms_ = f.cwiseAbs();
  for (std::size_t i = 0; i < n_; ++i)
    terms_[static_cast<Eigen::Index>(i)] += least_terms * kkt.mass(i) * largest;
  for (const Place& place : M_) {
    const double mass = std::abs(values_[place.source]);
    terms_[place.row] += mass * std::abs(x[place.column]);
    if (place.row != place.column) terms_[place.column] += mass * std::abs(x[place.row]);
  }
  for (std::size_t j = 0; j < m_; ++j) {
    double terms = std::abs(g[j]);
    for (std::uint32_t a = row(j).begin; a < row(j).end; ++a) {
      const double value = std::abs(values_[A_[a].source]);
      terms += value * (std::abs(x[A_[a].column]) + least_terms * largest);
      terms_[A_[a].column] += value * std::abs(lambda[j]);
    }
    for (std::uint32_t a = row(j).begin; augmented_in_use_ && a < row(j).end; ++a) {
      terms_[A_[a].column] += std::abs(values_[A_[a].source]) *
                              augmented_->weights[static_cast<Eigen::Index>(j)] * terms;
    }
    rg_[j] = kkt.dependent(j) ? 0 : g[j] - Ax_[j];
    if (rg_[j] == 0) continue;
    const double part = std::abs(rg_[j]) / terms;
    if (!(part <= defect)) defect = part;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double part = rf_[k] == 0 ? 0 : std::abs(rf_[k]) / terms_[k];
    if (!(part <= defect)) defect = part;
  }
  return defect;
}

/// Whether a row taken for dependent is not satisfied by the solution of the others. Ax_ = A x.
bool SparseFundamental::leaves_out_too_much(const Eigen::VectorXd& x) {
  const double largest = x.lpNorm<Eigen::Infinity>();
  for (std::size_t j = 0; j < m_; ++j) {
    if (!active().dependent(j)) continue;
    double terms = std::abs(b_[j]);
    for (std::uint32_t a = row(j).begin; a < row(j).end; ++a) {
      terms +=
          std::abs(values_[A_[a].source]) * (std::abs(x[A_[a].column]) + most_left_out * largest);
    }
    const double left = std::abs(b_[j] - Ax_[j]);
    if (left <= most_left_out * terms) continue;
    defect_ = left / terms;
    return true;
  }
  return false;
}

/// K (x; -lambda) = (f; g), refined until its defect is rounding.
void SparseFundamental::solve_refined(const Eigen::VectorXd& f, const Eigen::VectorXd& g,
                                      Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  SparseKkt& kkt = active();
  x = f;
  lambda = g;
  kkt.solve({x.data(), n_}, {lambda.data(), m_});
  lambda = -lambda;
  const double free = std::sqrt(kkt.kinetic_square());
  size_ = free + std::sqrt(std::max(0.0, x.dot(f) + lambda.dot(g)));  // |R^T a| + |R^T x|
  defect_ = calc_defect(f, g, x, lambda);
  const int most = careful() ? most_careful_refinements : most_refinements;
  for (int i = 0; i < most && defect_ > wanted_defect; ++i) {
    kkt.solve({rf_.data(), n_}, {rg_.data(), m_});
    x += rf_;
    lambda -= rg_;
    x_ = rf_;
    y_ = rg_;
    const double next = calc_defect(f, g, x, lambda);
    if (!(next < defect_)) {
      x -= x_;
      lambda += y_;
      calc_defect(f, g, x, lambda);
      break;
    }
    const bool stagnant = next > defect_ / 2;
    defect_ = next;
    if (stagnant) break;
  }
}

Status SparseFundamental::solve_ideal(const Eigen::VectorXd& Q, const Eigen::VectorXd& b) {
  diagnosis_.status = Status::ok;
  Q_ = Q;
  b_ = b;
  std::fill(conflicting_.begin(), conflicting_.end(), char{0});
  const auto solve = [&] {
    f_ = Q_;
    if (augmented_in_use_) {
      y_ = augmented_->weights.cwiseProduct(g_);
      add_transposed(y_, f_);
    }
    solve_refined(f_, g_, qdd_ideal_, lambda_);
  };
  g_ = b_;
  if (fresh_ || held_.consistent) solve();
  if (fresh_) {
    examine_consistency();
    held_.consistent = consistent_;
    if (consistent_ && leaves_out_too_much(qdd_ideal_)) {
      diagnosis_.value = defect_;
      return fail(Status::result_inaccurate);
    }
  }
  if (!held_.consistent && qdd_ideal_.allFinite()) {
    reconcile(calc_dependencies(),
              options_.method == Method::weighted ? options_.weights : Eigen::VectorXd(), g_);
    solve();
  }
  ideal_ = force_;
  if (augmented_in_use_) {
    y_ = augmented_->weights.cwiseProduct(g_ - Ax_);
    lambda_ += y_;
    add_transposed(y_, ideal_);
  }
  nonideal_.setZero();
  qdd_ = qdd_ideal_;
  measure_residual();
  return check_result('Q', Q, b);
}

Status SparseFundamental::solve_nonideal(const Eigen::VectorXd& C) {
  diagnosis_.status = Status::ok;
  nonideal_.setZero();
  qdd_ = qdd_ideal_;
  if (C.isZero(0)) return Status::ok;
  C_ = C;
  g_.setZero();
  const double size = size_;
  scratch_ = Ax_;
  solve_refined(C_, g_, qdd_, y_nonideal_);
  multiply_mass(qdd_, nonideal_);
  qdd_ += qdd_ideal_;
  Ax_ += scratch_;
  size_ += size;
  measure_residual();
  return check_result('C', C, b_);
}

void SparseFundamental::calc_response(const Eigen::VectorXd& f, Eigen::VectorXd& lambda) {
  const double size = size_, defect = defect_;
  scratch_ = Ax_;
  g_.setZero();
  solve_refined(f, g_, response_, lambda);
  Ax_ = scratch_;
  size_ = size;
  defect_ = defect;
  if (kkt().rank() < m_) reconcile(calc_dependencies(), {}, lambda);
}

void SparseFundamental::apply_m_inverse(const Eigen::VectorXd& e, Eigen::VectorXd& x) {
  x.setZero();
  y_ = e;
  active().solve({x.data(), n_}, {y_.data(), m_});
}

void SparseFundamental::measure_residual() {
  double sum = 0;
  scaled_residual_ = 0;
  for (std::size_t j = 0; j < m_; ++j) {
    const double r = Ax_[j] - b_[j];
    sum += r * r;
    if (r == 0) continue;
    const double scale = std::abs(b_[j]) + std::sqrt(active().row_square(j)) * size_;
    scaled_residual_ = std::max(scaled_residual_, std::abs(r) / scale);
  }
  residual_ = std::sqrt(sum);
}

Status SparseFundamental::check_result(char force, const Eigen::VectorXd& F,
                                       const Eigen::VectorXd& b) {
  if (qdd_.allFinite() && ideal_.allFinite() && nonideal_.allFinite() && lambda_.allFinite()) {
    if (defect_ <= largest_defect) return Status::ok;
    diagnosis_.value = defect_;
    return fail(Status::result_inaccurate);
  }
  diagnosis_.symbol = ' ';
  diagnosis_.row = diagnosis_.column = -1;
  if (find_culprit(force, F)) return fail(Status::force_not_finite);
  if (find_culprit('b', b)) return fail(Status::constraints_not_finite);
  return fail(Status::result_not_finite);
}

}  // namespace dalembert::solve
