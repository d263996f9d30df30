#include "dalembert/mechanics/momentum_fields.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/mechanics/manifold.hpp"

namespace dalembert::mechanics {

namespace {

using expr::Rational;
using expr::SymbolKind;

constexpr std::size_t most_for_turns = 8;    // coordinates
constexpr std::size_t most_for_shifts = 40;  // likewise
constexpr int digits_of_samples = 20;
constexpr double least_pivot = 1e-10;  // of columns of length one
constexpr long largest_denominator = 24;
constexpr double rounding_of_entries = 1e-7;

/// What the conditions are made of, at one state.
struct FieldSample {
  std::vector<double> q, v, momenta, acting;  ///< n
  std::vector<std::vector<double>> A;         ///< m x n
};

/// A walk along the constraints, each state the reference of the next, so that together they are
/// not all in one place.
class FieldSampler {
 public:
  FieldSampler(const Setting& s, const Forces& forces) : s_(s), reference_(s.values) {
    wanted_ = forces.momenta;
    wanted_.insert(wanted_.end(), forces.acting.begin(), forces.acting.end());
    for (const Entry& entry : s.eq().A) wanted_.push_back(entry.value);
  }

  std::optional<FieldSample> next() {
    auto point = random_point(s_.model(), s_.eq(), reference_, random_, digits_of_samples);
    if (!point) return std::nullopt;
    const auto held = std::make_shared<Point>(*std::move(point));
    const auto numbers =
        expr::evaluate_precisely(wanted_, values_of(*held, random_), digits_of_samples);
    std::vector<double> found;
    for (const auto& number : numbers) {
      if (!number) return std::nullopt;
      found.push_back(number->middle.get_d());
    }
    const expr::Values given = s_.values;
    reference_ = [held, given](const expr::Symbol& symbol) {
      if (symbol.kind == SymbolKind::time) return held->t.get_d();
      if (symbol.kind == SymbolKind::coordinate && symbol.order < 2)
        return (symbol.order == 0 ? held->positions : held->velocities).at(symbol.name).get_d();
      return given(symbol);
    };
    FieldSample sample;
    for (std::size_t i = 0; i < s_.n; ++i) {
      sample.q.push_back(held->positions.at(s_.coordinate_name(i)).get_d());
      sample.v.push_back(held->velocities.at(s_.coordinate_name(i)).get_d());
      sample.momenta.push_back(found[i]);
      sample.acting.push_back(found[s_.n + i]);
    }
    sample.A.assign(s_.eq().constraints.size(), std::vector<double>(s_.n));
    for (std::size_t e = 0; e < s_.eq().A.size(); ++e) {
      const Entry& entry = s_.eq().A[e];
      sample.A[entry.row][entry.column] = found[2 * s_.n + e];
    }
    return sample;
  }

