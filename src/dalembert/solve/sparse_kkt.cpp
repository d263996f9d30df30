#include "dalembert/solve/sparse_kkt.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::solve {

namespace {

using Indices = std::vector<std::uint32_t>;
using Lists = std::vector<Indices>;
using Edges = std::vector<Eigen::Triplet<char, int>>;
constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
constexpr double suspicious = 1e-4;  // so small a part of M_kk may be rounding
// A pivot of a row that is a smaller part of S_jj than this is small, and in doubt if it is less
// than so many times its rounding.
constexpr double small_part = 1e-11;
constexpr double clear_of_rounding = 16;

/// The order in which to eliminate the nodes of a graph, edges given once or twice.
Indices minimum_degree(std::size_t size, const Edges& edges) {
  Indices order(size);
  if (size == 0) return order;
  const auto count = static_cast<Eigen::Index>(size);
  Eigen::SparseMatrix<char, Eigen::ColMajor, int> pattern(count, count);
  pattern.setFromTriplets(edges.begin(), edges.end(), [](char, char) { return char{1}; });
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  for (std::size_t i = 0; i < size; ++i)
    order[i] = static_cast<std::uint32_t>(permutation.indices()[static_cast<Eigen::Index>(i)]);
  return order;
}

/// The pattern of L row by row, strictly below the diagonal and ascending, from that of the matrix
/// (columns before the diagonal), and the elimination tree (Liu 1990: row k of L is what the tree
/// reaches from the entries of row k). Cost: the nonzeros of L.
Lists fill(const Lists& rows, Indices& parent) {
  const std::size_t size = rows.size();
  parent.assign(size, none);
  Indices mark(size, none);
  Lists result(size);
  for (std::uint32_t k = 0; k < size; ++k) {
    mark[k] = k;
    for (std::uint32_t i : rows[k]) {
      for (; mark[i] != k; i = parent[i]) {
        if (parent[i] == none) parent[i] = k;
        mark[i] = k;
        result[k].push_back(i);
      }
    }
    std::sort(result[k].begin(), result[k].end());
  }
  return result;
}

/// The nodes of a forest, children before parents, each subtree in one piece.
Indices postorder(const Indices& parent) {
  const std::size_t size = parent.size();
  Indices first(size, none), next(size, none), order, stack;
  order.reserve(size);
  for (std::uint32_t i = static_cast<std::uint32_t>(size); i-- > 0;) {
    if (parent[i] == none) continue;
    next[i] = first[parent[i]];
    first[parent[i]] = i;
  }
  for (std::uint32_t root = 0; root < size; ++root) {
    if (parent[root] != none) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::uint32_t node = stack.back();
      if (const std::uint32_t child = first[node]; child != none) {
        first[node] = next[child];
        stack.push_back(child);
      } else {
        order.push_back(node);
        stack.pop_back();
      }
    }
  }
  return order;
}

/// The matrix in another order: the columns before the diagonal, row by row.
Lists permuted(const Lists& rows, const Indices& position) {
  Lists result(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (const std::uint32_t i : rows[k]) {
      const auto [low, high] = std::minmax(position[i], position[k]);
      result[high].push_back(low);
    }
  }
  return result;
}

Indices inverse(const Indices& order) {
  Indices position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

/// Which rows of A the matrix A M^-1 A^T couples: those of A L^-T, their patterns the reach in the
/// tree of M, that share a column.
Edges couplings(const Lists& M_rows, const Lists& A_rows) {
  Indices parent;
  fill(M_rows, parent);
  Lists columns(M_rows.size()), columns_of(A_rows.size());
  Indices mark(M_rows.size(), none);
  for (std::uint32_t j = 0; j < A_rows.size(); ++j) {
    for (std::uint32_t i : A_rows[j]) {
      for (; i != none && mark[i] != j; i = parent[i]) {
        mark[i] = j;
        columns[i].push_back(j);
      }
    }
  }
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    for (const std::uint32_t j : columns[i]) columns_of[j].push_back(i);
  }
  Edges edges;
  mark.assign(A_rows.size(), none);
  for (std::uint32_t j = 0; j < A_rows.size(); ++j) {
    for (const std::uint32_t i : columns_of[j]) {
      for (const std::uint32_t other : columns[i]) {
        if (mark[other] == j) continue;
        mark[other] = j;
        edges.emplace_back(static_cast<int>(other), static_cast<int>(j), 1);
      }
    }
  }
  return edges;
}

}  // namespace

