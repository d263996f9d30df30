#pragma once
/// Mathematics as data. An `Expr` is a handle to an immutable node that exists once: equal
/// expressions are the same node, so common subexpressions are found by construction and comparing
/// is comparing addresses.
///
/// Building applies simple local rules only, and never expands:
///   * constants are exact rationals and are folded; x + 0, 0 x, 1 x, x^0, x^1 disappear;
///   * a sum inside a sum (a product inside a product) is merged while the result stays within
///   `flatten_limit`
///     operands; longer ones nest, so that building and differentiating cost no more than the graph
///     is large;
///   * operands are put in one fixed order; equal terms are collected (x + x = 2 x), equal factors
///   with integer
///     exponents too (x x = x^2), and (c x)^k = c^k x^k for a constant c and an integer k;
///   * sin, tan, asin, ... of -x are odd, cos, sec, cosh, abs even; functions of constants are
///   folded where the
///     result is an exact rational (sin 0, sqrt 9/4, cos pi, ...).
///
/// Expressions may be built and read from several threads at once.

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/rational.hpp"

namespace dalembert::expr {

enum class Op : std::uint8_t {
  constant,
  pi,
  symbol,
  sum,
  product,
  power,
  sin,
  cos,
  tan,
  sec,
  csc,
  cot,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt,
  abs,
  sign,
  min,
  max,
  floor,
  step,
  choose,
  asinh,
  acosh,
  atanh,
  log10,
  hypot,
  erf,
  table
};

/// What a node is: a leaf, an operation that rules for building know, a function given by a table
/// of numbers (expr/table.hpp), or one of the functions of expr/functions.hpp, which are told apart
/// by their Op only where it matters.
enum class NodeKind : std::uint8_t { constant, pi, symbol, sum, product, power, function, table };

constexpr NodeKind kind_of(Op op) {
  if (op == Op::table) return NodeKind::table;
  return op < Op::sin ? static_cast<NodeKind>(op) : NodeKind::function;
}

/// What a symbol stands for decides its time derivative: a coordinate of order k (0 position, 1
/// velocity, 2 acceleration) becomes order k + 1, time becomes 1, a parameter 0. The forces
/// `ideal.x`, `nonideal.x` and a constraint's multiplier have none. An auxiliary is a quantity that
/// the program introduces and no model can name (a quasi-velocity, a multiplier); its rate is the
/// same auxiliary of order k + 1.
enum class SymbolKind : std::uint8_t {
  parameter,
  coordinate,
  time,
  ideal_force,
  nonideal_force,
  multiplier,
  auxiliary
};

struct Symbol {
  SymbolKind kind = SymbolKind::parameter;
  int order = 0;
  std::string name;

  bool operator==(const Symbol&) const = default;
};

inline constexpr std::size_t flatten_limit = 16;

class Expr;
struct Equation;
class Table;

/// What every node begins with; expr/node.hpp has the rest.
struct Node {
  mutable std::atomic<std::uint32_t> references;
  std::uint32_t arg_count;
  std::uint64_t hash;
  const Expr* args;
  mutable const Node* next;  ///< in the pool
  Op op;
};

class Expr {
 public:
  Expr() : Expr(0) {}
  Expr(int value);
  Expr(long value);
  Expr(double value);  ///< the decimal a person means, see rational_from_double
  Expr(const Rational& value);

  Expr(const Expr& other) noexcept;
  Expr(Expr&& other) noexcept : node_(other.node_) { other.node_ = nullptr; }
  Expr& operator=(const Expr& other) noexcept;
  Expr& operator=(Expr&& other) noexcept;
  ~Expr();

  Op op() const { return node_->op; }
  NodeKind kind() const { return kind_of(op()); }
  std::span<const Expr> args() const { return {node_->args, node_->arg_count}; }
  const Rational& value() const;                      ///< of a constant
  const Symbol& symbol() const;                       ///< of a symbol
  const std::shared_ptr<const Table>& table() const;  ///< of a table's value
  /// Of the structure: the same in every run and on every machine.
  std::uint64_t hash() const { return node_->hash; }
  const Node* node() const { return node_; }

