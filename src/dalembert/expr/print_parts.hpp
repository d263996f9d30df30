#pragma once
/// What the printers for people share: how a number is written, and in which order terms and
/// factors are read. The pool's own order is by hash: the same in every run, but not a reader's.
/// Internal to the room.

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

/// A number that is not negative, exactly: numerator/denominator, or numerator·10^exponent when
/// there is no denominator. Decimals are used only where they are shorter than the fraction.
struct NumberText {
  std::string numerator;
  std::string denominator;  ///< empty for integers and decimals
  long exponent = 0;
};
NumberText write_number(const Rational& magnitude);

/// coefficient · Π numerator / Π denominator. Factors b^(-k) with an integer k > 0 stand below as
/// b^k.
struct Fraction {
  Rational coefficient = 1;
  std::vector<Expr> numerator;
  std::vector<Expr> denominator;
};

/// Constant, product or negative integer power: what is written as a fraction or with a
/// coefficient.
bool has_fraction_form(const Expr& e);

/// e has a minus sign in front: a negative constant or a product with one.
bool is_negative(const Expr& e);

/// left sign right, and what holds then and otherwise: how choose(g, a, b) is read. Parsed it gives
/// the same node.
struct Comparison {
  Expr left;
  std::string_view sign;  ///< <, <=, > or >=
  Expr right;
  Expr then;
  Expr otherwise;
};
Comparison comparison(const Expr& choice);

enum class FunctionPlace { before_velocities, last };

/// The reading order of everything under one expression. Built once in O(nodes).
class ReadingOrder {
 public:
  ReadingOrder(const Expr& root, FunctionPlace functions);

  /// The terms of a sum: by falling order of time derivative, by name, constants last; a positive
  /// one leads.
  std::vector<Expr> terms(const Expr& sum) const;
  Fraction fraction(const Expr& e) const;
  /// The arguments of a symmetric function.
  std::vector<Expr> arguments(const Expr& function) const;

 private:
  /// How a node compares: as a factor by rank, then text; as a term by falling order, then text.
  struct Key {
    int rank = 0;
    int order =
        0;  ///< of the highest time derivative inside; -1 without coordinates, -2 for numbers
    std::string text;
  };

  const Key& key(const Expr& e) const { return keys_.at(e.node()); }
  Key make_key(const Expr& e, FunctionPlace functions) const;
  bool factor_before(const Expr& a, const Expr& b) const;
  bool term_before(const Expr& a, const Expr& b) const;

  std::unordered_map<const Node*, Key> keys_;
};

}  // namespace dalembert::expr
