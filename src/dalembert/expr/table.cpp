#include "dalembert/expr/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

namespace {

constexpr double jump_size = 1e-12;  // of the values: what rounding does not make
constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

double horner(std::span<const double> c, double h) {
  double sum = c.back();
  for (std::size_t k = c.size() - 1; k-- > 0;) sum = c[k] + h * sum;
  return sum;
}

/// Slopes at the points that neither over- nor undershoot: the weighted harmonic mean of the
/// neighbouring chords where both rise or both fall, else 0 (Fritsch & Carlson 1980; Fritsch &
/// Butland 1984). At an end a parabola's, cut down to what keeps the shape.
std::vector<double> monotone_slopes(std::span<const double> h, std::span<const double> chord) {
  const std::size_t pieces = h.size();
  if (pieces == 1) return {chord[0], chord[0]};
  std::vector<double> slopes(pieces + 1);
  const auto end = [](double h0, double h1, double c0, double c1) {
    const double slope = ((2 * h0 + h1) * c0 - h0 * c1) / (h0 + h1);
    if (slope * c0 <= 0) return 0.0;
    return c0 * c1 <= 0 && std::abs(slope) > 3 * std::abs(c0) ? 3 * c0 : slope;
  };
  slopes.front() = end(h[0], h[1], chord[0], chord[1]);
  slopes.back() = end(h[pieces - 1], h[pieces - 2], chord[pieces - 1], chord[pieces - 2]);
  for (std::size_t i = 1; i < pieces; ++i) {
    if (!(chord[i - 1] * chord[i] > 0)) continue;
    const double before = 2 * h[i] + h[i - 1], behind = h[i] + 2 * h[i - 1];
    slopes[i] = (before + behind) / (before / chord[i - 1] + behind / chord[i]);
  }
  return slopes;
}

/// Slopes of the spline: second derivatives continuous at all inner points,
///
///     h[i] s[i-1] + 2 (h[i-1] + h[i]) s[i] + h[i-1] s[i+1] = 3 (h[i] c[i-1] + h[i-1] c[i]),
///
/// and third ones at the second point and the last but one. Tridiagonal, by elimination. One piece
/// is a line, two are a parabola.
std::vector<double> spline_slopes(std::span<const double> h, std::span<const double> c) {
  const std::size_t n = h.size();
  if (n == 1) return {c[0], c[0]};
  if (n == 2) {
    const double bend = (c[1] - c[0]) / (h[0] + h[1]);
    return {c[0] - bend * h[0], c[0] + bend * h[0], c[1] + bend * h[1]};
  }
  std::vector<double> diagonal(n + 1), above(n + 1), right(n + 1);
  const double first = h[0] + h[1], last = h[n - 1] + h[n - 2];
  diagonal[0] = h[1];
  above[0] = first;
  right[0] = ((h[0] + 2 * first) * h[1] * c[0] + h[0] * h[0] * c[1]) / first;
  const auto eliminate = [&](std::size_t i, double below, double middle, double over,
                             double value) {
    const double factor = below / diagonal[i - 1];
    diagonal[i] = middle - factor * above[i - 1];
    above[i] = over;
    right[i] = value - factor * right[i - 1];
  };
  for (std::size_t i = 1; i < n; ++i)
    eliminate(i, h[i], 2 * (h[i - 1] + h[i]), h[i - 1], 3 * (h[i] * c[i - 1] + h[i - 1] * c[i]));
  eliminate(n, last, h[n - 2], 0,
            (h[n - 1] * h[n - 1] * c[n - 2] + (2 * last + h[n - 1]) * h[n - 2] * c[n - 1]) / last);
  std::vector<double> slopes(n + 1);
  slopes[n] = right[n] / diagonal[n];
  for (std::size_t i = n; i-- > 0;) slopes[i] = (right[i] - above[i] * slopes[i + 1]) / diagonal[i];
  return slopes;
}

/// The smallest and the largest coefficient of Bernstein's form over 0 <= h <= w, between which the
/// polynomial stays:  b[j] = Σ_{i<=j} (j over i) / (d over i) c[i] w^i.
Range bernstein_range(std::span<const double> c, double w) {
  const std::size_t d = c.size() - 1;
  Range range{c[0], c[0]};
  for (std::size_t j = 1; j <= d; ++j) {
    double sum = 0, scaled = 1;  // (j over i) / (d over i) w^i
    for (std::size_t i = 0; i <= j; ++i) {
      sum += scaled * c[i];
      if (i < j) scaled *= w * static_cast<double>(j - i) / static_cast<double>(d - i);
    }
    range = hull(range, Range{sum, sum});
  }
  return range;
}

/// The coefficients of the same polynomial in h - a.
void shift(std::vector<double>& c, double a) {
  for (std::size_t i = 0; i + 1 < c.size(); ++i)
    for (std::size_t k = c.size() - 1; k-- > i;) c[k] += a * c[k + 1];
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ULL + value + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

}  // namespace

std::shared_ptr<const Table> Table::through(std::string name, std::span<const double> x,
                                            std::span<const double> y, Interpolation interpolation,
                                            Outside outside) {
  if (x.size() != y.size() || x.size() < 2)
    throw std::invalid_argument("a table needs two points or more");
  const std::size_t pieces = x.size() - 1;
  std::vector<double> h(pieces), chord(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    h[i] = x[i + 1] - x[i];
    chord[i] = (y[i + 1] - y[i]) / h[i];
  }
  const bool cubic =
      interpolation == Interpolation::cubic || interpolation == Interpolation::spline;
  const int degree = cubic ? 3 : interpolation == Interpolation::linear ? 1 : 0;
  std::vector<double> slopes = !cubic                                  ? chord
                               : interpolation == Interpolation::cubic ? monotone_slopes(h, chord)
                                                                       : spline_slopes(h, chord);
  std::vector<double> coefficients;
  coefficients.reserve(pieces * static_cast<std::size_t>(degree + 1));
  for (std::size_t i = 0; i < pieces; ++i) {
    coefficients.push_back(y[i]);
    if (degree > 0) coefficients.push_back(slopes[i]);
    if (degree < 3) continue;
    coefficients.push_back((3 * chord[i] - 2 * slopes[i] - slopes[i + 1]) / h[i]);
    coefficients.push_back((slopes[i] + slopes[i + 1] - 2 * chord[i]) / (h[i] * h[i]));
  }
  return of_pieces(std::move(name), {x.begin(), x.end()}, degree, coefficients, y.back(), outside);
}

std::shared_ptr<const Table> Table::of_pieces(std::string name, std::vector<double> nodes,
                                              int degree, std::span<const double> coefficients,
                                              double last, Outside outside) {
  const auto size = static_cast<std::size_t>(degree) + 1;
  if (nodes.size() < 2 || coefficients.size() != (nodes.size() - 1) * size)
    throw std::invalid_argument("the pieces of a table do not fit its nodes");
  const std::shared_ptr<Table> table(new Table);
  table->name_ = std::move(name);
  table->degree_ = degree;
  table->outside_ = outside;
  table->last_ = last;
  const auto constant = [&](double value) {
    table->coefficients_.push_back(value);
    table->coefficients_.insert(table->coefficients_.end(), size - 1, 0.0);
  };
  const bool holds = outside == Outside::hold;
  constant(holds ? coefficients[0] : no_value);
  table->coefficients_.insert(table->coefficients_.end(), coefficients.begin(), coefficients.end());
  constant(holds ? last : no_value);
  table->nodes_ = std::make_shared<const std::vector<double>>(std::move(nodes));
  table->finish();
  return table;
}

std::shared_ptr<const Table> Table::named(std::string name) const {
  const auto table = std::make_shared<Table>(*this);
  table->name_ = std::move(name);
  table->ranges_.clear();
  table->jumps_.clear();
  table->derivative_ = nullptr;
  table->finish();
  return table;
}

void Table::finish() {
  const std::vector<double>& x = *nodes_;
  const auto size = static_cast<std::size_t>(degree_) + 1;
  const std::size_t pieces = x.size() + 1;

  pieces_per_unit_ = static_cast<double>(x.size() - 1) / (x.back() - x.front());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs((x[i] - x.front()) * pieces_per_unit_ - static_cast<double>(i)) > 1)
      pieces_per_unit_ = 0;
  }

  std::vector<Range> level(pieces);
  for (std::size_t p = 0; p < pieces; ++p) {
    const bool outer = p == 0 || p + 1 == pieces;
    level[p] =
        outer ? hull(coefficients(p)[0], coefficients(p)[0]) : piece_range(p, x[p - 1], x[p]);
  }
  level.back() = hull(level.back(), Range{last_, last_});
  while (true) {
    ranges_.push_back(level);
    if (level.size() == 1) break;
    std::vector<Range> next;
    for (std::size_t i = 0; i < level.size(); i += 2)
      next.push_back(i + 1 < level.size() ? hull(level[i], level[i + 1]) : level[i]);
    level = std::move(next);
  }

  for (std::size_t p = 0; p + 1 < pieces; ++p) {
    const double before = p == 0 ? coefficients(0)[0] : horner(coefficients(p), x[p] - origin(p));
    const double behind = coefficients(p + 1)[0];
    if (!(std::abs(behind - before) <= jump_size * (std::abs(before) + std::abs(behind))))
      jumps_.push_back(p);
  }

  digest_ = mixed(0x7ab1e, static_cast<std::uint64_t>(order_) << 32 | size);
  for (const char c : name_) digest_ = mixed(digest_, static_cast<unsigned char>(c));
  for (const double node : x) digest_ = mixed(digest_, std::bit_cast<std::uint64_t>(node));
  for (const double c : coefficients_) digest_ = mixed(digest_, std::bit_cast<std::uint64_t>(c));
  digest_ = mixed(digest_, std::bit_cast<std::uint64_t>(last_));

  if (degree_ == 0) return;
  const std::shared_ptr<Table> slope(new Table);
  slope->name_ = name_;
  slope->order_ = order_ + 1;
  slope->degree_ = degree_ - 1;
  slope->outside_ = outside_;
  slope->nodes_ = nodes_;
  for (std::size_t p = 0; p < pieces; ++p) {
    const std::span<const double> c = coefficients(p);
    const bool nothing = std::isnan(c[0]);  // outside, where there is no value
    for (std::size_t k = 1; k < size; ++k)
      slope->coefficients_.push_back(nothing ? no_value : static_cast<double>(k) * c[k]);
  }
  slope->last_ = horner(slope->coefficients(pieces - 2), x.back() - x[x.size() - 2]);
  slope->finish();
  derivative_ = slope;
}

