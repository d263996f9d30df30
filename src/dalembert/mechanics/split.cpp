#include "dalembert/mechanics/split.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/expr/effort.hpp"

namespace dalembert::mechanics {

namespace {

struct Numbers {
  std::size_t rows, columns;
  std::vector<double> entries;
  double& operator()(std::size_t i, std::size_t j) { return entries[i * columns + j]; }
};

/// A at the reference state, columns divided by sqrt(M_jj), rows scaled to unit length.
Numbers scaled_rows(const Equations& eq, const expr::Values& values) {
  const std::size_t n = eq.q.size(), m = eq.constraints.size();
  std::vector<double> mass(n, 0);
  for (const Entry& entry : eq.M) {
    if (entry.row == entry.column) mass[entry.row] = expr::evaluate(entry.value, values);
  }
  Numbers a{m, n, std::vector<double>(m * n, 0)};
  for (const Entry& entry : eq.A) {
    const double scale = mass[entry.column] > 0 ? 1 / std::sqrt(mass[entry.column]) : 1;
    a(entry.row, entry.column) = expr::evaluate(entry.value, values) * scale;
  }
  for (std::size_t j = 0; j < m; ++j) {
    double norm = 0;
    for (std::size_t i = 0; i < n; ++i) norm = std::hypot(norm, a(j, i));
    for (std::size_t i = 0; i < n; ++i) a(j, i) /= norm > 0 ? norm : 1;
  }
  return a;
}

struct Pivots {
  std::vector<std::size_t> rows, columns;
};

/// Elimination with complete pivoting among the allowed columns; of rows whose best entry is within
/// a factor ten of the largest the earliest is taken.
Pivots eliminate(Numbers a, const std::vector<bool>& allowed, std::optional<std::size_t> rank,
                 double tolerance) {
  Pivots result;
  std::vector<bool> row_used(a.rows, false), column_used(a.columns, false);
  const std::size_t most = rank.value_or(std::min(a.rows, a.columns));
  while (result.rows.size() < most) {
    std::vector<double> best(a.rows, 0);
    double largest = 0;
    for (std::size_t j = 0; j < a.rows; ++j) {
      if (row_used[j]) continue;
      for (std::size_t i = 0; i < a.columns; ++i) {
        if (allowed[i] && !column_used[i]) best[j] = std::max(best[j], std::abs(a(j, i)));
      }
      largest = std::max(largest, best[j]);
    }
    if (!(largest > (rank ? 1e-10 : tolerance))) break;
    std::size_t row = 0;
    while (row_used[row] || !(best[row] >= 0.1 * largest)) ++row;
    std::size_t column = a.columns;
    for (std::size_t i = a.columns;
         i-- > 0;) {  // later coordinates are dependent, other things equal
      if (!allowed[i] || column_used[i]) continue;
      if (column == a.columns || std::abs(a(row, i)) > 1.0001 * std::abs(a(row, column)))
        column = i;
    }
    expr::Effort::poll();
    row_used[row] = column_used[column] = true;
    result.rows.push_back(row);
    result.columns.push_back(column);
    for (std::size_t j = 0; j < a.rows; ++j) {
      if (row_used[j]) continue;
      const double factor = a(j, column) / a(row, column);
      if (factor == 0) continue;
      for (std::size_t i = 0; i < a.columns; ++i) a(j, i) -= factor * a(row, i);
    }
  }
  std::sort(result.rows.begin(), result.rows.end());
  std::sort(result.columns.begin(), result.columns.end());
  return result;
}

std::vector<std::size_t> complement(const std::vector<std::size_t>& some, std::size_t size) {
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < size; ++i) {
    if (!std::binary_search(some.begin(), some.end(), i)) rest.push_back(i);
  }
  return rest;
}

}  // namespace

std::span<const Entry> row_of_A(const Equations& eq, std::size_t constraint) {
  const auto [begin, end] =
      std::ranges::equal_range(eq.A, constraint, {}, [](const Entry& e) { return e.row; });
  return {begin, end};
}

Split split_coordinates(const model::Model& model, const Equations& eq, const expr::Values& values,
                        std::optional<std::size_t> rank, bool own_choice, double tolerance) {
  const std::size_t n = eq.q.size();
  const Numbers a = scaled_rows(eq, values);
  Split split;
  const Pivots free = eliminate(a, std::vector<bool>(n, true), rank, tolerance);
  const std::size_t k = free.rows.size();
  split.rows = free.rows;
  split.dependent = free.columns;
  std::vector<std::size_t> wish;
  for (const std::string& name : model.independent) {
    const auto found = std::find(model.coordinates.begin(), model.coordinates.end(), name);
    wish.push_back(static_cast<std::size_t>(found - model.coordinates.begin()));
  }
  if (!wish.empty() && wish.size() != n - k) {
    split.refusal = Split::Refusal::count;
  } else if (!wish.empty() && !own_choice) {
    std::vector<bool> allowed(n, true);
    for (const std::size_t i : wish) allowed[i] = false;
    const Pivots wished = eliminate(a, allowed, k, tolerance);
    if (wished.rows.size() == k) {
      split.rows = wished.rows;
      split.dependent = wished.columns;
      split.independent = wish;
      split.wished = true;
    } else {
      split.refusal = Split::Refusal::singular;
    }
  }
  if (!split.wished) split.independent = complement(split.dependent, n);
  split.redundant = complement(split.rows, eq.constraints.size());
  return split;
}

}  // namespace dalembert::mechanics
