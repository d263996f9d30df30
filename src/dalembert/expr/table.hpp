#pragma once
/// A function of one variable given by numbers: a polynomial between any two neighbouring nodes.
///
///     F(s) = c[i][0] + c[i][1] h + ... + c[i][d] h^d,     h = s - x[i],     x[i] <= s < x[i+1],
///
/// and outside of the nodes the value at the nearer end, or no value. At the last node the value is
/// that of the point given there. A derivative is a table again, whose polynomials are the
/// derivatives of these: at a node it is that of the piece behind it, at the last node that of the
/// piece before it, and outside it is 0.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/range.hpp"

namespace dalembert::expr {

class Expr;

/// What stands between the points of a table.
enum class Interpolation : std::uint8_t {
  linear,
  hold,    ///< the value of the point before
  cubic,   ///< cubic Hermite with the slopes of Fritsch and Carlson: it rises and falls where the
           ///< points do
  spline,  ///< the cubic spline with two continuous derivatives; third ones continuous at the
           ///< second node and the last but one (not-a-knot)
};

/// What a table is beyond its first and last node.
enum class Outside : std::uint8_t {
  hold,  ///< the value of the nearer end
  error  ///< not a number
};

constexpr std::string_view to_string(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::linear:
      return "linear";
    case Interpolation::hold:
      return "hold";
    case Interpolation::cubic:
      return "cubic";
    case Interpolation::spline:
      break;
  }
  return "spline";
}
constexpr std::string_view to_string(Outside outside) {
  return outside == Outside::hold ? "hold" : "error";
}

class Table {
 public:
  /// Through points (x, y), x increasing, at least two of each and as many; all finite. O(points).
  static std::shared_ptr<const Table> through(std::string name, std::span<const double> x,
                                              std::span<const double> y,
                                              Interpolation interpolation, Outside outside);

  /// Of one polynomial per piece, `degree + 1` coefficients each, from the constant one on; `last`
  /// is the value at the last node.
  static std::shared_ptr<const Table> of_pieces(std::string name, std::vector<double> nodes,
                                                int degree, std::span<const double> coefficients,
                                                double last, Outside outside);

  /// The same by another name.
  std::shared_ptr<const Table> named(std::string name) const;

  const std::string& name() const { return name_; }
  int order() const { return order_; }  ///< how often it was differentiated
  std::string title() const { return name_ + std::string(static_cast<std::size_t>(order_), '\''); }
  int degree() const { return degree_; }
  Outside outside() const { return outside_; }
  std::span<const double> nodes() const { return *nodes_; }
  double last() const { return last_; }

  /// The derivative; null where it is 0 everywhere, that of constant pieces.
  const std::shared_ptr<const Table>& derivative() const { return derivative_; }

  /// The same bits wherever it is asked. A few nanoseconds where nodes are evenly spaced, a search
  /// by halving elsewhere.
  double value(double s) const;

  /// 0 before the first node, i + 1 behind node i, as many as there are nodes behind the last one;
  /// the pieces of `coefficients` and `origin`.
  std::size_t piece_of(double s) const;
  std::span<const double> coefficients(std::size_t piece) const {
    const auto size = static_cast<std::size_t>(degree_) + 1;
    return {coefficients_.data() + piece * size, size};
  }
  double origin(std::size_t piece) const { return (*nodes_)[piece == 0 ? 0 : piece - 1]; }

  /// The values taken on over a range of s. O(log nodes).
  Range range(const Range& s) const;
  Moving moving(const Moving& s) const;

  /// Of name, order and all numbers, the same on every machine.
  std::uint64_t digest() const { return digest_; }
  bool operator==(const Table& other) const;
  /// A fixed order of tables that are not equal.
  bool precedes(const Table& other) const;

 private:
  Table() = default;
  void finish();
  Range piece_range(std::size_t piece, double from, double to) const;

  std::string name_;
  int order_ = 0, degree_ = 0;
  Outside outside_ = Outside::hold;
  std::shared_ptr<const std::vector<double>> nodes_;
  std::vector<double> coefficients_;  ///< of all pieces, the outer ones included
  double last_ = 0;
  double pieces_per_unit_ = 0;  ///< of s, where a guess by it is near
  /// Ranges of whole pieces, of pairs of them, of pairs of these, and so on.
  std::vector<std::vector<Range>> ranges_;
  std::vector<std::size_t> jumps_;  ///< the pieces at whose ends the value jumps
  std::shared_ptr<const Table> derivative_;
  std::uint64_t digest_ = 0;
};

/// dF/ds of a table's value F(s).
Expr slope_of(const Expr& value);

}  // namespace dalembert::expr