std::size_t Table::piece_of(double s) const {
  const std::vector<double>& x = *nodes_;
  if (!(s >= x.front())) return 0;
  if (s >= x.back()) return x.size();
  if (pieces_per_unit_ == 0)
    return static_cast<std::size_t>(std::ranges::upper_bound(x, s) - x.begin());
  auto piece = static_cast<std::size_t>((s - x.front()) * pieces_per_unit_);
  piece = std::min(piece, x.size() - 2);
  while (s < x[piece]) --piece;
  while (s >= x[piece + 1]) ++piece;
  return piece + 1;
}

double Table::value(double s) const {
  if (std::isnan(s)) return s;
  if (s == nodes_->back()) return last_;
  const std::size_t piece = piece_of(s);
  const std::span<const double> c = coefficients(piece);
  if (piece == 0 || piece == nodes_->size()) return c[0];
  return horner(c, s - origin(piece));
}

Range Table::piece_range(std::size_t piece, double from, double to) const {
  const std::span<const double> c = coefficients(piece);
  const double start = origin(piece);
  if (from == start) return bernstein_range(c, to - from);
  std::vector<double> moved(c.begin(), c.end());
  shift(moved, from - start);
  return bernstein_range(moved, to - from);
}

Range Table::range(const Range& s) const {
  if (!(s.low <= s.high)) return Range::all();
  const std::vector<double>& x = *nodes_;
  if (s.low == x.back() && s.high == s.low) return {last_, last_};
  const std::size_t first = piece_of(s.low);
  std::size_t last = piece_of(s.high);
  const auto partial = [&](std::size_t piece) {
    if (piece == 0 || piece == x.size()) return ranges_[0][piece];
    return piece_range(piece, std::max(s.low, x[piece - 1]), std::min(s.high, x[piece]));
  };
  Range result = partial(first);
  if (s.high == x.back()) {  // as if from the inside
    result = hull(result, Range{last_, last_});
    last = std::max(first, x.size() - 1);
  }
  if (first == last) return result;
  result = hull(result, partial(last));
  // Whole pieces, by the longest runs that are known.
  std::size_t begin = first + 1, end = last, level = 0;
  for (; begin < end; begin /= 2, end /= 2, ++level) {
    if (begin % 2 == 1) result = hull(result, ranges_[level][begin++]);
    if (end % 2 == 1) result = hull(result, ranges_[level][--end]);
  }
  return result;
}