SparseKkt::SparseKkt(std::size_t n, std::size_t m, std::span<const Place> M,
                     std::span<const Place> A)
    : n_(n),
      m_(m),
      D_inverse_(n + m),
      work_(n + m, 0.0),
      dependent_(m, 0),
      row_square_(m),
      mass_(n),
      row_noise_(m) {
  analyse(M, A);
}

void SparseKkt::analyse(std::span<const Place> M, std::span<const Place> A) {
  const Lists matrix = order_variables(M, A);
  // The whole in this order, then in postorder of its tree.
  Indices parent;
  fill(matrix, parent);
  const Indices post = inverse(postorder(parent));
  for (std::uint32_t& position : position_) position = post[position];
  variable_ = inverse(position_);
  lay_out(fill(permuted(matrix, post), parent));
  list_sources(M, A);
}

/// Finds an order of little fill, coordinates first; the pattern of the lower triangle in it.
std::vector<std::vector<std::uint32_t>> SparseKkt::order_variables(std::span<const Place> M,
                                                                   std::span<const Place> A) {
  const auto n = static_cast<std::uint32_t>(n_);
  // Coordinates by the pattern of M.
  Edges edges;
  for (const Place& place : M) {
    const int i = static_cast<int>(place.row), j = static_cast<int>(place.column);
    edges.emplace_back(i, j, 1);
    if (i != j) edges.emplace_back(j, i, 1);
  }
  position_ = inverse(minimum_degree(n_, edges));
  position_.resize(n_ + m_);
  Lists rows(n_ + m_);
  for (const Place& place : M) {
    if (place.row == place.column) continue;
    const auto [low, high] = std::minmax(position_[place.row], position_[place.column]);
    rows[high].push_back(low);
  }
  for (const Place& place : A) rows[n + place.row].push_back(position_[place.column]);
  const Indices row_order = minimum_degree(
      m_, couplings({rows.begin(), rows.begin() + n}, {rows.begin() + n, rows.end()}));
  for (std::uint32_t j = 0; j < m_; ++j) position_[n + row_order[j]] = n + j;
  Lists matrix(n_ + m_);
  for (std::uint32_t k = 0; k < n_ + m_; ++k) matrix[k < n ? k : position_[k]] = std::move(rows[k]);
  return matrix;
}

/// L by columns, and for each row where its entries stand there. `L`: its pattern by rows.
void SparseKkt::lay_out(const Lists& L) {
  column_begin_.assign(n_ + m_ + 1, 0);
  for (const Indices& row : L) {
    for (const std::uint32_t i : row) ++column_begin_[i + 1];
  }
  for (std::size_t i = 0; i < n_ + m_; ++i) {
    const std::size_t count = column_begin_[i + 1];
    operations_ += count * (count + 1) / 2;
    column_begin_[i + 1] += column_begin_[i];
  }
  L_rows_.resize(column_begin_.back());
  L_.resize(L_rows_.size());
  Indices filled(column_begin_.begin(), column_begin_.end() - 1);
  row_begin_.push_back(0);
  for (std::uint32_t k = 0; k < n_ + m_; ++k) {
    for (const bool coordinates : {true, false}) {
      if (!coordinates) row_middle_.push_back(static_cast<std::uint32_t>(row_entries_.size()));
      for (const std::uint32_t i : L[k]) {
        if ((variable_[i] < n_) != coordinates) continue;
        row_entries_.push_back({i, filled[i]});
        L_rows_[filled[i]++] = k;
      }
    }
    row_begin_.push_back(static_cast<std::uint32_t>(row_entries_.size()));
  }
}

/// Row by row in the order found: where the values of the matrix are to be read.
void SparseKkt::list_sources(std::span<const Place> M, std::span<const Place> A) {
  const auto n = static_cast<std::uint32_t>(n_);
  std::vector<std::vector<Source>> sources(n_ + m_);
  const auto read = [&](std::uint32_t i, std::uint32_t j, std::uint32_t source) {
    const auto [low, high] = std::minmax(position_[i], position_[j]);
    sources[high].push_back({low, source});
  };
  for (const Place& place : M) read(place.row, place.column, place.source);
  for (const Place& place : A) read(n + place.row, place.column, place.source);
  source_begin_.push_back(0);
  for (const auto& row : sources) {
    sources_.insert(sources_.end(), row.begin(), row.end());
    source_begin_.push_back(static_cast<std::uint32_t>(sources_.size()));
  }
}