 private:
  const Setting& s_;
  expr::Values reference_;
  std::vector<Expr> wanted_;
  std::mt19937_64 random_{1788};
};

using Rows = std::vector<std::vector<double>>;

/// The conditions on (a, B) at a state: one for the force, one for each constraint.
void add_conditions(const FieldSample& x, std::size_t unknowns, Rows& rows) {
  const std::size_t n = x.q.size();
  std::vector<double> force(unknowns);
  for (std::size_t i = 0; i < n; ++i) force[i] = x.acting[i];
  for (std::size_t u = n; u < unknowns; ++u) {
    const std::size_t i = (u - n) / n, j = (u - n) % n;
    force[u] = x.q[j] * x.acting[i] + x.v[j] * x.momenta[i];
  }
  rows.push_back(std::move(force));
  for (const std::vector<double>& constraint : x.A) {
    std::vector<double> row(unknowns);
    for (std::size_t i = 0; i < n; ++i) row[i] = constraint[i];
    for (std::size_t u = n; u < unknowns; ++u) row[u] = constraint[(u - n) / n] * x.q[(u - n) % n];
    rows.push_back(std::move(row));
  }
}

/// Rows, then columns, brought to a common size; the factors of the columns are returned.
std::vector<double> scale(Rows& rows, std::size_t unknowns) {
  for (std::vector<double>& row : rows) {
    double largest = 0;
    for (const double x : row) largest = std::max(largest, std::abs(x));
    if (largest == 0) continue;
    for (double& x : row) x /= largest;
  }
  std::vector<double> lengths(unknowns);
  for (std::size_t u = 0; u < unknowns; ++u) {
    for (const std::vector<double>& row : rows) lengths[u] = std::hypot(lengths[u], row[u]);
    if (lengths[u] == 0) lengths[u] = 1;
    for (std::vector<double>& row : rows) row[u] /= lengths[u];
  }
  return lengths;
}

/// A basis of the x with rows x = 0, by Gauss and Jordan: one vector for each column without a
/// pivot, with 1 there and 0 at the others of that kind.
Rows null_space(Rows rows, std::size_t unknowns) {
  const std::vector<double> lengths = scale(rows, unknowns);
  std::vector<std::size_t> pivots;  // columns, in the order of the first rows
  std::vector<std::size_t> free;
  for (std::size_t u = 0; u < unknowns; ++u) {
    const std::size_t done = pivots.size();
    std::size_t best = done;
    for (std::size_t r = done; r < rows.size(); ++r) {
      if (std::abs(rows[r][u]) > std::abs(rows[best][u])) best = r;
    }
    if (done >= rows.size() || std::abs(rows[best][u]) < least_pivot) {
      free.push_back(u);
      continue;
    }
    std::swap(rows[done], rows[best]);
    const double pivot = rows[done][u];
    for (double& x : rows[done]) x /= pivot;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double factor = rows[r][u];
      if (r == done || factor == 0) continue;
      for (std::size_t c = u; c < unknowns; ++c) rows[r][c] -= factor * rows[done][c];
    }
    pivots.push_back(u);
  }
  Rows basis;
  for (const std::size_t u : free) {
    std::vector<double> x(unknowns);
    x[u] = 1;
    for (std::size_t k = 0; k < pivots.size(); ++k)
      x[pivots[k]] = -rows[k][u] * lengths[u] / lengths[pivots[k]];
    basis.push_back(std::move(x));
  }
  return basis;
}

/// The fraction with a small denominator that x is, up to rounding.
std::optional<Rational> fraction(double x) {
  for (long below = 1; below <= largest_denominator; ++below) {
    const double above = x * static_cast<double>(below);
    if (std::abs(above) > 1e9) return std::nullopt;
    if (std::abs(above - std::round(above)) > rounding_of_entries * std::max(1.0, std::abs(above)))
      continue;
    Rational result(static_cast<long>(std::round(above)), below);
    result.canonicalize();
    return result;
  }
  return std::nullopt;
}

std::optional<MomentumField> field_of(const std::vector<double>& x, std::size_t n) {
  MomentumField field{std::vector<Rational>(n), std::vector<Rational>(n * n)};
  for (std::size_t u = 0; u < x.size(); ++u) {
    const auto entry = fraction(x[u]);
    if (!entry) return std::nullopt;
    (u < n ? field.a[u] : field.B[u - n]) = *entry;
  }
  return field;
}

/// w.dL/dq' of the field with these entries.
double momentum(const FieldSample& sample, const std::vector<double>& x) {
  const std::size_t n = sample.q.size();
  double result = 0;
  for (std::size_t i = 0; i < n; ++i) result += x[i] * sample.momenta[i];
  for (std::size_t u = n; u < x.size(); ++u)
    result += x[u] * sample.q[(u - n) % n] * sample.momenta[(u - n) / n];
  return result;
}

std::vector<MomentumField> single_coordinates(const Setting& s, const Forces& forces) {
  std::vector<bool> in_constraints(s.n);
  for (const Entry& entry : s.eq().A) in_constraints[entry.column] = true;
  std::vector<MomentumField> fields;
  for (std::size_t i = 0; i < s.n; ++i) {
    if (in_constraints[i] || !forces.acting[i].is_zero()) continue;
    fields.push_back({std::vector<Rational>(s.n), std::vector<Rational>(s.n * s.n)});
    fields.back().a[i] = 1;
  }
  return fields;
}

}  // namespace

Forces forces_along(const Setting& s) {
  Forces forces;
  forces.momenta = expr::gradient(s.eq().kinetic, s.eq().v);
  const std::vector<Expr> dT = expr::gradient(s.eq().kinetic, s.eq().q);
  const std::vector<Expr> C = full_C(s.eq());
  for (std::size_t i = 0; i < s.n; ++i)
    forces.acting.push_back(expr::sum({dT[i], s.applied[i], C[i]}));
  return forces;
}

bool MomentumField::turns(std::size_t n) const {
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      any = any || B[i * n + j] != 0;
      if (B[i * n + j] + B[j * n + i] != 0) return false;
    }
  }
  return any;
}

std::optional<std::size_t> MomentumField::single_coordinate() const {
  const auto is_zero = [](const Rational& x) { return x == 0; };
  if (!std::all_of(B.begin(), B.end(), is_zero)) return std::nullopt;
  const auto first = std::find_if_not(a.begin(), a.end(), is_zero);
  if (first == a.end() || !std::all_of(first + 1, a.end(), is_zero)) return std::nullopt;
  return static_cast<std::size_t>(first - a.begin());
}

std::vector<MomentumField> candidate_fields(const Setting& s, const Forces& forces) {
  if (s.n > most_for_shifts) return single_coordinates(s, forces);
  const std::size_t unknowns = s.n <= most_for_turns ? s.n + s.n * s.n : s.n;
  const std::size_t enough = unknowns + 4;
  FieldSampler sampler(s, forces);
  Rows rows;
  std::vector<FieldSample> samples;
  for (std::size_t tries = 0; tries < 2 * enough && samples.size() < enough; ++tries) {
    auto sample = sampler.next();
    if (!sample) continue;
    add_conditions(*sample, unknowns, rows);
    samples.push_back(*std::move(sample));
  }
  if (samples.size() < enough) return single_coordinates(s, forces);
  std::vector<MomentumField> fields;
  for (const std::vector<double>& x : null_space(std::move(rows), unknowns)) {
    auto field = field_of(x, s.n);
    if (!field) continue;
    for (const FieldSample& sample : samples) field->momenta.push_back(momentum(sample, x));
    fields.push_back(*std::move(field));
  }
  return fields;
}

}  // namespace dalembert::mechanics