Moving Table::moving(const Moving& s) const {
  const Range values = range(s.value);
  if (is_zero(s.rate)) return {values, {0, 0}};
  const std::size_t first = piece_of(s.value.low), last = piece_of(s.value.high);
  if (first == last) {
    if (derivative_ == nullptr) return {values, {0, 0}};
    return {values, derivative_->range(s.value) * s.rate};
  }
  const auto jump = std::ranges::lower_bound(jumps_, first);
  if (jump != jumps_.end() && *jump < last) return {values, Range::all()};
  if (derivative_ == nullptr) return {values, {0, 0}};
  return {values, derivative_->range(s.value) * s.rate};
}

bool Table::operator==(const Table& other) const {
  if (this == &other) return true;
  return digest_ == other.digest_ && name_ == other.name_ && order_ == other.order_ &&
         degree_ == other.degree_ && same_bits(*nodes_, *other.nodes_) &&
         same_bits(coefficients_, other.coefficients_) &&
         same_bits(std::span(&last_, 1), std::span(&other.last_, 1));
}

bool Table::precedes(const Table& other) const {
  if (digest_ != other.digest_) return digest_ < other.digest_;
  const auto bits = [](const Table& t) {
    std::vector<std::uint64_t> all;
    for (const auto* numbers : {t.nodes_.get(), &t.coefficients_})
      for (const double x : *numbers) all.push_back(std::bit_cast<std::uint64_t>(x));
    return all;
  };
  if (name_ != other.name_) return name_ < other.name_;
  if (order_ != other.order_) return order_ < other.order_;
  return bits(*this) < bits(other);
}

Expr slope_of(const Expr& value) {
  const std::shared_ptr<const Table>& derivative = value.table()->derivative();
  return derivative == nullptr ? Expr(0) : apply_table(derivative, value.args()[0]);
}

}  // namespace dalembert::expr
