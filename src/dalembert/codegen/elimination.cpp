#include "dalembert/codegen/elimination.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dalembert::codegen {

namespace {

/// The next to eliminate is the one with the fewest neighbours left; elimination makes its
/// neighbours neighbours of each other.
std::vector<std::size_t> least_degree_order(const TapeBuilder& tape, const ValueMatrix& S) {
  const std::size_t n = S.rows();
  std::vector<std::vector<char>> linked(n, std::vector<char>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) linked[i][j] = linked[j][i] = !tape.is_zero(S(i, j));
  }
  std::vector<std::size_t> order;
  std::vector<char> gone(n, 0);
  while (order.size() < n) {
    std::size_t best = n;
    long fewest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (gone[i] != 0) continue;
      // Among equals first a pivot that costs nothing in the loop.
      const long degree = 2 * std::accumulate(linked[i].begin(), linked[i].end(), 0L) +
                          (tape.of_parameters(S(i, i)) ? 0 : 1);
      if (best == n || degree < fewest) {
        best = i;
        fewest = degree;
      }
    }
    gone[best] = 1;
    order.push_back(best);
    for (std::size_t i = 0; i < n; ++i) {
      if (linked[best][i] == 0) continue;
      linked[i][best] = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i && linked[best][j] != 0) linked[i][j] = 1;
      }
    }
    std::fill(linked[best].begin(), linked[best].end(), 0);
  }
  return order;
}

}  // namespace

void Margin::require_positive(Value x) {
  least_ = least_ ? tape_.min(*least_, x) : x;
}

Value Margin::doubt() const {
  if (!least_) return tape_.constant(0);
  return tape_.subtract(tape_.constant(1), tape_.sign(*least_));
}

WrittenLdl::WrittenLdl(TapeBuilder& tape, ValueMatrix S, double limit, Margin& margin)
    : tape_(tape),
      size_(S.rows()),
      order_(least_degree_order(tape, S)),
      L_(S.rows(), S.rows(), tape.constant(0)) {
  const auto entry = [&](std::size_t i, std::size_t j) -> Value& {
    const std::size_t a = order_[i], b = order_[j];
    return a >= b ? S(a, b) : S(b, a);
  };
  const Value least = tape.constant(limit);
  const Value one = tape.constant(1);
  std::vector<Value> diagonal;
  for (std::size_t k = 0; k < size_; ++k) diagonal.push_back(entry(k, k));
  for (std::size_t k = 0; k < size_; ++k) {
    const Value pivot = entry(k, k);
    margin.require_positive(tape.subtract(pivot, tape.multiply(least, diagonal[k])));
    inverse_.push_back(tape.divide(one, pivot));
    for (std::size_t i = k + 1; i < size_; ++i) {
      if (tape.is_zero(entry(i, k))) continue;
      L_(i, k) = tape.multiply(entry(i, k), inverse_[k]);
      for (std::size_t j = k + 1; j <= i; ++j) {
        entry(i, j) = tape.subtract(entry(i, j), tape.multiply(L_(i, k), entry(j, k)));
      }
    }
  }
}

std::vector<Value> WrittenLdl::forward(std::span<const Value> x) const {
  std::vector<Value> y;
  for (std::size_t i = 0; i < size_; ++i) {
    Value sum = x[order_[i]];
    for (std::size_t k = 0; k < i; ++k) sum = tape_.subtract(sum, tape_.multiply(L_(i, k), y[k]));
    y.push_back(sum);
  }
  return y;
}

std::vector<Value> WrittenLdl::backward(std::span<const Value> y) const {
  std::vector<Value> z(size_, tape_.constant(0));
  std::vector<Value> x(size_, tape_.constant(0));
  for (std::size_t i = size_; i-- > 0;) {
    Value sum = tape_.multiply(y[i], inverse_[i]);
    for (std::size_t k = i + 1; k < size_; ++k)
      sum = tape_.subtract(sum, tape_.multiply(L_(k, i), z[k]));
    z[i] = sum;
    x[order_[i]] = sum;
  }
  return x;
}

Value WrittenLdl::inverse_pivot(std::size_t i) const {
  const auto place = std::find(order_.begin(), order_.end(), i) - order_.begin();
  return inverse_[static_cast<std::size_t>(place)];
}

std::vector<Value> WrittenLdl::normalised(std::span<const Value> y) const {
  std::vector<Value> result;
  for (std::size_t k = 0; k < size_; ++k)
    result.push_back(tape_.multiply(tape_.sqrt(inverse_[k]), y[k]));
  return result;
}

Value WrittenLdl::dot(std::span<const Value> x, std::span<const Value> y) const {
  Value sum = tape_.constant(0);
  for (std::size_t i = 0; i < size_; ++i) {
    sum = tape_.add(sum, tape_.multiply(tape_.multiply(x[i], inverse_[i]), y[i]));
  }
  return sum;
}

Value dot(TapeBuilder& tape, std::span<const Value> a, std::span<const Value> b) {
  Value sum = tape.constant(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum = tape.add(sum, tape.multiply(a[i], b[i]));
  return sum;
}

}  // namespace dalembert::codegen