SparseKkt::Outcome SparseKkt::decide(std::span<const double> values, const Limits& limits,
                                     std::span<const double> uncertainty) {
  const Outcome outcome = run(values.data(), &limits, uncertainty);
  if (!outcome.ok) std::fill(work_.begin(), work_.end(), 0.0);
  return outcome;
}

SparseKkt::Outcome SparseKkt::factor(std::span<const double> values) {
  const Outcome outcome = run(values.data(), nullptr, {});
  if (!outcome.ok) std::fill(work_.begin(), work_.end(), 0.0);
  return outcome;
}

// Row k of L: what is left of row k of K once the columns before it are eliminated.
SparseKkt::Outcome SparseKkt::run(const double* values, const Limits* limits,
                                  std::span<const double> uncertainty) {
  double* const y = work_.data();
  rank_ = 0;
  smallest_pivot_ = 1;
  if (limits != nullptr) doubtful_ = false;
  // What is taken off the pivot of a coordinate, the sum of L_ki^2 D_i, is known to a rounding of
  // M_ii in D_i. Where D_i is a small part of M_ii, as behind a quaternion with a component close
  // to zero, that can be all that is left of the pivot.
  const auto noise_of = [&](std::uint32_t k) {
    double sum = 0;
    for (std::uint32_t e = row_begin_[k]; e < row_middle_[k]; ++e) {
      const auto [i, place] = row_entries_[e];
      sum += L_[place] * L_[place] * mass_[variable_[i]];
    }
    return rounding * sum;
  };
  const auto row_noise = [&](std::uint32_t k, double square) {
    double sum = square;
    for (std::uint32_t e = row_middle_[k]; e < row_begin_[k + 1]; ++e) {
      const auto [i, place] = row_entries_[e];
      sum += L_[place] * L_[place] * row_noise_[variable_[i] - n_];
    }
    return sum;
  };
  // Where little is left of M_kk, rounding is measured along the direction v that the pivot belongs
  // to, pivot = v^T M v: it is a rounding of v^T diag|M| v, through however many pivots it came.
  for (std::uint32_t k = 0; k < n_ + m_; ++k) {
    for (std::uint32_t s = source_begin_[k]; s < source_begin_[k + 1]; ++s)
      y[sources_[s].column] = values[sources_[s].source];
    double pivot = y[k];
    y[k] = 0;
    const double written = pivot;
    const auto eliminate = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t e = begin; e < end; ++e) {
        const auto [i, place] = row_entries_[e];
        const double yi = y[i];
        y[i] = 0;
        for (std::uint32_t p = column_begin_[i]; p < place; ++p) y[L_rows_[p]] -= L_[p] * yi;
        const double l = yi * D_inverse_[i];
        L_[place] = l;
        pivot -= l * yi;
      }
    };
    eliminate(row_begin_[k], row_middle_[k]);
    if (variable_[k] < n_) {
      mass_[variable_[k]] = written;
      const double tolerance = limits != nullptr ? limits->mass : 0;
      double least = limits != nullptr ? std::max(tolerance * std::abs(written), noise_of(k)) : 0;
      double scale = 0;
      if (limits != nullptr && pivot < suspicious * std::abs(written)) {
        scale = scale_along(k);
        least = std::max(least, rounding * scale);
      }
      if (!(pivot > least)) {
        D_inverse_[k] = 0;
        // As a part of M_kk it may look large where M_kk is small, but not of v^T diag|M| v.
        if (limits != nullptr && limits->semidefinite &&
            pivot >= -std::max(least, tolerance * scale))
          continue;
        return {false, true, variable_[k], written != 0 ? pivot / std::abs(written) : pivot};
      }
      D_inverse_[k] = 1 / pivot;
      continue;
    }
    const std::size_t j = variable_[k] - n_;
    const double square = -pivot;
    eliminate(row_middle_[k], row_begin_[k + 1]);
    row_square_[j] = square;
    if (limits != nullptr) {
      const double unknown = uncertainty.empty() ? 0 : uncertainty[j] * uncertainty[j];
      if (std::isnan(pivot)) return {false, false, static_cast<std::uint32_t>(j), pivot};
      row_noise_[j] = row_noise(k, square);
      const double noise = rounding * row_noise_[j];
      const bool unclear = -pivot > noise && -pivot <= clear_of_rounding * noise;
      const bool small = unclear && -pivot <= small_part * square;
      doubtful_ = doubtful_ || small;
      dependent_[j] =
          small || !(-pivot > std::max(std::max(limits->rank, unknown) * square, noise));
    } else if (dependent_[j] == 0 && !(pivot < 0)) {
      return {false, false, static_cast<std::uint32_t>(j), -pivot};
    }
    D_inverse_[k] = dependent_[j] != 0 ? 0 : 1 / pivot;
    if (dependent_[j] != 0) continue;
    ++rank_;
    smallest_pivot_ = std::min(smallest_pivot_, -pivot / square);
  }
  return {};
}