  bool is(Op op_wanted) const { return op() == op_wanted; }
  bool is_zero() const;
  bool is_one() const;

  Expr& operator+=(const Expr& other);
  Expr& operator-=(const Expr& other);
  Expr& operator*=(const Expr& other);
  Expr& operator/=(const Expr& other);

 private:
  friend struct Pool;
  explicit Expr(const Node* owned) noexcept : node_(owned) {}
  const Node* node_;
};

/// Same node, that is: the same expression. What holds mathematically beyond the local rules is not
/// seen.
inline bool same(const Expr& a, const Expr& b) {
  return a.node() == b.node();
}

/// lhs = rhs, as in a constraint. In a condition it tells whether both sides are the same
/// expression.
struct Equation {
  Expr lhs;
  Expr rhs;
  explicit operator bool() const { return same(lhs, rhs); }
};
inline Equation operator==(const Expr& a, const Expr& b) {
  return {a, b};
}

struct ExprHash {
  std::size_t operator()(const Expr& e) const { return static_cast<std::size_t>(e.hash()); }
};
struct ExprSame {
  bool operator()(const Expr& a, const Expr& b) const { return same(a, b); }
};

Expr symbol(const Symbol& s);
Expr coordinate(std::string_view name, int order = 0);
Expr parameter(std::string_view name);
Expr time();
Expr pi();
Expr ideal_force(std::string_view coordinate_name);
Expr nonideal_force(std::string_view coordinate_name);
/// The multiplier of a constraint, as it is while C acts: M q'' = Q + C + sum lambda_j A_j.
Expr multiplier(std::string_view constraint_name);
Expr auxiliary(std::string_view name, int order = 0);

Expr sum(std::span<const Expr> terms);
Expr product(std::span<const Expr> factors);
inline Expr sum(std::initializer_list<Expr> terms) {
  return sum(std::span(terms.begin(), terms.size()));
}
inline Expr product(std::initializer_list<Expr> factors) {
  return product(std::span(factors.begin(), factors.size()));
}
Expr pow(const Expr& base, const Expr& exponent);
/// A function node, of as many arguments as the function has.
Expr apply_function(Op function, std::span<const Expr> args);

/// The value of a table at s.
Expr apply_table(std::shared_ptr<const Table> table, const Expr& s);

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
inline Expr operator+(const Expr& a) {
  return a;
}

Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr sec(const Expr& x);
Expr csc(const Expr& x);
Expr cot(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
Expr atan2(const Expr& y, const Expr& x);
Expr sinh(const Expr& x);
Expr cosh(const Expr& x);
Expr tanh(const Expr& x);
Expr asinh(const Expr& x);
Expr acosh(const Expr& x);
Expr atanh(const Expr& x);
Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr log10(const Expr& x);
/// 2/sqrt(pi) times the integral of exp(-u^2) from 0 to x.
Expr erf(const Expr& x);
Expr sqrt(const Expr& x);
/// sqrt(x^2 + y^2), also where the squares are beyond the range of doubles.
Expr hypot(const Expr& x, const Expr& y);
Expr abs(const Expr& x);
Expr sign(const Expr& x);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
/// The largest whole number that is not larger than x.
Expr floor(const Expr& x);
/// 1 where x >= 0, else 0.
Expr step(const Expr& x);
/// a where g >= 0, else b: if(x < y, a, b) is choose(x - y, b, a). What is not chosen counts for
/// nothing, its derivative neither, whether it has a value or not.
Expr choose(const Expr& g, const Expr& a, const Expr& b);
/// max(low, min(x, high)).
Expr clamp(const Expr& x, const Expr& low, const Expr& high);

/// Number of nodes alive in the whole program, for tests of memory.
std::size_t live_nodes();

}  // namespace dalembert::expr