// L^T v = the unit vector of position k, over what was eliminated before it; v in the work array.
void SparseKkt::find_direction(std::uint32_t k) {
  work_[k] = 1;
  for (std::uint32_t i = k; i-- > 0;) {
    if (variable_[i] >= n_) continue;
    double xi = 0;
    for (std::uint32_t p = column_begin_[i]; p < column_begin_[i + 1] && L_rows_[p] <= k; ++p)
      xi -= L_[p] * work_[L_rows_[p]];
    work_[i] = xi;
  }
}

double SparseKkt::scale_along(std::uint32_t k) {
  find_direction(k);
  double sum = 0;
  for (std::uint32_t i = 0; i <= k; ++i) {
    if (variable_[i] < n_) sum += work_[i] * work_[i] * std::abs(mass_[variable_[i]]);
    work_[i] = 0;
  }
  return sum;
}

void SparseKkt::direction(std::uint32_t coordinate, std::span<double> v) {
  find_direction(position_[coordinate]);
  for (std::size_t i = 0; i < n_; ++i) v[i] = work_[position_[i]];
  std::fill(work_.begin(), work_.end(), 0.0);
}

void SparseKkt::forward() {
  double* const x = work_.data();
  for (std::uint32_t i = 0; i < n_ + m_; ++i) {
    const double xi = x[i];
    for (std::uint32_t p = column_begin_[i]; p < column_begin_[i + 1]; ++p)
      x[L_rows_[p]] -= L_[p] * xi;
  }
}

void SparseKkt::backward() {
  double* const x = work_.data();
  for (auto i = static_cast<std::uint32_t>(n_ + m_); i-- > 0;) {
    double xi = x[i];
    for (std::uint32_t p = column_begin_[i]; p < column_begin_[i + 1]; ++p)
      xi -= L_[p] * x[L_rows_[p]];
    x[i] = xi;
  }
}

void SparseKkt::solve(std::span<double> x, std::span<double> y) {
  for (std::size_t i = 0; i < n_; ++i) work_[position_[i]] = x[i];
  for (std::size_t j = 0; j < m_; ++j) work_[position_[n_ + j]] = y[j];
  forward();
  kinetic_square_ = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const std::uint32_t k = position_[i];
    kinetic_square_ += work_[k] * work_[k] * D_inverse_[k];
  }
  for (std::size_t k = 0; k < n_ + m_; ++k) work_[k] *= D_inverse_[k];
  backward();
  for (std::size_t i = 0; i < n_; ++i) x[i] = work_[position_[i]];
  for (std::size_t j = 0; j < m_; ++j) y[j] = work_[position_[n_ + j]];
  std::fill(work_.begin(), work_.end(), 0.0);
}

void SparseKkt::solve_mass(std::span<double> x) {
  for (std::size_t i = 0; i < n_; ++i) work_[position_[i]] = x[i];
  forward();
  for (std::size_t i = 0; i < n_; ++i) work_[position_[i]] *= D_inverse_[position_[i]];
  for (std::size_t j = 0; j < m_; ++j) work_[position_[n_ + j]] = 0;
  backward();
  for (std::size_t i = 0; i < n_; ++i) x[i] = work_[position_[i]];
  std::fill(work_.begin(), work_.end(), 0.0);
}

}  // namespace dalembert::solve
